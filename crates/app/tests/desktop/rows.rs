//! Rows of windows: a number stays with its row, whatever comes and goes before it.

use handeye_testkit::desk::{Desk, Panel};
use handeye_testkit::home::eventually;
use handeye_testkit::is_full;
use std::time::Duration;

/// Numbers of all targets of this role and name, in the order of the state.
fn numbers(desk: &Desk, role: &str, name: &str) -> Vec<String> {
    let found = desk.json(&["find", "--role", role, "--name", name]);
    found["targets"].as_array().unwrap().iter().map(|t| t["ref"].to_string()).collect()
}

/// The last line of its log that begins so.
fn last(panel: &Panel, word: &str) -> String {
    panel.log().lines().rfind(|l| l.starts_with(word)).unwrap_or_default().to_owned()
}

#[test]
fn a_cell_stays_with_its_row_while_rows_come_and_go() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.rows("Rows");
    let deletes = numbers(&desk, "gridcell", "Delete");
    assert_eq!(deletes.len(), 3);
    panel.tell("add Zed");
    let said = desk.run(&["click", &deletes[1]]);
    assert!(
        eventually(Duration::from_secs(3), || last(&panel, "pressed") == "pressed Bob"),
        "{said:?} {}",
        panel.log()
    );
    // The same with what it was shown in between.
    desk.ok(&["state"]);
    panel.tell("add Yan");
    let said = desk.run(&["click", &deletes[2], "--expect", "Delete"]);
    assert!(
        eventually(Duration::from_secs(3), || last(&panel, "pressed") == "pressed Cid"),
        "{said:?} {}",
        panel.log()
    );
    let before = panel.log();
    panel.tell("drop Anna");
    let said = desk.problem(&["click", &deletes[0]]);
    assert!(said.starts_with("error[stale]"), "{said}");
    let after = panel.log();
    assert_eq!(after.replace("done drop\n", ""), before);
}

#[test]
fn a_cell_of_several_parts_is_called_by_what_they_say() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.rows("Rows");
    let bob = desk.number("gridcell", "Bob");
    let said = desk.run(&["click", &bob]);
    assert!(
        eventually(Duration::from_secs(3), || last(&panel, "pressed") == "pressed Bob"),
        "{said:?} {}",
        panel.log()
    );
    assert_eq!(desk.ok(&["get", "text", &bob]), "Bob");
}

#[test]
fn widgets_in_the_rows_of_a_list_are_told() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.rows("Rows");
    let removes = numbers(&desk, "button", "Remove");
    assert_eq!(removes.len(), 3);
    panel.tell("add Zed");
    // Nothing that is shown tells of it.
    desk.run(&["click", &removes[1]]);
    panel.logs("removed Bob");
    panel.tell("drop Bob");
    let said = desk.problem(&["click", &removes[1]]);
    assert!(said.starts_with("error[stale]"), "{said}");
    assert_eq!(panel.log().matches("removed").count(), 1);
}

#[test]
fn a_cell_that_is_on_or_off_says_so_and_is_switched() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.rows("Rows");
    let state = desk.json(&["state", "--all"]);
    let cells: Vec<&serde_json::Value> =
        state["targets"].as_array().unwrap().iter().filter(|t| t["role"] == "gridcell" && t["name"] == "").collect();
    assert_eq!(cells.len(), 3, "{state}");
    let bob = cells[1]["ref"].to_string();
    panel.tell("add Zed");
    let said = desk.ok(&["check", &bob]);
    assert_eq!(last(&panel, "toggled"), "toggled Bob True", "{said}");
    assert!(desk.ok(&["inspect", &bob]).contains("checked"));
    let said = desk.ok(&["uncheck", &bob]);
    assert_eq!(last(&panel, "toggled"), "toggled Bob False", "{said}");
}

#[test]
fn headers_of_columns_are_told_and_clicked() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.rows("Rows");
    desk.run(&["click", &desk.number("columnheader", "Do")]);
    panel.logs("header Do");
}

#[test]
fn rows_out_of_sight_are_found_and_scrolled_to() {
    let Some(desk) = Desk::open(&[]) else { return };
    let long = desk.fixture("long.py", "Long");
    let state = desk.ok(&["state"]);
    assert!(state.contains("gridcell \"row 1\"") && !state.contains("row 250"), "{state}");
    // A cell that says nothing is none to act on.
    assert!(!state.contains("gridcell \"\""), "{state}");
    // In a sample from one end to the other.
    for name in ["row 250", "row 399", "row 3"].into_iter().skip(if is_full() { 0 } else { 1 }) {
        let row = desk.number("gridcell", name);
        let ran = desk.run(&["click", &row, "--method", "pointer"]);
        assert!(ran.status == Some(0), "{name}: {ran:?} {}", long.log());
        long.logs(&format!("selected {name}"));
    }
}
