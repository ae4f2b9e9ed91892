//! Changes of a page, racing with clicks: none may hit what was not meant, and undisturbed ones must hit.
//!
//! The page's own log judges: for every event that a target's own handler received, what it said at that moment. Three
//! hundred changes by default, of buttons that move, go and come, and of every kind of target in `fixtures/matching.json`;
//! with `HANDEYE_TRIALS=full`, ten thousand.

use handeye_commands::Session;
use handeye_engine::act;
use handeye_engine::observe::snapshot::{Show, see};
use handeye_engine::{Action, ActionRequest, AimedAt, ClickBy, Expectation, Locator};
use handeye_scene::{Button, DeniedOrigins, Evidence, Generation, Modifiers, Problem, Receipt, Ref, Verdict, Want};
use handeye_testkit::board::Board;
use handeye_testkit::board::figures::Figures as Races;
use handeye_testkit::board::races::{every_way, race, race_opened, race_these};
use handeye_testkit::stage::{Agent, PLACES, Place, Site, say};
use handeye_testkit::{Dice, trials};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const KINDS: [&str; 5] = ["relabel", "move", "replace", "insert", "cover"];
/// Where on the event's way a change comes, before the button's own handlers.
const PLACES_INSIDE: [&str; 4] = ["window", "document", "button", "inner"];
const EVENTS: [&str; 8] =
    ["pointerover", "mousemove", "pointerdown", "mousedown", "focusin", "pointerup", "mouseup", "click"];

fn of(dice: &mut Dice, all: &[&'static str]) -> &'static str {
    dice.pick(all).copied().unwrap_or_default()
}

/// What is done to the page in one trial, as script, and its name.
fn disturbance(dice: &mut Dice, label: &str) -> (String, String) {
    let seed = dice.below(1 << 30);
    let kind = if dice.below(12) == 0 { "navigate" } else { of(dice, &KINDS) };
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
            let event = of(dice, &EVENTS);
            let how = of(dice, &["microtask", "frame", "task"]);
            (format!("ambushSoon({seed}, '{kind}', '{event}', '{how}', {victim})"), format!("{kind} {how} after"))
        }
        _ => {
            let (event, place) = (of(dice, &EVENTS), of(dice, &PLACES_INSIDE));
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
    /// Done by a press that the page answered, and said so.
    by_press: usize,
    by_kind: BTreeMap<String, (usize, usize)>,
    time: Duration,
    examples: Vec<String>,
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            trials, delivered, refused, problems, unsure, wrong, wrong_presses, denied, claimed, by_press, ..
        } = self;
        let each = self.time.as_millis() / (*trials).max(1) as u128;
        write!(
            f,
            "{trials} trials: {delivered} delivered ({by_press} by the press alone), {refused} refused, {problems} problems, {unsure} unverifiable, {wrong} wrong clicks, \
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
        self.by_press += other.by_press;
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
    async fn new(seed: u64, place: Place, guarded: bool, mut agent: Agent) -> Self {
        let site = Site::new();
        agent.open(&place.url(&site, "/stress/", "")).await;
        site.arrived("case", 0);
        Self { site, agent, dice: Dice::new(seed), guarded, figures: Figures::default() }
    }

    async fn go(mut self, trials: usize) -> (Figures, Agent) {
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
        (self.figures, self.agent)
    }

    /// A button, and what the agent is shown of it.
    async fn pick(&mut self) -> (Ref, String) {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let Session { surface, memory, .. } = &mut self.agent.session;
            let capture = surface.as_mut().unwrap().capture(Want::default()).await.unwrap();
            let view = see(&capture, memory, Show::default(), Generation(0), String::new()).unwrap();
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
        let request = ActionRequest {
            aim: AimedAt::Target(vec![Locator::Ref(number)]),
            expectation,
            action: Action::Click {
                button: Button::Left,
                count: 1,
                modifiers: Modifiers::default(),
                by: ClickBy::Pointer,
                offset: None,
            },
            act_on_unverifiable: false,
            denied: DeniedOrigins::default(),
            only_in: None,
            guarded: self.guarded,
            ready: Duration::from_millis(600),
            settle: Duration::from_millis(5),
            effect: Duration::ZERO,
            changes: 4,
        };
        let (surface, memory, clock) = self.agent.session.parts().unwrap();
        let limit = Duration::from_secs(30);
        tokio::time::timeout(limit, act(surface, memory, clock.as_ref(), &request))
            .await
            .unwrap_or_else(|_| panic!("no end: {request:?}"))
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
            Ok(receipt) => matches!(receipt.verdict, Verdict::Confirmed | Verdict::NoEffect) || wrote_down(receipt),
            Err(_) => false,
        };
        let unsure = trial.outcome.as_ref().is_ok_and(|r| r.verdict == Verdict::Unverifiable) && !delivered;
        match &trial.outcome {
            _ if delivered => figures.delivered += 1,
            _ if unsure => figures.unsure += 1,
            Ok(_) => figures.refused += 1,
            Err(_) => figures.problems += 1,
        }
        figures.denied += usize::from(clicked && !delivered && !unsure);
        let pressed = log.iter().any(|e| e["type"] == "mousedown" || e["type"] == "pointerdown");
        // What a page does inside the events of a press is its answer to it.
        let answered = trial.outcome.as_ref().is_ok_and(|r| r.by.as_deref() == Some("the press alone"));
        figures.by_press += usize::from(answered && delivered);
        figures.claimed += usize::from(delivered && !clicked && !(pressed && (left || answered)));
        // Nor is a click told of as none.
        figures.denied += usize::from(answered && clicked);
        let sum = figures.by_kind.entry(trial.name.clone()).or_default();
        *sum = (sum.0 + 1, sum.1 + usize::from(delivered));
        let odd = wrong(&["click", "pointerdown", "mousedown", "pointerup", "mouseup"]) > 0
            || clicked != delivered && !unsure;
        if odd && figures.examples.len() < 12 {
            figures.examples.push(format!("{} on {:?}: {:?}; {}", trial.name, trial.label, trial.outcome, json!(log)));
        }
    }
}

/// Whether all that was seen of a click is that the page wrote it down, as it does each that it hears.
fn wrote_down(receipt: &Receipt) -> bool {
    let is_log = |e: &Evidence| matches!(e, Evidence::Mutated { what, .. } if what.iter().all(|m| m.property == "local storage"));
    receipt.verdict == Verdict::Unverifiable && !receipt.evidence.is_empty() && receipt.evidence.iter().all(is_log)
}

/// How many trials in each of these places, in two browsers at a time.
async fn run(seed: u64, guarded: bool, parts: &[(Place, usize)]) -> Figures {
    let lane = |parity: usize| {
        let parts: Vec<_> = parts.iter().copied().enumerate().filter(|(i, _)| i % 2 == parity).collect();
        tokio::spawn(async move {
            let mut sum = Figures::default();
            let mut agent = Agent::new();
            for (i, (place, trials)) in parts {
                let (figures, same) = Box::pin(Run::new(seed + i as u64, place, guarded, agent).await.go(trials)).await;
                agent = same;
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

/// These shares of `all`.
fn share(all: usize, shares: &[(Place, usize)]) -> Vec<(Place, usize)> {
    let sum: usize = shares.iter().map(|s| s.1).sum();
    shares.iter().map(|(place, share)| (*place, (all * share).div_ceil(sum))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_click_hits_what_was_not_meant() {
    let shares = [
        (Place::Main, 5),
        (Place::Closed, 3),
        (Place::Iframe, 2),
        (Place::Open, 2),
        (Place::ForeignClosed, 2),
        (Place::Main, 4),
        (Place::Foreign, 2),
    ];
    let all = trials(64, 3000);
    let figures = run(1, true, &share(all, &shares)).await;
    say(&format!("stress, all, guard on: {figures}"));
    for (kind, (tried, delivered)) in &figures.by_kind {
        say(&format!("  {kind}: {delivered} of {tried} delivered"));
    }
    for example in &figures.examples {
        say(example);
    }
    assert!(figures.trials >= all);
    assert_eq!(figures.wrong, 0);
    assert_eq!(figures.wrong_presses, 0);
    assert_eq!(figures.denied, 0, "what is called withheld was not clicked");
    assert_eq!(figures.claimed, 0, "what is called clicked was");
    // Refusing everything is no art.
    assert!(figures.delivered * 10 >= figures.trials * 3, "only {} were delivered", figures.delivered);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "long: runs with cargo xtask test --full"]
async fn without_the_guard_clicks_do_hit_what_was_not_meant() {
    let figures = run(1, false, &[(Place::Main, 40), (Place::Foreign, 20)]).await;
    say(&format!("stress, all, guard off: {figures}"));
    assert!(figures.wrong > 0, "the test proves nothing: {figures}");
}

/// Races of every kind of target, a share of them in each place: in a browser of ours, then in one that ran before.
async fn race_everywhere(launched: usize, attached: usize) -> Races {
    let ours = tokio::spawn(async move {
        let mut sum = Races::default();
        let mut agent = Agent::new();
        for (i, place) in PLACES.into_iter().enumerate() {
            let mut dice = Dice::new(100 + i as u64);
            let mut board = Board::opened(agent, place, true).await;
            sum.add(race(&mut board, &mut dice, launched.div_ceil(PLACES.len())).await);
            if !place.framed() || place == Place::Foreign {
                sum.add(race_opened(&mut board, &mut dice, launched.div_ceil(60)).await);
            }
            agent = board.agent;
        }
        say(&format!("races, launched: {sum}\n{}", sum.by_class()));
        sum
    });
    let theirs = tokio::spawn(async move {
        let mut sum = Races::default();
        let places = [Place::Main, Place::Foreign, Place::Closed];
        for (i, place) in places.into_iter().enumerate() {
            let mut dice = Dice::new(200 + i as u64);
            let (mut board, _running) = Board::attached(place, true).await;
            sum.add(race(&mut board, &mut dice, attached.div_ceil(places.len())).await);
        }
        say(&format!("races, attached: {sum}\n{}", sum.by_class()));
        sum
    });
    let mut sum = ours.await.unwrap();
    sum.add(theirs.await.unwrap());
    sum
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_change_of_any_kind_of_target_gets_clicked() {
    let figures = race_everywhere(trials(60, 5000), trials(24, 2000)).await;
    say(&format!("races, all: {}", figures.report()));
    assert_eq!(figures.unlisted, 0);
    assert_eq!((figures.wrong, figures.wrong_presses), (0, 0));
    assert_eq!((figures.denied, figures.claimed), (0, 0));
    assert_eq!(figures.false_refusals, 0);
    let (undisturbed, confirmed) = figures.undisturbed;
    assert!(confirmed * 100 >= undisturbed * 99, "{confirmed} of {undisturbed} confirmed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "long: runs with cargo xtask test --full"]
async fn without_the_guard_every_way_to_change_a_target_gets_clicked() {
    let launched = tokio::spawn(async {
        let mut figures = Races::default();
        let mut board = Board::launched(Place::Main, false).await;
        figures.add(race_these(&mut board, every_way()).await);
        figures.add(race_opened(&mut board, &mut Dice::new(3), 12).await);
        figures
    });
    let attached = tokio::spawn(async {
        let (mut board, _running) = Board::attached(Place::Main, false).await;
        race_these(&mut board, every_way()).await
    });
    for figures in [launched.await.unwrap(), attached.await.unwrap()] {
        say(&format!("races, guard off: {figures}\n{}", figures.by_class()));
        let silent: Vec<_> = figures.classes.iter().filter(|(_, sums)| sums.2 == 0).map(|(class, _)| class).collect();
        assert!(silent.is_empty(), "the test proves nothing of {silent:?}");
    }
}
