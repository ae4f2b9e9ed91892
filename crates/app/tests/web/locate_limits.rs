//! `locate` with limits, with servers that fail or are of no use, and `models`, which tells of them beforehand.

use crate::locate::{KEY, colour, found, models, route, run};
use handeye_testkit::home;
use handeye_testkit::is_full;
use handeye_testkit::live::Live;
use handeye_testkit::models::{Answer, Asked, Eye, ModelServer, Truth};
use std::time::{Duration, Instant};

#[test]
fn a_limit_on_what_is_spent_ends_the_search_and_holds_for_the_session() {
    let live = Live::open(route);
    let server = colour([0x12, 0x2c, 0x56], 0.0, 1);
    // The server counts 120 tokens for each answer.
    live.settings(&models(&server, "openai", "max_tokens = 100"));
    let ran = run(&live, &["locate", "the dark button", "--json"]);
    let told = ran.json();
    let came = (ran.status, &told["reason"], &told["problem"]["code"], told["steps"].as_array().map(Vec::len));
    assert_eq!(came, (Some(1), &"undecided".into(), &"denied".into(), Some(1)), "{told}");
    assert_eq!(server.asked().len(), 1);
    // A call that allows more doesn't lift it.
    live.settings(&models(&server, "openai", "max_tokens = 100000"));
    assert_eq!(run(&live, &["locate", "the dark button", "--json"]).code(), "denied");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn what_was_asked_is_told_where_the_time_is_up_or_the_model_fails_later() {
    let live = Live::open(route);
    // From which question on the server fails, and how; what else is asked; the problem that is told, and the steps.
    type Later = (usize, fn() -> Answer, &'static [&'static str], Option<&'static str>, usize);
    let table: [Later; 6] = [
        // The time of the search is up: no problem, but its end, of which the reason tells.
        (0, || Answer::Stall(Duration::from_secs(20)), &["--timeout", "10"], None, 1),
        (1, || Answer::Stall(Duration::from_secs(20)), &["--timeout", "10"], None, 2),
        // The model's own time is up, while the search has more.
        (1, || Answer::Stall(Duration::from_secs(20)), &[], Some("timeout"), 1),
        (1, || Answer::Fail(401, "", String::new()), &[], Some("denied"), 1),
        (1, || Answer::Fail(500, "", String::new()), &[], Some("unreachable"), 1),
        (1, || Answer::Raw("text/html", "<html>".into()), &[], Some("unavailable"), 1),
    ];
    for (at, (from, answer, more, code, steps)) in table.into_iter().enumerate() {
        // By default where the time is up while it looks; a model that fails later comes below.
        if !is_full() && at != 1 {
            continue;
        }
        let eye = Eye::new(Truth::Colour([0x12, 0x2c, 0x56]), 0.0, 1);
        let server = ModelServer::new(move |asked| if asked.number < from { eye.look(asked) } else { answer() });
        let patience = if code.is_some() { "3.0" } else { "60.0" };
        live.settings(&models(&server, "openai", &format!("timeout = {patience}\nattempts = 1")));
        let ran = run(&live, &[&["locate", "the dark button", "--json"], more].concat());
        let told = ran.json();
        let what = format!("fails from {from} {more:?}: {ran:?}");
        let reason = if code.is_none() { "timeout" } else { "undecided" };
        assert_eq!((ran.status, &told["success"], &told["reason"]), (Some(1), &false.into(), &reason.into()), "{what}");
        assert_eq!(told["problem"]["code"].as_str(), code, "{what}");
        assert_eq!(told["steps"].as_array().map(Vec::len), Some(steps), "{what}");
        if code.is_none() {
            assert_eq!(told["steps"][steps - 1]["answer"], "none in time", "{what}");
            assert_eq!(told["hints"][1], "handeye locate --timeout 60 \"the dark button\"", "{what}");
        }
        live.ok("get title");
    }
    // However short the time is.
    let ran = run(&live, &["locate", "the dark button", "--json", "--timeout", "0.001"]);
    let told = ran.json();
    let came = told["error"]["code"].as_str().or(told["reason"].as_str());
    assert_eq!(came, Some("timeout"), "{ran:?}");
    // The text says the same.
    let eye = Eye::new(Truth::Colour([0x12, 0x2c, 0x56]), 0.0, 1);
    let server = ModelServer::new(move |asked| match asked.number {
        0 => eye.look(asked),
        _ => Answer::Fail(401, "", String::new()),
    });
    live.settings(&models(&server, "openai", "attempts = 1"));
    let ran = run(&live, &["locate", "the dark button"]);
    assert!(
        ran.out.contains("undecided") && ran.out.contains("1. crosshair") && ran.out.contains("error[denied]"),
        "{ran:?}"
    );
}

/// What a model server does; the problem's code, or what the search came to; requests at most.
type Bad = (&'static str, fn(&Asked) -> Answer, &'static str, usize);

#[test]
fn a_server_that_is_of_no_use_is_told_of_in_time_and_never_takes_the_session_along() {
    let wrong_key: fn(&Asked) -> Answer = |asked| {
        Answer::Fail(
            401,
            "",
            format!(r#"{{"error":{{"message":"wrong key {}"}}}}"#, asked.key.clone().unwrap_or_default()),
        )
    };
    let table: &[Bad] = &[
        ("a wrong key", wrong_key, "denied", 1),
        (
            "an unknown model",
            |_| Answer::Fail(404, "", r#"{"error":{"message":"no such model"}}"#.into()),
            "bad_request",
            1,
        ),
        ("overloaded", |_| Answer::Fail(529, "", String::new()), "unreachable", 2),
        ("slow", |_| Answer::Stall(Duration::from_secs(20)), "timeout", 1),
        ("cut off", |_| Answer::Cut("[vertical line]\nleft".into()), "unreachable", 2),
        ("a web page", |_| Answer::Raw("text/html", "<html>502</html>".into()), "unavailable", 3),
        ("nothing", |_| Answer::Raw("application/json", String::new()), "unavailable", 3),
        ("half of JSON", |_| Answer::Raw("application/json", "{\"choices\":[{\"mess".into()), "unavailable", 3),
        ("a refusal", |_| Answer::Refuse("I can't help with that.".into()), "unavailable", 3),
        ("no words", |_| Answer::Say(String::new()), "unavailable", 3),
        ("another language", |_| Answer::Say("La cible est à gauche.".into()), "undecided", 6),
        (
            "both at once",
            |_| Answer::Say("[vertical line]\nleft or right\n[horizontal line]\nabove, below".into()),
            "undecided",
            6,
        ),
    ];
    let live = Live::open(route);
    for (what, answer, wanted, most) in table {
        // By default one for each way in which it ends.
        let alike = ["cut off", "nothing", "half of JSON", "a refusal", "no words", "both at once"];
        if !is_full() && alike.contains(what) {
            continue;
        }
        let server = ModelServer::new(*answer);
        live.settings(&models(&server, "openai", "timeout = 3.0\nattempts = 2"));
        let began = Instant::now();
        let ran = run(&live, &["locate", "the dark button", "--max-steps", "2", "--json"]);
        assert!(began.elapsed() < Duration::from_secs(12), "{what}: {:?}", began.elapsed());
        let told = ran.json();
        let came = told["error"]["code"].as_str().or(told["reason"].as_str()).unwrap_or_default();
        assert_eq!(came, *wanted, "{what}: {ran:?}");
        let count = server.asked().len();
        assert!((1..=*most).contains(&count), "{what}: {count} requests");
        live.ok("get title");
    }
    // No server, no model, no key.
    for (settings, code) in [
        ("[models]\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nattempts = 1", "unreachable"),
        ("[models]\nurl = \"ftp://127.0.0.1/v1\"\nmodel = \"m\"", "bad_request"),
        ("[models]\nurl = \"no address\"\nmodel = \"m\"", "bad_request"),
        ("[models]\nurl = \"http://127.0.0.1:9/v1\"", "unavailable"),
        ("", "unavailable"),
        ("[models]\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nkey_env = \"NOT_SET\"", "denied"),
        ("[models]\nkey_env = \"A=B\"", "bad_request"),
    ] {
        live.settings(settings);
        assert_eq!(run(&live, &["locate", "x", "--json"]).code(), code, "{settings}");
    }
    live.settings("");
    for words in [
        &["locate", ""][..],
        &["locate", "x", "--text", "y"],
        &["locate", "x", "--act", "input"],
        &["locate", "x", "--expect", "y"],
        &["locate", "x", "--confidence", "7"],
        &["locate", "x", "--role", "buton"],
    ] {
        assert!(run(&live, words).err.contains("error[bad_request]"), "{words:?}");
    }
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn pictures_of_any_size_and_of_nothing_are_borne() {
    let live = Live::closed(route);
    let server = colour([0x77, 0x30, 0x1a], 0.0, 1);
    live.settings(&models(&server, "openai", "error = 0.02"));
    live.ok(&format!("open {}", live.site.at("/high")));
    // All of it in one picture, far larger than a model sees: it is shown in parts.
    live.ok("set viewport 700x9000");
    let told = found(&live, &["locate", "the brown button", "--visible"]);
    assert_eq!((&told["element"]["name"], &told["success"]), (&"Far".into(), &true.into()), "{told}");
    live.ok("set viewport 100x10000 --scale 2");
    let ran = run(&live, &["locate", "the brown button", "--visible", "--max-steps", "2", "--json"]);
    assert!(ran.status != Some(0), "{ran:?}");
    live.ok("set viewport 1x1");
    let ran = run(&live, &["locate", "the brown button", "--visible", "--json"]);
    assert!(matches!(ran.code().as_str(), "blocked" | "timeout"), "{ran:?}");
    live.ok("set viewport --reset");
    live.ok(&format!("open {}", live.site.at("/black")));
    let told = found(&live, &["locate", "the brown button"]);
    assert_eq!(told["reason"], "not_found", "{told}");
}

#[test]
fn what_the_settings_of_models_lack_is_told_and_no_key_is_repeated() {
    let live = Live::closed(route);
    let server = ModelServer::new(|_| Answer::Say("ready".into()));
    let own = live.home.work().join("my own.toml");
    let named = |settings: &str, words: &[&str]| {
        std::fs::write(&own, settings).unwrap();
        run(&live, &[&["--config", own.to_str().unwrap(), "--json"], words].concat())
    };
    let listed = |settings: &str| named(settings, &["models", "list"]).exit(0).json()["roles"][0].clone();
    let url = format!("[models]\nurl = \"{}\"\n", server.url());
    let unset = listed(&url);
    assert_eq!(
        (&unset["url"], &unset["missing"]),
        (&server.url().into(), &serde_json::json!(["models.model"])),
        "{unset}"
    );
    let priceless = format!("{url}model = \"eye-1\"\nmax_cost = 0.5\ninput_price = 1.0\n");
    assert_eq!(listed(&priceless)["missing"], serde_json::json!(["models.output_price"]));
    let refused = named(&priceless, &["models", "test", "judge"]).exit(1).json();
    assert_eq!(refused["roles"][0]["test"]["error"]["code"], "bad_request", "{refused}");
    assert!(server.asked().is_empty());
    let priced = named(&format!("{priceless}output_price = 2.0\n"), &["models", "test", "judge"]).exit(0).json();
    assert_eq!((&priced["roles"][0]["missing"], server.asked().len()), (&serde_json::json!([]), 1), "{priced}");
    // What is to be run next reads the file that was named, and doesn't end with the same.
    let problem = named(&url, &["models", "test"]).exit(2).json();
    let hints = problem["error"]["hints"].as_array().unwrap();
    let list = format!("handeye --config \"{}\" models list", own.display());
    assert!(hints.iter().any(|hint| *hint == list.as_str()), "{problem}");
    assert!(hints.iter().all(|hint| !hint.as_str().unwrap().contains("models test")), "{problem}");
    let pasted = named(&format!("{url}key_env = \"sk-abc123456789\"\n"), &["models", "list"]).exit(2);
    assert_eq!(pasted.code(), "bad_request");
    assert!(!pasted.out.contains("sk-abc123456789"), "{pasted:?}");
}

#[test]
fn models_are_listed_and_tested_without_a_session() {
    let live = Live::closed(route);
    let server = ModelServer::new(|asked| match asked.key.as_deref() {
        Some(KEY) => Answer::Say("ready".into()),
        key => Answer::Fail(401, "", format!(r#"{{"error":{{"message":"wrong key {}"}}}}"#, key.unwrap_or("none"))),
    });
    live.settings("");
    let none = run(&live, &["models", "list"]).exit(0);
    assert!(none.out.contains("judge: no model is set"), "{none:?}");
    let untested = run(&live, &["models", "test", "--json"]);
    assert_eq!(untested.code(), "unavailable");
    assert!(
        untested.out.contains("handeye/handeye.toml") && untested.out.contains("HANDEYE_MODEL_KEY"),
        "{untested:?}"
    );
    // A file that is named is the one that is read, and so the one to set it in.
    let named = live.home.work().join("other.toml");
    std::fs::write(&named, "").unwrap();
    let ran = run(&live, &["models", "test", "--json", "--config", named.to_str().unwrap()]);
    assert!(ran.out.contains("other.toml") && !ran.out.contains("handeye/handeye.toml"), "{ran:?}");
    // The key without a name goes to the only server that is set, and to none of several.
    let with_key = |settings: &str| {
        live.settings(settings);
        let mut command = live.home.command(["models", "test", "agent", "--json"]);
        command.env("HANDEYE_MODEL_KEY", KEY);
        home::run(command).json()["roles"][0].clone()
    };
    let agent = format!("[models.agent]\nurl = \"{}\"\nmodel = \"eye-1\"\n", server.url());
    let alone = with_key(&agent);
    assert_eq!((&alone["test"]["ok"], &alone["key_env"]), (&true.into(), &"HANDEYE_MODEL_KEY".into()), "{alone}");
    let one_of_two = with_key(&format!("{agent}[models.judge]\nurl = \"http://127.0.0.1:1\"\nmodel = \"eye-1\"\n"));
    assert_eq!((&one_of_two["test"]["ok"], &one_of_two["key_is_set"]), (&false.into(), &false.into()), "{one_of_two}");
    assert!(one_of_two["why_no_key"].as_str().is_some_and(|why| why.contains("other roles have other servers")));
    assert_eq!(server.asked().last().unwrap().key, None);
    live.settings(&models(
        &server,
        "openai",
        "[models.vision]\nwire = \"anthropic\"\nmodel = \"wide\"\nkey_env = \"NO_KEY\"",
    ));
    let listed = run(&live, &["models", "list", "--json"]).exit(0).json();
    let roles = listed["roles"].as_array().unwrap();
    assert_eq!(roles.len(), 5);
    assert_eq!(
        (&roles[0]["model"], &roles[0]["key_env"], &roles[0]["key_is_set"]),
        (&"eye-1".into(), &"EYE_KEY".into(), &true.into())
    );
    assert_eq!(
        (&roles[3]["model"], &roles[3]["wire"], &roles[3]["key_is_set"]),
        (&"wide".into(), &"anthropic".into(), &false.into())
    );
    let tested = run(&live, &["models", "test", "judge", "--json"]).exit(0).json();
    assert_eq!(
        (&tested["roles"][0]["test"]["ok"], &tested["roles"][0]["test"]["usage"]["input"]),
        (&true.into(), &100.into())
    );
    let all = run(&live, &["models", "test", "--json"]).exit(1).json();
    assert_eq!(all["roles"].as_array().unwrap().len(), 2, "one question to each model: {all}");
    assert_eq!(all["roles"][1]["test"]["error"]["code"], "denied");
    // A wrong key is told of once, and not repeated.
    let mut command = live.home.command(["models", "test", "judge", "--json"]);
    let before = server.asked().len();
    let ran = home::run({
        command.env("EYE_KEY", "sk-wrong-one");
        command
    });
    assert_eq!((ran.status, server.asked().len() - before), (Some(1), 1), "{ran:?}");
    assert!(ran.out.contains("EYE_KEY") && !ran.out.contains("sk-wrong-one"), "{ran:?}");
    assert!(!run(&live, &["config", "show"]).out.contains(KEY));
    assert!(run(&live, &["models", "test", "eyes"]).err.contains("is no role of a model"));
}
