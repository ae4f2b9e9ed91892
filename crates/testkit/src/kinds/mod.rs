//! Windows of targets of every kind (`fixtures/desktop/kinds.py`), acted on through the library. Each says what its own handlers
//! got.

pub mod races;
pub mod toolkits;
pub mod trial;

use crate::clock::MachineClock;
use crate::desk::{Desk, Panel, Stopped};
use handeye_engine::act;
use handeye_engine::observe::snapshot::{Show, see};
use handeye_engine::{Action, ActionRequest, AimedAt, ClickBy, Expectation, Locator, Memory};
use handeye_scene::{
    Button, DeniedOrigins, Generation, Gesture, Guard, Modifiers, MouseStep, Point, Problem, Receipt, Ref, Surface,
    Target, Verdict, Want,
};
use serde_json::Value;
use std::time::{Duration, Instant};
pub use toolkits::{Kind, On, TOOLKITS, Toolkit};

/// A place where no window lies.
const NOWHERE: Point = Point { x: 1270.0, y: 1010.0 };
/// What another target of the same kind says, which lies below.
const OTHER: &str = "Quite another";
/// How long anything may take to be seen.
const LIMIT: Duration = Duration::from_secs(20);
/// How long the app may take to get what was sent to it.
const GETS: Duration = Duration::from_secs(3);

/// A window of one toolkit, and an agent that looks at it.
pub struct Stand {
    pub panel: Panel,
    pub toolkit: &'static Toolkit,
    surface: Box<dyn Surface>,
    memory: Memory,
    guarded: bool,
    made: usize,
    desk: Desk,
}

/// A line about what the app's own handlers got.
#[derive(Debug, Clone)]
pub struct Got {
    pub id: String,
    pub text: String,
    pub after: f64,
    pub by: String,
}

impl Got {
    /// A line of the log, if it is one of these.
    fn read(line: &str) -> Option<Self> {
        let line: Value = line.starts_with('{').then(|| serde_json::from_str(line).ok())??;
        let of = |member: &str| line[member].as_str().unwrap_or_default().to_owned();
        Some(Self { id: of("got"), text: of("text"), by: of("by"), after: line["after"].as_f64()? })
    }
}

/// Whether an action was refused, by its receipt or by a problem.
pub fn is_refused(outcome: &Result<Receipt, Problem>) -> bool {
    outcome.as_ref().map_or(true, |receipt| receipt.verdict == Verdict::Contradicted)
}

/// What an action came to, in short.
pub fn told(outcome: &Result<Receipt, Problem>) -> String {
    match outcome {
        Ok(receipt) => {
            format!("{} {:?} {}", receipt.action, receipt.verdict, receipt.reason.clone().unwrap_or_default())
        }
        Err(problem) => problem.to_string(),
    }
}

/// Numbers for everything that has a name.
fn all() -> Show {
    Show { all: true, ..Show::default() }
}

/// The words of a text, whatever is between them.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Stand {
    /// On a desktop of its own.
    pub async fn open(toolkit: &'static Toolkit, guarded: bool) -> Option<Self> {
        let desk = Desk::with(&[])?;
        let mut surface = handeye_desktop::open(&desk.address()).await.unwrap();
        let panel = desk.started(toolkit.script, "Kinds");
        let deadline = Instant::now() + LIMIT;
        loop {
            let windows = surface.windows().unwrap();
            if let Some(window) = windows.list().await.unwrap().iter().find(|w| w.title == "Kinds") {
                windows.choose(Some(&window.id));
                break;
            }
            assert!(Instant::now() < deadline, "{} shows no window", toolkit.script);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Some(Self { panel, toolkit, surface, memory: Memory::default(), guarded, made: 0, desk })
    }

    /// Another window, which has the keyboard from then on.
    pub async fn open_another(&mut self) -> Panel {
        let another = self.desk.started(self.toolkit.script, "Another");
        let deadline = Instant::now() + LIMIT;
        loop {
            let windows = self.surface.windows().unwrap();
            let another = windows.list().await.unwrap().into_iter().find(|w| w.title == "Another");
            if let Some(another) = another {
                if another.focused {
                    break;
                }
                windows.activate(&another.id).await.unwrap();
            }
            assert!(Instant::now() < deadline, "{} shows no other window", self.toolkit.script);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        another
    }

    /// Keeps the window manager from running for so long.
    pub fn stop_manager(&self, time: Duration) -> Stopped {
        self.desk.stop_manager(time)
    }

    /// Puts a target there, and nothing else; by which name the app knows it, and its number.
    pub async fn put(&mut self, kind: &Kind, text: &str) -> (String, Ref) {
        self.put_with(kind, text, false).await
    }

    /// The same, with another one of its kind below it where that is asked for.
    pub async fn put_with(&mut self, kind: &Kind, text: &str, other: bool) -> (String, Ref) {
        self.made += 1;
        let id = format!("t{}", self.made);
        let away = Gesture::Mouse(MouseStep::Move(NOWHERE), Modifiers::default());
        self.surface.perform(&away, &Guard::default()).await.unwrap();
        self.panel.send("reset");
        self.tell(&format!("put {id} {} {}", kind.id, Value::from(text))).await;
        if other {
            self.tell(&format!("put x{id} {} {OTHER:?}", kind.id)).await;
        }
        if kind.option {
            self.drop_down(kind, text).await;
        }
        let number = self.shown(text, |t| t.role != "combobox" && words(&t.name) == words(text)).await;
        (id, number)
    }

    /// Opens a list until it shows an option. The first click may close something else.
    async fn drop_down(&mut self, kind: &Kind, text: &str) {
        for _ in 0..4 {
            let list = self.shown("", |t| t.role == "combobox").await;
            let opened = self.click(list, ClickBy::Pointer).await;
            assert!(!is_refused(&opened), "{} {}: {}", self.toolkit.name, kind.id, told(&opened));
            let deadline = Instant::now() + Duration::from_millis(500);
            while Instant::now() < deadline {
                if self.look().await.iter().any(|t| t.role != "combobox" && words(&t.name) == words(text)) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }

    /// What is shown.
    async fn look(&mut self) -> Vec<Target> {
        let Ok(capture) = self.surface.capture(Want::default()).await else { return Vec::new() };
        let view = see(&capture, &mut self.memory, all(), Generation(0), String::new());
        view.map(|view| view.snapshot.targets).unwrap_or_default()
    }

    /// Tells the app something, and waits until it has done it.
    pub async fn tell(&mut self, line: &str) {
        self.panel.send(line);
        self.logs(&format!("done {line}")).await;
    }

    async fn logs(&mut self, line: &str) {
        let deadline = Instant::now() + LIMIT;
        while !self.panel.log().lines().rev().any(|l| l == line) {
            assert!(Instant::now() < deadline, "{line:?} isn't in the log");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// The number of a target, once it is there.
    async fn shown(&mut self, what: &str, is_it: impl Fn(&Target) -> bool) -> Ref {
        let deadline = Instant::now() + LIMIT;
        loop {
            let last = self.look().await;
            let found: Vec<&Target> = last.iter().filter(|t| is_it(t)).collect();
            // Else its text, which lies in it.
            if let Some(found) = found.iter().find(|t| t.role != "text").or(found.first()) {
                return found.r#ref;
            }
            let seen: Vec<(&str, &str)> = last.iter().map(|t| (t.role.as_str(), t.name.as_str())).collect();
            assert!(Instant::now() < deadline, "{} {what:?} isn't seen: {seen:?}", self.toolkit.script);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Clicks it.
    pub async fn click(&mut self, number: Ref, by: ClickBy) -> Result<Receipt, Problem> {
        let modifiers = Modifiers::default();
        let action = Action::Click { button: Button::Left, count: 1, modifiers, by, offset: None };
        let request = ActionRequest {
            aim: AimedAt::Target(vec![Locator::Ref(number)]),
            expectation: Expectation::LastShown,
            action,
            act_on_unverifiable: false,
            denied: DeniedOrigins::default(),
            only_in: None,
            guarded: self.guarded,
            ready: Duration::from_secs(3),
            settle: Duration::from_millis(20),
            effect: Duration::ZERO,
            changes: 4,
        };
        let clock = MachineClock(Instant::now());
        let acting = act(self.surface.as_mut(), &mut self.memory, &clock, &request);
        tokio::time::timeout(Duration::from_secs(60), acting).await.unwrap_or_else(|_| panic!("no end: {request:?}"))
    }

    /// What the handlers of a target got.
    pub fn got(&self, id: &str) -> Vec<Got> {
        self.panel.log().lines().filter_map(Got::read).filter(|got| got.id == id).collect()
    }

    /// The same, once there is anything of the kind, or long enough later.
    pub async fn gets(&mut self, id: &str) -> Vec<Got> {
        let deadline = Instant::now() + GETS;
        loop {
            let got = self.got(id);
            if !got.is_empty() || Instant::now() > deadline {
                return got;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}
