//! One desktop, the panel on it, and the act loop.

use handeye_engine::act;
use handeye_engine::matching::same_as_shown;
use handeye_engine::observe::snapshot::{Show, see};
use handeye_engine::{Action, ActionRequest, AimedAt, ClickBy, Expectation, Locator, Memory};
use handeye_scene::{
    Aim, Arrange, Backend, Button, Chord, Clock, Code, Delivery, DeniedOrigins, DesktopConfig, End, Generation,
    Gesture, Guard, Modifiers, NativeId, Point, Probe, Problem, Query, Receipt, Ref, Shot, ShotArea, State, Surface,
    Target, Verdict, Want, Window, Windows,
};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// Counts the time since it was made.
struct Stopwatch(Instant);

#[async_trait::async_trait]
impl Clock for Stopwatch {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
    fn timestamp(&self) -> String {
        "2026-01-01T00:00:00Z".into()
    }
    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// How long something may take that a program does by itself.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a program may take to start, on a machine that is busy with others.
const STARTS: Duration = Duration::from_secs(40);

/// Whether something comes to be so.
pub(crate) fn eventually(holds: impl Fn() -> bool) -> bool {
    within(PATIENCE, holds)
}

fn within(limit: Duration, holds: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    while !holds() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(30));
    }
    true
}

/// Whether this is Wine, not Windows.
pub(crate) fn is_wine() -> bool {
    std::path::Path::new("C:\\windows\\system32\\winecfg.exe").is_file()
}

/// A desktop with handeye looking at it.
pub(crate) struct Stage {
    runtime: Runtime,
    surface: Box<dyn Surface>,
    memory: Memory,
    clock: Stopwatch,
    folder: tempfile::TempDir,
}

/// The panel, as long as it is wanted.
pub(crate) struct Panel {
    child: Child,
    log: PathBuf,
}

impl Panel {
    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Where it writes what was done to it.
    pub(crate) fn log_path(&self) -> PathBuf {
        self.log.clone()
    }

    /// What was done to it.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until it says so of itself.
    #[track_caller]
    pub(crate) fn logs(&self, line: &str) {
        let says = || self.log().lines().any(|l| l == line);
        assert!(eventually(says), "wanted {line:?}, found {}", self.log());
    }

    /// Has it change itself, and waits until it did.
    #[track_caller]
    pub(crate) fn tell(&mut self, line: &str) {
        let word = line.split(' ').next().unwrap_or_default();
        let did = |log: &str| log.lines().filter(|l| *l == format!("did {word}")).count();
        let before = did(&self.log());
        self.tell_and_go(line);
        assert!(eventually(|| did(&self.log()) > before), "{line}: {}", self.log());
    }

    /// The same without waiting.
    pub(crate) fn tell_and_go(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }
}

impl Drop for Panel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Stage {
    /// A desktop that is looked at.
    pub(crate) fn open() -> Self {
        Self::by(DesktopConfig::default())
    }

    /// The same by window messages, wherever it is.
    pub(crate) fn open_win32() -> Self {
        Self::by(DesktopConfig { backend: Some(Backend::Win32), ..DesktopConfig::default() })
    }

    /// The same as told.
    pub(crate) fn by(desk: DesktopConfig) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let surface = runtime.block_on(handeye_desktop::open(&desk)).unwrap();
        let clock = Stopwatch(Instant::now());
        Self { runtime, surface, memory: Memory::default(), clock, folder: tempfile::tempdir().unwrap() }
    }

    /// A path in a folder of the test's own.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the panel, and looks at it.
    pub(crate) fn panel(&mut self, title: &str) -> Panel {
        let log = self.path(&format!("{title}.log"));
        let program = std::env::current_exe().unwrap();
        let folder = program.parent().unwrap().parent().unwrap();
        let child = Command::new(folder.join("examples").join("panel.exe"))
            .arg(&log)
            .arg(title)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut panel = Panel { child, log };
        let is_ready = || panel.log().lines().any(|l| l == "ready");
        if !within(STARTS, is_ready) {
            panic!("{title} didn't start: {:?}", panel.child.try_wait());
        }
        self.choose(title);
        panel
    }

    fn windows<T>(&mut self, job: impl AsyncFnOnce(&mut dyn Windows) -> Result<T, Problem>) -> Result<T, Problem> {
        let windows = self.surface.windows().unwrap();
        self.runtime.block_on(job(windows))
    }

    /// Every window.
    pub(crate) fn list(&mut self) -> Vec<Window> {
        self.windows(async |w| w.list().await).unwrap()
    }

    /// The window with this very title.
    #[track_caller]
    pub(crate) fn window(&mut self, title: &str) -> Window {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let list = self.list();
            if let Some(window) = list.iter().find(|w| w.title == title) {
                return window.clone();
            }
            assert!(Instant::now() < deadline, "no window {title:?}: {list:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Looks at this window from here on.
    #[track_caller]
    pub(crate) fn choose(&mut self, title: &str) {
        let id = self.window(title).id;
        self.surface.windows().unwrap().choose(Some(&id));
    }

    /// Looks at the window with this handle from here on.
    pub(crate) fn choose_id(&mut self, id: &str) {
        self.surface.windows().unwrap().choose(Some(id));
    }

    pub(crate) fn activate(&mut self, title: &str) -> Result<Window, Problem> {
        let id = self.window(title).id;
        self.windows(async |w| w.activate(&id).await)
    }

    /// Holds the next gesture to a window, at a place or where the pointer is.
    pub(crate) fn hold_to(&mut self, title: &str, at: Option<Point>) -> Result<(), Problem> {
        let id = self.window(title).id;
        self.windows(async |w| w.hold_to(&id, at).await)
    }

    pub(crate) fn arrange(&mut self, title: &str, to: Arrange) -> Window {
        let id = self.window(title).id;
        self.windows(async |w| w.arrange(&id, to).await).unwrap()
    }

    pub(crate) fn close(&mut self, title: &str) -> bool {
        let id = self.window(title).id;
        self.windows(async |w| w.close_window(&id, PATIENCE).await).unwrap()
    }

    pub(crate) fn launch(&mut self, program: &str, args: &[String]) -> Option<Window> {
        self.windows(async |w| w.launch(program, args, PATIENCE).await).unwrap()
    }

    pub(crate) fn shoot(&mut self, area: ShotArea) -> Shot {
        self.windows(async |w| w.screenshot(area).await).unwrap()
    }

    pub(crate) fn clipboard(&mut self) -> String {
        self.windows(async |w| w.clipboard().await).unwrap()
    }

    pub(crate) fn set_clipboard(&mut self, text: &str) {
        self.windows(async |w| w.set_clipboard(text).await).unwrap();
    }

    pub(crate) fn notices(&mut self) -> Vec<String> {
        self.surface.notices().into_iter().map(|n| n.text).collect()
    }

    /// The targets that a look shows.
    pub(crate) fn targets(&mut self) -> Result<Vec<Target>, Problem> {
        let capture = self.runtime.block_on(self.surface.capture(Want::default()))?;
        let view = see(&capture, &mut self.memory, Show::default(), Generation(0), String::new())?;
        Ok(view.snapshot.targets)
    }

    /// The number of what has this role and name, whether it can be operated or not.
    #[track_caller]
    pub(crate) fn any_number(&mut self, role: &str, name: &str) -> Ref {
        let capture = self.runtime.block_on(self.surface.capture(Want::default())).unwrap();
        let show = Show { all: true, ..Show::default() };
        let view = see(&capture, &mut self.memory, show, Generation(0), String::new()).unwrap();
        let targets = view.snapshot.targets;
        let mut fit = targets.iter().filter(|t| t.role == role && t.name == name);
        match (fit.next(), fit.next()) {
            (Some(one), None) => one.r#ref,
            (found, _) => panic!("{role} {name:?}: {found:?} of {targets:?}"),
        }
    }

    /// What there is to read: role and name.
    pub(crate) fn things(&mut self) -> Vec<String> {
        let capture = self.runtime.block_on(self.surface.capture(Want::default())).unwrap();
        capture.nodes.iter().map(|n| format!("{} {:?}", n.role, n.name)).collect()
    }

    /// Why a look isn't whole.
    pub(crate) fn partial(&mut self) -> Option<String> {
        let capture = self.runtime.block_on(self.surface.capture(Want::default())).unwrap();
        capture.notices.into_iter().map(|n| n.text).next()
    }

    /// What a query finds.
    pub(crate) fn search(&mut self, query: &Query) -> Vec<NativeId> {
        self.runtime.block_on(self.surface.search(query)).unwrap()
    }

    /// The same, a line each: role, name, value, states.
    pub(crate) fn state(&mut self) -> String {
        let line = |t: &Target| {
            let states: Vec<&str> = t.states.iter().map(State::word).collect();
            let value = t.value.as_ref().map(|v| format!(" = {v:?}")).unwrap_or_default();
            format!("{} {:?}{value} {}", t.role, t.name, states.join(" ")).trim_end().to_owned()
        };
        self.targets().unwrap().iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The number of the target of this role and name.
    #[track_caller]
    pub(crate) fn number(&mut self, role: &str, name: &str) -> Ref {
        let targets = self.targets().unwrap();
        let mut fit = targets.iter().filter(|t| t.role == role && t.name == name);
        match (fit.next(), fit.next()) {
            (Some(one), None) => one.r#ref,
            (found, _) => panic!("{role} {name:?}: {found:?} of {:?}", self.state()),
        }
    }

    /// Acts on a target.
    pub(crate) fn act(&mut self, on: Ref, action: Action) -> Result<Receipt, Problem> {
        self.act_if(on, Expectation::LastShown, action)
    }

    /// The same if the target is as expected.
    pub(crate) fn act_if(&mut self, on: Ref, expectation: Expectation, action: Action) -> Result<Receipt, Problem> {
        self.act_guarded(on, expectation, action, true)
    }

    /// The same with the last checks off, where that is to be shown to matter.
    pub(crate) fn act_guarded(
        &mut self,
        on: Ref,
        expectation: Expectation,
        action: Action,
        guarded: bool,
    ) -> Result<Receipt, Problem> {
        let request = ActionRequest {
            aim: AimedAt::Target(vec![Locator::Ref(on)]),
            expectation,
            action,
            act_on_unverifiable: false,
            denied: DeniedOrigins::default(),
            only_in: None,
            guarded,
            ready: Duration::from_millis(1500),
            settle: Duration::from_secs(3),
            effect: Duration::ZERO,
            changes: 8,
        };
        let acting = act(self.surface.as_mut(), &mut self.memory, &self.clock, &request);
        self.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), acting).await }).unwrap()
    }

    /// Acts, and must be confirmed; by what means it was done.
    #[track_caller]
    pub(crate) fn done(&mut self, on: Ref, action: Action) -> String {
        let receipt = self.act(on, action).unwrap();
        assert_eq!(receipt.verdict, Verdict::Confirmed, "{receipt:?}");
        receipt.by.unwrap_or_default()
    }

    pub(crate) fn click(&mut self, on: Ref, by: ClickBy) -> Result<Receipt, Problem> {
        self.act(on, click(by))
    }

    /// Keys to what has the keyboard in the current window.
    pub(crate) fn keys(&mut self, chords: &[&str]) -> Delivery {
        let chord = |text: &&str| {
            let mut parts: Vec<&str> = text.split('+').collect();
            let key = parts.pop().unwrap().to_owned();
            let has = |name: &str| parts.contains(&name);
            let modifiers = Modifiers { alt: has("alt"), ctrl: has("ctrl"), meta: has("meta"), shift: has("shift") };
            Chord { modifiers, key }
        };
        self.perform(&Gesture::Keys(chords.iter().map(chord).collect()))
    }

    /// Text to what has the keyboard in the current window.
    pub(crate) fn type_text(&mut self, text: &str) -> Delivery {
        self.perform(&Gesture::Type { text: text.to_owned(), pace_ms: 0 })
    }

    pub(crate) fn perform(&mut self, gesture: &Gesture) -> Delivery {
        let delivery = self.runtime.block_on(self.surface.perform(gesture, &Guard::default())).unwrap();
        self.runtime.block_on(self.surface.settle(Duration::from_secs(3))).unwrap();
        delivery
    }

    /// The same where it may be refused.
    pub(crate) fn try_perform(&mut self, gesture: &Gesture) -> Result<Delivery, Problem> {
        self.runtime.block_on(self.surface.perform(gesture, &Guard::default()))
    }

    /// The same on a target, with no look before.
    pub(crate) fn perform_on(&mut self, on: Ref, gesture: &Gesture) -> Delivery {
        let target = self.memory.refs.get(on).map(|known| known.native);
        let guard = Guard { target, ..Guard::default() };
        self.runtime.block_on(self.surface.perform(gesture, &guard)).unwrap()
    }

    /// The same for a drag that must end on another target.
    pub(crate) fn drop_on(&mut self, on: Ref, end: Ref, gesture: &Gesture) -> Delivery {
        let native = |of| self.memory.refs.get(of).unwrap().native;
        let end = Some(End { target: native(end), held: None });
        let guard = Guard { target: Some(native(on)), end, ..Guard::default() };
        self.runtime.block_on(self.surface.perform(gesture, &guard)).unwrap()
    }

    /// Whether a window comes to be gone.
    pub(crate) fn eventually_gone(&mut self, title: &str) -> bool {
        let deadline = Instant::now() + PATIENCE;
        while self.list().iter().any(|w| w.title == title) {
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(30));
        }
        true
    }

    /// What commands look at is left if it is gone; what is said of that.
    pub(crate) fn leave_lost(&mut self) -> Result<Vec<String>, Problem> {
        self.windows(async |w| w.leave_lost().await)?;
        Ok(self.notices())
    }

    /// Takes note of what commands look at, and goes back to it after `job`.
    pub(crate) fn refused<T>(&mut self, job: impl FnOnce(&mut Self) -> T) -> T {
        self.surface.windows().unwrap().mark();
        let came = job(self);
        self.surface.windows().unwrap().go_back();
        came
    }

    /// The title of the window that commands look at.
    pub(crate) fn current(&mut self) -> Result<String, Problem> {
        self.windows(async |w| w.current().await).map(|w| w.title)
    }

    /// Facts about a target.
    pub(crate) fn probe(&mut self, of: Ref) -> Option<Probe> {
        let native = self.memory.refs.get(of)?.native;
        self.runtime.block_on(self.surface.probe(native, Aim::default())).unwrap()
    }

    /// What a look at each target alone finds otherwise than the look at all of them.
    pub(crate) fn otherwise_alone(&mut self) -> Vec<String> {
        let capture = self.runtime.block_on(self.surface.capture(Want::default())).unwrap();
        let show = Show { all: true, ..Show::default() };
        let view = see(&capture, &mut self.memory, show, Generation(0), String::new()).unwrap();
        let aim = Aim { point: true, ..Aim::default() };
        let mut otherwise = Vec::new();
        for target in view.snapshot.targets {
            let known = self.memory.refs.get(target.r#ref).unwrap().clone();
            let probe = self.runtime.block_on(self.surface.probe(known.native, aim)).unwrap();
            let Some(probe) = probe else {
                otherwise.push(format!("it is gone: {target:?}"));
                continue;
            };
            if !same_as_shown(&known.shown, &probe)
                || probe.states != target.states && !target.states.has(State::Covered)
            {
                otherwise.push(format!(
                    "{:?} {:?} {:?}",
                    known.shown,
                    target.states,
                    (&probe.name, &probe.texts, probe.states)
                ));
            }
            // A label may lie under what it is for.
            let is_here = target.role != "text"
                && ![State::Offscreen, State::Covered].iter().any(|state| target.states.has(*state));
            if is_here && probe.point.is_none() {
                otherwise.push(format!("it can't be hit: {target:?} {:?}", probe.cover));
            }
        }
        otherwise
    }

    /// The whole text of a target.
    pub(crate) fn text(&mut self, of: Ref) -> String {
        let native = self.memory.refs.get(of).unwrap().native;
        self.windows(async |w| w.text(native).await).unwrap()
    }
}

/// A click with the left button.
pub(crate) fn click(by: ClickBy) -> Action {
    Action::Click { button: Button::Left, count: 1, modifiers: Modifiers::default(), by, offset: None }
}

/// Code of the problem that something must be.
#[track_caller]
pub(crate) fn code<T: std::fmt::Debug>(outcome: Result<T, Problem>) -> Code {
    match outcome {
        Err(problem) => problem.code,
        Ok(other) => panic!("no problem: {other:?}"),
    }
}
