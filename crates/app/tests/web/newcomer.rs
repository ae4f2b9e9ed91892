//! What met those who tried it for the first time: a `details` that opens, a download that breaks off, texts that nobody sees,
//! commands to run next in a session of a name, a page that waits for another.

use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::{Sample, trials};
use serde_json::Value;

const DETAILS: &str = r#"<title>Details</title><style>* { font: 16px sans-serif }</style>
<details id=plain><summary>More of it</summary><p>Hidden words, and many of them</p><p>Hidden words, and many of them</p></details>
<details id=bare><p>Without a summary</p></details>
<details id=linked><summary>With <a href=/away>a link</a></summary><p>Words</p></details>
<details id=filled open><summary>Open</summary><button>Inside</button><p style="height:300px">Words</p></details>
<details id=barred><summary onclick="event.preventDefault()">Barred</summary><p>Words</p></details>"#;

#[test]
fn what_has_a_summary_of_its_own_opens_and_closes() {
    let live = Live::closed(|_| page(DETAILS));
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    let is_open = |id: &str| live.json(&format!("eval 'document.getElementById(\"{id}\").open'"))["value"] == true;
    let mut sample = Sample::one_in(2);
    for (id, command, verdict, open) in [
        ("plain", "expand", "confirmed", true),
        ("plain", "click", "confirmed", true),
        ("bare", "expand", "confirmed", true),
        ("filled", "collapse", "confirmed", false),
        ("barred", "expand", "contradicted", false),
    ] {
        if !sample.takes() {
            continue;
        }
        live.ok(&format!("open {}", live.site.at("/")));
        let told = live.run(&format!("{command} css=#{id} --json")).json();
        assert_eq!((&told["verdict"], is_open(id)), (&Value::from(verdict), open), "{command} {id}: {told:#}");
    }
}

fn files(path: &str) -> Answer {
    match path {
        "/cut" => Answer::Cut("cut.bin"),
        "/whole" => Answer::Download("whole.txt"),
        _ => page("<title>Files</title><a id=cut href=/cut>Cut</a> <a id=whole href=/whole download>Whole</a>"),
    }
}

#[test]
fn a_download_that_breaks_off_is_told_as_none() {
    let live = Live::open(files);
    let told = live.run("click css=#cut --json").json();
    let later = live.run("state --json").json();
    let all = [&told, &later].map(|one| one["notices"].as_array().cloned().unwrap_or_default()).concat();
    assert!(all.iter().any(|notice| notice["kind"] == "download_failed"), "{told:#} {later:#}");
    let broken = told["evidence"].as_array().unwrap().iter().any(|e| e["kind"] == "download_broken");
    assert!(!broken || told["verdict"] == "contradicted", "{told:#}");
    let told = live.run("click css=#whole --json").json();
    assert_eq!(told["verdict"], "confirmed", "{told:#}");
    let none = told["notices"].as_array().unwrap().iter().all(|notice| notice["kind"] != "download_failed");
    assert!(none, "{told:#}");
}

const UNSEEN: &str = r#"<title>Unseen</title><p id=seen>Seen words</p> <p id=parts>Made <b>of</b> parts</p>
<p id=flat style="height:0;overflow:hidden">Flat words</p> <p id=narrow style="width:0;overflow:hidden;white-space:nowrap">Narrow words</p>
<p id=tiny style="font-size:0">Tiny words</p> <span id=pixel style="position:absolute;width:1px;height:1px;overflow:hidden">Pixel words</span>
<p id=clear style="opacity:0">Clear words</p> <p id=none style="display:none">None words</p> <p id=veiled style="visibility:hidden">Veiled words</p>
<div id=floating style="height:0"><span style="float:left">Floating words</span></div> <div id=boxless style="display:contents">Boxless words</div>
<div style="clear:both"></div><div id=deep style="max-height:0;overflow:hidden"><section><p>Deep words</p></section></div>
<div style="height:3000px"></div><p id=below>Below words</p>"#;

#[test]
fn a_text_that_has_no_size_is_not_shown() {
    let live = Live::open(|_| page(UNSEEN));
    for (id, text, shown) in [
        ("seen", "Seen words", true),
        ("parts", "Made of parts", true),
        ("floating", "Floating words", true),
        ("boxless", "Boxless words", true),
        ("below", "Below words", true),
        ("flat", "Flat words", false),
        ("narrow", "Narrow words", false),
        ("tiny", "Tiny words", false),
        ("pixel", "Pixel words", false),
        ("clear", "Clear words", false),
        ("none", "None words", false),
        ("veiled", "Veiled words", false),
        ("deep", "Deep words", false),
    ] {
        let ran = live.run(&format!("verify text css=#{id} '{text}' --timeout 0"));
        assert_eq!(ran.status, Some(i32::from(!shown)), "{text}: {ran:?}");
    }
}

fn tabs(path: &str) -> Answer {
    match path {
        "/" => page("<title>Tabs</title><a href=/two target=_blank>Two</a>"),
        _ => page("<title>Two</title>"),
    }
}

#[test]
fn commands_in_notices_lead_to_the_session_that_was_named() {
    let live = Live::closed(tabs);
    live.ok(&format!("open {} --session named", live.site.at("/")));
    let told = live.run("click --name Two --session named --json").json();
    let says = |notice: &Value| notice["hints"][0] == "handeye --session named tabs switch t2";
    assert!(told["notices"].as_array().unwrap().iter().any(says), "{told:#}");
    live.ok("tabs new about:blank --session named");
    live.ok("tabs switch t1 --session named");
    let said = live.ok("click --name Two --session named");
    assert!(said.contains("handeye --session named tabs switch t4"), "{said}");
    live.ok("close --session named");
}

#[test]
fn a_page_that_still_waits_for_another_says_for_which() {
    let live = Live::open(|path| match path {
        "/" => page(
            "<title>Waits</title><a href=/never>Never</a> <form action=/sent method=post><button>Send</button></form> <button>Dead</button>",
        ),
        _ => Answer::Silence,
    });
    // Each takes 20 s.
    for (name, asked) in [("Never", "GET "), ("Send", "POST ")].into_iter().take(trials(1, 2)) {
        live.ok(&format!("open {}", live.site.at("/")));
        let told = live.run(&format!("click --name {name} --json")).json();
        let reason = told["reason"].as_str().unwrap_or_default();
        assert!(
            told["verdict"] == "unverifiable" && reason.contains(asked) && reason.contains(&live.site.at("/")),
            "{told:#}"
        );
        let hints: Vec<&str> = told["hints"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(hints.contains(&"handeye wait --idle"), "{told:#}");
    }
}
