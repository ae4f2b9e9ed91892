//! Changes of every kind of target that come about by themselves, at any time before and within a click.

use super::trial::{Change, changes};
use super::{Got, Kind, Stand, Toolkit, is_refused, told};
use crate::Dice;
use handeye_engine::ClickBy;
use handeye_scene::{Problem, Receipt, Verdict};
use serde_json::Value;
use std::collections::BTreeMap;

/// What becomes of a target. `nothing`: only the time is taken.
pub const WAYS: [&str; 9] = ["change", "change", "change", "replace", "drop", "order", "shift", "cover", "nothing"];
/// A change that is to come close comes within so many milliseconds of the event.
const CLOSE: usize = 8;
/// How far the aim follows what came of a change.
const STEP: usize = 2;
/// How many clicks are timed for that, undisturbed.
const TIMED: usize = 6;

/// A race.
struct Race {
    kind: &'static Kind,
    change: Change,
    way: &'static str,
    ms: usize,
    id: String,
    outcome: Result<Receipt, Problem>,
    /// What was there before it: that may have opened something.
    before: &'static str,
}

/// What came of many.
#[derive(Debug, Default)]
pub struct Figures {
    pub races: usize,
    pub delivered: usize,
    pub wrong: Vec<String>,
    /// Called withheld though it was got, or done though it wasn't.
    pub misreported: Vec<String>,
    /// How many races were either.
    pub amiss: usize,
    /// Of those that nothing happened to: how many there were, and how many were done.
    pub undisturbed: (usize, usize),
    /// By way: how many there were, delivered, and wrong.
    pub ways: BTreeMap<&'static str, (usize, usize, usize)>,
    examples: Vec<String>,
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { races, delivered, wrong, misreported, undisturbed, ways, examples, .. } = self;
        write!(
            f,
            "{races} races: {delivered} delivered, {} wrong, {} misreported, {} of {} undisturbed done; {ways:?}\n{}",
            wrong.len(),
            misreported.len(),
            undisturbed.1,
            undisturbed.0,
            wrong.iter().chain(misreported).chain(examples).cloned().collect::<Vec<_>>().join("\n")
        )
    }
}

impl Figures {
    fn judge(&mut self, race: &Race, got: &[Got]) {
        let Race { change, outcome, way, kind, .. } = race;
        // Of several targets of a kind, `x` is the other one.
        let other = format!("x{}", race.id);
        let mine = |got: &&Got| got.id == race.id;
        let meant =
            |got: &Got| got.id == race.id && (got.text == change.from || change.allowed && got.text == change.to);
        let of_it: Vec<&Got> = got.iter().filter(|got| got.id == race.id || got.id == other).collect();
        let wrong = of_it.iter().any(|got| !meant(got));
        let arrived = of_it.iter().any(mine);
        let vouched = outcome.as_ref().is_ok_and(|r| matches!(r.verdict, Verdict::Confirmed | Verdict::NoEffect));
        // That it is gone is all that many a click brings about: whether this one did nobody can see.
        let is_claimed = vouched && !arrived && *way != "drop";
        let misreported = is_refused(outcome) && !of_it.is_empty() || is_claimed;
        self.amiss += usize::from(wrong || misreported);
        self.races += 1;
        self.delivered += usize::from(arrived);
        let sum = self.ways.entry(way).or_default();
        *sum = (sum.0 + 1, sum.1 + usize::from(arrived), sum.2 + usize::from(wrong));
        let told = format!(
            "{} after {}, {way} after {} ms, {}: {}; got {:?}",
            kind.id,
            race.before,
            race.ms,
            change.id,
            told(outcome),
            of_it.iter().map(|got| (&got.id, &got.by, &got.text, got.after)).collect::<Vec<_>>()
        );
        if *way == "nothing" {
            self.undisturbed.0 += 1;
            self.undisturbed.1 += usize::from(arrived && !is_refused(outcome));
            if !arrived {
                self.examples.push(format!("not done: {told}"));
            }
        }
        if wrong {
            self.wrong.push(format!("wrong: {told}"));
        }
        if misreported {
            self.misreported.push(format!("misreported: {told}"));
        }
    }
}

/// How many races on a desktop of its own. Of `only` some ways, where there are any.
pub async fn race(
    toolkit: &'static Toolkit,
    seed: u64,
    races: usize,
    guarded: bool,
    only: &[&'static str],
) -> Option<Figures> {
    let mut stand = Stand::open(toolkit, guarded).await?;
    let mut dice = Dice::new(seed);
    let kinds: Vec<&'static Kind> = toolkit.kinds.iter().filter(|kind| !kind.option).collect();
    let changes = changes();
    let ways = if only.is_empty() { &WAYS[..] } else { only };
    let mut aims: BTreeMap<&str, usize> = BTreeMap::new();
    let mut done: Vec<Race> = Vec::new();
    let mut lags = Vec::new();
    for turn in 0..TIMED {
        let race = one(&mut stand, kinds[turn % kinds.len()], changes[turn].clone(), "nothing", 0).await;
        lags.extend(stand.got(&race.id).first().map(|got| got.after as usize));
    }
    lags.sort_unstable();
    let usual = lags.get(lags.len() / 2).copied().unwrap_or(100);
    for _ in 0..races {
        let kind = kinds[dice.below(kinds.len())];
        let change = changes[dice.below(changes.len())].clone();
        let way = ways[dice.below(ways.len())];
        let aim = aims.entry(kind.id).or_insert(usual);
        let aimed = dice.below(3) > 0;
        let ms = if aimed { (*aim + dice.below(2 * CLOSE)).saturating_sub(CLOSE) } else { dice.below(usual * 2) };
        let mut race = one(&mut stand, kind, change, way, ms).await;
        race.before = done.last().map_or("nothing", |last| last.kind.id);
        if aimed {
            // Kinds differ, and the machine gets busier and less so: the aim follows.
            let aim = aims.entry(kind.id).or_insert(usual);
            *aim = if is_refused(&race.outcome) { *aim + STEP } else { aim.saturating_sub(STEP) };
        }
        done.push(race);
    }
    stand.tell("busy 300").await;
    let log = stand.panel.log();
    let got: Vec<Got> = log.lines().filter_map(Got::read).collect();
    let mut figures = Figures::default();
    for race in &done {
        figures.judge(race, &got);
    }
    Some(figures)
}

async fn one(stand: &mut Stand, kind: &'static Kind, change: Change, way: &'static str, ms: usize) -> Race {
    // The keyboard goes from a field that is taken away to the next.
    let (id, number) = stand.put_with(kind, &change.from, kind.id != "entry").await;
    let to = Value::from(change.to.as_str());
    let line = match way {
        "change" | "replace" => format!("{way} {id} {to}"),
        "drop" => format!("drop {id}"),
        "order" => format!("order {id} 1"),
        other => other.to_owned(),
    };
    stand.panel.send(&format!("later {ms} {line}"));
    let outcome = stand.click(number, ClickBy::Pointer).await;
    if !is_refused(&outcome) {
        stand.gets(&id).await;
    }
    Race { kind, change, way, ms, id, outcome, before: "" }
}
