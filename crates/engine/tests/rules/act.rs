//! The act loop on recordings: what it does, and what it refuses to do.

use expect_test::{Expect, expect};
use handeye_engine::act;
use handeye_engine::replay::{self, Moment, Replay, Ticker, node};
use handeye_engine::{Action, ActionRequest, AimedAt, ClickBy, Expectation, Locator, Memory};
use handeye_scene::{
    Button, Capture, Cause, Code, Cover, Delivery, DocumentId, Event, Modifiers, Moved, Mutation, NativeId, Node,
    NodeKind, Problem, Receipt, Ref, Settled, Shown, State, Stirred, Verdict, Withheld,
};

pub(crate) fn button(number: u32, name: &str) -> Node {
    node(NodeKind::Operable, number, "button", name)
}

pub(crate) fn moment(nodes: Vec<Node>) -> Moment {
    Moment { capture: Capture { url: "http://shop/".into(), nodes, ..Capture::default() }, ..Moment::default() }
}

pub(crate) fn click() -> Action {
    Action::Click { button: Button::Left, count: 1, modifiers: Modifiers::default(), by: ClickBy::Best, offset: None }
}

pub(crate) fn request(locators: Vec<Locator>, expectation: Expectation, action: Action) -> ActionRequest {
    replay::request(AimedAt::Target(locators), expectation, action)
}

/// An eye that was shown these elements of document 1.
pub(crate) fn shown(elements: &[(u32, &str, &str)]) -> Memory {
    let mut memory = Memory::default();
    for (number, role, name) in elements {
        memory.refs.show(NativeId::new(DocumentId(1), *number), role, name);
    }
    memory
}

fn report(result: Result<Receipt, Problem>, replay: &Replay) -> String {
    let performed = format!("{} gestures", replay.performed.len());
    match result {
        Ok(r) => format!(
            "{} {}{}{} | {performed}",
            r.action,
            r.verdict.words(),
            r.reason.map(|t| format!(" ({t})")).unwrap_or_default(),
            r.evidence.iter().map(|e| format!(" {}", serde_json::to_string(e).unwrap())).collect::<String>(),
        ),
        Err(p) => {
            let hints: Vec<String> = p.hints.iter().map(ToString::to_string).collect();
            format!("{p} | try {} | {performed}", hints.join(", "))
        }
    }
}

pub(crate) fn check(moments: Vec<Moment>, memory: Memory, request: ActionRequest, expect: Expect) {
    expect.assert_eq(&told(moments, memory, &request));
}

fn told(moments: Vec<Moment>, mut memory: Memory, request: &ActionRequest) -> String {
    let mut replay = Replay::new(moments);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let result = runtime.block_on(act(&mut replay, &mut memory, &Ticker::default(), request));
    assert!(!replay.is_watched, "its gesture isn't over: {result:?}");
    report(result, &replay)
}

pub(crate) fn by_ref(n: u32) -> Vec<Locator> {
    vec![Locator::Ref(Ref(n))]
}

#[test]
fn a_relabelled_node_is_refused_without_any_expectation_stated() {
    check(
        vec![moment(vec![button(1, "Delete")])],
        shown(&[(1, "button", "Approve")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect![[
            r#"click contradicted (not clicked: you were last shown button "Approve"; it is now button "Delete") | 0 gestures"#
        ]],
    );
}

#[test]
fn a_refusal_names_the_target_that_does_show_the_text() {
    check(
        vec![moment(vec![button(1, "Delete"), button(2, "Approve")])],
        shown(&[(1, "button", "Approve")]),
        request(by_ref(1), Expectation::Text("Approve".into()), click()),
        expect![[
            r#"click contradicted (not clicked: expected text "Approve", found "Delete") {"kind":"note","text":"[2] button \"Approve\" does show it"} | 0 gestures"#
        ]],
    );
}

#[test]
fn a_refusal_does_not_make_the_new_label_the_one_last_shown() {
    let mut memory = shown(&[(1, "button", "Approve")]);
    let mut replay = Replay::new(vec![moment(vec![button(1, "Delete")])]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for _ in 0..2 {
        let receipt = runtime
            .block_on(act(
                &mut replay,
                &mut memory,
                &Ticker::default(),
                &request(by_ref(1), Expectation::LastShown, click()),
            ))
            .unwrap();
        assert_eq!(receipt.verdict, Verdict::Contradicted);
    }
    assert_eq!(replay.performed.len(), 0);
}

#[test]
fn any_expectation_clicks_the_relabelled_node() {
    check(
        vec![moment(vec![button(1, "Delete")]), moment(vec![])],
        shown(&[(1, "button", "Approve")]),
        request(by_ref(1), Expectation::Any, click()),
        expect![[r#"clicked confirmed {"kind":"changes","changed":0,"new":0,"gone":1} | 1 gestures"#]],
    );
}

#[test]
fn a_counter_is_not_a_relabelling() {
    check(
        vec![moment(vec![button(1, "Cart (3)")]), moment(vec![button(1, "Cart (4)")])],
        shown(&[(1, "button", "Cart (2)")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect![[r#"clicked confirmed {"kind":"changes","changed":1,"new":0,"gone":0} | 1 gestures"#]],
    );
}

#[test]
fn what_was_sent_is_told_when_the_page_cannot_be_looked_at_afterwards() {
    let gone = Problem::new(Code::Stale, "the document was navigated away").hint("handeye state");
    check(
        vec![moment(vec![button(1, "Approve")]), Moment { fault: Some(gone), ..Moment::default() }],
        shown(&[(1, "button", "Approve")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect![
            "clicked unverifiable (it was sent; what came of it couldn't be looked at: the document was navigated away) | 1 gestures"
        ],
    );
}

#[test]
fn a_gone_element_is_stale_and_names_its_likes() {
    check(
        vec![moment(vec![button(8, "Approve"), button(9, "Delete")])],
        shown(&[(1, "button", "Approve")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect![[
            r#"stale: [1] button "Approve" is gone: its element was removed or its document was left; alike and live: [2] button "Approve" | try handeye inspect 2, handeye state | 0 gestures"#
        ]],
    );
}

#[test]
fn a_number_never_given_out_is_not_found() {
    check(
        vec![moment(vec![button(1, "Approve")])],
        shown(&[(1, "button", "Approve")]),
        request(by_ref(7), Expectation::LastShown, click()),
        expect![
            "not_found: there is no target [7]: this session has given out 1 to 1 | try handeye state | 0 gestures"
        ],
    );
}

#[test]
fn a_covered_target_is_blocked_and_its_cover_named() {
    let mut covered = moment(vec![button(1, "Approve")]);
    let cover = Cover { id: None, role: "dialog".into(), name: "Cookies".into() };
    covered.covers.insert(NativeId::new(DocumentId(1), 1), cover);
    check(
        vec![covered],
        shown(&[(1, "button", "Approve")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect![[
            r#"blocked: can't click [1] button "Approve": it is covered by dialog "Cookies" | try handeye screenshot | 0 gestures"#
        ]],
    );
}

#[test]
fn a_target_that_gets_ready_is_waited_for() {
    let mut disabled = button(1, "Save");
    disabled.states = disabled.states.with(State::Disabled);
    check(
        vec![moment(vec![disabled]), moment(vec![button(1, "Save")]), moment(vec![button(1, "Saved")])],
        shown(&[(1, "button", "Save")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect![[r#"clicked confirmed {"kind":"changes","changed":1,"new":0,"gone":0} | 1 gestures"#]],
    );
}

#[test]
fn what_the_guard_stopped_before_anything_happened_is_looked_at_again() {
    let mut raced = moment(vec![button(1, "Approve")]);
    raced.delivery = Some(Delivery::Withheld(Withheld {
        reason: "relabelled".into(),
        actual: Some(Box::new(Shown::named("button", "Delete"))),
        partial: false,
        detail: None,
    }));
    check(
        vec![raced, moment(vec![button(1, "Delete")])],
        shown(&[(1, "button", "Approve")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect![[
            r#"click contradicted (not clicked: you were last shown button "Approve"; it is now button "Delete") | 1 gestures"#
        ]],
    );
}

#[test]
fn a_press_that_was_delivered_is_never_repeated() {
    let mut raced = moment(vec![button(1, "Approve")]);
    raced.delivery = Some(Delivery::Withheld(Withheld {
        reason: "relabelled".into(),
        actual: Some(Box::new(Shown::named("button", "Delete"))),
        partial: true,
        detail: None,
    }));
    check(
        vec![raced],
        shown(&[(1, "button", "Approve")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect![[
            r#"click contradicted (begun and then withheld: the target changed what it says, found button "Delete") | 1 gestures"#
        ]],
    );
}

#[test]
fn a_dead_button_has_no_effect() {
    check(
        vec![moment(vec![button(1, "Nothing")])],
        shown(&[(1, "button", "Nothing")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect!["clicked no effect (the events reached it, and nothing was seen to change) | 1 gestures"],
    );
}

#[test]
fn an_app_that_is_still_busy_is_not_said_to_have_done_nothing() {
    let busy = Settled { busy: true, ..Settled::default() };
    let before = moment(vec![button(1, "Open")]);
    check(
        vec![Moment { settled: busy.clone(), ..before.clone() }],
        shown(&[(1, "button", "Open")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect!["clicked unverifiable (the app is still busy, and nothing was seen to change yet) | 1 gestures"],
    );
    let after = moment(vec![button(1, "Open"), button(2, "Cancel")]);
    check(
        vec![Moment { settled: busy, ..before }, after],
        shown(&[(1, "button", "Open")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect![[r#"clicked confirmed {"kind":"changes","changed":0,"new":1,"gone":0} | 1 gestures"#]],
    );
}

/// A click on a button, of which a clock's text and `more` differ afterwards; the clock is told to change by itself.
fn beside_a_clock(moved: Moved, mutations: Vec<Mutation>, more: &str, expect: Expect) {
    beside([["It is five", "It is six"], ["Sum 1", more]], moved, mutations, expect);
}

/// The same with what the clock and the other say before and after.
fn beside([clock, sum]: [[&str; 2]; 2], moved: Moved, mutations: Vec<Mutation>, expect: Expect) {
    let text = |number, words| node(NodeKind::Text, number, "text", words);
    let self_changing = [NativeId::new(DocumentId(1), 2)].into_iter().collect();
    let stirred = Stirred { self_changing, unnamed: mutations.is_empty(), mutations, ..Stirred::default() };
    let settled = Settled { moved, quiet: true, ..Settled::default() };
    let before = moment(vec![button(1, "Buy"), text(2, clock[0]), text(3, sum[0])]);
    let after = moment(vec![button(1, "Buy"), text(2, clock[1]), text(3, sum[1])]);
    check(
        vec![Moment { settled, stirred, ..before }, after],
        shown(&[(1, "button", "Buy")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect,
    );
}

#[test]
fn what_changes_by_itself_proves_nothing() {
    let itself = Moved { by_itself: true, ..Moved::default() };
    let nothing = expect![
        "clicked no effect (the events reached it, and nothing was seen to change but what does so by itself) | 1 gestures"
    ];
    beside_a_clock(itself, Vec::new(), "Sum 1", nothing);
    beside_a_clock(
        itself,
        Vec::new(),
        "Sum 2",
        expect![[r#"clicked confirmed {"kind":"changes","changed":0,"new":2,"gone":2} | 1 gestures"#]],
    );
    // It ticked between the look and the click, and not again.
    let nothing = expect![
        "clicked no effect (the events reached it, and nothing was seen to change but what does so by itself) | 1 gestures"
    ];
    beside_a_clock(Moved::default(), Vec::new(), "Sum 1", nothing);
    let motion = Moved { by_motion: true, ..itself };
    let nothing = expect![
        "clicked no effect (the events reached it, and nothing was seen to change but what does so by itself) | 1 gestures"
    ];
    beside_a_clock(motion, vec![mutation(3, Cause::Motion)], "Sum 1", nothing);
    // What it said, or says now, something else says all the while.
    for clock in [["0", "1"], ["1", "0"]] {
        let nothing = expect![
            "clicked no effect (the events reached it, and nothing was seen to change but what does so by itself) | 1 gestures"
        ];
        beside([clock, ["0", "0"]], itself, Vec::new(), nothing);
    }
}

fn mutation(near: u32, cause: Cause) -> Mutation {
    let near = Some(NativeId::new(DocumentId(1), near));
    let (property, tag) = ("class".into(), "i".into());
    Mutation { near, own: false, inside: false, tag, property, from: String::new(), to: "open".into(), cause }
}

#[test]
fn what_shows_in_no_target_is_named_or_proves_nothing() {
    let input = Moved { by_input: true, ..Moved::default() };
    beside_a_clock(
        input,
        Vec::new(),
        "Sum 1",
        expect![[
            r#"clicked unverifiable (something changed, and what it is can't be told) {"kind":"mutated","of":"window"} | 1 gestures"#
        ]],
    );
    // Of what came by the pointer's motion alone, of a click nothing counts; what says more than a look comes first.
    beside_a_clock(
        input,
        vec![mutation(1, Cause::Input), mutation(3, Cause::Motion), mutation(3, Cause::Input)],
        "Sum 1",
        expect![[
            r#"clicked confirmed {"kind":"mutated","what":[{"place":"<i>","property":"class","from":"","to":"open"},{"ref":1,"place":"<i> in button \"Buy\"","property":"class","from":"","to":"open","look":true}],"of":"window"} | 1 gestures"#
        ]],
    );
}

#[test]
fn a_navigation_confirms_a_click() {
    let mut left = moment(vec![button(1, "下一页")]);
    left.settled = Settled {
        events: vec![Event::Navigated { again: false, url: "http://shop/2".into(), document: true }],

        quiet: true,
        ..Settled::default()
    };
    check(
        vec![left, moment(vec![])],
        shown(&[(1, "button", "下一页")]),
        request(by_ref(1), Expectation::Text("下一页".into()), click()),
        expect![[
            r#"clicked confirmed {"kind":"navigated","url":"http://shop/2"} {"kind":"changes","changed":0,"new":0,"gone":1} | 1 gestures"#
        ]],
    );
}

/// Input into a field that holds `value` afterwards.
fn reads_back(value: &str, expect: Expect) {
    let mut after = node(NodeKind::Operable, 1, "textbox", "Amount");
    after.value = Some(value.into());
    check(
        vec![moment(vec![node(NodeKind::Operable, 1, "textbox", "Amount")]), moment(vec![after])],
        shown(&[(1, "textbox", "Amount")]),
        request(by_ref(1), Expectation::LastShown, Action::Input("1000".into())),
        expect,
    );
}

#[test]
fn input_that_reads_back_differently_is_contradicted_and_what_the_field_puts_around_it_is_not() {
    reads_back(
        "999",
        expect![[
            r#"input into contradicted (it reads back as "999") {"kind":"changes","changed":1,"new":0,"gone":0} {"kind":"value","value":"999"} | 1 gestures"#
        ]],
    );
    reads_back(
        "1,000",
        expect![[
            r#"input into confirmed {"kind":"changes","changed":1,"new":0,"gone":0} {"kind":"value","value":"1,000"} | 1 gestures"#
        ]],
    );
}

#[test]
fn a_checkbox_that_is_on_already_is_left_alone() {
    let mut on = node(NodeKind::Operable, 1, "checkbox", "Gift");
    on.states = on.states.with(State::Checked);
    check(
        vec![moment(vec![on])],
        shown(&[(1, "checkbox", "Gift")]),
        request(by_ref(1), Expectation::LastShown, Action::Check(true)),
        expect![[r#"checked confirmed {"kind":"already","state":"checked"} | 0 gestures"#]],
    );
}

#[test]
fn an_icon_without_text_cannot_be_verified_by_words() {
    check(
        vec![moment(vec![button(1, "")])],
        shown(&[(1, "button", "")]),
        request(by_ref(1), Expectation::Text("arrow".into()), click()),
        expect![[
            r#"click unverifiable (not clicked: [1] button without a name has no text that could be checked against the expectation) | 0 gestures"#
        ]],
    );
}

#[test]
fn locators_are_tried_in_order_and_each_is_verified() {
    let (mut wrong, mut right) = (button(1, "Cancel"), button(2, "Pay now"));
    wrong.extra.xpath = Some("//button[1]".into());
    right.extra.xpath = Some("//button[2]".into());
    let locators = ["//gone", "//button[1]", "//button[2]"].map(|x| Locator::Xpath(x.into())).to_vec();
    let mut replay = Replay::new(vec![moment(vec![wrong, right]), moment(vec![])]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let request = request(locators, Expectation::Text("Pay".into()), click());
    let receipt = runtime.block_on(act(&mut replay, &mut Memory::default(), &Ticker::default(), &request)).unwrap();
    expect![[r#"
        Some(
            Matched {
                used: "--xpath '//button[2]'",
                used_xpath: Some(
                    "//button[2]",
                ),
                verified: true,
                actual_text: "Pay now",
                tried: [
                    Tried {
                        locator: "--xpath //gone",
                        outcome: "nothing matches --xpath //gone",
                    },
                    Tried {
                        locator: "--xpath '//button[1]'",
                        outcome: "what --xpath '//button[1]' matches doesn't show the expected text: it shows \"Cancel\"",
                    },
                ],
            },
        )
    "#]]
    .assert_debug_eq(&receipt.matched);
}

#[test]
fn several_matches_are_ambiguous_and_listed() {
    let locator = Locator::Role { role: Some("button".into()), name: None };
    let mut off = button(2, "Save all");
    off.states = off.states.with(State::Disabled);
    check(
        vec![moment(vec![button(1, "Save"), off])],
        Memory::default(),
        request(vec![locator], Expectation::LastShown, click()),
        expect![[
            r#"ambiguous: --role button matches 2 elements: [1] button "Save", [2] button "Save all" disabled | try handeye inspect 1, handeye inspect 2 | 0 gestures"#
        ]],
    );
}

#[test]
fn a_request_alone_proves_nothing_of_an_action() {
    let polled = Event::Requested { method: "GET".into(), url: "http://shop/poll".into() };
    let settled = Settled { events: vec![polled], quiet: true, ..Settled::default() };
    check(
        vec![Moment { settled, ..moment(vec![button(1, "Approve")]) }, moment(vec![button(1, "Approve")])],
        shown(&[(1, "button", "Approve")]),
        request(by_ref(1), Expectation::LastShown, click()),
        expect![[
            r#"clicked unverifiable (the page sent a request, which may be its own doing, and nothing was seen to change) {"kind":"requested","request":"GET http://shop/poll"} | 1 gestures"#
        ]],
    );
}

#[test]
fn a_page_that_was_on_its_way_before_proves_nothing_of_an_action() {
    let went = |inside| Event::WentItself { url: "http://shop/2".into(), inside };
    let led = Event::Navigated { again: false, url: "http://shop/3".into(), document: true };
    for (events, verdict) in [
        (vec![went(false)], "clicked unverifiable"),
        (vec![went(true)], "clicked unverifiable"),
        // What the other page goes on with is its own.
        (vec![went(false), led.clone()], "clicked unverifiable"),
        (vec![went(true), led.clone()], "clicked unverifiable"),
        (vec![led, went(false)], "clicked confirmed"),
    ] {
        let settled = Settled { events, quiet: true, ..Settled::default() };
        let told = told(
            vec![Moment { settled, ..moment(vec![button(1, "Approve")]) }, moment(vec![button(7, "Next")])],
            shown(&[(1, "button", "Approve")]),
            &request(by_ref(1), Expectation::LastShown, click()),
        );
        assert!(told.starts_with(verdict), "{told}");
    }
}
