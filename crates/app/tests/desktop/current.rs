//! Which window commands go to: neither one that is gone nor a refusal hands them over to another.

use handeye_testkit::desk::Desk;
use handeye_testkit::home;
use std::time::Duration;

/// Waits until no window of this title is listed.
#[track_caller]
fn gone(desk: &Desk, title: &str) {
    assert!(home::eventually(Duration::from_secs(10), || !desk.ok(&["windows"]).contains(title)));
}

#[test]
fn nothing_goes_to_another_window_when_the_current_one_is_gone() {
    let Some(desk) = Desk::open(&[]) else { return };
    let other = desk.panel("Other");
    let doomed = desk.panel("Doomed");
    desk.ok(&["focus", "Doomed"]);
    drop(doomed);
    gone(&desk, "Doomed");
    for words in [["type", "SECRET"], ["type", "SECRET"], ["keys", "a"], ["window", "minimise"], ["keydown", "a"]] {
        let said = desk.problem(&words);
        assert!(said.starts_with("error[lost]: the window 0x"), "{words:?}: {said}");
    }
    let said = desk.problem(&["close"]);
    assert!(said.starts_with("error[lost]: "), "{said}");
    assert!(!other.log().contains("name"), "{}", other.log());
    let said = desk.ok(&["state"]);
    assert!(said.starts_with("window \"Other\""), "{said}");
    assert!(said.contains("is closed: this is another one, \"Other\""), "{said}");
    assert!(!desk.ok(&["state"]).contains("is another one"), "it is said once");
    desk.ok(&["focus", &desk.number("textbox", "Name")]);
    desk.ok(&["type", "a"]);
    other.logs("name a");
}

#[test]
fn a_number_of_a_window_chooses_it_when_the_current_one_is_gone() {
    let Some(desk) = Desk::open(&[]) else { return };
    let other = desk.panel("Other");
    let note = desk.number("textbox", "Name");
    let third = desk.panel("Third");
    let third_note = desk.number("textbox", "Name");
    let doomed = desk.panel("Doomed");
    drop(doomed);
    gone(&desk, "Doomed");
    desk.ok(&["focus", &note]);
    desk.ok(&["type", "a"]);
    other.logs("name a");
    // One that was turned to by its number is gone in the same way.
    desk.ok(&["focus", "Other"]);
    desk.ok(&["focus", &third_note]);
    drop(third);
    gone(&desk, "Third");
    for _ in 0..2 {
        let said = desk.problem(&["type", "SECRET"]);
        assert!(said.starts_with("error[lost]: "), "{said}");
    }
    assert!(!other.log().contains("SECRET"), "{}", other.log());
}

#[test]
fn what_is_refused_leaves_the_current_window() {
    let Some(desk) = Desk::open(&[]) else { return };
    let rows = desk.panel("Rows");
    let go = desk.number("button", "Approve");
    let order = desk.panel("Order");
    desk.ok(&["focus", &desk.number("textbox", "Name")]);
    let said = desk.not(&["click", &go, "--expect", "Nope"]);
    assert!(said.contains("expected text \"Nope\""), "{said}");
    assert!(desk.ok(&["state"]).starts_with("window \"Order\""));
    let said = desk.not(&["type", "no", "--window", "Rows", "--expect", "Nope"]);
    assert!(said.contains("not sent"), "{said}");
    desk.problem(&["drag", &go, "--to", "4711"]);
    desk.ok(&["type", "zz"]);
    order.logs("name zz");
    assert!(!rows.log().contains("name"), "{}", rows.log());
    // What is done makes its window the current one.
    desk.run(&["click", &go]);
    rows.logs("clicked Approve");
    assert_eq!(desk.ok(&["close"]), "closed \"Rows\"");
}

#[test]
fn what_is_refused_leaves_the_surface() {
    let Some(desk) = Desk::open(&[]) else { return };
    let _panel = desk.panel("Panel");
    let path = desk.path("form.html");
    std::fs::write(&path, "<!doctype html><title>Form</title><button>Send</button>").unwrap();
    desk.ok(&["open", &path]);
    let send = desk.number("button", "Send");
    desk.ok(&["reload"]);
    desk.ok(&["focus", "Panel"]);
    let said = desk.problem(&["click", &send]);
    assert!(said.starts_with("error[stale]: "), "{said}");
    assert_eq!(desk.ok(&["close"]), "closed \"Panel\"");
    assert!(desk.ok(&["tabs", "list"]).contains("form.html"), "the browser is still there");
}

#[test]
fn what_was_reached_instead_is_told() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.panel("Panel");
    let said = desk.not(&["window", "resize", "10", "10"]);
    assert!(said.contains("contradicted, the window is ") && said.contains(", not 10×10"), "{said}");
    let said = desk.not(&["window", "move", "99999", "5"]);
    assert!(said.contains("contradicted, the window is at ") && said.contains(", not at 99999,5"), "{said}");
    let said = desk.not(&["mouse", "move", "99999", "5"]);
    assert!(said.contains("contradicted, the pointer is at 1279,5, not at 99999,5"), "{said}");
    assert!(desk.ok(&["mouse", "move", "40.4", "50"]).contains("confirmed"));
    let said = desk.not(&["keyup", "Shift"]);
    assert!(said.contains("contradicted, it wasn't down"), "{said}");
    desk.ok(&["keydown", "Shift"]);
    desk.ok(&["keyup", "Shift"]);
    for words in ["click-at 5000 5000", "rightclick-at -- -5 -5", "drag-at 9 9 5000 9", "drag-at 5000 9 9 9"] {
        let words: Vec<&str> = words.split(' ').collect();
        let said = desk.problem(&words);
        assert!(said.contains(" is outside the screen, which is 1280×1024 pixels"), "{words:?}: {said}");
    }
    assert!(!panel.log().contains("clicked") && !panel.log().contains("pad"), "{}", panel.log());
}
