//! Tabs, frames and documents: which there are, and how they belong together.

use super::documents::{DocumentState, Documents};
use handeye_scene::{DocumentId, NativeId, OpenDialog};
use std::collections::{HashMap, HashSet};
use std::time::Instant;

/// Most origins that are remembered.
const ORIGINS: usize = 200;
/// Frames in frames are followed so far.
const DEPTH: usize = 1000;

/// Tabs, frames and documents.
#[derive(Default)]
pub(crate) struct Pages {
    /// Every tab ever seen, in order; an id is never reused.
    pub(crate) tabs: Vec<TabState>,
    /// Target id of the tab that commands act on.
    pub(crate) active: Option<String>,
    /// Frames by id.
    pub(crate) frames: HashMap<String, Frame>,
    /// Flattened sessions: session id to target id.
    pub(crate) sessions: HashMap<String, String>,
    pub(crate) documents: Documents,
    /// The open script dialogs, by the tab's target, each with the session that told of it.
    pub(crate) dialogs: HashMap<String, (String, OpenDialog)>,
    /// Frames that are being loaded.
    pub(crate) loading: HashSet<String>,
    /// Counts the main documents and addresses that the active tab has come to.
    pub(crate) arrivals: u64,
    /// The same of the frames in it.
    pub(crate) inner_arrivals: u64,
    /// Origins that main documents had, in order of coming; at most [`ORIGINS`].
    pub(crate) origins: Vec<String>,
}

/// One tab.
#[derive(Debug, Clone, Default)]
pub(crate) struct TabState {
    /// `t1`, `t2`…
    pub(crate) id: String,
    pub(crate) target: String,
    pub(crate) session: Option<String>,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) opener: Option<String>,
    /// Origin of the page that opened it, which is that of its empty document; none where that can't be told.
    pub(crate) maker: Option<String>,
    pub(crate) crashed: bool,
    /// The browser has told of the crash since the tab last showed a page.
    pub(crate) crash_told: bool,
    pub(crate) closed: bool,
    /// Whether we opened it (or launched the browser): only such tabs are closed with the session.
    pub(crate) ours: bool,
    /// Whether the browser has told of all frames with a process of their own that were there as we attached.
    pub(crate) frames_told: bool,
}

/// One frame.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    pub(crate) parent: Option<String>,
    pub(crate) session: String,
    pub(crate) loader: String,
    pub(crate) url: String,
    pub(crate) origin: String,
    /// Whether its document's own origin is none: it is sandboxed, say.
    pub(crate) opaque: bool,
    /// The address it should show, where the browser shows an error page of its own.
    pub(crate) unreachable: Option<String>,
    /// Which document was last asked for, by its loader, and when.
    pub(crate) asked: Option<(String, Instant)>,
    /// Whether that came to nothing: a download, an answer without a document, or none.
    pub(crate) in_vain: bool,
    /// When the document that it shows came.
    pub(crate) came: Option<Instant>,
    /// Its document, once our world is there.
    pub(crate) document: Option<DocumentId>,
    /// Unique id of the context of the page's own world.
    pub(crate) main_context: Option<String>,
    /// Its plain id.
    pub(crate) main_context_id: i64,
    /// Counts frames, so that siblings have an order.
    pub(crate) serial: usize,
    /// The element that shows it, as its parent's document numbers it: parent document, number, backend node.
    pub(crate) owner: Option<(DocumentId, u32, i64)>,
    /// The element that last was known to show it.
    pub(crate) shown_by: Option<NativeId>,
    /// Whether its next document may come up frozen (`targets/thaw.rs`).
    pub(crate) may_be_frozen: bool,
}

impl Pages {
    /// A tab's main document is of this origin.
    pub(crate) fn visit(&mut self, origin: &str) {
        let origin = origin.trim_end_matches('/');
        let web = origin.starts_with("http://") || origin.starts_with("https://");
        if web && self.origins.len() < ORIGINS && !self.origins.iter().any(|o| o == origin) {
            self.origins.push(origin.to_owned());
        }
    }

    /// The tab that commands act on.
    pub(crate) fn tab(&self) -> Option<&TabState> {
        let active = self.active.as_deref()?;
        self.tabs.iter().find(|t| t.target == active && !t.closed)
    }

    /// The dialog that is open in the active tab.
    pub(crate) fn dialog(&self) -> Option<&(String, OpenDialog)> {
        self.dialogs.get(self.active.as_deref()?)
    }

    /// A tab other than the active one that shows a dialog: its id, and which.
    pub(crate) fn dialog_elsewhere(&self) -> Option<(&str, &OpenDialog)> {
        let mut others = self.tabs.iter().filter(|t| !t.closed && self.active.as_deref() != Some(t.target.as_str()));
        others.find_map(|t| self.dialogs.get(&t.target).map(|(_, dialog)| (t.id.as_str(), dialog)))
    }

    /// Target of the tab that a session belongs to: its own, or that of the page its frame is in.
    pub(crate) fn tab_target(&self, session: &str) -> Option<String> {
        let mut at = self.sessions.get(session)?;
        for _ in 0..DEPTH {
            match self.frames.get(at).and_then(|f| f.parent.as_ref()) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        Some(at.clone())
    }

    /// A tab by target.
    pub(crate) fn tab_mut(&mut self, target: &str) -> Option<&mut TabState> {
        self.tabs.iter_mut().find(|t| t.target == target && !t.closed)
    }

    /// The main frame's id of the active tab: the target's.
    pub(crate) fn main_frame(&self) -> Option<&Frame> {
        self.frames.get(self.active.as_deref()?)
    }

    /// The main document of the active tab.
    pub(crate) fn main_document(&self) -> Option<DocumentId> {
        self.main_frame()?.document
    }

    /// The document that the active tab has asked for, by its loader, and that hasn't come yet: nothing that is asked of the page is
    /// passed on to it until then.
    pub(crate) fn left_for(&self) -> Option<&str> {
        let frame = self.main_frame()?;
        let (loader, _) = frame.asked.as_ref()?;
        (*loader != frame.loader && !frame.in_vain).then_some(loader)
    }

    pub(crate) fn is_being_left(&self) -> bool {
        self.left_for().is_some()
    }

    /// What was asked for came to nothing.
    pub(crate) fn asked_in_vain(&mut self, loader: &str) {
        let is_it = |frame: &&mut Frame| frame.asked.as_ref().is_some_and(|(asked, _)| asked == loader);
        if let Some(frame) = self.frames.values_mut().find(is_it) {
            frame.in_vain = true;
        }
    }

    /// A document's state.
    pub(crate) fn document(&self, id: DocumentId) -> Option<&DocumentState> {
        self.documents.get(id)
    }

    /// A document's state, to change.
    pub(crate) fn document_mut(&mut self, id: DocumentId) -> Option<&mut DocumentState> {
        self.documents.get_mut(id)
    }

    /// A document was opened anew (`document.open`): listeners of ours are back at the next turn, behind what was written.
    pub(crate) fn reopened(&mut self, frame: &str) {
        let document = self.frames.get(frame).and_then(|f| f.document);
        if let Some(state) = document.and_then(|id| self.document_mut(id)) {
            state.at_start = Some(false);
        }
    }

    /// A debugger has stopped a page: which process that is, and so whose frames may be held by it, can't be told.
    pub(crate) fn stopped(&mut self) {
        for frame in self.frames.values_mut().filter(|frame| frame.parent.is_some()) {
            frame.may_be_frozen = true;
        }
    }

    /// Documents that were not left.
    pub(crate) fn living(&self) -> impl DoubleEndedIterator<Item = &DocumentState> {
        self.documents.iter().map(|(_, document)| document).filter(|document| document.alive)
    }

    /// Whether a frame belongs to the active tab.
    pub(crate) fn is_active(&self, frame: &str) -> bool {
        let mut at = frame;
        for _ in 0..DEPTH {
            if Some(at) == self.active.as_deref() {
                return true;
            }
            match self.frames.get(at).and_then(|f| f.parent.as_deref()) {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        false
    }

    /// Documents of the active tab, parents before children, siblings in order of coming.
    pub(crate) fn active_documents(&self) -> Vec<(String, DocumentId)> {
        let Some(main) = self.active.clone() else { return Vec::new() };
        let mut children: HashMap<&str, Vec<(usize, &String)>> = HashMap::new();
        for (id, frame) in &self.frames {
            if let Some(parent) = &frame.parent {
                children.entry(parent).or_default().push((frame.serial, id));
            }
        }
        let mut out = Vec::new();
        let mut stack = vec![main];
        while let Some(id) = stack.pop() {
            if let Some(document) = self.frames.get(&id).and_then(|f| f.document) {
                out.push((id.clone(), document));
            }
            let mut below = children.remove(id.as_str()).unwrap_or_default();
            below.sort_unstable();
            stack.extend(below.into_iter().rev().map(|(_, id)| id.clone()));
        }
        out
    }

    /// Our world is there in a frame: a new document, or one that came back from the back/forward cache.
    pub(crate) fn enter(&mut self, frame: &str, session: &str, context: &str, context_id: i64) -> DocumentId {
        let id = self.documents.enter(frame, session, context, context_id);
        let frame = self.frame(frame, session);
        frame.document = Some(id);
        frame.owner = None;
        id
    }

    /// A frame's entry, made if it isn't there yet.
    pub(crate) fn frame(&mut self, id: &str, session: &str) -> &mut Frame {
        let serial = self.frames.len() + 1;
        let frame = self.frames.entry(id.to_owned()).or_insert_with(|| Frame { serial, ..Frame::default() });
        frame.session = session.to_owned();
        frame
    }

    /// A context is gone, or parked.
    pub(crate) fn leave(&mut self, context: &str) {
        let Some(id) = self.documents.of_context(context) else { return };
        let Some(frame) = self.document(id).map(|d| d.frame.clone()) else { return };
        self.documents.leave(id);
        if let Some(frame) = self.frames.get_mut(&frame)
            && frame.document == Some(id)
        {
            frame.document = None;
        }
    }

    /// All contexts of a session are gone, or parked.
    pub(crate) fn leave_all(&mut self, session: &str) {
        let contexts: Vec<String> = self.living().filter(|d| d.session == session).map(|d| d.context.clone()).collect();
        for context in contexts {
            self.leave(&context);
        }
    }

    /// Whether it is the main document of the active tab.
    pub(crate) fn is_main(&self, document: DocumentId) -> bool {
        self.main_document() == Some(document)
    }

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

    /// The tab that a session belongs to, as the agent knows it.
    pub(crate) fn tab_of(&self, session: &str) -> String {
        let mut frame = self.sessions.get(session).map(String::as_str);
        for _ in 0..DEPTH {
            let Some(id) = frame else { break };
            if let Some(tab) = self.tabs.iter().find(|t| t.target == id) {
                return tab.id.clone();
            }
            frame = self.frames.get(id).and_then(|f| f.parent.as_deref());
        }
        String::new()
    }

    /// A frame and those it is in.
    pub(crate) fn above<'a>(&'a self, frame: &'a str) -> impl Iterator<Item = &'a str> {
        let parent = |id: &&'a str| self.frames.get(*id).and_then(|f| f.parent.as_deref());
        std::iter::successors(Some(frame), parent).take(DEPTH)
    }
}
