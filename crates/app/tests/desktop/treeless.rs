//! Windows of which no accessibility tree tells: their pixels say what a gesture did.

use handeye_testkit::desk::Desk;
use handeye_testkit::home::{self, Ran};
use handeye_testkit::is_full;
use handeye_testkit::models::{Answer, ModelServer, seen};
use serde_json::{Value, json};

/// Verdict and kinds of evidence of a command.
fn judged(desk: &Desk, words: &[&str]) -> (String, Vec<String>) {
    let told: Value = serde_json::from_str(&desk.run(&[words, &["--json"]].concat()).out).unwrap();
    let kinds = told["evidence"].as_array().into_iter().flatten().filter_map(|e| e["kind"].as_str());
    (told["verdict"].as_str().unwrap_or_default().to_owned(), kinds.map(str::to_owned).collect())
}

/// The middle of a field of the window, on the screen.
fn place(desk: &Desk, x: f64) -> [String; 2] {
    let told = desk.json(&["windows"]);
    let windows = told["windows"].as_array().unwrap();
    let rect = &windows.iter().find(|w| w["title"] == "Treeless").unwrap()["rect"];
    let at = |side: usize| rect[side].as_f64().unwrap();
    [(at(0) + x + 60.0).to_string(), (at(1) + 100.0).to_string()]
}

#[test]
fn what_a_window_without_a_tree_shows_tells_what_was_done() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut panel = desk.fixture("treeless.py", "Treeless");
    let state = desk.ok(&["state"]);
    assert!(state.contains("no_tree"), "{state}");
    let (live, dead) = (place(&desk, 40.0), place(&desk, 240.0));
    let drawn = ("confirmed".to_owned(), vec!["drawn".to_owned()]);
    let nothing = ("unverifiable".to_owned(), Vec::new());
    let at = |place: &[String; 2]| judged(&desk, &["click-at", &place[0], &place[1]]);
    assert_eq!(at(&live), drawn);
    assert_eq!(at(&dead), nothing);
    assert_eq!(judged(&desk, &["keys", "a"]), drawn);
    assert_eq!(judged(&desk, &["keys", "b"]), nothing);
    if is_full() {
        assert_eq!(judged(&desk, &["drag-at", &live[0], &live[1], &dead[0], &dead[1]]), drawn);
        assert_eq!(judged(&desk, &["drag-at", &dead[0], &dead[1], &live[0], &live[1]]), nothing);
    }
    for kind in ["moving", "clock", "caret"] {
        panel.tell(kind);
        assert_eq!(at(&dead), nothing, "{kind}");
        if is_full() {
            assert_eq!(judged(&desk, &["keys", "b"]), nothing, "{kind}");
        }
    }
    panel.tell("moving");
    assert_eq!(at(&live), nothing, "nobody can say which of what changes comes of it");
    panel.tell("still");
    assert_eq!(at(&live), drawn);
    let log = panel.log();
    let pressed = |name: &str| log.lines().filter(|l| *l == format!("pressed {name}")).count();
    let presses = if is_full() { (4, 5) } else { (3, 4) };
    assert_eq!((pressed("live"), pressed("dead")), presses, "{log}");
}

#[test]
fn a_window_without_a_tree_that_something_lies_on_tells_nothing() {
    let Some(desk) = Desk::open(&[]) else { return };
    let mut other = desk.fixture("drawn.py", "Other");
    let panel = desk.fixture("treeless.py", "Treeless");
    let (live, beside) = (place(&desk, 40.0), place(&desk, 440.0));
    // It lies on a part that nothing is done to.
    other.tell_whole(&format!("cover {} {} 30 30", beside[0], beside[1]));
    let words = ["click-at", &live[0], &live[1], "--window", "Treeless"];
    assert_eq!(judged(&desk, &words), ("unverifiable".to_owned(), Vec::new()));
    panel.logs("pressed live");
    other.tell_whole("uncover");
    assert_eq!(judged(&desk, &words), ("confirmed".to_owned(), vec!["drawn".to_owned()]));
}

/// A command by which models are asked.
fn asking(desk: &Desk, words: &[&str]) -> Ran {
    home::run(desk.command(&[words, &["--json"]].concat()))
}

#[test]
fn what_a_model_sees_in_a_window_without_a_tree_is_acted_on_while_it_looks_the_same() {
    let Some(desk) = Desk::open(&[]) else { return };
    // All fields have one colour at first; the left one is what a press of changes.
    let server = ModelServer::new(|asked| {
        let found = seen(&asked.pictures[0], [0x1f, 0x6f, 0xeb]).map(|sides| sides.map(|side| side as i64));
        let Some([left, top, _, bottom]) = found else { return Answer::Say("[]".into()) };
        let field = |name: &str, from: i64| json!({"role": "button", "name": name, "box": [from, top, from + 120, bottom], "confidence": 0.9});
        Answer::Say(json!([field("Live", left), field("Dead", left + 200)]).to_string())
    });
    let own = desk.home.path().join(".config/handeye");
    std::fs::create_dir_all(&own).unwrap();
    let settings = format!("[models]\nurl = \"{}\"\nmodel = \"eye-1\"\nattempts = 1\n", server.url());
    std::fs::write(own.join("handeye.toml"), settings).unwrap();
    let panel = desk.fixture("treeless.py", "Treeless");
    let state = asking(&desk, &["state", "--vision"]).json();
    let numbered = |name: &str| {
        let all = state["targets"].as_array().unwrap();
        let found = all.iter().find(|t| t["name"] == name && t["source"] == "vision");
        found.unwrap_or_else(|| panic!("{state:#}"))["ref"].to_string()
    };
    let (live, dead) = (numbered("Live"), numbered("Dead"));
    // Another window is in front by now: the number's own is gone to.
    let other = desk.fixture("drawn.py", "Other");
    let told = asking(&desk, &["click", &dead]);
    assert_eq!((told.status, &told.json()["verdict"]), (Some(1), &"unverifiable".into()), "{told:?}");
    panel.logs("pressed dead");
    let told = asking(&desk, &["click", &live]).json();
    assert_eq!((&told["verdict"], &told["evidence"][0]["kind"]), (&"confirmed".into(), &"drawn".into()), "{told:#}");
    panel.logs("pressed live");
    // It has another colour since.
    assert_eq!(asking(&desk, &["click", &live]).code(), "stale");
    let log = panel.log();
    assert_eq!(log.lines().filter(|line| line.starts_with("pressed")).count(), 2, "{log}");
    assert!(!other.log().contains("pressed"), "{}", other.log());
}
