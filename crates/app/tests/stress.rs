//! Two thousand changes of a page, racing with clicks: none may hit what was not meant, and undisturbed ones must hit.
//!
//! The page's own log judges: for every event that a button's own handler received, what the button said at that moment.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss

mod stage;

use handeye_commands::Session;
use handeye_engine::see::{Show, see};
use handeye_engine::{Ask, ClickBy, Deed, Expectation, Locator, act};
use handeye_scene::{Button, Evidence, Generation, Modifiers, Problem, Receipt, Ref, Verdict, Want};
use serde_json::{Value, json};
use stage::{Agent, Place, Site, say};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Numbers that depend on the seed alone (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

const KINDS: [&str; 5] = ["relabel", "move", "replace", "insert", "cover"];
/// Where on the event's way a change comes, before the button's own handlers.
const PLACES_INSIDE: [&str; 4] = ["window", "document", "button", "inner"];
const EVENTS: [&str; 8] =
    ["pointerover", "mousemove", "pointerdown", "mousedown", "focusin", "pointerup", "mouseup", "click"];

/// What is done to the page in one trial, as script, and its name.
fn disturbance(dice: &mut Dice, label: &str) -> (String, String) {
    let seed = dice.below(1 << 30);
    let kind = if dice.below(12) == 0 { "navigate" } else { dice.of(&KINDS) };
    // Mostly the target; sometimes another button, which may push the target aside.
    let victim = if dice.below(5) == 0 { "null".to_owned() } else { json!(label).to_string() };
    match dice.below(10) {
        0 => (format!("mutate({seed}, '{kind}', {victim})"), format!("{kind} before")),
        1..=3 => {
            // An action takes some 60 ms; the last part of them is the gesture.
            let ms = dice.below(90);
            (format!("mutateLater({seed}, '{kind}', {ms}, {victim})"), format!("{kind} meanwhile"))
        }
        4 => (format!("churn({seed}, {victim})"), "churn".to_owned()),
        5 => {
            let event = dice.of(&EVENTS);
            let how = dice.of(&["microtask", "frame", "task"]);
            (format!("ambushSoon({seed}, '{kind}', '{event}', '{how}', {victim})"), format!("{kind} {how} after"))
        }
        _ => {
            let (event, place) = (dice.of(&EVENTS), dice.of(&PLACES_INSIDE));
            let script = format!("ambush({seed}, '{kind}', '{event}', {victim}, '{place}')");
            (script, format!("{kind} inside"))
        }
    }
}

/// What came of a run.
#[derive(Debug, Default)]
struct Figures {
    trials: usize,
    delivered: usize,
    refused: usize,
    problems: usize,
    /// Done, but the page was left of its own before it could say what was hit; said as such.
    unsure: usize,
    /// Clicks, and presses, that a button received while it said something else than meant.
    wrong: usize,
    wrong_presses: usize,
    /// Actions that were said to be withheld, of which a click arrived all the same; and the reverse.
    denied: usize,
    claimed: usize,
    by_kind: BTreeMap<String, (usize, usize)>,
    time: Duration,
    examples: Vec<String>,
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { trials, delivered, refused, problems, unsure, wrong, wrong_presses, denied, claimed, .. } = self;
        let each = self.time.as_millis() / (*trials).max(1) as u128;
        write!(
            f,
            "{trials} trials: {delivered} delivered, {refused} refused, {problems} problems, {unsure} unverifiable, {wrong} wrong clicks, \
             {wrong_presses} wrong presses, {denied} clicked but called withheld, {claimed} called delivered but not \
             clicked, {each} ms a trial"
        )
    }
}

impl Figures {
    fn add(&mut self, other: Figures) {
        self.trials += other.trials;
        self.delivered += other.delivered;
        self.refused += other.refused;
        self.problems += other.problems;
        self.unsure += other.unsure;
        self.wrong += other.wrong;
        self.wrong_presses += other.wrong_presses;
        self.denied += other.denied;
        self.claimed += other.claimed;
        for (kind, (tried, delivered)) in other.by_kind {
            let sum = self.by_kind.entry(kind).or_default();
            *sum = (sum.0 + tried, sum.1 + delivered);
        }
        self.examples.extend(other.examples);
        self.time = self.time.max(other.time);
    }
}

/// One trial: what was meant and done to the page, what was said of it, and what the page received.
struct Trial {
    label: String,
    name: String,
    outcome: Result<Receipt, Problem>,
    log: Vec<Value>,
}

struct Run {
    site: Site,
    agent: Agent,
    dice: Dice,
    guarded: bool,
    figures: Figures,
}

impl Run {
    async fn new(seed: u64, place: Place, guarded: bool) -> Self {
        let site = Site::new();
        let mut agent = Agent::new();
        agent.open(&place.url(&site, "/stress/", "")).await;
        site.arrived("case", 0);
        Self { site, agent, dice: Dice(seed), guarded, figures: Figures::default() }
    }

    async fn go(mut self, trials: usize) -> Figures {
        let start = Instant::now();
        let mut trials_so_far: Vec<Trial> = Vec::new();
        for trial in 0..trials {
            let (number, label) = self.pick().await;
            let (script, name) = disturbance(&mut self.dice, &label);
            let begin =
                format!("{{ const past = log.splice(0); window.trial = {trial}; stopChurning(); {script}; past }}");
            let past = self.site.run("case", &begin);
            if let Some(last) = trials_so_far.last_mut() {
                last.log.extend(past.as_array().cloned().unwrap_or_default());
            }
            let expectation = match self.dice.below(2) {
                0 => Expectation::LastShown,
                _ => Expectation::Text(label.clone()),
            };
            let outcome = self.click(number, expectation).await;
            trials_so_far.push(Trial { label, name, outcome, log: Vec::new() });
        }
        let past = self.site.run("case", "log.splice(0)");
        trials_so_far.last_mut().unwrap().log.extend(past.as_array().cloned().unwrap_or_default());
        // What pages that were left had written down; it may come at any time.
        for report in self.site.reports() {
            let trial = report["trial"].as_u64().and_then(|n| trials_so_far.get_mut(n as usize));
            let entries = report["log"].as_array().cloned().unwrap_or_default();
            // A page that nobody has spoken to yet denies all input.
            let Some(trial) = trial else { panic!("a new page received {entries:?}") };
            trial.log.extend(entries);
        }
        for trial in trials_so_far {
            self.judge(trial);
        }
        self.figures.time = start.elapsed();
        self.figures
    }

    /// A button, and what the agent is shown of it.
    async fn pick(&mut self) -> (Ref, String) {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let Session { surface, eye, .. } = &mut self.agent.session;
            let capture = surface.as_mut().unwrap().capture(Want::default()).await.unwrap();
            let view = see(&capture, eye, Show::default(), Generation(0), String::new()).unwrap();
            let buttons: Vec<_> = view.snapshot.targets.iter().filter(|t| t.role == "button").collect();
            assert!(Instant::now() < deadline, "no buttons are seen: {:?}", view.snapshot);
            // A page that is just being loaded has none yet.
            if let Some(button) = buttons.get(self.dice.below(buttons.len().clamp(1, 40))) {
                return (button.r#ref, button.name.clone());
            }
            self.agent.session.surface().unwrap().changed(Duration::from_millis(200)).await.unwrap();
        }
    }

    async fn click(&mut self, number: Ref, expectation: Expectation) -> Result<Receipt, Problem> {
        let ask = Ask {
            locators: vec![Locator::Ref(number)],
            expectation,
            deed: Deed::Click {
                button: Button::Left,
                count: 1,
                modifiers: Modifiers::default(),
                by: ClickBy::Pointer,
                offset: None,
            },
            act_on_unverifiable: false,
            barred: Vec::new(),
            only_in: None,
            guarded: self.guarded,
            ready: Duration::from_millis(600),
            settle: Duration::from_millis(5),
            changes: 4,
        };
        let (surface, eye, clock) = self.agent.session.parts().unwrap();
        let limit = Duration::from_secs(30);
        tokio::time::timeout(limit, act(surface, eye, clock.as_ref(), &ask))
            .await
            .unwrap_or_else(|_| panic!("no end: {ask:?}"))
    }

    fn judge(&mut self, trial: Trial) {
        let log = &trial.log;
        let wrong = |kinds: &[&str]| {
            log.iter().filter(|e| kinds.iter().any(|k| e["type"] == *k) && e["label"] != trial.label.as_str()).count()
        };
        let clicked = log.iter().any(|e| e["type"] == "click");
        // A page that leaves at the press got what it waited for.
        let left = trial.outcome.as_ref().is_ok_and(|r| {
            let leaves = |e: &Evidence| matches!(e, Evidence::Navigated { .. } | Evidence::DocumentNavigated { .. });
            r.evidence.iter().any(leaves)
        });
        let figures = &mut self.figures;
        figures.trials += 1;
        figures.wrong += wrong(&["click"]);
        figures.wrong_presses += wrong(&["pointerdown", "mousedown", "pointerup", "mouseup"]);
        let delivered = match &trial.outcome {
            Ok(receipt) => matches!(receipt.verdict, Verdict::Confirmed | Verdict::NoEffect),
            Err(_) => false,
        };
        let unsure = trial.outcome.as_ref().is_ok_and(|r| r.verdict == Verdict::Unverifiable);
        match &trial.outcome {
            _ if delivered => figures.delivered += 1,
            _ if unsure => figures.unsure += 1,
            Ok(_) => figures.refused += 1,
            Err(_) => figures.problems += 1,
        }
        figures.denied += usize::from(clicked && !delivered && !unsure);
        let pressed = log.iter().any(|e| e["type"] == "mousedown");
        figures.claimed += usize::from(delivered && !clicked && !(pressed && left));
        let sum = figures.by_kind.entry(trial.name.clone()).or_default();
        *sum = (sum.0 + 1, sum.1 + usize::from(delivered));
        let odd = wrong(&["click", "pointerdown", "mousedown", "pointerup", "mouseup"]) > 0
            || clicked != delivered && !unsure;
        if odd && figures.examples.len() < 12 {
            figures.examples.push(format!("{} on {:?}: {:?}; {}", trial.name, trial.label, trial.outcome, json!(log)));
        }
    }
}

/// So many trials in each of these places, in two browsers at a time.
async fn run(seed: u64, guarded: bool, parts: &[(Place, usize)]) -> Figures {
    let lane = |parity: usize| {
        let parts: Vec<_> = parts.iter().copied().enumerate().filter(|(i, _)| i % 2 == parity).collect();
        tokio::spawn(async move {
            let mut sum = Figures::default();
            for (i, (place, trials)) in parts {
                let figures = Run::new(seed + i as u64, place, guarded).await.go(trials).await;
                say(&format!("stress, {place:?}, guard {}: {figures}", if guarded { "on" } else { "off" }));
                let time = sum.time + figures.time;
                sum.add(figures);
                sum.time = time;
            }
            sum
        })
    };
    let (one, two) = (lane(0), lane(1));
    let mut sum = one.await.unwrap();
    sum.add(two.await.unwrap());
    sum
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_click_hits_what_was_not_meant() {
    let parts = [
        (Place::Main, 500),
        (Place::Closed, 300),
        (Place::Iframe, 200),
        (Place::Open, 200),
        (Place::ForeignClosed, 200),
        (Place::Main, 400),
        (Place::Foreign, 200),
    ];
    let figures = run(1, true, &parts).await;
    say(&format!("stress, all, guard on: {figures}"));
    for (kind, (tried, delivered)) in &figures.by_kind {
        say(&format!("  {kind}: {delivered} of {tried} delivered"));
    }
    for example in &figures.examples {
        say(example);
    }
    assert_eq!(figures.trials, 2000);
    assert_eq!(figures.wrong, 0);
    assert_eq!(figures.wrong_presses, 0);
    assert_eq!(figures.denied, 0, "what is called withheld was not clicked");
    assert_eq!(figures.claimed, 0, "what is called clicked was");
    // Refusing everything is no art.
    assert!(figures.delivered >= 600, "only {} were delivered", figures.delivered);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_the_guard_clicks_do_hit_what_was_not_meant() {
    let figures = run(1, false, &[(Place::Main, 80), (Place::Foreign, 40)]).await;
    say(&format!("stress, all, guard off: {figures}"));
    assert!(figures.wrong > 0, "the test proves nothing: {figures}");
}
