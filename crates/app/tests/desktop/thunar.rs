//! A file manager, judged by what it selects and opens itself: its table tells old names once it was sorted, and the rows of its
//! tree reach beyond what shows them.

use handeye_testkit::desk::Desk;
use handeye_testkit::home::eventually;
use handeye_testkit::is_full;
use serde_json::Value;
use std::time::Duration;

/// A folder of files that are the smaller the later their name comes, beside others.
fn opened() -> Option<Desk> {
    let desk = Desk::open(&["thunar"])?;
    let files = desk.home.work().join("files");
    std::fs::create_dir(&files).unwrap();
    for number in 0..40_usize {
        std::fs::write(files.join(format!("file{number:02}.txt")), vec![b' '; (41 - number) * 1024]).unwrap();
    }
    std::fs::create_dir(desk.home.work().join(long())).unwrap();
    for number in 0..30 {
        std::fs::create_dir(desk.home.work().join(format!("side{number:02}"))).unwrap();
    }
    desk.run(&["launch", "thunar", &files.display().to_string()]);
    desk.run(&["state", "--window", "Thunar"]);
    desk.run(&["keys", "ctrl+2"]);
    desk.number("gridcell", "file05.txt");
    Some(desk)
}

/// A name that is wider than the tree.
fn long() -> String {
    format!("long{}", "-and-long".repeat(9))
}

/// What it says is selected.
fn selected(desk: &Desk) -> String {
    let state = desk.ok(&["state"]);
    state.lines().find(|l| l.starts_with("status ")).unwrap_or_default().to_owned()
}

/// Whether it comes to show a folder.
fn shows(desk: &Desk, folder: &str) -> bool {
    let title = format!("{folder} - Thunar");
    eventually(Duration::from_secs(5), || desk.json(&["windows"]).to_string().contains(&title))
}

#[test]
fn a_row_is_never_clicked_by_the_name_that_was_there_before_it_was_sorted() {
    let Some(desk) = opened() else { return };
    let (before, size) = (desk.number("gridcell", "file05.txt"), desk.number("columnheader", "Size"));
    desk.run(&["click", &size]);
    let ran = desk.run(&["click", &before]);
    let said = selected(&desk);
    assert!(ran.status == Some(2) && ran.err.starts_with("error[stale]"), "{ran:?} {said}");
    assert!(!said.contains(".txt"), "{said}");
    // Rows that come into sight now are told as they are.
    desk.run(&["keys", "End"]);
    let ran = desk.run(&["click", &desk.number("gridcell", "file05.txt")]);
    assert!(selected(&desk).contains("file05.txt"), "{ran:?} {}", selected(&desk));
    // Nor are the headings doubted.
    assert_eq!(desk.number("columnheader", "Size"), size);
}

#[test]
fn rows_of_a_tree_are_hit_within_it() {
    let Some(desk) = opened() else { return };
    desk.run(&["keys", "ctrl+e"]);
    let ran = desk.run(&["click", &desk.number("gridcell", &long())]);
    assert!(shows(&desk, &long()), "{ran:?} {}", desk.json(&["windows"]));
    // One after the other comes to lie across the lower edge.
    let heights: &[u32] = if is_full() { &[480, 470, 460] } else { &[470] };
    for height in heights {
        desk.run(&["window", "resize", "640", &height.to_string()]);
        let found = desk.json(&["state", "--all"]);
        let is_side = |t: &&Value| t["name"].as_str().is_some_and(|name| name.starts_with("side"));
        let cells: Vec<&Value> = found["targets"].as_array().unwrap().iter().filter(is_side).collect();
        assert!(!cells.is_empty(), "{found}");
        for cell in cells.iter().rev().take(if is_full() { 4 } else { 2 }) {
            let (number, name) = (cell["ref"].to_string(), cell["name"].as_str().unwrap());
            let ran = desk.run(&["click", &number]);
            if ran.status == Some(2) {
                assert!(ran.err.starts_with("error[blocked]") || ran.err.starts_with("error[stale]"), "{ran:?}");
            } else {
                assert!(shows(&desk, name), "{name} {ran:?} {}", desk.json(&["windows"]));
            }
        }
    }
}
