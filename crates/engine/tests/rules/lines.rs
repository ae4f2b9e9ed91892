//! What stands in one line of a state.

use expect_test::expect;
use handeye_engine::Memory;
use handeye_engine::observe::outline::{self, Style};
use handeye_engine::observe::snapshot::{Show, see};
use handeye_engine::replay::node;
use handeye_scene::{Capture, Generation, Node, NodeKind, State};

fn text(parent: Option<usize>, number: u32, words: &str) -> Node {
    Node { parent, ..node(NodeKind::Text, number, "text", words) }
}

fn state(nodes: Vec<Node>, show: Show) -> String {
    let capture = Capture { url: "http://shop/".into(), nodes, ..Capture::default() };
    let view = see(&capture, &mut Memory::default(), show, Generation(1), String::new()).unwrap();
    outline::view(&view, Style::default()).lines().skip(1).collect::<Vec<_>>().join("\n")
}

fn area(number: u32) -> Node {
    node(NodeKind::Operable, number, "generic", "")
}

#[test]
fn a_target_without_a_name_is_called_by_the_text_in_it() {
    let mut away = area(5);
    away.states = away.states.with(State::Offscreen);
    let mut below = text(Some(5), 6, "Below");
    below.states = below.states.with(State::Offscreen);
    let nodes = vec![
        area(1),
        text(Some(0), 2, "Open"),
        text(Some(0), 3, "Second"),
        area(4),
        text(None, 7, "Beside"),
        away,
        below,
        node(NodeKind::Operable, 8, "button", "Save"),
        text(Some(7), 9, "Saves it"),
    ];
    expect![[r#"
        [1] generic "Open"
        text "Second"
        [2] generic ""
        text "Beside"
        [3] generic "Below" off-screen
        [4] button "Save"
        text "Saves it""#]]
    .assert_eq(&state(nodes.clone(), Show::default()));
    expect![[r#"
        [1] generic ""
        [2] text "Open"
        [3] text "Second"
        [4] generic ""
        [5] text "Beside"
        [6] generic "" off-screen
        [7] text "Below" off-screen
        [8] button "Save"
        [9] text "Saves it""#]]
    .assert_eq(&state(nodes, Show { all: true, ..Show::default() }));
}
