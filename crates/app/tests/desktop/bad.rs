//! Desktops, apps and windows at their worst: each call ends within its limit, and the session goes on.

use super::kits::tried;
use handeye_testkit::desk::{Desk, Panel};
use handeye_testkit::home::{self, eventually};
use handeye_testkit::is_full;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// How long any of these calls may take.
const LIMIT: Duration = Duration::from_secs(12);

/// The session still sees and acts: on a window that came up since.
#[track_caller]
fn is_usable(desk: &Desk) {
    let panel = desk.panel("Afterwards");
    let begun = Instant::now();
    let keep = desk.number("checkbox", "Keep a copy");
    desk.ok(&["check", &keep]);
    panel.logs("keep True");
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
}

/// Runs a command that must end within the limit.
#[track_caller]
fn within(desk: &Desk, words: &[&str]) -> home::Ran {
    let begun = Instant::now();
    let ran = desk.run(words);
    assert!(begun.elapsed() < LIMIT, "{words:?} took {:?}: {ran:?}", begun.elapsed());
    ran
}

fn signal_after(panel: &Panel, wait: Duration, signal: &'static str) -> std::thread::JoinHandle<()> {
    let pid = panel.pid();
    std::thread::spawn(move || {
        std::thread::sleep(wait);
        home::kill(pid, signal);
    })
}

#[test]
fn without_an_accessibility_bus_it_is_said() {
    let Some(desk) = Desk::with(&[]) else { return };
    let mut command = desk.command(&["open", "desktop:"]);
    command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus");
    let ran = home::run(command);
    assert!(ran.err.starts_with("error[unavailable]: the session's message bus can't be reached"), "{ran:?}");
    // A bus that starts no services has no accessibility bus.
    let config = desk.path("bare.conf");
    let socket = desk.path("bare");
    std::fs::write(
        &config,
        format!(
            "<busconfig><type>session</type><listen>unix:path={socket}</listen><policy context=\"default\">\
             <allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>"
        ),
    )
    .unwrap();
    let mut daemon = std::process::Command::new("dbus-daemon")
        .args(["--nofork", "--config-file", &config])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert!(eventually(Duration::from_secs(10), || std::path::Path::new(&socket).exists()));
    let mut command = desk.command(&["open", "desktop:"]);
    command.env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={socket}"));
    let ran = home::run(command);
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    assert!(ran.err.starts_with("error[unavailable]: there is no accessibility bus"), "{ran:?}");
    desk.ok(&["open", "desktop:"]);
    is_usable(&desk);
}

#[test]
fn a_bus_that_is_restarted_is_found_again() {
    let Some(desk) = Desk::open(&[]) else { return };
    let old = desk.panel("Old");
    let go = desk.number("button", "Approve");
    for pid in desk.accessibility_buses() {
        home::kill(pid, "KILL");
    }
    let mut said = String::new();
    let told = eventually(LIMIT, || {
        said = within(&desk, &["click", &go]).err;
        !said.is_empty()
    });
    assert!(told && (said.starts_with("error[lost]: ") || said.starts_with("error[stale]: ")), "{said}");
    // An app that was connected to the old bus shows no tree; that is said, and holds nothing up.
    let state = within(&desk, &["state", "--window", "Old"]);
    assert!(state.out.contains("notice no_tree") || state.err.contains("error["), "{state:?}");
    drop(old);
    is_usable(&desk);
}

#[test]
fn an_app_that_is_killed_or_stopped_in_the_middle_of_an_action_is_a_problem() {
    let Some(desk) = Desk::open(&[]) else { return };
    let signals = [("KILL", ["lost", "stale", "not_found"]), ("STOP", ["timeout", "timeout", "timeout"])];
    for (signal, codes) in tried(signals, 0) {
        let panel = desk.panel(&format!("Panel {signal}"));
        let field = desk.number("textbox", "Name");
        desk.ok(&["input", &field, "begin"]);
        let killer = signal_after(&panel, Duration::from_millis(900), signal);
        let ran = within(&desk, &["type", "--pace", "40", &"abc 中文 ".repeat(16)]);
        killer.join().unwrap();
        let (code, said) = (ran.status, format!("{}{}", ran.out, ran.err));
        assert!(code == Some(1) || code == Some(2), "{ran:?}");
        let state = within(&desk, &["state", "--window", &format!("pid:{}", panel.pid())]);
        let known = codes.iter().any(|code| state.err.starts_with(&format!("error[{code}]: ")));
        assert!(known, "{signal}: {state:?} after {said}");
        assert_eq!(desk.lent_keys(), "", "the keyboard is as it was");
        let ran = within(&desk, &["click", "--role", "checkbox", "--name", "Keep a copy"]);
        assert_ne!(ran.status, Some(0), "{ran:?}");
        drop(panel);
        is_usable(&desk);
    }
}

#[test]
fn an_app_that_is_killed_or_stopped_while_it_is_looked_at_is_a_problem() {
    let Some(desk) = Desk::open(&[]) else { return };
    for signal in ["STOP", "KILL"] {
        let waits: &[u64] = match signal {
            _ if is_full() => &[0, 5, 15, 30, 60],
            "STOP" => &[15],
            _ => &[5, 30],
        };
        for wait in waits {
            let panel = desk.panel(&format!("Panel {signal} {wait}"));
            let window = format!("pid:{}", panel.pid());
            let killer = signal_after(&panel, Duration::from_millis(*wait), signal);
            let ran = within(&desk, &["state", "--window", &window]);
            killer.join().unwrap();
            assert!(ran.status == Some(0) || ran.err.starts_with("error["), "{ran:?}");
            let ran = within(&desk, &["state", "--window", &window]);
            assert!(ran.err.starts_with("error[") || ran.out.contains("notice partial"), "{signal} {wait}: {ran:?}");
        }
    }
    is_usable(&desk);
}

#[test]
fn typing_that_is_given_up_stops_and_leaves_the_keyboard_as_it_was() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.panel("Panel");
    let field = desk.number("textbox", "Name");
    desk.ok(&["focus", &field]);
    let begun = Instant::now();
    let ran = within(&desk, &["type", "--pace", "200", "--timeout", "1.5", &"中文字 ".repeat(20)]);
    assert!(ran.err.starts_with("error[timeout]: "), "{ran:?}");
    let mut client = desk.command(&["type", "--pace", "200", &"汉字表 ".repeat(20)]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    home::kill(i32::try_from(client.id()).unwrap(), "INT");
    client.wait().unwrap();
    std::thread::sleep(Duration::from_millis(800));
    let typed =
        |panel: &Panel| panel.log().lines().filter_map(|l| l.strip_prefix("name ")).next_back().map(str::to_owned);
    let then = typed(&panel);
    assert!(then.as_ref().is_some_and(|t| t.matches('表').count() < 20), "{then:?}");
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(typed(&panel), then, "nothing is typed any more");
    assert_eq!(desk.lent_keys(), "");
    assert!(begun.elapsed() < LIMIT * 2);
    desk.ok(&["input", &field, ""]);
    desk.ok(&["type", "plain 字"]);
    assert_eq!(desk.ok(&["get", "value", &field]), "plain 字");
}

#[test]
fn a_window_that_is_closed_between_state_and_click_is_stale() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    let go = desk.number("button", "Approve");
    panel.tell("close");
    for words in [vec!["click", &go], vec!["hover", &go], vec!["get", "text", &go], vec!["inspect", &go]] {
        let said = desk.problem(&words);
        let known = ["stale", "lost", "not_found"].iter().any(|code| said.starts_with(&format!("error[{code}]: ")));
        assert!(known, "{words:?}: {said}");
    }
    is_usable(&desk);
}

#[test]
fn names_with_control_characters_are_shown_without_them() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    panel.tell("relabel \u{1b}[31mRed\u{7}\tand\u{202e}back\u{200b}");
    let state = desk.ok(&["state"]);
    assert!(!state.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{state:?}");
    let number = desk.number("button", "");
    let said = desk.run(&["click", &number]);
    assert!(said.status.is_some_and(|s| s < 2) && !said.out.contains('\u{1b}'), "{said:?}");
    panel.logs("clicked \u{1b}[31mRed\u{7}\tand\u{202e}back\u{200b}");
}

#[test]
fn what_lies_outside_of_the_screen_is_not_pointed_at() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    let (go, keep) = (desk.number("button", "Approve"), desk.number("checkbox", "Keep a copy"));
    panel.tell("move 2000 1500");
    let away = || desk.ok(&["get", "rect", &go]).split(',').next().unwrap().trim().parse::<f64>().unwrap() > 1280.0;
    if eventually(Duration::from_secs(3), away) {
        assert!(desk.ok(&["state"]).contains("off-screen"), "{}", desk.ok(&["state"]));
        let said = desk.problem(&["click", &go, "--method", "pointer", "--timeout", "1"]);
        assert!(said.starts_with("error[blocked]: "), "{said}");
        assert!(!panel.log().contains("clicked"));
    }
    // What needs no pointer works wherever it is.
    desk.ok(&["check", &keep]);
    panel.logs("keep True");
    // What has no size, as what is in a closed expander.
    let state = desk.json(&["state", "--all"]);
    let flat = |t: &serde_json::Value| t["rect"][2].as_f64() == Some(0.0) || t["rect"][3].as_f64() == Some(0.0);
    for target in state["targets"].as_array().unwrap().iter().filter(|t| flat(t)) {
        let said = desk.problem(&["click", &target["ref"].to_string(), "--method", "pointer", "--timeout", "0.5"]);
        assert!(said.starts_with("error["), "{said}");
    }
}

#[test]
fn a_locked_screen_takes_no_input() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    let (go, field) = (desk.number("button", "Approve"), desk.number("textbox", "Name"));
    desk.ok(&["focus", &field]);
    let mut locker = desk.panel_unseen("Locker");
    locker.tell("lock");
    locker.logs("locked True");
    for words in [
        vec!["click", &go, "--method", "pointer", "--timeout", "1"],
        vec!["type", "secret"],
        vec!["keys", "Enter", "--window", "Panel"],
        vec!["hover", &go, "--timeout", "1"],
        vec!["click-at", "100", "100"],
        vec!["scroll", "down", "300"],
    ] {
        let ran = within(&desk, &words);
        assert!(ran.err.starts_with("error[blocked]: "), "{words:?}: {ran:?}");
    }
    assert!(!locker.log().contains("lock key") && !locker.log().contains("lock pressed"), "{}", locker.log());
    assert!(!panel.log().contains("clicked"));
    locker.tell("unlock");
    desk.run(&["click", &go]);
    panel.logs("clicked Approve");
    panel.tell("relabel Still here");
    desk.number("button", "Still here");
}

#[test]
fn a_modal_dialog_is_left_by_its_buttons_or_by_keys() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    panel.tell("relabel Confirm");
    let go = desk.number("button", "Confirm");
    let said = desk.ok(&["click", &go]);
    assert!(said.contains("window \"Sure\" opened"), "{said}");
    assert!(desk.ok(&["state"]).contains("Are you sure?"), "{}", desk.ok(&["state"]));
    let said =
        desk.problem(&["click", "--role", "checkbox", "--name", "Keep", "--method", "pointer", "--timeout", "1"]);
    assert!(said.contains("it is covered by window \"Sure\""), "{said}");
    assert!(!panel.log().contains("keep"), "what lies below a modal dialog isn't reached");
    desk.run(&["click", "--role", "button", "--name", "OK"]);
    panel.logs("answered ok");

    // By its accessible action, GTK 3 answers nothing until the dialog is closed.
    let said = within(&desk, &["click", &go, "--method", "invoke"]);
    assert!(said.out.contains("window \"Sure\" opened"), "{said:?}");
    let begun = Instant::now();
    let said = desk.problem(&["keys", "Escape"]);
    assert!(said.starts_with("error[timeout]: ") && said.contains("it waits for its dialog \"Sure\""), "{said}");
    // A key would hang the app for ever, so none is sent by any way.
    let said = desk.problem(&["keydown", "Escape"]);
    assert!(said.contains("it waits for its dialog \"Sure\""), "{said}");
    let way_out = said.lines().find_map(|l| l.strip_prefix("  try: handeye close --window ")).unwrap().to_owned();
    assert!(begun.elapsed() < LIMIT);
    assert_eq!(desk.ok(&["close", "--window", &way_out]), "closed \"Sure\"");
    panel.logs("answered no");
    assert!(desk.ok(&["state", "--window", "Panel"]).contains("Keep a copy"));
    is_usable(&desk);
}
