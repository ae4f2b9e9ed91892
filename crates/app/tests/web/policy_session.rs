//! A session owns its rules: they are fixed when it begins, whoever calls later, and a lost browser comes back as it was.

use handeye_testkit::home::{self, Talk, eventually, kill};
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::{Value, json};
use std::time::Duration;

fn site(_: &str) -> Answer {
    page(
        "<title>Page</title><button id=b onclick=\"log('clicked')\">Go</button><div id=d onclick=\"log('bare')\">&nbsp;</div><input id=i>",
    )
}

/// What a client sends that would loosen the rules of the session: the command, and the policy that it brings.
fn attacks() -> Vec<(&'static str, Value, Value)> {
    let click = json!({ "css": ["#b"] });
    vec![
        ("click", click.clone(), json!({})),
        ("click", click.clone(), json!({ "deny": [], "ask": [] })),
        ("click", click.clone(), json!({ "deny": ["acts@https://other.example"], "unverifiable": "act" })),
        ("click", click, json!({ "allow": ["eval"], "deny": ["reads@https://other.example"] })),
        ("input", json!({ "css": ["#i"], "text": "x" }), json!({})),
        ("keys", json!({ "keys": ["x"] }), json!({ "ask": [] })),
        ("click-at", json!({ "x": 5, "y": 5 }), json!({})),
        ("eval", json!({ "expression": "log('ran')" }), json!({ "allow": ["eval"] })),
        ("wait", json!({ "fn": "log('ran')" }), json!({ "allow": ["eval"] })),
        ("open", json!({ "url": "http://other.example/", "allow": ["eval"] }), json!({ "allow": ["eval"] })),
        ("open", json!({ "url": "http://other.example/" }), json!({ "allow_origins": [], "deny_origins": [] })),
    ]
}

#[test]
fn a_client_brings_no_rules_that_loosen_the_sessions() {
    let live = Live::closed(site);
    live.settings("[policy]\ndeny = [\"acts\"]\ndeny_origins = [\"http://other.example\"]\n");
    live.ok(&format!("open {}", live.site.at("/")));
    live.settings("[policy]\nallow = [\"eval\"]\nunverifiable = \"act\"\n");
    let mut talk = Talk::to(&live.home.run_dir().join("default.sock"));
    for (command, args, policy) in attacks() {
        let request = json!({ "command": command, "args": args, "flags": { "settings": { "policy": policy } } });
        let answer = talk.ask(&request);
        let code = answer["error"]["code"].as_str().unwrap_or_else(|| panic!("{request}: {answer}"));
        let more = command == "open" && request["args"]["allow"].is_array();
        assert!(code == "denied" || (more && code == "bad_request"), "{request}: {answer}");
    }
    // Nor does the user's own file of another day.
    for line in ["click --css #b", "eval 1+1", "input --css #i x"] {
        assert!(live.problem(line).starts_with("error[denied]"), "{line}");
    }
    live.logged("");
    // What a call adds holds for it, and for it alone.
    let look = |policy: Value| json!({ "command": "state", "flags": { "settings": { "policy": policy } } });
    assert_eq!(talk.ask(&look(json!({ "deny": ["reads"] })))["error"]["code"], "denied");
    assert_eq!(talk.ask(&look(json!({})))["status"], "ok");
}

/// The browser goes by the rules about pages that it was opened under: others are not passed over in silence.
#[test]
fn stricter_rules_about_pages_end_what_was_opened_without_them() {
    let live = Live::closed(site);
    live.settings("[policy]\ndeny_origins = [\"http://other.example\"]\n");
    live.ok(&format!("open {}", live.site.at("/")));
    for (policy, refused) in [
        ("deny_origins = [\"http://other.example\", \"http://127.0.0.1:*\"]", true),
        ("allow_origins = [\"http://other.example\"]", true),
        ("public_only = true", true),
        ("deny_origins = [\"http://other.example\"]", false),
        ("", false),
    ] {
        live.settings(&format!("[policy]\n{policy}\n"));
        for line in ["state", "click --css #b", "reload"] {
            let ran = live.run(line);
            assert_eq!(ran.err.starts_with("error[denied]"), refused, "{policy}: {line}: {ran:?}");
        }
    }
    live.settings("[policy]\npublic_only = true\n");
    live.ok("sessions stop default");
}

#[test]
fn what_is_not_verifiable_stays_refused_where_the_session_began_so() {
    let live = Live::open(site);
    live.settings("[policy]\nunverifiable = \"act\"\n");
    let said = live.not("click --css #d --expect Something");
    assert!(said.contains("not clicked") || said.contains("expected"), "{said}");
    live.logged("");
    let allowed = Live::closed(site);
    allowed.settings("[policy]\nallow = [\"eval\"]\n");
    allowed.ok(&format!("open {}", allowed.site.at("/")));
    allowed.settings("");
    allowed.says("eval 6*7", "42");
}

/// Arguments of the browser's main process.
fn arguments(live: &Live) -> (i32, String) {
    let note = std::fs::read(live.home.run_dir().join("default/browser.json")).unwrap();
    let pid = serde_json::from_slice::<Value>(&note).unwrap()["pid"].as_i64().unwrap() as i32;
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    (pid, String::from_utf8_lossy(&line).replace('\0', " "))
}

fn kill_browser(live: &Live) {
    let (pid, _) = arguments(live);
    kill(pid, "KILL");
    assert!(eventually(Duration::from_secs(5), || !std::path::Path::new(&format!("/proc/{pid}/exe")).exists()));
    live.run("get title");
}

#[test]
fn a_lost_browser_comes_back_as_it_was() {
    let live = Live::closed(site);
    // The site is the proxy: pages of this host are shown through it alone.
    let proxy = format!("http://127.0.0.1:{}", live.site.port);
    let kept = live.home.work().join("kept");
    let options = format!("--proxy {proxy} --profile {}", kept.display());
    live.ok(&format!("open http://elsewhere.invalid/ {options}"));
    assert_eq!(live.ok("get title"), "Page");
    for (n, settings) in ["", "[desktop]\ndisplay = \":9\"\n", "[policy]\nallow = [\"eval\"]\n"].into_iter().enumerate()
    {
        if !is_full() && n == 0 {
            continue;
        }
        live.settings(settings);
        kill_browser(&live);
        // Options of another day: by the environment, and by flags that say otherwise.
        let mut command = live.home.command(["open", "http://elsewhere.invalid/again"]);
        command.env("HANDEYE_PROXY", "http://127.0.0.1:1").env("HANDEYE_PROFILE", live.home.work().join("theirs"));
        command.env("HANDEYE_CDP", "http://127.0.0.1:1");
        if n == 1 {
            for other in
                ["--proxy http://127.0.0.1:1", "--profile theirs", "--headed", "--allow eval", "--browser-arg=--x"]
            {
                let said = live.problem(&format!("open http://elsewhere.invalid/ {other}"));
                assert!(said.starts_with("error[bad_request]") && said.contains("differs from how"), "{other}: {said}");
            }
        }
        home::run(command).exit(0);
        assert_eq!(live.ok("get title"), "Page");
        let (_, arguments) = arguments(&live);
        assert!(arguments.contains(&format!("--proxy-server={proxy}")), "{arguments}");
        assert!(arguments.contains(&format!("--user-data-dir={} ", kept.display())), "{arguments}");
        assert!(live.problem("eval 1+1").starts_with("error[denied]"));
    }
    // The same options are no other ones.
    kill_browser(&live);
    live.ok(&format!("open http://elsewhere.invalid/ {options}"));
    assert!(!live.home.work().join("theirs").exists());
}
