//! The failsafe: a person who puts the pointer into a corner of the screen stops what sends input.

use handeye_testkit::desk::Desk;
use handeye_testkit::home::eventually;
use std::time::Duration;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::ConnectionExt as _;

/// Puts the pointer somewhere, as a person would: by none of our connections.
fn point(desk: &Desk, x: i16, y: i16) {
    let (connection, screen) = x11rb::connect(desk.address().display.as_deref()).unwrap();
    let root = connection.setup().roots[screen].root;
    connection.warp_pointer(x11rb::NONE, root, 0, 0, 0, 0, x, y).unwrap().check().unwrap();
}

#[test]
fn a_pointer_in_a_corner_stops_input_until_it_is_moved_away() {
    let Some(desk) = Desk::with(&[]) else { return };
    std::fs::write(desk.path("own.toml"), "[desktop]\nfailsafe = true\n").unwrap();
    desk.ok(&["--config", &desk.path("own.toml"), "open", "desktop:"]);
    let panel = desk.panel("Panel");
    let number = desk.number("button", "Approve");
    point(&desk, 0, 0);
    for line in [&["click", &number][..], &["click-at", "200", "200"], &["keys", "Tab"], &["scroll"]] {
        assert_eq!(desk.run(&[line, &["--json"]].concat()).code(), "blocked", "{line:?}");
    }
    assert!(!panel.log().contains("clicked Approve"));
    point(&desk, 300, 300);
    desk.run(&["click", &number]);
    let is_clicked = || panel.log().contains("clicked Approve");
    assert!(eventually(Duration::from_secs(10), is_clicked), "{}", panel.log());
}
