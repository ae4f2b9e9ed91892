//! Browsers that are missing, killed or crashed, and places that can't be written to: a problem that names the way on, never
//! a blank page in silence.

use handeye_testkit::Sample;
use handeye_testkit::home::{self, Home, Talk, eventually, kill};
use handeye_testkit::live::{Answer, Live, page};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn route(_: &str) -> Answer {
    page("<title>Page</title><button id=plain onclick=\"log('plain')\">Plain</button>")
}

#[test]
fn a_browser_that_is_killed_is_lost_until_something_is_opened() {
    let live = Live::open(route);
    let browser = || -> i32 {
        let note = std::fs::read(live.home.run_dir().join("default/browser.json")).unwrap();
        serde_json::from_slice::<Value>(&note).unwrap()["pid"].as_i64().unwrap().try_into().unwrap()
    };
    live.ok("state");
    // A command that acts and one that shows; the others are alike.
    let mut sample = Sample::one_in(4).beginning_at(1);
    for line in ["get title", "click 1", "state", "tabs list", "reload", "screenshot x.png", "wait --idle"] {
        if !sample.takes() {
            continue;
        }
        let pid = browser();
        kill(pid, "KILL");
        assert!(eventually(Duration::from_secs(5), || !std::path::Path::new(&format!("/proc/{pid}/exe")).exists()));
        let start = Instant::now();
        let said = live.problem(line);
        assert!(
            said.starts_with("error[lost]: the browser is gone") && said.contains("try: handeye open "),
            "{line}: {said}"
        );
        assert!(live.problem("get title").starts_with("error[lost]: "), "a blank page took the place of what was lost");
        assert!(start.elapsed() < Duration::from_secs(12), "{line}: {:?}", start.elapsed());
        live.ok(&format!("open {}", live.site.at("/")));
        assert_eq!(live.ok("get title"), "Page");
    }
    // While a command runs.
    let wait =
        live.home.command(["wait", "--text", "never"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(eventually(Duration::from_secs(5), || Talk::to(&live.home.run_dir().join("default.sock")).ping()["url"]
        .is_null()));
    kill(browser(), "KILL");
    let ran = home::finish(wait).exit(2);
    assert!(ran.err.starts_with("error[lost]: "), "{ran:?}");
    live.ok("close");
    live.home.assert_nothing_left();
}

#[test]
fn a_page_that_crashes_comes_back_by_reload() {
    let live = Live::open(route);
    let number = live.number("#plain");
    // Every renderer of this browser, which is this test's own.
    for pid in live.home.processes() {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains("--type=renderer") {
            kill(pid, "SEGV");
        }
    }
    let said = format!("error[lost]: the page {} crashed", live.site.at("/"));
    assert!(
        eventually(Duration::from_secs(5), || live.run("get title").err.starts_with(&said)),
        "{:?}",
        live.run("get title")
    );
    for line in [format!("click {number}"), "state".into(), "type x".into(), "screenshot x.png".into()] {
        let start = Instant::now();
        let problem = live.problem(&line);
        assert!(problem.starts_with(&said) && problem.contains("try: handeye reload"), "{line}: {problem}");
        assert!(start.elapsed() < Duration::from_secs(12), "{line}: {:?}", start.elapsed());
    }
    assert_eq!(live.ok("reload"), format!("now at \"Page\" {}", live.site.at("/")));
    let stale = live.problem(&format!("click {number}"));
    assert!(stale.starts_with("error[stale]: ") && stale.contains("button \"Plain\""), "{stale}");
    live.ok("click --css #plain");
    live.logged("plain");
}

#[test]
fn without_a_browser_or_a_place_nothing_is_left() {
    let home = Home::new();
    let page = "data:text/html,<title>Page</title>";
    for (line, code, words) in [
        (format!("open {page} --browser /nonexistent"), "unavailable", "/nonexistent"),
        (format!("open {page} --browser /etc/hostname"), "unavailable", "/etc/hostname"),
        (format!("open {page} --browser /bin/true"), "unavailable", "the browser didn't start"),
        ("open --cdp http://127.0.0.1:1".into(), "unreachable", "127.0.0.1:1"),
        ("open --cdp nonsense".into(), "bad_request", "nonsense"),
        ("open --cdp http://127.0.0.1:1 --proxy http://127.0.0.1:2".into(), "bad_request", "--proxy is for a browser"),
        ("open --cdp http://127.0.0.1:1 --headed".into(), "bad_request", "--headed is for a browser"),
        (format!("open {page} --profile /dev/null/x"), "file", "/dev/null/x"),
    ] {
        let start = Instant::now();
        let ran = home.run(&format!("{line} --json")).exit(2);
        assert_eq!(ran.code(), code, "{line}: {ran:?}");
        assert!(ran.out.contains(words), "{line}: {ran:?}");
        assert!(start.elapsed() < Duration::from_secs(25), "{line}: {:?}", start.elapsed());
        home.assert_nothing_left();
    }
    // The folder for sockets: a file in its place, and one that can't be made.
    let file = home.path().join("file");
    std::fs::write(&file, "").unwrap();
    for folder in [file.clone(), file.join("below"), "/proc/handeye".into()] {
        let mut command = home.command(["open", page]);
        let ran = home::run({
            command.env("HANDEYE_RUNTIME_DIR", &folder);
            command
        })
        .exit(2);
        assert!(ran.err.starts_with("error[unavailable]: ") || ran.err.starts_with("error[file]: "), "{ran:?}");
        assert!(ran.err.contains(&folder.display().to_string()) && ran.err.contains("try: "), "{ran:?}");
    }
}
