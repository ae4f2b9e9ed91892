//! The port every surface implements: dumb I/O, no retries, no judging, no locating.

use crate::{
    Capture, Delivery, DeniedOrigins, DesktopConfig, DocumentId, Gesture, Guard, InputMethod, Launch, NativeId, Notice,
    Point, PressBy, Pressed, Probe, Problem, Rect, Shot, TargetRule, Want, Web, Windows,
};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How far a probe may go to make an element ready.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Aim {
    /// Scroll it into view if it isn't.
    pub scroll: bool,
    /// Look for a point at which a pointer hits it, once it is still.
    pub point: bool,
    /// No point is needed where the element has an activation of its own ([`Probe::activation`]).
    pub activation: bool,
    /// The place in it that the pointer is to hit, from its top left corner; without one, any that is open.
    pub at: Option<Point>,
}

/// By what a query looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryBy {
    /// XPath, absolute ones with document prefixes included.
    Xpath,
    /// CSS selector, through open and closed shadow roots.
    Css,
    /// `data-testid` and its kin.
    TestId,
    /// Automation id of a desktop's accessibility interface.
    AutomationId,
    /// Class, as a desktop's accessibility interface tells it.
    Class,
}

/// A look-up that the surface's own engine answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// By what.
    pub by: QueryBy,
    /// The expression.
    pub text: String,
}

/// Something that happened on the surface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The main document is another one, or has another address.
    Navigated {
        /// The same address as before, loaded anew.
        again: bool,
        /// Address now.
        url: String,
        /// A new document, not only a new address.
        document: bool,
    },
    /// The main document was loaded again from its address, as it is again and again by itself.
    LoadedAgain,
    /// The main document, or the child document that the gesture was aimed at, is another one, which had been asked for before it.
    WentItself {
        /// Address now.
        url: String,
        /// A child document.
        inside: bool,
    },
    /// A child document was navigated.
    DocumentNavigated {
        /// Address now.
        url: String,
    },
    /// A script dialog opened.
    Dialog {
        /// `alert`, `confirm`, `prompt`, `beforeunload`.
        kind: String,
        /// Its text.
        message: String,
    },
    /// A download began.
    Download {
        /// Suggested file name.
        name: String,
        /// From where.
        url: String,
    },
    /// A download was broken off.
    DownloadBroken {
        /// Its suggested file name.
        name: String,
    },
    /// A document that was led to couldn't be loaded: what is shown instead is the browser's own.
    Unreachable {
        /// The address that couldn't be reached.
        url: String,
    },
    /// A tab or popup opened.
    NewTab {
        /// Its id, as `tabs list` shows it; empty where it can't be turned to.
        id: String,
        /// Its address.
        url: String,
    },
    /// A file chooser opened.
    FileChooser,
    /// A request began that isn't part of a navigation.
    Requested {
        /// HTTP method.
        method: String,
        /// Address.
        url: String,
    },
    /// The browser held a form back.
    FormHeld {
        /// Role of the first control that kept it from being sent.
        role: String,
        /// Its name.
        name: String,
        /// What the browser says to it.
        message: String,
    },
    /// A window came up.
    WindowOpened {
        /// Its title.
        title: String,
    },
    /// A window went away.
    WindowClosed {
        /// Its title.
        title: String,
    },
    /// The renderer crashed or the tab closed.
    Gone {
        /// Why, in words.
        reason: String,
    },
}

impl Event {
    /// Whether the main document is another one.
    #[must_use]
    pub fn is_new_document(&self) -> bool {
        matches!(
            self,
            Self::Navigated { document: true, .. } | Self::LoadedAgain | Self::WentItself { inside: false, .. }
        )
    }
}

/// Changes to a surface's content that were seen, by what brought them about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Moved {
    /// The gesture: they were made inside its events.
    pub by_input: bool,
    /// The pointer's coming and going alone.
    pub by_motion: bool,
    /// Something after the gesture, of elements that kept still before.
    pub later: bool,
    /// Nothing of the gesture: elements changed that did so before, too, such as clocks.
    pub by_itself: bool,
    /// A script took a part of it elsewhere that the gesture wasn't aimed at.
    pub led: bool,
}

impl Moved {
    /// What was seen at either of two times.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            by_input: self.by_input || other.by_input,
            by_motion: self.by_motion || other.by_motion,
            later: self.later || other.later,
            by_itself: self.by_itself || other.by_itself,
            led: self.led || other.led,
        }
    }
}

/// What brought about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The gesture: it was made inside its events.
    Input,
    /// The pointer's coming and going alone.
    Motion,
    /// Something after the gesture.
    Later,
}

/// Whence what changed after a gesture's events came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whence {
    /// Of what listens for the gesture there: it began the timer, the request or the promise.
    Gesture,
    /// Of what was begun elsewhere, before it or beside it.
    Elsewhere,
    /// The surface was asked, and didn't answer in time.
    Unanswered,
    /// That can't be told.
    #[default]
    Untold,
}

/// A change to a surface's content since a gesture began, as the surface tells it, and not as looks do: of an element that has
/// not gone back to what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutation {
    /// The element, or the nearest around it that looks tell of.
    pub near: Option<NativeId>,
    /// Whether it is that element itself.
    pub own: bool,
    /// Whether it is in what was pressed, where the surface can tell.
    #[serde(default)]
    pub inside: bool,
    /// The element's tag.
    pub tag: String,
    /// `text`, `content`, `caret` (characters before it), `selection`, `selection elsewhere` (than what was pressed), `clipboard`, `menu`, or an attribute's name. Of `class` and `style` the values are the parts that only one side has.
    pub property: String,
    /// Before.
    pub from: String,
    /// Now.
    pub to: String,
    /// What brought it about.
    pub cause: Cause,
}

/// What changed since a gesture began.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stirred {
    /// Elements that changed by themselves, and those that show it: before the gesture too, since the look that it is compared
    /// with may be older. Number 0 of a document stands for all that is in it.
    pub self_changing: std::collections::HashSet<NativeId>,
    /// Elements that changed with the pointer's coming and going or as the focus left, by nothing else that the page tells of, and
    /// those that show it.
    pub with_pointer: std::collections::HashSet<NativeId>,
    /// What else changed, the first of it.
    pub mutations: Vec<Mutation>,
    /// Whether something changed that the surface can't name.
    pub unnamed: bool,
    /// Whether any of that changed inside the gesture's own events.
    pub unnamed_by_input: bool,
    /// Whether a control holds something else that scripts have put in inside the gesture's own events alone, of which no change tells:
    /// not as something was told that it loses the focus.
    pub set_by_input: bool,
    /// Whether a part of it stopped to answer since: nobody can say what changed there.
    pub untold: bool,
    /// Whether something that was begun in the gesture's events is still to come, such as a timer or an answer.
    pub pending: bool,
    /// What was seen of changes by now: some may have come after it had got quiet.
    pub moved: Moved,
    /// All events since the gesture began; empty where the surface tells them only when it settles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
}

/// What was seen from the start of a gesture until the surface was quiet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settled {
    /// What happened.
    pub events: Vec<Event>,
    /// What was seen of changes to the content.
    pub moved: Moved,
    /// Whether it got quiet within the limit.
    pub quiet: bool,
    /// Whether what the gesture went to was too busy by then to say what came of it.
    pub busy: bool,
    /// The document that was asked for since, and isn't there yet: method and address.
    pub awaits: Option<String>,
}

/// What the rules deny: what holds for documents of these origins inside other pages, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DenyRules {
    /// Documents of these origins are neither looked at nor pictured.
    pub reads: DeniedOrigins,
    /// Keys don't go on into documents of these origins.
    pub acts: DeniedOrigins,
    /// No event of a gesture presses what one of these names.
    pub targets: Vec<TargetRule>,
}

/// What can be seen and touched: a browser tab, a desktop window, a recording.
///
/// Every call returns within its own limit; a surface whose other side is gone answers [`crate::Code::Lost`].
#[async_trait]
pub trait Surface: Send {
    /// One raw look.
    async fn capture(&mut self, want: Want) -> Result<Capture, Problem>;
    /// Adds to a capture just taken what the rows of these elements are about, where it left that out. False: it can't be
    /// told without another look, with [`Want::rows`].
    async fn add_rows(&mut self, capture: &mut Capture, of: &[NativeId]) -> Result<bool, Problem> {
        let _ = of;
        Ok(!capture.rows_left)
    }
    /// Facts about one element; none when it or its document is gone. That it is in another tab is a problem.
    async fn probe(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem>;
    /// Elements that match, in reading order over all documents.
    async fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem>;
    /// The deepest element at a place.
    async fn element_at(&mut self, point: crate::Point) -> Result<Option<NativeId>, Problem>;
    /// The same for many places; none where the document there doesn't say.
    async fn elements_at(&mut self, points: &[crate::Point]) -> Result<Vec<Option<NativeId>>, Problem> {
        let mut found = Vec::with_capacity(points.len());
        for point in points {
            found.push(self.element_at(*point).await?);
        }
        Ok(found)
    }
    /// The element that has the keyboard focus: the body where no other has, none where that can't be told.
    async fn focused(&mut self) -> Result<Option<NativeId>, Problem>;
    /// Gives the keyboard to the window that keys go to, where another one has it; whether it is known since what in it has the
    /// focus. Where it isn't, a focus that is seen later may come of this alone.
    async fn take_keyboard(&mut self) -> Result<bool, Problem> {
        Ok(true)
    }
    /// Whether nothing at all listens for a press at this element, nor acts by itself, so that what changes after one isn't its
    /// effect; none where the surface didn't say in time. What has no way to tell isn't deaf.
    async fn is_deaf(&mut self, _id: NativeId) -> Option<bool> {
        Some(false)
    }
    /// Whence what changed after the events of the last gesture came, which was made at this element, or at what has the focus.
    async fn whence(&mut self, _target: Option<NativeId>) -> Whence {
        Whence::Untold
    }
    /// What a press of an element would set off, or keys that go to it: the element, what it lies in and takes the press, the
    /// control that it is a label of, the button that Enter sends its form by. Nothing, when it is gone.
    async fn pressed(&mut self, id: NativeId, _by: PressBy) -> Result<Vec<Pressed>, Problem> {
        Ok(self.probe(id, Aim::default()).await?.iter().map(Pressed::of).collect())
    }
    /// How long the command that begins now may take; none: as long as its steps take. A step that would take longer is a
    /// problem that says what keeps it.
    fn allow(&mut self, _limit: Option<Duration>) {}
    /// By what [`Gesture::Replace`] and [`Gesture::Set`] put text in from here on; none: by what the surface takes for the best.
    async fn input_by(&mut self, method: Option<InputMethod>) -> Result<(), Problem> {
        match method {
            None => Ok(()),
            Some(_) => Err(Problem::new(crate::Code::Unsupported, "this surface puts text in in one way only")
                .hint("handeye input REF TEXT")),
        }
    }
    /// Performs one gesture under a guard. Events are recorded from here on, for [`Surface::settle`].
    async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem>;
    /// Waits until the surface is quiet, at most `limit`, and tells what was seen since the gesture began. What changes later
    /// goes on being noted for another call, until [`Surface::rest`].
    async fn settle(&mut self, limit: Duration) -> Result<Settled, Problem>;
    /// The same without waiting for quiet, where the gesture's own events changed something, and nothing that they began is known
    /// to be under way. None where that isn't so, or can't be told: then [`Surface::settle`] waits.
    async fn answered(&mut self) -> Option<Settled> {
        None
    }
    /// The same again, once nothing has come for `rest` since the gesture was over. None: something has.
    async fn calm(&mut self, rest: Duration) -> Option<Settled> {
        let _ = rest;
        None
    }
    /// What changes from here on comes of no gesture.
    async fn rest(&mut self) {}
    /// Waits until the surface is quiet and nothing that it asked for is under way, at most `limit`; whether it is.
    async fn idle(&mut self, limit: Duration) -> Result<bool, Problem> {
        Ok(self.settle(limit).await?.quiet)
    }
    /// Waits until something changes (a mutation, a navigation, a dialog), at most `limit`; whether it did.
    async fn changed(&mut self, limit: Duration) -> Result<bool, Problem>;
    /// Origin of a document as the surface knows it, `null` for opaque ones; none when it can't tell.
    fn origin(&self, document: DocumentId) -> Option<String>;
    /// What changed since the gesture began: asked after a look, which may show it.
    async fn stirred(&mut self) -> Stirred {
        Stirred { unnamed: true, unnamed_by_input: true, ..Stirred::default() }
    }
    /// What changed since the gesture began, and may have done so by itself: it goes on changing, it was watched for too short a time
    /// before, or what listens for the gesture was done by then. It is watched on as long as that may tell.
    async fn unsure(&mut self) -> std::collections::HashSet<NativeId> {
        std::collections::HashSet::new()
    }
    /// What a rectangle shows, as a number that is the same for the same pixels; none where no picture can be had.
    async fn pixels(&mut self, _area: Rect) -> Option<u64> {
        None
    }
    /// A picture of what it shows now, as PNG: of a page the viewport, of a desktop the current window with what belongs to it.
    async fn picture(&mut self) -> Result<Shot, Problem> {
        Err(Problem::new(crate::Code::Unsupported, "this surface gives no pictures").hint("handeye state"))
    }
    /// Whether a document is of no origin, whatever its address says: one that is sandboxed shares nothing with that origin.
    fn is_opaque(&self, _document: DocumentId) -> bool {
        false
    }
    /// Notices that came up since last asked.
    fn notices(&mut self) -> Vec<Notice>;
    /// Looks, from here on, at what holds this element: an action on a target of a window that isn't the current one is judged
    /// by what that window shows. A surface that shows one thing at a time has nothing to do.
    fn turn_to(&mut self, _id: NativeId) {}
    /// What the rules deny from here on. A surface that shows one origin at a time has nothing to do.
    fn deny(&mut self, _rules: DenyRules) {}
    /// What only a web surface can do.
    fn web(&mut self) -> Option<&mut dyn Web> {
        None
    }
    /// What only a desktop can do.
    fn windows(&mut self) -> Option<&mut dyn Windows> {
        None
    }
    /// Ends it: a browser that was launched for it dies, one that was attached to lives on.
    async fn close(&mut self) -> Result<(), Problem>;
}

/// Makes surfaces: the one place that knows which kinds exist.
#[async_trait]
pub trait Opener: Send + Sync {
    /// A browser tab, launched or attached to as `launch` says.
    async fn browser(&self, launch: &Launch) -> Result<Box<dyn Surface>, Problem>;
    /// The windows of a desktop.
    async fn desktop(&self, _desk: &DesktopConfig) -> Result<Box<dyn Surface>, Problem> {
        Err(Problem::new(crate::Code::Unsupported, "there are no desktop windows here").hint("handeye open URL"))
    }
}
