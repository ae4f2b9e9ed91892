//! Every kind of target, every change of the table in `fixtures/matching.json`, at every moment of a click, as looked at by
//! both captures: what is no longer meant is never clicked, and what still is, always.
//!
//! The page's own log judges. A sample by default, which tries each kind with every fourth change and each change with every
//! fourth kind, each kind and each change at each moment and by each capture; with `HANDEYE_TRIALS=full`, all of it.

use handeye_testkit::board::figures::Figures;
use handeye_testkit::board::{Board, Case, EVENTS, rows};
use handeye_testkit::is_full;
use handeye_testkit::stage::{Place, say};
use serde_json::Value;

const VIAS: [&str; 2] = ["script", "ax"];
const PLACES: [&str; 3] = ["window", "document", "ancestor"];
/// How many cases stand on a board.
const MANY: usize = 24;

fn moments() -> Vec<&'static str> {
    std::iter::once("between").chain(EVENTS).collect()
}

/// What is tried, by capture.
fn cases() -> [Vec<Case>; 2] {
    let moments = moments();
    let mut chosen = [Vec::new(), Vec::new()];
    for (k, kind) in rows("web_kinds").iter().enumerate() {
        for (c, change) in rows("changes").iter().enumerate() {
            if Case::fits(kind, change) {
                let fits = |via: &str| kind["via"].as_str().is_none_or(|only| only == via);
                let few = kind["only"].is_array();
                choose(&mut chosen, k, c, few, fits, |moment, place| Case::text(kind, change, moment, place));
            }
        }
    }
    for (d, row) in rows("destinations").iter().enumerate() {
        if row["deed"] == "select" {
            for cases in &mut chosen {
                cases.push(Case::destination(row, moments[0], PLACES[0]));
            }
            continue;
        }
        // Of these there are few: each of them, at two moments or three.
        for (m, moment) in moments.iter().enumerate() {
            for (v, cases) in chosen.iter_mut().enumerate() {
                if is_full() || (d + m) % 6 == 3 * v {
                    cases.push(Case::destination(row, moment, PLACES[(d + m) / 3 % 3]));
                }
            }
        }
    }
    chosen
}

/// How many kinds and changes are passed over for one that is tried.
const PASSED_OVER: usize = 4;

fn choose(
    chosen: &mut [Vec<Case>; 2],
    kind: usize,
    change: usize,
    few: bool,
    fits: impl Fn(&str) -> bool,
    case: impl Fn(&'static str, &'static str) -> Case,
) {
    let moments = moments();
    // Numbers of cases in a row go through the moments, first by one capture and then by the other.
    let number = kind + change;
    if !(is_full() || few || number.is_multiple_of(PASSED_OVER)) {
        return;
    }
    let turn = number / PASSED_OVER;
    for (m, moment) in moments.iter().enumerate() {
        for (v, cases) in chosen.iter_mut().enumerate() {
            if !fits(VIAS[v]) {
                continue;
            }
            let its_turn = turn % moments.len() == m && (turn / moments.len() % 2 == v || !fits(VIAS[1 - v]));
            if is_full() || its_turn {
                cases.push(case(moment, PLACES[(turn + m) % 3]));
            }
        }
    }
}

/// Tries them in a browser of its own.
async fn try_all(cases: Vec<Case>, via: &'static str, guarded: bool) -> Figures {
    let mut figures = Figures::default();
    let mut board = Board::launched(Place::Main, guarded).await;
    let (alone, others): (Vec<Case>, Vec<Case>) = cases.into_iter().partition(|c| c.kind["alone"] == true);
    for cases in boards(others).into_iter().chain(alone.into_iter().map(|case| vec![case])) {
        for trial in board.round(cases, via).await {
            figures.judge(&trial);
        }
    }
    say(&format!("matching, {via}, guard {}: {}", if guarded { "on" } else { "off" }, figures.report()));
    figures
}

/// Deals cases to boards, no change twice to one: what only a clock time tells from its neighbour is rightly held to it.
fn boards(cases: Vec<Case>) -> Vec<Vec<Case>> {
    let mut boards: Vec<Vec<Case>> = Vec::new();
    let mut open = 0;
    for case in cases {
        let has = |board: &Vec<Case>| case.change.is_some() && board.iter().any(|other| other.change == case.change);
        while boards.get(open).is_some_and(|board| board.len() == MANY) {
            open += 1;
        }
        match boards[open..].iter_mut().find(|board| board.len() < MANY && !has(board)) {
            Some(board) => board.push(case),
            None => boards.push(vec![case]),
        }
    }
    boards
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_no_longer_meant_is_never_clicked_and_what_still_is_always() {
    let [by_script, by_tree] = cases();
    let script = tokio::spawn(try_all(by_script, VIAS[0], true));
    let tree = tokio::spawn(try_all(by_tree, VIAS[1], true));
    let mut figures = script.await.unwrap();
    figures.add(tree.await.unwrap());
    say(&format!("matching, all: {figures}"));
    assert_eq!(figures.unlisted, 0);
    assert_eq!((figures.wrong, figures.wrong_presses), (0, 0));
    assert_eq!(figures.false_refusals, 0);
    assert_eq!((figures.denied, figures.claimed), (0, 0));
}

/// What the sample is said to cover.
#[test]
fn each_kind_and_each_change_is_tried_at_each_moment_and_by_each_capture() {
    let chosen = cases();
    let of = |fits: &dyn Fn(&Case) -> bool| -> [Vec<&str>; 2] {
        chosen.each_ref().map(|cases| cases.iter().filter(|case| fits(case)).map(|case| case.moment).collect())
    };
    let covers = |[script, tree]: [Vec<&str>; 2], both: bool, what: &str| {
        assert!(!script.is_empty() && tree.is_empty() != both, "{what}: {script:?}, {tree:?}");
        for moment in moments() {
            assert!(script.iter().chain(&tree).any(|tried| *tried == moment), "{what} isn't tried at {moment}");
        }
    };
    for kind in rows("web_kinds").iter().filter(|kind| !kind["only"].is_array()) {
        let id = kind["id"].as_str().unwrap();
        covers(of(&|case| case.kind_id() == id), kind["via"].is_null(), id);
    }
    for change in rows("changes") {
        let id = change["id"].as_str().unwrap();
        covers(of(&|case| case.change_id() == id), true, id);
    }
    for place in PLACES {
        covers(of(&|case| case.place == place), true, place);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_the_guard_every_change_gets_through() {
    let refused = |row: &Value| row["allowed"] == false && row["id"] != "emptied";
    let kind = &rows("web_kinds")[3];
    let changes: Vec<Value> = rows("changes").into_iter().filter(refused).collect();
    let cases: Vec<Case> = changes
        .iter()
        .enumerate()
        .map(|(i, change)| Case::text(kind, change, moments()[i % 7], PLACES[i % 3]))
        .collect();
    let count = cases.len();
    let figures = try_all(cases, VIAS[0], false).await;
    // One that shrinks may not lie under the pointer any more.
    assert!(figures.wrong * 10 >= count * 9, "the test proves nothing: {}", figures.report());
}
