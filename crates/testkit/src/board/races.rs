//! Races: a kind, a change, a moment and a way to make it, all drawn.

use super::figures::Figures;
use super::{Board, Case, EVENTS, rows};
use crate::Dice;
use serde_json::Value;

/// One of these words.
fn of(dice: &mut Dice, all: &[&'static str]) -> &'static str {
    dice.pick(all).copied().unwrap_or_default()
}

/// Where the listener sits that makes a change.
const PLACES: [&str; 6] = ["window", "document", "ancestor", "root", "target", "target-capture"];
/// How it makes it. `added`: by one that it adds above the target inside the event. `stop`: and nobody else gets the event.
const WAYS: [&str; 6] = ["now", "microtask", "frame", "task", "added", "stop"];
/// A change comes within so many milliseconds of the call: a click takes some 60.
const WITHIN: usize = 90;
/// How many cases stand on a board.
const MANY: usize = 12;
/// Times and shares count where several targets read alike but for them: of these there is one on a board.
const TELLING: [&str; 2] = ["clock", "percent"];

/// Whether what is done so there can come before the target's own listeners: not what is added above it when it has the event.
fn is_timely(how: &str, place: &str) -> bool {
    how != "added" || !place.starts_with("target")
}

/// Whether nobody can tell it from what the target does: its own listener keeps the click to itself, and the browser goes on.
/// Where a destination leads, the board would be left.
fn is_its_own(case: &Case) -> bool {
    case.how == "stop" && case.moment == "click" && (case.place.starts_with("target") || case.change.is_none())
}

/// The rows of the table that races draw from.
struct Deck {
    kinds: Vec<Value>,
    changes: Vec<Value>,
    destinations: Vec<Value>,
}

impl Deck {
    fn new() -> Self {
        let clicked = |row: &Value| row["deed"].is_null() && row["alone"] != true;
        Self {
            kinds: rows("web_kinds"),
            changes: rows("changes"),
            destinations: rows("destinations").into_iter().filter(clicked).collect(),
        }
    }

    fn draw(&self, dice: &mut Dice) -> Case {
        let mut case = match dice.below(6) {
            0 => Case::destination(&self.destinations[dice.below(self.destinations.len())], "never", "window"),
            _ => self.draw_text(dice),
        };
        match dice.below(12) {
            0 | 1 => {}
            2 => case.moment = "between",
            3 | 4 => (case.moment, case.after) = ("later", dice.below(WITHIN) as u64),
            _ => {
                case.moment = of(dice, &EVENTS);
                case.place = of(dice, &PLACES);
                // Mostly at once: that is the narrowest gap.
                case.how = if dice.below(2) == 0 { "now" } else { of(dice, &WAYS) };
                if !is_timely(case.how, case.place) || is_its_own(&case) {
                    case.how = "now";
                }
            }
        }
        case
    }

    /// How many cases for a board.
    fn board(&self, dice: &mut Dice, many: usize) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        while cases.len() < many {
            let case = self.draw(dice);
            let id = case.change_id();
            if !TELLING.contains(&id) || cases.iter().all(|other| other.change_id() != id) {
                cases.push(case);
            }
        }
        cases
    }

    fn draw_text(&self, dice: &mut Dice) -> Case {
        loop {
            let kind = &self.kinds[dice.below(self.kinds.len())];
            let change = &self.changes[dice.below(self.changes.len())];
            if Case::fits(kind, change) {
                return Case::text(kind, change, "never", "window");
            }
        }
    }
}

/// How many races on a board.
pub async fn race(board: &mut Board, dice: &mut Dice, trials: usize) -> Figures {
    let deck = Deck::new();
    let mut figures = Figures::default();
    while figures.trials < trials {
        let many = MANY.min(trials - figures.trials);
        let cases = deck.board(dice, many);
        let is_in_tree = cases.iter().all(|case| case.kind["via"] != "script");
        let via = if dice.below(4) == 0 && is_in_tree { "ax" } else { "script" };
        for trial in board.round(cases, via).await {
            figures.judge(&trial);
        }
    }
    figures
}

/// These races.
pub async fn race_these(board: &mut Board, cases: Vec<Case>) -> Figures {
    let mut figures = Figures::default();
    for part in cases.chunks(MANY) {
        for trial in board.round(part.to_vec(), "script").await {
            figures.judge(&trial);
        }
    }
    figures
}

/// How many races with a document that is opened anew inside an event, which takes every listener away.
pub async fn race_opened(board: &mut Board, dice: &mut Dice, trials: usize) -> Figures {
    let deck = Deck::new();
    // What stands alone in its document, and needs nothing around it.
    let simple = ["button", "button-markup", "link", "div-listener", "custom-element", "role-button"];
    let mut figures = Figures::default();
    while figures.trials < trials {
        let mut case = deck.draw_text(dice);
        if !simple.contains(&case.kind_id()) {
            continue;
        }
        (case.moment, case.place, case.how) =
            (of(dice, &EVENTS), of(dice, &["window", "document", "ancestor"]), "opened");
        for trial in board.round(vec![case], "script").await {
            figures.judge(&trial);
        }
        board.reload().await;
    }
    figures
}

/// Every way to make a change that must not get through, at each event where it can: for the proof that it would. What
/// waits for a frame or a task mostly comes too late for that.
pub fn every_way() -> Vec<Case> {
    let (kinds, changes) = (rows("web_kinds"), rows("changes"));
    let mut cases = Vec::new();
    for place in PLACES {
        for how in ["now", "microtask", "added", "stop"] {
            for moment in EVENTS.into_iter().filter(|_| is_timely(how, place)) {
                // Of what is stopped there is nothing but what a link does by itself.
                let kind = if how == "stop" { "link" } else { "div-listener" };
                let kind = kinds.iter().find(|k| k["id"] == kind).unwrap();
                cases.push(Case { how, ..Case::text(kind, &changes[0], moment, place) });
            }
        }
    }
    cases
}
