//! The desktop as a surface: the state it keeps, and its ports.

use super::apps::{App, Apps};
use super::bus::{Bus, Place, Unanswered};
use super::coming::COMING;
use super::display::{Display, Fault};
use super::ids::Ids;
use super::kept::Kept;
use super::rest::{CLOSED, QUIET, Rest};
use super::whose::{Begun, without};
use super::windows::{Seen, process};
use async_trait::async_trait;
use handeye_scene::{
    Aim, Capture, Code, Delivery, Desk, DocumentId, Gesture, Guard, NativeId, Notice, Point, Probe, Problem, Query,
    QueryBy, Settled, Surface, Surroundings, Want, Windows,
};
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::Window;

/// How long the dialog may take that three dots in a label promise, as every toolkit's guidelines have it.
const DIALOG: Duration = Duration::from_secs(4);
/// How often one that is promised is looked for at least, and one that is about to come up.
const PROMISED: Duration = Duration::from_millis(150);
const LOOK: Duration = Duration::from_millis(20);
/// How long an app may take to read its input before it is judged by what it shows.
const PING: Duration = Duration::from_secs(2);

/// The windows of a Linux desktop.
pub(crate) struct Linux {
    pub(crate) desk: Desk,
    pub(crate) bus: Bus,
    pub(crate) display: Display,
    pub(crate) apps: Apps,
    pub(crate) ids: Ids,
    /// The window that was chosen, and the one that it belongs to: a dialog's.
    pub(crate) chosen: Option<(Window, Window)>,
    /// The window that a target lies in which is acted on now.
    pub(crate) turned: Option<Turned>,
    /// Which windows these were when the call began.
    pub(crate) marked: Looks,
    pub(crate) notices: Vec<Notice>,
    /// What was read of apps, to be used again.
    pub(crate) kept: Kept,
    /// A table whose heading is clicked, as it was before.
    pub(crate) sorting: Option<super::sorted::Before>,
    /// Cells that may tell what they said before.
    pub(crate) doubted: super::sorted::Doubted,
    /// What the target of a gesture lies in.
    pub(crate) lines: super::hit::Lines,
    /// What there was when the gesture began.
    begun: Option<Begun>,
    /// The app that the gesture went to.
    pub(crate) acted_on: Option<Place>,
    /// The window that it went to.
    pub(crate) acted_in: Option<Window>,
    /// The children of the root that the next gesture may hit; none: any.
    pub(crate) held_to: Vec<Window>,
    /// Whether what the gesture went to promises a dialog.
    pub(crate) promises: bool,
    /// Where the next program is started from.
    pub(crate) surroundings: Surroundings,
    /// When and where the last click was made.
    pub(crate) clicked: super::apart::LastClick,
}

/// The window that was chosen with the one that it belongs to, and the one that was turned to.
pub(crate) type Looks = (Option<(Window, Window)>, Option<Turned>);

/// A window that was turned to since a target lies in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turned {
    pub(crate) window: Window,
    /// What it was when it was looked at: the window that it belongs to, and its process. A popup comes and goes.
    seen: Option<(Window, u32)>,
}

impl Turned {
    pub(crate) fn to(window: Window) -> Self {
        Self { window, seen: None }
    }
}

/// Opens the desktop.
pub async fn open(desk: &Desk) -> Result<Box<dyn Surface>, Problem> {
    if desk.display.is_none() && desk.wayland.is_some() {
        return Err(Problem::new(
            Code::Unsupported,
            "this is a Wayland desktop without XWayland: windows have no global places there, and no input can be sent",
        )
        .hint("start the desktop's Xorg session, or XWayland, so that DISPLAY is set"));
    }
    let display = Display::connect(desk.display.clone()).await?;
    let bus = Bus::connect(desk.bus.as_deref()).await?;
    let mut notices = Vec::new();
    if desk.wayland.is_some() {
        notices.push(Notice::new(
            "wayland",
            "only windows that run under XWayland are listed and reached; start apps with GDK_BACKEND=x11 or QT_QPA_PLATFORM=xcb",
        ));
    }
    Ok(Box::new(Linux {
        desk: desk.clone(),
        bus,
        display,
        apps: Apps::default(),
        ids: Ids::default(),
        chosen: None,
        turned: None,
        marked: (None, None),
        notices,
        kept: Kept::default(),
        sorting: None,
        doubted: super::sorted::Doubted::default(),
        lines: super::hit::Lines::default(),
        begun: None,
        acted_on: None,
        acted_in: None,
        held_to: Vec::new(),
        clicked: super::apart::LastClick::default(),
        promises: false,
        surroundings: Surroundings::default(),
    }))
}

impl Linux {
    /// Every window, the topmost first, popups among them.
    pub(crate) async fn seen(&self) -> Result<Vec<Seen>, Problem> {
        let seen = self.display.run(|side| side.windows()).await;
        seen.map_err(|e| e.problem("list the windows"))
    }

    /// The window that commands look at, out of all.
    pub(crate) fn current_of<'a>(&mut self, seen: &'a [Seen]) -> Result<&'a Seen, Problem> {
        let find = |id: Window| seen.iter().find(|w| w.id == id);
        let managed = || seen.iter().filter(|w| !w.popup);
        // What was chosen stays so, though it is gone: nothing goes to another window until one is chosen anew.
        let chosen = self.chosen.map(|(window, owner)| (window, find(window).or_else(|| find(owner))));
        if let Some(turned) = &mut self.turned {
            if let Some(window) = find(turned.window) {
                turned.seen = (!window.popup).then(|| (super::sight::root_of(seen, window), window.pid));
                if let Some((_, None)) = chosen {
                    self.chosen = Some((window.id, window.id));
                }
                return Ok(window);
            }
            if let Some((owner, pid)) = turned.seen {
                let of_it = |w: &&Seen| pid != 0 && w.pid == pid;
                let sibling = || managed().filter(of_it).find(|w| w.focused).or_else(|| managed().find(of_it));
                let chosen = chosen.and_then(|(_, found)| found).filter(of_it);
                return find(owner).or(chosen).or_else(sibling).ok_or_else(|| closed(turned.window));
            }
        }
        if let Some((window, found)) = chosen {
            return found.ok_or_else(|| closed(window));
        }
        managed().find(|w| w.focused).or_else(|| managed().find(|w| w.is_shown())).ok_or_else(|| {
            let what = match managed().count() {
                0 => "no window is open",
                _ => "no window is shown: those that are open are minimised, or on other workspaces",
            };
            Problem::new(Code::NotFound, what).hint("handeye launch APP").hint("handeye windows")
        })
    }

    /// The app of a window: none where it shows no tree.
    pub(crate) async fn apps_of(&mut self, pid: u32) -> Result<Vec<App>, Problem> {
        self.apps.of(&self.bus, pid).await.map_err(|e| self.unanswered(e, pid))
    }

    /// Why an app didn't answer, as a problem.
    pub(crate) fn unanswered(&self, why: Unanswered, pid: u32) -> Problem {
        let name = process(pid);
        let name = if name.is_empty() { "the app".to_owned() } else { format!("{name} (pid {pid})") };
        match why {
            _ if self.bus.is_lost() => Problem::new(Code::Lost, "the accessibility bus is gone")
                .hint("handeye sessions list")
                .hint("handeye doctor"),
            Unanswered::Late => {
                Problem::new(Code::Timeout, format!("{name} doesn't answer: it is busy, stopped or hung"))
                    .hint("handeye windows")
                    .hint("handeye screenshot window.png")
            }
            Unanswered::Gone | Unanswered::Lost => {
                Problem::new(Code::Lost, format!("{name} is gone")).hint("handeye windows")
            }
        }
    }

    /// Looks at an element that a gesture is about to be made on, as it is now.
    pub(crate) async fn begin(&mut self) -> Result<Vec<Seen>, Problem> {
        self.find_bus().await?;
        let seen = self.seen().await?;
        self.refuse_if_locked(&seen).await?;
        // Not every toolkit tells of all that input changes.
        self.kept.clear();
        let mut known = self.display.run(|side| side.children()).await.map_err(|e| e.problem("list the windows"))?;
        // A window that is hidden becomes a child of the root again.
        known.extend(seen.iter().map(|w| w.id));
        self.begun = Some(Begun { seen: seen.clone(), told: self.bus.told(), known });
        Ok(seen)
    }

    /// Finds the accessibility bus again, if it was lost. What was known by the old one is gone.
    pub(crate) async fn find_bus(&mut self) -> Result<(), Problem> {
        if self.bus.is_lost() {
            self.bus = Bus::connect(self.desk.bus.as_deref()).await?;
            self.apps = Apps::default();
            self.kept.clear();
            self.notices.push(Notice::new(
                "bus",
                "the accessibility bus is another one now: apps that were started before may show no tree",
            ));
        }
        Ok(())
    }

    /// A screen that is locked takes no input: a window lies over all of it and holds the keyboard.
    async fn refuse_if_locked(&self, seen: &[Seen]) -> Result<(), Problem> {
        let fault = |e: Fault| e.problem("tell who has the keyboard");
        let popups: Vec<&Seen> = seen.iter().filter(|w| w.popup).collect();
        if popups.is_empty() {
            return Ok(());
        }
        let screen = self.display.run(|side| side.screen()).await.map_err(fault)?;
        let over_all = |w: &&&Seen| {
            let right = w.outer.x + w.outer.width >= screen.x + screen.width;
            let down = w.outer.y + w.outer.height >= screen.y + screen.height;
            w.outer.x <= screen.x && w.outer.y <= screen.y && right && down
        };
        let Some(lock) = popups.iter().find(over_all) else { return Ok(()) };
        if !self.display.run(|side| side.is_keyboard_held()).await.map_err(fault)? {
            return Ok(());
        }
        let name = super::probe::as_cover(lock).name;
        Err(Problem::new(
            Code::Blocked,
            format!("the screen is locked: {name:?} lies over all of it and takes all input"),
        )
        .hint("handeye screenshot screen.png --full"))
    }
}

fn closed(window: Window) -> Problem {
    Problem::new(Code::Lost, format!("the window {window:#x} is closed")).hint("handeye windows").hint("handeye state")
}

#[async_trait]
impl Surface for Linux {
    async fn capture(&mut self, want: Want) -> Result<Capture, Problem> {
        self.look(want).await
    }

    async fn probe(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        self.examine(id, aim).await
    }

    async fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
        match query.by {
            QueryBy::TestId | QueryBy::AutomationId => self.by_accessible_id(&query.text).await,
            QueryBy::Class => self.by_class(&query.text).await,
            QueryBy::Xpath | QueryBy::Css => Err(Problem::new(
                Code::Unsupported,
                format!("`{}` can't be looked up: windows have neither XPaths nor CSS", query.text),
            )
            .hint("handeye find --role button --name NAME")),
        }
    }

    async fn element_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        self.innermost_at(point).await
    }

    async fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        self.has_keyboard().await
    }

    async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        let delivery = self.gesture(gesture, guard).await;
        self.held_to.clear();
        delivery
    }

    async fn settle(&mut self, limit: Duration) -> Result<Settled, Problem> {
        let Some(Begun { seen: before, told, known }) = self.begun.clone() else {
            let rest = self.wait_until_quiet(QUIET, limit).await;
            return Ok(Settled { quiet: rest == Rest::Quiet, ..Settled::default() });
        };
        let acted_in = self.acted_in;
        if let Some(window) = acted_in {
            self.has_read(window, limit.min(PING)).await;
        }
        // What comes of a menu's item comes once the menu is closed.
        let acted = acted_in.and_then(|window| before.iter().find(|w| w.id == window && !w.popup));
        let least = match acted {
            Some(window) if self.seen().await?.iter().all(|w| w.id != window.id) => CLOSED,
            _ => QUIET,
        };
        let mut rest = self.wait_until_quiet(least, limit).await;
        let mut after = self.seen().await?;
        let promised = std::mem::take(&mut self.promises);
        let deadline = Instant::now() + if promised { DIALOG } else { COMING };
        let mut waited = promised;
        while without(&after, &before).next().is_none()
            && (promised || self.is_any_coming_since(&known, acted_in).await?)
            && Instant::now() < deadline
        {
            self.bus.next_event(if promised { PROMISED } else { LOOK }).await;
            after = self.seen().await?;
            waited = true;
        }
        if waited {
            rest = self.wait_until_quiet(QUIET, limit).await;
            after = self.seen().await?;
        }
        self.check_table().await;
        let pid = acted_in.and_then(|window| before.iter().find(|w| w.id == window)).map(|w| w.pid).filter(|p| *p > 0);
        let events = self.came_and_went(pid, &before, &after);
        let moved = self.has_moved(self.acted_on.as_ref(), &told);
        Ok(Settled { events, moved, quiet: rest == Rest::Quiet, busy: rest == Rest::Busy })
    }

    async fn rest(&mut self) {
        (self.begun, self.acted_in, self.acted_on, self.promises) = (None, None, None, false);
    }

    async fn changed(&mut self, limit: Duration) -> Result<bool, Problem> {
        Ok(self.bus.next_event(limit).await)
    }

    fn origin(&self, document: DocumentId) -> Option<String> {
        self.ids.tree(document).map(|tree| format!("desktop:{}", process(tree.pid)))
    }

    fn notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    fn turn_to(&mut self, id: NativeId) {
        self.turned = self.ids.tree(id.document()).and_then(|t| t.window).map(Turned::to);
    }

    fn windows(&mut self) -> Option<&mut dyn Windows> {
        Some(self)
    }

    async fn close(&mut self) -> Result<(), Problem> {
        // What was launched lives on, as it would when started by hand: it may hold unsaved work.
        match self.display.run(|side| side.put_back()).await {
            Ok(()) | Err(Fault::Lost) => Ok(()),
            Err(fault) => Err(fault.problem("restore the keyboard")),
        }
    }
}
