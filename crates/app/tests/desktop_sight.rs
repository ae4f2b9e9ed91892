//! Places of the screen, as those of a window that is named. Each window says what was done to it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod desk;
mod home;

use desk::{Desk, Panel};
use home::eventually;
use std::time::Duration;

/// What was done to a window since it was last asked.
struct Eye {
    panel: Panel,
    read: usize,
}

impl Eye {
    /// The lines that came, once there is one, or a while later.
    fn saw(&mut self) -> Vec<String> {
        eventually(Duration::from_secs(2), || self.panel.log().lines().count() > self.read);
        let log = self.panel.log();
        let new: Vec<String> = log.lines().skip(self.read).map(str::to_owned).collect();
        self.read = log.lines().count();
        new
    }
}

/// Where a target is: left, top, width, height.
fn rect(desk: &Desk, number: &str) -> (f64, f64, f64, f64) {
    let shown = desk.json(&["inspect", number]);
    let at = |of: usize, member: &str| shown["rect"].get(of).or(shown["rect"].get(member)).unwrap().as_f64().unwrap();
    (at(0, "x"), at(1, "y"), at(2, "width"), at(3, "height"))
}

/// The middle of a target, as it is told.
fn middle(desk: &Desk, number: &str) -> (String, String) {
    let (x, y, width, height) = rect(desk, number);
    ((x + width / 2.0).floor().to_string(), (y + height / 2.0).floor().to_string())
}

#[test]
fn places_of_a_named_window_are_that_windows_or_nobodys() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut eye = Eye { panel: desk.fixture("panes_gtk3.py", "Panes"), read: 1 };
    let (x, y) = middle(&desk, &desk.number("button", "Beside"));
    // Another window lies over all of it, and has the keyboard.
    let mut other = desk.fixture("rows.py", "Other");
    desk.ok(&["window", "maximise", "--window", "Other"]);
    let said = desk.run(&["click-at", &x, &y, "--window", "Panes"]);
    assert_eq!(eye.saw(), ["clicked Beside"], "{said:?}");
    assert_eq!(other.log(), "ready\n");
    // Beside the window: another one lies there.
    other.send("nothing");
    for words in [
        vec!["click-at", "1200", "1000"],
        vec!["dblclick-at", "1200", "1000"],
        vec!["rightclick-at", "1200", "1000"],
        vec!["drag-at", "1200", "1000", &x, &y],
        vec!["drag-at", &x, &y, "1200", "1000"],
    ] {
        let said = desk.problem(&[&words[..], &["--window", "Panes"]].concat());
        assert!(said.starts_with("error[blocked]"), "{words:?}: {said}");
    }
    desk.ok(&["mouse", "move", "1200", "1000"]);
    for words in [["mouse", "down", "", ""], ["mouse", "wheel", "0", "60"]] {
        let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
        let said = desk.problem(&[&words[..], &["--window", "Panes"]].concat());
        assert!(said.starts_with("error[blocked]"), "{words:?}: {said}");
    }
    assert!(eye.saw().is_empty());
    assert!(!other.log().contains("pressed"), "{}", other.log());
}
