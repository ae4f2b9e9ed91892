//! The port of what only a desktop can do.

use crate::{Mark, NativeId, Point, Problem, Rect, Shot, ShotArea};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// By what the windows of a Windows desktop are looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// UI Automation: every kind of control.
    Uia,
    /// Window messages: Win32's own controls.
    Win32,
}

/// Which desktop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DesktopConfig {
    /// The X display, such as `:0`.
    pub display: Option<String>,
    /// Address of the session's message bus.
    pub bus: Option<String>,
    /// The Wayland display, where there is one.
    pub wayland: Option<String>,
    /// By what windows are looked into on Windows; UI Automation where that can start, unless this says otherwise.
    pub backend: Option<Backend>,
    /// Whether a person who puts the pointer into a corner of the screen stops the command that runs, before it sends more input.
    pub failsafe: bool,
}

/// One top-level window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// Its handle, as `--window` takes it, such as `0x1400003`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Name of its process.
    pub process: String,
    /// Process id; 0 when it doesn't tell.
    pub pid: u32,
    /// Where it is, in pixels of the screen.
    pub rect: Rect,
    /// Whether it has the keyboard.
    pub focused: bool,
    /// Whether it is minimised.
    pub minimised: bool,
    /// The workspace that it is on, counted from 1, where that isn't the one that is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<u32>,
}

/// Where a program is started from; what isn't told is the daemon's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The working folder.
    pub folder: Option<std::path::PathBuf>,
    /// All of its environment.
    pub environment: Option<BTreeMap<String, String>>,
}

/// What to do with a window's place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrange {
    /// Minimise it.
    Minimise,
    /// Let it fill the screen.
    Maximise,
    /// Bring it back to its own size and place.
    Restore,
    /// Put its top left corner there.
    Move(i32, i32),
    /// Give it this width and height.
    Resize(u32, u32),
}

/// What only a desktop can do. Limits are upper bounds on the wait.
#[async_trait]
pub trait Windows: Send {
    /// Has the looks of this call made by one of several interfaces, where there are several; none: by the usual one.
    async fn look_by(&mut self, backend: Option<Backend>) -> Result<(), Problem> {
        match backend {
            None => Ok(()),
            Some(_) => {
                let what = "only the windows of Windows can be looked into in more than one way";
                Err(Problem::new(crate::Code::Unsupported, what).hint("handeye state"))
            }
        }
    }
    /// Every window, the topmost first.
    async fn list(&mut self) -> Result<Vec<Window>, Problem>;
    /// The window that commands look at from here on; none: the one that has the keyboard.
    fn choose(&mut self, id: Option<&str>);
    /// Takes note of which window commands look at.
    fn mark(&mut self) {}
    /// Has commands look at the window again that was noted.
    fn go_back(&mut self) {}
    /// If the window that commands look at is gone, has them look at the one that has the keyboard, and says so by a notice.
    async fn leave_lost(&mut self) -> Result<(), Problem> {
        Ok(())
    }
    /// The window that commands look at.
    async fn current(&mut self) -> Result<Window, Problem>;
    /// Raises a window and gives it the keyboard.
    async fn activate(&mut self, id: &str) -> Result<Window, Problem>;
    /// Refuses a place (none: where the pointer is) at which something else than this window, or what belongs to it, would be
    /// hit. The next gesture is held to it where the surface can do that.
    async fn hold_to(&mut self, id: &str, at: Option<Point>) -> Result<(), Problem> {
        let Some(at) = at else { return Ok(()) };
        let holds = |r: &Rect| at.x >= r.x && at.y >= r.y && at.x < r.x + r.width && at.y < r.y + r.height;
        let listed = self.list().await?;
        match listed.iter().find(|w| !w.minimised && holds(&w.rect)) {
            Some(there) if there.id == id => Ok(()),
            there => Err(not_there(at, there.map_or("nothing", |w| &w.title))),
        }
    }
    /// Where programs are started from, from here on.
    fn start_in(&mut self, _surroundings: Surroundings) {}
    /// Starts a program, and returns the window that came up within `limit`, if one did; or the one by which a program answered
    /// that ran already.
    async fn launch(&mut self, program: &str, args: &[String], limit: Duration) -> Result<Option<Window>, Problem>;
    /// Asks a window to close, as its close button does; whether it was gone within `limit`.
    async fn close_window(&mut self, id: &str, limit: Duration) -> Result<bool, Problem>;
    /// Puts a window somewhere; how it is then.
    async fn arrange(&mut self, id: &str, to: Arrange) -> Result<Window, Problem>;
    /// Takes a picture: of the current window, of the whole screen ([`ShotArea::FullPage`]) or of a rectangle.
    async fn screenshot(&mut self, area: ShotArea) -> Result<Shot, Problem>;
    /// The whole text of an element.
    async fn text(&mut self, of: NativeId) -> Result<String, Problem>;
    /// Every value that the interfaces of an element tell beside [`crate::Texts::value`], with what tells it, the most direct first.
    async fn values(&mut self, _of: NativeId) -> Result<Vec<(String, String)>, Problem> {
        Ok(Vec::new())
    }
    /// Shows marks over the screen until they are hidden. Input passes through them; none outlives the surface.
    async fn show_marks(&mut self, _marks: &[Mark]) -> Result<(), Problem> {
        Err(Problem::new(crate::Code::Unsupported, "this desktop can't show marks").hint("handeye screenshot"))
    }
    /// Takes the marks away.
    async fn hide_marks(&mut self) -> Result<(), Problem> {
        Ok(())
    }
    /// The text on the clipboard.
    async fn clipboard(&mut self) -> Result<String, Problem>;
    /// Puts text on the clipboard.
    async fn set_clipboard(&mut self, text: &str) -> Result<(), Problem>;
}

/// What is said where another window than the one that was named would be hit.
pub fn not_there(at: Point, there: &str) -> Problem {
    let text = format!("at {},{} lies {there:?}, not the window that was named", at.x, at.y);
    Problem::new(crate::Code::Blocked, text).hint("handeye windows")
}
