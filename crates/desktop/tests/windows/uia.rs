//! The same program by UI Automation. Wine has none: there it says that nothing was tested.

use crate::stage::{self, Stage, click, code};
use handeye_engine::{Action, ClickBy};
use handeye_scene::{Code, Verdict};

/// A desktop looked at by UI Automation; none, and a word about it, where that isn't there.
fn open() -> Option<Stage> {
    if stage::is_wine() {
        eprintln!("not tested here, for want of UI Automation: Wine has none");
        return None;
    }
    let mut stage = Stage::open();
    assert_eq!(stage.notices(), Vec::<String>::new());
    Some(stage)
}

#[test]
fn every_control_is_operated_and_read_back_by_patterns() {
    let Some(mut stage) = open() else { return };
    let panel = stage.panel("Panel");
    let approve = stage.number("button", "Approve");
    stage.click(approve, ClickBy::Best).unwrap();
    panel.logs("clicked Approve");
    assert_eq!(stage.number("button", "Approve"), approve, "a number stays with its control");
    let keep = stage.number("checkbox", "Keep a copy");
    assert_eq!(stage.done(keep, Action::Check(true)), "TogglePattern");
    panel.logs("keep true");
    let letter = stage.number("radio", "Letter");
    stage.done(letter, click(ClickBy::Best));
    panel.logs("paper Letter");
    let name = stage.number("textbox", "Name:");
    stage.done(name, Action::Input("王小明 é 😀".into()));
    panel.logs("name 王小明 é 😀");
    assert_eq!(stage.text(name), "王小明 é 😀");
    let secret = stage.number("textbox", "Secret:");
    stage.done(secret, Action::Input("pässword".into()));
    panel.logs("secret 8");
    assert!(!stage.state().contains("pässword"), "a password is masked");
    let row = stage.number("option", "row 3");
    stage.done(row, click(ClickBy::Best));
    panel.logs("row 3");
    let facts = stage.probe(approve).unwrap().facts;
    assert!(facts.contains(&("told by".into(), "UI Automation".into())), "{facts:?}");
    assert!(facts.iter().any(|(what, text)| what == "patterns" && text.contains("Invoke")), "{facts:?}");
}

#[test]
fn menus_are_chosen_from_by_their_names() {
    let Some(mut stage) = open() else { return };
    let panel = stage.panel("Panel");
    let file = stage.number("menuitem", "File");
    stage.act(file, Action::Expand(true)).unwrap();
    let new = stage.targets().unwrap().into_iter().find(|t| t.role == "menuitem" && t.name.starts_with("New")).unwrap();
    stage.click(new.r#ref, ClickBy::Best).unwrap();
    panel.logs("menu 201");
}

#[test]
fn what_changed_is_refused_by_patterns_too() {
    let Some(mut stage) = open() else { return };
    let mut panel = stage.panel("Panel");
    let approve = stage.number("button", "Approve");
    panel.tell("relabel Delete everything");
    for by in [ClickBy::Best, ClickBy::Pointer] {
        let receipt = stage.click(approve, by).unwrap();
        assert_eq!(receipt.verdict, Verdict::Contradicted, "{receipt:?}");
    }
    panel.tell("cover");
    assert!(!panel.log().contains("clicked") && !panel.log().contains("Cover: left"), "{}", panel.log());
    panel.tell("uncover");
    panel.tell("remove");
    assert_eq!(code(stage.click(approve, ClickBy::Best)), Code::Stale);
}
