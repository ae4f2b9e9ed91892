//! `act`: an aim in words, alone and as a step of a list. What was learnt of it is used where its target is what it was; else the
//! model is asked anew, and where there is none, nothing is done.

use handeye_testkit::home::{self, Ran};
use handeye_testkit::live::{Answer as Page, Live, page};
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::{Value, json};
use std::fs;

const SHOP: &str = r#"<title>Shop</title><button onclick="log('in')">Log in</button> <label>Search <input oninput="log('search', this.value)"></label>
<button onclick="log('gone')">Delete</button>"#;

/// The same with another name for what logs in.
const RENAMED: &str = r#"<title>Shop</title><button onclick="log('signed')">Sign in</button> <button onclick="log('gone')">Delete</button>"#;

/// One that calls itself otherwise as soon as it is pointed to.
const SHY: &str = r#"<title>Shop</title><button onpointerover="this.textContent = 'Sign in'" onclick="log(this.textContent)">Log in</button>
<button onclick="log('gone')">Delete</button>"#;

fn answer(asked: &Asked) -> Answer {
    let of = |target: &str, command: &str, text: &str, put: Option<&str>| {
        let number = asked.mark(target)?;
        Some(json!({"command": command, "mark_id": number, "expected_text": text, "text": put, "why": "serves it"}))
    };
    let found = if asked.text.contains("look for") {
        of("textbox \"Search\"", "input", "Search", Some("--timeout"))
    } else if asked.text.contains("log in") {
        of("button \"Log in\"", "click", "Log in", None).or_else(|| of("button \"Sign in\"", "click", "Sign in", None))
    } else {
        None
    };
    let all: Vec<Value> = found.into_iter().collect();
    Answer::Call(vec![("observe".to_owned(), json!({"candidates": all, "reasoning": "no such thing"}).to_string())])
}

struct Stage {
    live: Live,
    server: ModelServer,
}

impl Stage {
    fn new() -> Self {
        let live = Live::closed(|path| match path {
            "/other" => page("<title>Other</title>"),
            _ => Page::File("shop.html".into()),
        });
        let stage = Self { live, server: ModelServer::new(answer) };
        stage.set("", true);
        stage.show(SHOP);
        stage
    }

    /// Sets rules, with or without a model.
    fn set(&self, more: &str, model: bool) {
        let url = self.server.url();
        let models = format!("[models]\nurl = \"{url}\"\nmodel = \"agent-1\"\nkey_env = \"AGENT_KEY\"\nattempts = 1\n");
        self.live.settings(&format!("{more}\n{}", if model { models.as_str() } else { "" }));
    }

    /// Shows a page, with nothing logged.
    fn show(&self, html: &str) {
        fs::write(self.live.home.work().join("shop.html"), format!("<!doctype html><meta charset=utf-8>{LOG}{html}"))
            .unwrap();
        self.live.ok(&format!("open {}", self.live.site.at("/")));
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = self.live.home.command(args.iter().chain(&["--json"]));
        command.env("AGENT_KEY", "sk-key");
        home::run(command)
    }

    /// What came of a command, and how often the model was asked for that.
    fn asked(&self, args: &[&str]) -> (Ran, usize) {
        let before = self.server.asked().len();
        (self.run(args), self.server.asked().len() - before)
    }

    fn batch(&self, list: &str) -> (Ran, usize) {
        fs::write(self.live.home.work().join("list"), list).unwrap();
        self.asked(&["batch", "list"])
    }

    #[track_caller]
    fn logged(&self, words: &str) {
        let said = self.live.json("get attr --xpath /html data-log");
        assert_eq!(said["value"].as_str().unwrap_or_default().trim(), words);
    }
}

/// Notes what happened where no target shows it.
const LOG: &str = "<script>const log = (...words) => {
  const d = document.documentElement.dataset; d.log = [d.log ?? '', ...words].join(' ').trim() }</script>";

#[test]
fn an_aim_is_served_by_what_was_learnt_and_by_the_model_where_that_is_not_what_it_was() {
    let stage = Stage::new();
    let act = |args: &[&str]| {
        let (ran, asked) = stage.asked(&[&["act"], args].concat());
        (ran.exit(0).json(), asked)
    };
    let (first, asked) = act(&["log in"]);
    assert_eq!(
        (asked, &first["found"]["learnt"], &first["verdict"]),
        (1, &json!(false), &json!("confirmed")),
        "{first:#}"
    );
    assert_eq!(first["found"]["run"].as_str().map(|run| run.ends_with("--expect \"Log in\"")), Some(true));
    stage.show(SHOP);
    let (again, asked) = act(&[" LOG in"]);
    assert_eq!((asked, &again["found"]["learnt"], &again["found"]["model_calls"]), (0, &json!(true), &json!(0)));
    stage.logged("in");
    assert_eq!(act(&["log in", "--anew"]).1, 1);
    // What a model puts in is a text, whatever it looks like.
    let (searched, asked) = act(&["look for that"]);
    assert_eq!((asked, &searched["changes"][0]["to"]), (1, &json!("--timeout")), "{searched:#}");
    // Another name: the model is asked, and what it says is learnt in place of the other.
    for wanted in [1, 0] {
        stage.show(RENAMED);
        let (told, asked) = act(&["log in"]);
        assert_eq!((asked, &told["target"]["name"]), (wanted, &json!("Sign in")), "{told:#}");
        stage.logged("signed");
    }
    // Another name from the moment on at which it is pointed to: what was learnt isn't pressed, and asked for anew.
    stage.show(SHOP);
    assert_eq!(act(&["log in"]).1, 1);
    stage.show(SHY);
    let (told, asked) = act(&["log in"]);
    assert_eq!((asked, &told["found"]["learnt"]), (1, &json!(false)), "{told:#}");
    assert!(told["found"]["not_used"].is_string(), "{told:#}");
    stage.logged("Sign in");
}

#[test]
fn what_comes_to_nothing_is_forgotten_and_what_serves_nothing_is_not_done() {
    let stage = Stage::new();
    let (ran, _) = stage.asked(&["act", "log in"]);
    ran.exit(0);
    stage.show("<title>Shop</title><button>Log in</button>");
    let (ran, asked) = stage.asked(&["act", "log in"]);
    assert_eq!((asked, ran.exit(1).json()["verdict"].as_str()), (0, Some("no_effect")));
    assert_eq!(stage.asked(&["act", "log in"]).1, 1, "it led astray once");
    stage.show(SHOP);
    let (ran, asked) = stage.asked(&["act", "fly away"]);
    assert_eq!((asked, ran.exit(2).code().as_str()), (1, "not_found"));
    let (ran, asked) = stage.asked(&["act", "  "]);
    assert_eq!((asked, ran.exit(2).code().as_str()), (0, "bad_request"));
    let (ran, _) = stage.asked(&["act", "log in", "--timeout", "0"]);
    assert_eq!(ran.exit(2).code(), "timeout");
    stage.logged("");
}

#[test]
fn without_a_model_what_was_learnt_is_used_where_it_holds_and_nothing_is_done_elsewhere() {
    let stage = Stage::new();
    stage.run(&["act", "log in"]).exit(0);
    stage.set("", false);
    stage.show(SHOP);
    for args in [["act", "log in"], ["observe", "log in"]] {
        let told = stage.run(&args).exit(0).json();
        assert!(told["learnt"] == true || told["found"]["learnt"] == true, "{told:#}");
    }
    stage.logged("in");
    for (html, aim, known) in [(RENAMED, "log in", true), (SHY, "log in", true), (SHOP, "look for that", false)] {
        stage.show(html);
        for command in ["act", "observe"] {
            // Nothing points to it where nothing is done.
            if html == SHY && command == "observe" {
                continue;
            }
            let ran = stage.run(&[command, aim]).exit(2);
            let told = ran.json();
            let message = told["error"]["message"].as_str().unwrap();
            assert!(message.contains("models.url") && message.contains("learnt") == known, "{command}: {message}");
        }
        stage.logged("");
    }
    assert!(stage.server.asked().len() == 1, "nobody else was asked");
}

#[test]
fn a_step_of_a_list_may_name_an_aim() {
    let stage = Stage::new();
    let url = stage.live.site.at("/");
    let list = format!(
        "open {url}\nact \"log in\"\nverify count 'css=button' 2\n{{\"command\": \"act\", \"args\": {{\"aim\": \"look for that\"}}}}\n"
    );
    for wanted in [2, 0] {
        let (ran, asked) = stage.batch(&list);
        let told = ran.exit(0).json();
        assert_eq!(asked, wanted, "{told:#}");
        assert_eq!(told["steps"][1]["result"]["found"]["learnt"], json!(wanted == 0), "{told:#}");
        stage.logged("in search --timeout");
    }
    // The page is another one: the model is asked for that step alone.
    stage.show(RENAMED);
    let (ran, asked) = stage.batch("act 'log in'\nclick --name Delete");
    assert_eq!((asked, ran.exit(0).json()["steps"].as_array().unwrap().len()), (1, 2));
    stage.logged("signed gone");
    // Without a model the list stops there, and says why.
    stage.set("", false);
    stage.show(SHOP);
    let (ran, _) = stage.batch("act 'log in'\nclick --name Delete");
    let told = ran.exit(1).json();
    assert_eq!(
        (&told["stopped_at"], &told["steps"][0]["error"]["code"]),
        (&json!(1), &json!("unavailable")),
        "{told:#}"
    );
    assert!(told["reason"].as_str().unwrap().contains("models.url"), "{told:#}");
    stage.logged("");
    // What can't be meant is told before anything is run.
    let (ran, _) = stage.batch("click --name Delete\nact ''");
    assert_eq!(ran.exit(2).code(), "bad_request");
    stage.logged("");
}

#[test]
fn the_policy_decides_of_what_serves_an_aim_and_a_trace_tells_of_it() {
    let stage = Stage::new();
    stage.run(&["act", "log in"]).exit(0);
    stage.live.ok("close");
    stage.set("[policy]\ndeny = [\"acts:button:Log in\"]", true);
    stage.live.ok(&format!("open {} --trace trace", stage.live.site.at("/")));
    for args in [["act", "log in", "--timeout=60"], ["act", "log in", "--anew"]] {
        assert_eq!(stage.run(&args).exit(2).code(), "denied");
    }
    let (ran, _) = stage.batch("act 'log in'");
    assert_eq!(ran.exit(1).json()["steps"][0]["error"]["code"], "denied");
    stage.run(&["act", "look for that"]).exit(0);
    stage.logged("search --timeout");
    stage.live.ok("close");
    stage.live.ok("trace verify trace");
    let trace = fs::read_to_string(stage.live.home.work().join("trace/trace.jsonl")).unwrap();
    let lines: Vec<Value> = trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let asked = |command: &str| {
        let of = |line: &&Value| {
            line.to_string().contains(&format!("\"command\":\"{command}\"")) && line.to_string().contains("\"models\"")
        };
        lines.iter().filter(of).count()
    };
    assert_eq!((asked("click"), asked("input")), (1, 1), "{trace}");
    stage.live.ok("trace replay trace");
}
