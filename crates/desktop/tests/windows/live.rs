//! Win32 windows, driven through the act loop as every command does: `cargo xtask test --windows` runs it.

use crate::stage::{self, Stage, click, code};
use handeye_engine::{Action, ClickBy, Expectation};
use handeye_scene::{Arrange, Backend, Button, Code, Delivery, DesktopConfig, Gesture, Point, Rect, ShotArea, Verdict};

#[test]
fn windows_are_listed_with_what_they_hold() {
    let mut stage = Stage::open_win32();
    let panel = stage.panel("Panel");
    let list = stage.list();
    let of = |title: &str| list.iter().find(|w| w.title == title).unwrap_or_else(|| panic!("{title}: {list:?}"));
    assert_eq!(of("Panel").process, "panel.exe");
    assert_eq!(of("Panel").pid, panel.pid());
    assert!(of("Panel far").rect.x < 0.0 && of("Panel far").rect.y < 0.0, "{list:?}");
    stage.choose("Panel");
    let lines = stage.state();
    for line in [
        r#"textbox "Name" focused"#,
        r#"textbox "Fixed" = "as it is" readonly"#,
        r#"checkbox "Keep a copy""#,
        r#"radio "A4" checked"#,
        r#"combobox "Size" collapsed"#,
        r#"option "row 1""#,
        r#"option "row 40" off-screen"#,
        r#"slider "Level" = "0""#,
        r#"button "Approve""#,
        r#"button "Never" disabled"#,
    ] {
        assert!(lines.lines().any(|l| l == line), "{line}\n{lines}");
    }
    let name = stage.number("textbox", "Name");
    assert_eq!(stage.number("textbox", "Name"), name, "a number stays with its control");
    let probe = stage.probe(name).unwrap();
    assert_eq!(probe.testid.as_deref(), Some("102"));
    let facts: Vec<&str> = probe.facts.iter().map(|f| f.0.as_str()).collect();
    assert_eq!(facts, ["process", "program", "handle", "window", "told by", "class", "automation id"]);
}

#[test]
fn every_control_is_operated_and_read_back() {
    let mut stage = Stage::open_win32();
    let panel = stage.panel("Panel");
    let approve = stage.number("button", "Approve");
    stage.click(approve, ClickBy::Best).unwrap();
    panel.logs("clicked Approve");
    let keep = stage.number("checkbox", "Keep a copy");
    assert_eq!(stage.done(keep, Action::Check(true)), "the message BM_CLICK");
    panel.logs("keep true");
    stage.done(keep, Action::Check(false));
    panel.logs("keep false");
    let letter = stage.number("radio", "Letter");
    stage.done(letter, Action::Check(true));
    panel.logs("paper Letter");
    let name = stage.number("textbox", "Name");
    assert_eq!(stage.done(name, Action::Input("王小明 é 😀".into())), "the message EM_REPLACESEL");
    panel.logs("name 王小明 é 😀");
    assert_eq!(stage.text(name), "王小明 é 😀");
    let notes = stage.number("textbox", "Notes");
    stage.done(notes, Action::Input("one\ntwo".into()));
    panel.logs("notes one|two");
    assert_eq!(stage.text(notes), "one\ntwo");
    let secret = stage.number("textbox", "Secret");
    stage.done(secret, Action::Input("pässword".into()));
    panel.logs("secret 8");
    assert!(!stage.state().contains("pässword"), "a password is masked");
    let size = stage.number("combobox", "Size");
    assert_eq!(stage.done(size, Action::Select(vec!["Large & wide".into()])), "the message CB_SETCURSEL");
    panel.logs("size 2");
    stage.done(size, Action::Expand(true));
    stage.done(size, Action::Expand(false));
    let row = stage.number("option", "row 3");
    assert_eq!(stage.done(row, click(ClickBy::Best)), "the message LB_SETCURSEL");
    panel.logs("row 3");
    let far = stage.number("option", "row 30");
    assert_eq!(stage.done(far, click(ClickBy::Pointer)), "the pointer");
    panel.logs("row 30");
    let level = stage.number("slider", "Level");
    stage.done(level, Action::Input("40".into()));
    panel.logs("level 40");
    let fixed = stage.number("textbox", "Fixed");
    assert_eq!(code(stage.act(fixed, Action::Input("other".into()))), Code::Blocked);
    let never = stage.number("button", "Never");
    assert_eq!(code(stage.click(never, ClickBy::Best)), Code::Blocked);
}

#[test]
fn the_pointer_and_keys_reach_what_they_are_meant_for() {
    let mut stage = Stage::open_win32();
    let panel = stage.panel("Panel");
    let approve = stage.number("button", "Approve");
    stage.act(approve, click(ClickBy::Pointer)).unwrap();
    panel.logs("clicked Approve");
    let name = stage.number("textbox", "Name");
    let typed = Action::Type { text: "aé漢😀".into(), pace_ms: 0 };
    assert_eq!(stage.done(name, typed), "keys");
    panel.logs("name aé漢😀");
    stage.keys(&["ctrl+Home", "ctrl+shift+End", "Delete"]);
    panel.logs("name ");
    stage.keys(&["X", "y", "shift+z"]);
    panel.logs("name XyZ");
    stage.choose("Panel second");
    let list = stage.window("Panel second").rect;
    let middle = Point::new(list.x + 150.0, list.y + 120.0);
    let at = |button| Gesture::Click { at: middle, button, count: 1, modifiers: Default::default() };
    stage.perform(&at(Button::Left));
    stage.perform(&at(Button::Right));
    let says = |what: &str| panel.log().lines().any(|l| l.starts_with(&format!("Panel second: {what}")));
    assert!(stage::eventually(|| says("left ") && says("right ")), "{}", panel.log());
    stage.type_text("é漢");
    assert!(stage::eventually(|| says("char 6f22") && says("char e9")), "{}", panel.log());
    let before = panel.log().lines().filter(|l| l.starts_with("Panel second: wheel -")).count();
    stage.perform(&Gesture::Scroll { at: Some(middle), dx: 0.0, dy: 120.0 });
    let turned = || panel.log().lines().filter(|l| l.starts_with("Panel second: wheel -")).count() - before;
    assert!(stage::eventually(|| turned() == 2), "{}", panel.log());
    stage.choose("Panel");
    let row = stage.number("option", "row 2");
    let receipt = stage.act(row, Action::Scroll { dx: 0.0, dy: 120.0 }).unwrap();
    assert_eq!(receipt.verdict, Verdict::Confirmed, "{receipt:?}");
}

#[test]
fn menus_are_driven_by_their_keys() {
    let mut stage = Stage::open_win32();
    let panel = stage.panel("Panel");
    stage.keys(&["alt+f"]);
    stage.keys(&["a"]);
    panel.logs("menu 202");
    stage.keys(&["F10"]);
    stage.keys(&["Enter", "ArrowDown", "Enter"]);
    assert!(stage::eventually(|| panel.log().matches("menu ").count() == 2), "{}", panel.log());
    stage.keys(&["alt+f"]);
    stage.keys(&["Escape", "Escape"]);
    let approve = stage.number("button", "Approve");
    stage.click(approve, ClickBy::Pointer).unwrap();
    panel.logs("clicked Approve");
    assert_eq!(panel.log().matches("menu ").count(), 2, "{}", panel.log());
}

#[test]
fn a_relabelled_control_is_refused() {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Panel");
    let approve = stage.number("button", "Approve");
    panel.tell("relabel Delete everything");
    for by in [ClickBy::Best, ClickBy::Pointer, ClickBy::Activation] {
        let receipt = stage.click(approve, by).unwrap();
        assert_eq!(receipt.verdict, Verdict::Contradicted, "{receipt:?}");
    }
    let receipt = stage.act_if(approve, Expectation::Text("Approve".into()), click(ClickBy::Best)).unwrap();
    assert_eq!(receipt.verdict, Verdict::Contradicted, "{receipt:?}");
    assert!(!panel.log().contains("clicked"), "{}", panel.log());
    stage.act_if(approve, Expectation::Text("Delete everything".into()), click(ClickBy::Best)).unwrap();
    panel.logs("clicked Delete everything");
    panel.tell("remove");
    assert_eq!(code(stage.click(approve, ClickBy::Best)), Code::Stale);
}

#[test]
fn a_window_on_top_is_never_clicked_instead() {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Panel");
    let approve = stage.number("button", "Approve");
    panel.tell("cover");
    let problem = stage.click(approve, ClickBy::Pointer).unwrap_err();
    assert_eq!(problem.code, Code::Blocked, "{problem:?}");
    assert!(problem.message.contains("covered by window \"Cover\""), "{problem:?}");
    assert!(!panel.log().contains("Cover: left") && !panel.log().contains("clicked"), "{}", panel.log());
    stage.click(approve, ClickBy::Best).unwrap();
    panel.logs("clicked Approve");
    panel.tell("uncover");

    // One that lies under another ordinary window is raised, and it alone is clicked.
    let above = stage.panel("Above");
    stage.activate("Above").unwrap();
    stage.choose("Panel");
    stage.click(approve, ClickBy::Pointer).unwrap();
    assert!(stage::eventually(|| panel.log().matches("clicked").count() == 2), "{}", panel.log());
    assert!(!above.log().contains("clicked"));
    assert!(stage.window("Panel").focused);
}

#[test]
fn a_program_that_hangs_is_a_problem_within_its_limit_and_holds_no_other_up() {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Hangs");
    let approve = stage.number("button", "Approve");
    let other = stage.panel("Other");
    panel.tell_and_go("hang 6000");
    std::thread::sleep(std::time::Duration::from_millis(200));
    let begun = std::time::Instant::now();
    assert_eq!(code(stage.click(approve, ClickBy::Best)), Code::Timeout);
    assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
    stage.choose("Other");
    let begun = std::time::Instant::now();
    assert!(stage.state().contains("button \"Approve\""));
    assert!(begun.elapsed() < std::time::Duration::from_secs(3), "{:?}", begun.elapsed());
    panel.logs("did hang");
    stage.click(approve, ClickBy::Best).unwrap();
    panel.logs("clicked Approve");
    assert!(!other.log().contains("clicked"));
}

#[test]
fn a_dialog_keeps_its_owner_from_being_used() {
    let mut stage = Stage::open_win32();
    let panel = stage.panel("Panel");
    let ask = stage.number("button", "Ask...");
    let approve = stage.number("button", "Approve");
    let receipt = stage.click(ask, ClickBy::Best).unwrap();
    assert_eq!(receipt.verdict, Verdict::Confirmed, "{receipt:?}");
    assert!(format!("{:?}", receipt.evidence).contains("WindowOpened { title: \"Asked\" }"), "{receipt:?}");
    let (name, keep) = (stage.number("textbox", "Name"), stage.number("checkbox", "Keep a copy"));
    let (size, row) = (stage.number("combobox", "Size"), stage.number("option", "row 2"));
    let before = panel.log();
    for (on, action) in [
        (approve, click(ClickBy::Best)),
        (approve, click(ClickBy::Pointer)),
        (keep, Action::Check(true)),
        (name, Action::Input("text".into())),
        (name, Action::Type { text: "text".into(), pace_ms: 0 }),
        (size, Action::Select(vec!["Small".into()])),
        (row, click(ClickBy::Activation)),
    ] {
        let told = format!("{action:?}");
        let problem = stage.act(on, action).unwrap_err();
        let named = "it is covered by window \"Asked\", a dialog that must be closed first";
        assert!(problem.code == Code::Blocked && problem.message.contains(named), "{told}: {problem:?}");
    }
    // Neither does what looks no more before it acts.
    for gesture in [Gesture::Invoke, Gesture::Focus] {
        let delivery = stage.perform_on(keep, &gesture);
        let there = matches!(&delivery, Delivery::Withheld(w) if w.actual.as_ref().is_some_and(|a| a.name == "Asked"));
        assert!(there, "{gesture:?}: {delivery:?}");
    }
    assert_eq!(panel.log(), before);
    let lines = stage.state();
    assert!(lines.contains("button \"Yes\"") && lines.contains("button \"No\""), "{lines}");
    let yes = stage.number("button", "Yes");
    stage.click(yes, ClickBy::Best).unwrap();
    panel.logs("answer 6");
    stage.click(approve, ClickBy::Best).unwrap();
    panel.logs("clicked Approve");
}

#[test]
fn windows_are_placed_pictured_and_closed() {
    let mut stage = Stage::open_win32();
    let panel = stage.panel("Panel");
    let window = stage.arrange("Panel", Arrange::Move(120, 90));
    assert_eq!((window.rect.x, window.rect.y), (120.0, 90.0));
    let window = stage.arrange("Panel", Arrange::Resize(560, 400));
    assert_eq!((window.rect.width, window.rect.height), (560.0, 400.0));
    assert!(stage.arrange("Panel", Arrange::Minimise).minimised);
    assert!(!stage.arrange("Panel", Arrange::Restore).minimised);
    stage.activate("Panel").unwrap();
    let shot = stage.shoot(ShotArea::Viewport);
    assert_eq!(shot.area, Rect::new(120.0, 90.0, 560.0, 400.0));
    assert!(shot.bytes.starts_with(b"\x89PNG") && shot.bytes.len() > 2000, "{}", shot.bytes.len());
    assert!(stage.shoot(ShotArea::FullPage).area.width >= 1280.0);
    stage.set_clipboard("é 漢 😀\nsecond");
    assert_eq!(stage.clipboard(), "é 漢 😀\nsecond");
    let approve = stage.number("button", "Approve");
    assert!(stage.close("Panel"));
    panel.logs("closed");
    assert_eq!(code(stage.click(approve, ClickBy::Best)), Code::Lost, "what was chosen is closed");
    assert_eq!(code(stage.click(approve, ClickBy::Best)), Code::Lost, "and stays so");
    assert_eq!(code(stage.leave_lost()), Code::NotFound, "and nothing else is open");
}

#[test]
fn a_window_left_of_the_screen_is_read() {
    let mut stage = Stage::open_win32();
    let _panel = stage.panel("Panel");
    stage.arrange("Panel", Arrange::Move(-400, -30));
    stage.choose("Panel");
    let targets = stage.targets().unwrap();
    let name = targets.iter().find(|t| t.name == "Name").unwrap();
    assert!(name.rect.x < 0.0, "{name:?}");
    let typed = stage.done(name.r#ref, Action::Input("there".into()));
    assert_eq!(typed, "the message EM_REPLACESEL");
}

#[test]
fn without_ui_automation_window_messages_take_over_and_say_so() {
    let told = DesktopConfig { backend: Some(Backend::Win32), ..DesktopConfig::default() };
    assert!(Stage::by(told).notices().is_empty(), "it was asked for");
    let notices = Stage::open().notices();
    let missing = notices.iter().any(|n| n.starts_with("UI Automation can't start here (the system says 0x80040154)"));
    // Wine has none; Windows has.
    assert_eq!(missing, stage::is_wine(), "{notices:?}");
}
