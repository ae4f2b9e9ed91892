//! Wine's notepad end to end: `cargo xtask test --windows` runs it.

use crate::stage::{self, Stage, eventually};
use handeye_engine::{Action, ClickBy};
use handeye_scene::Delivery;

/// A desktop; none, and a word about it, where notepad is another program of that name.
fn open() -> Option<Stage> {
    if !stage::is_wine() {
        eprintln!("not tested here: each version of Windows has a notepad of its own, and these words are Wine's");
        return None;
    }
    Some(Stage::open_win32())
}

#[test]
fn notepad_is_written_in_saved_and_closed() {
    let Some(mut stage) = open() else { return };
    let window = stage.launch("notepad.exe", &[]).unwrap();
    assert!(window.process.eq_ignore_ascii_case("notepad.exe"), "{window:?}");
    stage.choose_id(&window.id);
    let page = stage.number("textbox", "");
    stage.done(page, Action::Input("first line\n".into()));
    stage.done(page, Action::Focus);
    stage.keys(&["ctrl+End"]);
    stage.done(page, Action::Type { text: "é 漢字 😀\ndone".into(), pace_ms: 0 });
    assert_eq!(stage.text(page), "first line\né 漢字 😀\ndone");
    assert!(matches!(stage.keys(&["ctrl+s"]), Delivery::Delivered { .. }));
    stage.window("Save As");
    let encoding = stage.number("combobox", "Encoding");
    stage.done(encoding, Action::Select(vec!["Unicode (UTF-8)".into()]));
    let file = stage.path("书 é.txt");
    let name = stage.number("textbox", "File name");
    stage.done(name, Action::Input(file.display().to_string()));
    let save = stage.number("button", "Save");
    let receipt = stage.click(save, ClickBy::Best).unwrap();
    assert!(format!("{:?}", receipt.evidence).contains("WindowClosed { title: \"Save As\" }"), "{receipt:?}");
    assert!(eventually(|| file.is_file()));
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(written.trim_start_matches('\u{feff}'), "first line\r\né 漢字 😀\r\ndone");
    let title = stage.list()[0].title.clone();
    assert!(title.starts_with("书 é.txt"), "{title}");
    assert!(stage.close(&title));
}

#[test]
fn notepad_asks_before_it_loses_what_was_written() {
    let Some(mut stage) = open() else { return };
    let window = stage.launch("notepad.exe", &[]).unwrap();
    stage.choose_id(&window.id);
    let page = stage.number("textbox", "");
    stage.done(page, Action::Type { text: "unsaved".into(), pace_ms: 0 });
    assert!(!stage.close(&window.title), "it asks");
    let no = stage.number("button", "No");
    stage.click(no, ClickBy::Best).unwrap();
    assert!(stage.list().is_empty(), "{:?}", stage.list());
}

#[test]
fn notepad_saves_as_by_the_keys_of_its_menu() {
    let Some(mut stage) = open() else { return };
    let window = stage.launch("notepad.exe", &[]).unwrap();
    stage.choose_id(&window.id);
    let page = stage.number("textbox", "");
    stage.done(page, Action::Input("by the menu".into()));
    stage.keys(&["alt+f"]);
    stage.keys(&["a"]);
    stage.window("Save As");
    let file = stage.path("menu.txt");
    let name = stage.number("textbox", "File name");
    stage.done(name, Action::Input(file.display().to_string()));
    let save = stage.number("button", "Save");
    stage.click(save, ClickBy::Best).unwrap();
    assert!(eventually(|| file.is_file()));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "by the menu");
    let title = stage.list()[0].title.clone();
    assert!(stage.close(&title), "nothing is unsaved");
}
