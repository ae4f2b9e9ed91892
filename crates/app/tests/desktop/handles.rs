//! Handles that no tree tells of: what moves the parts of a split pane, and the border around a window.

use handeye_testkit::desk::{self, Desk};
use serde_json::Value;

/// The targets of this role, as `state --infer` shows them.
fn inferred(desk: &Desk, role: &str) -> Vec<Value> {
    let state = desk.json(&["state", "--infer"]);
    let all = state["targets"].as_array().unwrap();
    all.iter().filter(|t| t["role"] == role && t["source"] == "structure").cloned().collect()
}

fn sides(target: &Value) -> [f64; 4] {
    [0, 1, 2, 3].map(|i| target["rect"][i].as_f64().unwrap())
}

/// Drags a target by so much to the right, and gives the receipt.
fn drag(desk: &Desk, target: &Value, by: f64) -> Value {
    let [x, y, width, height] = sides(target);
    let to = format!("{},{}", (x + width / 2.0 + by).round(), (y + height / 2.0).round());
    let ran = desk.run(&["drag", &target["ref"].to_string(), "--to", &to, "--json"]);
    ran.json()
}

fn widths(receipt: &Value) -> usize {
    receipt["evidence"].as_array().into_iter().flatten().filter(|e| e["property"] == "width").count()
}

#[test]
fn a_split_pane_is_moved_by_what_lies_between_its_parts() {
    let Some(desk) = Desk::open(&[]) else { return };
    // GTK 4 tells of a split pane as of any other group.
    for (kit, script) in [("GTK 3", "panes_gtk3.py"), ("Qt", "panes_qt.py")] {
        desk::say(kit);
        let _panel = desk.fixture(script, "Panes");
        let splitters = inferred(&desk, "splitter");
        let Some(first) = splitters.first() else { panic!("{kit}: {:#}", desk.json(&["state", "--infer"])) };
        assert!(first["reason"].as_str().is_some_and(|why| why.contains("split pane")), "{kit}: {first:#}");
        let told = drag(&desk, first, 40.0);
        assert_eq!((&told["verdict"], widths(&told)), (&"confirmed".into(), 2), "{kit}: {told:#}");
        // It lies elsewhere now.
        let said = desk.problem(&["drag", &first["ref"].to_string(), "--to", "10,10"]);
        assert!(said.starts_with("error[stale]"), "{kit}: {said}");
    }
}

#[test]
fn a_window_is_made_lower_and_higher_by_the_edge_of_its_border() {
    let Some(desk) = Desk::open(&[]) else { return };
    let _panel = desk.fixture("rows.py", "Rows");
    let height = || {
        let listed = desk.json(&["windows"]);
        let windows = listed["windows"].as_array().unwrap().clone();
        windows.iter().find(|w| w["title"] == "Rows").unwrap()["rect"][3].as_f64().unwrap()
    };
    // Inwards it ends in the window; outwards beside it, where nothing of the window lies yet.
    for by in [-60.0, 40.0] {
        let edges = inferred(&desk, "window edge");
        let lower = edges.iter().find(|edge| edge["name"].as_str().unwrap().starts_with("lower edge"));
        let Some(lower) = lower else { panic!("{:#}", desk.json(&["state", "--infer"])) };
        let before = height();
        let [x, y, width, thick] = sides(lower);
        let to = format!("{},{}", (x + width / 2.0).round(), (y + thick / 2.0 + by).round());
        let told = desk.run(&["drag", &lower["ref"].to_string(), "--to", &to, "--json"]).json();
        assert_eq!(told["verdict"], "confirmed", "{by}: {told:#}");
        assert!((height() - before - by).abs() <= 12.0, "{by}: {before} and {}", height());
    }
}
