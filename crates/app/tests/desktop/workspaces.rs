//! Windows on workspaces that aren't shown: they are no minimised ones, and are gone to.

use handeye_testkit::desk::Desk;
use handeye_testkit::home::eventually;
use serde_json::Value;
use std::time::Duration;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, PropMode};
use x11rb::wrapper::ConnectionExt as _;

/// What is listed of a window.
fn window(desk: &Desk, title: &str) -> Value {
    let list = desk.json(&["windows"]);
    list["windows"].as_array().unwrap().iter().find(|w| w["title"] == title).unwrap().clone()
}

/// Has the window manager put a window on a workspace, as a person would by its menu.
fn put_on(desk: &Desk, title: &str, workspace: u32) {
    let handle = window(desk, title)["id"].as_str().unwrap().to_owned();
    let handle = u32::from_str_radix(handle.trim_start_matches("0x"), 16).unwrap();
    let (connection, screen) = x11rb::connect(desk.address().display.as_deref()).unwrap();
    let root = connection.setup().roots[screen].root;
    let what = connection.intern_atom(false, b"_NET_WM_DESKTOP").unwrap().reply().unwrap().atom;
    let event = ClientMessageEvent::new(32, handle, what, [workspace - 1, 2, 0, 0, 0]);
    let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    connection.send_event(false, root, to, event).unwrap().check().unwrap();
    let there = || window(desk, title)["workspace"] == workspace;
    assert!(eventually(Duration::from_secs(5), there), "{}", window(desk, title));
}

#[test]
fn a_window_on_another_workspace_is_told_apart_and_gone_to() {
    let Some(desk) = Desk::open(&[]) else { return };
    let _first = desk.panel("First");
    let second = desk.panel("Second");
    let approve = desk.number("button", "Approve");
    put_on(&desk, "First", 2);
    let away = window(&desk, "First");
    assert!(away["minimised"] == false && away["focused"] == false, "{away}");
    assert!(desk.ok(&["windows"]).lines().next_back().unwrap().ends_with(" on workspace 2"));
    let said = desk.problem(&["screenshot", "a.png", "--window", "First"]);
    assert!(said.starts_with("error[blocked]: the window \"First\" is on workspace 2, which isn't shown"), "{said}");

    let said = desk.ok(&["focus", "First"]);
    assert_eq!(said, "focused \"First\": confirmed; focused; workspace 2 is shown now");
    assert!(window(&desk, "First")["workspace"].is_null());
    assert_eq!(window(&desk, "Second")["workspace"], 1);
    assert!(desk.ok(&["screenshot", "a.png"]).starts_with("saved "));

    // What is acted on is gone to as well, and nothing else is hit meanwhile.
    desk.run(&["click", &approve, "--method", "pointer"]);
    second.logs("clicked Approve");
    assert!(window(&desk, "Second")["workspace"].is_null());
    assert_eq!(window(&desk, "First")["workspace"], 2);
}

#[test]
fn what_another_monitor_shows_is_shown_whichever_workspace_is_the_current_one() {
    let Some(desk) = Desk::open(&[]) else { return };
    let _first = desk.panel("First");
    let (connection, screen) = x11rb::connect(desk.address().display.as_deref()).unwrap();
    let root = connection.setup().roots[screen].root;
    let what = connection.intern_atom(false, b"_NET_CURRENT_DESKTOP").unwrap().reply().unwrap().atom;
    // As where another monitor has the keyboard, which shows the second.
    connection.change_property32(PropMode::REPLACE, root, what, AtomEnum::CARDINAL, &[1]).unwrap().check().unwrap();
    let shown = window(&desk, "First");
    assert!(shown["workspace"].is_null() && shown["minimised"] == false, "{shown}");
    assert!(desk.ok(&["screenshot", "a.png", "--window", "First"]).starts_with("saved "));
    assert!(!desk.ok(&["state"]).contains("offscreen"));
    assert!(desk.ok(&["focus", "First"]).starts_with("focused \"First\": confirmed"));
    let now = connection.get_property(false, root, what, AtomEnum::CARDINAL, 0, 1).unwrap().reply().unwrap();
    assert_eq!(now.value32().unwrap().collect::<Vec<_>>(), [1], "no other workspace is turned to");
}

#[test]
fn a_window_may_be_minimised_on_another_workspace() {
    let Some(desk) = Desk::open(&[]) else { return };
    let _first = desk.panel("First");
    let _second = desk.panel("Second");
    desk.ok(&["window", "minimise", "--window", "First"]);
    put_on(&desk, "First", 2);
    let away = window(&desk, "First");
    assert!(away["minimised"] == true && away["workspace"] == 2, "{away}");
    assert!(desk.ok(&["focus", "First"]).contains("workspace 2 is shown now"));
    let here = window(&desk, "First");
    assert!(here["minimised"] == false && here["workspace"].is_null() && here["focused"] == true, "{here}");
    // What isn't shown isn't looked at unless it is named.
    desk.ok(&["close", "--window", "First"]);
    let said = desk.problem(&["state"]);
    assert!(
        said.starts_with("error[not_found]: no window is shown: those that are open are minimised, or on"),
        "{said}"
    );
    assert!(desk.ok(&["state", "--window", "Second"]).starts_with("window \"Second\""));
}
