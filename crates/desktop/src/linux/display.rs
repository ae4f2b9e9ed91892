//! The X display: one thread owns the connection, and runs what it is handed.
//!
//! A server that hangs holds that thread up and nothing else: every call has a limit.

use super::clip::Clip;
use super::coming::Met;
use super::held::Held;
use handeye_scene::{Code, Problem};
use std::sync::mpsc;
use std::time::Duration;
use tokio::sync::oneshot;
use x11rb::connection::{Connection, RequestConnection as _};
use x11rb::errors::{ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::protocol::xkb::ConnectionExt as _;
use x11rb::protocol::xproto::{GetPropertyReply, Keycode, Window};
use x11rb::rust_connection::RustConnection;

/// How long the display may take for one call.
pub(crate) const LIMIT: Duration = Duration::from_secs(5);
/// How often events are looked for while nothing is asked.
const IDLE: Duration = Duration::from_millis(20);

x11rb::atom_manager! {
    /// The atoms in use.
    pub(crate) Atoms:
    AtomsCookie {
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_CLOSE_WINDOW,
        _NET_CURRENT_DESKTOP,
        _NET_MOVERESIZE_WINDOW,
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
        _NET_WM_WINDOW_TYPE_DROPDOWN_MENU,
        _NET_WM_WINDOW_TYPE_POPUP_MENU,
        _NET_WM_WINDOW_TYPE_SPLASH,
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
pub(super) fn numbers(property: &GetPropertyReply) -> Vec<u32> {
    property.value32().map(Iterator::collect).unwrap_or_default()
}

/// The thread's side: the connection and what is known of it.
pub(crate) struct Side {
    pub(crate) connection: RustConnection,
    pub(crate) root: Window,
    pub(crate) atoms: Atoms,
    pub(crate) clip: Clip,
    pub(crate) composite: bool,
    /// Whether the keyboard extension tells what keys stand for in each layout.
    pub(crate) xkb: bool,
    pub(crate) met: Met,
    /// What is kept down between commands.
    pub(crate) held: Held,
    /// Keys that are lent a meaning.
    pub(crate) lent: Vec<Keycode>,
    /// A window that is there as long as this connection.
    pub(crate) stands_for_us: Window,
    /// How many pings were sent.
    pub(crate) pings: u32,
}

impl Side {
    fn connect(display: Option<&str>) -> Result<Self, Problem> {
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
        let xkb = has(x11rb::protocol::xkb::X11_EXTENSION_NAME)
            && connection.xkb_use_extension(1, 0).ok().and_then(|c| c.reply().ok()).is_some_and(|r| r.supported);
        let mut side = Self {
            connection,
            root,
            atoms,
            clip: Clip::default(),
            composite,
            xkb,
            met: Met::default(),
            held: Held::default(),
            lent: Vec::new(),
            stands_for_us: 0,
            pings: 0,
        };
        side.begin().map_err(|e| e.problem("be looked at"))?;
        Ok(side)
    }

    /// Undoes what sessions left that ended without doing so, and notes which windows there are.
    fn begin(&mut self) -> Result<(), Fault> {
        self.restore_keys_left_over()?;
        self.let_go_left_over()?;
        self.begin_notes()?;
        self.meet().map(drop)
    }

    /// Everything sent has been seen by the server.
    pub(crate) fn sync(&self) -> Result<(), Fault> {
        use x11rb::protocol::xproto::ConnectionExt as _;
        self.connection.get_input_focus()?.reply()?;
        Ok(())
    }
}

type Job = Box<dyn FnOnce(&mut Side) + Send>;

/// The way to the thread. It ends when this is dropped.
pub(crate) struct Display {
    jobs: mpsc::Sender<Job>,
}

impl Display {
    /// Connects.
    pub(crate) async fn connect(display: Option<String>) -> Result<Self, Problem> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let (ready, begun) = oneshot::channel();
        let spawned = std::thread::Builder::new().name("x-display".into()).spawn(move || {
            match Side::connect(display.as_deref()) {
                Ok(side) => {
                    let _ = ready.send(Ok(()));
                    serve(side, &queue);
                }
                Err(problem) => {
                    let _ = ready.send(Err(problem));
                }
            }
        });
        spawned.map_err(|e| Problem::new(Code::Unavailable, format!("no thread can be started: {e}")))?;
        match tokio::time::timeout(LIMIT, begun).await {
            Ok(Ok(outcome)) => outcome.map(|()| Self { jobs }),
            _ => Err(Problem::new(Code::Unavailable, "the X display doesn't answer").hint("handeye doctor")),
        }
    }

    /// Hands `job` to the thread without waiting for it.
    pub(crate) fn post(&self, job: impl FnOnce(&mut Side) -> Result<(), Fault> + Send + 'static) {
        // A display that is gone holds nothing that was to be undone.
        let _ = self.jobs.send(Box::new(move |side| drop(job(side))));
    }

    /// Runs `job` on the thread, within the limit of one call.
    pub(crate) async fn run<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Side) -> Result<R, Fault> + Send + 'static,
    ) -> Result<R, Fault> {
        self.run_within(LIMIT, job).await
    }

    /// The same within a limit of its own.
    pub(crate) async fn run_within<R: Send + 'static>(
        &self,
        limit: Duration,
        job: impl FnOnce(&mut Side) -> Result<R, Fault> + Send + 'static,
    ) -> Result<R, Fault> {
        self.run_while(limit, |side, _| job(side)).await
    }

    /// The same for a job that goes on for a while: it is told whether anyone still waits for it.
    pub(crate) async fn run_while<R: Send + 'static>(
        &self,
        limit: Duration,
        job: impl FnOnce(&mut Side, &dyn Fn() -> bool) -> Result<R, Fault> + Send + 'static,
    ) -> Result<R, Fault> {
        let (done, outcome) = oneshot::channel();
        let job: Job = Box::new(move |side| {
            // Nobody waits for it any more: what was given up is not done later.
            if !done.is_closed() {
                let outcome = job(side, &|| !done.is_closed());
                let _ = done.send(outcome);
            }
        });
        self.jobs.send(job).map_err(|_| Fault::Lost)?;
        match tokio::time::timeout(limit, outcome).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(Fault::Lost),
            Err(_) => Err(Fault::Problem(
                Problem::new(Code::Timeout, format!("the X display didn't answer within {:.0} s", limit.as_secs_f64()))
                    .hint("handeye windows"),
            )),
        }
    }
}

fn serve(mut side: Side, queue: &mpsc::Receiver<Job>) {
    loop {
        match queue.recv_timeout(IDLE) {
            Ok(job) => job(&mut side),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        }
        loop {
            match side.connection.poll_for_event() {
                Ok(Some(event)) => side.answer_for_clip(&event),
                Ok(None) => break,
                // The next job says that the display is gone.
                Err(_) => break,
            }
        }
    }
}
