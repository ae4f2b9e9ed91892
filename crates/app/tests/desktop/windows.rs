//! Windows that change, hide, hang and lie on each other: nothing is ever done to the wrong one.

use handeye_testkit::desk::Desk;
use handeye_testkit::{home, is_full};
use serde_json::Value;
use std::time::{Duration, Instant};

#[test]
fn every_control_is_operated_and_read_back() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.panel("Panel");
    let number = |role: &str, name: &str| desk.number(role, name);
    let says = |words: &[&str], part: &str| {
        let said = desk.ok(words);
        assert!(said.contains(part), "{words:?}\n  wanted {part}\n  said   {said}");
    };
    let go = number("button", "Approve");
    desk.run(&["click", &go]);
    panel.logs("clicked Approve");
    let keep = number("checkbox", "Keep a copy");
    says(&["check", &keep], "checked false → true; by the accessible action");
    says(&["check", &keep], "already checked");
    says(&["uncheck", &keep], "checked true → false");
    panel.logs("keep False");
    says(&["input", &number("textbox", "Name"), "王小明", "--enter"], "value is \"王小明\"");
    panel.logs("name 王小明");
    let secret = number("textbox", "Secret");
    desk.ok(&["input", &secret, "pässword"]);
    panel.logs("secret 8");
    assert!(!desk.ok(&["state"]).contains("pässword"), "a password is masked");
    says(&["select", &number("combobox", ""), "Large"], "by the accessible selection");
    panel.logs("size Large");
    says(&["input", &number("slider", "Level"), "40"], "value is \"40\"; by the accessible value");
    panel.logs("level 40");
    let more = number("togglebutton", "More");
    says(&["expand", &more], "confirmed");
    panel.logs("more True");
    says(&["collapse", &more], "confirmed");
    panel.logs("more False");
    let row = number("gridcell", "row 2");
    assert_eq!(row, number("gridcell", "row 2"), "a cell keeps its number");
    desk.run(&["click", &row]);
    panel.logs("row 2");
    let said = desk.run(&["scroll", &row, "down", "300"]).out;
    assert!(said.contains("scrolled by 0,") && said.contains("by the wheel"), "{said}");
    let inspected = desk.ok(&["inspect", &go]);
    for part in ["process: python3", "actions: click", "window: 0x", "rect: "] {
        assert!(inspected.contains(part), "{part}: {inspected}");
    }
    assert_eq!(desk.ok(&["get", "text", &go]), "Approve");
    assert_eq!(desk.ok(&["get", "rect", &go]).split(',').count(), 4);
    // In a sample the other ways of the pointer are left to tests of their own.
    if !is_full() {
        return;
    }
    for (words, logged) in [
        (vec!["rightclick-at"], "pad right button-press"),
        (vec!["dblclick-at"], "pad left 2button-press"),
        (vec!["click-at"], "pad left button-press"),
    ] {
        let place = pad(&desk);
        let words: Vec<&str> = words.into_iter().chain(place.iter().map(String::as_str)).collect();
        desk.run(&words);
        panel.logs(logged);
    }
}

/// The middle of the panel's pad, as words of a command line.
fn pad(desk: &Desk) -> [String; 2] {
    let found = desk.json(&["state", "--all"]);
    let pad = found["targets"].as_array().unwrap().iter().find(|t| t["name"] == "Pad").unwrap();
    let at = |i: usize| pad["rect"][i].as_f64().unwrap();
    [(at(0) + at(2) / 2.0).to_string(), (at(1) + at(3) / 2.0).to_string()]
}

#[test]
fn what_another_app_does_meanwhile_proves_nothing() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut restless = desk.panel("Restless");
    let still = desk.panel("Still");
    assert!(desk.not(&["keys", "F9", "--window", "Still"]).contains("unverifiable"), "nothing else moves");
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let moving = std::thread::spawn(move || {
        restless.tell_whole("trial Approve");
        let mut n = 0;
        while stopped.try_recv().is_err() {
            n += 1;
            restless.send(&format!("relabel Approve {n}"));
            std::thread::sleep(Duration::from_millis(20));
        }
        restless
    });
    restless_window(&desk);
    let rounds = if is_full() { 3 } else { 1 };
    for _ in 0..rounds {
        let said = desk.not(&["keys", "F9", "--window", "Still"]);
        assert!(said.contains("unverifiable"), "{said}");
    }
    // What the app does itself still counts.
    let more = desk.number("togglebutton", "More");
    assert!(desk.ok(&["expand", &more]).contains("confirmed"));
    stop.send(()).unwrap();
    let restless = moving.join().unwrap();
    still.logs("more True");
    drop(restless);
}

/// A window that comes to have the keyboard gives it to an element of its own: that is no effect of the keys.
#[test]
fn the_focus_that_comes_with_a_window_is_no_effect_of_keys() {
    let Some(desk) = Desk::open(&[]) else { return };
    let (_one, _other) = (desk.panel("One"), desk.panel("Other"));
    for window in ["One", "Other", "One"] {
        let said = desk.not(&["keys", "F9", "--window", window]);
        assert!(said.contains("unverifiable"), "{window}: {said}");
    }
    let moved = desk.json(&["keys", "Tab", "--window", "Other"]);
    assert_eq!(moved["verdict"], "confirmed", "{moved:#}");
    // What has the focus there is held to what was stated.
    for (window, expect, verdict) in [
        ("One", "Nothing of this name", "contradicted"),
        ("Other", "Nothing of this name", "contradicted"),
        ("One", "Approve", "unverifiable"),
    ] {
        let held: Value = desk.run(&["keys", "F9", "--window", window, "--expect", expect, "--json"]).json();
        assert_eq!(held["verdict"], verdict, "{window} {expect}: {held:#}");
    }
}

/// Waits for the second window of the app that moves.
#[track_caller]
fn restless_window(desk: &Desk) {
    let there = || desk.ok(&["windows"]).contains("Trial");
    assert!(home::eventually(Duration::from_secs(10), there), "{}", desk.ok(&["windows"]));
}

#[test]
fn elements_are_found_by_automation_id_and_windows_by_process_and_handle() {
    let Some(desk) = Desk::open(&[]) else { return };
    let first = desk.panel("First");
    let second = desk.panel("Second");
    let list = desk.json(&["windows"]);
    let of = |title: &str| list["windows"].as_array().unwrap().iter().find(|w| w["title"] == title).unwrap().clone();
    let handle = of("First")["id"].as_str().unwrap().to_owned();
    let said = desk.ok(&["find", "--automation-id", "approve-it", "--window", &format!("pid:{}", first.pid())]);
    assert!(said.ends_with("button \"Approve\"") || said.contains("button \"Approve\""), "{said}");
    let number = said[1..].split(']').next().unwrap().to_owned();
    assert!(desk.ok(&["inspect", &number]).contains("automation id: approve-it"));
    let said = desk.problem(&["find", "--automation-id", "approve-that"]);
    assert!(said.starts_with("error[not_found]: nothing has automation id \"approve-that\""), "{said}");
    let said = desk.problem(&["find", "--class", "GtkNone"]);
    assert!(said.starts_with("error[not_found]: nothing has class \"GtkNone\""), "{said}");
    desk.run(&["click", "--role", "button", "--name", "Approve", "--window", &handle]);
    first.logs("clicked Approve");
    desk.run(&["click", "--role", "button", "--name", "Approve", "--window", &format!("pid:{}", second.pid())]);
    second.logs("clicked Approve");
    assert_eq!(first.log().matches("clicked").count(), 1);
    let said = desk.problem(&["state", "--window", "0xfffffff"]);
    assert!(said.starts_with("error[not_found]: there is no window 0xfffffff; there is "), "{said}");
    let said = desk.problem(&["state", "--window", "pid:1"]);
    assert!(said.starts_with("error[not_found]: process 1 has no window"), "{said}");
}

#[test]
fn a_relabelled_control_is_refused() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    let go = desk.number("button", "Approve");
    panel.tell("relabel Delete everything");
    for method in ["best", "pointer", "invoke"] {
        let said = desk.not(&["click", &go, "--method", method]);
        assert!(
            said.contains("contradicted") && said.contains("you were last shown button \"Approve\"; it is now"),
            "{method}: {said}"
        );
    }
    let said = desk.not(&["click", &go, "--expect", "Approve"]);
    assert!(said.contains("expected text \"Approve\", found \"Delete everything\""), "{said}");
    assert!(!panel.log().contains("clicked"));
    desk.run(&["click", &go, "--expect", "Delete everything"]);
    panel.logs("clicked Delete everything");
}

#[test]
fn a_dialog_that_a_label_promises_is_waited_for() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    panel.tell("relabel Ask…");
    let said = desk.ok(&["click", &desk.number("button", "Ask…")]);
    assert!(said.contains("window \"Asked\" opened"), "{said}");
}

#[test]
fn a_window_that_is_about_to_come_up_is_waited_for() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    panel.tell("relabel Prepare");
    let said = desk.ok(&["click", &desk.number("button", "Prepare")]);
    assert!(said.contains("window \"Prepared\" opened"), "{said}");
}

#[test]
fn an_app_that_is_slow_is_given_the_time_that_it_needs() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    panel.tell("relabel Grind 30 14");
    // What it comes to after it has answered is told, and claimed by nobody.
    let said = desk.run(&["click", "--role", "button", "--name", "Grind 30 14", "--json"]).json();
    assert_ne!(said["verdict"], "no_effect", "{said}");
    assert!(said["changes"].to_string().contains("Ground"), "{said}");
    // Nothing is said of what it hasn't come to yet, as is tried in shorter time with labels that change late.
    if !is_full() {
        return;
    }
    panel.tell("relabel Grind 250 40");
    let said = desk.not(&["click", "--role", "button", "--name", "Grind 250 40", "--json"]);
    let receipt: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(receipt["verdict"], "unverifiable", "{said}");
}

#[test]
fn a_look_that_is_used_again_shows_what_changed_since() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    let shows = |part: &str| {
        let shown = || desk.ok(&["state", "--all"]).contains(part);
        assert!(home::eventually(Duration::from_secs(5), shown), "{part}: {}", desk.ok(&["state", "--all"]));
    };
    shows("button \"Approve\"");
    shows("button \"Approve\"");
    panel.tell("relabel Reject");
    shows("button \"Reject\"");
    // Another session's hand is as foreign as a person's.
    desk.ok(&["open", "desktop:", "--session", "other"]);
    for (line, part) in [
        ("check --role checkbox --name Keep", "\"Keep a copy\" checked"),
        ("select --role combobox Large", "Large"),
        ("expand --role togglebutton --name More", "Hidden until it is expanded"),
    ] {
        let mut words: Vec<&str> = line.split(' ').collect();
        words.extend(["--session", "other"]);
        let ran = desk.run(&words);
        assert!(ran.status.is_some_and(|status| status < 2), "{ran:?}");
        shows(part);
    }
    let place = |name: &str| {
        let found = desk.json(&["state", "--all"]);
        let target = found["targets"].as_array().unwrap().iter().find(|t| t["name"] == name).unwrap().clone();
        target["rect"][1].as_f64().unwrap()
    };
    let before = place("Keep a copy");
    panel.tell("move 300 300");
    assert!(home::eventually(Duration::from_secs(5), || place("Keep a copy") != before));
    panel.tell("remove");
    let gone = || !desk.ok(&["state", "--all"]).contains("Reject");
    assert!(home::eventually(Duration::from_secs(5), gone), "{}", desk.ok(&["state", "--all"]));
}

#[test]
fn what_is_gone_is_stale() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("First");
    let go = desk.number("button", "Approve");
    let keep = desk.number("checkbox", "Keep a copy");
    panel.tell("remove");
    let said = desk.problem(&["click", &go]);
    assert!(said.starts_with("error[stale]: [1] button \"Approve\" is gone"), "{said}");
    let other = desk.panel("Second");
    let same = desk.number("checkbox", "Keep a copy");
    assert_ne!(keep, same, "the same control of another window has another number");
    panel.tell("close");
    let said = desk.problem(&["check", &keep]);
    assert!(said.starts_with("error[stale]: ") && said.contains("alike and live: "), "{said}");
    assert!(!other.log().contains("keep"));
    desk.ok(&["check", &same]);
    other.logs("keep True");
}

#[test]
fn a_window_on_top_is_never_clicked_instead() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    let go = desk.number("button", "Approve");
    panel.tell("cover 0 0 1280 1024");
    let said = desk.problem(&["click", &go, "--method", "pointer", "--timeout", "1"]);
    assert!(
        said.starts_with("error[blocked]: can't click ") && said.contains("it is covered by window \"Cover\""),
        "{said}"
    );
    let said = desk.problem(&["hover", &go, "--timeout", "0.5"]);
    assert!(said.contains("covered by window \"Cover\""), "{said}");
    assert!(!panel.log().contains("cover pressed") && !panel.log().contains("clicked"), "{}", panel.log());

    // One that lies under another ordinary window is raised, and it alone is clicked.
    drop(panel);
    let below = desk.panel("Below");
    let go = desk.number("button", "Approve");
    let above = desk.panel("Above");
    desk.ok(&["window", "move", "100", "100", "--window", "Below"]);
    desk.ok(&["window", "move", "100", "100", "--window", "Above"]);
    desk.ok(&["focus", "Above"]);
    desk.run(&["click", &go, "--method", "pointer"]);
    below.logs("clicked Approve");
    assert!(!above.log().contains("clicked"));
}

#[test]
fn an_app_that_hangs_is_a_problem_within_its_limit_and_holds_no_other_up() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.panel("Hangs");
    let go = desk.number("button", "Approve");
    let other = desk.panel("Other");
    home::kill(panel.pid(), "STOP");
    let begun = Instant::now();
    let said = desk.problem(&["click", &go]);
    assert!(said.starts_with("error[timeout]: python3 (pid ") && said.contains("doesn't answer"), "{said}");
    let said = desk.problem(&["state", "--window", "Hangs"]);
    assert!(said.starts_with("error[timeout]: "), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let begun = Instant::now();
    assert!(desk.ok(&["state", "--window", "Other"]).contains("button \"Approve\""));
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert!(!other.log().contains("clicked"));
    home::kill(panel.pid(), "CONT");
    desk.run(&["click", &go]);
    panel.logs("clicked Approve");
}

#[test]
fn windows_are_listed_chosen_placed_pictured_and_closed() {
    let Some(desk) = Desk::open(&[]) else { return };
    assert_eq!(desk.ok(&["windows"]), "no window is open");
    let said = desk.problem(&["state"]);
    assert!(said.starts_with("error[not_found]: no window is open"), "{said}");
    let _first = desk.panel("Alpha panel");
    let _second = desk.panel("Beta panel");
    let list = desk.json(&["windows"]);
    assert_eq!(list["windows"].as_array().unwrap().len(), 2, "{list}");
    let said = desk.problem(&["state", "--window", "panel"]);
    assert!(said.starts_with("error[ambiguous]: \"panel\" matches 2 windows: 0x"), "{said}");
    let said = desk.problem(&["focus", "gamma"]);
    assert!(said.starts_with("error[not_found]: no window's title or process contains \"gamma\""), "{said}");
    assert_eq!(desk.ok(&["focus", "alpha"]), "focused \"Alpha panel\": confirmed; focused");
    assert!(desk.ok(&["windows"]).lines().next().unwrap().contains("\"Alpha panel\""));
    let said = desk.ok(&["window", "move", "60", "80"]);
    assert!(said.contains("→ 60,80,"), "{said}");
    let said = desk.ok(&["window", "resize", "500", "520"]);
    assert!(said.contains("60,80,500,520"), "{said}");
    assert!(desk.ok(&["window", "minimise"]).contains("minimised false → true"));
    assert!(desk.problem(&["screenshot", "a.png"]).contains("is minimised"));
    assert!(desk.ok(&["window", "restore"]).contains("minimised true → false"));
    let said = desk.ok(&["window", "maximise"]);
    assert!(said.starts_with("maximised \"Alpha panel\": confirmed; rect "), "{said}");
    desk.ok(&["window", "restore"]);
    let said = desk.ok(&["screenshot", "a.png"]);
    assert!(said.contains(" 500×520 at scale 1"), "{said}");
    assert!(std::fs::read(desk.path("a.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(desk.ok(&["screenshot", "b.png", "--full"]).contains("shows 0,0 1280×1024"));
    assert_eq!(desk.ok(&["clipboard", "set", "ä 中 😀"]), "ä 中 😀");
    assert_eq!(desk.ok(&["clipboard", "get"]), "ä 中 😀");
    assert_eq!(desk.ok(&["close"]), "closed \"Alpha panel\"");
    assert!(desk.ok(&["state"]).starts_with("window \"Beta panel\" 0x"));
}

#[test]
fn without_a_desktop_it_is_said_what_is_missing() {
    let home = home::Home::new();
    let mut command = home.command(["open", "desktop:"]);
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let ran = home::run(command);
    assert!(ran.err.starts_with("error[unavailable]: there is no X display"), "{ran:?}");
    let mut command = home.command(["open", "desktop:"]);
    command.env("DISPLAY", ":4711").env_remove("WAYLAND_DISPLAY");
    let ran = home::run(command);
    assert!(ran.err.starts_with("error[unavailable]: the X display :4711 can't be reached"), "{ran:?}");
    let mut command = home.command(["open", "desktop:"]);
    command.env_remove("DISPLAY").env("WAYLAND_DISPLAY", "wayland-0");
    let ran = home::run(command);
    assert!(ran.err.starts_with("error[unsupported]: this is a Wayland desktop without XWayland"), "{ran:?}");
}
