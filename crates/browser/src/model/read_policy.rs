//! What the rules deny inside a page: documents of these origins are left out of every look, picture and print.

use super::Model;
use handeye_scene::{Code, DocumentId, NativeId, Notice, Problem, TargetRule};
use url::Url;

/// Frames above one another that are looked through, at most.
const DEPTH: usize = 1000;

/// An origin as rules write it.
fn spelled(origin: &str) -> String {
    Url::parse(origin).map_or_else(|_| "null".into(), |url| url.origin().ascii_serialization())
}

impl Model {
    /// Whether an address, or an origin, must not be read.
    pub(crate) fn is_read_denied(&self, url: &str) -> bool {
        self.policy.denied.reads.contains(&spelled(url))
    }

    /// The denied origin of a document that must not be looked at, or of one around it. The page itself was judged before.
    pub(crate) fn read_denied(&self, frame: &str) -> Option<String> {
        let mut at = frame;
        for _ in 0..DEPTH {
            if self.policy.denied.reads.is_empty() || Some(at) == self.pages.active.as_deref() {
                return None;
            }
            let origin = self.pages.origin_of(at);
            match origin.as_deref().map(spelled) {
                None => return Some("unknown origin".into()),
                Some(spelled) if self.policy.denied.reads.contains(&spelled) => return origin,
                Some(_) => at = self.pages.frames.get(at)?.parent.as_deref()?,
            }
        }
        None
    }

    /// Whether the document that has this context must not be looked at.
    pub(crate) fn is_read_denied_in(&self, session: &str, context: i64) -> bool {
        let document = self.pages.living().rev().find(|d| d.context_id == context && d.session == session);
        document.is_some_and(|d| self.read_denied(&d.frame).is_some())
    }

    /// Documents of the active tab that may be looked at, in the order of [`Model::active_documents`].
    pub(crate) fn readable_documents(&self) -> Vec<(String, DocumentId)> {
        self.pages.active_documents().into_iter().filter(|(frame, _)| self.read_denied(frame).is_none()).collect()
    }

    /// What is left out, in words.
    pub(crate) fn left_out(&self) -> Vec<Notice> {
        let mut out: Vec<Notice> = Vec::new();
        for (frame, _) in self.pages.active_documents() {
            let Some(origin) = self.read_denied(&frame) else { continue };
            let notice =
                Notice::new("denied", format!("a document of {origin} is left out: the policy denies reading it"));
            if !out.contains(&notice) {
                out.push(notice);
            }
        }
        out
    }

    /// Why keys must not go to what has the focus now.
    pub(crate) fn keys_denied(&self, focus: Option<NativeId>) -> Option<String> {
        let place = self.acts_denied(focus.map(NativeId::document))?;
        Some(format!("the focus went into {place}, where the policy refuses to type"))
    }

    /// Rules about targets that hold in a document; where its origin can't be told, all may be meant.
    pub(crate) fn targets_denied_in(&self, document: DocumentId) -> Vec<&TargetRule> {
        let rules = &self.policy.denied.targets;
        if rules.is_empty() {
            return Vec::new();
        }
        let frame = self.pages.document(document).map(|d| d.frame.as_str());
        let origin = frame.and_then(|frame| self.pages.origin_of(frame)).as_deref().map(spelled);
        rules.iter().filter(|rule| rule.holds_at(origin.as_deref())).collect()
    }

    /// A document that must not be acted in, in words.
    fn acts_denied(&self, document: Option<DocumentId>) -> Option<String> {
        if self.policy.denied.acts.is_empty() {
            return None;
        }
        let frame = document.and_then(|id| self.pages.document(id)).map(|d| d.frame.as_str());
        let origin = frame.and_then(|frame| self.pages.origin_of(frame));
        match origin.as_deref().map(spelled) {
            Some(spelled) if !self.policy.denied.acts.contains(&spelled) => None,
            _ => Some(origin.map_or_else(|| "a document of unknown origin".into(), |o| format!("a document of {o}"))),
        }
    }

    /// Refuses to look at an element of a document that must not be.
    pub(crate) fn check_readable(&self, document: DocumentId) -> Result<(), Problem> {
        match self.pages.document(document).and_then(|d| self.read_denied(&d.frame)) {
            Some(origin) => {
                Err(Problem::new(Code::Denied, format!("the policy refuses to read documents of {origin}"))
                    .hint("handeye config show"))
            }
            None => Ok(()),
        }
    }

    /// Refuses to act in a document in which that must not be.
    pub(crate) fn check_acts_in(&self, document: DocumentId, action: &str) -> Result<(), Problem> {
        match self.acts_denied(Some(document)) {
            Some(place) => Err(Problem::new(Code::Denied, format!("the policy refuses to {action} in {place}"))
                .hint("handeye config show")),
            None => Ok(()),
        }
    }
}
