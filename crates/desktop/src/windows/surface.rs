//! The desktop as a surface: the state it keeps, and its ports.

use super::calls::{self, Fault};
use super::current::{Chosen, Turned};
use super::hands::Hands;
use super::ids::Ids;
use super::seen::{Handle, Seen, contains, root_of};
use super::tree::{Hit, Tree};
use super::trees::Trees;
use super::typing::Held;
use async_trait::async_trait;
use handeye_scene::{
    Aim, Arrange, Backend, Capture, Code, Delivery, Desk, DocumentId, Event, Gesture, Guard, Moved, NativeId, Notice,
    Point, Probe, Problem, Query, Rect, Settled, Shot, ShotArea, Surface, Want, Window, Windows,
};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long nothing may change for the desktop to count as quiet.
const QUIET: Duration = Duration::from_millis(150);
/// How often that is looked at.
const LOOK: Duration = Duration::from_millis(30);
/// How long the dialog may take that three dots in a label promise.
const DIALOG: Duration = Duration::from_secs(4);
/// How long a program may take to answer before it is judged by what it shows.
const PING: Duration = Duration::from_secs(2);

/// The windows of a desktop, on the thread that reaches them.
pub(super) struct Desktop {
    pub(super) tree: Trees,
    pub(super) ids: Ids,
    /// The window that was chosen.
    pub(super) chosen: Option<Chosen>,
    /// The window that a target lies in which is acted on now.
    pub(super) turned: Option<Turned>,
    /// Which windows these were when the call began.
    pub(super) marked: (Option<Chosen>, Option<Turned>),
    /// The windows when the gesture began.
    pub(super) begun: Option<(Vec<Seen>, u64)>,
    /// The window that it went to.
    pub(super) acted_in: Option<Handle>,
    /// Whether what it went to promises a dialog.
    pub(super) promises: bool,
    /// What is kept down between commands.
    pub(super) held: Vec<Held>,
    /// The window that the next gesture must hit.
    pub(super) held_to: Option<Handle>,
    /// What things looked like when a change was last asked for.
    last: u64,
}

/// Windows of one Windows desktop.
struct Screen {
    hands: Hands,
    notices: Vec<Notice>,
    /// Processes of the documents that were shown.
    origins: HashMap<DocumentId, String>,
}

/// Opens the desktop.
pub async fn open(desk: &Desk) -> Result<Box<dyn Surface>, Problem> {
    let asked = desk.backend;
    let (told, tells) = mpsc::channel();
    let hands = Hands::start(move || {
        // One that was set before, or a system that has no such thing, changes nothing.
        let _ = calls::be_aware_of_scaling();
        let (tree, notice) = Trees::open(asked);
        // Nobody waits for it once the limit has passed.
        let _ = told.send(notice);
        Desktop::new(tree)
    })
    .await?;
    let notices: Vec<Notice> = tells.try_recv().ok().flatten().into_iter().collect();
    if asked == Some(Backend::Uia)
        && let Some(notice) = notices.first()
    {
        return Err(Problem::new(Code::Unavailable, notice.text.clone()).hint("handeye open desktop:"));
    }
    Ok(Box::new(Screen { hands, notices, origins: HashMap::new() }))
}

impl Desktop {
    fn new(tree: Trees) -> Self {
        Self {
            tree,
            ids: Ids::default(),
            chosen: None,
            turned: None,
            marked: (None, None),
            begun: None,
            acted_in: None,
            promises: false,
            held: Vec::new(),
            held_to: None,
            last: 0,
        }
    }

    /// Every window, the topmost first, popups among them.
    pub(super) fn seen(&self) -> Vec<Seen> {
        calls::top_windows()
    }

    /// Notes how things are as a gesture begins that goes to this window, if to any.
    pub(super) fn begin(&mut self, into: Option<Handle>) {
        self.acted_in = into;
        let content = self.content(into);
        self.begun = Some((self.seen(), content));
    }

    /// A number that is another one when a control of a window is. Where the window lies, what in it has the keyboard, and how a
    /// default button is framed for that, is no part of it: a click changes that, whatever comes of it.
    fn content(&self, window: Option<Handle>) -> u64 {
        let mut hash = DefaultHasher::new();
        let told = window.or_else(calls::in_front).and_then(|w| Some((w, calls::traits(w)?)));
        let Some((window, told)) = told else { return 0 };
        let within = |r: Rect| [r.x - told.rect.x, r.y - told.rect.y, r.width, r.height].map(|n| n as i64);
        let (below, _) = calls::children(window);
        for control in below {
            let told = calls::traits(control).map(|t| (t.enabled, within(t.rect), t.shows));
            (control, told, calls::caption(control)).hash(&mut hash);
        }
        hash.finish()
    }

    /// The same of everything that can be seen of windows without asking more.
    fn print(&self, inside: Option<Handle>) -> u64 {
        let mut hash = DefaultHasher::new();
        for window in self.seen() {
            let rect = [window.rect.x, window.rect.y, window.rect.width, window.rect.height].map(|n| n as i64);
            let told = (window.handle, window.title, window.focused, window.minimised, window.enabled, rect);
            told.hash(&mut hash);
        }
        let thread = inside.or_else(calls::in_front).and_then(calls::traits).map(|t| t.thread);
        let focus = thread.and_then(calls::focus_in);
        // One that doesn't answer shows nothing new.
        let text = focus.and_then(|f| calls::text(f, 2000).ok());
        (focus, text, self.content(inside)).hash(&mut hash);
        hash.finish()
    }

    /// Waits until nothing changed for a while and the program answers; whether it got quiet.
    fn quiet(&mut self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        if let Some(window) = self.acted_in.filter(|w| calls::is_there(*w)) {
            // What it comes to is seen by the look that follows.
            let _ = calls::answers(window, limit.min(PING));
        }
        let mut last = self.print(self.acted_in);
        let mut since = Instant::now();
        while since.elapsed() < QUIET {
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(LOOK);
            let now = self.print(self.acted_in);
            if now != last {
                (last, since) = (now, Instant::now());
            }
        }
        true
    }

    fn settle(&mut self, limit: Duration) -> Settled {
        let mut quiet = self.quiet(limit);
        let Some((before, content)) = self.begun.clone() else {
            return Settled { quiet, ..Settled::default() };
        };
        let mut after = self.seen();
        if std::mem::take(&mut self.promises) {
            let deadline = Instant::now() + DIALOG;
            while without(&after, &before).next().is_none() && Instant::now() < deadline {
                std::thread::sleep(LOOK);
                after = self.seen();
            }
            quiet = self.quiet(limit);
            after = self.seen();
        }
        let moved = Moved { later: self.content(self.acted_in) != content, ..Moved::default() };
        let opened = without(&after, &before).map(|w| Event::WindowOpened { title: w.title.clone() });
        let closed = without(&before, &after).map(|w| Event::WindowClosed { title: w.title.clone() });
        Settled { events: opened.chain(closed).collect(), moved, quiet, ..Settled::default() }
    }

    fn changed(&mut self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let mut before = self.last;
        loop {
            let now = self.print(None);
            self.last = now;
            if before != 0 && now != before {
                return true;
            }
            before = now;
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(left.min(LOOK));
        }
    }

    /// The element that has the keyboard, if it is in the current window or one that belongs to it: what is typed goes there.
    fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        let seen = self.seen();
        let Some(front) = seen.iter().find(|w| w.focused).cloned() else { return Ok(None) };
        let current = self.current_of(&seen)?;
        if root_of(&seen, &front) != root_of(&seen, current) && front.thread != current.thread {
            return Ok(None);
        }
        let whole = self.whole(&seen, &front)?;
        let document = self.ids.document(&front);
        let has = |n: &&handeye_scene::Node| n.states.has(handeye_scene::State::Focused) && n.document == document;
        Ok(whole.nodes.iter().rfind(has).and_then(|n| n.id))
    }

    /// The smallest element at a place, of the window that a pointer would hit there.
    fn element_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        let seen = self.seen();
        let top = calls::window_at(point).and_then(calls::own_window);
        let Some(window) = top.and_then(|t| seen.iter().find(|w| w.handle == t)).cloned() else { return Ok(None) };
        let whole = self.whole(&seen, &window)?;
        let document = self.ids.document(&window);
        let holds = |n: &&handeye_scene::Node| {
            n.id.is_some() && n.document == document && n.rect.width > 0.0 && contains(n.rect, point)
        };
        let area = |n: &&handeye_scene::Node| n.rect.width * n.rect.height;
        let mut found: Vec<&handeye_scene::Node> = whole.nodes.iter().filter(holds).collect();
        found.sort_by(|a, b| area(a).total_cmp(&area(b)));
        // Rectangles go on where nothing is shown of them: what the pointer would hit there is asked for.
        for id in found.into_iter().filter_map(|n| n.id) {
            let Some((window, key)) = self.found(id) else { continue };
            match self.tree.hit(&window, &key, point) {
                Ok(Hit::Own) => return Ok(Some(id)),
                Ok(Hit::Other(_)) | Err(Fault::Gone) => {}
                Err(fault) => return Err(fault.problem("tell what is there")),
            }
        }
        Ok(None)
    }
}

/// The windows of one list that aren't in another.
fn without<'a>(these: &'a [Seen], those: &'a [Seen]) -> impl Iterator<Item = &'a Seen> {
    these.iter().filter(|w| !w.popup && !those.iter().any(|o| o.handle == w.handle))
}

pub(super) fn problem(doing: &str) -> impl FnOnce(Fault) -> Problem + '_ {
    move |fault| fault.problem(doing)
}

#[async_trait]
impl Surface for Screen {
    async fn capture(&mut self, want: Want) -> Result<Capture, Problem> {
        let capture = self.hands.run(move |desktop| desktop.look(want)).await?;
        let processes = capture.documents.iter().map(|d| (d.id, d.origin.clone()));
        self.origins.extend(processes);
        Ok(capture)
    }

    async fn probe(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        self.hands.run(move |desktop| desktop.examine(id, aim)).await
    }

    async fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
        let query = query.clone();
        self.hands.run(move |desktop| desktop.search(&query)).await
    }

    async fn element_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        self.hands.run(move |desktop| desktop.element_at(point)).await
    }

    async fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        self.hands.run(Desktop::focused).await
    }

    async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        let (gesture, guard) = (gesture.clone(), guard.clone());
        let limit = super::hands::LIMIT + super::gestures::takes(&gesture);
        self.hands
            .run_within(limit, move |desktop| {
                let delivery = desktop.gesture(&gesture, &guard);
                desktop.held_to = None;
                delivery
            })
            .await
    }

    async fn settle(&mut self, limit: Duration) -> Result<Settled, Problem> {
        self.hands.run_within(limit + super::hands::LIMIT, move |desktop| Ok(desktop.settle(limit))).await
    }

    async fn rest(&mut self) {
        let over = |desktop: &mut Desktop| {
            (desktop.begun, desktop.acted_in, desktop.promises) = (None, None, false);
            Ok(())
        };
        let _ = self.hands.run(over).await;
    }

    async fn changed(&mut self, limit: Duration) -> Result<bool, Problem> {
        self.hands.run_within(limit + super::hands::LIMIT, move |desktop| Ok(desktop.changed(limit))).await
    }

    fn origin(&self, document: DocumentId) -> Option<String> {
        self.origins.get(&document).map(|process| format!("desktop:{process}"))
    }

    fn notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    fn turn_to(&mut self, id: NativeId) {
        self.hands.tell(move |desktop| desktop.turned = Some(Turned::to(id.document())));
    }

    fn windows(&mut self) -> Option<&mut dyn Windows> {
        Some(self)
    }

    async fn close(&mut self) -> Result<(), Problem> {
        // What was launched lives on, as it would when started by hand: it may hold unsaved work.
        self.hands.run(Desktop::let_go).await
    }
}

#[async_trait]
impl Windows for Screen {
    async fn list(&mut self) -> Result<Vec<Window>, Problem> {
        self.hands.run(|desktop| Ok(desktop.list())).await
    }

    async fn look_by(&mut self, backend: Option<Backend>) -> Result<(), Problem> {
        self.hands.run(move |desktop| desktop.tree.look_by(backend)).await
    }

    fn choose(&mut self, id: Option<&str>) {
        let handle = id.and_then(|id| id.parse::<Handle>().ok());
        self.hands.tell(move |desktop| {
            desktop.turned = None;
            desktop.chosen = handle.map(Chosen::of);
        });
    }

    fn mark(&mut self) {
        self.hands.tell(|desktop| desktop.marked = (desktop.chosen.clone(), desktop.turned));
    }

    fn go_back(&mut self) {
        self.hands.tell(|desktop| (desktop.chosen, desktop.turned) = desktop.marked.clone());
    }

    async fn leave_lost(&mut self) -> Result<(), Problem> {
        let left = self.hands.run(Desktop::leave_lost).await?;
        self.notices.extend(left.map(|text| Notice::new("other_window", text)));
        Ok(())
    }

    async fn current(&mut self) -> Result<Window, Problem> {
        self.hands.run(|desktop| Ok(super::desk::told(&desktop.current()?))).await
    }

    async fn activate(&mut self, id: &str) -> Result<Window, Problem> {
        let id = id.to_owned();
        self.hands.run(move |desktop| desktop.activate(&id)).await
    }

    async fn hold_to(&mut self, id: &str, at: Option<Point>) -> Result<(), Problem> {
        let id = id.to_owned();
        self.hands.run(move |desktop| desktop.hold_to(&id, at)).await
    }

    async fn launch(&mut self, program: &str, args: &[String], limit: Duration) -> Result<Option<Window>, Problem> {
        let (program, args) = (program.to_owned(), args.to_vec());
        let within = limit + super::hands::LIMIT;
        self.hands.run_within(within, move |desktop| desktop.launch(&program, &args, limit)).await
    }

    async fn close_window(&mut self, id: &str, limit: Duration) -> Result<bool, Problem> {
        let id = id.to_owned();
        self.hands.run_within(limit + super::hands::LIMIT, move |desktop| desktop.close(&id, limit)).await
    }

    async fn arrange(&mut self, id: &str, to: Arrange) -> Result<Window, Problem> {
        let id = id.to_owned();
        self.hands.run(move |desktop| desktop.arrange(&id, to)).await
    }

    async fn screenshot(&mut self, area: ShotArea) -> Result<Shot, Problem> {
        self.hands.run(move |desktop| desktop.shoot(area)).await
    }

    async fn text(&mut self, of: NativeId) -> Result<String, Problem> {
        self.hands.run(move |desktop| desktop.text(of)).await
    }

    async fn clipboard(&mut self) -> Result<String, Problem> {
        self.hands.run(|_| calls::clipboard().map_err(problem("read the clipboard"))).await
    }

    async fn set_clipboard(&mut self, text: &str) -> Result<(), Problem> {
        let text = text.to_owned();
        self.hands.run(move |_| calls::set_clipboard(&text).map_err(problem("set the clipboard"))).await
    }
}
