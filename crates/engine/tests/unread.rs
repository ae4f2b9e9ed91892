//! What a look left unread: it is folded, counted and opened, and reading it is no news.

#![allow(clippy::unwrap_used)] // a test may stop at the first thing amiss

use expect_test::expect;
use handeye_engine::Eye;
use handeye_engine::diff::{Differences, Digest};
use handeye_engine::outline::{self, Style};
use handeye_engine::replay::node;
use handeye_engine::see::{Show, View, see};
use handeye_scene::{Capture, DocumentId, Extra, Generation, Left, NativeId, Node, NodeKind, State};

const ROWS: u32 = 100;

fn id(number: u32) -> NativeId {
    NativeId::new(DocumentId(1), number)
}

/// Rows with a link and a text each, of which those in `left` were not read; those in `late` were not before.
fn table(left: std::ops::Range<u32>, late: std::ops::Range<u32>) -> Capture {
    let mut nodes: Vec<Node> = Vec::new();
    for row in 0..ROWS {
        let away = |mut node: Node, parent| {
            if row > 4 {
                node.states = node.states.with(State::Offscreen);
            }
            if late.contains(&row) {
                node.states = node.states.unread_before();
            }
            Node { parent, ..node }
        };
        let first = 1 + 3 * row;
        if row == left.start && !left.is_empty() {
            let members = left.end - left.start;
            let last = 1 + 3 * (left.end - 1) + 1;
            let extra = Extra { left: Some(Left { members, targets: members, last }), ..Extra::default() };
            nodes.push(away(Node { extra, ..node(NodeKind::Item, first + 1, "row", "") }, None));
        }
        if left.contains(&row) {
            continue;
        }
        let at = nodes.len();
        nodes.push(away(node(NodeKind::Item, first, "row", ""), None));
        nodes.push(away(node(NodeKind::Operable, first + 1, "link", &format!("Order {row}")), Some(at)));
        nodes.push(away(node(NodeKind::Text, first + 2, "text", &format!("Paid {row}")), Some(at)));
    }
    Capture { url: "u".into(), title: "T".into(), nodes, ..Capture::default() }
}

fn shown(capture: &Capture, eye: &mut Eye, show: Show) -> View {
    see(capture, eye, Show { text: 100, ..show }, Generation(1), String::new()).unwrap()
}

#[test]
fn it_is_folded_with_what_is_around_it() {
    let show = Show { budget: Some(1000), ..Show::default() };
    let mut eye = Eye::default();
    let view = shown(&table(10..90, 0..0), &mut eye, show);
    expect![[r#"
        page "T" u  5 targets, about 95 in folds (--within REF), 15 texts off-screen
        [1] link "Order 0"
        text "Paid 0"
        [2] link "Order 1"
        text "Paid 1"
        [3] link "Order 2"
        text "Paid 2"
        [4] link "Order 3"
        text "Paid 3"
        [5] link "Order 4"
        text "Paid 4"
        [6] fold below: 95 × row "Order 5" … "Order 99""#]]
    .assert_eq(&outline::view(&view, Style::default()));
    assert_eq!(view.snapshot.omitted, 95);
    // What is out of view isn't told by lines then.
    let visible = shown(&table(10..90, 0..0), &mut eye, Show { visible: true, ..show });
    assert_eq!((visible.snapshot.targets.len(), visible.snapshot.omitted), (5, 95));
}

#[test]
fn a_page_of_it_is_shown_when_all_of_that_is_read() {
    let page = |capture: &Capture, page| {
        let stretch = Some((id(17), id(299)));
        let show = Show { budget: Some(500), page: Some(page), stretch, part: true, ..Show::default() };
        shown(capture, &mut Eye::default(), show)
    };
    let short = page(&table(10..90, 0..0), 1);
    assert_eq!(short.unread, Some((id(32), id(269))));
    assert!(short.lines.is_empty());
    let enough = page(&table(40..90, 0..0), 1);
    assert_eq!(enough.unread, None);
    let whole = page(&table(0..0, 0..0), 1);
    assert_eq!(enough.lines, whole.lines);
    let (about, of) = (enough.snapshot.page.unwrap(), whole.snapshot.page.unwrap());
    assert!(about.about && !of.about && about.of.abs_diff(of.of) <= 2, "{about:?} {of:?}");
}

fn differences(before: &Capture, after: &Capture) -> Differences {
    Digest::of(before).differences(&Digest::of(after))
}

#[test]
fn reading_it_is_no_news() {
    let before = table(10..90, 0..0);
    let read = table(20..90, 10..20);
    assert_eq!(differences(&before, &read), Differences::default());
    assert!(Digest::of(&before).changed_texts(&Digest::of(&read)).is_empty());
    // What has come beside it is.
    let mut more = read.clone();
    more.nodes.push(node(NodeKind::Operable, 900, "button", "New"));
    more.nodes.push(node(NodeKind::Text, 901, "text", "Order 12"));
    let found = differences(&before, &more);
    assert_eq!((found.added, found.texts_added), (vec![id(900)], vec!["Order 12".to_owned()]));
    // And so is what changes once it was read.
    let mut changed = read.clone();
    let link = changed.nodes.iter_mut().find(|n| n.name == "Order 12").unwrap();
    link.name = "Sent 12".into();
    assert_eq!(differences(&read, &changed).changed.len(), 1);
    changed.nodes.retain(|n| n.name != "Order 13");
    assert_eq!(differences(&read, &changed).removed, [id(41)]);
}
