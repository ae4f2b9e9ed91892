//! What has no text is described: a model judges its picture where one is set, else the caller's word decides. The receipt says
//! which, and the page's own log says what was done.

use handeye_testkit::Sample;
use handeye_testkit::live::{Answer as Page, Live, page, reply};
use handeye_testkit::models::{Answer, Asked, ModelServer, seen};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const RED: [u8; 3] = [220, 20, 40];
const BLUE: [u8; 3] = [0, 80, 255];

const ICONS: &str = r##"<title>Icons</title><style>svg { display: block }</style>
<button id=bin onclick="log('bin'); said.textContent = 'Times: ' + ++times"><svg width=24 height=24><rect width=24 height=24 fill="#dc1428"/></svg></button>
<button id=flag onclick="log('flag'); said.textContent = 'Times: ' + ++times"><svg width=24 height=24><rect width=24 height=24 fill="#0050ff"/></svg></button>
<button id=save onclick="log('save'); said.textContent = 'Times: ' + ++times">Save</button><p id=said></p><script>times = 0</script>"##;

/// An icon that turns from red to blue once it was looked at.
const TURNING: &str = r##"<title>Turning</title><style>svg { display: block }</style>
<button id=bin onclick="log('bin'); said.textContent = 'Times: ' + ++times"><svg width=24 height=24><rect id=r width=24 height=24 fill="#dc1428"/></svg></button><p id=said></p>
<script>times = 0; const look = async () => { if (await (await fetch('/turn')).text() === 'yes') { r.setAttribute('fill', '#0050ff'); requestAnimationFrame(() => fetch('/turned')) } else setTimeout(look, 200) }; look()</script>"##;

static TURN: AtomicBool = AtomicBool::new(false);
static TURNED: AtomicBool = AtomicBool::new(false);

fn route(path: &str) -> Page {
    match path {
        "/turning" => page(TURNING),
        "/turn" => {
            Page::Of(|_| reply("Content-Type: text/plain\r\n", if TURN.load(Ordering::SeqCst) { "yes" } else { "no" }))
        }
        "/turned" => Page::Of(|_| {
            TURNED.store(true, Ordering::SeqCst);
            reply("Content-Type: text/plain\r\n", "")
        }),
        _ => page(ICONS),
    }
}

fn with(server: &ModelServer) -> String {
    format!("[models]\nurl = \"{}\"\nmodel = \"judge-1\"\nattempts = 1\n", server.url())
}

/// Says whether what it is shown is red.
fn is_red(asked: &Asked) -> Answer {
    let is = asked.pictures.first().is_some_and(|picture| seen(picture, RED).is_some());
    Answer::Say(format!("[shown]\n{}", if is { "yes" } else { "no" }))
}

fn said(live: &Live, line: &str) -> (i32, Value) {
    let ran = live.run(&format!("{line} --json"));
    (ran.status.unwrap_or(-1), ran.json())
}

#[test]
fn a_model_judges_the_picture_of_what_has_no_text_and_else_the_callers_word_decides() {
    let servers = [
        ("by its eyes", Some(ModelServer::new(is_red))),
        ("unsure", Some(ModelServer::new(|_| Answer::Say("[shown]\nunsure".into())))),
        ("garbled", Some(ModelServer::new(|_| Answer::Say("It may be a bin, or not.".into())))),
        ("blind", Some(ModelServer::new(|_| Answer::Fail(400, "", r#"{"error":"no pictures here"}"#.into())))),
        ("down", Some(ModelServer::new(|_| Answer::Fail(500, "", String::new())))),
        ("unset", None),
    ];
    let live = Live::closed(route);
    live.ok(&format!("open {}", live.site.at("/")));
    live.ok("state");
    let (bin, flag) = (live.number("#bin"), live.number("#flag"));
    // By default each model is asked, of one icon or the other.
    let mut sample = Sample::one_in(5);
    for (model, server) in &servers {
        live.settings(&server.as_ref().map(with).unwrap_or_default());
        let sees = *model == "by its eyes";
        for word in ["", "--unverifiable refuse", "--unverifiable act"] {
            for (number, what, is) in [(bin, "bin", true), (flag, "flag", false)] {
                if !sample.takes() {
                    continue;
                }
                let (status, told) = said(&live, &format!("click {number} --expect 'a red bin' {word}"));
                let acts = word.ends_with("act");
                let (verdict, log) = match (sees, is, acts) {
                    (true, true, _) => ("confirmed", what),
                    (true, false, _) => ("contradicted", ""),
                    (false, _, true) => ("unverifiable", what),
                    (false, _, false) => ("unverifiable", ""),
                };
                let case = format!("{model} {word} {what}: {told:#}");
                assert_eq!((&told["verdict"], status), (&verdict.into(), i32::from(verdict != "confirmed")), "{case}");
                let described = &told["described"];
                assert_eq!(described["by"], if sees { "model" } else { "nothing" }, "{case}");
                assert_eq!(described["text"], "a red bin", "{case}");
                let prompt = described["prompt"].as_str().unwrap_or_default();
                assert_eq!(prompt.starts_with("locate/described "), sees || *model == "unsure", "{case}");
                assert_eq!(described["why"].is_string(), !sees, "{case}");
                assert_eq!(told["action"], if log.is_empty() { "click" } else { "clicked" }, "{case}");
                live.logged(log);
            }
        }
    }
    // A page's own words for the model's answer: what is asked holds no text of the page.
    for (_, server) in &servers {
        for asked in server.iter().flat_map(ModelServer::asked) {
            assert_eq!(asked.pictures.len(), 1, "{}", asked.text);
            assert!(asked.text.contains("a red bin") && !asked.text.contains("Save"), "{}", asked.text);
        }
    }
}

#[test]
fn what_has_a_text_or_is_expected_to_be_anything_is_not_shown_to_a_model() {
    let server = ModelServer::new(is_red);
    let live = Live::closed(route);
    live.settings(&with(&server));
    live.ok(&format!("open {}", live.site.at("/")));
    live.ok("state");
    for (line, status, log) in [
        ("click --css #save --expect Save", 0, "save"),
        ("click --css #save --expect Save --unverifiable act", 0, "save"),
        ("click --css #save --expect 'a red bin'", 1, ""),
        // What does show a text is never acted on by a description.
        ("click --css #save --expect 'a red bin' --unverifiable act", 1, ""),
        ("click --css #flag --expect-any", 0, "flag"),
        ("click --css #bin", 0, "bin"),
    ] {
        // Whether anything more came of the same click is not what is asked here.
        let ran = live.run(line);
        let code = ran.status;
        assert!(code == Some(status) || status == 0 && code == Some(1), "{line}: {ran:?}");
        live.logged(log);
    }
    assert!(server.asked().is_empty());
    let empty = live.run("click --css #save --expect ''");
    assert!(empty.status == Some(2) && empty.err.contains("leave it out"), "{empty:?}");
    live.logged("");
    let wrong = live.run("click --css #bin --unverifiable act");
    assert_eq!(wrong.status, Some(2), "it is about an expectation: {wrong:?}");
    let wrong = live.run("click --css #bin --expect x --unverifiable perhaps");
    assert!(wrong.status == Some(2) && wrong.err.contains("refuse"), "{wrong:?}");
}

#[test]
fn what_looks_otherwise_when_the_answer_comes_is_shown_to_the_model_again() {
    let server = ModelServer::new(|asked| {
        if asked.number == 0 {
            TURN.store(true, Ordering::SeqCst);
            assert!(handeye_testkit::home::eventually(Duration::from_secs(30), || TURNED.load(Ordering::SeqCst)));
        }
        is_red(asked)
    });
    let live = Live::closed(route);
    live.settings(&with(&server));
    live.ok(&format!("open {}", live.site.at("/turning")));
    live.ok("state");
    let (status, told) = said(&live, "click --css #bin --expect 'a red bin'");
    assert_eq!(
        (status, &told["verdict"], &told["described"]["by"]),
        (1, &"contradicted".into(), &"model".into()),
        "{told:#}"
    );
    live.logged("");
    let asked = server.asked();
    assert_eq!(asked.len(), 2, "{told:#}");
    assert!(seen(&asked[0].pictures[0], RED).is_some() && seen(&asked[1].pictures[0], BLUE).is_some());
}

#[test]
fn a_page_that_must_not_be_read_is_shown_to_no_model() {
    let server = ModelServer::new(is_red);
    let live = Live::closed(route);
    live.settings(&format!("{}[policy]\ndeny = [\"reads\"]\n", with(&server)));
    live.ok(&format!("open {}", live.site.at("/")));
    let ran = live.run("click --css #bin --expect 'a red bin'");
    assert_ne!(ran.status, Some(0), "{ran:?}");
    assert!(server.asked().is_empty());
}
