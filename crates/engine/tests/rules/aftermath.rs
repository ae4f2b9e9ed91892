//! The look after a gesture: what comes meanwhile, and how long nothing may come where it was taken before it was quiet.

use crate::act::{button, by_ref, check, click, moment, request, shown};
use expect_test::expect;
use handeye_engine::replay::{Moment, Replay, Ticker, node};
use handeye_engine::{ActionRequest, Expectation, act};
use handeye_scene::{Event, Moved, Node, NodeKind, Settled, State, States, Stirred, Verdict};
use std::time::Duration;

#[test]
fn what_happened_while_it_was_looked_at_is_told() {
    let early = moment(vec![button(1, "Within")]);
    let last = moment(vec![button(1, "Within"), button(3, "Failed"), button(4, "Again")]);
    for (event, told) in [
        (
            Event::Unreachable { url: "http://a/in".into() },
            expect![[
                r#"clicked contradicted (http://a/in, where it led, couldn't be loaded) {"kind":"unreachable","url":"http://a/in"} {"kind":"changes","changed":0,"new":2,"gone":1} | 1 gestures"#
            ]],
        ),
        // Pages ask for things all the time: that is no reason to look again.
        (
            Event::Requested { method: "GET".into(), url: "http://a/poll".into() },
            expect![[r#"clicked confirmed {"kind":"changes","changed":0,"new":0,"gone":1} | 1 gestures"#]],
        ),
        (
            Event::DocumentNavigated { url: "http://a/advert".into() },
            expect![[r#"clicked confirmed {"kind":"changes","changed":0,"new":0,"gone":1} | 1 gestures"#]],
        ),
    ] {
        let stirred = Stirred { events: vec![event], ..Stirred::default() };
        let before = moment(vec![button(1, "Within"), button(2, "Inside")]);
        check(
            vec![Moment { stirred, ..before }, early.clone(), last.clone()],
            shown(&[(1, "button", "Within"), (2, "button", "Inside")]),
            request(by_ref(1), Expectation::LastShown, click()),
            told,
        );
    }
}

/// What is said of a control may be taken back for longer than other things: whichever way it is told, and however little of it.
#[test]
fn what_a_control_holds_is_watched_for_longer() {
    let checked = |number| Node {
        states: States::default().with(State::Checked),
        ..node(NodeKind::Operable, number, "checkbox", "Box")
    };
    let empty = |number| node(NodeKind::Operable, number, "checkbox", "Box");
    let text = |words| node(NodeKind::Text, 3, "text", words);
    let filled = Node { value: Some("words".into()), ..node(NodeKind::Operable, 2, "textbox", "Field") };
    let field = Node { value: Some(String::new()), ..filled.clone() };
    for (other, later, action, changes, rest) in [
        (text("off"), text("on"), click(), 10, 30),
        (button(2, "Buy"), button(2, "Bought"), click(), 10, 30),
        (empty(2), checked(2), click(), 10, 50),
        (empty(2), checked(4), click(), 10, 50),
        (field.clone(), filled.clone(), click(), 10, 50),
        (empty(2), checked(2), click(), 0, 50),
    ] {
        let case = format!("{} {:?}, {changes} changes", later.role, later.name);
        let by_input = Moved { by_input: true, ..Moved::default() };
        let settled = Settled { moved: by_input, quiet: true, ..Settled::default() };
        let before = Moment { settled, at_once: true, ..moment(vec![button(1, "Does"), other]) };
        let mut replay = Replay::new(vec![before, moment(vec![button(1, "Does"), later])]);
        let mut memory = shown(&[(1, "button", "Does"), (2, "checkbox", "Box")]);
        let request = ActionRequest { changes, ..request(by_ref(1), Expectation::LastShown, action) };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let receipt = runtime.block_on(act(&mut replay, &mut memory, &Ticker::default(), &request)).unwrap();
        assert_eq!(receipt.verdict, Verdict::Confirmed, "{case}");
        assert_eq!(replay.rests, [Duration::from_millis(rest)], "{case}");
    }
}
