//! What pages say and load: console, errors, network, waiting for an answer, mocks, HAR.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Live, Reply, page, reply};
use serde_json::{Value, json};

const TALK: &str = "<title>Talk</title><button onclick=\"console.log('again')\">Again</button>
<button onclick=\"nothing.at.all()\">Throw</button><button onclick=\"Promise.reject(new Error('lost'))\">Reject</button>
<script>
console.log('hello', 1, true, null, undefined, { a: 1, b: ['x', 2] }, [1, 2]);
console.log('%s is %d%% %cdone', '页', 5, 'color: red');
console.warn('careful'); console.error(new Error('broken')); console.info('a\\nb'); console.debug('fine print');
</script><img src=/no-such-picture>";

#[test]
fn the_console_is_told_since_the_last_look() {
    let live = Live::open(|path| match path {
        "/" => page(TALK),
        "/quiet" => page("<title>Quiet</title><a href=/talk target=_blank>Talk</a>"),
        "/talk" => page("<title>Popup</title><script>console.log('from the popup')</script>"),
        _ => Answer::Status("404 Not Found", "no".into()),
    });
    live.ok("wait --idle");
    let all = live.json("console --all");
    let messages = all["messages"].as_array().unwrap();
    let of = |kind: &str| -> Vec<&str> {
        messages.iter().filter(|m| m["kind"] == kind).map(|m| m["text"].as_str().unwrap()).collect()
    };
    assert_eq!(of("log"), ["hello 1 true null undefined {a: 1, b: Array(2)} [1, 2]", "页 is 5% done"]);
    assert_eq!((of("warning"), of("info"), of("debug")), (vec!["careful"], vec!["a\nb"], vec!["fine print"]));
    let errors = of("error");
    assert!(errors.iter().any(|e| e.starts_with("Error: broken")), "{errors:?}");
    assert!(errors.iter().any(|e| e.contains("404")), "{errors:?}");
    let first = messages.iter().find(|m| m["kind"] == "log").unwrap();
    assert_eq!(first["tab"], "t1");
    assert!(first["source"].as_str().unwrap().starts_with(&format!("{}:", live.site.at("/"))), "{first}");
    assert_eq!(all["forgotten"], 0);

    assert_eq!(live.ok("console"), "no new messages");
    live.run("click --name Again");
    let said = live.ok("console");
    assert!(said.contains(&format!("t1 log: again ({}:", live.site.at("/"))) && said.lines().count() == 1, "{said}");
    assert_eq!(live.ok("console"), "no new messages");
    live.ok("errors");
    for (name, text) in [("Throw", "ReferenceError: nothing is not defined"), ("Reject", "Error: lost")] {
        live.run(&format!("click --name {name}"));
        let said = live.ok("errors");
        assert!(said.contains(&format!(" t1 uncaught {text}")) && !said.contains("again"), "{said}");
        assert_eq!(live.ok("errors"), "no new errors");
    }
    let filtered = live.ok("console --all --filter careful");
    assert!(filtered.lines().count() == 1 && filtered.contains("warning: careful"), "{filtered}");
    // Other tabs are heard too, from their first script on.
    live.ok(&format!("open {}", live.site.at("/quiet")));
    live.ok("console");
    live.ok("click --name Talk");
    let heard = || live.ok("console --all").contains(" t2 log: from the popup");
    assert!(home::eventually(std::time::Duration::from_secs(5), heard), "{}", live.ok("console --all"));
}

const FAULTY: &str = "<title>Faulty</title><button id=throws>Throws</button><button id=fails>Fails</button><button id=many>Many</button>
<button id=fine>Fine</button><input id=field aria-label=Field><p id=out></p><script>
const say = text => { out.textContent = text };
setInterval(() => { throw new Error('every time') }, 40);
throws.onclick = () => { say('thrown'); null.part };
fails.onclick = async () => { await fetch('/missing', { method: 'POST' }); await fetch('http://127.0.0.1:1/').catch(() => 0); say('failed') };
many.onclick = () => { say('many'); for (let i = 0; i < 6; i++) setTimeout(() => { throw new Error('no ' + i + ' ' + 'x'.repeat(300)) }) };
fine.onclick = () => { say('fine ' + Math.random()); new Image().src = '/no-picture' };
field.onkeydown = () => Promise.reject(new Error('lost ' + field.value));
</script>";

#[test]
fn a_receipt_tells_what_went_wrong_meanwhile() {
    let live = Live::closed(|path| match path {
        "/" => page(FAULTY),
        _ => Answer::Status("404 Not Found", "no".into()),
    });
    live.ok(&format!("open {} --secret pw=hunter22", live.site.at("/")));
    let notices = |line: &str| -> Vec<String> {
        let said = live.json(line);
        let told = said["notices"].as_array().cloned().unwrap_or_default();
        told.iter().map(|n| format!("{}: {}", n["kind"].as_str().unwrap(), n["text"].as_str().unwrap())).collect()
    };
    let habit = || live.ok("errors --all").contains("every time");
    assert!(home::eventually(std::time::Duration::from_secs(10), habit), "{}", live.ok("errors --all"));
    let none: Vec<String> = Vec::new();
    assert_eq!(notices("click --css #fine"), none);
    let told = notices("click --css #throws");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("exception: uncaught TypeError: Cannot read"), "{told:?}");
    assert!(live.run("click --css #throws").out.contains("\n  try: handeye errors"));
    let told = notices("click --css #fails");
    let missing = format!("failed_request: POST {} → 404 Not Found", live.site.at("/missing"));
    assert!(told[0].starts_with(&missing), "{told:?}");
    assert!(told[1].starts_with("failed_request: GET http://127.0.0.1:1/ → net::ERR_"), "{told:?}");
    let told = notices("click --css #many");
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(told[3].starts_with("fault: 3 more went wrong meanwhile"), "{told:?}");
    assert!(told.iter().all(|t| t.chars().count() < 220), "{told:?}");
    live.ok("input --css #field --secret pw");
    let said = live.ok("keys x --expect-any");
    assert!(said.contains("notice exception: uncaught Error: lost ••••"), "{said}");
    assert!(!live.ok("state").contains("notice"), "told once");
}

#[test]
fn only_what_was_shown_is_old() {
    let live = Live::open(|path| match path {
        "/" => page(
            "<title>Mix</title><script>console.log('plain'); console.error('wrong'); fetch('/a'); fetch('/b')</script>",
        ),
        _ => Answer::Status("404 Not Found", "no".into()),
    });
    live.ok("wait --idle");
    let messages = |line: &str| live.json(line)["messages"].as_array().unwrap().len();
    let requests = |line: &str| live.json(line)["requests"].as_array().unwrap().len();
    let all = messages("console --filter nothing-of-the-kind");
    assert_eq!(all, 0);
    assert_eq!(messages("errors --filter wrong"), 1);
    assert_eq!(messages("errors --filter wrong"), 0);
    assert_eq!(messages("console --filter plain"), 1);
    assert!(!live.ok("console").contains("plain"));
    assert_eq!(live.ok("errors"), "no new errors", "the console has shown them");
    assert_eq!(live.ok("console"), "no new messages");
    assert_eq!(requests("network list --filter /a"), 1);
    assert_eq!(requests("network list --failed --filter /b"), 1);
    assert_eq!(requests("network list --failed --filter /b"), 0);
    assert_eq!(requests("network list --kind document"), 1);
    let rest = live.ok("network list");
    assert!(!rest.contains(" document ") && !rest.contains(" fetch "), "{rest}");
    assert_eq!(live.ok("network list"), "no new requests");
}

#[test]
fn the_console_keeps_a_stated_number_of_messages() {
    let live = Live::open(|_| {
        page(
            "<title>Many</title><link rel=icon href=data:,><script>for (let i = 0; i < 700; i++) console.log('n' + i)</script>",
        )
    });
    live.ok("wait --idle");
    let all = live.json("console");
    let messages = all["messages"].as_array().unwrap();
    assert_eq!((messages.len(), all["forgotten"].as_u64()), (500, Some(200)));
    assert_eq!(messages[0]["text"], "n200");
}

const APP: &str = "<title>App</title><p id=out></p>
<button onclick=\"load('/api/user?id=7&x=')\">Load</button><button onclick=\"setTimeout(() => load('/api/slow'), 400)\">Slow</button>
<button onclick=\"load('/api/user', { method: 'POST', body: 'n=页', headers: { 'X-Mine': '1' } })\">Post</button>
<button onclick=\"load('OTHER/api/user', { headers: { 'X-Mine': '1' } })\">Other</button>
<script>const load = (url, more) => fetch(url, more).then(r => r.text(), e => 'failed: ' + e.message).then(t => out.textContent = t)</script>";

fn app(path: &str) -> Answer {
    match path {
        "/" => page(APP),
        "/moved" => Answer::Redirect("/".into()),
        "/bytes" => Answer::Of(|_| reply("Content-Type: application/octet-stream\r\n", vec![0, 255, 1, 254])),
        _ => Answer::Of(|asked| {
            let body = format!("{} {} {}", asked.method, asked.path, String::from_utf8_lossy(&asked.body));
            let body = format!("{body} {}", asked.header("cookie"));
            Reply {
                status: "201 Created",
                ..reply(
                    "Content-Type: text/plain; charset=utf-8\r\nX-Theirs: yes\r\nSet-Cookie: a=secret\r\n",
                    body.trim(),
                )
            }
        }),
    }
}

#[test]
fn requests_are_listed_and_shown_with_headers_and_bodies() {
    let live = Live::open(app);
    live.ok(&format!("open {}", live.site.at("/moved")));
    let list = live.json("network list --kind document");
    let facts: Vec<Value> =
        list["requests"].as_array().unwrap().iter().map(|r| json!([r["url"], r["status"], r["kind"]])).collect();
    let at = |path: &str| live.site.at(path);
    assert_eq!(
        facts,
        [json!([at("/"), 200, "document"]), json!([at("/moved"), 302, "document"]), json!([at("/"), 200, "document"])]
    );
    // What was left out of that list is new: the icon of the page.
    assert!(!live.ok("network list").contains(" document "));
    assert_eq!(live.ok("network list"), "no new requests");
    live.run("click --name Post");
    live.ok("wait --idle");
    let said = live.ok("network list --filter /api/");
    assert!(said.contains(&format!(" fetch POST {} → 201 in ", at("/api/user"))), "{said}");
    let number: u64 = said.split(' ').next().unwrap().parse().unwrap();
    let one = live.json(&format!("network show {number} --values"));
    assert_eq!(one["body"], "POST /api/user n=页");
    assert_eq!(one["request"]["sent"], "n=页");
    let has = |of: &str, name: &str, value: &str| {
        let headers = one["request"][of].as_array().unwrap();
        headers.iter().any(|h| h["name"].as_str().unwrap().eq_ignore_ascii_case(name) && h["value"] == value)
    };
    assert!(has("request_headers", "X-Mine", "1") && has("response_headers", "X-Theirs", "yes"), "{one}");
    assert!(!one.to_string().contains("secret"), "a cookie is shown: {one}");
    live.ok(&format!("network show {number} --to body.txt"));
    assert_eq!(std::fs::read_to_string(live.home.work().join("body.txt")).unwrap(), "POST /api/user n=页");
    let text = live.ok(&format!("network show {number}"));
    assert!(
        text.contains("\n> X-Mine: 1")
            && text.contains("\n< X-Theirs: yes")
            && text.ends_with("body:\n  | POST /api/user n=页"),
        "{text}"
    );

    live.ok(&format!("open {}", at("/")));
    let gone = live.ok(&format!("network show {number}"));
    assert!(gone.contains("can't be had: the browser has let it go"), "{gone}");
    assert!(live.problem("network show 9999").starts_with("error[not_found]: there is no request 9999"));
    assert!(live.problem(&format!("network show {number} --to x")).starts_with("error[not_found]: "));
    let failed = live.ok("network list --all --failed");
    assert!(!failed.contains("/api/"), "{failed}");
}

#[test]
fn an_answer_is_waited_for_whether_it_came_before_or_not() {
    let live = Live::open(app);
    live.run("click --name Slow");
    let said = live.ok("wait --response '*/api/slow'");
    assert!(said.starts_with("waited 0.") && said.contains("/api/slow → 201"), "{said}");
    // It came while the click settled.
    live.run("click --name Load");
    live.ok("wait --idle");
    assert!(live.ok("wait --response /api/user --timeout 5").contains("/api/user?id=7&x= → 201"));
    // One of an earlier action isn't meant.
    live.run("click --name Load");
    let none = live.problem("wait --response /api/slow --timeout 0.5");
    assert!(none.starts_with("error[timeout]: no request to \"/api/slow\" was answered within 0.5 s"), "{none}");
}

#[test]
fn requests_are_blocked_and_answered_in_the_sites_place() {
    let live = Live::open(app);
    let shows = |name: &str, text: &str| {
        live.run(&format!("click --name {name}"));
        live.ok(&format!("wait --text '{text}' --timeout 5"));
    };
    shows("Load", "GET /api/user?id=7&x=");
    let rules = live.ok("network mock '*/api/user*' --body '{\"name\": \"安\"}' --type application/json --status 418 --header 'X-Mock: 1'");
    assert_eq!(rules, "1 answer \"*/api/user*\" with 418 (15 bytes)");
    shows("Load", "{\"name\": \"安\"}");
    let list = live.json("network list --filter /api/user?id");
    let last = list["requests"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((last["status"].as_u64(), last["mime"].as_str()), (Some(418), Some("application/json")));
    // Another origin that gives no leave by itself, asked beforehand for a header of ours.
    shows("Other", "{\"name\": \"安\"}");
    live.ok("network block /api/user");
    shows("Load", "failed: Failed to fetch");
    assert!(live.ok("network list --failed").contains("net::ERR_BLOCKED_BY_CLIENT"));
    // Rules hold over navigations and in new tabs.
    live.ok(&format!("tabs new {}", live.site.at("/")));
    shows("Load", "failed: Failed to fetch");
    assert_eq!(live.ok("network clear 2"), "1 answer \"*/api/user*\" with 418 (15 bytes)");
    shows("Load", "{\"name\": \"安\"}");
    std::fs::write(live.home.work().join("body.txt"), "from a file").unwrap();
    live.ok("network mock /api/user --body-file body.txt");
    shows("Load", "from a file");
    assert_eq!(live.ok("network clear"), "no request is blocked or answered here");
    shows("Load", "GET /api/user?id=7&x=");
    assert!(live.problem("network clear 1").starts_with("error[not_found]: there is no rule 1"));
    assert!(
        live.problem("network mock x --header nonsense").starts_with("error[bad_request]: `nonsense` is no header")
    );
    assert!(live.problem("network mock x --status 99").starts_with("error[bad_request]: "));
    assert!(live.problem("network block ''").starts_with("error[bad_request]: the pattern is empty"));
}

#[test]
fn what_was_heard_is_saved_as_an_archive() {
    let live = Live::open(app);
    live.run("click --name Post");
    live.ok("wait --response /api/user");
    live.ok("wait --idle");
    live.says("network har all.har --bodies --values", "saved ");
    let har: Value = serde_json::from_slice(&std::fs::read(live.home.work().join("all.har")).unwrap()).unwrap();
    let log = &har["log"];
    assert_eq!((log["version"].as_str(), log["creator"]["name"].as_str()), (Some("1.2"), Some("handeye")));
    let entries = log["entries"].as_array().unwrap();
    let post = entries.iter().find(|e| e["request"]["method"] == "POST").unwrap();
    assert_eq!(post["request"]["postData"]["text"], "n=页");
    assert_eq!(post["response"]["status"], 201);
    let content = &post["response"]["content"];
    assert_eq!((content["text"].as_str(), &content["size"]), (Some("POST /api/user n=页"), &json!(20)));
    for member in ["startedDateTime", "time", "cache", "timings"] {
        assert!(!post[member].is_null(), "{member} is missing");
    }
    // Without bodies it says as much of their sizes.
    live.says("network har sizes.har", "saved ");
    let har: Value = serde_json::from_slice(&std::fs::read(live.home.work().join("sizes.har")).unwrap()).unwrap();
    let post = har["log"]["entries"].as_array().unwrap().iter().find(|e| e["request"]["method"] == "POST").unwrap();
    assert_eq!((&post["response"]["content"]["size"], post["response"]["content"].get("text")), (&json!(20), None));
    // The listing is as new as before.
    assert!(live.ok("network list").contains("/api/user"));
}

#[test]
fn what_was_sent_and_credentials_are_kept_back() {
    let live = Live::open(|path| match path {
        "/" => page(
            "<title>Login</title><button onclick=\"fetch('/login', { method: 'POST', body: 'pw=hunter2', headers: { Authorization: 'Basic hunter3' } })\">In</button>",
        ),
        _ => Answer::Of(|_| reply("Content-Type: text/plain\r\nSet-Cookie: a=hunter4\r\n", "welcome")),
    });
    live.run("click --name In");
    let waited = live.json("wait --response /login");
    live.ok("wait --idle");
    let list = live.json("network list --filter /login");
    let number = list["requests"][0]["number"].as_u64().unwrap();
    live.says("network har plain.har", "saved ");
    live.says("network har full.har --values", "saved ");
    let file = |name: &str| std::fs::read_to_string(live.home.work().join(name)).unwrap();
    let one = live.ok(&format!("network show {number}"));
    assert!(one.contains("body:\n  | welcome"), "{one}");
    let json = live.json(&format!("network show {number}"));
    for shown in [waited.to_string(), list.to_string(), one, json.to_string(), file("plain.har")] {
        assert!(!shown.contains("hunter") && shown.contains("/login"), "{shown}");
    }
    assert!(json.to_string().contains("••••••••"), "{json}");
    for shown in [live.ok(&format!("network show {number} --values")), file("full.har")] {
        assert!(shown.contains("pw=hunter2") && !shown.contains("hunter3"), "{shown}");
    }
}
