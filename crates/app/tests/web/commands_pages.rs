//! Around a page: open, back, forward, reload, tabs, dialog, wait, close; and what needs no page: sessions, config, doctor,
//! completions, version.

use handeye_testkit::Sample;
use handeye_testkit::live::{Answer, Live, Reply, page, reply};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn pages(path: &str) -> Answer {
    match path {
        "/" => page("<title>One</title><h1>One</h1><a href=/two>Two</a> <a href='#part'>Part</a>"),
        "/two" => page("<title>Two</title><h1>Two</h1><a href=/>One</a>"),
        "/moved" => Answer::Redirect("/two".into()),
        "/gone" => Answer::Status("404 Not Found", "<title>Not here</title><h1>Not here</h1><a href=/>Home</a>".into()),
        "/broken" => Answer::Status("503 Service Unavailable", "<title>Broken</title><p>Try later".into()),
        "/empty" => Answer::Status("204 No Content", String::new()),
        "/nothing" => {
            Answer::Of(|_| Reply { status: "503 Service Unavailable", ..reply("Content-Type: text/plain\r\n", "") })
        }
        "/save" => Answer::Download("report.txt"),
        "/popups" => page(
            "<title>Popups</title><button onclick=\"window.open('/two')\">Window</button><a href=/two target=_blank>Tab</a><a href=/save>Save</a>",
        ),
        _ => Answer::Status("404 Not Found", "no".into()),
    }
}

#[test]
fn pages_are_opened_and_gone_through() {
    let live = Live::open(pages);
    let at = |path: &str| live.site.at(path);
    live.says(&format!("open {}", at("/moved")), &format!("opened \"Two\" {}", at("/two")));
    let gone = live.ok(&format!("open {}", at("/gone")));
    assert_eq!(gone, format!("opened \"Not here\" {} (HTTP 404)", at("/gone")));
    assert!(live.ok("state").contains("heading 1 \"Not here\"\n[1] link \"Home\""), "{}", live.ok("state"));
    let json = live.json(&format!("open {}", at("/broken")));
    assert_eq!(json["navigation"], json!({"url": at("/broken"), "title": "Broken", "status": 503, "loaded": true}));
    // An error without a page is an answer all the same.
    let nothing = live.json(&format!("open {}", at("/nothing")))["navigation"].clone();
    assert_eq!((&nothing["url"], &nothing["status"]), (&json!(at("/nothing")), &json!(503)), "{nothing}");
    let again = live.json("reload");
    assert_eq!((&again["url"], &again["status"]), (&json!(at("/nothing")), &json!(503)), "{again}");
    let file = live.home.work().join("页 1.html");
    std::fs::write(&file, "<title>From a file</title>").unwrap();
    live.says("open '页 1.html'", "opened \"From a file\" file:///");
    live.says("open about:blank", "opened \"\" about:blank");
    live.says(&format!("open 127.0.0.1:{}/two", live.site.port), "opened \"Two\" http://127.0.0.1:");

    live.ok(&format!("open {}", at("/")));
    live.ok("click --role link --name Two");
    assert_eq!(live.ok("back"), format!("now at \"One\" {}", at("/")));
    assert_eq!(live.ok("forward"), format!("now at \"Two\" {}", at("/two")));
    assert!(live.problem("forward").starts_with("error[not_found]: there is no page to go forward to"));
    live.ok("back");
    live.ok("click --name Part");
    assert_eq!(live.ok("get url"), at("/#part"));
    assert_eq!(live.ok("back"), format!("now at \"One\" {}", at("/")));
    assert_eq!(live.ok("reload"), format!("now at \"One\" {}", at("/")));
    assert_eq!(live.json("reload")["status"], 200);
    live.ok(&format!("open {}", at("/gone")));
    assert_eq!(live.ok("reload"), format!("now at \"Not here\" {} (HTTP 404)", at("/gone")));
    live.ok(&format!("open {}", at("/")));
    assert_eq!(live.ok("back"), format!("now at \"Not here\" {} (HTTP 404)", at("/gone")));

    // What gives no page leaves the one that is open, and says so.
    let stayed = live.not(&format!("open {}", at("/empty")));
    assert!(stayed.starts_with("stayed at \"Not here\"") && stayed.contains("notice stayed: "), "{stayed}");
    let saved = live.not(&format!("open {}", at("/save")));
    assert!(
        saved.starts_with("stayed at \"Not here\"") && saved.contains("notice download: a download began: report.txt"),
        "{saved}"
    );
    live.ok(&format!("open {}", at("/popups")));
    let saved = live.ok("click --name Save");
    assert!(saved.contains("download began: \"report.txt\""), "{saved}");
    assert!(live.problem("open http://127.0.0.1:1/ --browser /usr/bin/chromium").contains("has a browser already"));
}

#[test]
fn what_is_in_another_tab_is_not_called_gone() {
    let live = Live::open(|_| {
        page(
            "<title>Left</title><button onclick=\"log('clicked')\">Stays</button>
            <button onclick='setTimeout(() => this.remove(), 300)'>Leaves</button>",
        )
    });
    let (stays, leaves) = (live.number("button:first-of-type"), live.number("button:last-of-type"));
    live.run(&format!("click {leaves}"));
    live.ok("tabs new");
    for line in [format!("click {stays}"), format!("wait --gone {stays}"), format!("inspect {stays}")] {
        assert_eq!(
            live.problem(&line),
            "error[stale]: the target is in tab t1, and another tab is the active one\n  try: handeye tabs switch t1\n",
            "{line}"
        );
    }
    live.ok("wait 0.8");
    live.ok(&format!("wait --gone {leaves}"));
    live.ok("tabs switch t1");
    live.ok(&format!("click {stays}"));
    live.logged("clicked");
    live.ok("tabs new");
    live.ok("tabs close t1");
    live.ok(&format!("wait --gone {stays}"));
}

#[test]
fn tabs_are_listed_opened_switched_and_closed() {
    let live = Live::open(pages);
    let at = |path: &str| live.site.at(path);
    assert_eq!(live.ok("tabs list"), format!("* t1 \"One\" {}", at("/")));
    let two = format!("  t1 \"One\" {}\n* t2 \"Two\" {}", at("/"), at("/two"));
    assert_eq!(live.ok(&format!("tabs new {}", at("/two"))), two);
    assert_eq!(live.ok("get title"), "Two");
    live.ok("tabs switch 1");
    assert_eq!(live.ok("get title"), "One");
    live.ok("tabs new");
    assert_eq!(live.ok("get url"), "about:blank");
    let after = live.ok("tabs close");
    assert!(after.contains("t1 ") && after.contains("* t2 ") && !after.contains("t3"), "{after}");
    assert_eq!(live.ok("tabs close t1"), format!("* t2 \"Two\" {}", at("/two")));
    assert!(live.problem("tabs switch t1").starts_with("error[not_found]: there is no tab t1"));
    for line in ["tabs close", "tabs close t2"] {
        assert_eq!(
            live.problem(line),
            "error[bad_request]: the last tab stays open: with it, the session would end\n  try: handeye close\n"
        );
    }
    assert_eq!(live.ok("tabs list"), format!("* t2 \"Two\" {}", at("/two")));
    assert!(live.problem("tabs close t9").starts_with("error[not_found]: there is no tab t9"));
    assert!(live.problem("tabs").starts_with("error[bad_request]: `tabs` needs to be told what"));

    // A popup is a notice with its opener; the page stays the active one.
    live.ok(&format!("open {}", at("/popups")));
    for name in ["Window", "Tab"] {
        let said = live.ok(&format!("click --name {name}"));
        assert!(
            said.contains("new tab ")
                && said.contains("was opened by t2\n")
                && said.contains("\n  try: handeye tabs switch t"),
            "{said}"
        );
    }
    let json = live.json("tabs list");
    let tabs = json["tabs"].as_array().unwrap();
    let facts: Vec<Value> = tabs.iter().map(|t| json!([t["id"], t["active"], t["opener"]])).collect();
    assert_eq!(facts[0], json!(["t2", true, null]));
    assert_eq!((facts[1][2].clone(), facts[2][0].clone()), (json!("t2"), json!("t5")), "{json}");
    // A ref belongs to its tab's document.
    let number = live.number("button");
    live.ok("tabs switch t4");
    assert!(live.problem(&format!("click {number}")).starts_with("error[stale]: "), "a ref of another tab was taken");
    live.ok("tabs switch t2");
    live.ok(&format!("inspect {number}"));
    // The active tab is closed; with the last one the session ends.
    live.says("close", "closed the tab; t5 is active now");
    live.ok("close");
    assert_eq!(live.ok("close"), "closed; the session has ended");
    assert!(live.problem("state").starts_with("error[not_found]: nothing is open in session `default`"));
    live.home.assert_nothing_left();
}

const DIALOGS: &str = r#"<title>Dialogs</title>
<button onclick="alert('Careful'); log('alerted')">Alert</button>
<button onclick="log('confirm', confirm('Sure?'))">Confirm</button>
<button onclick="log('prompt', prompt('Who?', 'Ann'))">Prompt</button>
<button onclick="onbeforeunload = e => { e.preventDefault(); return 'x' }; log('armed')">Hold</button>
<a href="/two">Leave</a>"#;

#[test]
fn dialogs_are_noticed_and_answered_when_asked() {
    let live = Live::open(|path| if path == "/" { page(DIALOGS) } else { pages(path) });
    live.ok("state");
    let mut tried = Sample::one_in(3);
    let mut opens = |line: &str, kind: &str, text: &str| {
        let said = live.ok(line);
        assert!(said.contains(&format!("{kind} dialog opened: \"{text}\"")), "{said}");
        // Nothing is answered unasked; what can't work until then says what to run.
        for line in ["click 2", "type x", "click-at 5 5", "get text", "screenshot x.png"] {
            if !tried.takes() {
                continue;
            }
            let blocked = live.problem(line);
            assert!(blocked.starts_with("error[blocked]: a dialog is open: "), "{line}: {blocked}");
            assert!(blocked.contains("try: handeye dialog accept") && blocked.contains("try: handeye dialog dismiss"));
        }
        let state = live.ok("state");
        assert!(state.contains("notice dialog: ") && state.contains(text), "{state}");
        assert_eq!(live.ok("get title"), "Dialogs");
    };
    opens("click 1", "alert", "Careful");
    assert_eq!(live.ok("dialog accept"), "accepted the alert dialog \"Careful\"");
    live.logged("alerted");
    opens("click 2", "confirm", "Sure?");
    live.ok("dialog accept");
    live.logged("confirm true");
    live.ok("click 2");
    assert_eq!(live.ok("dialog dismiss"), "dismissed the confirm dialog \"Sure?\"");
    live.logged("confirm false");
    opens("click 3", "prompt", "Who?");
    let answered = live.json("dialog accept '张 伟'");
    assert_eq!(answered, json!({"accepted": true, "dialog": {"kind": "prompt", "message": "Who?", "default": "Ann"}}));
    live.logged("prompt 张 伟");
    live.ok("click 3");
    live.ok("dialog accept");
    live.logged("prompt Ann");
    live.ok("click 3");
    live.ok("dialog dismiss");
    live.logged("prompt null");
    live.ok("click 1");
    assert!(live.problem("dialog accept text").contains("of kind alert, which takes no text"));
    live.ok("dialog accept");
    assert!(live.problem("dialog accept").starts_with("error[not_found]: no dialog is open"));

    // Leaving is asked about too.
    live.ok("click 4");
    let said = live.ok("click 5");
    assert!(said.contains("beforeunload dialog opened"), "{said}");
    live.ok("dialog dismiss");
    assert_eq!(live.ok("get title"), "Dialogs");
    live.ok("click 5");
    live.ok("dialog accept");
    live.ok("wait --url /two");
    assert_eq!(live.ok("get title"), "Two");
}

const WAITS: &str = r#"<title>Waits</title>
<button id=start onclick="setTimeout(() => late.hidden = false, 300); setTimeout(() => off.disabled = false, 400); setTimeout(() => gone.remove(), 500); setTimeout(() => { document.body.append('Order placed'); location.hash = 'done/7' }, 600)">Start</button>
<button id=off disabled>Off</button><button id=gone>Gone</button><div id=late hidden>Late</div>"#;

#[test]
fn waits_end_with_what_they_wait_for() {
    let live = Live::open(|path| if path == "/" { page(WAITS) } else { Answer::Silence });
    let mut sample = Sample::one_in(2).beginning_at(1);
    // From the press on; no bound above but the wait's own limit of 10 s, as a press takes what the machine gives it.
    for (line, least) in [
        ("--visible LATE", 250),
        ("--enabled OFF", 350),
        ("--gone GONE", 450),
        ("--text 'order placed'", 550),
        ("--url '*/#done/*'", 550),
        ("--url done/7", 550),
        ("0.4", 400),
    ] {
        if !sample.takes() {
            continue;
        }
        live.ok(&format!("open {}", live.site.at("/")));
        let (late, off, gone) = (live.number("#late"), live.number("#off"), live.number("#gone"));
        let line =
            line.replace("LATE", &late.to_string()).replace("OFF", &off.to_string()).replace("GONE", &gone.to_string());
        let start = Instant::now();
        live.run("click --css #start --method invoke");
        let said = live.json(&format!("wait {line}"))["seconds"].as_f64().unwrap();
        let took = start.elapsed();
        assert!(took >= Duration::from_millis(least), "{line} took {took:?}");
        assert!(said < took.as_secs_f64() && said < 8.0, "{line} took {took:?}, {said} s by itself");
        live.ok("reload");
    }
    assert!(live.json("wait --idle")["seconds"].as_f64().unwrap() < 2.0);
    for (line, wanted) in [
        ("wait --text never --timeout 0.3", "error[timeout]: the text \"never\" didn't appear within 0.3 s"),
        ("wait --url never --timeout 0.3", "error[timeout]: the address didn't come to match \"never\""),
        ("wait --gone 9999", "error[not_found]: there is no target [9999]"),
        ("wait", "error[bad_request]: "),
        ("wait -1", "error[bad_request]: "),
        ("wait 1 --idle", "error[bad_request]: "),
    ] {
        let start = Instant::now();
        assert!(live.problem(line).starts_with(wanted), "{line}: {}", live.problem(line));
        assert!(start.elapsed() < Duration::from_secs(12), "{line}");
    }
}

#[test]
fn no_wait_lasts_longer_than_until_a_dialog_is_open() {
    // It is never quiet.
    const ASKS: &str = "<p id=p></p><button onclick=\"setTimeout(() => { alert('Sure?'); document.body.append('Asked') }, 700)\">Ask</button>
        <script>setInterval(() => { p.textContent = Math.random() }, 20)</script>";
    let live = Live::open(|_| page(ASKS));
    for line in ["wait --idle", "wait --text never", "wait --url never"] {
        // Once as it opens, once while it is open.
        live.run("click --name Ask --method invoke");
        for limit in [20, 5] {
            let blocked = live.problem(&format!("{line} --timeout {limit}"));
            assert!(blocked.starts_with("error[blocked]: a dialog is open: alert \"Sure?\""), "{line}: {blocked}");
        }
        live.ok("dialog accept");
        live.ok("wait --text Asked");
        live.ok("reload");
    }
}

#[test]
fn what_needs_no_page_needs_none() {
    let live = Live::closed(pages);
    assert_eq!(live.ok("version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(live.json("version"), env!("CARGO_PKG_VERSION"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = live.ok(&format!("completions {shell}"));
        assert!(script.contains("rightclick-at") && script.contains("handeye"), "{shell}");
    }
    assert!(live.problem("completions sh").starts_with("error[bad_request]: "));
    let shown = live.ok("config show");
    assert!(shown.contains("browser.args = [\"--site-per-process\"]  (file)"), "{shown}");
    assert!(shown.contains("waits.ready = 5.0  (default)"), "{shown}");
    assert_eq!(live.ok("sessions list"), "no session runs");
    assert!(live.problem("sessions stop default").starts_with("error[not_found]: no session `default` runs"));
    let ran = live.run("doctor --json");
    assert!(
        ran.json()["checks"].as_array().unwrap().iter().any(|c| c["name"] == "browser" && c["ok"] == true),
        "{ran:?}"
    );

    live.ok(&format!("open {} --session a-1", live.site.at("/")));
    live.ok(&format!("open {} --session B_2", live.site.at("/two")));
    assert_eq!((live.ok("get title --session a-1"), live.ok("--session B_2 get title")), ("One".into(), "Two".into()));
    let listed = live.ok("sessions list");
    assert!(
        listed.contains("a-1 pid ") && listed.contains("B_2 pid ") && listed.contains(&live.site.at("/two")),
        "{listed}"
    );
    // A ref of one session is none of the other's.
    let number = live.run("find --role link --name Part --session a-1 --json").json()["targets"][0]["ref"].clone();
    let said = live.problem(&format!("click {number} --session B_2"));
    assert!(said.starts_with("error[not_found]: there is no target [1]: no numbers were given out"), "{said}");
    assert!(live.ok("sessions stop a-1").starts_with("stopped a-1\nB_2 pid "));
    assert_eq!(live.ok("sessions stop --all"), "stopped B_2");
    live.home.assert_nothing_left();
}
