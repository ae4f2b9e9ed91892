//! What commands do alike on pages and desktops, on a desktop: ways to put text in, keys of the keypad, marks, the failsafe.

use handeye_testkit::desk::{Desk, Panel};
use handeye_testkit::home::eventually;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(5);

fn typed(panel: &Panel) -> String {
    panel.log().lines().filter_map(|l| l.strip_prefix("name ")).next_back().unwrap_or_default().to_owned()
}

#[test]
fn text_is_put_in_by_keys_or_as_a_value() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.panel("Panel");
    let field = desk.number("textbox", "Name");
    for (method, by) in [("keys", "keys"), ("value", "the accessible text")] {
        let said = desk.json(&["input", &field, &format!("put by {method}"), "--method", method]);
        assert_eq!(said["by"], by, "{said}");
        assert!(eventually(LIMIT, || typed(&panel) == format!("put by {method}")), "{:?}", typed(&panel));
    }
    let number = desk.number("slider", "Level");
    assert_eq!(desk.run(&["input", &number, "5", "--method", "keys"]).status, Some(1));
    let value = desk.json(&["get", "value", &number]);
    assert!(value["value"].as_str().is_some_and(|value| value.parse::<f64>().is_ok()), "{value}");
}

#[test]
fn keys_of_the_keypad_write_digits_whatever_the_number_lock() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.panel("Panel");
    let field = desk.number("textbox", "Name");
    desk.ok(&["focus", &field]);
    for _ in 0..2 {
        desk.ok(&["keys", "KP_7 KP_Decimal Numpad5"]);
        assert!(eventually(LIMIT, || typed(&panel) == "7.5"), "{:?}", typed(&panel));
        desk.run(&["keys", "ctrl+a Delete"]);
        assert!(eventually(LIMIT, || typed(&panel).is_empty()), "{:?}", typed(&panel));
        desk.run(&["keys", "NumLock"]);
    }
}

#[test]
fn targets_are_marked_on_the_screen_and_input_passes_through() {
    let Some(desk) = Desk::open(&[]) else { return };
    let _panel = desk.panel("Panel");
    let (field, button) = (desk.number("textbox", "Name"), desk.number("slider", "Level"));
    let read = |name: &str| std::fs::read(desk.home.work().join(name)).unwrap();
    // A window that has just come up is still being drawn.
    let is_still = || {
        desk.ok(&["screenshot", "first.png", "--full"]);
        std::thread::sleep(Duration::from_millis(300));
        desk.ok(&["screenshot", "before.png", "--full"]);
        read("first.png") == read("before.png")
    };
    assert!(eventually(LIMIT, is_still), "the desktop changes by itself");
    let words = ["highlight", &field, &button, "--color", "red,#0000ff", "--label", "One,Two"];
    let said = desk.json(&[&words[..], &["--seconds", "0", "--to", "marked.png"]].concat());
    assert_eq!(said["targets"].as_array().unwrap().len(), 2);
    assert!(read("marked.png") != read("before.png"), "no mark is in the picture");
    // What lay under them is drawn anew by its app, in its own time.
    let is_clean = || {
        desk.ok(&["screenshot", "after.png", "--full"]);
        read("after.png") == read("before.png")
    };
    assert!(eventually(LIMIT, is_clean), "marks are left");
    // Another session clicks what is marked meanwhile.
    desk.ok(&["open", "desktop:", "--session", "other"]);
    let mut marking = desk.command(&[&words[..], &["--seconds", "4"]].concat()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(800));
    let ran = desk.run(&["focus", "--role", "textbox", "--name", "Name", "--session", "other"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(marking.wait().unwrap().success());
    desk.ok(&["screenshot", "last.png", "--full"]);
}

#[test]
fn a_pointer_in_a_corner_stops_the_command() {
    let Some(desk) = Desk::open(&[]) else { return };
    std::fs::write(desk.home.work().join("safe.toml"), "[desktop]\nfailsafe = true\n").unwrap();
    let panel = desk.panel("Panel");
    let safe = ["--session", "safe", "--config", "safe.toml"];
    let run = |words: &[&str]| desk.run(&[&safe, words].concat());
    assert_eq!(run(&["open", "desktop:"]).status, Some(0));
    let words = ["focus", "--role", "textbox", "--name", "Name", "--window", "Panel"];
    assert_eq!(run(&words).status, Some(0));
    assert_eq!(run(&["type", "before"]).status, Some(0));
    // The session without a failsafe stands for the person.
    desk.ok(&["mouse", "move", "0", "0"]);
    let stopped = run(&["type", "more", "--json"]);
    assert_eq!((stopped.status, stopped.code().as_str()), (Some(2), "blocked"), "{stopped:?}");
    assert_eq!(typed(&panel), "before");
    desk.ok(&["mouse", "move", "200", "200"]);
    assert_eq!(run(&["type", "!"]).status, Some(0));
    assert!(eventually(LIMIT, || typed(&panel) == "before!"), "{:?}", typed(&panel));
    // Into a corner by our own input is no sign of a person.
    assert_eq!(run(&["mouse", "move", "0", "0"]).status, Some(0));
    assert_eq!(run(&["type", "!"]).status, Some(0));
}

#[test]
fn what_other_tools_call_it_moves_windows() {
    let Some(desk) = Desk::open(&[]) else { return };
    let _panel = desk.panel("Panel");
    let said = desk.ok(&["maximize", "--window", "Panel"]);
    assert!(said.starts_with("maximised "), "{said}");
    let said = desk.ok(&["minimize", "--window", "Panel"]);
    assert!(said.starts_with("minimised "), "{said}");
}
