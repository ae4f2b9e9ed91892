//! Recordings: made, redacted, bounded, played, broken.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss

use super::*;
use crate::replay::{Moment, Replay, Ticker, node};
use async_trait::async_trait;
use handeye_scene::*;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What was written.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The first word of each line.
    fn kinds(&self) -> Vec<String> {
        let kind = |line: &str| match serde_json::from_str(line).unwrap() {
            Value::String(word) => word,
            line => line.as_object().unwrap().keys().next().unwrap().clone(),
        };
        self.text().lines().map(kind).collect()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Opens a page with a button and a field for a password.
struct Page;

#[async_trait]
impl Opener for Page {
    async fn browser(&self, _: &Launch) -> Result<Box<dyn Surface>, Problem> {
        let mut field = node(NodeKind::Operable, 2, "textbox", "Password");
        field.extra.kind = Some("password".into());
        let nodes =
            vec![node(NodeKind::Operable, 1, "button", "Save"), field, node(NodeKind::Operable, 3, "textbox", "Name")];
        let capture = Capture { nodes, ..Capture::default() };
        Ok(Box::new(Replay::new(vec![Moment { capture, ..Moment::default() }; 3])))
    }
}

const BUTTON: NativeId = NativeId::new(DocumentId(1), 1);
const FIELD: NativeId = NativeId::new(DocumentId(1), 2);

fn begin(limit: u64) -> (Written, Recordings) {
    let written = Written::default();
    let masker: Masker = Arc::new(|texts: &[String]| {
        let texts = texts.to_vec();
        Mask::new(move |text| texts.iter().fold(text.to_owned(), |text, hidden| text.replace(hidden, "••••")), 40)
    });
    let log = Log::begin(Box::new(written.clone()), limit, "test", "0", masker).unwrap();
    (written, Recordings { log, opener: Arc::new(Page), clock: Arc::new(Ticker::default()) })
}

fn guard(target: NativeId) -> Guard {
    Guard { target: Some(target), ..Guard::default() }
}

/// A session of two commands; what it was told.
async fn session(opener: &dyn Opener, clock: &dyn Clock, mut between: impl FnMut(usize)) -> Vec<Value> {
    let mut told = Vec::new();
    let mut page = opener.browser(&Launch::default()).await.unwrap();
    told.push(json!(page.capture(Want::default()).await.unwrap()));
    told.push(json!(clock.elapsed().as_nanos() as u64));
    between(1);
    told.push(json!(page.probe(BUTTON, Aim { point: true, ..Aim::default() }).await.unwrap()));
    let at = Point::new(60.1, 50.2);
    let click = Gesture::Click { at, button: Button::Left, count: 1, modifiers: Modifiers::default() };
    told.push(json!(page.perform(&click, &guard(BUTTON)).await.unwrap()));
    told.push(json!(page.settle(Duration::from_secs(1)).await.unwrap()));
    told.push(json!(clock.elapsed().as_nanos() as u64));
    between(2);
    told
}

#[tokio::test]
async fn what_was_recorded_is_played_to_the_same_answers() {
    let (written, recordings) = begin(1 << 20);
    recordings.log.request("open", json!({ "command": "open" }));
    let told = session(&recordings, &recordings, |n| {
        recordings.log.response(json!(n));
        recordings.log.request("click", json!({ "command": "click" }));
    })
    .await;
    recordings.log.cancel();
    let tape = Arc::new(Tape::read(&written.text()).unwrap());
    let outcomes: Vec<&Outcome> = tape.groups.iter().map(|group| &group.outcome).collect();
    assert_eq!(outcomes, [&Outcome::Response(json!(1)), &Outcome::Response(json!(2)), &Outcome::Cancelled]);
    let player = Player::new(tape.clone());
    tape.turn_to(0);
    let again = session(&player, &player, |n| tape.turn_to(n)).await;
    assert_eq!(again, told);
    assert_eq!(tape.divergence(), None);
}

#[tokio::test]
async fn what_goes_otherwise_is_told_by_its_line() {
    let (written, recordings) = begin(1 << 20);
    recordings.log.request("click", json!({}));
    let mut page = recordings.browser(&Launch::default()).await.unwrap();
    let keys = |key: &str| Gesture::Keys(vec![Chord { modifiers: Modifiers::default(), key: key.into() }]);
    page.perform(&keys("Enter"), &guard(BUTTON)).await.unwrap();
    recordings.log.response(Value::Null);
    let play = async |gesture: Option<Gesture>| {
        let tape = Arc::new(Tape::read(&written.text()).unwrap());
        let mut page = Player::new(tape.clone()).browser(&Launch::default()).await.unwrap();
        if let Some(gesture) = gesture {
            assert_eq!(page.perform(&gesture, &guard(BUTTON)).await.is_err(), tape.divergence().is_some());
        }
        tape.divergence().map(|problem| (problem.code, problem.message.contains("line 4")))
    };
    assert_eq!(play(Some(keys("Enter"))).await, None);
    assert_eq!(play(Some(keys("Tab"))).await, Some((Code::Bug, true)));
    assert_eq!(play(Some(Gesture::Focus)).await, Some((Code::Bug, true)));
    assert_eq!(play(None).await, Some((Code::Bug, true)), "a gesture that isn't made differs too");
    let tape = Arc::new(Tape::read(&written.text()).unwrap());
    let mut page = Player::new(tape.clone()).browser(&Launch::default()).await.unwrap();
    assert_eq!(page.capture(Want::default()).await.map_err(|p| p.code), Err(Code::Bug));
    assert!(tape.divergence().is_some());
}

#[tokio::test]
async fn passwords_secrets_and_credentials_are_not_written() {
    let (written, recordings) = begin(1 << 20);
    let log = &recordings.log;
    log.request(
        "open",
        json!({ "args": { "url": "http://ann:t0psecret@a.example/", "environment": { "TOKEN": "envtoken" },
        "secrets": [{ "name": "pw", "value": "given-secret" }] } }),
    );
    let mut page = recordings.browser(&Launch::default()).await.unwrap();
    page.capture(Want::default()).await.unwrap();
    log.response(json!({ "text": "opened, given-secret shown" }));
    log.request("input", json!({ "args": { "ref": 2, "text": "hunter2" } }));
    page.perform(&Gesture::Replace("hunter2".into()), &guard(FIELD)).await.unwrap();
    log.response(json!({ "text": "the page says hunter2 now" }));
    log.request("input", json!({ "args": { "ref": 2, "text": "abc" } }));
    page.perform(&Gesture::Replace("abc".into()), &guard(FIELD)).await.unwrap();
    log.response(Value::Null);
    log.request("keys", json!({ "args": { "keys": ["q w x", "Enter"] } }));
    let chord = |key: &str| Chord { modifiers: Modifiers::default(), key: key.into() };
    let keys = ["q", "w", "x", "Enter"].map(chord).to_vec();
    page.perform(&Gesture::Keys(keys), &guard(FIELD)).await.unwrap();
    log.response(Value::Null);
    log.request("input", json!({ "args": { "ref": 1 } }));
    let put = Gesture::Put { text: "put-secret".into(), origin: "http://a.example".into() };
    page.perform(&put, &guard(BUTTON)).await.unwrap();
    log.response(Value::Null);
    let text = written.text();
    for hidden in
        ["t0psecret", "envtoken", "given-secret", "hunter2", "\"abc\"", "q w x", "\"q\"", "\"x\"", "put-secret"]
    {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    assert!(text.contains("http://(hidden)@a.example/") && text.contains("• • •") && text.contains("Enter"), "{text}");
    Tape::read(&text).unwrap();
}

/// A command that was refused, which was told of these elements; what is written of it and of a later one that repeats its text.
async fn refused(command: &str, args: Value, texts: &[&str], told: &[NativeId]) -> String {
    let (written, recordings) = begin(1 << 20);
    let log = &recordings.log;
    log.request("open", json!({}));
    let mut page = recordings.browser(&Launch::default()).await.unwrap();
    page.capture(Want::default()).await.unwrap();
    log.response(json!({ "status": "ok" }));
    log.request(command, json!({ "command": command, "args": args }));
    log.puts(texts.iter().map(|text| (*text).to_owned()).collect());
    for id in told {
        page.probe(*id, Aim::default()).await.unwrap();
    }
    log.response(json!({ "status": "error", "error": { "message": format!("refused: {}", texts.join(" ")) } }));
    let (mut request, mut answer) = (json!({ "args": args }), json!({ "text": texts }));
    log.redact(&mut request, &mut [&mut answer]);
    log.request("state", json!({}));
    log.response(json!({ "status": "ok", "text": "words, hunter2xyz" }));
    let mut said = json!("I put in hunter2xyz");
    log.redact_said(&mut said);
    format!("{}{request}{answer}{said}", written.text())
}

/// An element that isn't there any more.
const GONE: NativeId = NativeId::new(DocumentId(1), 99);

#[tokio::test]
async fn what_was_not_put_in_is_hidden_as_what_was_unless_it_was_for_another_field() {
    let input = json!({ "ref": 2, "text": "hunter2xyz" });
    let two = json!({ "fields": [{ "ref": 1, "value": "words" }, { "ref": 2, "value": "hunter2xyz" }] });
    let field = || NativeId::new(DocumentId(1), 3);
    for (command, args, texts, told, hidden, kept) in [
        ("input", input.clone(), vec!["hunter2xyz"], vec![FIELD], 0, "refused"),
        // Nobody knows what for: where it may be said, it is hidden, not where others show it.
        ("input", input.clone(), vec!["hunter2xyz"], vec![], 1, "refused"),
        ("input", input.clone(), vec!["hunter2xyz"], vec![BUTTON], 1, "refused"),
        ("type", json!({ "text": "hunter2xyz" }), vec!["hunter2xyz"], vec![], 1, "refused"),
        // What is gone may have been a password's.
        ("fill-form", two.clone(), vec!["words", "hunter2xyz"], vec![field(), GONE], 1, "refused"),
        ("fill-form", two, vec!["words", "hunter2xyz"], vec![field(), FIELD], 1, "\"text\":\"words, "),
        ("keys", json!({ "keys": ["hunter2xyz Enter"] }), vec!["hunter2xyz"], vec![], 1, "Enter"),
        // It was for a field that anyone may read.
        ("input", input.clone(), vec!["hunter2xyz"], vec![field()], 6, "refused"),
    ] {
        let written = refused(command, args, &texts, &told).await;
        assert_eq!(written.matches("hunter2xyz").count(), hidden, "{command} {told:?}: {written}");
        assert!(written.contains(kept), "{command} {told:?}: {written}");
    }
    let keys = refused("keys", json!({ "keys": ["q w Tab"] }), &[], &[]).await;
    assert!(!keys.contains("q w") && keys.contains("• • Tab"), "{keys}");
}

#[tokio::test]
async fn what_goes_on_by_tab_may_go_into_a_passwords_field() {
    let (written, recordings) = begin(1 << 20);
    let log = &recordings.log;
    log.request("type", json!({ "args": { "text": "ann\thunter2xyz" } }));
    let mut page = recordings.browser(&Launch::default()).await.unwrap();
    page.capture(Want::default()).await.unwrap();
    let text = "ann\thunter2xyz".to_owned();
    page.perform(&Gesture::Type { text, pace_ms: 0 }, &guard(BUTTON)).await.unwrap();
    log.response(json!({ "status": "ok", "text": "then hunter2xyz" }));
    assert!(!written.text().contains("hunter2xyz"), "{}", written.text());
}

#[tokio::test]
async fn what_is_typed_elsewhere_is_written_as_it_is() {
    let (written, recordings) = begin(1 << 20);
    recordings.log.request("input", json!({ "args": { "text": "words" } }));
    let mut page = recordings.browser(&Launch::default()).await.unwrap();
    page.capture(Want::default()).await.unwrap();
    page.perform(&Gesture::Replace("words".into()), &guard(BUTTON)).await.unwrap();
    recordings.log.response(json!({ "text": "words" }));
    assert_eq!(written.text().matches("words").count(), 3);
}

#[tokio::test]
async fn a_command_that_reaches_what_is_not_recorded_is_named_alone() {
    let (written, recordings) = begin(1 << 20);
    recordings.log.request("cookies", json!({ "args": { "domain": "a.example" } }));
    let _page = recordings.browser(&Launch::default()).await.unwrap();
    recordings.log.leave_out();
    recordings.clock.elapsed();
    recordings.log.response(json!("session=1"));
    assert_eq!(written.kinds(), ["recording", "left_out"]);
    assert!(!written.text().contains("session=1") && !written.text().contains("a.example"));
    assert_eq!(Tape::read(&written.text()).unwrap().groups[0].outcome, Outcome::LeftOut("cookies".into()));
}

#[tokio::test]
async fn a_command_that_takes_a_picture_is_named_alone() {
    let (written, recordings) = begin(1 << 20);
    recordings.log.request("click", json!({}));
    let mut page = recordings.browser(&Launch::default()).await.unwrap();
    // The surface's own answer is handed on, whatever it is.
    assert_eq!(page.picture().await.map_err(|p| p.code), Err(Code::Unsupported));
    recordings.log.response(Value::Null);
    assert_eq!(written.kinds(), ["recording", "left_out"]);
}

#[tokio::test]
async fn a_recording_ends_at_its_limit_with_whole_commands() {
    let (written, recordings) = begin(400);
    let mut told = Vec::new();
    for n in 0..20 {
        recordings.log.request("wait", json!(n));
        recordings.elapsed();
        told.extend(recordings.log.response(json!(n)));
    }
    let tape = Tape::read(&written.text()).unwrap();
    assert!(tape.is_full && !tape.groups.is_empty() && tape.groups.len() < 20, "{}", written.text());
    assert!(written.text().len() < 440, "{}", written.text().len());
    assert_eq!(told.len(), 1, "it is told once: {told:?}");
    let (written, recordings) = begin(400);
    recordings.log.request("state", Value::Null);
    let mut page = recordings.browser(&Launch::default()).await.unwrap();
    page.capture(Want::default()).await.unwrap();
    assert!(recordings.log.response(Value::Null).is_some(), "one command may be too large as well");
    assert_eq!(written.kinds(), ["recording", "full"]);
}

#[test]
fn a_broken_recording_is_a_problem_that_names_the_line() {
    let head = "{\"recording\":{\"format\":1,\"session\":\"s\",\"version\":\"0\"}}";
    let request = "{\"request\":{\"command\":\"state\"}}";
    let call = "{\"call\":{\"on\":1,\"name\":\"focused\"}}";
    let response = "{\"response\":{}}";
    for (lines, line) in [
        (vec![""], 1),
        (vec!["not JSON"], 1),
        (vec![request], 1),
        (vec!["{\"recording\":{\"format\":2,\"session\":\"s\",\"version\":\"0\"}}"], 1),
        (vec![head, request, call], 3),
        (vec![head, request, &call[..20]], 3),
        (vec![head, request, "{\"call\":{\"on\":\"x\"}}"], 3),
        (vec![head, call], 2),
        (vec![head, response], 2),
        (vec![head, request, request], 3),
        (vec![head, request, response, response], 4),
        (vec![head, head], 2),
        (vec![head, "{\"full\":1}", request], 3),
        (vec![head, "\u{0}"], 2),
    ] {
        let problem = Tape::read(&lines.join("\n")).expect_err(&lines.join("\n"));
        assert_eq!(problem.code, Code::File, "{lines:?}");
        assert!(problem.message.contains(&format!("line {line}:")), "{lines:?}: {problem}");
    }
    assert_eq!(Tape::read(&[head, request, call, response].join("\n")).unwrap().groups.len(), 1);
    assert!(Tape::read("").is_err());
}

/// A method of a port that has a default would be lost without a word.
#[test]
fn every_method_of_the_ports_is_passed_on() {
    let surface = include_str!("../../../scene/src/ports/surface.rs").split("pub trait Opener").next().unwrap();
    let web = include_str!("../../../scene/src/ports/web.rs");
    let windows = include_str!("../../../scene/src/ports/windows.rs");
    let ports = include_str!("recorder_ports.rs").split("Windows for Recording").collect::<Vec<_>>();
    for (port, of, recorder) in [
        (surface, "pub trait Surface", include_str!("recorder.rs")),
        (web, "pub trait Web", ports[0]),
        (windows, "pub trait Windows", ports[1]),
    ] {
        let body = port.split(of).nth(1).unwrap().split("\n}").next().unwrap();
        let names: Vec<&str> = body.split("fn ").skip(1).map(|rest| rest.split('(').next().unwrap()).collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            assert!(recorder.contains(&format!("fn {name}(")), "{of}: {name} isn't recorded");
        }
    }
}
