//! What a receipt confirms is the action's own doing: not what changes by itself, and all that the action brings about.
//!
//! Of the larger tables a sample by default, which says at each what it covers; with `HANDEYE_TRIALS=full`, all of them.

use super::kits::{GTK_3, GTK_4, QT, tried};
use handeye_testkit::desk::{Desk, Panel};
use handeye_testkit::home::eventually;
use handeye_testkit::is_full;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const CAUSES: [&str; 3] = ["causes_gtk3.py", "causes_gtk4.py", "causes_qt.py"];

/// Tries each window on one desktop, or the one of this toolkit.
fn on_a_window(one: usize, case: impl Fn(&Desk, &mut Panel, &str)) {
    let Some(desk) = Desk::open(&[]) else { return };
    for script in tried(CAUSES, one) {
        let mut window = desk.fixture(script, script);
        case(&desk, &mut window, script);
        drop(window);
        let gone = || !desk.ok(&["windows"]).contains(script);
        assert!(eventually(Duration::from_secs(10), gone), "{script}");
    }
}

/// How often a line was logged.
fn times(window: &Panel, line: &str) -> usize {
    window.log().lines().filter(|logged| *logged == line).count()
}

fn receipt(desk: &Desk, words: &[&str]) -> Value {
    desk.run(&[words, &["--json"]].concat()).json()
}

/// Does what a button does nothing of, has something else begin to change by itself so long after that, and looks at the receipt.
fn dead_while(desk: &Desk, window: &mut Panel, begins: &str, after: u64) -> Value {
    let before = times(window, "clicked Dead");
    let dead = desk.number("button", "Dead");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // It is the app's log that is waited for, as closely as may be.
            let deadline = Instant::now() + Duration::from_secs(20);
            while times(window, "clicked Dead") == before && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(after));
            window.send(&format!("begin {begins}"));
        });
        receipt(desk, &["click", &dead])
    })
}

/// In a sample, in one window, three of the nine cases, as `part` says: each delay and each thing that begins once.
fn begins_by_itself(one: usize, part: usize) {
    on_a_window(one, |desk, window, script| {
        let [live, late] = ["Live", "Late"].map(|name| desk.number("button", name));
        // What has begun just now was watched for a moment only, which is another case.
        desk.ok(&["state"]);
        std::thread::sleep(Duration::from_millis(2500));
        for (a, after) in [100, 300, 600].into_iter().enumerate() {
            for (b, begins) in ["tick 200", "bar 150", "clock 1000"].into_iter().enumerate() {
                if !is_full() && (a + b) % 3 != part {
                    continue;
                }
                let said = dead_while(desk, window, begins, after);
                assert_ne!(said["verdict"], "confirmed", "{script} {begins} after {after} ms: {said}");
                assert_ne!(said["verdict"], "contradicted", "{script} {begins} after {after} ms: {said}");
                let said = receipt(desk, &["click", &live]);
                assert_eq!(said["verdict"], "confirmed", "{script} {begins}: {said}");
                window.tell("quiet");
            }
        }
        // What it sets off itself looks the same from without: it is told, and isn't claimed.
        let said = receipt(desk, &["click", &late]);
        assert_eq!(said["verdict"], "unverifiable", "{script}: {said}");
        assert!(said["changes"].to_string().contains("Done II"), "{script}: {said}");
    });
}

/// What begins to change by itself while a click is judged, soon after it or later, is no effect of it.
#[test]
fn what_begins_by_itself_after_a_click_confirms_nothing() {
    begins_by_itself(QT, 0);
}

/// The same while a processor is taken.
#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn what_begins_by_itself_on_a_busy_machine_confirms_nothing() {
    let ends = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ends.load(Ordering::Relaxed) {
                std::hint::spin_loop()
            }
        });
        let held = std::panic::catch_unwind(|| begins_by_itself(GTK_3, 1));
        ends.store(true, Ordering::Relaxed);
        if let Err(why) = held {
            std::panic::resume_unwind(why);
        }
    });
}

/// What changes by itself, and what is done to it: what a button does is confirmed, and nothing else is. In a sample
/// each button is clicked once, in one window, beside one of the moods; in new windows beside each that changes.
#[test]
fn what_changes_by_itself_confirms_nothing() {
    let moods: &[&str] = if is_full() { &["quiet", "tick 200", "tick 1000", "bar 150"] } else { &["tick 200"] };
    let rounds = if is_full() { 3 } else { 1 };
    on_a_window(GTK_4, |desk, window, script| {
        let buttons = ["Dead", "Live"].map(|name| (name, desk.number("button", name)));
        for mood in moods {
            window.tell("quiet");
            window.send(mood);
            // What first changes in the very moment of the gesture can't be told from what the gesture brings about.
            std::thread::sleep(Duration::from_millis(1500));
            for round in 0..rounds {
                for (name, number) in &buttons {
                    let before = times(window, &format!("clicked {name}"));
                    let said = receipt(desk, &["click", number]);
                    let case = format!("{script} {mood} {name} {round}: {said}");
                    assert!(
                        eventually(Duration::from_secs(3), || times(window, &format!("clicked {name}")) == before + 1),
                        "{case}"
                    );
                    match *name {
                        "Dead" => assert_ne!(said["verdict"], "confirmed", "{case}"),
                        _ => assert_eq!(said["verdict"], "confirmed", "{case}"),
                    }
                }
            }
        }
    });
}

/// A window that has just come up was watched for a moment only. In a sample each of the moods is tried in one window.
#[test]
fn what_changes_by_itself_in_a_new_window_confirms_nothing() {
    let Some(desk) = Desk::open(&[]) else { return };
    for (turn, script) in CAUSES.into_iter().enumerate() {
        for mood in tried(["tick 200", "tick 1000", "bar 150"], turn) {
            let title = format!("{script} {mood}");
            let mut window = desk.fixture(script, &title);
            window.send(mood);
            for name in ["Dead", "Live"] {
                let said = receipt(&desk, &["click", "--role", "button", "--name", name]);
                assert!(
                    eventually(Duration::from_secs(3), || times(&window, &format!("clicked {name}")) == 1),
                    "{said}"
                );
                match name {
                    "Dead" => assert_ne!(said["verdict"], "confirmed", "{title}: {said}"),
                    _ => assert_eq!(said["verdict"], "confirmed", "{title}: {said}"),
                }
            }
        }
    }
}

/// The clipboard's change is told by its kind, never by what it says; the same text again is a change, too.
#[test]
fn what_is_copied_is_confirmed_and_not_told() {
    on_a_window(QT, |desk, window, script| {
        let copy = desk.number("button", "Copy");
        for round in 1..3 {
            let said = receipt(desk, &["click", &copy]);
            assert_eq!(said["verdict"], "confirmed", "{script} {round}: {said}");
            let evidence = said["evidence"].to_string();
            assert!(evidence.contains("\"clipboard\"") && evidence.contains("\"text\""), "{script}: {said}");
            assert!(!said.to_string().contains("nothing to be told"), "{script}: {said}");
            assert_eq!(times(window, "clicked Copy"), round, "{script}");
        }
        let said = receipt(desk, &["click", &desk.number("button", "Dead")]);
        assert!(!said["evidence"].to_string().contains("clipboard"), "{script}: {said}");
        assert_ne!(said["verdict"], "confirmed", "{script}: {said}");
    });
}

/// What an app makes of a value is told as what it is.
#[test]
fn a_value_that_is_taken_back_or_cut_is_told_as_what_it_is() {
    on_a_window(GTK_3, |desk, window, script| {
        let never = desk.number("textbox", "Never");
        let said = receipt(desk, &["input", &never, "something else", "--enter"]);
        window.logs("entered something else");
        assert_ne!(said["verdict"], "confirmed", "{script}: {said}");
        assert!(said.to_string().contains("as it was"), "{script}: {said}");
        assert_eq!(desk.ok(&["get", "value", &never]), "as it was", "{script}");
        let most = desk.number("spinbutton", "Most");
        let said = receipt(desk, &["input", &most, "7"]);
        assert_eq!(said["verdict"], "confirmed", "{script}: {said}");
        let said = receipt(desk, &["input", &most, "50"]);
        assert_eq!(said["verdict"], "contradicted", "{script}: {said}");
        assert!(said.to_string().contains("10"), "{script}: {said}");
        window.logs("most 10");
    });
}

/// What drops a list down is called by its label, holds what was chosen, and takes another choice that is read back.
#[test]
fn an_option_is_chosen_in_what_drops_a_list_down() {
    on_a_window(GTK_4, |desk, window, script| {
        let paint = desk.number("combobox", "Paint");
        assert_eq!(desk.ok(&["get", "value", &paint]), "Red", "{script}");
        for colour in ["Blue", "Green", "Red", "Blue"] {
            let said = receipt(desk, &["select", &paint, colour]);
            assert_eq!(said["verdict"], "confirmed", "{script} {colour}: {said}");
            window.logs(&format!("paint {colour}"));
            assert_eq!(desk.ok(&["get", "value", &paint]), colour, "{script}");
        }
        let before = window.log();
        let said = desk.run(&["select", &paint, "Pink", "--json"]);
        assert_ne!(said.status, Some(0), "{script}: {said:?}");
        assert!(said.out.contains("Pink") || said.err.contains("Pink"), "{script}: {said:?}");
        assert_eq!(window.log(), before, "{script}");
        // The list isn't left open.
        let said = receipt(desk, &["click", &desk.number("button", "Live")]);
        assert_eq!(said["verdict"], "confirmed", "{script}: {said}");
    });
}
