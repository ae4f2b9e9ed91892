//! Win32 windows, driven through the act loop as every command does: `cargo xtask test --windows` runs it.
#![cfg(windows)]
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod stage;

use stage::Stage;

#[test]
fn windows_are_listed_with_what_they_hold() {
    let mut stage = Stage::open();
    let panel = stage.panel("Panel");
    let list = stage.list();
    let of = |title: &str| list.iter().find(|w| w.title == title).unwrap_or_else(|| panic!("{title}: {list:?}"));
    assert_eq!(of("Panel").process, "panel.exe");
    assert_eq!(of("Panel").pid, panel.pid());
    assert!(of("Panel far").rect.x < 0.0 && of("Panel far").rect.y < 0.0, "{list:?}");
    stage.choose("Panel");
    let lines = stage.state();
    for line in [
        r#"textbox "Name" focused"#,
        r#"textbox "Fixed" = "as it is" readonly"#,
        r#"checkbox "Keep a copy""#,
        r#"radio "A4" checked"#,
        r#"combobox "Size" collapsed"#,
        r#"option "row 1""#,
        r#"option "row 40" off-screen"#,
        r#"slider "Level" = "0""#,
        r#"button "Approve""#,
        r#"button "Never" disabled"#,
    ] {
        assert!(lines.lines().any(|l| l == line), "{line}\n{lines}");
    }
}
