//! One change of one target at one moment of a click, and what came of it.

use super::{Got, Kind, On, Stand, is_refused, told};
use handeye_engine::ClickBy;
use handeye_scene::{Problem, Receipt, Verdict};
use serde_json::Value;
use std::collections::BTreeMap;

const TABLE: &str = include_str!("../../../../fixtures/matching.json");

/// A text, what becomes of it, and whether a click is still meant then.
#[derive(Debug, Clone)]
pub struct Change {
    pub id: String,
    pub from: String,
    pub to: String,
    pub allowed: bool,
}

/// All of the table.
pub fn changes() -> Vec<Change> {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let text = |of: &Value, name: &str| of[name].as_str().unwrap().to_owned();
    let change = |row: &Value| Change {
        id: text(row, "id"),
        from: text(row, "from"),
        to: text(row, "to"),
        allowed: row["allowed"].as_bool().unwrap(),
    };
    table["changes"].as_array().unwrap().iter().map(change).collect()
}

/// When a text changes: between the look and the click, or inside the app's own handler of an event, before the toolkit's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    Between,
    Enter,
    Motion,
    Press,
    Release,
}

pub const MOMENTS: [When; 5] = [When::Between, When::Enter, When::Motion, When::Press, When::Release];

impl When {
    fn event(self) -> Option<&'static str> {
        match self {
            When::Between => None,
            When::Enter => Some("enter"),
            When::Motion => Some("motion"),
            When::Press => Some("press"),
            When::Release => Some("release"),
        }
    }
}

impl On {
    fn when(self) -> When {
        match self {
            On::Press => When::Press,
            On::Release => When::Release,
        }
    }
}

/// What is tried.
#[derive(Debug, Clone)]
pub struct Case {
    pub kind: &'static Kind,
    pub change: Change,
    pub when: When,
    pub by: ClickBy,
}

/// What came of it.
#[derive(Debug)]
pub struct Trial {
    case: Case,
    toolkit: &'static str,
    id: String,
    outcome: Result<Receipt, Problem>,
}

impl Stand {
    /// Tries a case.
    pub async fn attempt(&mut self, case: Case) -> Trial {
        let Case { kind, change, when, by } = &case;
        let (id, number) = self.put(kind, &change.from).await;
        let line = format!("change {id} {}", Value::from(change.to.as_str()));
        match when.event() {
            None => self.tell(&line).await,
            Some(event) => self.tell(&format!("during {event} {id} {line}")).await,
        }
        let outcome = self.click(number, *by).await;
        if !is_refused(&outcome) {
            self.gets(&id).await;
        }
        Trial { toolkit: self.toolkit.name, id, outcome, case }
    }
}

/// What came of many.
#[derive(Debug, Default)]
pub struct Figures {
    pub trials: usize,
    pub delivered: usize,
    pub wrong: usize,
    pub false_refusals: usize,
    /// Said to be withheld, though the app got it.
    pub denied: usize,
    /// Said to be done, though nothing got it.
    pub claimed: usize,
    /// Acted on what the app changed in its handler of the very event in which it acts.
    pub too_late: usize,
    /// By what went wrong, toolkit, kind and moment.
    faults: BTreeMap<String, usize>,
    examples: Vec<String>,
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { trials, delivered, wrong, false_refusals, denied, claimed, too_late, .. } = self;
        write!(
            f,
            "{trials} trials: {delivered} delivered, {wrong} wrong, {false_refusals} false refusals, {denied} got but called \
             withheld, {claimed} called done but not got, {too_late} changed in the event in which they act"
        )
    }
}

impl Figures {
    /// Judges trials by the log of their app.
    pub fn judge(trials: &[Trial], log: &str) -> Self {
        let mut got: BTreeMap<String, Vec<Got>> = BTreeMap::new();
        for line in log.lines().filter_map(Got::read) {
            got.entry(line.id.clone()).or_default().push(line);
        }
        let mut figures = Self::default();
        for trial in trials {
            let did = trial.case.when.event().is_none_or(|event| {
                let line = format!("did {event} {}", trial.id);
                log.lines().any(|l| l == line)
            });
            figures.add_one(trial, got.get(&trial.id).map_or(&[], |got| got), did);
        }
        figures
    }

    fn add_one(&mut self, trial: &Trial, got: &[Got], did: bool) {
        let Trial { case, outcome, .. } = trial;
        // From then on nothing can be stopped.
        let in_time = did && case.when < case.kind.on.when();
        // The app changes it when it acts, or once nothing stops it.
        let late = did && case.when >= case.kind.on.when();
        // Then anything may come of it, if only it is told as it was.
        let excused = did && case.when == case.kind.on.when();
        let meant = case.change.allowed || !in_time;
        let refused = is_refused(outcome);
        let vouched = outcome.as_ref().is_ok_and(|r| matches!(r.verdict, Verdict::Confirmed | Verdict::NoEffect));
        let changed = got.iter().any(|got| got.text == case.change.to) && !case.change.allowed;
        let wrong = changed && !late;
        self.trials += 1;
        self.delivered += usize::from(!got.is_empty());
        self.too_late += usize::from(changed && late);
        let faults = [
            (wrong, "wrong", &mut self.wrong),
            (meant && !excused && got.is_empty(), "false refusal", &mut self.false_refusals),
            (refused && !got.is_empty(), "denied", &mut self.denied),
            (vouched && !excused && got.is_empty(), "claimed", &mut self.claimed),
        ];
        for (is, what, count) in faults {
            if !is {
                continue;
            }
            *count += 1;
            let place = format!("{what}: {} {} {:?}", trial.toolkit, case.kind.id, case.when);
            let example = format!(
                "{place}, {} by {:?}: {}; got {}",
                case.change.id,
                case.by,
                told(outcome),
                got.iter().map(|got| format!("{} {:?}", got.by, got.text)).collect::<Vec<_>>().join(", ")
            );
            *self.faults.entry(place).or_default() += 1;
            self.examples.push(example);
        }
    }

    pub fn add(&mut self, other: Self) {
        self.trials += other.trials;
        self.delivered += other.delivered;
        self.wrong += other.wrong;
        self.false_refusals += other.false_refusals;
        self.denied += other.denied;
        self.claimed += other.claimed;
        self.too_late += other.too_late;
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.examples.extend(other.examples);
    }

    /// All of it, for a person.
    pub fn report(&self) -> String {
        let faults: Vec<String> = self.faults.iter().map(|(fault, count)| format!("{fault} {count}")).collect();
        let examples: Vec<&str> = self.examples.iter().take(60).map(String::as_str).collect();
        format!("{self}\n  {}\n{}", faults.join("\n  "), examples.join("\n"))
    }
}
