//! What `observe` learnt: used again where it still finds its target alone and as it was, learnt anew everywhere else.

use handeye_testkit::home::{self, Ran};
use handeye_testkit::live::{Answer as Page, Live, page};
use handeye_testkit::models::{Answer, ModelServer};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

const SHOP: &str = r#"<title>Shop</title><button onclick="log('in')">Log in</button> <a href=/cart>Basket</a>
<label>Search <input></label> <button onclick="log('gone')">Delete</button>"#;

fn route(path: &str) -> Page {
    match path {
        "/other" => page(SHOP),
        "/item/7" | "/item/8" => page("<title>Item</title><button>Log in</button>"),
        _ => Page::File("shop.html".into()),
    }
}

/// A model that proposes to log in and to search, where that is shown.
fn server() -> ModelServer {
    ModelServer::new(|asked| {
        let at = |target: &str| asked.mark(target);
        let click = |number: u64, text: &str| json!({"command": "click", "mark_id": number, "expected_text": text, "why": "logs in"});
        let first = at("button \"Log in\"")
            .map(|n| click(n, "Log in"))
            .or_else(|| at("link \"Sign in\"").map(|n| click(n, "Sign in")));
        let search = at("textbox \"Search\"").map(|n| json!({"command": "input", "mark_id": n, "expected_text": "Search", "text": "it's a lamp", "why": "searches"}));
        let all: Vec<Value> = first.into_iter().chain(search).collect();
        Answer::Call(vec![("observe".to_owned(), json!({ "candidates": all, "reasoning": "no" }).to_string())])
    })
}

struct Stage {
    live: Live,
    server: ModelServer,
}

impl Stage {
    fn new() -> Self {
        let (live, server) = (Live::closed(route), server());
        let stage = Self { live, server };
        stage.set("");
        stage.serve(SHOP);
        stage.live.ok(&format!("open {}", stage.live.site.at("/")));
        stage
    }

    fn set(&self, more: &str) {
        self.live.settings(&format!(
            "{more}\n[models]\nurl = \"{}\"\nmodel = \"agent-1\"\nkey_env = \"AGENT_KEY\"\nattempts = 1\n",
            self.server.url()
        ));
    }

    fn serve(&self, html: &str) {
        fs::write(self.live.home.work().join("shop.html"), format!("<!doctype html><meta charset=utf-8>{html}"))
            .unwrap();
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = self.live.home.command(args.iter().chain(&["--json"]));
        command.env("AGENT_KEY", "sk-key");
        home::run(command)
    }

    /// Whether an aim was known, and how often the model was asked.
    fn observed(&self, aim: &str) -> (bool, usize, Value) {
        let before = self.server.asked().len();
        let told = self.run(&["observe", aim]).exit(0).json();
        (told["learnt"] == true, self.server.asked().len() - before, told)
    }

    /// The aim is asked of the model, and then known.
    #[track_caller]
    fn learns(&self, what: &str) {
        let (known, asked, told) = self.observed("log in");
        assert_eq!((known, asked), (false, 1), "{what}: {told}");
        let (known, asked, told) = self.observed("log in");
        assert_eq!((known, asked), (true, 0), "{what}, again: {told}");
    }

    /// The aim is asked of the model each time.
    #[track_caller]
    fn asks(&self, what: &str) {
        for _ in 0..2 {
            let (known, asked, told) = self.observed("log in");
            assert_eq!((known, asked), (false, 1), "{what}: {told}");
        }
    }

    fn file(&self) -> PathBuf {
        self.live.home.path().join(".local/share/handeye/learnt.json")
    }
}

#[test]
fn what_was_learnt_is_used_while_it_is_what_it_was_and_learnt_anew_else() {
    let stage = Stage::new();
    let reload = || stage.live.ok("reload");
    let (_, _, first) = stage.observed("log in");
    assert_eq!((&first["learnt"], &first["model_calls"]), (&json!(false), &json!(1)));
    let (known, asked, second) = stage.observed("  LOG in ");
    assert_eq!((known, asked, &second["candidates"]), (true, 0, &first["candidates"]), "{second}");
    assert_eq!(fs::metadata(stage.file()).unwrap().permissions().mode() & 0o077, 0);
    let runs: Vec<&str> =
        second["candidates"].as_array().unwrap().iter().map(|one| one["selector"].as_str().unwrap()).collect();
    assert_eq!(
        runs,
        [
            "handeye click --role button --name \"Log in\" --expect \"Log in\"",
            "handeye input --role textbox --name Search \"it's a lamp\" --expect Search"
        ]
    );
    // It is asked for anew where the caller says so.
    let before = stage.server.asked().len();
    assert_eq!(stage.run(&["observe", "log in", "--anew"]).exit(0).json()["learnt"], false);
    assert_eq!(stage.server.asked().len(), before + 1);
    // Another aim is another one.
    assert!(!stage.observed("search").0);

    for (what, html) in [
        (
            "gone, and another in its place",
            SHOP.replace("<button onclick=\"log('in')\">Log in</button>", "<a href=/in>Sign in</a>"),
        ),
        (
            "it leads to another origin",
            SHOP.replace("<button onclick=\"log('in')\">Log in</button>", "<a href=http://localhost:1/in>Sign in</a>"),
        ),
        ("one of two is gone", SHOP.replace("<label>Search <input></label>", "")),
        (
            "it shows more than its name",
            SHOP.replace("<button onclick=\"log('in')\">", "<button aria-label='Log in'>5 "),
        ),
        ("as it was at first", SHOP.to_owned()),
    ] {
        stage.serve(&html);
        reload();
        stage.learns(what);
    }
    // Two that are alike: which was meant, nobody can say.
    stage.serve(&format!("{SHOP}<button onclick=\"log('twin')\">Log in</button>"));
    reload();
    stage.asks("two of them");
    stage.serve(SHOP);
    reload();
    stage.learns("one of them again");

    // Other places: the same path of another origin, another path, and another item of a kind.
    let port = stage.live.site.port;
    stage.live.ok(&format!("open http://localhost:{port}/"));
    stage.learns("another origin");
    stage.live.ok(&format!("open {}", stage.live.site.at("/other")));
    stage.learns("another path");
    stage.live.ok(&format!("open {}", stage.live.site.at("/item/7")));
    stage.learns("an item");
    stage.live.ok(&format!("open {}", stage.live.site.at("/item/8")));
    assert!(stage.observed("log in").0, "another item of that kind");
    // A frame of another origin that shows the like is none of it.
    stage.serve(&SHOP.replace(
        "<button onclick=\"log('in')\">Log in</button>",
        &format!("<iframe src='http://localhost:{port}/item/7' width=300 height=100></iframe>"),
    ));
    stage.live.ok(&format!("open {}", stage.live.site.at("/")));
    stage.live.ok("wait --text Log");
    assert!(!stage.observed("log in").0, "in a frame of another origin");
    stage.live.logged("");
}

#[test]
fn a_file_that_is_not_ours_is_not_used_and_nothing_in_it_is_run() {
    let stage = Stage::new();
    stage.learns("a first time");
    let good = fs::read_to_string(stage.file()).unwrap();
    let with = |member: &str, value: Value| {
        let mut all: Value = serde_json::from_str(&good).unwrap();
        all[0]["actions"][0][member] = value;
        all.to_string()
    };
    for (what, text, is_named) in [
        ("no JSON", "{".to_owned(), true),
        ("another form", "{\"a\":1}".to_owned(), true),
        ("no text", "[1]".to_owned(), true),
        ("more members", with("run", json!("eval")), true),
        ("a command that is none", with("command", json!("eval")), false),
        ("a command that isn't offered", with("command", json!("upload")), false),
        ("another target's name", with("name", json!("Delete")), false),
        ("another role", with("role", json!("link")), false),
        ("another expectation", with("expect", json!("Delete")), false),
        ("no expectation", with("expect", json!("")), false),
        ("no actions", "[]".to_owned(), false),
    ] {
        fs::write(stage.file(), text).unwrap();
        let (known, asked, told) = stage.observed("log in");
        assert_eq!((known, asked), (false, 1), "{what}: {told}");
        assert_eq!(told["warnings"].to_string().contains("isn't used"), is_named, "{what}: {told}");
        assert!(told["candidates"][0]["run"].as_str().unwrap().contains("--expect \"Log in\""), "{what}: {told}");
        assert!(stage.observed("log in").0, "{what}: it is learnt anew");
    }
    let fresh = fs::read_to_string(stage.file()).unwrap();
    fs::set_permissions(stage.file(), fs::Permissions::from_mode(0o666)).unwrap();
    stage.learns("that others can write");
    assert_eq!(fs::metadata(stage.file()).unwrap().permissions().mode() & 0o077, 0);
    let elsewhere = stage.live.home.work().join("elsewhere.json");
    fs::rename(stage.file(), &elsewhere).unwrap();
    symlink(&elsewhere, stage.file()).unwrap();
    stage.learns("a link to another place");
    assert_eq!(fs::read_to_string(&elsewhere).unwrap().len(), fresh.len(), "what it leads to is left");
    fs::File::create(stage.file()).unwrap().set_len(5 << 20).unwrap();
    stage.learns("larger than any of ours");
    // What can't be kept is told, and learnt each time.
    fs::remove_dir_all(stage.file().parent().unwrap()).unwrap();
    fs::write(stage.file().parent().unwrap(), "no folder").unwrap();
    let (known, _, told) = stage.observed("log in");
    assert!(!known && told["warnings"].to_string().contains("can't be"), "{told}");
    stage.live.logged("");
}

#[test]
fn the_policy_decides_of_what_was_learnt_as_of_everything_else() {
    let stage = Stage::new();
    stage.learns("before there are rules");
    stage.live.ok("close");
    stage.set("[policy]\ndeny = [\"acts:button:Log in\"]");
    stage.live.ok(&format!("open {}", stage.live.site.at("/")));
    let (known, _, told) = stage.observed("log in");
    assert!(known, "{told}");
    for line in ["run", "selector"] {
        let line = told["candidates"][0][line].as_str().unwrap().strip_prefix("handeye ").unwrap().replace('"', "'");
        assert_eq!(stage.live.run(&format!("{line} --json")).exit(2).code(), "denied", "{line}");
    }
    stage.live.logged("");
    // A page that must not be read tells of nothing that was learnt of it.
    stage.live.ok("close");
    stage.set(&format!("[policy]\ndeny = [\"reads@http://127.0.0.1:{}\"]", stage.live.site.port));
    stage.live.ok(&format!("open {}", stage.live.site.at("/")));
    assert_eq!(stage.run(&["observe", "log in"]).exit(2).code(), "denied");
}
