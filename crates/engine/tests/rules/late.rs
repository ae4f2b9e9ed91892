//! What a receipt says when its evidence may come of the action before.

use handeye_engine::act;
use handeye_engine::replay::{self, Moment, Replay, Ticker, node};
use handeye_engine::{Action, ActionRequest, AimedAt, ClickBy, Expectation, Locator, Memory};
use handeye_scene::{
    Button, Capture, Clock, DocumentId, Modifiers, Moved, NativeId, NodeKind, Ref, Settled, Verdict, Whence,
};
use std::time::Duration;

fn click(number: u32) -> ActionRequest {
    let modifiers = Modifiers::default();
    let action = Action::Click { button: Button::Left, count: 1, modifiers, by: ClickBy::Best, offset: None };
    replay::request(AimedAt::Target(vec![Locator::Ref(Ref(number))]), Expectation::LastShown, action)
}

/// A page of two buttons and a sum, after a gesture of which so much was seen.
fn page(sum: &str, moved: Moved) -> Moment {
    let nodes = vec![
        node(NodeKind::Operable, 1, "button", "Save"),
        node(NodeKind::Operable, 2, "button", "Next"),
        node(NodeKind::Text, 3, "text", sum),
    ];
    let settled = Settled { moved, quiet: true, ..Settled::default() };
    Moment { capture: Capture { nodes, ..Capture::default() }, settled, ..Moment::default() }
}

/// Clicks Save, then, so long after, Next; what the receipts say of it: `sums` stand on the page
/// before, between and after; the last change is made inside the events of Next or not.
fn two_clicks(pause: Duration, sums: [&str; 3], in_events: bool) -> Vec<(Verdict, Vec<String>)> {
    let mut memory = Memory::default();
    for (number, name) in [(1, "Save"), (2, "Next")] {
        memory.refs.show(NativeId::new(DocumentId(1), number), "button", name);
    }
    let moved = Moved { by_input: in_events, ..Moved::default() };
    let still = Moved::default();
    let mut replay = Replay::new(vec![page(sums[0], still), page(sums[1], moved), page(sums[2], still)]);
    let clock = Ticker::default();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut said = Vec::new();
        for number in [1, 2] {
            let receipt = act(&mut replay, &mut memory, &clock, &click(number)).await.unwrap();
            said.push((receipt.verdict, receipt.notices.iter().map(|n| n.text.clone()).collect()));
            clock.sleep(pause).await;
        }
        said
    })
}

/// What a click is called whose page shows another sum later, by whence that came, and whether the receipt names the change.
fn one_click(whence: Whence) -> (Verdict, bool) {
    let mut memory = Memory::default();
    memory.refs.show(NativeId::new(DocumentId(1), 1), "button", "Save");
    let later = Moved { later: true, ..Moved::default() };
    let before = Moment { whence, ..page("Sum 1", later) };
    let mut replay = Replay::new(vec![before, page("Sum 2", later)]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let receipt = runtime.block_on(act(&mut replay, &mut memory, &Ticker::default(), &click(1))).unwrap();
    (receipt.verdict, !receipt.evidence.is_empty())
}

#[test]
fn a_late_change_is_the_clicks_own_unless_it_was_begun_elsewhere_or_the_page_does_not_say() {
    for (whence, wanted) in [
        (Whence::Gesture, Verdict::Confirmed),
        (Whence::Untold, Verdict::Confirmed),
        (Whence::Elsewhere, Verdict::Unverifiable),
        (Whence::Unanswered, Verdict::Unverifiable),
    ] {
        assert_eq!(one_click(whence), (wanted, true), "{whence:?}");
    }
}

#[test]
fn a_change_soon_after_a_click_without_effect_may_come_of_that() {
    let said = two_clicks(Duration::from_millis(500), ["Sum 1", "Sum 1", "Sum 2"], false);
    let doubt = r#"what changed may come of [1] button "Save", clicked 0.8 s before, which had no effect then"#;
    assert_eq!(said, [(Verdict::NoEffect, vec![]), (Verdict::Confirmed, vec![doubt.to_owned()])]);
}

#[test]
fn a_change_in_the_events_themselves_or_long_after_is_the_clicks_own() {
    let own = [(Verdict::NoEffect, vec![]), (Verdict::Confirmed, vec![])];
    assert_eq!(two_clicks(Duration::from_millis(500), ["Sum 1", "Sum 1", "Sum 2"], true), own);
    assert_eq!(two_clicks(Duration::from_secs(4), ["Sum 1", "Sum 1", "Sum 2"], false), own);
}

#[test]
fn a_click_that_had_an_effect_is_not_suspected_of_another() {
    let both = two_clicks(Duration::from_millis(500), ["Sum 1", "Sum 2", "Sum 3"], false);
    assert_eq!(both, [(Verdict::Confirmed, vec![]), (Verdict::Confirmed, vec![])]);
}

#[test]
fn what_changes_late_after_clicks_is_not_taken_for_a_clock() {
    let mut memory = Memory::default();
    memory.refs.show(NativeId::new(DocumentId(1), 1), "button", "Save");
    let clock = Ticker::default();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let still = Moved::default();
    let display = |shows: &str| {
        let mut moment = page("Sum", still);
        let mut node = node(NodeKind::Operable, 4, "textbox", "Display");
        node.value = Some(shows.into());
        moment.capture.nodes.push(node);
        moment
    };
    // Each click is answered when its own look is over; the last one in time.
    let mut verdicts = Vec::new();
    for [before, after] in [["a", "a"], ["b", "b"], ["c", "c"], ["d", "e"]] {
        let mut replay = Replay::new(vec![display(before), display(after)]);
        verdicts.push(runtime.block_on(act(&mut replay, &mut memory, &clock, &click(1))).unwrap().verdict);
    }
    let none = Verdict::NoEffect;
    assert_eq!(verdicts, [none, none, none, Verdict::Confirmed]);
}
