//! `batch`: what is run, what stops it, and that each step is held to what single calls are held to.

use handeye_testkit::home::{self, Talk, eventually};
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Asked, Live, Reply, html, page};
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const PAGE: &str = r#"<title>Till</title><p id=n>0</p><input id=f aria-label=Name>
<button id=add onclick="log('add'); n.textContent = +n.textContent + 1; fetch('/added')">Add</button>
<button id=dead>Dead</button><button id=alert onclick="alert('Sure?')">Ask</button>
<button id=rm onclick="document.getElementById('old').remove()">Remove</button><button id=old onclick="log('old')">Old</button>
<button id=other onclick="location = 'OTHER/two'">Away</button><button id=same onclick="location = '/two'">Next</button>
<button id=pop onclick="window.open('/two')">Popup</button>
<button id=leave onclick="if (confirm('Leave?')) location = 'OTHER/two'">Leave</button>"#;

/// How often a page told that something was added.
static ADDED: AtomicUsize = AtomicUsize::new(0);

fn till(path: &str) -> Answer {
    if path == "/added" {
        ADDED.fetch_add(1, Ordering::Relaxed);
    }
    match path {
        "/two" => page("<title>Two</title><p id=n>two</p>"),
        "/away" => Answer::Of(away),
        _ => page(PAGE),
    }
}

/// Leads to the site of another origin.
fn away(asked: &Asked) -> Reply {
    let port = asked.header("host").rsplit(':').next().unwrap_or_default();
    Reply { status: "302 Found", head: format!("Location: http://localhost:{port}/two\r\n"), ..html("") }
}

/// What came of a list, with its exit status.
fn batch(live: &Live, options: &str, list: &str) -> (i32, Value) {
    std::fs::write(live.home.work().join("list"), list).unwrap();
    let ran = live.run(&format!("batch list --json {options}"));
    (ran.status.unwrap(), ran.json())
}

#[test]
fn a_list_is_run_in_order_and_told_step_by_step() {
    let live = Live::closed(till);
    let url = live.site.at("/");
    // The first step may open what the rest is for.
    let list = format!(
        "# an order\nopen {url} --record order.jsonl\n\ninput css=#f 'Ann Lee'\n{{\"command\": \"click\", \"args\": {{\"locators\": [{{\"css\": \"#add\"}}], \"expect\": \"Add\"}}}}\nhandeye click css=#add\nverify text css=#n 2 --exact\n"
    );
    let (status, wrong) = batch(&live, "", &list);
    assert_eq!((status, &wrong["error"]["code"]), (2, &json!("bad_request")), "{wrong}");
    assert!(wrong["error"]["message"].as_str().unwrap().starts_with("line 2: "), "{wrong}");
    let (status, value) =
        batch(&live, "--record order.jsonl --return-state=full", &list.replace(" --record order.jsonl", ""));
    assert_eq!(status, 0, "{value}");
    let value = &value["result"];
    assert_eq!((&value["stopped_at"], &value["reason"], &value["planned"]), (&Value::Null, &Value::Null, &json!(5)));
    let steps = value["steps"].as_array().unwrap();
    let told: Vec<(&str, u64, &str)> = steps
        .iter()
        .map(|step| {
            (step["command"].as_str().unwrap(), step["line"].as_u64().unwrap(), step["status"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        told,
        [("open", 2, "ok"), ("input", 4, "ok"), ("click", 5, "ok"), ("click", 6, "ok"), ("verify", 7, "ok")]
    );
    assert_eq!((&steps[2]["result"]["verdict"], &steps[4]["result"]["found"]), (&json!("confirmed"), &json!("2")));
    live.logged("add add");
    // A recording has the steps as the calls that they are.
    let recording = std::fs::read_to_string(live.home.work().join("order.jsonl")).unwrap();
    let calls = |name: &str| recording.matches(&format!("\"command\":\"{name}\"")).count();
    assert_eq!((calls("click"), calls("batch")), (2, 0), "{recording}");

    let ran = live.run("batch list");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].starts_with("1. opened \"Till\"") && lines.last() == Some(&"batch: 5 steps done"), "{ran:?}");
}

#[test]
fn a_list_that_is_interrupted_tells_what_was_done_and_keeps_its_session() {
    let live = Live::closed(till);
    let list = format!("open {}\nclick css=#add\nwait 60\nclick css=#add\n", live.site.at("/"));
    std::fs::write(live.home.work().join("list"), list).unwrap();
    let before = ADDED.load(Ordering::Relaxed);
    let mut command = live.home.command(["batch", "list", "--json", "--keep-going"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The click is done; what comes next is the wait.
    assert!(eventually(Duration::from_secs(60), || ADDED.load(Ordering::Relaxed) > before), "nothing was added");
    home::kill(child.id() as i32, "INT");
    let ran = home::finish_within(child, Duration::from_secs(40)).exit(1);
    let told = ran.json();
    let steps = told["steps"].as_array().unwrap();
    assert_eq!(steps[0]["status"], "ok", "{told:#}");
    let last = steps.last().unwrap();
    assert_eq!((told["planned"].as_u64(), &told["stopped_at"]), (Some(4), &last["step"]), "{told:#}");
    assert!(steps.len() < 4 && last["error"]["message"].as_str().unwrap().contains("ended by the person"), "{told:#}");
    assert!(told["reason"].as_str().unwrap().contains("ended by the person"), "{told:#}");
    assert!(live.ok("get title").contains("Till"), "the session goes on");
    live.logged("add");
}

#[test]
fn what_is_not_as_asked_stops_it() {
    let live = Live::open(till);
    let main = [
        ("click css=#add|click css=#dead|click css=#add", 2, "no effect", "add"),
        ("click css=#add --expect Remove|click css=#add", 1, "contradicted", ""),
        ("click css=#add|click 9999|click css=#add", 2, "error[not_found]", "add"),
        ("click css=#rm|click OLD|click css=#add", 2, "error[stale]", ""),
        ("verify text css=#n 7 --timeout 0|click css=#add", 1, "not confirmed", ""),
        ("click css=#alert|click css=#add", 1, "an alert dialog opened", ""),
        ("click css=#other|verify title Two|get title", 1, "the page went from http://127.0.0.1", ""),
        ("click css=#pop|click css=#add", 1, "a new tab opened", ""),
        // Opened, it leads elsewhere.
        ("open SITE/away|get title", 1, "was asked for, and the page is at http://localhost", ""),
        // What the next step is about was asked for.
        ("click css=#alert|dialog accept|click css=#add", 0, "", "add"),
        ("click css=#other|verify url localhost|verify title Two", 0, "", ""),
    ];
    // Other ways to the same.
    let more = [
        ("tabs new|click css=#add", 2, "error[not_found]", ""),
        ("tabs new SITE/away|get title", 1, "was asked for", ""),
        // What a dialog was asked about leads elsewhere, too.
        ("click css=#leave|dialog accept|get title", 2, "the page went from http://127.0.0.1", ""),
        // What the next step is about was asked for.
        ("open SITE/away|verify url localhost|verify title Two", 0, "", ""),
        ("click css=#leave|dialog accept|wait --url localhost|verify title Two", 0, "", ""),
        ("click css=#leave|dialog dismiss|click css=#add", 0, "", "add"),
        ("open OTHER/two|back|click css=#add", 0, "", "add"),
        ("click css=#pop|tabs list|tabs switch t1|click css=#add", 0, "", "add"),
        ("click css=#same|verify title Two|back|click css=#add", 0, "", "add"),
    ];
    for (list, stopped_at, reason, log) in main.into_iter().chain(more.into_iter().filter(|_| is_full())) {
        live.ok(&format!("open {}", live.site.at("/")));
        live.logged("");
        let old = live.number("#old").to_string();
        let (site, other) = (live.site.at(""), format!("http://localhost:{}", live.site.port));
        let lines = list.replace('|', "\n").replace("OLD", &old).replace("SITE", &site).replace("OTHER", &other);
        let (status, value) = batch(&live, "", &lines);
        assert_eq!(status, i32::from(stopped_at != 0), "{list}: {value}");
        assert_eq!(value["stopped_at"].as_u64().unwrap_or_default(), stopped_at, "{list}: {value}");
        assert!(value["reason"].as_str().unwrap_or_default().contains(reason), "{list}: {value}");
        let run = value["steps"].as_array().unwrap().len() as u64;
        assert_eq!(run, if stopped_at == 0 { value["planned"].as_u64().unwrap() } else { stopped_at }, "{list}");
        let _ = live.run("dialog accept");
        live.ok("tabs switch t1");
        // Another page has a log of its own.
        if !["#other", "/away", "accept|get", "accept|wait"].iter().any(|part| list.contains(part)) {
            live.logged(log);
        }
    }
    live.ok(&format!("open {}", live.site.at("/")));
    live.logged("");
    let (status, value) = batch(&live, "--keep-going", "click css=#dead\nclick 9999\nclick css=#add\n");
    assert_eq!(
        (status, &value["stopped_at"], value["steps"].as_array().unwrap().len()),
        (1, &Value::Null, 3),
        "{value}"
    );
    assert!(value["reason"].as_str().unwrap().starts_with("step 1: "), "{value}");
    live.logged("add");
    let told = live.not("batch list");
    assert!(told.ends_with("batch: stopped at step 1 of 3 (line 1): it is no effect"), "{told}");
    // The session ends with its last step, and nothing else is run in none.
    live.ok("sessions stop default");
    live.ok(&format!("open {}", live.site.at("/")));
    let (status, value) = batch(&live, "", "click css=#add\nclose\nstate\n");
    assert_eq!((status, &value["stopped_at"]), (1, &json!(2)), "{value}");
    assert_eq!(live.run("state --json").code(), "not_found");
}

#[test]
fn other_names_of_commands_are_as_good_as_their_own() {
    let live = Live::open(till);
    let other = format!("http://localhost:{}/two", live.site.port);
    for (name, args) in [
        ("goto", json!({ "url": other })),
        ("navigate", json!({ "url": live.site.at("/") })),
        ("tab", json!({ "action": "new", "url": other })),
    ] {
        let list = json!([{ "command": name, "args": args }, { "command": "get", "args": { "what": "title" } }]);
        let (status, value) = batch(&live, "", &list.to_string());
        assert_eq!((status, &value["stopped_at"]), (0, &Value::Null), "{name}: {value}");
    }
}

#[test]
fn a_mistake_in_any_line_changes_nothing() {
    let live = Live::open(till);
    for (list, says) in [
        ("click css=#add\nclick css=#add\nclik 5\n", "line 3: there is no command `clik`"),
        ("click css=#add\nclick five\n", "line 2: "),
        ("click css=#add\n\n{\"command\":\"click\",\"args\":{\"reff\":5}}\n", "line 3: "),
        ("click css=#add\nclick 'open\n", "line 2: a quote is open"),
        ("click css=#add\nbatch other\n", "line 2: `batch` can't be in a list itself"),
        ("click css=#add\ndoctor\n", "line 2: `doctor` doesn't run in a session"),
        ("click css=#add\nstate --session other\n", "line 2: "),
        ("[\"click css=#add\", {\"command\": \"nothing\"}]", "step 2: there is no command `nothing`"),
        ("[\"click css=#add\"", "no JSON array"),
        ("# nothing\n", "the list of commands is empty"),
    ] {
        let (status, value) = batch(&live, "--keep-going", list);
        let message = value["error"]["message"].as_str().unwrap_or_default();
        assert!(status == 2 && message.contains(says), "{list}: {value}");
    }
    assert_eq!(live.run("batch nowhere --json").code(), "file");
    live.logged("");
    // The same as typed into it.
    let mut typed = live.home.command(["batch", "-", "--json"]);
    let mut child = typed.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"click css=#add\n").unwrap();
    assert_eq!(home::finish(child).exit(0).json()["steps"][0]["result"]["verdict"], "confirmed");
    live.logged("add");
}

#[test]
fn each_step_is_held_to_the_policy_and_asked_about_by_itself() {
    let live = Live::open(till);
    let steps = json!([
        { "command": "get", "args": { "what": "title" } },
        { "command": "click", "args": { "locators": [{ "css": "#add" }] } },
        { "command": "click", "args": { "locators": [{ "css": "#add" }] } },
        { "command": "click", "args": { "locators": [{ "css": "#add" }] } },
    ]);
    let request = |rule: &str, answers: bool| {
        let flags = json!({ "answers": answers, "settings": { "policy": { rule: ["acts"] } } });
        json!({ "command": "batch", "args": { "steps": steps, "keep_going": false }, "flags": flags })
    };
    let mut talk = Talk::to(&live.home.run_dir().join("default.sock"));
    for rule in ["deny", "ask"] {
        let answer = talk.ask(&request(rule, false));
        let (result, steps) = (&answer["result"], answer["result"]["steps"].as_array().unwrap());
        assert_eq!((&answer["status"], &result["stopped_at"], steps.len()), (&json!("not_confirmed"), &json!(2), 2));
        assert_eq!((&steps[0]["status"], &steps[1]["error"]["code"]), (&json!("ok"), &json!("denied")), "{answer}");
    }
    live.logged("");
    // One question for each, and the first no ends it.
    let mut line = talk.ask(&request("ask", true));
    for consent in [true, true, false] {
        assert_eq!(line["question"]["command"], "click", "{line}");
        let answer = json!({ "answer": { "id": line["question"]["id"], "consent": consent } });
        talk.send(format!("{answer}\n").as_bytes());
        line = talk.answer();
    }
    assert_eq!(
        (&line["result"]["stopped_at"], &line["result"]["steps"][3]["error"]["code"]),
        (&json!(4), &json!("denied"))
    );
    live.logged("add add");
    // Over the wire lines and files are nobody's.
    for args in [json!({ "steps": ["state"] }), json!({ "file": "list" })] {
        let answer = talk.ask(&json!({ "command": "batch", "args": args }));
        assert_eq!(answer["error"]["code"], "bad_request", "{answer}");
    }
}

#[test]
fn a_list_that_is_given_up_ends_with_the_step_that_runs_and_one_out_of_time_before_the_next() {
    let live = Live::open(till);
    std::fs::write(live.home.work().join("list"), "click css=#add\nwait 300\nclick css=#add\n").unwrap();
    let before = ADDED.load(Ordering::Relaxed);
    let began = Instant::now();
    let mut command = live.home.command(["batch", "list"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(eventually(Duration::from_secs(60), || ADDED.load(Ordering::Relaxed) > before), "the first step is run");
    home::kill(i32::try_from(child.id()).unwrap(), "INT");
    assert_ne!(home::finish(child).status, Some(0));
    // The session is free again, and the third step was never run.
    assert_eq!(live.ok("get text css=#n"), "1");
    assert!(began.elapsed() < Duration::from_secs(200));
    let (status, value) = batch(&live, "--timeout 10", "click css=#add\nwait 60\nclick css=#add\n");
    assert_eq!(
        (status, &value["stopped_at"], &value["steps"][1]["error"]["code"]),
        (1, &json!(2), &json!("timeout")),
        "{value}"
    );
    assert_eq!(live.ok("get text css=#n"), "2");
}
