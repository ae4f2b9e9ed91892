//! The connection to the X server, and what many ask of it.

use crate::failsafe::Failsafe;
use handeye_scene::{Code, Point, Problem, Rect};
use std::cell::Cell;
use std::time::{Duration, Instant};
use x11rb::connection::{Connection, RequestConnection as _};
use x11rb::errors::{ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::protocol::xkb::ConnectionExt as _;
use x11rb::protocol::xproto::{AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, GetPropertyReply, Window};
use x11rb::rust_connection::RustConnection;

/// How long a window manager may take to do what it was asked.
const PATIENCE: Duration = Duration::from_millis(1000);
/// How often that is looked for.
const LOOK: Duration = Duration::from_millis(10);

x11rb::atom_manager! {
    /// The atoms in use.
    pub(crate) Atoms:
    AtomsCookie {
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_CLOSE_WINDOW,
        _NET_CURRENT_DESKTOP,
        _NET_FRAME_EXTENTS,
        _NET_MOVERESIZE_WINDOW,
        _NET_REQUEST_FRAME_EXTENTS,
        _NET_SUPPORTED,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_DESKTOP,
        _NET_WM_NAME,
        _NET_WM_PING,
        _NET_WM_PID,
        _NET_WM_STATE,
        _NET_WM_STATE_HIDDEN,
        _NET_WM_STATE_MAXIMIZED_HORZ,
        _NET_WM_STATE_MAXIMIZED_VERT,
        _NET_WM_STATE_MODAL,
        _NET_WM_WINDOW_TYPE,
        _NET_WM_WINDOW_TYPE_DND,
        _NET_WM_WINDOW_TYPE_DROPDOWN_MENU,
        _NET_WM_WINDOW_TYPE_NOTIFICATION,
        _NET_WM_WINDOW_TYPE_POPUP_MENU,
        _NET_WM_WINDOW_TYPE_SPLASH,
        _NET_WM_WINDOW_TYPE_TOOLTIP,
        _HANDEYE_CLIP,
        _HANDEYE_HELD,
        _HANDEYE_KEYCODES,
        _HANDEYE_SESSION,
        CLIPBOARD,
        INCR,
        TARGETS,
        UTF8_STRING,
        WM_CHANGE_STATE,
        WM_DELETE_WINDOW,
        WM_PROTOCOLS,
        WM_STATE,
    }
}

/// Why something couldn't be done on the display.
#[derive(Debug)]
pub(crate) enum Fault {
    /// What was asked for is gone or isn't allowed.
    Refused,
    /// The display is gone.
    Lost,
    /// A problem of its own.
    Problem(Problem),
}

impl From<ConnectionError> for Fault {
    fn from(_: ConnectionError) -> Self {
        Fault::Lost
    }
}

impl From<ReplyError> for Fault {
    fn from(error: ReplyError) -> Self {
        match error {
            ReplyError::ConnectionError(_) => Fault::Lost,
            ReplyError::X11Error(_) => Fault::Refused,
        }
    }
}

impl From<ReplyOrIdError> for Fault {
    fn from(error: ReplyOrIdError) -> Self {
        match error {
            ReplyOrIdError::X11Error(_) => Fault::Refused,
            _ => Fault::Lost,
        }
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Fault::Problem(problem)
    }
}

impl Fault {
    /// As a problem, where there is no better word for it.
    pub(crate) fn problem(self, doing: &str) -> Problem {
        match self {
            Fault::Problem(problem) => problem,
            Fault::Lost => Problem::new(Code::Lost, "the X display is gone").hint("handeye sessions list"),
            Fault::Refused => Problem::new(Code::Unsupported, format!("the X display refused to {doing}")),
        }
    }
}

/// The numbers that a property holds.
pub(crate) fn numbers(property: &GetPropertyReply) -> Vec<u32> {
    property.value32().map(Iterator::collect).unwrap_or_default()
}

/// The connection and what is known of it.
pub(crate) struct Server {
    pub(crate) connection: RustConnection,
    pub(crate) root: Window,
    pub(crate) atoms: Atoms,
    pub(crate) composite: bool,
    /// Whether the keyboard extension tells what keys stand for in each layout.
    pub(crate) xkb: bool,
    /// Whether the server tells of each that gets the clipboard.
    pub(crate) tells_copies: bool,
    /// A window that is there as long as this connection.
    pub(crate) stands_for_us: Window,
    /// How many pings were sent.
    pub(crate) pings: Cell<u32>,
    /// Whether a person may stop by the pointer what sends input.
    pub(crate) failsafe: Failsafe,
}

impl Server {
    pub(crate) fn connect(display: Option<&str>) -> Result<Self, Problem> {
        let named = display.unwrap_or("(none)");
        let none = |why: String| {
            Problem::new(Code::Unavailable, format!("the X display {named} can't be reached: {why}"))
                .hint("handeye doctor")
        };
        if display.is_none() {
            return Err(Problem::new(
                Code::Unavailable,
                "there is no X display: DISPLAY isn't set, and no display is configured",
            )
            .hint("DISPLAY=:0 handeye open desktop:")
            .hint("handeye doctor"));
        }
        let (connection, screen) = x11rb::connect(display).map_err(|e| none(e.to_string()))?;
        let root = connection.setup().roots.get(screen).ok_or_else(|| none("it has no screen".into()))?.root;
        let atoms =
            Atoms::new(&connection).map_err(|e| none(e.to_string()))?.reply().map_err(|e| none(e.to_string()))?;
        let has = |name: &'static str| connection.extension_information(name).ok().flatten().is_some();
        if !has(x11rb::protocol::xtest::X11_EXTENSION_NAME) {
            return Err(none("it has no XTEST extension, without which no input can be sent".into()));
        }
        let composite = has(x11rb::protocol::composite::X11_EXTENSION_NAME);
        let tells_copies = has(x11rb::protocol::xfixes::X11_EXTENSION_NAME);
        let xkb = has(x11rb::protocol::xkb::X11_EXTENSION_NAME)
            && connection.xkb_use_extension(1, 0).ok().and_then(|c| c.reply().ok()).is_some_and(|r| r.supported);
        Ok(Self {
            connection,
            root,
            atoms,
            composite,
            xkb,
            tells_copies,
            stands_for_us: 0,
            pings: Cell::new(0),
            failsafe: Failsafe::default(),
        })
    }

    /// Everything sent has been seen by the server.
    pub(crate) fn sync(&self) -> Result<(), Fault> {
        use x11rb::protocol::xproto::ConnectionExt as _;
        self.connection.get_input_focus()?.reply()?;
        Ok(())
    }

    /// Runs `job` while no other client is served.
    pub(crate) fn held_still<R>(&self, job: impl FnOnce() -> Result<R, Fault>) -> Result<R, Fault> {
        self.connection.grab_server()?;
        // Requests wait for company on their way out: what others are asked meanwhile must not come before it.
        self.sync()?;
        let outcome = job();
        self.connection.ungrab_server()?;
        self.connection.flush()?;
        outcome
    }

    pub(crate) fn numbers(&self, window: Window, atom: u32, kind: u32) -> Result<Vec<u32>, Fault> {
        Ok(numbers(&self.connection.get_property(false, window, atom, kind, 0, 1024)?.reply()?))
    }

    pub(crate) fn window_list(&self, atom: u32) -> Result<Vec<Window>, Fault> {
        let list = self.numbers(self.root, atom, AtomEnum::WINDOW.into())?;
        Ok(list.into_iter().filter(|w| *w != 0).collect())
    }

    pub(crate) fn ask_manager(&self, window: Window, what: u32, data: [u32; 5]) -> Result<(), Fault> {
        let event = ClientMessageEvent::new(32, window, what, data);
        let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.connection.send_event(false, self.root, to, event)?.check()?;
        self.connection.flush()?;
        Ok(())
    }

    /// Looks again and again until something holds; whether it came to that.
    pub(crate) fn wait(&self, holds: impl Fn() -> Result<bool, Fault>) -> Result<bool, Fault> {
        let begun = Instant::now();
        loop {
            if holds()? {
                return Ok(true);
            }
            if begun.elapsed() > PATIENCE {
                return Ok(false);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Whether `inner` is `outer` or lies in it.
    pub(crate) fn lies_in(&self, inner: Window, outer: Window) -> Result<bool, Fault> {
        let mut at = inner;
        for _ in 0..32 {
            if at == outer {
                return Ok(true);
            }
            if at <= 1 || at == self.root {
                return Ok(false);
            }
            at = self.connection.query_tree(at)?.reply()?.parent;
        }
        Ok(false)
    }

    /// The child of the root that a pointer at `point` would hit.
    pub(crate) fn top_at(&self, point: Point) -> Result<Option<Window>, Fault> {
        let (x, y) = (point.x.round() as i16, point.y.round() as i16);
        let hit = self.connection.translate_coordinates(self.root, self.root, x, y)?.reply()?.child;
        Ok(Some(hit).filter(|w| *w != 0))
    }

    /// The size of the screen.
    pub(crate) fn screen(&self) -> Result<Rect, Fault> {
        let geometry = self.connection.get_geometry(self.root)?.reply()?;
        Ok(Rect::new(0.0, 0.0, geometry.width.into(), geometry.height.into()))
    }

    /// The children of the root.
    pub(crate) fn children(&self) -> Result<Vec<Window>, Fault> {
        Ok(self.connection.query_tree(self.root)?.reply()?.children)
    }

    /// Refuses to go on where a person has put the pointer into a corner of the screen, and that is to stop us.
    pub(crate) fn check_failsafe(&self) -> Result<(), Fault> {
        if !self.failsafe.is_on() {
            return Ok(());
        }
        Ok(self.failsafe.check(self.pointer()?, self.screen()?)?)
    }

    /// Where the pointer is.
    pub(crate) fn pointer(&self) -> Result<Point, Fault> {
        let at = self.connection.query_pointer(self.root)?.reply()?;
        Ok(Point::new(at.root_x.into(), at.root_y.into()))
    }
}
