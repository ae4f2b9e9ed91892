//! One loop for every aim: the same change of what is aimed at is refused, tried again or judged alike, whatever names it.

use handeye_engine::replay::{self, Moment, Replay, Ticker, node};
use handeye_engine::{Action, ActionRequest, AimedAt, ClickBy, Expectation, Locator, Memory, Place, act};
use handeye_scene::{
    Button, Capture, Chord, Delivery, DocumentId, Modifiers, NativeId, Node, NodeKind, Point, Rect, Ref, Shown, State,
    Verdict, Withheld,
};
use std::time::Duration;

/// A focused field or button that says this.
fn says(role: &str, name: &str) -> Node {
    let mut node = node(NodeKind::Operable, 1, role, name);
    node.states = node.states.with(State::Focused);
    node
}

fn moment(node: Node) -> Moment {
    let viewport = Rect::new(0.0, 0.0, 800.0, 600.0);
    Moment {
        capture: Capture { url: "http://shop/".into(), viewport, nodes: vec![node], ..Capture::default() },
        ..Moment::default()
    }
}

/// A moment in which the guard stops a gesture.
fn stopped(node: Node, partial: bool) -> Moment {
    let actual = Some(Box::new(Shown::named("button", "Delete")));
    let withheld = Withheld { reason: "relabelled".into(), actual, partial, detail: None };
    Moment { delivery: Some(Delivery::Withheld(withheld)), ..moment(node) }
}

fn click() -> Action {
    Action::Click { button: Button::Left, count: 1, modifiers: Modifiers::default(), by: ClickBy::Best, offset: None }
}

fn keys() -> Action {
    let chords = vec![Chord { modifiers: Modifiers::default(), key: "Enter".into() }];
    Action::Keys { chords, written: "Enter".into() }
}

/// Each aim at the one element there is, with what is done to it there.
fn aims() -> Vec<(&'static str, AimedAt, Action)> {
    let at = node(NodeKind::Operable, 1, "", "").rect.center();
    vec![
        ("target", AimedAt::Target(vec![Locator::Ref(Ref(1))]), click()),
        ("place", AimedAt::Place(Place { at, window: None }), click()),
        ("focus", AimedAt::Focus, keys()),
        ("keys to a target", AimedAt::Target(vec![Locator::Ref(Ref(1))]), keys()),
    ]
}

/// What became of an action at each aim: its verdict, whether it was done, and how many gestures were made.
fn outcomes(moments: &[Moment], expectation: &Expectation) -> Vec<(&'static str, Verdict, bool, usize)> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut found = Vec::new();
    for (name, aim, action) in aims() {
        let mut memory = Memory::default();
        memory.refs.show(NativeId::new(DocumentId(1), 1), "button", "Approve");
        let mut replay = Replay::new(moments.to_vec());
        let request = replay::request(aim, expectation.clone(), action);
        let receipt = runtime.block_on(act(&mut replay, &mut memory, &Ticker::default(), &request)).unwrap();
        let done = receipt.action != request.action.verb();
        found.push((name, receipt.verdict, done, replay.performed.len()));
    }
    found
}

#[test]
fn what_says_something_else_than_it_was_last_shown_gets_nothing_at_any_aim() {
    for outcome in outcomes(&[moment(says("button", "Delete"))], &Expectation::LastShown) {
        assert_eq!(outcome, (outcome.0, Verdict::Contradicted, false, 0));
    }
}

#[test]
fn what_lacks_the_expected_text_gets_nothing_at_any_aim() {
    for outcome in outcomes(&[moment(says("button", "Delete"))], &Expectation::Text("Approve".into())) {
        assert_eq!(outcome, (outcome.0, Verdict::Contradicted, false, 0));
    }
}

#[test]
fn what_is_lifted_is_lifted_at_any_aim() {
    for (name, _, done, gestures) in outcomes(&[moment(says("button", "Delete"))], &Expectation::Any) {
        assert_eq!((done, gestures), (true, 1), "{name}");
    }
}

#[test]
fn what_shows_in_nothing_is_no_effect_of_a_target_and_unknown_elsewhere() {
    let verdicts = outcomes(&[moment(says("button", "Approve"))], &Expectation::LastShown);
    let verdicts: Vec<_> = verdicts.into_iter().map(|(name, verdict, done, _)| (name, verdict, done)).collect();
    assert_eq!(
        verdicts,
        [
            ("target", Verdict::NoEffect, true),
            ("place", Verdict::Unverifiable, true),
            ("focus", Verdict::Unverifiable, true),
            ("keys to a target", Verdict::Unverifiable, true),
        ]
    );
}

#[test]
fn what_changes_is_confirmed_at_any_aim() {
    let mut after = says("button", "Approve");
    after.states = after.states.with(State::Pressed);
    for (name, verdict, done, _) in
        outcomes(&[moment(says("button", "Approve")), moment(after.clone())], &Expectation::LastShown)
    {
        assert_eq!((verdict, done), (Verdict::Confirmed, true), "{name}");
    }
}

#[test]
fn what_was_stopped_before_anything_happened_is_judged_anew_and_never_repeated_once_it_had_begun() {
    let moments = [stopped(says("button", "Approve"), false), moment(says("button", "Delete"))];
    for (name, verdict, done, gestures) in outcomes(&moments, &Expectation::Text("Approve".into())) {
        assert_eq!((verdict, done, gestures), (Verdict::Contradicted, false, 1), "{name}");
    }
    let moments = [stopped(says("button", "Approve"), true), moment(says("button", "Approve"))];
    for (name, verdict, done, gestures) in outcomes(&moments, &Expectation::Text("Approve".into())) {
        assert_eq!((verdict, done, gestures), (Verdict::Contradicted, false, 1), "{name}");
    }
    // Back as it was shown: done at the second try.
    let moments = [stopped(says("button", "Approve"), false), moment(says("button", "Approve"))];
    for (name, _, done, gestures) in outcomes(&moments, &Expectation::Text("Approve".into())) {
        assert_eq!((done, gestures), (true, 2), "{name}");
    }
}

#[test]
fn a_place_outside_of_what_is_seen_is_refused() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut replay = Replay::new(vec![moment(says("button", "Approve"))]);
    let aim = AimedAt::Place(Place { at: Point::new(900.0, 10.0), window: None });
    let (ready, settle) = (Duration::ZERO, Duration::ZERO);
    let request = ActionRequest { ready, settle, ..replay::request(aim, Expectation::Any, click()) };
    let refused = runtime.block_on(act(&mut replay, &mut Memory::default(), &Ticker::default(), &request));
    assert_eq!(refused.unwrap_err().code, handeye_scene::Code::BadRequest);
    assert!(replay.performed.is_empty());
}
