//! `handeye view`: a person watches a session in a real browser, answers what the policy asks, and stops it.

use handeye_testkit::home::{self, Ran, eventually};
use handeye_testkit::live::{Live, page};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(60);
const PAGE: &str =
    "<title>Shop</title><button onclick=\"log('paid'); this.textContent = 'Paid'\">Pay</button><button>Other</button>";

/// A view of a session.
pub(crate) struct View {
    child: Child,
    address: String,
    token: String,
}

impl View {
    pub(crate) fn of(live: &Live) -> Self {
        let mut child = live.home.command(["view"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told = line.trim().strip_prefix("http://").and_then(|rest| rest.split_once("/#"));
        let (address, token) = told.unwrap_or_else(|| panic!("it tells no address: {line}"));
        Self { child, address: address.to_owned(), token: token.to_owned() }
    }

    /// Status and body of a request.
    fn ask(&self, line: &str, headers: &[String], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let host = match headers.iter().any(|header| header.starts_with("Host:")) {
            true => String::new(),
            false => format!("Host: {}\r\n", self.address),
        };
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let size = body.len();
        write!(stream, "{line} HTTP/1.1\r\n{host}{headers}Connection: close\r\nContent-Length: {size}\r\n\r\n{body}")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
    }

    /// Stops the session, or lets it go on.
    pub(crate) fn holds(&self, held: bool) {
        let headers = [self.shown(), "Content-Type: application/json".to_owned()];
        let (status, body) = self.ask("POST /api/hold", &headers, &json!({ "held": held }).to_string());
        assert_eq!(status, 200, "{body}");
    }

    fn shown(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The browser of whoever watches.
struct Person(Live);

impl Person {
    fn at(view: &View) -> Self {
        let live = Live::closed(|_| page("<title>Unused</title>"));
        live.ok(&format!("open http://{}/#{} --allow eval", view.address, view.token));
        Self(live)
    }

    fn eval(&self, script: &str) -> Value {
        self.0.json(&format!("eval '{script}'"))["value"].clone()
    }

    #[track_caller]
    fn awaits(&self, script: &str, wanted: &Value) {
        assert!(eventually(LIMIT, || self.eval(script) == *wanted), "{script}: {:?}, not {wanted}", self.eval(script));
    }

    #[track_caller]
    fn clicks(&self, name: &str) {
        let clicked = self.0.run(&format!("click --role button --name '{name}' --json"));
        assert_eq!(clicked.json()["action"], "clicked", "{clicked:?}");
    }
}

/// Clicks the button of the page that is watched, while the person does something.
fn clicked(live: &Live, meanwhile: impl FnOnce()) -> Ran {
    let command = live
        .home
        .command(["click", "1", "--expect", "Pay", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    meanwhile();
    home::finish_within(command, LIMIT)
}

#[test]
fn a_person_who_watches_sees_answers_and_stops() {
    let live = Live::open(|_| page(PAGE));
    live.settings("[policy]\nask = [\"acts\"]\n");
    live.ok("state");
    // Nobody watches, and nobody can be asked.
    assert_eq!(live.run("click 1 --expect Pay --json").code(), "denied");
    let mut view = View::of(&live);
    let person = Person::at(&view);
    person.awaits("session.textContent", &json!("default"));
    person.awaits("picture.naturalWidth > 100 && picture.naturalHeight > 100", &json!(true));
    // What is shown to the agent is marked, where it is on the screen.
    live.ok("state");
    person.awaits("document.querySelectorAll(\"#marks div\").length", &json!(2));
    let places = "[...document.querySelectorAll(\"#marks div\")].every(m => { const a = m.getBoundingClientRect(), b = picture.getBoundingClientRect(); return a.width > 5 && a.left >= b.left - 1 && a.right <= b.right + 1 })";
    person.awaits(places, &json!(true));

    let refused = clicked(&live, || {
        person.awaits("question.hidden", &json!(false));
        assert!(person.eval("asks.textContent").as_str().unwrap().contains("click"));
        assert!(person.eval("target.textContent").as_str().unwrap().contains("Pay"));
        person.awaits("document.activeElement.id", &json!("no"));
        person.clicks("Refuse");
    });
    assert_eq!(refused.code(), "denied", "{refused:?}");
    live.logged("");
    let allowed = clicked(&live, || {
        person.awaits("question.hidden", &json!(false));
        person.clicks("Allow");
    });
    assert_eq!(allowed.json()["verdict"], "confirmed", "{allowed:?}");
    live.logged("paid");
    person.awaits("question.hidden", &json!(true));
    person.awaits("events.querySelector(\"li.confirmed b\").textContent", &json!("click"));

    // One that is stopped carries nothing out until it may go on; what runs is ended, too.
    let waiting = live
        .home
        .command(["wait", "--text", "Never", "--timeout", "50"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    person.awaits("document.getElementById(\"status\").textContent", &json!("wait runs"));
    person.clicks("Stop");
    let ended = home::finish_within(waiting, Duration::from_secs(30));
    assert_eq!(ended.status, Some(2), "{ended:?}");
    assert!(ended.err.contains("error[denied]"), "{ended:?}");
    assert_eq!(live.run("state --json").code(), "denied");
    person.awaits("hold.textContent", &json!("Go on"));
    person.clicks("Go on");
    assert!(eventually(LIMIT, || live.run("state").status == Some(0)));

    // The page says so where the session is over, and Ctrl-C ends the view in order.
    live.ok("close");
    assert!(eventually(LIMIT, || person
        .eval("document.getElementById(\"status\").textContent")
        .as_str()
        .unwrap()
        .contains("nothing is open")));
    home::kill(view.child.id() as i32, "INT");
    assert_eq!(view.child.wait().unwrap().code(), Some(0));
}

#[test]
fn one_press_allows_one_question_that_was_there_to_be_read() {
    let live = Live::open(|_| page(PAGE));
    live.settings("[policy]\nask = [\"acts\", \"acts:button:Pay*\"]\n");
    live.ok("state");
    let view = View::of(&live);
    let person = Person::at(&view);
    let ran = clicked(&live, || {
        person.awaits("question.hidden", &json!(false));
        person.awaits("yes.disabled", &json!(false));
        // The second half of a double click comes as soon as the next question is in the place of the first.
        person.eval(
            "(() => { const first = asks.textContent; new MutationObserver((_, all) => {
            if (asks.textContent === first || question.hidden) return;
            all.disconnect(); window.again = yes.disabled; yes.disabled = false; yes.click(); yes.disabled = window.again })
            .observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
            yes.click(); return true })()",
        );
        person.awaits("window.again", &json!(true));
        person.awaits("document.activeElement.id", &json!("no"));
        assert_eq!(person.eval("question.hidden"), json!(false), "it is still asked");
        person.clicks("Allow");
    });
    assert_eq!(ran.json()["verdict"], "confirmed", "{ran:?}");
    live.logged("paid");
}

#[test]
fn only_who_has_the_token_and_comes_by_its_address_is_let_in() {
    let live = Live::open(|_| page(PAGE));
    let view = View::of(&live);
    let token = view.shown();
    let events = |headers: &[String]| view.ask("GET /api/events?since=5000", headers, "");
    let (status, body) = events(std::slice::from_ref(&token));
    assert_eq!(status, 200, "{body}");
    let told: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&told["session"], &told["held"], &told["open"]), (&json!("default"), &json!(false), &Value::Null));
    for headers in [
        vec![],
        vec!["Authorization: Bearer x".to_owned()],
        vec![format!("{token}0")],
        vec![format!("Cookie: token={}", view.token)],
    ] {
        assert_eq!(events(&headers).0, 401, "{headers:?}");
        for path in ["picture", "answer", "hold"] {
            let method = if path == "picture" { "GET" } else { "POST" };
            assert_eq!(view.ask(&format!("{method} /api/{path}"), &headers, "{\"held\":true}").0, 401, "{path}");
        }
    }
    for host in ["evil.example", "127.0.0.1:1", "localhost"] {
        for path in ["/", "/api/events"] {
            assert_eq!(
                view.ask(&format!("GET {path}"), &[format!("Host: {host}"), token.clone()], "").0,
                421,
                "{host}"
            );
        }
    }
    let post =
        |kind: &str, body: &str| view.ask("POST /api/hold", &[token.clone(), format!("Content-Type: {kind}")], body).0;
    for (kind, body, wanted) in [
        ("text/plain", "{\"held\":true}", 415),
        ("application/json", "{\"held\":1}", 422),
        ("application/json", "{", 400),
        ("application/json", "{\"held\":false,\"more\":1}", 422),
        ("application/json", "{\"held\":false}", 200),
    ] {
        assert_eq!(post(kind, body), wanted, "{kind} {body}");
    }
    assert_eq!(post("application/json", &" ".repeat(5_000)), 413);
    // An answer to nothing is taken by nobody.
    let (status, body) =
        view.ask("POST /api/answer", &[token, "Content-Type: application/json".into()], "{\"id\":1,\"consent\":true}");
    assert_eq!((status, body.as_str()), (200, "{\"taken\":false}"));
    // The page that anyone gets holds nothing.
    assert!(!view.ask("GET /", &[], "").1.contains(&view.token));
}

#[test]
fn without_a_session_there_is_nothing_to_view() {
    let live = Live::closed(|_| page(PAGE));
    assert_eq!(live.run("view --json").exit(2).code(), "not_found");
    let other = live.run("view --session vv").exit(2);
    assert!(other.err.contains("handeye --session vv open URL"), "{other:?}");
    let live = Live::open(|_| page(PAGE));
    assert_eq!(live.run("view --http 0.0.0.0:0 --json").exit(2).code(), "bad_request");
    assert_eq!(live.run("view --http nonsense --json").exit(2).code(), "bad_request");
}
