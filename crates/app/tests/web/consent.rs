//! What the policy asks of a person: at a terminal it is asked, elsewhere it is denied; a question stands for its call alone.

use handeye_testkit::home::Home;
use handeye_testkit::live::{Live, page};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const PAGE: &str =
    "<title>Bank</title><button id=pay onclick=\"log('paid')\">Pay</button><input id=f aria-label=Amount>";
/// The last words of a question.
const ASKED: &str = "[y/N]";
/// How long anything at the terminal may take here.
const LIMIT: Duration = Duration::from_secs(60);

/// What came of a command at a terminal.
#[derive(Debug)]
pub(crate) struct Terminal {
    /// What the terminal showed.
    pub(crate) shown: String,
    pub(crate) status: Option<i32>,
}

/// Runs a command at a terminal of its own, and types `answer` once it was asked.
pub(crate) fn at_terminal(home: &Home, line: &str, answer: &str) -> Terminal {
    let program = handeye_testkit::home::program();
    let mut command = Command::new("script");
    // Quiet, flushed as it comes, with the command's own exit status.
    command.args(["-qfec", &format!("{} {line}", program.display()), "/dev/null"]);
    let like = home.command::<&str>([]);
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(home.work()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("script, of bsdutils, is there");
    let (mut keyboard, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (told, tells) = mpsc::channel();
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(n @ 1..) = screen.read(&mut chunk) {
            let _ = told.send(String::from_utf8_lossy(&chunk[..n]).into_owned());
        }
    });
    let (mut shown, mut typed, until) = (String::new(), false, Instant::now() + LIMIT);
    loop {
        match tells.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(more) => shown.push_str(&more),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let _ = child.kill();
                panic!("{line}: no end: {shown}");
            }
        }
        if !typed && shown.contains(ASKED) {
            typed = true;
            keyboard.write_all(answer.as_bytes()).unwrap();
            keyboard.flush().unwrap();
        }
    }
    Terminal { shown, status: child.wait().unwrap().code() }
}

fn bank(rules: &str) -> Live {
    let live = Live::closed(|_| page(PAGE));
    live.settings(&format!("[policy]\nask = [{rules}]\n"));
    live.ok(&format!("open {}", live.site.at("/")));
    live
}

#[test]
fn a_person_at_a_terminal_is_asked_and_only_yes_is_consent() {
    let live = bank("\"acts\"");
    let number = live.number("#pay");
    let line = format!("click {number}");
    for (answer, status, log) in
        [("y\n", 0, "paid"), ("yes\n", 0, "paid"), ("n\n", 2, ""), ("\n", 2, ""), ("ja\n", 2, "")]
    {
        let ran = at_terminal(&live.home, &line, answer);
        assert_eq!(ran.status, Some(status), "{answer:?}: {ran:?}");
        live.logged(log);
        let origin = live.site.at("");
        for told in ["`click`", &origin, &format!("[{number}] button \"Pay\""), "acts on the page"] {
            assert!(ran.shown.contains(told), "{told}: {ran:?}");
        }
        assert_eq!(ran.shown.contains("error[denied]"), status == 2, "{ran:?}");
    }
    // Consent held for that call alone.
    assert_eq!(live.run(&format!("{line} --json")).code(), "denied");
    // A browser that reads is not asked about.
    let ran = at_terminal(&live.home, "get title", "");
    assert!(ran.status == Some(0) && !ran.shown.contains(ASKED), "{ran:?}");
    // What is to be typed is said.
    let field = live.number("#f");
    let ran = at_terminal(&live.home, &format!("input {field} 250"), "n\n");
    assert!(ran.shown.contains("text: \"250\"") && ran.status == Some(2), "{ran:?}");
    let ran = at_terminal(&live.home, &format!("fill-form {field}=260"), "n\n");
    let line = ran.shown.lines().find(|line| line.contains(&format!("[{field}]")));
    assert!(line.is_some_and(|line| line.trim().ends_with(": \"260\"")) && ran.status == Some(2), "{ran:?}");
}

#[test]
fn consent_holds_for_an_origin_that_a_rule_names() {
    let live = Live::closed(|_| page(PAGE));
    live.settings(&format!("[policy]\nask = [\"acts@{0}\", \"reads@{0}\"]\n", live.site.at("")));
    live.ok(&format!("open {}", live.site.at("/")));
    assert_eq!(live.run("state --json").code(), "denied");
    let ran = at_terminal(&live.home, "state", "y\n");
    assert!(ran.status == Some(0) && ran.shown.contains("\"Pay\""), "{ran:?}");
    // The page may be acted on, not read: what came of it is told without its texts.
    let ran = at_terminal(&live.home, "click --css '#pay'", "y\n");
    assert!(!ran.shown.contains("error[denied]") && !ran.shown.contains("\"Pay\""), "{ran:?}");
    let ran = at_terminal(&live.home, "get attr --xpath /html data-log", "y\n");
    assert!(ran.shown.contains("paid"), "{ran:?}");
}

#[test]
fn nobody_is_asked_without_a_terminal_and_no_answer_in_time_is_no() {
    let live = bank("\"acts\"");
    let number = live.number("#pay");
    let began = Instant::now();
    let ran = live.run(&format!("click {number} --json"));
    assert_eq!(ran.code(), "denied");
    assert!(ran.err.is_empty() && began.elapsed() < Duration::from_secs(20), "it was not asked: {ran:?}");
    let ran = at_terminal(&live.home, &format!("click {number} --timeout 2"), "");
    assert!(ran.status == Some(2) && ran.shown.contains("error[denied]") && ran.shown.contains("in time"), "{ran:?}");
    // Ctrl-C ends the command, and the call with it.
    let ran = at_terminal(&live.home, &format!("click {number}"), "\u{3}");
    assert_ne!(ran.status, Some(0), "{ran:?}");
    live.logged("");
}

#[test]
fn the_wire_asks_those_who_say_that_they_can_answer() {
    let live = bank("\"acts\"");
    let number = live.number("#pay");
    let socket = live.home.run_dir().join("default.sock");
    let click = |answers: bool| {
        let flags = json!({ "answers": answers, "settings": { "policy": { "ask": ["acts"] } } });
        json!({ "command": "click", "args": { "ref": number }, "flags": flags })
    };
    let mut talk = handeye_testkit::home::Talk::to(&socket);
    let denied = |answer: &Value| assert_eq!(answer["error"]["code"], "denied", "{answer}");
    denied(&talk.ask(&click(false)));
    for (consent, ok) in [(true, true), (false, false)] {
        let asked = talk.ask(&click(true));
        assert_eq!(asked["question"]["command"], "click", "{asked}");
        let id = asked["question"]["id"].as_u64().unwrap();
        // An answer to another question is nobody's, and so is a second one.
        talk.send(format!("{}\n", json!({ "answer": { "id": id + 1, "consent": true } })).as_bytes());
        talk.send(format!("{}\n", json!({ "answer": { "id": id, "consent": consent } })).as_bytes());
        talk.send(format!("{}\n", json!({ "answer": { "id": id, "consent": !consent } })).as_bytes());
        let answer = talk.answer();
        assert_eq!(answer["status"] == "ok", ok, "{answer}");
    }
    live.logged("paid");
    // An answer without a question says nothing, and gets no answer.
    talk.send(b"{\"answer\":{\"id\":1,\"consent\":true}}\n");
    assert_eq!(talk.ping()["result"], "pong");
    // Who goes away while asked takes the call along.
    let asked = talk.ask(&click(true));
    assert!(asked["question"]["id"].is_u64(), "{asked}");
    drop(talk);
    live.logged("");
}
