//! What is known of a browser: tabs, frames, documents, and what has happened.

use handeye_scene::{Barred, DocumentId, Event, Mask, Moved, NativeId, Notice, OpenDialog, Permission, Pretence};
use std::collections::{HashMap, HashSet};
use std::time::Instant;

use crate::bounds::Refused;
use crate::console::Voices;
use crate::documents::{DocumentState, Documents};
use crate::faults::Faults;
use crate::files::{ChooserState, DownloadState};
use crate::intercept::Intercept;
use crate::protocol::{Attached, GuardSignal};
use crate::roaming::Roaming;
use crate::traffic::Flows;

/// What is known of a browser. Written by the reader's task as events come, read by the surface.
#[derive(Default)]
pub(crate) struct World {
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
    /// Requests under way that a page may be waiting for.
    pub(crate) requests: HashMap<String, Instant>,
    /// Addresses of open WebSockets.
    pub(crate) sockets: HashMap<String, String>,
    /// When a page last asked for a window that isn't there yet.
    pub(crate) opening: Option<Instant>,
    /// Sessions of popups in which no script runs until their first document is known.
    pub(crate) silenced: HashSet<String>,
    /// Frames that are being loaded.
    pub(crate) loading: HashSet<String>,
    /// What happened since the gesture began.
    pub(crate) events: Vec<Event>,
    /// Counts the main documents and addresses that the active tab has come to.
    pub(crate) arrivals: u64,
    /// What the agent should know.
    pub(crate) notices: Vec<Notice>,
    /// How texts are kept that are cut off.
    pub(crate) mask: Mask,
    /// What the guard judged since the gesture began.
    pub(crate) signals: Vec<GuardSignal>,
    /// Mutation signals since the gesture began.
    pub(crate) moved: Moved,
    /// When something last happened.
    pub(crate) touched: Option<Instant>,
    /// Whether a guarded gesture is under way: then new documents of ours go on denying input.
    pub(crate) gesture: bool,
    /// Whether mutations are being signalled, from the start of a gesture until the page is quiet.
    pub(crate) recording: bool,
    /// What a drag carries, once the page has begun one of its own.
    pub(crate) drag: Option<serde_json::Value>,
    /// Whether the browser is ours: then new documents deny input until released.
    pub(crate) owned: bool,
    /// Sessions in which events of the gesture pause the debugger, and the contexts to ask there.
    pub(crate) paused_checks: HashMap<String, Vec<String>>,
    /// Whether input that follows would come to a page that is stopped, and be lost: one event is sent after the other.
    pub(crate) one_by_one: bool,
    /// What consoles said.
    pub(crate) voices: Voices,
    /// Requests of every tab.
    pub(crate) flows: Flows,
    /// Requests that wait for us.
    pub(crate) intercept: Intercept,
    /// What pages are made to believe.
    pub(crate) pretence: Pretence,
    /// What sites were said to be allowed, by origin and name.
    pub(crate) permissions: HashMap<(String, String), Permission>,
    /// Viewport of pages in browsers of ours, CSS pixels.
    pub(crate) viewport: Option<(u32, u32)>,
    /// Downloads, in order of beginning.
    pub(crate) downloads: Vec<DownloadState>,
    /// The file chooser that was last caught.
    pub(crate) chooser: Option<ChooserState>,
    /// Origins that main documents had, in order of coming; at most [`ORIGINS`].
    pub(crate) origins: Vec<String>,
    /// The tab that a second session is asked for, until it is there.
    pub(crate) besides: Option<String>,
    /// The hidden tab that shows an empty page of any origin.
    pub(crate) aside: Aside,
    /// So many were asked for.
    pub(crate) asides: u64,
    /// Why the browser couldn't load what a tab was last sent to, as it names it.
    pub(crate) failure: Option<String>,
    /// The document out of bounds that the active tab was last to show: its address, and why it isn't shown.
    pub(crate) refused: Option<Refused>,
    /// What went wrong since an action began.
    pub(crate) faults: Faults,
    /// What the rules bar inside pages.
    pub(crate) barred: Barred,
    /// Frames that go elsewhere by themselves.
    pub(crate) roaming: Roaming,
    /// Why the browser is gone.
    pub(crate) lost: Option<String>,
}

/// Most origins that are remembered.
const ORIGINS: usize = 200;

/// So many events are kept; of requests half of it. Between gestures nobody asks for them, and a page may go on for days.
const EVENTS: usize = 2000;

/// A hidden tab.
#[derive(Debug, Default)]
pub(crate) enum Aside {
    /// There is none.
    #[default]
    None,
    /// It was asked for, by the request of this number, and the browser hasn't said which target it is: tabs that came since
    /// without an opener wait for that.
    Wanted(u64, Vec<Attached>),
    /// Its target; we aren't attached to it yet.
    Named(String),
    /// Its session and target.
    There(String, String),
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
}

impl World {
    /// Notes that something happened.
    pub(crate) fn touch(&mut self) {
        self.touched = Some(Instant::now());
    }

    /// Notes what happened.
    pub(crate) fn happened(&mut self, event: Event) {
        let most = if matches!(event, Event::Requested { .. }) { EVENTS / 2 } else { EVENTS };
        if self.events.len() < most {
            self.events.push(event);
        }
    }

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
        for _ in 0..1000 {
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

    /// Documents that were not left.
    pub(crate) fn living(&self) -> impl DoubleEndedIterator<Item = &DocumentState> {
        self.documents.iter().map(|(_, document)| document).filter(|document| document.alive)
    }

    /// Whether a frame belongs to the active tab.
    pub(crate) fn is_active(&self, frame: &str) -> bool {
        let mut at = frame;
        for _ in 0..1000 {
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

    /// The process of a child document crashed: nothing of that session can be asked any more.
    pub(crate) fn document_crashed(&mut self, session: &str, target: &str) {
        if self.tabs.iter().any(|t| t.target == target) {
            return;
        }
        self.leave_all(session);
        let url = self.frames.get(target).map(|f| f.url.clone()).unwrap_or_default();
        self.notices.push(Notice::new("lost_document", format!("the document {url} inside the page crashed")));
        self.touch();
    }

    /// A frame is gone, with those in it.
    pub(crate) fn remove_frame(&mut self, id: &str) {
        let mut gone = vec![id.to_owned()];
        while let Some(id) = gone.pop() {
            gone.extend(self.frames.iter().filter(|(_, f)| f.parent.as_deref() == Some(&id)).map(|(k, _)| k.clone()));
            self.loading.remove(&id);
            self.gone(&id);
            if let Some(document) = self.frames.remove(&id).and_then(|f| f.document) {
                self.documents.leave(document);
            }
        }
    }

    /// Begins to record what a gesture brings.
    pub(crate) fn begin(&mut self) {
        self.events.clear();
        self.flows.begin();
        self.signals.clear();
        self.refused = None;
        self.moved = Moved::default();
        self.recording = true;
        self.documents.begin();
        self.roaming.begin();
        self.drag = None;
        let now = Instant::now();
        // What runs already isn't of this gesture.
        self.requests.retain(|_, began| now.duration_since(*began).as_secs() < 30);
        self.touch();
    }
}
