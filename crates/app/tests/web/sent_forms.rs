//! What loading a page again would send once more: the form that led to it. The server counts what it gets.

use handeye_testkit::live::{Answer, Live, Reply, html, reply};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// How many forms have come, by the site's address.
static SENT: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

const FORMS: &str = r"<title>Forms</title>
    <form method=post action=/order><button>Order</button></form>
    <form method=post action=/placed><button>Place</button></form>
    <form method=post action=/moved><button>Move</button></form>
    <form method=post action=/broken><button>Break</button></form>
    <form action=/found><button>Search</button></form>
    <form method=post action=/order target=inner><button>Inside</button></form><iframe name=inner></iframe>
    <form method=post action=/order target=_blank><button>Apart</button></form>";

const ORDERED: &str = r##"<title>Ordered</title><a href="#part">Part</a>
    <button onclick="history.replaceState(1, '')">Rewrite</button>
    <button onclick="history.pushState(1, '', '/elsewhere')">Push</button>"##;

fn site(_: &str) -> Answer {
    Answer::Of(|asked| {
        let led = |status, to: &str| Reply { status, ..reply(&format!("Location: {to}\r\n"), "") };
        let is_form = asked.method == "POST";
        *SENT.lock().unwrap().entry(asked.header("host").to_owned()).or_default() += usize::from(is_form);
        match asked.path.as_str() {
            "/" => html(FORMS),
            "/placed" => led("303 See Other", "/done"),
            "/moved" => led("307 Temporary Redirect", "/order"),
            "/broken" => Reply { status: "500 Internal Server Error", ..html("<title>Broken</title>") },
            _ if is_form => html(ORDERED),
            _ => html("<title>Plain</title>"),
        }
    })
}

/// What leads to the page that is loaded again, where that is, and whether loading it again would send a form.
const WAYS: [(&[&str], &str, bool); 16] = [
    (&["click --name Order"], "/order", true),
    // What is at the end of a redirect is asked for by GET; one that keeps the method sends it there.
    (&["click --name Place"], "/done", false),
    (&["click --name Move"], "/order", true),
    (&["click --name Break"], "/broken", true),
    (&["click --name Search"], "/found?", false),
    // That of a frame isn't the page's.
    (&["click --name Inside"], "/", false),
    (&["click --name Order", "click --name Part"], "/order#part", true),
    // From then on the browser asks by GET for the address that the script has set.
    (&["click --name Order", "click --name Rewrite"], "/order", false),
    (&["click --name Order", "click --name Push"], "/elsewhere", false),
    (&["click --name Order", "click --name Push", "back"], "/order", false),
    (&["click --name Order", "open AT/order"], "/order", false),
    (&["click --name Order", "open AT/other"], "/other", false),
    (&["click --name Order", "open AT/other", "back"], "/order", true),
    (&["click --name Order", "open AT/other", "back", "forward"], "/other", false),
    (&["click --name Order", "reload --resend"], "/order", true),
    // The last one, for another tab is what is looked at from here on.
    (&["click --name Apart", "tabs switch t2"], "/order", true),
];

fn sent(live: &Live) -> usize {
    SENT.lock().unwrap()[&format!("127.0.0.1:{}", live.site.port)]
}

/// Goes there: how many forms that took.
fn go(live: &Live, steps: &[&str]) -> usize {
    live.ok(&format!("open {}", live.site.at("/")));
    let before = sent(live);
    for step in steps {
        let ran = live.run(&step.replace("AT", &live.site.at("")));
        assert_ne!(ran.status, Some(2), "{steps:?}: {step}: {ran:?}");
    }
    sent(live) - before
}

#[test]
fn a_form_is_sent_again_only_where_that_is_asked_for() {
    let live = Live::open(site);
    for (steps, at, sends) in WAYS {
        go(&live, steps);
        let before = sent(&live);
        let ran = live.run("reload --json");
        assert_eq!((ran.status, sent(&live)), (Some(if sends { 2 } else { 0 }), before), "{steps:?}: {ran:?}");
        assert_eq!(live.ok("get url"), live.site.at(at), "{steps:?}");
        if sends {
            assert_eq!(ran.code(), "blocked", "{steps:?}");
            let hints: Vec<_> = ran.json()["error"]["hints"].as_array().unwrap().iter().map(Value::to_string).collect();
            assert!(hints.iter().any(|hint| hint.contains("resend")), "{steps:?}: {hints:?}");
        }
        // It may be said where it makes no difference.
        assert_eq!(live.run("reload --resend").status, Some(0), "{steps:?}");
        assert_eq!(sent(&live) - before, usize::from(sends), "{steps:?}");
    }
}

/// With rules for requests nothing is taken from the browser's cache, which is where a page comes from that is gone back to.
#[test]
fn no_form_is_sent_by_going_through_the_history() {
    let live = Live::open(site);
    for rule in ["", "network block **/blocked"] {
        if !rule.is_empty() {
            live.ok(rule);
        }
        for (steps, at) in [
            (&["click --name Order", "open AT/other", "back"][..], "/order"),
            (&["click --name Order", "open AT/other", "back", "back", "forward"], "/order"),
        ] {
            assert_eq!(go(&live, steps), 1, "{rule} {steps:?}");
            assert_eq!(live.ok("get url"), live.site.at(at), "{rule} {steps:?}");
        }
    }
}

/// A rule about what may be pressed holds for what would be sent once more, too.
#[test]
fn what_may_not_be_pressed_is_not_sent_again() {
    let live = Live::open(site);
    assert_eq!(go(&live, &["click --name Order"]), 1);
    let before = sent(&live);
    std::fs::write(live.home.work().join("handeye.toml"), "[policy]\ndeny = [\"acts:button:Order*\"]\n").unwrap();
    let ran = live.run("reload --resend --json");
    assert_eq!((ran.code().as_str(), sent(&live)), ("denied", before), "{ran:?}");
    std::fs::write(live.home.work().join("handeye.toml"), "").unwrap();
    live.ok("reload --resend");
    assert_eq!(sent(&live), before + 1);
}
