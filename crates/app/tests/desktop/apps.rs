//! Real apps of several toolkits, end to end: mousepad (GTK 3), gnome-text-editor (GTK 4), kcalc (Qt 5), LibreOffice Calc.

use handeye_testkit::desk::{self, Desk};
use handeye_testkit::home;
use std::time::Duration;

#[test]
fn mousepad_writes_and_saves_what_is_typed() {
    let Some(desk) = Desk::open(&["mousepad"]) else { return };
    let said = desk.ok(&["launch", "mousepad"]);
    assert!(said.starts_with("launched mousepad: confirmed; window \"Untitled 1 - Mousepad\" opened"), "{said}");
    let field = desk.number("textbox", "");
    let said = desk.ok(&["input", &field, "第一行 😀"]);
    assert!(said.contains("value is \"第一行 😀\"; by the accessible text"), "{said}");
    desk.ok(&["focus", &field]);
    desk.ok(&["keys", "ctrl+End Enter"]);
    let said = desk.ok(&["type", "zweite Zeile: äöü € 中文字 🎉 Ünïcödé"]);
    assert!(said.starts_with("typed "), "{said}");
    assert_eq!(desk.json(&["get", "value", &field])["value"], "第一行 😀\nzweite Zeile: äöü € 中文字 🎉 Ünïcödé");

    let said = desk.ok(&["menu", "File->Save As"]);
    assert!(said.contains("window \"Save As\" opened"), "{said}");
    let path = desk.path("saved 文件.txt");
    let focused = || {
        let found = desk.json(&["find", "--role", "textbox"]);
        let focused = found["targets"].as_array()?.iter().find(|t| t["states"].to_string().contains("focused"));
        Some(focused?["ref"].to_string())
    };
    assert!(home::eventually(Duration::from_secs(10), || focused().is_some()), "{}", desk.ok(&["state"]));
    desk.ok(&["input", &focused().unwrap(), &path]);
    let said = desk.ok(&["click", "--role", "button", "--name", "Save"]);
    assert!(said.contains("confirmed"), "{said}");
    let saved = || std::fs::read_to_string(&path).is_ok_and(|text| text.contains("zweite"));
    assert!(home::eventually(Duration::from_secs(5), saved), "{said}\n{}", desk.ok(&["state"]));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.trim_end(), "第一行 😀\nzweite Zeile: äöü € 中文字 🎉 Ünïcödé");

    let said = desk.problem(&["menu", "File->Send by pigeon"]);
    assert!(
        said.starts_with(
            "error[not_found]: no item of the menu \"File\" is called \"Send by pigeon\"; there are \"New\""
        ),
        "{said}"
    );
    assert!(!desk.ok(&["state"]).contains("Save As..."), "the menu was closed again");
}

#[test]
fn gnome_text_editor_writes_what_is_typed() {
    let Some(desk) = Desk::open(&["gnome-text-editor"]) else { return };
    // As the fixtures of its toolkit are: what a graphics card would draw takes a processor many times as long.
    let mut launch = desk.command(&["launch", "gnome-text-editor"]);
    launch.env("GSK_RENDERER", "cairo");
    let ran = home::run(launch);
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{ran:?}");
    let field = desk.number("textbox", "");
    desk.ok(&["input", &field, "GTK 4: 中文"]);
    desk.ok(&["click", &field, "--method", "pointer"]);
    desk.run(&["keys", "ctrl+End"]);
    desk.ok(&["type", " und 键盘 😀"]);
    assert_eq!(desk.ok(&["get", "value", &field]), "GTK 4: 中文 und 键盘 😀");
    // Places are those of the screen, whatever the toolkit makes of its shadow.
    let state = desk.ok(&["state"]);
    assert_eq!(state.matches("button \"Menu\"").count(), 1, "{state}");
    let said = desk.ok(&["click", "--role", "button", "--name", "Menu", "--method", "pointer"]);
    assert!(said.contains("confirmed") && said.contains("by the pointer"), "{said}");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn kcalc_computes() {
    let Some(desk) = Desk::open(&["kcalc"]) else { return };
    desk.ok(&["launch", "kcalc"]);
    let state = desk.ok(&["state"]);
    assert!(state.contains("region \"0\""), "{state}");
    for (key, shows) in [("7", "7"), ("×", "7"), ("6", "6"), ("=", "42")] {
        let said = desk.run(&["click", "--role", "button", "--name", key]);
        // By its accessible action it would be clicked a while later, whatever it says by then.
        assert!(said.out.contains("by the pointer"), "{said:?}");
        assert!(desk.ok(&["state"]).contains(&format!("region \"{shows}\"")), "{key}");
    }
    desk.ok(&["keys", "Escape 1 2 + 3 Enter"]);
    assert!(desk.ok(&["state"]).contains("region \"15\""));
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn libreoffice_calc_is_filled_read_and_closed_without_saving() {
    let Some(desk) = Desk::open(&["localc"]) else { return };
    let said = desk.ok(&["launch", "localc", "--norestore", "--nologo", "--nofirststartwizard"]);
    assert!(said.contains("LibreOffice Calc\" opened"), "{said}");
    let said = desk.ok(&["state"]);
    assert!(said.contains("gridcell \"A1\""), "{said}");
    let (number, text, sum) =
        (desk.number("gridcell", "B2"), desk.number("gridcell", "C2"), desk.number("gridcell", "D2"));
    desk.ok(&["input", &number, "12.5"]);
    desk.ok(&["input", &text, "汉字 😀"]);
    // A cell holds a formula, or a number, and shows what it makes of it.
    desk.ok(&["input", &sum, "=B2*2"]);
    let (time, lost) = (desk.number("gridcell", "B3"), desk.number("gridcell", "C3"));
    desk.ok(&["input", &time, "12:30"]);
    let said = desk.not(&["input", &lost, "007"]);
    assert!(said.contains("it reads back as \"7\""), "{said}");
    for (cell, holds) in [(&number, "12.5"), (&text, "汉字 😀"), (&sum, "25"), (&time, "12:30:00 PM"), (&lost, "7")]
    {
        assert_eq!(desk.ok(&["get", "value", cell]), holds);
    }
    let said = desk.not(&["close"]);
    assert!(said.contains("it is still there, and may ask something"), "{said}");
    desk.run(&["click", "--role", "button", "--name", "Don’t Save"]);
    let gone = || !desk.ok(&["windows"]).contains("Untitled 1");
    assert!(home::eventually(Duration::from_secs(10), gone), "{}", desk.ok(&["windows"]));
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn libreoffice_calc_is_told_what_to_do_by_its_menus() {
    let Some(desk) = Desk::open(&["localc"]) else { return };
    desk.ok(&["launch", "localc", "--norestore", "--nologo", "--nofirststartwizard"]);
    // It has a bar of its own besides the one that is shown.
    desk.number("menuitem", "Sheet");
    let cell = desk.number("gridcell", "B2");
    desk.ok(&["input", &cell, "12.5"]);
    desk.run(&["click", &cell]);
    let said = desk.run(&["menu", "Sheet->Insert Rows->Rows Above"]);
    assert!(said.out.starts_with("chose Sheet->Insert Rows->Rows Above in "), "{said:?}");
    assert_eq!(cell, desk.number("gridcell", "B2"), "cells keep their numbers");
    let below = desk.number("gridcell", "B3");
    assert!(home::eventually(Duration::from_secs(10), || desk.run(&["get", "value", &below]).out.trim() == "12.5"));
    let said = desk.ok(&["menu", "Sheet->Insert Sheet at End"]);
    assert!(said.contains("window \"Append Sheet\" opened"), "{said}");
    desk.run(&["click", "--role", "button", "--name", "Cancel"]);
    let said = desk.problem(&["menu", "Sheet->Insert Nonsense"]);
    assert!(
        said.starts_with("error[not_found]: no item of the menu \"Sheet\" is called \"Insert Nonsense\""),
        "{said}"
    );
}

#[test]
fn mousepad_finds_and_replaces_through_its_dialog() {
    let Some(desk) = Desk::open(&["mousepad"]) else { return };
    let path = desk.path("list.txt");
    std::fs::write(&path, "Apfel 🍎 alt\nBirne alt\n中文 alt\n").unwrap();
    desk.ok(&["launch", "mousepad", &path]);
    let field = desk.number("textbox", "");
    assert_eq!(desk.json(&["get", "value", &field])["value"], "Apfel 🍎 alt\nBirne alt\n中文 alt\n");
    let said = desk.run(&["menu", "Search->Find and Replace..."]);
    assert!(said.out.contains("window \"Find and Replace\" opened"), "{said:?}");
    desk.ok(&["focus", "Find and Replace"]);
    // Each field goes by the label before it.
    let (find, replace) = (&desk.number("textbox", "Search for:"), &desk.number("textbox", "Replace with:"));
    assert!(find != replace && *find != field && *replace != field, "{}", desk.ok(&["state"]));
    desk.ok(&["input", find, "alt"]);
    desk.ok(&["input", replace, "neu 新 ✨"]);
    let all = desk.number("checkbox", "Replace all in:");
    desk.ok(&["check", &all]);
    let said = desk.run(&["click", "--role", "button", "--name", "Replace"]);
    assert!(said.status.is_some_and(|s| s < 2), "{said:?}");
    let wanted = "Apfel 🍎 neu 新 ✨\nBirne neu 新 ✨\n中文 neu 新 ✨";
    let replaced = || desk.json(&["get", "value", &field])["value"].as_str().unwrap_or_default().trim_end() == wanted;
    assert!(home::eventually(Duration::from_secs(10), replaced), "{}", desk.ok(&["state"]));
    assert_eq!(desk.ok(&["close", "--window", "Find and Replace"]), "closed \"Find and Replace\"");
    desk.ok(&["focus", &field]);
    desk.run(&["keys", "ctrl+s"]);
    let saved = || std::fs::read_to_string(&path).is_ok_and(|text| text.trim_end() == wanted);
    assert!(home::eventually(Duration::from_secs(10), saved), "{}", desk.ok(&["state"]));
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn chromium_is_driven_by_its_own_window() {
    let chromium = handeye_browser::find(None).unwrap();
    let Some(desk) = Desk::open(&[]) else { return };
    let page = desk.path("page.html");
    let html = "<!doctype html><meta charset=utf-8><title>Start</title>
        <label>Note <input oninput=\"document.title = this.value\"></label><button>Ready</button>";
    std::fs::write(&page, html).unwrap();
    let profile = format!("--user-data-dir={}", desk.path("profile"));
    let url = format!("file://{page}");
    let program = chromium.display().to_string();
    let mut words = vec!["launch", &program, "--no-sandbox", "--no-first-run", "--no-default-browser-check"];
    words.extend(["--disable-gpu", "--password-store=basic", "--force-renderer-accessibility", &profile, &url]);
    let said = desk.run(&words);
    assert!(said.out.contains("opened"), "{said:?}");
    let note = desk.number("textbox", "Note");
    // Its frame's own controls, and those of the page in it.
    let state = desk.ok(&["state", "--all"]);
    assert!(state.contains("button \"Reload\"") && state.contains("button \"Ready\""), "{state}");
    desk.ok(&["click", &note, "--method", "pointer"]);
    desk.run(&["type", "typed 字 😀"]);
    let shows = || desk.ok(&["windows"]).contains("typed 字 😀");
    assert!(home::eventually(Duration::from_secs(10), shows), "{}", desk.ok(&["windows"]));
    desk.run(&["keys", "ctrl+t"]);
    let new_tab = || desk.ok(&["windows"]).contains("New Tab");
    assert!(home::eventually(Duration::from_secs(10), new_tab), "{}", desk.ok(&["windows"]));
    desk.run(&["keys", "ctrl+w"]);
    assert!(home::eventually(Duration::from_secs(10), shows), "{}", desk.ok(&["windows"]));
    // It would live on without a display.
    let folder = desk.path("");
    assert!(desk::is_left(&folder));
    drop(desk);
    assert!(home::eventually(Duration::from_secs(10), || !desk::is_left(&folder)));
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_step_of_a_menu_is_an_item_of_the_one_before() {
    let Some(desk) = Desk::open(&["mousepad"]) else { return };
    desk.ok(&["launch", "mousepad"]);
    desk.number("textbox", "");
    for (path, menu) in [("File->Edit", "File"), ("File->Search->Find", "File"), ("Edit->Convert->Undo", "Convert")] {
        let said = desk.problem(&["menu", path]);
        assert!(said.starts_with(&format!("error[not_found]: no item of the menu \"{menu}\" is called ")), "{said}");
        assert!(!desk.ok(&["state"]).contains("menuitem \"Undo\""), "the menu was closed again");
    }
    // With nothing selected it does nothing: that the menu closes is no effect.
    let told = desk.run(&["menu", "Edit->Convert->To Lowercase", "--json"]).json();
    assert_eq!(told["verdict"], "unverifiable", "{told}");
    let said = desk.run(&["menu", "View->Line Numbers"]);
    assert!(said.out.starts_with("chose View->Line Numbers in ") && !said.out.contains("stayed open"), "{said:?}");
    // Keys that a menu takes are told as such.
    desk.ok(&["click", "--role", "menuitem", "--name", "Search"]);
    let said = desk.run(&["keys", "Escape"]);
    assert!(said.out.contains("notice open_menu: the menu \"Search\" was open, and took the keys"), "{said:?}");
    assert!(!desk.run(&["keys", "Home"]).out.contains("open_menu"));
}

#[test]
fn a_menu_that_its_program_leaves_open_is_closed() {
    let Some(desk) = Desk::open(&["kcalc"]) else { return };
    desk.ok(&["launch", "kcalc"]);
    let said = desk.run(&["menu", "Settings->Science Mode"]);
    assert!(said.out.contains("notice open_menu: the menu \"Settings\" stayed open, and was closed"), "{said:?}");
    // What the keys came to is read below; on a busy machine the receipt may not say so.
    desk.run(&["keys", "1 2 + 3 Enter"]);
    assert!(desk.ok(&["state"]).contains("region \"15\""), "{}", desk.ok(&["state"]));
}

/// The field of a bar that came up takes keys from then on, by whatever name it was shown first.
#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn libreoffice_calc_is_searched_by_its_bar() {
    let Some(desk) = Desk::open(&["localc"]) else { return };
    desk.ok(&["launch", "localc", "--norestore", "--nologo", "--nofirststartwizard"]);
    desk.number("gridcell", "A1");
    desk.run(&["input", &desk.number("gridcell", "A2"), "pear"]);
    desk.run(&["click", &desk.number("gridcell", "A1")]);
    desk.run(&["keys", "ctrl+f"]);
    let field = desk.number("textbox", "Find Values");
    for (words, holds) in [(["type", "pe"], "pe"), (["type", "ar"], "pear"), (["keys", "BackSpace"], "pea")] {
        let said = desk.ok(&words);
        assert!(said.contains("confirmed"), "{words:?}: {said}");
        assert_eq!(desk.ok(&["get", "value", &field]), holds);
    }
    desk.run(&["keys", "Enter"]);
    let found = || desk.ok(&["state"]).lines().any(|line| line.contains("textbox") && line.contains("value=\"A2\""));
    assert!(home::eventually(Duration::from_secs(10), found), "{}", desk.ok(&["state"]));
}

/// Copying shows nowhere but on the clipboard.
#[test]
fn kcalc_copies() {
    let Some(desk) = Desk::open(&["kcalc"]) else { return };
    desk.ok(&["launch", "kcalc"]);
    desk.run(&["keys", "4 2"]);
    for _ in 0..2 {
        let said = desk.run(&["keys", "ctrl+c", "--json"]).json();
        assert_eq!(said["verdict"], "confirmed", "{said}");
        assert!(said["evidence"].to_string().contains("\"clipboard\""), "{said}");
    }
    assert_eq!(desk.ok(&["clipboard", "get"]), "42");
}

/// LibreOffice tells of a wrong place for what it draws in its bars, and of the line of a formula that it is no more.
#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn libreoffice_calc_is_told_what_to_do_by_its_bars() {
    let Some(desk) = Desk::open(&["localc"]) else { return };
    desk.ok(&["launch", "localc", "--norestore", "--nologo", "--nofirststartwizard"]);
    desk.number("gridcell", "A1");
    desk.run(&["input", &desk.number("gridcell", "A1"), "=1+2"]);
    desk.run(&["click", &desk.number("gridcell", "A1")]);
    let line = desk.number("paragraph", "Input line");
    let holds = |text: &str| {
        let shown = || desk.ok(&["state"]);
        assert!(home::eventually(Duration::from_secs(5), || shown().contains(text)), "{text}: {}", shown());
    };
    holds("=1+2");
    let said = desk.ok(&["click", &line]);
    assert!(said.contains("confirmed"), "{said}");
    desk.ok(&["type", "+4", "--enter"]);
    let value = || desk.ok(&["get", "value", &desk.number("gridcell", "A1")]);
    assert!(home::eventually(Duration::from_secs(5), || value().contains('7')), "{}", value());
    let said = desk.ok(&["click", "--role", "button", "--name", "Function Wizard"]);
    assert!(said.contains("window \"Function Wizard\" opened"), "{said}");
}
