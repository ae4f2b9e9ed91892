//! Claims in, what is left of them out.

use super::{Thresholds, fuse};
use crate::replay::node;
use handeye_scene::{Capture, Claim, Node, NodeKind, Rect, Source};

const BUTTON: [f64; 4] = [100.0, 100.0, 80.0, 30.0];

fn native(number: u32, kind: NodeKind, role: &str, name: &str, rect: [f64; 4]) -> Node {
    Node { rect: rect.into(), ..node(kind, number, role, name) }
}

fn claim(source: Source, name: &str, rect: [f64; 4]) -> Claim {
    Claim::new(source, if source == Source::Ocr { "text" } else { "button" }, name, Rect::from(rect))
}

/// What is left, as `source name`, and what is read of which node.
fn check(nodes: Vec<Node>, claims: Vec<Claim>, left: &[&str], reads: &[(usize, &str)]) {
    let capture = Capture { nodes, ..Capture::default() };
    let fused = fuse(&capture, claims, Thresholds::default());
    let told: Vec<String> = fused.claims.iter().map(|c| format!("{} {}", c.source.word(), c.name)).collect();
    assert_eq!(told, left);
    let read: Vec<(usize, &str)> = fused.reads.iter().map(|(at, text)| (*at, text.as_str())).collect();
    assert_eq!(read, reads);
}

#[test]
fn the_tree_wins_and_is_told_what_it_doesnt_say() {
    let named = native(1, NodeKind::Operable, "button", "Save", BUTTON);
    let nameless = Node { name: String::new(), ..named.clone() };
    let box_there = claim(Source::Vision, "Save it", [104.0, 102.0, 70.0, 26.0]);
    let text_there = claim(Source::Ocr, "Save", [115.0, 106.0, 40.0, 14.0]);
    check(vec![named.clone()], vec![box_there.clone(), text_there.clone()], &[], &[]);
    check(vec![nameless.clone()], vec![text_there.clone()], &[], &[(0, "Save")]);
    check(vec![nameless], vec![box_there], &[], &[(0, "Save it")]);
    // Elsewhere there is nothing to win.
    let away = claim(Source::Vision, "Far", [400.0, 100.0, 80.0, 30.0]);
    check(vec![named], vec![away], &["vision Far"], &[]);
}

#[test]
fn one_tenth_of_overlap_with_an_element_is_enough() {
    let named = || vec![native(1, NodeKind::Operable, "button", "Save", [0.0, 0.0, 100.0, 100.0])];
    // Shares of the area beside: 2000 of 18000, and 1500 of 18500.
    check(named(), vec![claim(Source::Shapes, "a", [80.0, 0.0, 100.0, 100.0])], &[], &[]);
    check(named(), vec![claim(Source::Shapes, "b", [85.0, 0.0, 100.0, 100.0])], &["shapes b"], &[]);
}

#[test]
fn a_part_of_an_element_is_no_target_but_a_part_of_a_canvas_is() {
    let icon = || claim(Source::Shapes, "icon", [102.0, 104.0, 6.0, 6.0]);
    check(vec![native(1, NodeKind::Operable, "button", "Save", BUTTON)], vec![icon()], &[], &[]);
    check(vec![native(1, NodeKind::Operable, "canvas", "Board", BUTTON)], vec![icon()], &["shapes icon"], &[]);
    // What holds several elements is what they stand in.
    let two = vec![
        native(1, NodeKind::Operable, "button", "A", [10.0, 10.0, 20.0, 10.0]),
        native(2, NodeKind::Operable, "button", "B", [150.0, 10.0, 20.0, 10.0]),
    ];
    check(two, vec![claim(Source::Vision, "bar", [0.0, 0.0, 200.0, 30.0])], &[], &[]);
}

#[test]
fn text_that_the_tree_tells_is_not_told_again() {
    let line = || claim(Source::Ocr, "Total: 12", [10.0, 10.0, 60.0, 12.0]);
    let text = |name: &str| native(1, NodeKind::Text, "text", name, [8.0, 8.0, 300.0, 16.0]);
    check(vec![text("Total: 12 EUR")], vec![line()], &[], &[]);
    check(vec![text("Another")], vec![line()], &["ocr Total: 12"], &[]);
    // In something large that says otherwise it is a text of its own.
    let card = |name: &str| native(1, NodeKind::Operable, "link", name, [0.0, 0.0, 400.0, 300.0]);
    check(vec![card("Offer")], vec![line()], &["ocr Total: 12"], &[]);
    check(vec![card("Offer, total: 12")], vec![line()], &[], &[]);
}

#[test]
fn other_sources_are_merged_with_each_other() {
    let shape = || claim(Source::Shapes, "", [100.0, 100.0, 80.0, 30.0]);
    let text = || claim(Source::Ocr, "OK", [125.0, 108.0, 30.0, 14.0]);
    let seen = || claim(Source::Vision, "Confirm", [98.0, 99.0, 84.0, 32.0]);
    check(Vec::new(), vec![seen(), text(), shape()], &["shapes OK"], &[]);
    // Lines of one source stand close to each other.
    let lines =
        vec![claim(Source::Ocr, "one", [0.0, 0.0, 50.0, 12.0]), claim(Source::Ocr, "two", [0.0, 8.0, 50.0, 12.0])];
    check(Vec::new(), lines, &["ocr one", "ocr two"], &[]);
    let twice =
        vec![claim(Source::Ocr, "one", [0.0, 0.0, 50.0, 12.0]), claim(Source::Ocr, "one", [1.0, 0.0, 50.0, 12.0])];
    check(Vec::new(), twice, &["ocr one"], &[]);
}

#[test]
fn handles_are_those_of_the_tree_where_it_has_some() {
    let header = || native(1, NodeKind::Item, "columnheader", "Name", [0.0, 0.0, 30.0, 20.0]);
    let border = || Claim {
        confidence: 0.9,
        ..Claim::new(Source::Structure, "column border", "right of Name", Rect::new(27.0, 0.0, 4.0, 20.0))
    };
    check(vec![header()], vec![border()], &["structure right of Name"], &[]);
    // A header that is operable is no handle, however narrow.
    let sortable = Node { kind: NodeKind::Operable, ..header() };
    check(vec![sortable], vec![border()], &["structure right of Name"], &[]);
    let grip = |name: &str| native(2, NodeKind::Operable, "generic", name, [25.0, 0.0, 6.0, 20.0]);
    check(vec![header(), grip("")], vec![border()], &[], &[(1, "right of Name")]);
    check(vec![header(), grip("Resize")], vec![border()], &[], &[]);
}

#[test]
fn what_is_unsure_or_no_place_is_left_out() {
    let odd = [
        Claim { confidence: 0.69, ..claim(Source::Inferred, "unsure", [0.0, 0.0, 5.0, 5.0]) },
        claim(Source::Vision, "flat", [0.0, 0.0, 5.0, 0.0]),
        claim(Source::Vision, "nowhere", [f64::NAN, 0.0, 5.0, 5.0]),
    ];
    check(Vec::new(), odd.to_vec(), &[], &[]);
    // Elements are merged by what they are, not by where.
    let id = node(NodeKind::Operable, 1, "", "").id;
    let inner = Claim { element: node(NodeKind::Operable, 2, "", "").id, ..claim(Source::Ax, "play", BUTTON) };
    let same = Claim { element: id, ..claim(Source::Ax, "Save", [0.0, 0.0, 9.0, 9.0]) };
    check(vec![native(1, NodeKind::Operable, "button", "Save", BUTTON)], vec![inner, same], &["ax play"], &[]);
}

#[test]
fn long_names_elsewhere_cost_nothing() {
    // Four million comparisons of names would be 120 GB of text to go through: hours, which the runner doesn't give a test.
    let long = "word ".repeat(6_000);
    let node = |i: u32| native(i, NodeKind::Item, "listitem", &long, [0.0, f64::from(i) * 40.0, 300.0, 30.0]);
    let read = |i: u32| claim(Source::Ocr, "Save", [500.0, f64::from(i) * 40.0, 60.0, 20.0]);
    let capture = Capture { nodes: (0..2_000).map(node).collect(), ..Capture::default() };
    let fused = fuse(&capture, (0..2_000).map(read).collect(), Thresholds::default());
    assert_eq!(fused.claims.len(), 2_000);
}

#[test]
fn what_is_left_out_for_its_confidence_is_counted_by_source() {
    let unsure = |source, x: f64, confidence| Claim { confidence, ..claim(source, "No", [x, 300.0, 20.0, 20.0]) };
    let claims = vec![
        unsure(Source::Vision, 0.0, 0.69),
        unsure(Source::Ocr, 100.0, 0.1),
        unsure(Source::Vision, 200.0, 0.0),
        unsure(Source::Vision, 300.0, 0.7),
    ];
    let fused = fuse(&Capture::default(), claims, Thresholds::default());
    assert_eq!((fused.claims.len(), fused.unsure), (1, vec![(Source::Vision, 2), (Source::Ocr, 1)]));
}
