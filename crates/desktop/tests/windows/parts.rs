//! Windows' compound controls by window messages: `cargo xtask test --windows` runs it.

use crate::stage::{Panel, Stage, click, code};
use handeye_engine::{Action, ClickBy};
use handeye_scene::{Code, Query, QueryBy};

fn open() -> (Stage, Panel) {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Panel");
    panel.tell("parts");
    stage.choose("Panel parts");
    (stage, panel)
}

#[test]
fn rows_cells_branches_tabs_and_tools_are_listed() {
    let (mut stage, _panel) = open();
    let lines = stage.state();
    for line in [
        r#"row "读我.txt""#,
        r#"row "notes & co""#,
        r#"columnheader "Kind""#,
        r#"treeitem "Work" collapsed"#,
        r#"treeitem "Home""#,
        r#"tab "General" selected"#,
        r#"tab "Über""#,
        r#"button "Cut""#,
        r#"togglebutton "Bold""#,
        r#"button "Off" disabled"#,
    ] {
        assert!(lines.lines().any(|l| l == line), "{line}\n{lines}");
    }
    let things = stage.things();
    for thing in [r#"cell "12 KB""#, r#"cell "picture""#, r#"text "Ln 1""#, r#"text "插入""#] {
        assert!(things.iter().any(|l| l == thing), "{thing}\n{things:?}");
    }
    // Of a hundred thousand rows those in sight are listed, and it is said.
    let long = lines.lines().filter(|l| l.starts_with("row \"row ")).count();
    assert!((3..=40).contains(&long), "{long}\n{lines}");
    assert!(stage.partial().is_some_and(|why| why.contains("in sight")), "{:?}", stage.partial());
}

#[test]
fn rows_are_chosen_and_found_again_where_they_went() {
    let (mut stage, mut panel) = open();
    let notes = stage.number("row", "notes & co");
    assert_eq!(stage.done(notes, click(ClickBy::Best)), "the message LVM_SETITEMSTATE");
    panel.logs("list 301 row 3");
    panel.tell("row first of all");
    assert_eq!(stage.number("row", "notes & co"), notes, "it is the same row, one further down");
    let other = stage.number("row", "读我.txt");
    assert_eq!(stage.done(other, click(ClickBy::Pointer)), "the pointer");
    panel.logs("list 301 row 2");
    let facts = stage.probe(notes).unwrap().facts;
    assert!(facts.contains(&("row".into(), "4".into())), "{facts:?}");
    let second = stage.number("row", "row 2");
    assert_eq!(stage.done(second, click(ClickBy::Best)), "the message LVM_SETITEMSTATE");
    panel.logs("list 306 row 2");
}

#[test]
fn branches_open_and_close_and_are_chosen() {
    let (mut stage, panel) = open();
    let work = stage.number("treeitem", "Work");
    assert_eq!(stage.done(work, Action::Expand(true)), "the message TVM_EXPAND");
    panel.logs("branch opened");
    assert!(stage.state().contains(r#"treeitem "计划""#));
    let letters = stage.number("treeitem", "Letters");
    stage.done(letters, Action::Expand(true));
    let year = stage.number("treeitem", "2026");
    assert_eq!(stage.done(year, click(ClickBy::Best)), "the message TVM_SELECTITEM");
    panel.logs("branch chosen");
    assert!(stage.state().contains(r#"treeitem "2026" selected"#), "{}", stage.state());
    stage.done(work, Action::Expand(false));
    let lines = stage.state();
    // What was chosen in it is hidden, so it is chosen itself.
    assert!(lines.contains(r#"treeitem "Work" selected collapsed"#) && !lines.contains("2026"), "{lines}");
}

#[test]
fn tabs_are_turned_to_and_tools_are_pressed() {
    let (mut stage, panel) = open();
    let last = stage.number("tab", "Über");
    assert_eq!(stage.done(last, click(ClickBy::Best)), "the message TCM_SETCURFOCUS");
    panel.logs("tab 3");
    let fonts = stage.number("tab", "Fonts");
    stage.done(fonts, click(ClickBy::Pointer));
    panel.logs("tab 2");
    let bold = stage.number("togglebutton", "Bold");
    assert_eq!(stage.done(bold, click(ClickBy::Best)), "the pointer");
    panel.logs("tool 402");
    assert!(stage.state().contains(r#"togglebutton "Bold" pressed"#), "{}", stage.state());
    let off = stage.number("button", "Off");
    assert_eq!(code(stage.click(off, ClickBy::Best)), Code::Blocked);
}

#[test]
fn parts_are_stale_once_their_window_is_closed() {
    let (mut stage, mut panel) = open();
    let row = stage.number("row", "读我.txt");
    let work = stage.number("treeitem", "Work");
    panel.tell("no-parts");
    for part in [row, work] {
        let gone = code(stage.click(part, ClickBy::Best));
        assert!(matches!(gone, Code::Stale | Code::Lost), "{gone:?}");
    }
    stage.choose("Panel");
    assert!(stage.state().contains("button \"Approve\""));
}

#[test]
fn controls_are_found_by_class_and_automation_id() {
    let (mut stage, _panel) = open();
    let by = |by, text: &str| Query { by, text: text.to_owned() };
    assert_eq!(stage.search(&by(QueryBy::Class, "SysTreeView32")).len(), 1 + 2, "the tree, and what is in sight of it");
    stage.choose("Panel");
    assert_eq!(stage.search(&by(QueryBy::AutomationId, "101")).len(), 1);
    assert_eq!(stage.search(&by(QueryBy::AutomationId, "nothing")).len(), 0);
}
