//! Every kind of target of GTK 3, GTK 4 and Qt, every change of the table in `fixtures/matching.json`, at every moment of a
//! click: what is no longer meant is never acted on, and what still is, always.
//!
//! The app's own log judges. A sample by default, of which `sample` says what it covers; with `HANDEYE_TRIALS=full`,
//! all of it.

use super::kits::{QT, tried};
use handeye_engine::ClickBy;
use handeye_testkit::desk::say;
use handeye_testkit::kinds::trial::{Case, Change, Figures, MOMENTS, When, changes};
use handeye_testkit::kinds::{self, Kind, On, Stand, TOOLKITS, Toolkit};
use handeye_testkit::{Sample, is_full};
use std::time::Instant;

/// When a target of this kind may change so that what it does can still be stopped.
fn in_time(kind: &Kind) -> Vec<When> {
    let acts = match kind.on {
        On::Press => When::Press,
        On::Release => When::Release,
    };
    // What is chosen gets no events of its own.
    MOMENTS.into_iter().filter(|when| if kind.option { *when == When::Between } else { *when < acts }).collect()
}

/// Between the look and the click it is clicked in either way, by turns.
fn by(when: When, turn: usize) -> ClickBy {
    if when == When::Between && turn.is_multiple_of(2) { ClickBy::Best } else { ClickBy::Pointer }
}

/// What is tried of a toolkit.
fn cases(toolkit: &'static Toolkit) -> Vec<Case> {
    if !is_full() {
        return sample(toolkit);
    }
    let mut cases = Vec::new();
    for (k, kind) in toolkit.kinds.iter().enumerate() {
        for (c, change) in changes().into_iter().enumerate() {
            for when in MOMENTS.into_iter().filter(|when| !kind.option || *when == When::Between) {
                cases.push(Case { kind, change: change.clone(), when, by: by(when, (k + c) / 6) });
            }
        }
    }
    cases
}

/// Each kind with a change after which it isn't meant any more, at a moment before it acts, and every so many kinds
/// one with a change after which it is, at any moment. In all toolkits together each change is among them.
fn sample(toolkit: &'static Toolkit) -> Vec<Case> {
    let (allowed, refused): (Vec<Change>, Vec<Change>) = changes().into_iter().partition(|change| change.allowed);
    let others = TOOLKITS.iter().take_while(|one| one.name != toolkit.name).map(|one| one.kinds.len()).sum::<usize>();
    let all: usize = TOOLKITS.iter().map(|one| one.kinds.len()).sum();
    assert!(allowed.len().max(refused.len()) <= all, "more changes than kinds: some would be tried with none");
    // As rarely as there is still a kind for each.
    let every = ((all - 1) / (allowed.len() - 1).max(1)).max(1);
    let mut cases = Vec::new();
    for (k, kind) in toolkit.kinds.iter().enumerate() {
        let turn = others + k;
        let early = in_time(kind);
        let when = early[turn % early.len()];
        cases.push(Case { kind, change: refused[turn % refused.len()].clone(), when, by: by(when, turn) });
        if turn.is_multiple_of(every) {
            let when = if kind.option { When::Between } else { MOMENTS[turn / every % MOMENTS.len()] };
            let change = allowed[turn / every % allowed.len()].clone();
            cases.push(Case { kind, change, when, by: by(when, turn) });
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
    // An app that is busy for too long has a click refused: one in a hundred, or in a sample.
    assert!(figures.false_refusals * 100 <= figures.trials.max(100), "{figures}");
}

/// What a full run and the sample are said to cover.
#[test]
fn each_kind_and_each_change_is_tried_at_each_moment() {
    let all: Vec<Case> = TOOLKITS.iter().flat_map(cases).collect();
    for toolkit in &TOOLKITS {
        let cases = cases(toolkit);
        for kind in toolkit.kinds {
            let of_kind = || cases.iter().filter(move |case| case.kind == kind);
            let refused = of_kind().any(|case| !case.change.allowed && in_time(kind).contains(&case.when));
            assert!(refused, "{} {} isn't changed before it acts", toolkit.name, kind.id);
            for when in MOMENTS {
                let tried = of_kind().any(|case| case.when == when);
                assert!(tried || kind.option || !is_full(), "{} {} isn't tried at {when:?}", toolkit.name, kind.id);
            }
        }
        for change in changes() {
            let tried = cases.iter().filter(|case| case.change.id == change.id).count();
            assert!(tried >= 2 || !is_full(), "{} is tried {tried} times on {}", change.id, toolkit.name);
        }
    }
    for change in changes() {
        let of_change = |case: &&Case| case.change.id == change.id && !(case.kind.option && is_full());
        let tried = |when: &When| all.iter().filter(of_change).any(|case| case.when == *when);
        let count = MOMENTS.into_iter().filter(tried).count();
        assert!(count >= if is_full() { MOMENTS.len() } else { 1 }, "{} is tried at {count} moments", change.id);
    }
    for when in MOMENTS {
        assert!(all.iter().any(|case| case.when == when && !case.kind.option), "nothing is tried at {when:?}");
    }
    let by_itself = |case: &&Case| case.by == ClickBy::Best;
    assert!(all.iter().filter(by_itself).count() >= MOMENTS.len());
}

/// In which of its events a target of each kind acts, by what it says then.
async fn act(toolkit: &'static Toolkit) -> Option<Vec<String>> {
    let mut stand = Stand::open(toolkit, false).await?;
    let mut amiss = Vec::new();
    // In a sample one kind in three, and other ones in each toolkit.
    let of_toolkit = TOOLKITS.iter().position(|one| one.name == toolkit.name).unwrap();
    let mut sample = Sample::one_in(3).beginning_at(of_toolkit);
    for kind in toolkit.kinds.iter().filter(|kind| !kind.option) {
        if !sample.takes() {
            continue;
        }
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
    let refused = changes().into_iter().filter(|change| !change.allowed).step_by(if is_full() { 1 } else { 3 });
    let case = |(n, change)| Case { kind, change, when: MOMENTS[1 + n % 3], by: ClickBy::Pointer };
    let cases: Vec<Case> = refused.enumerate().map(case).collect();
    let count = cases.len();
    let Some(figures) = try_all(toolkit, cases, false).await else { return };
    assert!(figures.wrong * 10 >= count * 9, "the test proves nothing: {}", figures.report());
}

/// Toolkits make one double click of two clicks at a place, which a tab of Qt doesn't heed.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clicks_in_a_row_are_clicks_of_their_own() {
    let count = if is_full() { 6 } else { 3 };
    for toolkit in tried(&TOOLKITS, QT) {
        let Some(mut stand) = Stand::open(toolkit, true).await else { return };
        let kind = toolkit.kind("tab").unwrap();
        for n in 0..count {
            let (id, number) = stand.put(kind, &format!("Page {n}")).await;
            let outcome = stand.click(number, ClickBy::Pointer).await;
            assert!(!stand.gets(&id).await.is_empty(), "{}, {n}: {}", toolkit.name, kinds::told(&outcome));
        }
    }
}
