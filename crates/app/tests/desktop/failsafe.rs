//! The failsafe: a person who puts the pointer into a corner of the screen stops what sends input.

use handeye_testkit::desk::Desk;
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
    for is_on in [true, false] {
        let Some(desk) = Desk::with(&[]) else { return };
        std::fs::write(desk.path("own.toml"), format!("[desktop]\nfailsafe = {is_on}\n")).unwrap();
        desk.ok(&["--config", &desk.path("own.toml"), "open", "desktop:"]);
        let panel = desk.panel("Panel");
        let number = desk.number("button", "Approve");
        point(&desk, 0, 0);
        for line in [&["click", &number][..], &["click-at", "200", "200"], &["keys", "Tab"], &["scroll"]] {
            let code = desk.run(&[line, &["--json"]].concat()).json()["error"]["code"].clone();
            assert_eq!(code == "blocked", is_on, "{line:?}: {code}");
        }
        assert_eq!(panel.log().contains("Approve"), !is_on);
        point(&desk, 300, 300);
        desk.ok(&["click", &number]);
        assert!(panel.log().contains("Approve"));
        // Where its own input has put the pointer is no sign of a person.
        desk.run(&["click-at", "0", "0"]);
        assert_ne!(desk.run(&["keys", "Tab", "--json"]).json()["error"]["code"], "blocked");
    }
}
