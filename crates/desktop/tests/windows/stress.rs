//! Changes of a window racing with clicks: none may hit what was not meant, and undisturbed actions must be confirmed.
//!
//! The window's own log judges: what its button said when it was clicked.

use crate::stage::{self, Panel, Stage, click};
use handeye_engine::{Action, ClickBy, Expectation};
use handeye_scene::{Ref, State, Verdict};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// How many changes race; more by `HANDEYE_TRIALS`.
fn trials() -> usize {
    match std::env::var("HANDEYE_TRIALS").as_deref() {
        Ok("full") => 500,
        given => given.ok().and_then(|n| n.parse().ok()).unwrap_or(60),
    }
}

/// Which changes race; others by `HANDEYE_SEED`.
fn seed() -> u64 {
    std::env::var("HANDEYE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// What had changed so many milliseconds before the click can't be seen in time: nothing outside of a program can look and
/// click in one go. Where the machine held this process up meanwhile, it is as much more.
const LATE: u64 = 10;

/// How long the machine held this process up: a thread that means to wake up every millisecond tells.
struct Stalls(Arc<AtomicU64>);

impl Stalls {
    fn watch() -> Self {
        let worst = Arc::new(AtomicU64::new(0));
        let told = Arc::downgrade(&worst);
        std::thread::spawn(move || {
            while let Some(worst) = told.upgrade() {
                let begun = Instant::now();
                std::thread::sleep(Duration::from_millis(1));
                worst.fetch_max(u64::try_from(begun.elapsed().as_millis()).unwrap(), Ordering::Relaxed);
            }
        });
        Self(worst)
    }

    /// The longest since this was last asked, in milliseconds.
    fn worst(&self) -> u64 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

/// Numbers that depend on the seed alone (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// A name that differs from others in more than its digits.
fn word(number: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    [letter(number), letter(number / 26), letter(number * 7 + 3)].iter().collect()
}

/// What a label becomes: another word, one that contains it, more of it, and a number.
fn relabelled(label: &str, how: u64) -> String {
    match how {
        0 => label.replace("Approve", "Delete"),
        1 => label.replace("Approve", "Disapprove"),
        2 => format!("{label} all"),
        _ => format!("{label} 2"),
    }
}

/// The number of the button of this name, once it is there and nothing lies on it.
fn shown(stage: &mut Stage, label: &str) -> Ref {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let targets = stage.targets().unwrap();
        let found = targets.iter().find(|t| t.role == "button" && t.name == label);
        if let Some(target) = found.filter(|t| !t.states.has(State::Covered)) {
            return target.r#ref;
        }
        assert!(Instant::now() < deadline, "{label} isn't seen: {targets:?}");
    }
}

/// What came of the changes of one kind.
#[derive(Debug, Default, Clone, Copy)]
struct Came {
    delivered: usize,
    refused: usize,
    problems: usize,
}

/// What came of a run.
#[derive(Debug, Default, Clone)]
struct Figures {
    came: BTreeMap<&'static str, Came>,
    /// What was said of those that came to nothing.
    said: BTreeMap<String, usize>,
    /// Clicks on what was not meant.
    wrong: Vec<String>,
    /// The same within [`LATE`] of the change.
    late: Vec<String>,
    /// The same within as much more as the machine held us up.
    held_up: Vec<String>,
    /// Refused, and clicked all the same.
    denied: Vec<String>,
    /// As late, but pressed alone, and let go elsewhere.
    taken_back: Vec<String>,
}

/// Whether the press that a line tells of was let go elsewhere, by the lines that follow it.
fn is_taken_back(press: &str, after: &[&str]) -> bool {
    let Some((window, pressed)) = press.split_once(": left ") else { return false };
    after.iter().find_map(|l| l.strip_prefix(window)?.strip_prefix(": up ")).is_some_and(|up| up != pressed)
}

/// What happened when, in milliseconds of the clock that the windows' logs go by.
#[derive(Default)]
struct Times {
    changes: Vec<u64>,
    /// When each trial began, and how long we were held up in it.
    stalls: Vec<(u64, u64)>,
}

impl Times {
    fn now() -> u64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        u64::try_from(since.as_millis()).unwrap()
    }

    /// How long before a time the last change was.
    fn since_change(&self, time: u64) -> Option<u64> {
        self.changes.iter().filter_map(|c| time.checked_sub(*c)).min()
    }

    /// How long we were held up in the trial of that time.
    fn stall(&self, time: u64) -> u64 {
        self.stalls.iter().rev().find(|s| s.0 <= time).map_or(0, |s| s.1)
    }
}

impl Figures {
    fn delivered(&self) -> usize {
        self.came.values().map(|c| c.delivered).sum()
    }

    /// What the logs say of all of it: what was meant to be clicked, and what was refused.
    fn judged(mut self, field: &Field, (meant, refused): (&HashSet<String>, &[String]), times: &mut Times) -> Self {
        let log = format!("{}{}", field.past, field.panel.log());
        times.changes = log.lines().filter_map(|l| l.strip_prefix("changed at ")?.parse().ok()).collect();
        self.judge(&log, meant, times);
        self.judge(&field.beneath.log(), &HashSet::new(), times);
        self.denied = refused.iter().filter(|clicked| log.lines().any(|line| line == *clicked)).cloned().collect();
        self
    }

    /// Takes note of what a log says was clicked, but for what was meant.
    fn judge(&mut self, log: &str, meant: &HashSet<String>, times: &Times) {
        let lines: Vec<&str> = log.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let clicked = ["clicked ", "keep ", "paper ", "row ", "asked"].iter().any(|w| line.starts_with(w));
            if !(clicked || line.contains(": left ")) || meant.contains(*line) {
                continue;
            }
            let time = lines.get(at + 1).and_then(|l| l.strip_prefix("at ")?.parse::<u64>().ok());
            let (ago, stall) = (time.and_then(|t| times.since_change(t)), time.map_or(0, |t| times.stall(t)));
            let told = format!("{line}, {ago:?} ms after a change, held up for {stall} ms");
            match ago {
                Some(ms) if ms <= LATE + stall && is_taken_back(line, &lines[at..]) => self.taken_back.push(told),
                Some(ms) if ms <= LATE => self.late.push(told),
                Some(ms) if ms <= LATE + stall => self.held_up.push(told),
                _ => self.wrong.push(told),
            }
        }
    }
}

/// The window that is clicked, and below it another with the same controls at the same places, which no click is meant for.
struct Field {
    stage: Stage,
    beneath: Panel,
    panel: Panel,
    /// What windows said that are closed.
    past: String,
    opened: usize,
}

impl Field {
    fn open() -> Self {
        let mut stage = Stage::open_win32();
        let beneath = stage.panel("Beneath");
        let panel = stage.panel("Panel");
        Self { stage, beneath, panel, past: String::new(), opened: 0 }
    }

    /// The window as it was, whatever became of it, with a button of a new name; the button's number.
    fn reset(&mut self, label: &str) -> Ref {
        if self.panel.log().lines().any(|l| l == "closed") {
            self.past.push_str(&self.panel.log());
            self.opened += 1;
            let title = format!("Panel {}", self.opened);
            self.panel = self.stage.panel(&title);
            // As the last windows of the one that is closed go, the system turns to any other.
            assert!((0..5).any(|_| self.stage.activate(&title).is_ok()), "{title} isn't given the keyboard");
        }
        self.panel.tell(&format!("reset {label}"));
        self.panel.tell("move 40 40");
        shown(&mut self.stage, label)
    }

    /// How long it is until a click arrives that nothing disturbs.
    fn takes(&mut self, number: Ref) -> u64 {
        let clicked = |log: &str| log.lines().filter(|l| l.starts_with("clicked Approve ")).count();
        let (begun, before, log) = (Instant::now(), clicked(&self.panel.log()), self.panel.log_path());
        let watch = std::thread::spawn(move || {
            let log = || std::fs::read_to_string(&log).unwrap_or_default();
            stage::eventually(|| clicked(&log()) > before);
            begun.elapsed()
        });
        self.stage.click(number, ClickBy::Pointer).unwrap();
        u64::try_from(watch.join().unwrap().as_millis()).unwrap()
    }

    /// How often the window says that it did something.
    fn times(&self, word: &str) -> usize {
        self.panel.log().lines().filter(|l| l.strip_prefix("did ") == Some(word)).count()
    }
}

/// A change that is to come close comes within so many milliseconds of the click.
const CLOSE: u64 = 20;
/// How far the aim follows what came of a change.
const STEP: u64 = 6;
/// Kinds of changes.
const KINDS: [&str; 5] = ["relabel", "remove", "cover", "move", "close"];

fn race(trials: usize, kinds: &[&'static str], guarded: bool) -> Figures {
    let mut field = Field::open();
    let (mut dice, mut figures, mut times) = (Dice(seed()), Figures::default(), Times::default());
    let stalls = Stalls::watch();
    let mut taken: Vec<u64> = (0..3)
        .map(|warm| {
            let number = field.reset(&format!("Approve warm {}", word(warm)));
            field.takes(number)
        })
        .collect();
    taken.sort_unstable();
    let span = taken[1] * 2;
    let (mut aim, mut refused) = (taken[1], Vec::new());
    let clicked = |label: String| format!("clicked {label}");
    let mut meant: HashSet<String> = (0..3).map(|warm| clicked(format!("Approve warm {}", word(warm)))).collect();
    for trial in 0..trials {
        let label = format!("Approve {}", word(trial));
        let number = field.reset(&label);
        meant.insert(clicked(label.clone()));
        let kind = kinds[usize::try_from(dice.below(kinds.len() as u64)).unwrap()];
        // What is expected as a text may be part of a longer one.
        let is_text = dice.below(2) == 0;
        let change = match kind {
            "relabel" => format!("relabel {}", relabelled(&label, dice.below(if is_text { 2 } else { 4 }))),
            "move" => format!("move {} 60", 200 + dice.below(150)),
            other => other.to_owned(),
        };
        // Without the guard nothing tells which control a message would be for.
        let by = if dice.below(3) > 0 || !guarded { ClickBy::Pointer } else { ClickBy::Best };
        let expectation = if is_text { Expectation::Text(label.clone()) } else { Expectation::LastShown };
        let (before, begun) = (field.times(kind), Times::now());
        stalls.worst();
        // Half of them come about when the events do.
        let aimed = dice.below(2) == 0;
        let ms = if aimed { aim.saturating_sub(CLOSE) + dice.below(2 * CLOSE) } else { dice.below(span) };
        field.panel.tell_and_go(&format!("later {ms} {change}"));
        let outcome = field.stage.act_guarded(number, expectation, click(by), guarded);
        let came = figures.came.entry(kind).or_default();
        // The machine gets busier and less so: the aim follows. A window that moved is clicked where it went.
        if aimed && kind != "move" {
            let delivered = outcome.as_ref().is_ok_and(|r| r.verdict != Verdict::Contradicted);
            aim = if delivered { aim.saturating_sub(STEP) } else { aim + STEP };
        }
        if !outcome.as_ref().is_ok_and(|r| r.verdict != Verdict::Contradicted) {
            refused.push(clicked(label));
        }
        match outcome {
            Ok(receipt) if receipt.verdict == Verdict::Contradicted => came.refused += 1,
            Ok(_) => came.delivered += 1,
            Err(problem) => {
                came.problems += 1;
                *figures.said.entry(format!("{kind}: {}", problem.message)).or_default() += 1;
            }
        }
        // What is still to come belongs to this trial.
        assert!(stage::eventually(|| field.times(kind) > before), "{change}: {}", field.panel.log());
        times.stalls.push((begun, stalls.worst()));
        if trial % 50 == 49 {
            let so_far = figures.clone().judged(&field, (&meant, &refused), &mut times);
            eprintln!("{} changes: {so_far:?}", trial + 1);
        }
    }
    let figures = figures.judged(&field, (&meant, &refused), &mut times);
    eprintln!("guard {guarded}, {trials} changes over {span} ms, the last aimed at {aim} ms: {figures:?}");
    figures
}

#[test]
fn no_click_hits_what_was_not_meant() {
    let trials = trials();
    let figures = race(trials, &KINDS, true);
    assert_eq!(figures.wrong, Vec::<String>::new());
    assert_eq!(figures.denied, Vec::<String>::new(), "what is called withheld was not clicked");
    let late = figures.late.len();
    assert!(late * 100 <= trials.max(100), "the last look is too long before the click: {:?}", figures.late);
    // Refusing everything is no art.
    assert!(figures.delivered() >= trials / 4, "only {} were delivered", figures.delivered());
}

#[test]
fn without_the_guard_clicks_do_hit_what_was_not_meant() {
    // Of each kind as many are tried as it takes to see one.
    let hits = |f: &Figures| f.wrong.len() + f.late.len() + f.held_up.len();
    for kind in 0..KINDS.len() {
        let seen = (0..6).any(|_| hits(&race(20, &KINDS[kind..=kind], false)) > 0);
        assert!(seen, "the test proves nothing of {}", KINDS[kind]);
    }
}

#[test]
fn undisturbed_actions_are_confirmed() {
    let mut stage = Stage::open_win32();
    let _panel = stage.panel("Panel");
    let (mut done, mut confirmed) = (0, 0);
    for round in 0..10 {
        let keep = stage.number("checkbox", "Keep a copy");
        let name = stage.number("textbox", "Name");
        let size = stage.number("combobox", "Size");
        let row = stage.number("option", &format!("row {}", round % 5 + 1));
        let deeds = [
            (keep, Action::Check(round % 2 == 0)),
            (name, Action::Input(format!("名 {round}"))),
            (name, Action::Type { text: "é".into(), pace_ms: 0 }),
            (size, Action::Select(vec![["Small", "Medium"][round % 2].into()])),
            (row, click(if round < 5 { ClickBy::Best } else { ClickBy::Pointer })),
        ];
        for (on, action) in deeds {
            done += 1;
            let receipt = stage.act(on, action).unwrap();
            if receipt.verdict == Verdict::Confirmed {
                confirmed += 1;
            } else {
                eprintln!("{receipt:?}");
            }
        }
    }
    eprintln!("{confirmed} of {done} undisturbed actions confirmed");
    assert!(confirmed * 100 >= done * 99, "{confirmed} of {done}");
}
