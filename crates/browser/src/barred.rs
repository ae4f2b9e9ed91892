//! What the rules bar inside a page: documents of these origins are left out of every look, picture and print.

use crate::surface::{Browser, FRAME_LIMIT};
use crate::world::World;
use handeye_scene::{Code, DocumentId, NativeId, Notice, Problem, Rect};
use std::collections::HashMap;
use url::Url;

/// Frames above one another that are looked through, at most.
const DEPTH: usize = 1000;

/// An origin as rules write it.
fn spelled(origin: &str) -> String {
    Url::parse(origin).map_or_else(|_| "null".into(), |url| url.origin().ascii_serialization())
}

impl World {
    /// Origin of a frame's document; an empty one has that of whoever made it, the frame around it or the page that opened it.
    pub(crate) fn origin_of(&self, frame: &str) -> Option<String> {
        let mut at = frame;
        for _ in 0..DEPTH {
            let here = self.frames.get(at)?;
            let empty = here.url.is_empty() || here.url == ":" || here.url.starts_with("about:");
            if !empty {
                return Some(here.origin.clone()).filter(|origin| !origin.is_empty());
            }
            match here.parent.as_deref() {
                Some(parent) => at = parent,
                None => return self.tabs.iter().find(|t| t.target == at)?.maker.clone(),
            }
        }
        None
    }

    /// Whether an address, or an origin, must not be read.
    pub(crate) fn is_unread(&self, url: &str) -> bool {
        !self.barred.reads.is_empty() && self.barred.reads.contains(&spelled(url))
    }

    /// The barred origin of a document that must not be looked at, or of one around it. The page itself was judged before.
    pub(crate) fn unread(&self, frame: &str) -> Option<String> {
        let mut at = frame;
        for _ in 0..DEPTH {
            if self.barred.reads.is_empty() || Some(at) == self.active.as_deref() {
                return None;
            }
            let origin = self.origin_of(at);
            match origin.as_deref().map(spelled) {
                None => return Some("unknown origin".into()),
                Some(spelled) if self.barred.reads.contains(&spelled) => return origin,
                Some(_) => at = self.frames.get(at)?.parent.as_deref()?,
            }
        }
        None
    }

    /// Whether the document that has this context must not be looked at.
    pub(crate) fn is_unread_in(&self, session: &str, context: i64) -> bool {
        let document = self.living().rev().find(|d| d.context_id == context && d.session == session);
        document.is_some_and(|d| self.unread(&d.frame).is_some())
    }

    /// Documents of the active tab that may be looked at, in the order of [`World::active_documents`].
    pub(crate) fn readable_documents(&self) -> Vec<(String, DocumentId)> {
        self.active_documents().into_iter().filter(|(frame, _)| self.unread(frame).is_none()).collect()
    }

    /// What is left out, in words.
    pub(crate) fn left_out(&self) -> Vec<Notice> {
        let mut out: Vec<Notice> = Vec::new();
        for (frame, _) in self.active_documents() {
            let Some(origin) = self.unread(&frame) else { continue };
            let notice = Notice::new("denied", format!("a document of {origin} is left out: the policy bars it"));
            if !out.contains(&notice) {
                out.push(notice);
            }
        }
        out
    }

    /// Why keys must not go to what has the focus now.
    pub(crate) fn keys_barred(&self, focus: Option<NativeId>) -> Option<String> {
        let place = self.acts_barred(focus.map(NativeId::document))?;
        Some(format!("the focus went into {place}, where the policy refuses to type"))
    }

    /// A document that must not be acted in, in words.
    fn acts_barred(&self, document: Option<DocumentId>) -> Option<String> {
        if self.barred.acts.is_empty() {
            return None;
        }
        let frame = document.and_then(|id| self.document(id)).map(|d| d.frame.as_str());
        let origin = frame.and_then(|frame| self.origin_of(frame));
        match origin.as_deref().map(spelled) {
            Some(spelled) if !self.barred.acts.contains(&spelled) => None,
            _ => Some(origin.map_or_else(|| "a document of unknown origin".into(), |o| format!("a document of {o}"))),
        }
    }
}

impl Browser {
    /// Refuses to look at an element of a document that must not be.
    pub(crate) fn check_readable(&self, document: DocumentId) -> Result<(), Problem> {
        let world = self.shared.world();
        match world.document(document).and_then(|d| world.unread(&d.frame)) {
            Some(origin) => {
                Err(Problem::new(Code::Denied, format!("the policy refuses to read documents of {origin}"))
                    .hint("handeye config show"))
            }
            None => Ok(()),
        }
    }

    /// Refuses to act in a document in which that must not be.
    pub(crate) fn check_acts_in(&self, document: DocumentId, deed: &str) -> Result<(), Problem> {
        match self.shared.world().acts_barred(Some(document)) {
            Some(place) => Err(Problem::new(Code::Denied, format!("the policy refuses to {deed} in {place}"))
                .hint("handeye config show")),
            None => Ok(()),
        }
    }

    /// Where documents that must not be seen are, in main viewport coordinates.
    pub(crate) async fn unread_places(&self) -> Result<Vec<Rect>, Problem> {
        let unread: Vec<DocumentId> = {
            let world = self.shared.world();
            let all = world.active_documents().into_iter();
            all.filter(|(frame, _)| world.unread(frame).is_some()).map(|(_, document)| document).collect()
        };
        if unread.is_empty() {
            return Ok(Vec::new());
        }
        let places = self.places(&HashMap::new()).await?;
        let mut out = Vec::new();
        for document in unread {
            // One that has no place isn't rendered.
            let Some(placed) = places.get(&document) else { continue };
            let Some(ticket) = self.ask_size(document) else { continue };
            let size = self.told(ticket, FRAME_LIMIT).await;
            let (width, height): (f64, f64) = size.map_err(crate::surface::gone)?;
            out.push(placed.map.rect(Rect::new(0.0, 0.0, width, height)));
        }
        Ok(out)
    }
}
