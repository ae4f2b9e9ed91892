//! Rules for an origin hold for its documents inside pages of another, and for empty pages that it opened.

use crate::consent::at_terminal;
use handeye_testkit::home;
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Live, page};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(10);

fn site(path: &str) -> Answer {
    match path {
        "/inner" => page(
            "<title>Inner</title><body style='background: linear-gradient(red, blue)'><p>Inner words</p>
            <button id=b onclick='top.postMessage(\"pressed\", \"*\")'>Inner button</button><input id=i aria-label='Inner field'
            oninput='top.postMessage(this.value, \"*\")'><iframe srcdoc='<p>Deep words</p>'></iframe>",
        ),
        "/talks" => page(
            "<title>Talks</title><script>console.log('own words'); fetch('/own'); fetch('OTHER/asked', { mode: 'no-cors' })</script>
            <iframe src=OTHER/says></iframe>",
        ),
        "/says" => page(
            "<p>Said all</p><script>console.log('barred words'); console.error('barred error');
            setTimeout(() => { throw new Error('barred fault') }); fetch(document.referrer + 'from-there', { mode: 'no-cors' })</script>",
        ),
        "/quiet" => page(
            "<title>Hidden title</title><h1>Hidden head</h1><button id=b onclick=\"document.body.append('Hidden more')\">Hidden button</button>
            <button class=many>Hidden one</button><button class=many>Hidden two</button><input id=i aria-label='Hidden field' value='Hidden value'>
            <select id=s aria-label='Hidden choice'><option>Hidden first<option>Hidden second</select><input type=checkbox id=k aria-label='Hidden tick'>
            <div style='position: relative; width: 200px'><button id=under>Hidden below</button>
            <div aria-label='Hidden cover' role=button style='position: absolute; inset: 0; background: white'>Hidden cover</div></div>
            <button id=ask onclick=\"setTimeout(() => confirm('Hidden question'))\">Hidden ask</button><button id=gone onclick='this.remove()'>Hidden gone</button>
            <a id=saves href=/saved>Hidden link</a><button disabled id=off>Hidden off</button><button id=throws onclick=\"throw new Error('Hidden error')\">x</button>",
        ),
        "/saved" => Answer::Download("hidden.txt"),
        "/opens" => page(
            "<title>Opens</title><button onclick=\"window.open('').document.body.innerHTML = '<button onclick=document.title=1>Blank button</button>'\">Blank</button>",
        ),
        _ => page(
            "<title>Outer</title><p>Outer words</p><input id=o aria-label=Own autofocus>
            <iframe id=f src=OTHER/inner width=400 height=300></iframe><button id=last>Own last</button>
            <script>addEventListener('message', e => log(e.data))</script>",
        ),
    }
}

fn bar(live: &Live, rules: &[String]) {
    let rules: Vec<String> = rules.iter().map(|rule| format!("{rule:?}")).collect();
    let text = format!("[policy]\ndeny = [{}]\n", rules.join(", "));
    std::fs::write(live.home.work().join("handeye.toml"), text).unwrap();
}

fn other(live: &Live) -> String {
    format!("http://localhost:{}", live.site.port)
}

/// The page at `/`, its frame shown.
fn open() -> Live {
    let live = Live::open(site);
    shows(&live, "Inner button");
    live
}

#[track_caller]
fn shows(live: &Live, what: &str) {
    assert!(home::eventually(LIMIT, || live.ok("state").contains(what)), "{what}: {}", live.ok("state"));
}

#[test]
fn what_a_barred_frame_shows_is_left_out_of_every_look() {
    let live = open();
    shows(&live, "Deep words");
    let button = live.number("#b");
    let other = other(&live);
    bar(&live, &[format!("reads@{other}")]);
    let told = format!("notice denied: a document of {other} is left out");
    for line in [
        "state",
        "state --all --verbose",
        "state --via ax",
        "find Own",
        "snapshot",
        "state --json --all",
        "snapshot --json",
    ] {
        let said = live.ok(line);
        assert!(!said.contains("Inner") && !said.contains("Deep words"), "{line}: {said}");
        assert!(said.contains("Own"), "{line}: {said}");
        let notice = if line.contains("json") { "is left out: the policy denies reading it" } else { told.as_str() };
        assert!(said.contains(notice), "{line}: {said}");
    }
    assert!(live.problem("find Inner").contains("is left out"));
    assert!(live.problem("find --css button#b").contains("is left out"));
    for line in [
        format!("inspect {button}"),
        format!("get text {button}"),
        format!("get html {button}"),
        format!("get rect {button}"),
        format!("state --within {button}"),
        format!("click {button}"),
        "pdf page.pdf".into(),
    ] {
        let said = live.problem(&line);
        assert!(said.starts_with("error[denied]"), "{line}: {said}");
    }
    let at = live.json("get rect --css #f")["value"].clone();
    for (name, more) in [("view.png", ""), ("full.png", "--full")] {
        live.ok(&format!("screenshot {name} {more}"));
        let seen = crate::secrets::colours(&live.home.work().join(name), &at, 4);
        assert_eq!(seen.len(), 1, "{name} {at}: {} colours", seen.len());
    }
    bar(&live, &[]);
    shows(&live, "Deep words");
    live.ok("screenshot open.png");
    assert!(crate::secrets::colours(&live.home.work().join("open.png"), &at, 4).len() > 1);
}

#[test]
fn keys_stop_where_the_focus_goes_into_a_barred_frame() {
    let live = open();
    let other = other(&live);
    bar(&live, &[format!("acts@{other}")]);
    for more in ["", "--expect-any"] {
        live.ok("focus --css #o");
        // Into the frame's button, its field, and on.
        let said = live.not(&format!("keys 'Tab Tab x y' {more}"));
        assert!(said.contains("sent in part, then withheld: the focus went into a document of"), "{more}: {said}");
        assert!(said.contains(&other) && said.contains("where the policy refuses to type"), "{more}: {said}");
        live.ok("focus --css #o");
        let said = live.not(&format!("type '\t\tsecret' {more}"));
        assert!(said.contains("where the policy refuses to type"), "{more}: {said}");
    }
    assert_eq!(live.log(), "");
    assert_eq!(live.ok("get value --css #i"), "");
    assert!(live.problem("keys x").starts_with("error[denied]"), "the focus is in the frame now");
    live.ok("focus --css #last");
    bar(&live, &[]);
    live.ok("focus --css #o");
    live.ok("keys 'Tab Tab x y'");
    assert_eq!(live.ok("get value --css #i"), "xy", "without a rule they go on");
}

/// The page at `/` under rules that ask everywhere, with an allowance for its own origin.
fn asking(effect: &str) -> Live {
    let live = Live::closed(site);
    let own = live.site.at("");
    live.settings(&format!("[policy]\nask = [\"{effect}\"]\nallow = [\"{effect}@{}\"]\n", own.trim_end_matches('/')));
    live.ok(&format!("open {}", live.site.at("/")));
    live
}

#[test]
fn an_allowance_for_a_page_is_none_for_what_it_shows_of_others() {
    let live = asking("acts");
    shows(&live, "Inner button");
    let (button, field, own) = (live.number("#b"), live.number("#i"), live.number("#last"));
    for line in [
        format!("click {button}"),
        format!("click {button} --expect-any"),
        format!("input {field} 9"),
        format!("drag {own} --to {button}"),
        "mouse down".into(),
    ] {
        assert_eq!(live.run(&format!("{line} --json")).code(), "denied", "{line}");
    }
    let rect = live.json(&format!("get rect {button}"))["value"].clone();
    let (x, y) = (rect[0].as_f64().unwrap() + 5.0, rect[1].as_f64().unwrap() + 5.0);
    assert_eq!(live.run(&format!("click-at {x} {y} --json")).code(), "denied");
    live.ok(&format!("focus {own}"));
    live.ok("input --css #o mine");
    let said = live.not("keys 'Tab Tab x'");
    assert!(said.contains("where the policy refuses to type"), "{said}");
    live.logged("");
}

#[test]
fn consent_to_an_act_on_a_page_is_none_to_one_inside_what_it_shows_of_others() {
    let live = Live::closed(site);
    live.settings("[policy]\nask = [\"acts\"]\n");
    live.ok(&format!("open {}", live.site.at("/")));
    shows(&live, "Inner button");
    let (inner, own) = (live.number("#b"), live.number("#last"));
    let ran = at_terminal(&live.home, &format!("click {inner}"), "y\n");
    assert!(ran.status == Some(2) && ran.shown.contains("error[denied]"), "{ran:?}");
    live.logged("");
    let ran = at_terminal(&live.home, &format!("click {own}"), "y\n");
    assert!(!ran.shown.contains("error["), "{ran:?}");
}

#[test]
fn an_allowance_to_read_a_page_is_none_for_what_it_shows_of_others() {
    let live = asking("reads");
    shows(&live, "Own last");
    live.ok("wait --idle");
    for line in ["state", "state --all --verbose", "find Own", "snapshot", "state --via ax"] {
        let said = live.ok(line);
        assert!(said.contains("Own") && !said.contains("Inner") && !said.contains("Deep words"), "{line}: {said}");
    }
    assert!(live.problem("find --css button#b").contains("is left out"));
    assert_eq!(live.run(&format!("storage list --origin {} --json", other(&live))).code(), "denied");
    assert!(!live.ok("network list --all").contains("/inner"));
}

#[test]
fn an_empty_popup_is_of_the_origin_that_opened_it() {
    let live = Live::closed(site);
    let other = other(&live);
    live.ok(&format!("open {}", live.site.at("/opens")));
    let blank = live.number("button");
    let clicked = live.ok(&format!("click {blank}"));
    let tab = clicked.split("handeye tabs switch ").nth(1).and_then(|rest| rest.split_whitespace().next());
    let tab = tab.unwrap_or_else(|| panic!("{clicked}")).to_owned();
    live.ok(&format!("tabs switch {tab}"));
    shows(&live, "Blank button");
    let button = live.number("button");
    bar(&live, &[format!("acts@{other}"), format!("reads@{other}")]);
    live.ok("state");
    live.ok(&format!("click {button}"));
    bar(&live, &[format!("acts@http://127.0.0.1:{}", live.site.port)]);
    live.ok("state");
    for line in [format!("click {button}"), "keys x".into(), "type x".into(), "storage set a b".into()] {
        let said = live.problem(&line);
        assert!(said.starts_with("error[denied]"), "{line}: {said}");
    }
    bar(&live, &[format!("reads@http://127.0.0.1:{}", live.site.port)]);
    assert!(live.problem("state").starts_with("error[denied]"));
}

#[test]
fn what_a_barred_origin_says_and_loads_is_left_out() {
    let live = Live::closed(site);
    let other = other(&live);
    live.ok(&format!("open {} --allow eval", live.site.at("/talks")));
    shows(&live, "Said all");
    live.ok("wait --idle");
    let heard = || live.ok("console --all").contains("barred fault");
    assert!(home::eventually(LIMIT, heard), "{}", live.ok("console --all"));
    let requests = live.json("network list --all");
    let number = |part: &str| {
        let found = requests["requests"].as_array().unwrap().iter().find(|r| r["url"].as_str().unwrap().contains(part));
        found.unwrap_or_else(|| panic!("{part}: {requests}"))["number"].as_u64().unwrap()
    };
    bar(&live, &[format!("reads@{other}")]);
    let said = live.ok("console --all");
    assert!(said.contains("own words") && !said.contains("barred"), "{said}");
    assert!(said.contains("… 3 left out: the policy denies reading their origin"), "{said}");
    let said = live.ok("errors --all");
    assert!(!said.contains("barred") && said.contains("… 2 left out: "), "{said}");
    let said = live.ok("network list --all");
    assert!(said.contains("/own ") && said.contains("/talks "), "{said}");
    for part in ["/says", "/asked", "from-there", &other] {
        assert!(!said.contains(part), "{part}: {said}");
    }
    assert!(said.contains("… 3 left out: "), "{said}");
    for part in ["/says", "/asked", "from-there"] {
        let said = live.problem(&format!("network show {}", number(part)));
        assert!(said.starts_with("error[denied]"), "{part}: {said}");
    }
    assert!(live.ok("network har all.har").contains("… 3 left out: "));
    let har = std::fs::read_to_string(live.home.work().join("all.har")).unwrap();
    assert!(har.contains("/own") && !har.contains("/says") && !har.contains("from-there"), "{har}");
    assert_eq!(live.ok("eval document.title"), "\"Talks\"");

    bar(&live, &[format!("reads@http://127.0.0.1:{}", live.site.port)]);
    for line in ["eval document.title", "wait --fn document.title", "console", "network list", "errors"] {
        let said = live.problem(line);
        assert!(said.starts_with("error[denied]"), "{line}: {said}");
    }
}

/// What may be done to a page that must not be read, or may not: every answer says nothing of what is on it.
const QUIETLY: [&str; 38] = [
    "click --css #b",
    "click --css #b --expect Other",
    "click --css #b --expect 'Hidden button'",
    "click --css #b --return-state",
    "click --css .many",
    "click --css #none",
    "click --css #under --timeout 2",
    "click --css #off --timeout 2",
    "click --css #throws",
    "click 4711",
    "click --css ':::'",
    "click-at 30 60",
    "doubleclick --css #b",
    "rightclick --css #b",
    "hover --css #b",
    "focus --css #i",
    "input --css #i x",
    "type x",
    "keys Backspace",
    "select --css #s 'Hidden second'",
    "select --css #s Nothing",
    "check --css #k",
    "check --css #b",
    "scroll down",
    "drag --css #b --to 300,300",
    "upload --css #i /etc/hostname",
    "download --css #saves",
    "click --css #ask",
    "click --css #b",
    "dialog accept",
    "click --css #gone",
    "click --css #gone",
    "tabs list",
    "state",
    "find Hidden",
    "get title",
    "inspect --css #b",
    "reload",
];

#[test]
fn a_page_that_must_not_be_read_is_shown_by_no_receipt_refusal_or_problem() {
    let live = Live::closed(site);
    let quiet = live.site.at("/quiet");
    live.ok(&format!("open {quiet} --allow eval"));
    let shown = live.number("#b");
    bar(&live, &[format!("reads@http://127.0.0.1:{}", live.site.port)]);
    let more = [format!("click {shown}"), format!("open {quiet}"), "eval document.title".into()];
    for (at, line) in QUIETLY.iter().map(|line| (*line).to_owned()).chain(more).enumerate() {
        // By default each in one of the forms.
        for json in ["", "--json"].into_iter().filter(|json| is_full() || json.is_empty() == at.is_multiple_of(2)) {
            let ran = live.run(&format!("{line} {json}"));
            let said = format!("{}{}", ran.out, ran.err);
            // What the caller wrote may be said again.
            assert!(
                !said.to_lowercase().contains("hidden") || said.contains("error[bad_request]: unexpected"),
                "{line}: {said}"
            );
            assert!(!said.is_empty(), "{line}");
        }
    }
    // It was done, and the caller is told that, and why no more.
    let ran = live.run("click --css #b --json");
    let receipt = ran.json();
    assert_eq!((&receipt["verdict"], &receipt["action"]), (&"confirmed".into(), &"clicked".into()), "{ran:?}");
    assert!(ran.out.contains("the policy denies reading http://127.0.0.1"), "{ran:?}");
    bar(&live, &[]);
    shows(&live, "Hidden more");
    // The page of another origin that it is left for is shown again.
    bar(&live, &[format!("reads@http://127.0.0.1:{}", live.site.port)]);
    assert!(live.ok(&format!("open {}/quiet", other(&live))).contains("Hidden title"));
}
