//! Places of the screen, as those of a window that is named. Each window says what was done to it.

use super::kits::{GTK_3, GTK_4, QT, tried};
use handeye_testkit::desk::{self, Desk, Panel};
use handeye_testkit::home::{self, eventually};
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

/// The same window in each toolkit: a script, and how its items are called.
const KITS: [(&str, &str, &str); 3] =
    [("GTK 3", "panes_gtk3.py", "gridcell"), ("GTK 4", "panes_gtk4.py", "option"), ("Qt", "panes_qt.py", "option")];

/// Runs a case on a window of each toolkit, or of this one.
fn on_a_kit(one: usize, case: impl Fn(&Desk, &mut Eye, &str)) {
    let Some(desk) = Desk::open(&[]) else { return };
    // It is the window's own log that tells, not the receipt.
    std::fs::write(desk.home.work().join("handeye.toml"), "[waits]\neffect = 0.1\n").unwrap();
    for (kit, script, item) in tried(KITS, one) {
        desk::say(kit);
        let mut eye = Eye { panel: desk.fixture(script, "Panes"), read: 1 };
        case(&desk, &mut eye, item);
    }
}

impl Eye {
    /// Tells the window to change; what it says of it isn't told again.
    fn tell(&mut self, line: &str) {
        let done = |log: &str| log.lines().filter(|l| l.starts_with("done")).count();
        let before = done(&self.panel.log());
        self.panel.send(line);
        assert!(eventually(Duration::from_secs(10), || done(&self.panel.log()) > before), "{line}");
        self.read = self.panel.log().lines().count();
    }

    /// A click by the pointer, and what the window says of it.
    fn click(&mut self, desk: &Desk, role: &str, name: &str) -> (home::Ran, Vec<String>) {
        let ran = desk.run(&["click", &desk.number(role, name), "--method", "pointer"]);
        let saw = self.saw();
        (ran, saw)
    }

    #[track_caller]
    fn hits(&mut self, desk: &Desk, role: &str, name: &str, line: &str) {
        let (ran, saw) = self.click(desk, role, name);
        assert_eq!(saw, [line], "{role} {name}: {ran:?}");
    }

    /// A click that must be refused, and do nothing.
    #[track_caller]
    fn refused(&mut self, desk: &Desk, number: &str) {
        let before = self.read;
        let ran = desk.run(&["click", number, "--method", "pointer", "--timeout", "2"]);
        assert!(ran.status == Some(2) && ran.err.starts_with("error[blocked]"), "{ran:?}");
        // Whatever was done to it is told by now.
        self.tell("nothing");
        let log = self.panel.log();
        assert!(!log.lines().skip(before).any(|l| !l.starts_with("done")), "{log}");
    }
}

/// Whether a target of this name is listed.
fn is_listed(desk: &Desk, name: &str) -> bool {
    let ran = desk.run(&["find", "--name", name, "--json"]);
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_default();
    found["targets"].as_array().is_some_and(|targets| targets.iter().any(|t| t["name"] == name))
}

#[test]
fn what_stands_out_of_its_pane_is_hit_within_it() {
    on_a_kit(GTK_3, |desk, eye, _| {
        eye.hits(desk, "button", "Wide", "clicked Wide");
        eye.hits(desk, "button", "Beside", "clicked Beside");
        eye.hits(desk, "gridcell", "Long", "chosen Long");
        eye.hits(desk, "gridcell", "Longer", "chosen Longer");
        eye.hits(desk, "button", "Aside", "clicked Aside");
    });
}

#[test]
fn rows_that_are_scrolled_half_out_are_hit_where_they_are_seen() {
    on_a_kit(GTK_4, |desk, eye, item| {
        // Less than half of it is seen: its middle lies on what is below the rows.
        eye.hits(desk, "button", "Row 1", "clicked Row 1");
        let last = desk.number("button", "Row 1");
        eye.tell("scroll 48");
        eye.hits(desk, "button", "Row 0", "clicked Row 0");
        eye.tell("scroll 600");
        eye.refused(desk, &last);
        eye.tell("scroll-items 30");
        eye.hits(desk, item, "Item 1", "item Item 1");
        eye.tell("scroll-items 0");
        eye.hits(desk, item, "Item 0", "item Item 0");
    });
}

#[test]
fn what_lies_over_a_control_is_clicked_by_its_own_name_alone() {
    on_a_kit(QT, |desk, eye, _| {
        eye.hits(desk, "button", "Below", "clicked Below");
        eye.hits(desk, "button", "Over", "clicked Over");
        let below = desk.number("button", "Below");
        eye.tell("cover");
        eye.refused(desk, &below);
        eye.hits(desk, "button", "Over", "clicked Over");
    });
}

#[test]
fn what_a_window_holds_and_does_not_show_is_not_listed() {
    on_a_kit(QT, |desk, eye, _| {
        for name in ["Hidden page", "Lower card", "First choice"] {
            assert!(!is_listed(desk, name), "{name}: {}", desk.ok(&["state", "--all"]));
        }
        eye.tell("page 1");
        eye.hits(desk, "button", "Hidden page", "clicked Hidden page");
        eye.hits(desk, "button", "Lower card", "clicked Lower card");
        eye.tell("page 0");
        for name in ["Hidden page", "Lower card"] {
            assert!(!is_listed(desk, name), "{name}: {}", desk.ok(&["state", "--all"]));
        }
        eye.hits(desk, "button", "Front page", "clicked Front page");
        eye.hits(desk, "button", "Upper card", "clicked Upper card");
    });
}

#[test]
fn what_a_button_opens_is_hit_while_it_is_open_and_not_listed_after() {
    on_a_kit(GTK_4, |desk, eye, item| {
        if desk.run(&["find", "--name", "Inbox"]).status != Some(0) {
            // Qt tells nothing of what its tool buttons open.
            return assert!(!is_listed(desk, "First choice"));
        }
        let role = if item == "gridcell" { "togglebutton" } else { "button" };
        let (ran, saw) = eye.click(desk, role, "Choices");
        assert!(saw[0].to_lowercase() == "choices true", "{saw:?} {ran:?}");
        let first = desk.number("button", "First choice");
        eye.hits(desk, "button", "First choice", "clicked First choice");
        eye.tell("close");
        // It fades away.
        let gone = eventually(Duration::from_secs(5), || !is_listed(desk, "First choice"));
        assert!(gone, "{}", desk.ok(&["state", "--all"]));
        let ran = desk.run(&["click", &first]);
        assert_eq!(ran.status, Some(2), "{ran:?}");
    });
}

#[test]
fn what_is_called_by_what_it_holds_is_clicked() {
    let Some(desk) = Desk::open(&[]) else { return };
    for (script, role) in tried([("panes_gtk3.py", "togglebutton"), ("panes_gtk4.py", "button")], GTK_3) {
        desk::say(script);
        let mut eye = Eye { panel: desk.fixture(script, "Panes"), read: 1 };
        eye.hits(&desk, "option", "Sent", "row 1");
        let inbox = desk.number("option", "Inbox");
        eye.hits(&desk, "option", "Inbox", "row 0");
        let said = desk.ok(&["click", &desk.number(role, "More")]);
        assert_eq!(eye.saw(), ["expanded True"], "{said}");
        eye.tell("rename Drafts");
        let ran = desk.run(&["click", &inbox]);
        assert!(ran.status == Some(1) && ran.out.contains("contradicted"), "{ran:?}");
        eye.hits(&desk, "option", "Drafts", "row 0");
    }
}
