//! What is known of a browser: tabs, frames, documents, and what has happened. Written by the reader's task as events
//! come, read by everything else. Knows no feature.

pub(crate) mod clipboard;
pub(crate) mod console_log;
pub(crate) mod documents;
pub(crate) mod faults;
pub(crate) mod habits;
pub(crate) mod hidden_tab;
pub(crate) mod intercept;
pub(crate) mod network_log;
pub(crate) mod pages;
mod read_policy;
pub(crate) mod ring;
mod self_navigation;
pub(crate) mod shared;
pub(crate) mod text;
pub(crate) mod windows_asked;

use crate::protocol::{GuardSignal, Listener, StackTrace, TargetInfo};
use clipboard::Clipboard;
use console_log::ConsoleLog;
use faults::Faults;
use habits::Habits;
use handeye_scene::{DenyRules, Emulation, Event, Mask, Moved, Notice, Permission};
use hidden_tab::HiddenTab;
use intercept::Intercept;
use network_log::NetworkLog;
use pages::Pages;
use std::collections::{HashMap, HashSet};
use std::time::Instant;
use windows_asked::{Opening, WindowsAsked};

/// How many events are kept; of requests half of it. Between gestures nobody asks for them, and a page may go on for days.
const EVENTS: usize = 2000;

/// So many changes after a gesture are traced to what began them.
const MARKS: usize = 100;

/// What is known of a browser.
#[derive(Default)]
pub(crate) struct Model {
    pub(crate) browser: BrowserState,
    pub(crate) pages: Pages,
    pub(crate) targets: TargetState,
    pub(crate) gesture: GestureState,
    pub(crate) clipboard: Clipboard,
    pub(crate) guard: GuardState,
    pub(crate) network: Network,
    pub(crate) files: Files,
    pub(crate) emulation: EmulationState,
    pub(crate) policy: Policy,
    pub(crate) reports: Reports,
    /// Frames and pages that go elsewhere by themselves.
    pub(crate) habits: Habits,
}

/// The browser itself.
#[derive(Default)]
pub(crate) struct BrowserState {
    /// Whether the browser is ours: then new documents deny input until released.
    pub(crate) owned: bool,
    /// Whether it is one tab, which a person lends.
    pub(crate) lent: bool,
    /// The browser context of our own in a browser that is attached to: cookies, storage and permissions that no other page has.
    pub(crate) context: Option<String>,
    /// Why the browser is gone.
    pub(crate) lost: Option<String>,
}

impl BrowserState {
    /// Whether every tab is ours that we are told of: nobody else looks at them.
    pub(crate) fn has_all_tabs(&self) -> bool {
        self.owned || self.context.is_some()
    }
}

/// Targets that were asked for, or are held up.
#[derive(Default)]
pub(crate) struct TargetState {
    /// The window that a page last asked for, until its first document is.
    pub(crate) opening: Option<Opening>,
    /// What pages asked for in windows of their own.
    pub(crate) windows: WindowsAsked,
    /// Sessions of popups in which no script runs until their first document is known.
    pub(crate) silenced: HashSet<String>,
    /// The tab that a second session is asked for, until it is there.
    pub(crate) second_session: Option<String>,
    /// The hidden tab that shows an empty page of any origin.
    pub(crate) hidden_tab: HiddenTab,
    /// Tabs of our own context, in a browser that is attached to, that came while it was wanted: one of them may be it.
    pub(crate) untold: Vec<TargetInfo>,
    /// How many hidden tabs were asked for.
    pub(crate) hidden_tabs: u64,
}

impl TargetState {
    /// A tab shows a document, or is gone: one that was just opened is waited for no more.
    pub(crate) fn shows(&mut self, target: &str) {
        self.opening.take_if(|opening| opening.came.as_deref() == Some(target));
    }

    /// A tab that was just opened asks for its document.
    pub(crate) fn asks(&mut self, target: &str) {
        if let Some(opening) = self.opening.as_mut().filter(|opening| opening.came.as_deref() == Some(target)) {
            opening.asked = true;
        }
    }

    /// What a tab asked for that was just opened didn't come: the browser shows a page of its own instead, unless it was broken off.
    pub(crate) fn fails(&mut self, broken_off: bool, now: Instant) {
        let Some(opening) = self.opening.as_mut().filter(|opening| opening.asked) else { return };
        (opening.asked, opening.since) = (false, now);
        if broken_off {
            self.opening = None;
        }
    }
}

/// What was seen since a gesture began.
#[derive(Default)]
pub(crate) struct GestureState {
    /// What happened since the gesture began.
    pub(crate) events: Vec<Event>,
    /// Mutation signals since the gesture began.
    pub(crate) moved: Moved,
    /// Whether a document was asked for since, though nothing of it has begun yet.
    pub(crate) asked_away: bool,
    /// What a drag carries, once the page has begun one of its own.
    pub(crate) drag: Option<serde_json::Value>,
    /// Whether mutations are being signalled, from the start of a gesture until the page is quiet.
    pub(crate) recording: bool,
    /// Whether the debugger keeps what began what, from the start of a gesture until it was judged.
    pub(crate) is_noted: bool,
    /// When something last happened.
    pub(crate) touched: Option<Instant>,
    /// When the gesture began.
    pub(crate) begun: Option<Instant>,
    /// What ran when something changed after the gesture's events.
    pub(crate) marks: Vec<Mark>,
    /// What listened at the target before the gesture.
    pub(crate) heard: Vec<Listener>,
    /// Sessions whose debugger was asked to stop in the gesture.
    pub(crate) debugged: Vec<String>,
}

/// What ran when something changed, as the debugger tells it.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub(crate) session: String,
    /// The stack, with what began it.
    pub(crate) stack: StackTrace,
    /// Whether the stack is of the page's own: else it is of ours, begun by the page's.
    pub(crate) own: bool,
}

/// The guard of the gesture under way.
#[derive(Default)]
pub(crate) struct GuardState {
    /// Whether a guarded gesture is under way: then new documents of ours go on denying input.
    pub(crate) is_armed: bool,
    /// What the guard judged since the gesture began.
    pub(crate) signals: Vec<GuardSignal>,
    /// Sessions in which events of the gesture pause the debugger, and the contexts to ask there.
    pub(crate) paused_checks: HashMap<String, Vec<String>>,
    /// Whether input that follows would come to a page that is stopped, and be lost: one event is sent after the other.
    pub(crate) one_by_one: bool,
    /// The session that is to stop once so that a frozen document is let go of, until it stops.
    pub(crate) thawing: Option<String>,
}

/// What pages ask the network for.
#[derive(Default)]
pub(crate) struct Network {
    /// Requests of every tab.
    pub(crate) log: NetworkLog,
    /// Requests under way that a page may be waiting for.
    pub(crate) pending: HashMap<String, Instant>,
    /// The document that was asked for last: its request, method and address.
    pub(crate) document: Option<(String, String, String)>,
    /// The same of a tab that the gesture opened.
    pub(crate) opened: Option<(String, String, String)>,
    /// Addresses of open WebSockets.
    pub(crate) sockets: HashMap<String, String>,
    /// Why the browser couldn't load what a tab was last sent to, as it names it.
    pub(crate) failure: Option<String>,
    /// Requests that wait for us.
    pub(crate) intercept: Intercept,
}

/// Files that pages give and take.
#[derive(Default)]
pub(crate) struct Files {
    /// Downloads, in order of beginning.
    pub(crate) downloads: Vec<DownloadState>,
    /// The file chooser that was last caught.
    pub(crate) chooser: Option<ChooserState>,
}

/// A download, as far as it has come.
#[derive(Debug, Clone, Default)]
pub(crate) struct DownloadState {
    pub(crate) guid: String,
    pub(crate) name: String,
    pub(crate) url: String,
    /// `completed`, `canceled`, or still under way.
    pub(crate) state: String,
    pub(crate) path: String,
}

/// A file chooser that was caught: its session and input.
#[derive(Debug, Clone)]
pub(crate) struct ChooserState {
    pub(crate) session: String,
    /// None for a chooser that a script opened without an input.
    pub(crate) input: Option<i64>,
    pub(crate) multiple: bool,
}

/// What is emulated for pages.
#[derive(Default)]
pub(crate) struct EmulationState {
    pub(crate) emulation: Emulation,
    /// What sites were said to be allowed, by origin and name.
    pub(crate) permissions: HashMap<(String, String), Permission>,
    /// Viewport of pages in browsers of ours, CSS pixels.
    pub(crate) viewport: Option<(u32, u32)>,
}

/// What the rules deny, and what must not be told.
#[derive(Default)]
pub(crate) struct Policy {
    /// What the rules deny inside pages.
    pub(crate) denied: DenyRules,
    /// How texts are kept that are cut off.
    pub(crate) mask: Mask,
    /// The document out of bounds that the active tab was last to show: its address, and why it isn't shown.
    pub(crate) refused: Option<Refused>,
}

/// A document that was refused.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) loader: String,
    pub(crate) url: String,
    pub(crate) why: String,
}

/// What the agent should know.
#[derive(Default)]
pub(crate) struct Reports {
    pub(crate) notices: Vec<Notice>,
    /// What consoles said.
    pub(crate) console: ConsoleLog,
    /// What went wrong since an action began.
    pub(crate) faults: Faults,
}

impl Model {
    /// Notes that something happened.
    pub(crate) fn touch(&mut self) {
        self.gesture.touched = Some(Instant::now());
    }

    /// Notes what happened.
    pub(crate) fn happened(&mut self, event: Event) {
        let most = if matches!(event, Event::Requested { .. }) { EVENTS / 2 } else { EVENTS };
        if self.gesture.events.len() < most {
            self.gesture.events.push(event);
        }
    }

    /// Whether the gesture opened the tab of this target.
    pub(crate) fn has_opened(&self, target: &str) -> bool {
        let opened = self.pages.tabs.iter().find(|t| t.target == target);
        opened.is_some_and(|tab| {
            self.gesture.events.iter().any(|e| matches!(e, Event::NewTab { id, .. } if *id == tab.id))
        })
    }

    /// Notes what ran when something changed.
    pub(crate) fn mark(&mut self, mark: Mark) {
        if self.gesture.recording && self.gesture.marks.len() < MARKS {
            self.gesture.marks.push(mark);
        }
    }

    /// The process of a child document crashed: nothing of that session can be asked any more.
    pub(crate) fn document_crashed(&mut self, session: &str, target: &str) {
        if self.pages.tabs.iter().any(|t| t.target == target) {
            return;
        }
        self.pages.leave_all(session);
        let url = self.pages.frames.get(target).map(|f| f.url.clone()).unwrap_or_default();
        self.reports.notices.push(Notice::new("lost_document", format!("the document {url} inside the page crashed")));
        self.touch();
    }

    /// A frame is gone, with those in it.
    pub(crate) fn remove_frame(&mut self, id: &str) {
        let mut gone = vec![id.to_owned()];
        while let Some(id) = gone.pop() {
            gone.extend(
                self.pages.frames.iter().filter(|(_, f)| f.parent.as_deref() == Some(&id)).map(|(k, _)| k.clone()),
            );
            self.pages.loading.remove(&id);
            self.gone(&id);
            if let Some(document) = self.pages.frames.remove(&id).and_then(|f| f.document) {
                self.pages.documents.leave(document);
            }
        }
    }

    /// Begins to record what a gesture brings.
    pub(crate) fn begin(&mut self) {
        self.gesture.events.clear();
        self.network.log.begin();
        self.guard.signals.clear();
        self.policy.refused = None;
        self.gesture.moved = Moved::default();
        self.gesture.asked_away = false;
        self.gesture.marks.clear();
        self.gesture.heard.clear();
        // What hasn't come by now was blocked.
        self.targets.windows = WindowsAsked::default();
        self.gesture.begun = Some(Instant::now());
        self.gesture.recording = true;
        self.gesture.is_noted = true;
        self.pages.documents.begin();
        self.habits.begin();
        self.gesture.drag = None;
        self.clipboard.changed = None;
        let now = Instant::now();
        // What runs already isn't of this gesture.
        self.network.pending.retain(|_, began| now.duration_since(*began).as_secs() < 30);
        self.touch();
    }

    /// A text, masked whole and then cut off at `limit` characters.
    pub(crate) fn cut(&self, text: &str, limit: usize) -> String {
        text::cut(&self.policy.mask.of(text), limit)
    }
}
