//! Changes of a window racing with clicks: none may hit what was not meant, and undisturbed actions must be confirmed.
//!
//! The window's own log judges: what its button said when it was clicked.
#![cfg(windows)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)] // a test may stop at the first thing amiss

mod stage;

use handeye_engine::{ClickBy, Deed, Expectation};
use handeye_scene::{Ref, State, Verdict};
use stage::{Stage, click};
use std::time::{Duration, Instant};

/// How many changes race; more by `HANDEYE_TRIALS`.
fn trials() -> usize {
    std::env::var("HANDEYE_TRIALS").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

/// What had changed so many milliseconds before the click can't be seen in time: nothing outside of a program can look and
/// click in one go.
const LATE: u32 = 10;

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

/// What came of a run.
#[derive(Debug, Default)]
struct Figures {
    delivered: usize,
    refused: usize,
    problems: usize,
    /// Clicks on what was not meant.
    wrong: Vec<String>,
    /// The same within [`LATE`] of the change.
    late: Vec<String>,
}

fn race(trials: usize, kinds: u64, guarded: bool) -> Figures {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Panel");
    let (mut dice, mut figures) = (Dice(1), Figures::default());
    let mut taken = Vec::new();
    for trial in 0..trials + 3 {
        let label = format!("Approve {}", word(trial));
        panel.tell(&format!("reset {label}"));
        panel.tell("move 40 40");
        let number = shown(&mut stage, &label);
        let clicked = |log: &str| log.lines().filter(|l| l.starts_with("clicked Approve ")).count();
        if trial < 3 {
            // How long it is until a click arrives, undisturbed.
            let (begun, before, log) = (Instant::now(), clicked(&panel.log()), panel.log_path());
            let watch = std::thread::spawn(move || {
                let log = || std::fs::read_to_string(&log).unwrap_or_default();
                stage::eventually(|| clicked(&log()) > before);
                begun.elapsed()
            });
            stage.click(number, ClickBy::Pointer).unwrap();
            taken.push(u64::try_from(watch.join().unwrap().as_millis()).unwrap());
            continue;
        }
        let change = match dice.below(kinds) {
            0 => format!("relabel Delete {}", word(trial)),
            1 => "remove".to_owned(),
            2 => "cover".to_owned(),
            _ => format!("move {} 60", 200 + dice.below(150)),
        };
        let by = if dice.below(3) > 0 { ClickBy::Pointer } else { ClickBy::Best };
        let stated = dice.below(2) == 0;
        let did = format!("did {}", change.split(' ').next().unwrap());
        let times = |log: String| log.lines().filter(|l| *l == did).count();
        let before = times(panel.log());
        taken.sort();
        panel.tell_and_go(&format!("later {} {change}", dice.below(taken[1] * 13 / 10 + 10)));
        let expectation = if stated { Expectation::Text(label) } else { Expectation::LastShown };
        match stage.act_guarded(number, expectation, click(by), guarded) {
            Ok(receipt) if receipt.verdict == Verdict::Contradicted => figures.refused += 1,
            Ok(_) => figures.delivered += 1,
            Err(_) => figures.problems += 1,
        }
        // What is still to come belongs to this trial.
        assert!(stage::eventually(|| times(panel.log()) > before), "{change}: {}", panel.log());
    }
    panel.tell("uncover");
    let log = panel.log();
    let lines: Vec<&str> = log.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let meant = line.starts_with("clicked Approve ");
        if line.starts_with("clicked ") && !meant || line.starts_with("Cover: left") {
            let after = lines.get(at + 1).and_then(|l| l.split_once(" ms after"));
            let late = after.and_then(|l| l.0.parse::<u32>().ok()).is_some_and(|ms| ms <= LATE);
            let told = format!("{line}, {}", lines.get(at + 1).unwrap_or(&""));
            if late { &mut figures.late } else { &mut figures.wrong }.push(told);
        }
    }
    eprintln!("guard {guarded}, {trials} changes over {} ms: {figures:?}", taken[1] * 13 / 10 + 10);
    figures
}

#[test]
fn no_click_hits_what_was_not_meant() {
    let trials = trials();
    let figures = race(trials, 4, true);
    assert_eq!(figures.wrong, Vec::<String>::new());
    assert!(figures.late.len() <= trials / 100, "the last look is too long before the click: {:?}", figures.late);
    // Refusing everything is no art.
    assert!(figures.delivered >= trials / 4, "only {} were delivered", figures.delivered);
}

#[test]
fn without_the_guard_clicks_do_hit_what_was_not_meant() {
    // New labels only: what is gone or covered can't be clicked in any case.
    let figures = race(60, 1, false);
    assert!(!figures.wrong.is_empty() || !figures.late.is_empty(), "the test proves nothing: {figures:?}");
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
            (keep, Deed::Check(round % 2 == 0)),
            (name, Deed::Input(format!("名 {round}"))),
            (name, Deed::Type { text: "é".into(), pace_ms: 0 }),
            (size, Deed::Select(vec![["Small", "Medium"][round % 2].into()])),
            (row, click(if round < 5 { ClickBy::Best } else { ClickBy::Pointer })),
        ];
        for (on, deed) in deeds {
            done += 1;
            let receipt = stage.act(on, deed).unwrap();
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
