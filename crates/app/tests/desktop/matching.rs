//! Every kind of target of GTK 3, GTK 4 and Qt, every change of the table in `fixtures/matching.json`, at every moment of a
//! click: what is no longer meant is never acted on, and what still is, always.
//!
//! The app's own log judges. A sample by default, which tries each kind with every sixth change and each change with two or three
//! kinds of each toolkit, each kind and each change at each moment; with `HANDEYE_TRIALS=full`, all of it.

use handeye_engine::ClickBy;
use handeye_testkit::desk::say;
use handeye_testkit::is_full;
use handeye_testkit::kinds::trial::{Case, Figures, MOMENTS, When, changes};
use handeye_testkit::kinds::{self, On, Stand, TOOLKITS, Toolkit};
use std::time::Instant;

/// How many kinds and changes are passed over for one that is tried.
const PASSED_OVER: usize = 6;

/// What is tried of a toolkit.
fn cases(toolkit: &'static Toolkit) -> Vec<Case> {
    let mut cases = Vec::new();
    let of_toolkit = TOOLKITS.iter().position(|one| one.name == toolkit.name).unwrap();
    for (k, kind) in toolkit.kinds.iter().enumerate() {
        for (c, change) in changes().into_iter().enumerate() {
            // Numbers of cases in a row go through the moments, in each toolkit from another one on.
            let number = k + c;
            let turn = number / PASSED_OVER + 2 * of_toolkit;
            for (m, when) in MOMENTS.into_iter().enumerate() {
                // What is chosen gets no events of its own.
                let moment = if kind.option { when == When::Between } else { is_full() || turn % MOMENTS.len() == m };
                let fits = moment && (is_full() || number.is_multiple_of(PASSED_OVER));
                let by = if when == When::Between && turn.is_multiple_of(2) { ClickBy::Best } else { ClickBy::Pointer };
                if fits {
                    cases.push(Case { kind, change: change.clone(), when, by });
                }
            }
        }
    }
    cases
}

/// Tries cases on desktops of their own.
async fn try_all(toolkit: &'static Toolkit, cases: Vec<Case>, guarded: bool) -> Option<Figures> {
    let mut stand = Stand::open(toolkit, guarded).await?;
    let begun = Instant::now();
    let mut trials = Vec::new();
    for case in cases {
        trials.push(stand.attempt(case).await);
    }
    // What was sent last arrives.
    stand.tell("busy 300").await;
    let figures = Figures::judge(&trials, &stand.panel.log());
    let guard = if guarded { "on" } else { "off" };
    say(&format!("matching on {}, guard {guard}, {:?}: {}", toolkit.name, begun.elapsed(), figures.report()));
    Some(figures)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_no_longer_meant_is_never_clicked_and_what_still_is_always() {
    let run = |toolkit| tokio::spawn(try_all(toolkit, cases(toolkit), true));
    let runs = TOOLKITS.iter().map(run).collect::<Vec<_>>();
    let mut figures = Figures::default();
    for run in runs {
        let Some(one) = run.await.unwrap() else { return };
        figures.add(one);
    }
    say(&format!("matching on desktops, all: {figures}"));
    assert_eq!((figures.wrong, figures.denied, figures.claimed), (0, 0, 0));
    // An app that is busy for too long has a click refused.
    assert!(figures.false_refusals * 100 <= figures.trials, "{figures}");
}

/// What the sample is said to cover.
#[test]
fn each_kind_and_each_change_is_tried_at_each_moment() {
    let all: Vec<Case> = TOOLKITS.iter().flat_map(cases).collect();
    for toolkit in &TOOLKITS {
        let cases = cases(toolkit);
        for (kind, when) in toolkit.kinds.iter().flat_map(|kind| MOMENTS.map(|when| (kind, when))) {
            let tried = cases.iter().any(|case| case.kind == kind && case.when == when);
            assert!(tried || kind.option, "{} {} isn't tried at {when:?}", toolkit.name, kind.id);
        }
        for change in changes() {
            let tried = cases.iter().filter(|case| case.change.id == change.id).count();
            assert!(tried >= 2, "{} is tried {tried} times on {}", change.id, toolkit.name);
        }
    }
    for (change, when) in changes().iter().flat_map(|change| MOMENTS.map(|when| (change, when))) {
        let tried = all.iter().any(|case| case.change.id == change.id && case.when == when && !case.kind.option);
        assert!(tried, "{} isn't tried at {when:?}", change.id);
    }
    let by_itself = |case: &&Case| case.by == ClickBy::Best;
    assert!(all.iter().filter(by_itself).count() >= MOMENTS.len());
}

/// In which of its events a target of each kind acts, by what it says then.
async fn act(toolkit: &'static Toolkit) -> Option<Vec<String>> {
    let mut stand = Stand::open(toolkit, false).await?;
    let mut amiss = Vec::new();
    for kind in toolkit.kinds.iter().filter(|kind| !kind.option) {
        let (id, number) = stand.put(kind, "Approve").await;
        for event in ["press", "release"] {
            stand.tell(&format!("during {event} {id} change {id} In {event}")).await;
        }
        let outcome = stand.click(number, ClickBy::Pointer).await;
        let got = stand.gets(&id).await;
        let on_release = got.first().is_some_and(|got| got.text == "In release");
        if got.is_empty() || on_release != (kind.on == On::Release || kind.is_kept) {
            amiss.push(format!("{} {}: {}, {got:?}", toolkit.name, kind.id, kinds::told(&outcome)));
        }
    }
    Some(amiss)
}

/// What is listed to act on the press is all that does: nothing else may be changed by its own handler unseen.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_kind_acts_in_the_event_that_it_is_listed_with() {
    let runs = TOOLKITS.iter().map(|toolkit| tokio::spawn(act(toolkit))).collect::<Vec<_>>();
    for run in runs {
        let Some(amiss) = run.await.unwrap() else { return };
        assert!(amiss.is_empty(), "{amiss:#?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_the_guard_every_change_gets_through() {
    let toolkit = &TOOLKITS[0];
    let kind = toolkit.kind("button").unwrap();
    let refused = changes().into_iter().filter(|change| !change.allowed);
    let case = |(n, change)| Case { kind, change, when: MOMENTS[1 + n % 3], by: ClickBy::Pointer };
    let cases: Vec<Case> = refused.enumerate().map(case).collect();
    let count = cases.len();
    let Some(figures) = try_all(toolkit, cases, false).await else { return };
    assert!(figures.wrong * 10 >= count * 9, "the test proves nothing: {}", figures.report());
}

/// Toolkits make one double click of two clicks at a place, which a tab of Qt doesn't heed.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clicks_in_a_row_are_clicks_of_their_own() {
    for toolkit in &TOOLKITS {
        let Some(mut stand) = Stand::open(toolkit, true).await else { return };
        let kind = toolkit.kind("tab").unwrap();
        for n in 0..6 {
            let (id, number) = stand.put(kind, &format!("Page {n}")).await;
            let outcome = stand.click(number, ClickBy::Pointer).await;
            assert!(!stand.gets(&id).await.is_empty(), "{}, {n}: {}", toolkit.name, kinds::told(&outcome));
        }
    }
}
