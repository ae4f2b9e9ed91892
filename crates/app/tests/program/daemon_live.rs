//! Sessions with a real browser: starting, queueing, ending, dying.

use handeye_testkit::home::{self, Home, Talk, eventually, finish, kill};
use serde_json::json;
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const PAGE: &str = "data:text/html,<title>Here</title><button>Go</button>";

/// A server that takes connections and says nothing. Its address.
fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    (listener, address)
}

#[test]
fn close_leaves_nothing() {
    let home = Home::new();
    let ran = home.run(&format!("open {PAGE}")).exit(0);
    assert!(ran.out.starts_with("opened \"Here\""), "{ran:?}");
    assert_eq!(home.run("get title").exit(0).out, "Here\n");
    let listed = home.run("sessions list --json").exit(0).json();
    assert!(listed["sessions"][0]["url"].as_str().unwrap().starts_with("data:text/html,"), "{listed}");
    home.run("close").exit(0);
    assert_eq!(home.left(), [""; 0], "files are left when `close` returns");
    home.assert_nothing_left();
    assert!(home.run("get title").exit(2).err.contains("error[not_found]"));
}

#[test]
fn two_that_start_at_once_share_one_daemon_and_queue() {
    let home = Home::new();
    let opens: Vec<_> = (0..2)
        .map(|_| home.command(["open", PAGE]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    for open in opens {
        finish(open).exit(0);
    }
    let listed = home.run("sessions list --json").exit(0).json();
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1, "{listed}");
    let daemons = home.processes().into_iter().filter(|pid| {
        std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default().windows(6).any(|w| w == b"_serve")
    });
    assert_eq!(daemons.count(), 1);

    // One command waits for the one before it; a ping for none.
    let start = Instant::now();
    let wait = home.command(["wait", "4"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let pong = Talk::to(&home.run_dir().join("default.sock")).ping();
    assert_eq!((&pong["result"], &pong["url"]), (&json!("pong"), &json!(null)));
    assert!(start.elapsed() < Duration::from_secs(3), "the ping waited");
    assert_eq!(home.run("get title").exit(0).out, "Here\n");
    assert!(start.elapsed() >= Duration::from_secs(4), "the command did not wait");
    finish(wait).exit(0);

    // A client that goes away takes its command with it.
    let mut wait = home.command(["wait", "30"]).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(200));
    kill(i32::try_from(wait.id()).unwrap(), "INT");
    assert!(!wait.wait().unwrap().success());
    let start = Instant::now();
    assert_eq!(home.run("get title").exit(0).out, "Here\n");
    assert!(start.elapsed() < Duration::from_secs(15), "the command goes on without its client");
    home.run("sessions stop default").exit(0);
    home.assert_nothing_left();
}

#[test]
fn a_killed_daemon_is_reported_and_its_browser_reaped() {
    let home = Home::new();
    home.run(&format!("open {PAGE}")).exit(0);
    let pid = home.pid("default").unwrap();
    let browsers = || home.processes().into_iter().filter(|p| *p != pid).count();
    assert!(browsers() > 0);
    kill(pid, "KILL");
    let lost = |line: &str| {
        let ran = home.run(line).exit(2);
        assert!(ran.err.contains(&format!("error[lost]: the daemon of session `default` died (pid {pid})")), "{ran:?}");
        assert!(ran.err.contains("try: handeye open URL"), "{ran:?}");
    };
    assert!(eventually(Duration::from_secs(5), || !std::path::Path::new(&format!("/proc/{pid}/exe")).exists()));
    lost("click 1");
    home.assert_nothing_left();
    // The command that recovers.
    home.run(&format!("open {PAGE}")).exit(0);
    assert_eq!(home.run("get title").exit(0).out, "Here\n");
    // Killed while a command runs.
    let wait = home.command(["wait", "30"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    kill(home.pid("default").unwrap(), "KILL");
    assert!(finish(wait).exit(2).err.contains("error[lost]: the daemon of session `default` died"));
    home.assert_nothing_left();
    home.run(&format!("open {PAGE}")).exit(0);
    // Killed again, `open` alone recovers, and the old browser is gone.
    let pid = home.pid("default").unwrap();
    kill(pid, "KILL");
    home.run(&format!("open {PAGE}")).exit(0);
    assert_ne!(home.pid("default"), Some(pid));
    home.run("close").exit(0);
    home.assert_nothing_left();
}

#[test]
fn a_daemon_that_is_told_to_end_takes_its_browser_along() {
    let home = Home::new();
    home.run(&format!("open {PAGE}")).exit(0);
    kill(home.pid("default").unwrap(), "TERM");
    home.assert_nothing_left();
    assert!(home.run("state").exit(2).err.contains("error[not_found]"), "an orderly end is no loss");
}

#[test]
fn interrupting_the_first_open_leaves_nothing() {
    let (_server, address) = silent();
    // Soon, while the daemon or the browser starts, and later, while the page doesn't come.
    for after in [30, 150, 400, 2500] {
        let home = Home::new();
        let mut open = home.command(["open", &address]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(after));
        kill(i32::try_from(open.id()).unwrap(), "INT");
        assert!(!open.wait().unwrap().success());
        home.assert_nothing_left();
    }
}

#[test]
fn interrupting_a_later_open_keeps_the_session() {
    let (_server, address) = silent();
    let home = Home::new();
    home.run(&format!("open {PAGE}")).exit(0);
    let mut open = home.command(["open", &address]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    kill(i32::try_from(open.id()).unwrap(), "INT");
    open.wait().unwrap();
    let pid = home.pid("default");
    home.run(&format!("open {PAGE}")).exit(0);
    assert_eq!(home.run("get title").exit(0).out, "Here\n");
    assert_eq!(home.pid("default"), pid, "the session was replaced");
    home.run("close").exit(0);
}

#[test]
fn idle_sessions_end() {
    let home = Home::new();
    std::fs::write(home.work().join("handeye.toml"), "[waits]\nidle_exit = 1\n").unwrap();
    home.run(&format!("open {PAGE}")).exit(0);
    // A command that runs is no idleness.
    home.run("wait 1.5").exit(0);
    assert_eq!(home.run("get title").exit(0).out, "Here\n");
    home.assert_nothing_left();
    assert!(home.run("state").exit(2).err.contains("error[not_found]"));
}

#[test]
fn a_browser_that_is_missing_leaves_no_daemon() {
    let home = Home::new();
    let mut command = home.command(["open", PAGE, "--json"]);
    command.env("HANDEYE_BROWSER", "/nowhere/chromium");
    let ran = home::run(command).exit(2);
    assert_eq!(ran.code(), "unavailable");
    assert!(ran.out.contains("/nowhere/chromium"), "{ran:?}");
    home.assert_nothing_left();
    // The flag goes over the environment.
    let mut command = home.command(["open", PAGE, "--json", "--browser", "/elsewhere/chromium"]);
    command.env("HANDEYE_BROWSER", "/nowhere/chromium");
    assert!(home::run(command).exit(2).out.contains("/elsewhere/chromium"));
    home.assert_nothing_left();
}

#[test]
fn doctor_finds_rules_that_every_call_would_be_refused_under() {
    let home = Home::new();
    for (rule, ok) in [("acts:button:Delete*", true), ("acts:buton:Delete*", false), ("actz", false)] {
        std::fs::write(home.work().join("handeye.toml"), format!("[policy]\ndeny = [\"{rule}\"]\n")).unwrap();
        let checks = home.run("doctor --json").json()["checks"].clone();
        let found = checks.as_array().unwrap().iter().find(|c| c["name"] == "configuration").unwrap();
        assert_eq!(found["ok"], ok, "{rule}: {found}");
    }
}

#[test]
fn doctor_finds_all_well() {
    let home = Home::new();
    let ran = home.run("doctor --json");
    let checks = ran.json()["checks"].as_array().unwrap().clone();
    for needed in ["configuration", "sockets", "browser", "launch"] {
        let check =
            checks.iter().find(|c| c["name"] == needed).unwrap_or_else(|| panic!("no check of {needed}: {ran:?}"));
        assert_eq!(check["ok"], true, "{check}");
    }
    let all = checks.iter().all(|c| c["ok"] == true);
    assert_eq!(ran.status, Some(if all { 0 } else { 1 }));
    assert!(checks.iter().all(|c| c["ok"] == true || c["remedy"].is_string()), "{ran:?}");
    home.assert_nothing_left();
    // One that isn't well: cause, remedy, exit status.
    let mut command = home.command(["doctor"]);
    command.env("HANDEYE_BROWSER", "/nowhere/chromium");
    let ran = home::run(command).exit(1);
    assert!(
        ran.out.contains("FAIL browser: ") && ran.out.contains("/nowhere/chromium") && ran.out.contains("try: "),
        "{ran:?}"
    );
}

#[test]
fn interrupting_an_open_ends_its_navigation() {
    let live_server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", live_server.local_addr().unwrap());
    let (asked, was_asked) = std::sync::mpsc::channel();
    let unwanted = Arc::new(AtomicBool::new(false));
    let answers = unwanted.clone();
    std::thread::spawn(move || {
        for stream in live_server.incoming().map_while(Result::ok) {
            let (asked, answers) = (asked.clone(), answers.clone());
            std::thread::spawn(move || {
                use std::io::{Read, Write};
                let mut stream = stream;
                let _ = stream.read(&mut [0; 4096]);
                let _ = asked.send(());
                // It answers once nobody wants it any more.
                eventually(Duration::from_secs(60), || answers.load(Ordering::Relaxed));
                let page = "<title>Late</title>";
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
                    page.len()
                );
            });
        }
    });
    let home = Home::new();
    home.run(&format!("open {PAGE}")).exit(0);
    let pid = home.pid("default");
    let mut open = home.command(["open", &address]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    was_asked.recv_timeout(Duration::from_secs(20)).unwrap();
    let start = Instant::now();
    kill(i32::try_from(open.id()).unwrap(), "INT");
    assert!(!open.wait().unwrap().success());
    assert_eq!(home.run("get title").exit(0).out, "Here\n");
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "the navigation held up the next command: {:?}",
        start.elapsed()
    );
    unwanted.store(true, Ordering::Relaxed);
    home.run("wait 3").exit(0);
    assert_eq!(home.run("get title").exit(0).out, "Here\n", "the navigation went on");
    assert_eq!(home.pid("default"), pid);
    home.run("close").exit(0);
}

#[test]
fn a_daemon_that_was_stopped_is_told_of_in_time() {
    let home = Home::new();
    home.run(&format!("open {PAGE}")).exit(0);
    let pid = home.pid("default").unwrap();
    kill(pid, "STOP");
    let long = "x".repeat(100_000);
    // More than any socket takes before somebody reads it: the writing ends in time, too.
    let line = format!("type {}\n", "x".repeat(60_000));
    let list = home.work().join("list");
    std::fs::write(&list, line.repeat(30)).unwrap();
    // All at once: each waits for itself.
    let start = Instant::now();
    let [short, large, list] =
        [vec!["get", "title"], vec!["type", &long], vec!["batch", "list", "--json"]].map(|line| {
            let mut command = home.command(&line);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        });
    for child in [short, large] {
        let ran = finish(child).exit(2);
        assert!(ran.err.starts_with("error[timeout]: the daemon of session `default` doesn't answer"), "{ran:?}");
        assert!(ran.err.contains("try: handeye sessions stop default"), "{ran:?}");
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    }
    let ran = finish(list).exit(2);
    assert_eq!(ran.code(), "timeout", "{}", ran.out);
    assert!(ran.out.contains("doesn't answer"), "{}", ran.out);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    kill(pid, "CONT");
    assert_eq!(home.run("get title").exit(0).out, "Here\n");
    home.run("close").exit(0);
}
