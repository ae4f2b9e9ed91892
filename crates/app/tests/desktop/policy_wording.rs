//! Rules about what may be pressed hold for windows, too: by role and name, before the action.

use handeye_testkit::desk::Desk;

/// The middle of a target.
fn middle(desk: &Desk, number: &str) -> [String; 2] {
    let rect = desk.json(&["get", "rect", number])["value"].clone();
    let side = |i: usize| rect[i].as_f64().unwrap_or_else(|| panic!("{rect}"));
    [side(0) + side(2) / 2.0, side(1) + side(3) / 2.0].map(|pixels| pixels.round().to_string())
}

#[test]
fn no_way_leads_to_a_denied_button_of_a_window_and_its_neighbour_works() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.panel("Panel");
    let (go, keep) = (desk.number("button", "Approve"), desk.number("checkbox", "Keep a copy"));
    let (to_go, to_keep) = (middle(&desk, &go), middle(&desk, &keep));
    let rule = "[policy]\ndeny = [\"acts:button:*approve*\"]\n";
    std::fs::write(desk.home.work().join("handeye.toml"), rule).unwrap();
    let denied = |words: &[&str]| {
        let said = desk.problem(words);
        assert!(said.starts_with("error[denied]") && said.contains("*approve*"), "{words:?}: {said}");
    };
    denied(&["click", &go]);
    denied(&["click", &go, "--method", "pointer", "--expect-any"]);
    denied(&["click-at", &to_go[0], &to_go[1], "--expect-any"]);
    denied(&["drag-at", &to_keep[0], &to_keep[1], &to_go[0], &to_go[1], "--expect-any"]);
    desk.ok(&["focus", &go]);
    denied(&["keys", "Enter"]);
    denied(&["keys", "Space", "--expect-any"]);
    // Nobody can say what these would press.
    denied(&["keys", "Tab Space"]);
    for raw in [&["mouse", "down"][..], &["keydown", "Enter"]] {
        let said = desk.problem(raw);
        assert!(said.starts_with("error[denied]"), "{raw:?}: {said}");
    }
    assert!(!panel.log().contains("clicked"), "{}", panel.log());

    desk.ok(&["click", &keep]);
    panel.logs("keep True");
    desk.run(&["click-at", &to_keep[0], &to_keep[1]]);
    panel.logs("keep False");
    desk.ok(&["focus", &desk.number("textbox", "Name")]);
    desk.ok(&["type", "Ann"]);
    panel.logs("name Ann");
}
