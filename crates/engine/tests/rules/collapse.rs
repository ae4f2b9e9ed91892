//! Folding: what is listed, what is folded, and that all of it can be opened.

use expect_test::{Expect, expect};
use handeye_engine::observe::diff::Fingerprint;
use handeye_engine::observe::outline::{self, Style};
use handeye_engine::observe::snapshot::see;
use handeye_engine::replay::node;
use handeye_engine::{Memory, Show, View};
use handeye_scene::{Capture, Document, DocumentId, Generation, NativeId, Node, NodeKind, Ref, State};
use std::collections::BTreeSet;

/// A page under construction: nodes in reading order, each below a parent.
#[derive(Default)]
struct Page {
    nodes: Vec<Node>,
}

impl Page {
    fn add(&mut self, parent: Option<usize>, kind: NodeKind, role: &str, name: &str) -> usize {
        let mut node = node(kind, self.nodes.len() as u32 + 1, role, name);
        node.parent = parent;
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn button(&mut self, parent: Option<usize>, name: &str) -> usize {
        self.add(parent, NodeKind::Operable, "button", name)
    }

    fn away(&mut self, from: usize) -> &mut Self {
        for node in &mut self.nodes[from..] {
            node.states = node.states.with(State::Offscreen);
        }
        self
    }

    fn capture(&self) -> Capture {
        let main = Document { id: DocumentId(1), url: "u".into(), origin: "o".into(), owner: None };
        Capture {
            url: "u".into(),
            title: "T".into(),
            nodes: self.nodes.clone(),
            documents: vec![main],
            ..Capture::default()
        }
    }
}

fn shown(capture: &Capture, memory: &mut Memory, show: Show) -> View {
    see(capture, memory, Show { text: 100, ..show }, Generation(1), String::new()).unwrap()
}

fn check(page: &Page, budget: usize, expect: Expect) {
    let view = shown(&page.capture(), &mut Memory::default(), Show { budget: Some(budget), ..Show::default() });
    let text = outline::view(&view, Style::default());
    assert!(text.chars().count() <= budget, "{} of {budget}: {text}", text.chars().count());
    expect.assert_eq(&text);
}

/// A table whose rows hold a link, a button and, where `extra` says so, one more.
fn table(rows: usize, extra: impl Fn(usize) -> bool) -> Page {
    let mut page = Page::default();
    page.button(None, "New");
    let table = page.add(None, NodeKind::Item, "table", "");
    for i in 0..rows {
        let row = page.add(Some(table), NodeKind::Item, "row", "");
        page.add(Some(row), NodeKind::Operable, "link", &format!("Order {i}"));
        page.button(Some(row), "Pay");
        if extra(i) {
            page.button(Some(row), "Dispute");
        }
    }
    page.button(None, "Help");
    page
}

#[test]
fn what_fits_is_not_folded() {
    check(
        &table(3, |_| false),
        1000,
        expect![[r#"
            page "T" u  8 targets
            [1] button "New"
            [2] link "Order 0"
            [3] button "Pay"
            [4] link "Order 1"
            [5] button "Pay"
            [6] link "Order 2"
            [7] button "Pay"
            [8] button "Help""#]],
    );
}

#[test]
fn rows_are_folded_after_the_first_few_even_where_they_differ() {
    check(
        &table(300, |i| i % 7 == 0),
        1000,
        expect![[r#"
            page "T" u  9 targets, 636 in folds (--within REF)
            [1] button "New"
            [2] link "Order 0"
            [3] button "Pay"
            [4] button "Dispute"
            [5] link "Order 1"
            [6] button "Pay"
            [7] link "Order 2"
            [8] button "Pay"
            [9] fold 297 × row, 636 targets (link, button) "Order 3" … "Pay"
            [10] button "Help""#]],
    );
}

#[test]
fn repetition_without_a_structure_is_seen() {
    let mut page = Page::default();
    for i in 0..200 {
        page.add(None, NodeKind::Operable, "link", &format!("Item {i}"));
        page.add(None, NodeKind::Text, "text", &format!("{i} pieces"));
        page.button(None, "Add");
    }
    check(
        &page,
        900,
        expect![[r#"
            page "T" u  6 targets, 394 in folds (--within REF)
            [1] link "Item 0"
            text "0 pieces"
            [2] button "Add"
            [3] link "Item 1"
            text "1 pieces"
            [4] button "Add"
            [5] link "Item 2"
            text "2 pieces"
            [6] button "Add"
            [7] fold 394 targets (link, button) "Item 3" … "Add""#]],
    );
}

#[test]
fn many_targets_in_a_row_outside_the_viewport_are_one_line() {
    let mut page = Page::default();
    page.button(None, "Here");
    let from = page.nodes.len();
    for i in 0..6 {
        page.button(None, &format!("Far {i}"));
    }
    page.away(from);
    check(
        &page,
        1000,
        expect![[r#"
            page "T" u  1 target, 6 in folds (--within REF)
            [1] button "Here"
            [2] fold below: 6 × button "Far 0" … "Far 5""#]],
    );
    // A few are listed.
    page.nodes.truncate(from + 4);
    check(
        &page,
        1000,
        expect![[r#"
            page "T" u  5 targets
            [1] button "Here"
            [2] button "Far 0" off-screen
            [3] button "Far 1" off-screen
            [4] button "Far 2" off-screen
            [5] button "Far 3" off-screen"#]],
    );
}

#[test]
fn a_fold_from_late_in_one_list_to_early_in_the_next_is_of_no_one_structure() {
    let mut page = Page::default();
    for (list, items) in [("First", 60), ("Second", 20)] {
        let list = page.add(None, NodeKind::Item, "list", list);
        for i in 0..items {
            let item = page.add(Some(list), NodeKind::Item, "listitem", "");
            page.add(Some(item), NodeKind::Operable, "link", &format!("Entry {i}"));
        }
    }
    page.away(50);
    let view = shown(&page.capture(), &mut Memory::default(), Show { budget: Some(1300), ..Show::default() });
    let folded: usize = view.snapshot.folds.iter().map(|fold| fold.targets).sum();
    assert_eq!(view.snapshot.targets.len() + folded, 80);
}

#[test]
fn without_structure_the_end_is_folded() {
    let mut page = Page::default();
    for i in 0..60 {
        let role = ["link", "button", "textbox", "checkbox", "slider", "tab"][i * i % 6];
        page.add(None, NodeKind::Operable, role, &"long name ".repeat(i % 9 + 1));
    }
    let view = shown(&page.capture(), &mut Memory::default(), Show { budget: Some(1500), ..Show::default() });
    let text = outline::view(&view, Style::default());
    assert!(text.chars().count() <= 1500, "{text}");
    assert!(view.snapshot.targets.len() > 5, "{text}");
    assert_eq!(view.snapshot.targets.len() + view.snapshot.omitted, 60);
}

/// Every element that is listed in a state, in its folds and on all their pages.
fn opened(capture: &Capture, budget: usize) -> BTreeSet<NativeId> {
    let mut memory = Memory::default();
    let whole = shown(capture, &mut memory, Show { budget: Some(budget), ..Show::default() });
    let mut found: BTreeSet<NativeId> = whole.snapshot.targets.iter().filter_map(|t| t.native).collect();
    for fold in &whole.snapshot.folds {
        let known = memory.refs.known(fold.r#ref).unwrap().clone();
        let stretch = Some((known.native, known.until.unwrap()));
        let mut inside = 0;
        for page in 1.. {
            let show = Show { part: true, stretch, budget: Some(budget), page: Some(page), ..Show::default() };
            let view = shown(capture, &mut memory, show);
            let text = outline::view(&view, Style::default());
            assert!(text.chars().count() <= budget + 200, "{text}");
            inside += view.snapshot.targets.len();
            found.extend(view.snapshot.targets.iter().filter_map(|t| t.native));
            if view.snapshot.page.is_none_or(|p| p.number == p.of) {
                break;
            }
        }
        assert_eq!(inside, fold.targets);
    }
    found
}

#[test]
fn nothing_becomes_unreachable() {
    let mut mixed = table(50, |i| i % 3 == 0);
    let from = mixed.nodes.len();
    let list = mixed.add(None, NodeKind::Item, "list", "Far");
    for i in 0..40 {
        let item = mixed.add(Some(list), NodeKind::Item, "listitem", "");
        mixed.add(Some(item), NodeKind::Text, "text", &format!("far {i}"));
        mixed.button(Some(item), "Go");
    }
    mixed.away(from);
    for (page, budget) in [(&table(2000, |i| i % 5 == 0), 6000), (&mixed, 700), (&mixed, 6000)] {
        let capture = page.capture();
        let all: BTreeSet<NativeId> =
            capture.nodes.iter().filter(|n| n.kind == NodeKind::Operable).filter_map(|n| n.id).collect();
        assert_eq!(opened(&capture, budget), all);
    }
}

#[test]
fn a_page_that_is_not_there_says_how_many_there_are() {
    let capture = table(100, |_| false).capture();
    let show = |page| Show { budget: Some(1000), page: Some(page), text: 100, ..Show::default() };
    let mut memory = Memory::default();
    let last = see(&capture, &mut memory, show(4), Generation(1), String::new()).unwrap();
    assert!(last.snapshot.page.unwrap().of > 4);
    let problem = see(&capture, &mut memory, show(99), Generation(1), String::new()).unwrap_err();
    expect!["there is no page 99: there are 7 pages"].assert_eq(&problem.message);
}

#[test]
fn a_fold_is_no_element() {
    let capture = table(300, |_| false).capture();
    let mut memory = Memory::default();
    let view = shown(&capture, &mut memory, Show { budget: Some(1000), ..Show::default() });
    let fold = view.snapshot.folds[0].r#ref;
    let problem = memory.refs.element(fold).unwrap_err();
    expect![[r#"[8] is a fold, not an element: 297 × row, 594 targets (link, button) "Order 3" … "Pay""#]]
        .assert_eq(&problem.message);
    // The same stretch keeps its number.
    let again = shown(&capture, &mut memory, Show { budget: Some(1000), ..Show::default() });
    assert_eq!(again.snapshot.folds[0].r#ref, fold);
    assert_eq!(
        memory.refs.known(Ref(900)).unwrap_err().message,
        "there is no target [900]: this session has given out 1 to 9"
    );
}

#[test]
fn a_fold_whose_ends_have_swapped_or_gone_is_stale() {
    let mut page = table(300, |_| false);
    let mut memory = Memory::default();
    let view = shown(&page.capture(), &mut memory, Show { budget: Some(1000), ..Show::default() });
    let known = memory.refs.known(view.snapshot.folds[0].r#ref).unwrap().clone();
    let show = Show {
        part: true,
        stretch: Some((known.native, known.until.unwrap())),
        budget: Some(1000),
        page: Some(1),
        text: 100,
        ..Show::default()
    };
    let open = |capture: &Capture, memory: &mut Memory| see(capture, memory, show, Generation(1), String::new());
    assert!(open(&page.capture(), &mut memory).is_ok());
    let last = page.nodes.iter().position(|n| n.id == known.until).unwrap();
    let first = page.nodes.iter().position(|n| n.id == Some(known.native)).unwrap();
    page.nodes.swap(first, last);
    let swapped = open(&page.capture(), &mut memory).unwrap_err();
    expect![[r#"stale: what [8] folded is no longer there as it was: 297 × row, 594 targets (link, button) "Order 3" … "Pay""#]]
        .assert_eq(&swapped.to_string());
    page.nodes[first].id = None;
    assert!(open(&page.capture(), &mut memory).is_err());
}

#[test]
fn a_change_that_is_told_of_a_row_books_no_name_with_it() {
    let mut page = Page::default();
    let n = page.button(None, "Edit");
    let row = |text: &str| Some(handeye_scene::RowLabel { text: text.into(), ..Default::default() });
    page.nodes[n].extra.row = row("Ann");
    let mut memory = Memory::default();
    shown(&page.capture(), &mut memory, Show::default());
    // The page relabels it by itself, and then only its row is seen to change.
    page.nodes[n].name = "Delete".into();
    let before = Fingerprint::of(&page.capture());
    page.nodes[n].extra.row = row("Bob");
    let later = Fingerprint::of(&page.capture());
    before.differences(&later).show(&before, &later, &mut memory.refs, 10);
    let known = memory.refs.known(Ref(1)).unwrap();
    assert_eq!((known.shown.name.as_str(), known.shown.row.clone()), ("Edit", row("Bob")));
}

#[test]
fn a_fold_opens_with_what_its_first_and_last_rows_say() {
    let mut page = Page::default();
    page.button(None, "New");
    let table = page.add(None, NodeKind::Item, "table", "");
    for i in 0..40 {
        let from = page.nodes.len();
        let row = page.add(Some(table), NodeKind::Item, "row", "");
        page.add(Some(row), NodeKind::Text, "text", &format!("Item {i}"));
        page.button(Some(row), "Pay");
        page.add(Some(row), NodeKind::Text, "text", &format!("paid {i}"));
        if i > 2 {
            page.away(from);
        }
    }
    let (capture, mut memory) = (page.capture(), Memory::default());
    let view = shown(&capture, &mut memory, Show { budget: Some(6000), ..Show::default() });
    let fold = view.snapshot.folds.first().unwrap();
    let known = memory.refs.get(fold.r#ref).unwrap();
    let stretch = Some((known.native, known.until.unwrap()));
    let opened = shown(&capture, &mut memory, Show { part: true, stretch, ..Show::default() });
    let text = outline::view(&opened, Style::default());
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!((lines[0], *lines.last().unwrap()), ("text \"Item 3\"", "text \"paid 39\""), "{text}");
}

#[test]
fn what_a_fold_held_stands_by_itself() {
    let mut page = Page::default();
    let region = page.add(None, NodeKind::Item, "region", "Orders");
    let list = page.add(Some(region), NodeKind::Item, "list", "All of them");
    let mut ids = Vec::new();
    for i in 0..3 {
        let item = page.add(Some(list), NodeKind::Item, "listitem", &format!("Order {i}"));
        ids.push(page.nodes[item].id.unwrap());
        page.button(Some(item), "Pay");
    }
    let show = Show { part: true, stretch: Some((ids[1], ids[2])), ..Show::default() };
    let text =
        outline::view(&shown(&page.capture(), &mut Memory::default(), show), Style { tree: true, ..Style::default() });
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(
        lines,
        ["listitem \"Order 1\"", "  [1] button \"Pay\"", "listitem \"Order 2\"", "  [2] button \"Pay\""],
        "{text}"
    );
}
