//! Real apps of several toolkits, end to end: mousepad (GTK 3), gnome-text-editor (GTK 4), kcalc (Qt 5), LibreOffice Calc.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod desk;
mod home;

use desk::Desk;
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
    assert_eq!(desk.ok(&["get", "value", &field]), "第一行 😀\nzweite Zeile: äöü € 中文字 🎉 Ünïcödé");

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
        said.starts_with("error[not_found]: no item of a menu is called \"Send by pigeon\"; there are \"File\""),
        "{said}"
    );
    assert!(!desk.ok(&["state"]).contains("Save As..."), "the menu was closed again");
}

#[test]
fn gnome_text_editor_writes_what_is_typed() {
    let Some(desk) = Desk::open(&["gnome-text-editor"]) else { return };
    desk.ok(&["launch", "gnome-text-editor"]);
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
fn kcalc_computes() {
    let Some(desk) = Desk::open(&["kcalc"]) else { return };
    desk.ok(&["launch", "kcalc"]);
    let state = desk.ok(&["state"]);
    assert!(state.contains("region \"0\""), "{state}");
    for (key, shows) in [("7", "7"), ("×", "7"), ("6", "6"), ("=", "42")] {
        let said = desk.run(&["click", "--role", "button", "--name", key]);
        assert!(said.out.contains("by the accessible action `Press`"), "{said:?}");
        assert!(desk.ok(&["state"]).contains(&format!("region \"{shows}\"")), "{key}");
    }
    desk.ok(&["keys", "Escape 1 2 + 3 Enter"]);
    assert!(desk.ok(&["state"]).contains("region \"15\""));
}

#[test]
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
    // A formula reads back as what it comes to.
    let said = desk.not(&["input", &sum, "=B2*2"]);
    assert!(said.contains("it reads back as \"25\""), "{said}");
    for (cell, holds) in [(&number, "12.5"), (&text, "汉字 😀"), (&sum, "25")] {
        assert_eq!(desk.ok(&["get", "value", cell]), holds);
    }
    let said = desk.not(&["close"]);
    assert!(said.contains("it is still there, and may ask something"), "{said}");
    desk.run(&["click", "--role", "button", "--name", "Don’t Save"]);
    let gone = || !desk.ok(&["windows"]).contains("Untitled 1");
    assert!(home::eventually(Duration::from_secs(10), gone), "{}", desk.ok(&["windows"]));
}
