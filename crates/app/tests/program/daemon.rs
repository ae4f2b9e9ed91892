//! The daemon and its protocol, without a browser.

use handeye_testkit::home::{Home, eventually, kill};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

#[test]
fn ping_and_protocol() {
    let home = Home::new();
    let daemon = home.serve("raw");
    let mut talk = daemon.connect();
    let pong = talk.ping();
    assert_eq!(
        pong,
        json!({"status": "ok", "result": "pong", "session": "raw", "pid": daemon.pid(), "version": env!("CARGO_PKG_VERSION"), "url": null})
    );
    // Several requests on one connection, wrong ones among them.
    for (line, code, word) in [
        ("zzz", "bad_request", "expected value"),
        ("", "bad_request", "EOF"),
        ("[1]", "bad_request", "no request"),
        ("{\"args\":{}}", "bad_request", "command"),
        ("{\"command\":\"state\",\"frobs\":1}", "bad_request", "frobs"),
        ("{\"command\":\"state\",\"flags\":{\"settings\":{\"waits\":{\"laod\":1}}}}", "bad_request", "laod"),
        ("{\"command\":\"frobnicate\"}", "bad_request", "frobnicate"),
        ("{\"command\":\"version\"}", "bad_request", "version"),
        ("{\"command\":\"state\"}", "not_found", "nothing is open"),
    ] {
        talk.send(format!("{line}\n").as_bytes());
        let answer = talk.answer();
        assert_eq!(answer["status"], "error", "{line}: {answer}");
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(word), "{line}: {answer}");
    }
    talk.send(b"\xff\xfe\n");
    assert_eq!(talk.answer()["error"]["code"], "bad_request");
    // All at once, answered in order.
    talk.send(b"{\"command\":\"_ping\"}\nzzz\n{\"command\":\"_ping\"}\n");
    let answers = [talk.answer(), talk.answer(), talk.answer()];
    assert_eq!(answers.map(|a| a["status"].as_str().unwrap().to_owned()), ["ok", "error", "ok"]);
}

#[test]
fn large_requests() {
    let home = Home::new();
    let daemon = home.serve("raw");
    let mut talk = daemon.connect();
    // 10 MB of text get as far as the command.
    let text = "\u{1}".repeat(10 * 1024 * 1024);
    let answer = talk.ask(&json!({"command": "input", "args": {"ref": 1, "text": text}}));
    assert_eq!(answer["error"]["code"], "not_found", "{answer}");
    talk.send(&vec![b'x'; 65 * 1024 * 1024]);
    talk.send(b"\n");
    let answer = talk.answer();
    assert_eq!(answer["error"]["code"], "bad_request");
    assert!(answer["error"]["message"].as_str().unwrap().contains("64 MB"), "{answer}");
    assert_eq!(talk.ping()["result"], "pong");
}

#[test]
fn closed_to_others() {
    let home = Home::new();
    let daemon = home.serve("raw");
    let mode = |path: &std::path::Path| std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&home.run_dir()), 0o700);
    assert_eq!(mode(&daemon.socket), 0o600);
    assert_eq!(mode(&home.run_dir().join("raw.json")), 0o600);
}

#[test]
fn shutdown_leaves_nothing() {
    let home = Home::new();
    let mut daemon = home.serve("raw");
    let mut talk = daemon.connect();
    let answer = talk.ask(&json!({"command": "_shutdown"}));
    assert_eq!(answer["status"], "ok");
    // By the time of the answer everything is tidied up.
    assert_eq!(home.left(), [""; 0]);
    daemon.assert_ends();
}

#[test]
fn downloads_outlive_the_session() {
    let home = Home::new();
    let mut daemon = home.serve("raw");
    let own = home.run_dir().join("raw");
    std::fs::create_dir_all(own.join("profile-x/Default")).unwrap();
    std::fs::create_dir_all(own.join("downloads")).unwrap();
    std::fs::write(own.join("downloads/report.pdf"), "it").unwrap();
    daemon.connect().ask(&json!({"command": "_shutdown"}));
    daemon.assert_ends();
    assert_eq!(home.left(), ["raw"]);
    assert!(own.join("downloads/report.pdf").exists() && !own.join("profile-x").exists());
}

#[test]
fn signals_end_it() {
    for signal in ["TERM", "INT", "HUP"] {
        let home = Home::new();
        let mut daemon = home.serve("raw");
        let mut talk = daemon.connect();
        talk.ping();
        kill(daemon.pid(), signal);
        daemon.assert_ends();
        assert_eq!(home.left(), [""; 0], "{signal}");
    }
}

#[test]
fn it_ends_when_its_starter_goes_away_with_nothing_open() {
    let home = Home::new();
    let mut daemon = home.serve("raw");
    drop(daemon.starter.take());
    daemon.assert_ends();
    assert_eq!(home.left(), [""; 0]);
    // A client that stays keeps it.
    let mut daemon = home.serve("raw");
    let mut talk = daemon.connect();
    talk.ping();
    drop(daemon.starter.take());
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(talk.ping()["result"], "pong");
    drop(talk);
    daemon.assert_ends();
}

#[test]
fn idle_exit() {
    let home = Home::new();
    let mut daemon = home.serve("raw");
    let mut talk = daemon.connect();
    talk.ask(&json!({"command": "state", "flags": {"settings": {"waits": {"idle_exit": 0.4}}}}));
    let start = Instant::now();
    // Looking after it is no use of it.
    while daemon.child.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(50));
        if start.elapsed() < Duration::from_millis(300) {
            talk.ping();
        }
    }
    let took = start.elapsed();
    assert!(took > Duration::from_millis(300) && took < Duration::from_secs(3), "it ended after {took:?}");
    assert_eq!(home.left(), [""; 0]);
}

#[test]
fn only_open_starts_a_daemon() {
    let home = Home::new();
    let ran = home.run("state").exit(2);
    assert!(
        ran.err.starts_with("error[not_found]: nothing is open in session `default`\n  try: handeye open URL\n"),
        "{ran:?}"
    );
    assert_eq!(home.left(), [""; 0]);
    let ran = home.run("state --session other").exit(2);
    assert!(ran.err.contains("try: handeye --session other open URL"), "{ran:?}");
}

#[test]
fn a_stale_socket_is_reported_once() {
    let home = Home::new();
    home.run("state"); // makes the folder
    drop(UnixListener::bind(home.run_dir().join("default.sock")).unwrap());
    let ran = home.run("state --json").exit(2);
    assert_eq!(ran.code(), "lost");
    assert_eq!(ran.json()["error"]["hints"][0], "handeye open URL");
    assert_eq!(home.left(), [""; 0]);
    assert_eq!(home.run("state --json").exit(2).code(), "not_found");
}

#[test]
fn a_killed_daemon_is_reported_once() {
    let home = Home::new();
    let mut daemon = home.serve("gone");
    let pid = daemon.pid();
    daemon.child.kill().unwrap();
    daemon.child.wait().unwrap();
    std::fs::create_dir_all(home.run_dir().join("gone/profile")).unwrap();
    let ran = home.run("--session gone get title").exit(2);
    assert!(ran.err.contains(&format!("error[lost]: the daemon of session `gone` died (pid {pid})")), "{ran:?}");
    assert!(ran.err.contains("try: handeye --session gone open URL"), "{ran:?}");
    assert_eq!(home.left(), [""; 0]);
    assert_eq!(home.run("--session gone get title --json").exit(2).code(), "not_found");

    // A list of sessions reports it too.
    let mut daemon = home.serve("gone");
    daemon.child.kill().unwrap();
    daemon.child.wait().unwrap();
    let listed = home.run("sessions list --json").exit(0).json();
    assert_eq!(listed["sessions"][0]["name"], "gone");
    assert_eq!(listed["sessions"][0]["alive"], false);
    assert_eq!(home.run("sessions list --json").exit(0).json()["sessions"], json!([]));
    assert_eq!(home.left(), [""; 0]);
}

#[test]
fn sessions_are_listed_and_stopped() {
    let home = Home::new();
    assert_eq!(home.run("sessions list").exit(0).out, "no session runs\n");
    assert!(!home.run_dir().exists(), "looking must not make the folder");
    assert_eq!(home.run("sessions stop default --json").exit(2).code(), "not_found");
    let (mut a, mut b) = (home.serve("a"), home.serve("b"));
    let ran = home.run("sessions stop").exit(2);
    assert!(ran.err.contains("error[bad_request]: which session is to end isn't said; a, b run"), "{ran:?}");
    assert!(
        ran.err.contains("try: handeye sessions stop a\n") && ran.err.contains("try: handeye sessions stop --all"),
        "{ran:?}"
    );
    let listed = home.run("sessions list --json").exit(0).json();
    let expected = |name: &str, pid: i32| json!({"name": name, "pid": pid, "url": null, "alive": true});
    assert_eq!(listed["sessions"], json!([expected("a", a.pid()), expected("b", b.pid())]));
    home.run("sessions stop a").exit(0);
    a.assert_ends();
    let ran = home.run("sessions stop a --json").exit(2);
    assert_eq!(ran.code(), "not_found");
    // One that doesn't answer is ended by force.
    kill(b.pid(), "STOP");
    let ran = home.run("sessions list").exit(0);
    assert!(ran.out.contains("doesn't answer"), "{ran:?}");
    home.run("sessions stop b").exit(0);
    b.assert_ends();
    assert_eq!(home.left(), [""; 0]);
}

#[test]
fn a_daemon_of_another_version_is_named() {
    let home = Home::new();
    let mut daemon = home.serve("old");
    let record = home.run_dir().join("old.json");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.replace(env!("CARGO_PKG_VERSION"), "0.0.7")).unwrap();
    let ran = home.run("--session old state").exit(2);
    assert!(ran.err.contains("error[unsupported]: session `old` is held by handeye 0.0.7"), "{ran:?}");
    assert!(ran.err.contains("try: handeye sessions stop old"), "{ran:?}");
    home.run("sessions stop old").exit(0);
    daemon.assert_ends();
}

#[test]
fn a_second_daemon_waits_for_the_first() {
    let home = Home::new();
    let first = home.serve("one");
    let serving = std::thread::scope(|scope| {
        let second = scope.spawn(|| home.serve("one"));
        std::thread::sleep(Duration::from_millis(150));
        assert!(!second.is_finished(), "two daemons hold one session");
        first.connect().ask(&json!({"command": "_shutdown"}));
        second.join().unwrap()
    });
    assert_eq!(home.pid("one"), Some(serving.pid()));
    assert_eq!(serving.connect().ping()["pid"], serving.pid());
    assert!(eventually(Duration::from_secs(5), || home.left() == ["one.json", "one.sock"]), "{:?}", home.left());
}

#[test]
fn generated_lines_are_answered_each_and_end_nothing() {
    let samples: Vec<&str> = include_str!("../../../../fixtures/fuzz/requests.jsonl").lines().collect();
    let home = Home::new();
    let mut daemon = home.serve("raw");
    let mut talk = daemon.connect();
    let mut mutator = handeye_testkit::fuzz::Mutator::new(21);
    for trial in 0..handeye_testkit::trials(2000, 100_000) {
        let line = mutator.json(&samples).replace(['\n', '\r'], " ");
        // What starts programs, or ends the session, is what it is for.
        if ["open", "launch", "close", "_shutdown"].iter().any(|word| line.contains(word)) {
            continue;
        }
        talk.send(format!("{line}\n").as_bytes());
        let answer = talk.answer();
        assert!(answer["status"].is_string(), "{trial}: {line} got {answer}");
        assert_ne!(answer["error"]["code"], "bug", "{trial}: {line} got {answer}");
    }
    assert_eq!(talk.ping()["result"], "pong");
    assert!(daemon.child.try_wait().unwrap().is_none());
}
