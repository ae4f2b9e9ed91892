//! Keys, dialogs, menus and lists of windows at their worst: nothing goes where it wasn't meant to, and nothing stays behind.

use handeye_testkit::desk::{Desk, Panel};
use handeye_testkit::home::{self, eventually};
use std::time::{Duration, Instant};

/// What a panel's field says last.
fn typed(panel: &Panel) -> String {
    panel.log().lines().filter_map(|l| l.strip_prefix("name ")).next_back().unwrap_or_default().to_owned()
}

/// Which modifiers and buttons are down.
fn held(panel: &mut Panel) -> String {
    // Each question has a number: the answer to another one would be older.
    let line = format!("held {}", panel.log().len());
    panel.tell_whole(&line);
    panel.log().lines().find_map(|l| l.strip_prefix(&line)).unwrap().trim().to_owned()
}

#[test]
fn keys_go_to_the_window_that_is_named_whichever_has_the_keyboard() {
    let Some(desk) = Desk::open(&[]) else { return };
    let first = desk.panel("First");
    desk.ok(&["focus", &desk.number("textbox", "Name"), "--window", "First"]);
    let second = desk.panel("Second");
    desk.ok(&["focus", "--role", "textbox", "--name", "Name", "--window", "Second"]);
    desk.ok(&["type", "for the second"]);
    assert_eq!(typed(&second), "for the second");
    let said = desk.run(&["type", "for the first", "--window", "First"]);
    assert!(eventually(Duration::from_secs(3), || typed(&first) == "for the first"), "{said:?}: {:?}", typed(&second));
    assert_eq!(typed(&second), "for the second", "{said:?}");
    desk.run(&["keys", "ctrl+a Delete", "--window", "Second"]);
    assert!(eventually(Duration::from_secs(3), || typed(&second).is_empty()), "{:?}", typed(&second));
    assert_eq!(typed(&first), "for the first");
}

#[test]
fn typing_that_is_stopped_says_that_some_of_it_arrived() {
    let Some(desk) = Desk::open(&[]) else { return };
    let first = desk.panel("First");
    let _second = desk.panel("Second");
    desk.ok(&["open", "desktop:", "--session", "other"]);
    desk.ok(&["focus", "--role", "textbox", "--name", "Name", "--window", "First"]);
    let client = {
        let mut command = desk.command(&["type", "--pace", "100", "0123456789012345"]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    assert!(eventually(Duration::from_secs(5), || !typed(&first).is_empty()));
    desk.ok(&["focus", "Second", "--session", "other"]);
    let ran = home::finish(client);
    let arrived = typed(&first);
    assert!(!arrived.is_empty() && arrived.len() < 16, "{arrived}");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.out.contains("sent in part, then withheld"), "{ran:?}");
}

#[test]
fn what_is_kept_down_is_let_go_when_the_session_ends_or_the_next_one_begins() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    desk.ok(&["focus", "--role", "textbox", "--name", "Name"]);
    let said = desk.ok(&["keydown", "Shift"]);
    assert_eq!(said, "holding Shift: confirmed; the desktop took it; by keys");
    desk.ok(&["keydown", "Control"]);
    assert_eq!(held(&mut panel), "shift ctrl");
    // Another chord doesn't let go what it shares with them.
    desk.run(&["keys", "ctrl+F9"]);
    assert_eq!(held(&mut panel), "shift ctrl");
    // Let go wherever the keyboard is by now.
    let _other = desk.panel("Other");
    desk.ok(&["focus", "Other"]);
    desk.ok(&["keyup", "Control", "--window", "Panel"]);
    assert_eq!(held(&mut panel), "shift");
    desk.ok(&["mouse", "move", "5", "1000"]);
    desk.ok(&["mouse", "down"]);
    assert_eq!(held(&mut panel), "shift button");
    desk.ok(&["sessions", "stop", "default"]);
    assert_eq!(held(&mut panel), "");

    // One that crashes leaves it to the next; one that lives isn't meddled with.
    desk.ok(&["open", "desktop:"]);
    desk.ok(&["keydown", "Shift", "--window", "Panel"]);
    desk.ok(&["open", "desktop:", "--session", "other"]);
    assert_eq!(held(&mut panel), "shift");
    home::kill_and_wait(desk.home.pid("default").unwrap());
    assert_eq!(held(&mut panel), "shift");
    desk.ok(&["open", "desktop:", "--session", "third"]);
    assert!(eventually(Duration::from_secs(10), || held(&mut panel).is_empty()));
    let said = desk.problem(&["keydown", "中", "--session", "third"]);
    assert!(said.starts_with("error[unsupported]: no key of this keyboard stands for it"), "{said}");
}

#[test]
fn what_lies_below_a_modal_dialog_is_reached_by_no_means() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    panel.tell("relabel Confirm");
    let number = |role: &str, name: &str| desk.number(role, name);
    let (go, keep) = (number("button", "Confirm"), number("checkbox", "Keep a copy"));
    let (field, level) = (number("textbox", "Name"), number("slider", "Level"));
    let (size, more) = (number("combobox", ""), number("togglebutton", "More"));
    let said = desk.ok(&["click", &go]);
    assert!(said.contains("window \"Sure\" opened"), "{said}");
    let before = panel.log();
    for words in [
        vec!["check", &keep],
        vec!["click", &keep, "--method", "invoke"],
        vec!["input", &field, "text"],
        vec!["input", &level, "40"],
        vec!["select", &size, "Large"],
        vec!["expand", &more],
        vec!["focus", &field],
    ] {
        let words: Vec<&str> = words.into_iter().chain(["--timeout", "0.3"]).collect();
        let said = desk.problem(&words);
        let named = "it is covered by window \"Sure\", a dialog that must be closed first";
        assert!(said.starts_with("error[blocked]: ") && said.contains(named), "{words:?}: {said}");
    }
    assert_eq!(panel.log(), before);
    desk.run(&["click", "--role", "button", "--name", "OK"]);
    panel.logs("answered ok");
    desk.ok(&["check", &keep]);
    panel.logs("keep True");
}

#[test]
fn what_lies_below_an_open_menu_is_not_clicked_through_it() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.panel("Panel");
    let rows: Vec<String> = (1..5).map(|n| desk.number("gridcell", &format!("row {n}"))).collect();
    let rect = desk.ok(&["get", "rect", &rows[0]]);
    let at: Vec<f64> = rect.split(',').map(|n| n.trim().parse().unwrap()).collect();
    let place = [(at[0] + 3.0).to_string(), (at[1] + at[3] / 2.0).to_string()];
    desk.run(&["rightclick-at", &place[0], &place[1]]);
    panel.logs("menu");
    // It tells of it before the menu is on the screen.
    let is_up = || {
        let state = desk.ok(&["state", "--all"]);
        state.lines().any(|line| line.contains("\"row 2\"") && line.contains("covered"))
    };
    assert!(eventually(Duration::from_secs(20), is_up), "{}", desk.ok(&["state", "--all"]));
    for row in &rows[1..] {
        let said = desk.run(&["click", row, "--timeout", "0.5"]);
        assert!(said.err.contains("it is covered by the menu of "), "{said:?}");
    }
    assert!(!panel.log().contains("chose"), "{}", panel.log());
    // Its own items are reached.
    let item = "Delete all 3 of whatever there is in this list, for ever";
    let said = desk.run(&["click", "--role", "menuitem", "--name", item, "--json"]).json();
    panel.logs(&format!("chose {item}"));
    // It changes nothing that could be seen, but for the menu.
    assert_eq!(said["verdict"], "unverifiable", "{said}");
}

#[test]
fn options_are_counted_with_what_lies_between_them() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    panel.tell("split");
    let number = desk.number("combobox", "Split");
    for option in ["Two", "Three", "One"] {
        let said = desk.run(&["select", &number, option]);
        assert_eq!(said.status, Some(0), "{said:?}");
        panel.logs(&format!("split {option}"));
    }
    assert_eq!(panel.log().matches("split ").count(), 3, "{}", panel.log());
}

#[test]
fn several_options_are_chosen_where_a_list_takes_them() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    panel.tell("several");
    let list = desk.number("listbox", "Several");
    let chosen = || panel.log().lines().rfind(|l| l.starts_with("several")).map(str::to_owned);
    for (options, holds) in [
        (vec!["Red", "blue"], "several Blue Red"),
        (vec!["#1", "Red"], "several Green Red"),
        (vec!["Green"], "several Green"),
        (vec!["Green", "Red", "Blue"], "several Blue Green Red"),
    ] {
        let words: Vec<&str> = ["select", &list].into_iter().chain(options).collect();
        let said = desk.ok(&words);
        assert!(said.contains("confirmed") && said.contains("by the accessible selection"), "{said}");
        assert!(eventually(Duration::from_secs(3), || chosen().as_deref() == Some(holds)), "{holds}: {:?}", chosen());
    }
    let said = desk.not(&["select", &list, "Red", "Mauve"]);
    assert!(said.contains("it has no option \"Mauve\"; it has [\"Red\", \"Green\", \"Blue\"]"), "{said}");
    assert_eq!(chosen().as_deref(), Some("several Blue Green Red"));
    let size = desk.number("combobox", "");
    let said = desk.not(&["select", &size, "Small", "Large"]);
    assert!(said.contains("it takes one option"), "{said}");
}

#[test]
fn several_options_are_waited_for_and_refused_where_one_is_taken() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    panel.tell("slow");
    panel.tell("single");
    let slow = desk.number("listbox", "Slow");
    let said = desk.ok(&["select", &slow, "Red", "Blue"]);
    assert!(said.contains("confirmed") && said.contains("by the accessible selection"), "{said}");
    assert_eq!(panel.log().lines().rfind(|l| l.starts_with("slow")), Some("slow Blue Red"), "{}", panel.log());

    // Which it takes isn't known before: what was chosen is chosen again.
    let single = desk.number("listbox", "Single");
    let said = desk.not(&["select", &single, "Red", "Blue"]);
    assert!(said.contains("it doesn't take \"Red\" with the others") && !said.contains("begun"), "{said}");
    assert_eq!(panel.log().lines().rfind(|l| l.starts_with("single")), Some("single Green"), "{}", panel.log());
    assert!(desk.ok(&["select", &single, "Blue"]).contains("confirmed"));
    assert_eq!(panel.log().lines().rfind(|l| l.starts_with("single")), Some("single Blue"), "{}", panel.log());
}

#[test]
fn giving_the_keyboard_to_what_does_not_take_it_activates_nothing() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    panel.tell("shy");
    let shy = desk.number("button", "Shy");
    let said = desk.not(&["focus", &shy]);
    assert!(said.contains("it doesn't take the keyboard"), "{said}");
    assert!(!panel.log().contains("clicked"), "{}", panel.log());
}

#[test]
fn the_end_of_a_line_is_not_typed_into_what_holds_one_line() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    panel.tell("short");
    let short = desk.number("textbox", "Short");
    let said = desk.not(&["input", &short, "ab\ncdef"]);
    assert!(said.contains("it holds one line"), "{said}");
    assert!(!panel.log().contains("short activated"), "{}", panel.log());
    let said = desk.run(&["input", &short, "abcdef"]);
    assert!(said.status == Some(1) && said.out.contains("it reads back as \"abcd\""), "{said:?}");
    desk.ok(&["focus", &short]);
    let said = desk.problem(&["type", "a\u{1b}b"]);
    assert!(said.starts_with("error[bad_request]: the text holds a control character"), "{said}");
}

#[test]
fn a_drag_onto_what_is_covered_meanwhile_is_taken_back() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    let (from, to) = (desk.number("gridcell", "row 1"), desk.number("gridcell", "row 3"));
    let client = {
        let mut command = desk.command(&["drag", &from, "--to", &to, "--duration", "2500"]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    assert!(eventually(Duration::from_secs(8), || held(&mut panel).contains("button")));
    panel.tell("cover 0 0 1280 1024");
    let ran = home::finish(client);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.out.contains("it was let go where it was taken"), "{ran:?}");
    assert_eq!(held(&mut panel), "");
    let said = desk.not(&["scroll", "down"]);
    assert!(said.contains("withheld: window \"Cover\" lies over it"), "{said}");
    let said = desk.problem(&["scroll", "down", "--expect", "x"]);
    assert!(said.starts_with("error[bad_request]: --expect is about a target"), "{said}");
}

#[test]
fn what_others_put_up_is_not_taken_for_what_was_launched() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/desktop/panel.py");
    let start = format!("sleep 2; /usr/bin/python3 {script} {} Wrapped", desk.path("wrapped.log"));
    panel.tell("ask 600");
    let said = desk.ok(&["launch", "sh", "-c", &start]);
    assert!(said.starts_with("launched sh: confirmed; window \"Wrapped\" opened"), "{said}");
    let begun = Instant::now();
    let said = desk.problem(&["launch", "false"]);
    assert!(said.starts_with("error[unavailable]: false ended (exit status: 1)"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn an_app_that_hangs_before_it_was_met_is_said_to_and_holds_no_other_up() {
    let Some(desk) = Desk::with(&[]) else { return };
    let hangs = desk.panel_unseen("Hangs");
    let _other = desk.panel_unseen("Other");
    home::kill(hangs.pid(), "STOP");
    desk.ok(&["open", "desktop:"]);
    assert!(eventually(Duration::from_secs(5), || desk.run(&["state", "--window", "Other"]).status == Some(0)));
    std::thread::sleep(Duration::from_secs(4));
    let begun = Instant::now();
    desk.ok(&["state", "--window", "Other"]);
    assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
    let said = desk.problem(&["state", "--window", &format!("pid:{}", hangs.pid())]);
    assert!(said.starts_with("error[timeout]: ") && said.contains("doesn't answer"), "{said}");
}

#[test]
fn a_long_clipboard_is_read_whole() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    for count in [10, 1_000_000] {
        panel.tell(&format!("clip {count}"));
        let told = desk.json(&["clipboard", "get"])["text"].as_str().unwrap().to_owned();
        assert_eq!((told.chars().count(), told.chars().all(|c| c == '中')), (count, true));
    }
}

#[test]
fn text_is_typed_as_it_is_written_whatever_the_keyboard_is_set_to() {
    let Some(desk) = Desk::open(&["setxkbmap"]) else { return };
    let panel = desk.panel("Panel");
    let field = desk.number("textbox", "Name");
    desk.ok(&["focus", &field]);
    desk.run(&["keys", "CapsLock"]);
    desk.ok(&["type", "aBc1!ä"]);
    assert_eq!(typed(&panel), "aBc1!ä");
    desk.run(&["keys", "CapsLock"]);
    desk.ok(&["input", &field, ""]);
    desk.set_layout(&["-layout", "us,ru", "-option", "grp:alt_shift_toggle"]);
    turn_to_the_next_layout(&desk);
    desk.ok(&["type", "Hello, Ж 1!"]);
    assert_eq!(typed(&panel), "Hello, Ж 1!");
    desk.run(&["keys", "ctrl+a Delete"]);
    assert!(eventually(Duration::from_secs(3), || typed(&panel).is_empty()), "{:?}", typed(&panel));
}

/// Turns to the next layout of the keyboard by hand.
fn turn_to_the_next_layout(desk: &Desk) {
    for words in [["keydown", "Alt"], ["keydown", "Shift"], ["keyup", "Shift"], ["keyup", "Alt"]] {
        desk.ok(&words);
    }
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn text_is_typed_as_it_is_written_in_each_of_four_layouts() {
    let Some(desk) = Desk::open(&["setxkbmap"]) else { return };
    let panel = desk.panel("Panel");
    let field = desk.number("textbox", "Name");
    desk.ok(&["focus", &field]);
    desk.set_layout(&["-layout", "us,de,fr,ru", "-option", "grp:alt_shift_toggle"]);
    // In the French layout digits are shifted, and letters stand elsewhere.
    let text = "Yz Qa 1&é !Ж ß";
    for layout in ["us", "de", "fr", "ru"] {
        desk.ok(&["type", text]);
        assert_eq!(typed(&panel), text, "{layout}");
        desk.run(&["keys", "CapsLock"]);
        desk.run(&["keys", "ctrl+a Delete"]);
        assert!(eventually(Duration::from_secs(3), || typed(&panel).is_empty()), "{layout}: {:?}", typed(&panel));
        desk.ok(&["type", text]);
        assert_eq!(typed(&panel), text, "{layout}, with the shift lock");
        desk.run(&["keys", "ctrl+a Delete"]);
        desk.run(&["keys", "CapsLock"]);
        turn_to_the_next_layout(&desk);
    }
}

#[test]
fn every_way_of_the_pointer_and_of_looking_has_its_effect() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    let (go, row) = (desk.number("button", "Approve"), desk.number("gridcell", "row 2"));
    desk.ok(&["hover", &go]);
    panel.logs("pointer on Approve");
    desk.run(&["dblclick", &row]);
    panel.logs("activated 2");
    desk.run(&["rightclick", &row]);
    panel.logs("menu");
    desk.run(&["keys", "Escape"]);
    // From the slider's left end to the middle, by places.
    let rect = desk.ok(&["get", "rect", &desk.number("slider", "Level")]);
    let at: Vec<f64> = rect.split(',').map(|n| n.trim().parse().unwrap()).collect();
    let y = (at[1] + at[3] - 10.0).to_string();
    desk.run(&["drag-at", &(at[0] + 10.0).to_string(), &y, &(at[0] + at[2] / 2.0).to_string(), &y]);
    let level = || panel.log().lines().filter_map(|l| l.strip_prefix("level ")?.parse::<i32>().ok()).next_back();
    assert!(eventually(Duration::from_secs(3), || level().is_some_and(|l| (30..70).contains(&l))), "{:?}", level());
    // Nothing lies beyond the edges of the screen.
    let said = desk.problem(&["click-at", "--", "-5", "-7"]);
    assert!(said.contains("-5,-7 is outside the screen"), "{said}");

    let tree = desk.ok(&["state", "--tree", "--verbose", "--window", "Panel"]);
    let line = tree.lines().find(|l| l.contains("button \"Approve\"")).unwrap();
    assert!(line.starts_with(' ') && line.contains(','), "{tree}");
    let said = desk.ok(&["screenshot", "panel.png", "--window", "Panel"]);
    assert!(said.contains(" at scale 1"), "{said}");

    let begun = Instant::now();
    desk.ok(&["wait", "--visible", &go]);
    let client = desk
        .command(&["wait", "--text", "Granted"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    panel.tell("relabel Granted");
    assert_eq!(home::finish(client).status, Some(0));
    panel.tell("remove");
    desk.ok(&["wait", "--gone", &go]);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    desk.run(&["keys", "alt+F4", "--window", "Panel"]);
    panel.logs("closed");
}
