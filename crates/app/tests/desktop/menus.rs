//! What is open takes every click: menus, lists and bubbles, and what lies below them.

use super::kits::{GTK_4, tried};
use handeye_testkit::desk::Desk;
use handeye_testkit::home::eventually;
use handeye_testkit::is_full;
use std::time::Duration;

/// What is open in each window of the fixtures: its script, the role of what opens it, and its name.
const OPEN: [(&str, &str, &str); 6] = [
    ("causes_gtk4.py", "button", "Menu"),
    ("causes_gtk4.py", "button", "Pop"),
    ("causes_gtk4.py", "combobox", "Paint"),
    ("causes_gtk3.py", "togglebutton", "Pop"),
    ("causes_gtk3.py", "combobox", "Paint"),
    ("causes_qt.py", "combobox", "Paint"),
];

/// What opens a menu in each window: its script, its role and its name.
const MENUS: [(&str, &str, &str); 3] =
    [("menus_gtk3.py", "menuitem", "Menu"), ("menus_gtk4.py", "button", "Menu"), ("menus_qt.py", "menuitem", "Menu")];

#[test]
fn what_lies_beside_an_open_menu_is_not_clicked() {
    let Some(desk) = Desk::open(&[]) else { return };
    // In a sample a menu, a bubble and a list, each of another toolkit.
    let sample = [0, 3, 5];
    for (_, (script, role, name)) in OPEN.into_iter().enumerate().filter(|(n, _)| is_full() || sample.contains(n)) {
        let window = desk.fixture(script, script);
        let (live, far) = (desk.number("button", "Live"), desk.number("button", "Copy"));
        let opener = desk.number(role, name);
        let before = desk.json(&["state", "--all"])["targets"].as_array().map(Vec::len);
        desk.run(&["click", &opener]);
        let is_open = || desk.json(&["state", "--all"])["targets"].as_array().map(Vec::len) > before;
        assert!(role == "combobox" || eventually(Duration::from_secs(5), is_open), "{script} {name}");
        for number in [&live, &far] {
            let said = desk.problem(&["click", number, "--timeout", "0.5"]);
            assert!(said.starts_with("error[blocked]: "), "{script} {name}: {said}");
            assert!(said.contains("covered by") && said.contains("menu"), "{script} {name}: {said}");
            assert!(said.contains("handeye keys Escape"), "{script} {name}: {said}");
        }
        assert!(!window.log().contains("clicked"), "{script} {name}: {}", window.log());
        desk.run(&["keys", "Escape"]);
        let said = desk.ok(&["click", &live]);
        assert!(said.contains("confirmed"), "{script} {name}: {said}");
        window.logs("clicked Live");
        drop(window);
        assert!(eventually(Duration::from_secs(10), || !desk.ok(&["windows"]).contains(script)), "{script}");
    }
}

/// A bubble that takes no clicks keeps none from what lies beside it.
#[test]
fn a_bubble_that_is_only_a_hint_keeps_nothing_from_clicks() {
    let Some(desk) = Desk::open(&[]) else { return };
    let window = desk.fixture("causes_gtk4.py", "Window");
    let live = desk.number("button", "Live");
    desk.run(&["click", &desk.number("button", "Hint")]);
    let state = || desk.ok(&["state", "--all"]);
    assert!(eventually(Duration::from_secs(5), || state().contains("Only a hint")), "{}", state());
    desk.ok(&["click", &live]);
    window.logs("clicked Live");
}

/// Keys reach what is open: its field, and the window that has the keyboard for it.
#[test]
fn keys_reach_a_field_in_a_bubble() {
    let Some(desk) = Desk::open(&[]) else { return };
    for (script, role) in tried([("causes_gtk4.py", "button"), ("causes_gtk3.py", "togglebutton")], 0) {
        let window = desk.fixture(script, script);
        desk.run(&["click", &desk.number(role, "Pop")]);
        let mut field = String::new();
        let found = eventually(Duration::from_secs(10), || {
            let state = desk.json(&["state"]);
            let fields = state["targets"].as_array().unwrap().iter();
            let focused =
                |t: &&serde_json::Value| t["role"] == "textbox" && t["states"].to_string().contains("focused");
            field = fields.filter(focused).map(|t| t["ref"].to_string()).next().unwrap_or_default();
            !field.is_empty()
        });
        assert!(found, "{script}: {}", desk.ok(&["state"]));
        let said = desk.ok(&["type", "ab", "--target", &field]);
        assert!(said.contains("confirmed"), "{script}: {said}");
        window.logs("within ab");
        desk.ok(&["type", "cd"]);
        window.logs("within abcd");
        desk.ok(&["keys", "BackSpace"]);
        window.logs("within abc");
        desk.ok(&["input", &field, "whole"]);
        window.logs("within whole");
        drop(window);
        assert!(eventually(Duration::from_secs(10), || !desk.ok(&["windows"]).contains(script)), "{script}");
    }
}

/// That a menu closes is no effect of what was chosen in it, and what that did is. A toolkit may leave the menu open, and one tells of
/// an item's state in an open menu alone.
#[test]
fn what_is_chosen_in_a_menu_is_confirmed_by_what_it_does_alone() {
    let Some(desk) = Desk::open(&[]) else { return };
    for (script, role, opener) in tried(MENUS, GTK_4) {
        // A menu is called like its program: so is the window, which isn't mistaken for it.
        let window = desk.fixture(script, script);
        let found = |name: &str| desk.run(&["find", "--name", name, "--json"]).json()["targets"][0]["ref"].as_u64();
        let choose = |item: &str| {
            desk.run(&["click", &desk.number(role, opener)]);
            assert!(eventually(Duration::from_secs(5), || found(item).is_some()), "{script} {item}");
            let number = found(item).unwrap().to_string();
            desk.run(&["click", &number, "--json"]).json()
        };
        let close = || {
            let is_open = || found("Second").is_some();
            let closed = || !is_open() || (desk.run(&["keys", "Escape"]), !is_open()).1;
            assert!(eventually(Duration::from_secs(5), closed), "{script}");
        };
        let said = choose("First");
        window.logs("chose first");
        let nothing = if script == "menus_qt.py" { "no_effect" } else { "unverifiable" };
        assert_eq!(said["verdict"], nothing, "{script}: {said}");
        close();
        let said = choose("Count");
        window.logs("chose count");
        assert_eq!(said["verdict"], "confirmed", "{script}: {said}");
        assert!(said["changes"].to_string().contains("\"Done I\""), "{script}: {said}");
        close();
        for on in [true, false] {
            let said = choose("Wrap lines");
            let logged = || window.log().lines().any(|line| line.eq_ignore_ascii_case(&format!("wrap {on}")));
            assert!(eventually(Duration::from_secs(3), logged), "{script}: {}", window.log());
            let told = if script == "menus_gtk4.py" { "unverifiable" } else { "confirmed" };
            assert_eq!(said["verdict"], told, "{script} {on}: {said}");
            assert_eq!(said["evidence"].to_string().contains("checked"), told == "confirmed", "{script} {on}: {said}");
            close();
            // Its state is shown where it is open.
            desk.run(&["click", &desk.number(role, opener)]);
            let state =
                || desk.run(&["find", "--name", "Wrap lines", "--json"]).json()["targets"][0]["states"].to_string();
            let shown = || state() != "null" && state().contains("\"checked\"") == on;
            assert!(eventually(Duration::from_secs(5), shown), "{script} {on}: {}", state());
            desk.run(&["keys", "Escape"]);
            close();
        }
        let said = choose("Ask");
        window.logs("chose ask");
        assert_eq!(said["verdict"], "confirmed", "{script}: {said}");
        let opened = said["evidence"].to_string();
        assert!(opened.contains("window_opened") && opened.contains("Sure?"), "{script}: {said}");
        drop(window);
        assert!(eventually(Duration::from_secs(10), || !desk.ok(&["windows"]).contains(script)), "{script}");
    }
}
