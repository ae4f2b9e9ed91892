//! Effects that come a while after the gesture, on each toolkit, and the words that receipts of a desktop use.

use super::kits::{GTK_3, GTK_4, QT, on_a_form, tried};
use handeye_testkit::desk::{Desk, Panel};
use handeye_testkit::home::eventually;
use serde_json::Value;
use std::time::Duration;

/// How often a form was told to add something.
fn added(form: &Panel) -> usize {
    form.log().lines().filter(|line| *line == "added").count()
}

/// Nobody can tell what an app sets off from what it does by itself just then: the change is told, and proves nothing.
#[test]
fn a_label_that_changes_late_is_told_and_not_claimed() {
    on_a_form(QT, |desk, form, script| {
        form.tell("delay 500");
        let add = desk.number("button", "Add");
        for round in 1..=2 {
            let receipt = desk.run(&["click", &add, "--json"]).json();
            assert_eq!(receipt["verdict"], "unverifiable", "{script}: {receipt}");
            let changes = receipt["changes"].to_string();
            assert!(changes.contains(&format!("No items{}", " +1".repeat(round))), "{script}: {receipt}");
            assert_eq!(added(form), round, "{script}");
        }
        // What isn't waited for isn't claimed.
        form.send("delay 20000");
        assert!(eventually(Duration::from_secs(5), || form.log().matches("done delay").count() == 2), "{script}");
        let receipt = desk.run(&["click", &add, "--json"]).json();
        assert_ne!(receipt["verdict"], "confirmed", "{script}: {receipt}");
        assert_eq!(added(form), 3, "{script}");
    });
}

/// A toolkit's own activation: GTK 4 draws a button pressed for 250 ms before it is clicked.
#[test]
fn an_accessible_action_that_takes_its_time_is_confirmed() {
    on_a_form(GTK_4, |desk, form, script| {
        let add = desk.number("button", "Add");
        for round in 1..=3 {
            let receipt = desk.run(&["click", &add, "--method", "invoke", "--json"]).json();
            assert_eq!(receipt["verdict"], "confirmed", "{script} {round}: {receipt}, {}", form.log());
            assert!(!receipt["by"].to_string().contains("pointer"), "{script}: {receipt}");
            assert!(receipt["changes"].to_string().contains("No items +1"), "{script}: {receipt}");
            assert!(eventually(Duration::from_secs(3), || added(form) == round), "{script}: {}", form.log());
        }
    });
}

/// Whether a text holds a word.
fn holds_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|found| found == word)
}

#[test]
fn no_receipt_of_a_desktop_speaks_of_a_page() {
    on_a_form(GTK_3, |desk, _, script| {
        let (add, host) = (desk.number("button", "Add"), desk.number("textbox", "Host:"));
        let dead = desk.number("button", "Don’t panic");
        let lines: [&[&str]; 13] = [
            &["state"],
            &["click", &add],
            &["click", &dead],
            &["click", &dead, "--method", "pointer"],
            &["click", &add, "--expect", "Remove"],
            &["click", "9999"],
            &["input", &host, "words"],
            &["keys", "F9"],
            &["keys", "ctrl+a"],
            &["scroll", "down"],
            &["click-at", "3", "3"],
            &["wait", "--idle"],
            &["find", "--name", "Nothing of the kind"],
        ];
        let mut kinds = 0;
        // In a sample for people and for programs by turns.
        let ways: [&[&str]; 2] = [&[], &["--json"]];
        for (turn, line) in lines.into_iter().enumerate() {
            for more in tried(ways, turn % 2) {
                let ran = desk.run(&[line, more].concat());
                let said = format!("{}{}", ran.out, ran.err);
                // Its tabs are called so.
                let said = said.replace("Page General", "").replace("Page Details", "");
                assert!(!holds_word(&said, "page") && !holds_word(&said, "Page"), "{script} {line:?}: {said}");
                kinds += usize::from(holds_word(&said, "window"));
            }
        }
        assert!(kinds > 0, "{script}: nothing speaks of a window");
    });
}

/// What a state of the desktop says of its levels: role and name, those of what is around it, and how deep it stands.
fn levels(state: &Value) -> Vec<(String, String, u64)> {
    let targets = state["targets"].as_array().unwrap();
    let called = |t: &Value| format!("{} {}", t["role"].as_str().unwrap(), t["name"].as_str().unwrap());
    let around = |number: &Value| match number {
        Value::Null => String::new(),
        number => targets.iter().find(|t| t["ref"] == *number).map_or_else(|| format!("{number}?"), called),
    };
    targets.iter().map(|t| (called(t), around(&t["parent"]), t["depth"].as_u64().unwrap())).collect()
}

#[test]
fn json_tells_the_levels_of_a_window() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.panel("Levels");
    let mut wanted: Vec<(String, String, u64)> = [
        "button Approve",
        "checkbox Keep a copy",
        "textbox Name",
        "textbox Secret",
        "combobox Size",
        "slider Level",
        "togglebutton More",
    ]
    .map(|called| (called.to_owned(), String::new(), 0))
    .into();
    let found = levels(&desk.json(&["state", "--window", "Levels"]));
    // How many rows there is room for is a matter of the machine's fonts.
    let rows = found.iter().filter(|(called, ..)| called.starts_with("gridcell row ")).count();
    assert!(rows >= 3, "{found:?}");
    wanted.extend(
        (0..rows).flat_map(|n| [format!("gridcell row {n}"), format!("gridcell {n}")].map(|c| (c, String::new(), 0))),
    );
    assert_eq!(found, wanted);
    drop(panel);
    // What a menu holds stands in its item of the bar.
    let _form = desk.fixture("forms_gtk3.py", "Form");
    desk.run(&["click", &desk.number("menuitem", "View")]);
    let inside = || -> Vec<(String, String, u64)> {
        let all = levels(&desk.json(&["state"]));
        all.into_iter().filter(|(called, ..)| called.starts_with("menuitem")).collect()
    };
    let wanted = [
        ("menuitem View", "", 0),
        ("menuitemcheckbox Wrap lines", "menuitem View", 1),
        ("menuitemradio Small", "menuitem View", 1),
        ("menuitemradio Large", "menuitem View", 1),
    ]
    .map(|(called, around, depth)| (called.to_owned(), around.to_owned(), depth));
    assert!(eventually(Duration::from_secs(5), || inside() == wanted), "{:?}", inside());
}
