//! Forms of GTK 3, GTK 4 and Qt: what their fields are called, and what is said of what they come to hold. The app's own log
//! judges.

use super::kits::{GTK_3, GTK_4, QT, on_a_form};
use handeye_testkit::desk::{Desk, Panel};
use handeye_testkit::home::eventually;
use serde_json::Value;
use std::time::Duration;

/// The last that a form logged of something.
fn last(form: &Panel, what: &str) -> Option<String> {
    let start = format!("{what} ");
    form.log().lines().rev().find_map(|line| line.strip_prefix(&start).map(str::to_owned))
}

/// The one target of a role and name, as JSON.
#[track_caller]
fn target(desk: &Desk, role: &str, name: &str) -> Value {
    let number: u64 = desk.number(role, name).parse().unwrap();
    let found = desk.json(&["find", "--role", role, "--name", name]);
    found["targets"].as_array().unwrap().iter().find(|t| t["ref"] == number).unwrap().clone()
}

#[test]
fn fields_are_called_by_their_labels() {
    on_a_form(QT, |desk, form, script| {
        for (role, name) in [
            ("textbox", "Host:"),
            ("textbox", "Port:"),
            ("textbox", "Mount point"),
            ("textbox", "Secret"),
            ("spinbutton", "Count"),
        ] {
            assert_eq!(target(desk, role, name)["name"], name, "{script}: {}", desk.ok(&["state"]));
        }
        if script != "forms_qt.py" {
            desk.number("combobox", "Paint");
        }
        let port = desk.number("textbox", "Port:");
        let told = desk.json(&["inspect", &port]);
        assert!(told.to_string().contains("Port:"), "{script}: {told}");
        let ran = desk.run(&["input", &port, "8080", "--expect", "Port"]);
        assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
        assert!(eventually(Duration::from_secs(3), || last(form, "port edited").as_deref() == Some("8080")));
        // The pointer is held to the label, too.
        desk.ok(&["click", &port, "--method", "pointer"]);
        form.tell("label Gate:");
        let ran = desk.run(&["input", &port, "9"]);
        assert_eq!(ran.status, Some(1), "{script}: {ran:?}");
        assert!(ran.out.contains("Gate:"), "{script}: {ran:?}");
        assert_eq!(last(form, "port edited").as_deref(), Some("8080"), "{script}");
    });
}

#[test]
fn fields_without_a_label_of_their_own_get_none() {
    let Some(desk) = Desk::open(&[]) else { return };
    let form = desk.fixture("forms_gtk3.py", "Form");
    let loose = desk.number("textbox", "Caption");
    desk.ok(&["input", &loose, "first"]);
    assert_eq!(last(&form, "loose edited").as_deref(), Some("first"), "{}", form.log());
    let found = desk.json(&["find", "--role", "textbox"]);
    let nameless = found["targets"].as_array().unwrap().iter().filter(|t| t["name"] == "").count();
    assert_eq!(nameless, 1, "{found}");
}

#[test]
fn the_chosen_tab_is_shown_as_chosen() {
    on_a_form(QT, |desk, form, script| {
        let states = |name: &str| target(desk, "tab", name)["states"].to_string();
        assert!(states("General").contains("selected") && !states("Details").contains("selected"), "{script}");
        let ran = desk.run(&["click", &desk.number("tab", "Details")]);
        assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
        assert_eq!(last(form, "page").as_deref(), Some("1"), "{script}");
        assert!(states("Details").contains("selected") && !states("General").contains("selected"), "{script}");
        assert!(!states("Details").contains("focused") || script != "forms_qt.py", "{script}: {}", states("Details"));
    });
}

#[test]
fn apostrophes_of_either_kind_are_one() {
    let Some(desk) = Desk::open(&[]) else { return };
    let _form = desk.fixture("forms_gtk3.py", "Form");
    let number = desk.number("button", "Don't panic");
    assert_eq!(number, desk.number("button", "Don’t panic"));
    let ran = desk.run(&["click", &number, "--expect", "Don't panic"]);
    assert!(ran.status != Some(2) && !ran.out.contains("withheld"), "{ran:?}");
}

#[test]
fn what_a_field_comes_to_hold_is_said_as_it_is() {
    on_a_form(GTK_4, |desk, form, script| {
        let mut fields =
            vec![("textbox", "Host:", "host"), ("textbox", "Port:", "port"), ("textbox", "Mount point", "mount")];
        if script == "forms_gtk4.py" {
            fields.push(("textbox", "Sought", "sought"));
        }
        for (role, name, log) in fields {
            let ran = desk.run(&["input", &desk.number(role, name), "中文 1"]);
            assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
            let edited = || last(form, &format!("{log} edited")).as_deref() == Some("中文 1");
            assert!(eventually(Duration::from_secs(3), edited), "{script}: {}", form.log());
        }
        // What an app takes for an edit of its user's.
        if script == "forms_qt.py" {
            assert_eq!(last(form, "host typed").as_deref(), Some("中文 1"), "{}", form.log());
        }
        let ran = desk.run(&["input", &desk.number("textbox", "Secret"), "geheim 1"]);
        assert_eq!(last(form, "secret edited").as_deref(), Some("geheim 1"), "{script}: {ran:?}");
        assert!(!ran.out.contains("contradicted") && !ran.out.contains("geheim"), "{script}: {ran:?}");
        // Dots of the same number show nothing of what they stand for, so it is emptied in between.
        let again = desk.run(&["input", &desk.number("textbox", "Secret"), "geheim 2", "--json"]).json();
        let held = eventually(Duration::from_secs(3), || last(form, "secret edited").as_deref() == Some("geheim 2"));
        assert!(held && again["verdict"] == "confirmed", "{script}: {again}");
        let ran = desk.run(&["input", &desk.number("spinbutton", "Count"), "7"]);
        assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
    });
}

#[test]
fn a_date_that_is_not_taken_is_told_as_such() {
    let Some(desk) = Desk::open(&[]) else { return };
    let form = desk.fixture("forms_qt.py", "Form");
    let when = desk.number("spinbutton", "When");
    let ran = desk.run(&["input", &when, "2025-07-08"]);
    assert_eq!((ran.status, last(&form, "when").as_deref()), (Some(0), Some("2025-07-08")), "{ran:?}");
    let said = desk.not(&["input", &when, "2044-07-08"]);
    assert!(said.contains("contradicted") && said.contains("it reads back as"), "{said}");
    assert_ne!(last(&form, "when").as_deref(), Some("2044-07-08"));
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn items_of_menus_say_whether_they_are_on() {
    on_a_form(GTK_3, |desk, form, script| {
        // It has no bar of menus, and tells nothing of an item that is off.
        if script == "forms_gtk4.py" {
            return;
        }
        for on in [true, false] {
            let ran = desk.run(&["menu", "View->Wrap lines"]);
            assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
            let logged = || last(form, "wrap").is_some_and(|said| said.eq_ignore_ascii_case(&on.to_string()));
            assert!(eventually(Duration::from_secs(3), logged), "{script}: {}", form.log());
            if script == "forms_qt.py" {
                // Of an item that is off it says no more than of any other.
                assert!(ran.out.contains("checked none → true") || ran.out.contains("checked true → none"), "{ran:?}");
                continue;
            }
            desk.run(&["click", &desk.number("menuitem", "View")]);
            let states = || {
                let found: Value =
                    serde_json::from_str(&desk.run(&["find", "--name", "Wrap lines", "--json"]).out).unwrap();
                found["targets"][0]["states"].to_string()
            };
            let shown = || states() != "null" && states().contains("\"checked\"") == on;
            assert!(eventually(Duration::from_secs(3), shown), "{script}, {on}: {} {}", states(), desk.ok(&["state"]));
            desk.run(&["keys", "Escape"]);
            let closed = || desk.run(&["find", "--name", "Wrap lines"]).status == Some(2);
            assert!(eventually(Duration::from_secs(3), closed), "{script}, {on}: {}", desk.ok(&["state"]));
        }
    });
}

#[test]
fn a_colour_is_chosen_by_a_click_and_its_dialog_stays() {
    let Some(desk) = Desk::open(&[]) else { return };
    let form = desk.fixture("forms_gtk3.py", "Form");
    desk.run(&["click", &desk.number("button", "Ink:")]);
    let is_open = || desk.ok(&["windows"]).lines().count() == 2;
    assert!(eventually(Duration::from_secs(5), is_open));
    let found = desk.json(&["find", "--role", "radio"]);
    let colour =
        found["targets"].as_array().unwrap().iter().find(|t| t["states"].to_string().find("checked").is_none());
    let colour = colour.unwrap()["ref"].to_string();
    let ran = desk.run(&["click", &colour]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(is_open() && last(&form, "colour").is_none(), "{ran:?} {}", form.log());
    desk.ok(&["click", &desk.number("button", "Select")]);
    assert!(eventually(Duration::from_secs(3), || last(&form, "colour").is_some()), "{}", form.log());
}

#[test]
fn keys_that_move_a_caret_are_told_of() {
    on_a_form(GTK_3, |desk, _, script| {
        let host = desk.number("textbox", "Host:");
        desk.ok(&["input", &host, "some words"]);
        desk.run(&["click", &host]);
        desk.run(&["keys", "End"]);
        for (keys, moves) in [("ArrowLeft", true), ("Home", true), ("Home", false), ("ArrowRight", true)] {
            let told: Value = desk.run(&["keys", keys, "--json"]).json();
            let change = &told["evidence"][0]["what"][0];
            let is_moved = told["verdict"] == "confirmed" && change["property"] == "caret";
            assert_eq!(is_moved, moves, "{script}, {keys}: {told}");
        }
    });
}
