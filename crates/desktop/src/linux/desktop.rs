//! A Linux desktop: the two connections, what is known by them, and what each part of the work keeps from one call to the next.

use crate::failsafe::Failsafe;
use crate::linux::atspi::apps::{App, Apps};
use crate::linux::atspi::bus::{Bus, Unanswered};
use crate::linux::atspi::ids::{Ids, Tree};
use crate::linux::capture::ancestry::Lines;
use crate::linux::capture::capture_cache::CaptureCache;
use crate::linux::capture::doubted_cells::Sorting;
use crate::linux::input::state::GestureState;
use crate::linux::windows::current_window::CurrentWindow;
use crate::linux::windows::window_list::{self, Seen, process};
use crate::linux::x11::display::Display;
use handeye_scene::{Code, DesktopConfig, NativeId, Notice, Problem, Surroundings};

/// A Linux desktop.
pub(crate) struct Desktop {
    pub(crate) config: DesktopConfig,
    pub(crate) bus: Bus,
    pub(crate) display: Display,
    pub(crate) apps: Apps,
    pub(crate) ids: Ids,
    /// Which window commands look at.
    pub(crate) current: CurrentWindow,
    pub(crate) notices: Vec<Notice>,
    /// What was read of apps, to be used again.
    pub(crate) cache: CaptureCache,
    /// Tables that are clicked on, and cells that may tell what they said before.
    pub(crate) sorting: Sorting,
    /// What the target of a gesture lies in.
    pub(crate) lines: Lines,
    /// What is known of the gesture that is made, and of the last one.
    pub(crate) gesture: GestureState,
    /// Where the next program is started from.
    pub(crate) surroundings: Surroundings,
}

impl Desktop {
    /// Opens the desktop.
    pub(crate) async fn open(desk: &DesktopConfig) -> Result<Self, Problem> {
        if desk.display.is_none() && desk.wayland.is_some() {
            return Err(Problem::new(
                Code::Unsupported,
                "this is a Wayland desktop without XWayland: windows have no global places there, and no input can be sent",
            )
            .hint("start the desktop's Xorg session, or XWayland, so that DISPLAY is set"));
        }
        let display = Display::connect(desk.display.clone()).await?;
        let failsafe = desk.failsafe;
        display.post(move |side| {
            side.server.failsafe = Failsafe::new(failsafe);
            Ok(())
        });
        let bus = Bus::connect(desk.bus.as_deref()).await?;
        let mut notices = Vec::new();
        if desk.wayland.is_some() {
            notices.push(Notice::new(
                "wayland",
                "only windows that run under XWayland are listed and reached; start apps with GDK_BACKEND=x11 or QT_QPA_PLATFORM=xcb",
            ));
        }
        Ok(Self {
            config: desk.clone(),
            bus,
            display,
            apps: Apps::default(),
            ids: Ids::default(),
            current: CurrentWindow::default(),
            notices,
            cache: CaptureCache::default(),
            sorting: Sorting::default(),
            lines: Lines::default(),
            gesture: GestureState::default(),
            surroundings: Surroundings::default(),
        })
    }

    /// Every window, the topmost first, popups among them.
    pub(crate) async fn seen(&self) -> Result<Vec<Seen>, Problem> {
        let seen = self.display.run(|side| window_list::list(&side.server)).await;
        seen.map_err(|e| e.problem("list the windows"))
    }

    /// The window that commands look at, out of all.
    pub(crate) fn current_of<'a>(&mut self, seen: &'a [Seen]) -> Result<&'a Seen, Problem> {
        self.current.of(seen)
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

    /// Why an app didn't answer, of which a dialog may be open: GTK 3 doesn't while an accessible action of its waits for one.
    /// Keys are of no use then: it tells of each before it takes it, and is not heard.
    pub(crate) fn unanswered_of(&self, why: Unanswered, pid: u32, members: &[&Seen]) -> Problem {
        let late = why == Unanswered::Late;
        let mut problem = self.unanswered(why, pid);
        if let Some(dialog) = members.iter().find(|w| w.modal && w.pid == pid && late) {
            problem.message.push_str(&format!("; it waits for its dialog {:?}", dialog.title));
            problem = problem.hint(format!("handeye close --window {}", dialog.handle()));
        }
        problem
    }

    /// The place of a document's window tree, and its window.
    pub(crate) fn tree_of(&self, id: NativeId) -> Result<Tree, Problem> {
        self.ids
            .tree(id.document())
            .cloned()
            .ok_or_else(|| Problem::new(Code::Stale, "its window is gone").hint("handeye state"))
    }

    /// Finds the accessibility bus again, if it was lost. What was known by the old one is gone.
    pub(crate) async fn find_bus(&mut self) -> Result<(), Problem> {
        if self.bus.is_lost() {
            self.bus = Bus::connect(self.config.bus.as_deref()).await?;
            self.apps = Apps::default();
            self.cache.clear();
            self.notices.push(Notice::new(
                "bus",
                "the accessibility bus is another one now: apps that were started before may show no tree",
            ));
        }
        Ok(())
    }
}
