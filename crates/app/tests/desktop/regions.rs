//! What no tree tells of: borders in the headers of a spreadsheet (LibreOffice Calc), and labels that an app draws itself.

use handeye_testkit::desk::Desk;
use handeye_testkit::home;
use serde_json::Value;
use std::time::Duration;

/// A sheet of three columns, 2.5 cm wide each, as flat XML.
const SHEET: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:automatic-styles><style:style style:name="co1" style:family="table-column"><style:table-column-properties style:column-width="2.5cm"/></style:style></office:automatic-styles>
<office:body><office:spreadsheet><table:table table:name="Sheet1"><table:table-column table:style-name="co1" table:number-columns-repeated="3"/>
<table:table-row><table:table-cell office:value-type="string"><text:p>Name</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Amount</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>State</text:p></table:table-cell></table:table-row>
</table:table></office:spreadsheet></office:body></office:document>"#;

/// The value of an attribute in a start tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split_once(&format!("{name}=\""))?.1.split_once('"').map(|(value, _)| value)
}

/// How wide the second column is in a saved sheet, in pixels of a screen with 96 to the inch.
fn saved_width(sheet: &str) -> Option<f64> {
    let mut columns = sheet.split("<table:table-column ").skip(1).flat_map(|tag| {
        let count = attribute(tag.split('>').next().unwrap_or_default(), "table:number-columns-repeated");
        let times = count.and_then(|n| n.parse().ok()).unwrap_or(1_usize).min(2);
        std::iter::repeat_n(attribute(tag, "table:style-name"), times)
    });
    let named = format!("style:name=\"{}\"", columns.nth(1)??);
    let style =
        sheet.split("<style:style ").find(|style| style.split('>').next().is_some_and(|t| t.contains(&named)))?;
    let width = attribute(style, "style:column-width")?;
    let (number, unit) = width.split_at(width.find(|c: char| c.is_ascii_alphabetic())?);
    let per_inch = match unit {
        "in" => 1.0,
        "cm" => 2.54,
        "mm" => 25.4,
        "pt" => 72.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? / per_inch * 96.0)
}

fn target(state: &Value, role: &str, name: &str) -> Option<Value> {
    state["targets"].as_array()?.iter().find(|t| t["role"] == role && t["name"] == name).cloned()
}

/// Waits until the window, which is laid out anew several times as it comes up, looks the same and tells the same three times.
fn rest(desk: &Desk, cell: &str) {
    let (mut last, mut same) = ((Vec::new(), Value::Null), 0);
    let path = desk.path("window.png");
    let is_still = || {
        let told = [desk.run(&["screenshot", &path]), desk.run(&["get", "rect", cell, "--json"])];
        if told.iter().any(|ran| ran.status != Some(0)) {
            return false;
        }
        let now = (std::fs::read(&path).unwrap(), told[1].json()["value"].clone());
        same = if now == last { same + 1 } else { 0 };
        last = now;
        same >= 2
    };
    assert!(home::eventually(Duration::from_secs(120), is_still), "{}", desk.ok(&["windows"]));
}

#[test]
fn a_column_in_libreoffice_calc_is_made_wider_by_its_border() {
    let Some(desk) = Desk::open(&["localc"]) else { return };
    let file = desk.path("sheet.fods");
    std::fs::write(&file, SHEET).unwrap();
    desk.run(&["launch", "localc", "--norestore", "--nologo", "--nofirststartwizard", &file]);
    let is_there = || desk.run(&["find", "--role", "gridcell", "--name", "B2"]).status == Some(0);
    assert!(home::eventually(Duration::from_secs(90), is_there), "{}", desk.ok(&["windows"]));
    let cell = desk.number("gridcell", "B2");
    rest(&desk, &cell);
    // Until a cell was entered, Calc tells of all of them where they were before its menu bar came up.
    desk.run(&["click", &cell]);
    rest(&desk, &cell);
    let border = target(&desk.json(&["state", "--infer"]), "column border", "right of B").unwrap();
    assert_eq!(border["source"], "structure");
    let side = |i: usize| border["rect"][i].as_f64().unwrap();
    let number = border["ref"].to_string();
    let to = format!("{},{}", side(0) + 50.0, side(1) + side(3) / 2.0);
    let told = desk.json(&["drag", &number, "--to", &to]);
    assert_eq!(told["verdict"], "confirmed", "{told:#}");
    let sizes: Vec<&Value> = told["evidence"].as_array().unwrap().iter().filter(|e| e["property"] == "width").collect();
    assert_eq!(sizes.len(), 1, "{told:#}");
    // Where it was there is no border any more.
    let said = desk.problem(&["drag", &number, "--to", &to]);
    assert!(said.starts_with("error[stale]"), "{said}");

    // What the program itself takes its columns to be is in its file.
    let before = saved_width(SHEET).unwrap();
    desk.run(&["keys", "ctrl+s"]);
    let saved = || saved_width(&std::fs::read_to_string(&file).unwrap_or_default());
    let is_saved = || saved().is_some_and(|width| (width - before).abs() > 1.0);
    assert!(home::eventually(Duration::from_secs(30), is_saved), "{:?}: {}", saved(), desk.ok(&["state"]));
    let wider = saved().unwrap() - before;
    assert!((wider - 50.0).abs() < 8.0, "it was dragged by 50 pixels and is {wider} wider");
}

/// Reads what is drawn in the window, and gives the number of a label in it.
fn label(desk: &Desk, name: &str) -> Value {
    let state = desk.json(&["state", "--ocr", "--timeout", "120"]);
    let found: Vec<&Value> =
        state["targets"].as_array().unwrap().iter().filter(|t| t["name"] == name && t["source"] != "native").collect();
    assert_eq!(found.len(), 1, "{name}: {state:#}");
    found[0].clone()
}

#[test]
fn a_drawn_label_is_pressed_as_it_was_shown_in_its_own_window_or_not_at_all() {
    let Some(desk) = Desk::with(&["python3"]) else { return };
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("models");
    let own = desk.home.path().join(".config/handeye");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("handeye.toml"), format!("[models]\nfolder = {folder:?}\n")).unwrap();
    desk.ok(&["open", "desktop:"]);
    let mut board = desk.fixture("drawn.py", "Board");
    let pressed = |board: &handeye_testkit::desk::Panel| -> Vec<String> {
        let log = board.log();
        log.lines().filter(|l| l.starts_with("pressed") || l.starts_with("released")).map(str::to_owned).collect()
    };
    let is_open = |title: &str| desk.ok(&["windows"]).contains(title);
    let away = || desk.run(&["hover-at", "1200", "1000"]);

    // Another window lies over it: neither pressed, nor dropped on.
    let (approve, send) = (label(&desk, "Approve"), label(&desk, "Send"));
    let number = |label: &Value| label["ref"].to_string();
    let over = |label: &Value| {
        let side = |i: usize| label["rect"][i].as_f64().unwrap();
        format!("cover {} {} {} {}", side(0) - 10.0, side(1) - 10.0, side(2) + 20.0, side(3) + 20.0)
            .split(' ')
            .map(|word| word.split('.').next().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    board.tell_whole(&over(&approve));
    assert!(home::eventually(Duration::from_secs(20), || is_open("Cover")));
    let said = desk.problem(&["click", &number(&approve)]);
    assert!(said.starts_with("error[blocked]"), "{said}");
    board.tell_whole("uncover");
    assert!(home::eventually(Duration::from_secs(20), || !is_open("Cover")));
    board.tell_whole(&over(&send));
    assert!(home::eventually(Duration::from_secs(20), || is_open("Cover")));
    let said = desk.problem(&["drag", &number(&approve), "--to", &number(&send)]);
    assert!(said.starts_with("error[blocked]"), "{said}");
    assert_eq!(pressed(&board), Vec::<String>::new());
    board.tell_whole("uncover again");
    assert!(home::eventually(Duration::from_secs(20), || !is_open("Cover")));
    desk.run(&["drag", &number(&approve), "--to", &number(&send)]);
    assert_eq!(pressed(&board), ["pressed Approve", "released Send"]);

    // What the pointer brings about.
    for (way, code, presses) in [("recolour", None, 4), ("moving", Some("blocked"), 4), ("swap", Some("stale"), 4)] {
        away();
        board.tell_whole(way);
        let approve = number(&label(&desk, "Approve"));
        let ran = desk.run(&["click", &approve]);
        assert_eq!(ran.err.strip_prefix("error[").and_then(|e| e.split(']').next()), code, "{way}: {ran:?}");
        assert_eq!(pressed(&board).len(), presses, "{way}: {}", board.log());
    }

    // What is drawn in a dialog is the dialog's.
    board.tell_whole("dialog");
    assert!(home::eventually(Duration::from_secs(20), || is_open("Question")));
    let (path, mut last, mut same) = (desk.path("question.png"), Vec::new(), 0);
    let is_still = || {
        desk.run(&["screenshot", &path]);
        let now = std::fs::read(&path).unwrap_or_default();
        same = if now == last { same + 1 } else { 0 };
        last = now;
        same >= 3
    };
    assert!(home::eventually(Duration::from_secs(60), is_still));
    let undelete = label(&desk, "Undelete");
    let ran = desk.run(&["click", &number(&undelete)]);
    assert_eq!(pressed(&board).last().map(String::as_str), Some("released Undelete"), "{ran:?} {undelete}");
}
