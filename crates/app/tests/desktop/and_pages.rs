//! One session with a browser and windows: numbers never collide, and an action turns to the surface that its number is of.

use super::kits::tried;
use handeye_testkit::desk::Desk;
use serde_json::Value;

/// A page with two targets. What is done to them shows in its title.
fn page(desk: &Desk, name: &str) -> String {
    let path = desk.path(name);
    let html = "<!doctype html><meta charset=utf-8><title>Form</title>
        <button onclick=\"document.title = 'approved'\">Approve</button>
        <label>Note <input oninput=\"document.title = this.value\"></label>";
    std::fs::write(&path, html).unwrap();
    path
}

/// Numbers of the targets that a state shows.
fn numbers(state: &Value) -> Vec<u64> {
    state["targets"].as_array().unwrap().iter().map(|t| t["ref"].as_u64().unwrap()).collect()
}

#[test]
fn a_session_holds_a_browser_and_windows_together() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.panel("Panel");
    let windows = desk.json(&["state"]);
    let (go, note) = (desk.number("button", "Approve"), desk.number("textbox", "Name"));

    let form = page(&desk, "form.html");
    assert!(desk.ok(&["open", &form]).starts_with("opened \"Form\" file://"));
    let pages = desk.json(&["state"]);
    let (ours, theirs) = (numbers(&pages), numbers(&windows));
    assert!(!ours.is_empty() && ours.iter().all(|n| !theirs.contains(n)), "{ours:?} {theirs:?}");
    assert!(pages["generation"].as_u64() > windows["generation"].as_u64(), "a state is told from every other");
    let (page_go, page_note) = (desk.number("button", "Approve"), desk.number("textbox", "Note"));
    assert_ne!((&go, &note), (&page_go, &page_note));

    // A number of a window turns to the windows, one of the page back to it.
    assert!(desk.ok(&["input", &note, "at the window"]).contains("by the accessible text"));
    assert!(desk.ok(&["state"]).starts_with("window \"Panel\""), "{}", desk.ok(&["state"]));
    assert_eq!(desk.ok(&["get", "value", &page_note]), "");
    assert!(desk.ok(&["state"]).contains("Form"), "{}", desk.ok(&["state"]));
    desk.ok(&["input", &page_note, "on the page"]);
    assert_eq!(desk.ok(&["get", "title"]), "on the page");
    assert_eq!(desk.ok(&["get", "value", &note]), "at the window");
    desk.run(&["click", &go]);
    panel.logs("clicked Approve");
    assert!(desk.ok(&["state"]).starts_with("window \"Panel\""), "the windows are looked at");
    assert!(desk.ok(&["click", &page_go]).contains("confirmed"));
    assert_eq!(desk.ok(&["get", "title"]), "approved");

    // What only one of them has turns to it, and so does the name of a window.
    assert!(desk.ok(&["windows"]).contains("\"Panel\""));
    assert!(desk.ok(&["tabs", "list"]).contains("form.html"));
    assert!(desk.ok(&["state", "--window", "Panel"]).starts_with("window \"Panel\""));
    assert!(desk.ok(&["reload"]).contains("Form"));
    assert_eq!(desk.ok(&["focus", "Panel"]), "focused \"Panel\": confirmed; focused");
    let said = desk.problem(&["drag", &go, "--to", &page_go]);
    assert!(said.starts_with("error[bad_request]: ") && said.contains("are not of one surface"), "{said}");

    // A refusal holds across them: what was last shown is remembered of each.
    panel.tell("relabel Delete everything");
    desk.ok(&["tabs", "list"]);
    let said = desk.not(&["click", &go]);
    assert!(said.contains("you were last shown button \"Approve\"; it is now"), "{said}");
    let said = desk.problem(&["click", &page_go]);
    assert!(said.starts_with("error[stale]: "), "the page was loaded anew: {said}");
    let said = desk.problem(&["click", "4711"]);
    assert!(said.starts_with("error[not_found]: there is no target [4711]"), "{said}");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn either_comes_first_and_either_goes_first() {
    let Some(desk) = Desk::with(&[]) else { return };
    let form = page(&desk, "form.html");
    desk.ok(&["open", &form]);
    let note = desk.number("textbox", "Note");
    // What only a desktop has opens it.
    assert_eq!(desk.ok(&["windows"]), "no window is open");
    assert_eq!(desk.ok(&["open", "desktop:"]), "opened \"0 windows\" desktop:");
    let panel = desk.panel("Panel");
    let go = desk.number("button", "Approve");
    desk.ok(&["input", &note, "still here"]);
    // Opened again, each is the one that was open.
    assert_eq!(desk.ok(&["open", "desktop:"]), "opened \"1 window\" desktop:");
    desk.run(&["click", &go]);
    panel.logs("clicked Approve");
    let browser_goes = desk.json(&["tabs", "list"]);
    assert_eq!(browser_goes["tabs"].as_array().map(Vec::len), Some(1), "{browser_goes}");
    assert_eq!(desk.ok(&["close"]), "closed the browser; the session goes on with the desktop");
    assert!(desk.ok(&["state"]).starts_with("window \"Panel\""));
    let said = desk.problem(&["click", &note]);
    assert!(said.starts_with("error[not_found]: ") || said.starts_with("error[stale]: "), "{said}");
    // A new browser beside the same windows.
    desk.ok(&["open", &form]);
    let anew = desk.number("textbox", "Note");
    assert!(anew.parse::<u64>().unwrap() > note.parse::<u64>().unwrap(), "no number is given out twice");
    desk.ok(&["expand", &desk_more(&desk)]);
    panel.logs("more True");
    assert_eq!(desk.ok(&["get", "value", &anew]), "");
}

/// The number of the panel's expander.
fn desk_more(desk: &Desk) -> String {
    desk.ok(&["open", "desktop:"]);
    desk.number("togglebutton", "More")
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn flags_change_from_call_to_call_and_numbers_keep_their_meaning() {
    let Some(desk) = Desk::open(&[]) else { return };
    let first = desk.panel("First");
    let second = desk.panel("Second");
    let number = |window: &str| {
        let found = desk.json(&["find", "--role", "checkbox", "--name", "Keep", "--window", window]);
        found["targets"][0]["ref"].to_string()
    };
    let (one, two) = (number("First"), number("Second"));
    assert_ne!(one, two);
    // Whatever window a call looks at, and however it looks.
    for (n, flags) in [["--window", "First"], ["--window", "Second"], ["--window", "First"]].iter().enumerate() {
        let mut words = vec!["state", "--all"];
        words.extend(flags);
        assert!(desk.ok(&words).contains("Keep a copy"), "{n}");
        assert_eq!((number("Second"), number("First")), (two.clone(), one.clone()));
    }
    desk.ok(&["check", &one, "--window", "Second"]);
    first.logs("keep True");
    assert!(!second.log().contains("keep"));
    desk.ok(&["check", &two, "--window", "First", "--return-state"]);
    second.logs("keep True");

    let form = page(&desk, "form.html");
    desk.ok(&["open", &form]);
    let by_script = numbers(&desk.json(&["state", "--via", "script"]));
    assert_eq!(by_script, numbers(&desk.json(&["state", "--via", "ax"])));
    assert_eq!(by_script, numbers(&desk.json(&["state"])));
    desk.ok(&["uncheck", &one]);
    first.logs("keep False");
}

#[test]
fn rules_name_the_desktop_and_closing_a_window_is_an_act() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.panel("Panel");
    let go = desk.number("button", "Approve");
    let bar = |rule: &str| {
        std::fs::write(desk.home.work().join("handeye.toml"), format!("[policy]\ndeny = [{rule:?}]\n")).unwrap();
    };
    // No origin at all is that of some documents, and not of windows.
    for rule in tried(["acts@null", "acts@https://bank.example"], 0) {
        bar(rule);
        desk.run(&["click", &go]);
        panel.logs("clicked Approve");
    }
    for rule in tried(["acts@desktop:", "acts"], 0) {
        bar(rule);
        for words in [
            &["click", &go][..],
            &["keys", "x"],
            &["close"],
            &["close", "--window", "Panel"],
            &["launch", "true"],
            &["window", "minimise"],
        ] {
            let said = desk.problem(words);
            assert!(said.starts_with("error[denied]: the policy refuses "), "{rule} {words:?}: {said}");
        }
        assert!(desk.ok(&["windows"]).contains("\"Panel\""), "{rule}");
    }
    bar("reads@desktop:");
    assert!(desk.problem(&["state"]).starts_with("error[denied]"));
    let form = page(&desk, "form.html");
    bar("acts@desktop:");
    desk.ok(&["open", &form]);
    assert!(desk.ok(&["click", &desk.number("button", "Approve")]).contains("confirmed"), "it says nothing of pages");
    bar("acts@null");
    let said = desk.ok(&["close", "--window", "Panel"]);
    assert!(said.starts_with("closed \"Panel\""), "{said}");
}
