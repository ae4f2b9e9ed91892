//! `locate` on a window: a model server looks at the pictures it gets, and the app's own log judges what was clicked.

use handeye_testkit::desk::Desk;
use handeye_testkit::home;
use handeye_testkit::models::{Eye, ModelServer, Truth};
use serde_json::Value;

fn rect(value: &Value) -> [f64; 4] {
    let sides: Vec<f64> = value.as_array().unwrap().iter().map(|side| side.as_f64().unwrap()).collect();
    sides.try_into().unwrap()
}

#[test]
fn a_button_of_a_gtk_app_is_found_and_clicked() {
    let Some(desk) = Desk::open(&[]) else { return };
    let panel = desk.panel("Panel");
    let own = desk.home.path().join(".config/handeye");
    std::fs::create_dir_all(&own).unwrap();
    let button = rect(&desk.json(&["inspect", &desk.number("button", "Approve")])["rect"]);
    let area = rect(&desk.json(&["screenshot", &desk.path("window.png")])["area"]);
    let part =
        [(button[0] - area[0]) / area[2], (button[1] - area[1]) / area[3], button[2] / area[2], button[3] / area[3]];
    for (wire, error, seed) in [("openai", 0.0, 1), ("anthropic", 0.05, 5)] {
        let eye = Eye::new(Truth::Part(part), error, seed);
        let server = ModelServer::new(move |asked| eye.look(asked));
        let text =
            format!("[models]\nurl = \"{}\"\nwire = \"{wire}\"\nmodel = \"eye-1\"\nerror = 0.05\n", server.url());
        std::fs::write(own.join("handeye.toml"), text).unwrap();
        let before = panel.log().matches("clicked Approve").count();
        let words = ["locate", "the button to approve", "--act", "click", "--expect", "Approve", "--json"];
        let ran = home::run(desk.command(&words));
        let told = ran.json();
        assert_eq!(told["element"]["name"], "Approve", "{wire}: {told}");
        // Nothing of the window changes by it: the app's log is what tells.
        assert_eq!(told["receipt"]["action"], "clicked", "{wire}: {told}");
        assert!(server.asked().len() <= 6, "{wire}: {told}");
        assert_eq!(panel.log().matches("clicked Approve").count(), before + 1, "{wire}: {}", panel.log());
        assert!(server.asked().iter().all(|asked| asked.is_anthropic == (wire == "anthropic")));
    }
}
