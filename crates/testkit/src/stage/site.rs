//! Pages over HTTP, and a link by which a test runs script in them from outside: no command of handeye is involved, so
//! nothing that the page is made to do is shown to the agent.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// How long a page may take to be there and to answer.
const LIMIT: Duration = Duration::from_secs(20);
/// After so long without an answer the page may have been left before it could give one: it is asked again.
const AGAIN: Duration = Duration::from_millis(1500);

const LINK: &str = include_str!("link.js");
const CASE: &str = include_str!("case.html");
const HOLDER: &str = include_str!("holder.html");
const STRESS: &str = include_str!("../../../../fixtures/stress/index.html");
const STRESS_SCRIPT: &str = include_str!("../../../../fixtures/stress/stress.js");

/// A server of the pages that live tests act on.
pub struct Site {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    turned: Condvar,
}

#[derive(Default)]
struct State {
    pages: HashMap<String, String>,
    /// By page name: how many connections there were, and the latest.
    links: HashMap<String, (u64, TcpStream)>,
    answers: HashMap<u64, Value>,
    reports: Vec<Value>,
    asked: u64,
}

impl Site {
    /// Serves until the test's process ends.
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let serving = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = serving.clone();
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { port, shared }
    }

    /// An address on this site.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same page under another origin.
    pub fn foreign(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    /// A page that shows another in an iframe.
    pub fn holding(&self, frame: &str) -> String {
        let path = format!("/holder{}", self.shared.lock().pages.len());
        self.page(&path, &HOLDER.replace("FRAME", &frame.replace('&', "&amp;")));
        self.url(&format!("{path}?as=holder"))
    }

    /// Serves a page of the test's own.
    pub fn page(&self, path: &str, html: &str) {
        self.shared.lock().pages.insert(path.to_owned(), html.to_owned());
    }

    /// Runs an expression in the page named `page`, once it is there, and gives its value.
    pub fn run(&self, page: &str, expression: &str) -> Value {
        let deadline = Instant::now() + LIMIT;
        let mut state = self.shared.lock();
        state.asked += 1;
        let id = state.asked;
        let message = format!("data: {}\n\n", json!({ "id": id, "run": expression }));
        let mut sent: Option<(u64, Instant)> = None;
        loop {
            if let Some(value) = state.answers.remove(&id) {
                assert!(value.get("error").is_none(), "{page}: {expression}: {value}");
                return value;
            }
            assert!(Instant::now() < deadline, "the page `{page}` doesn't answer to {expression}");
            if let Some((generation, stream)) = state.links.get_mut(page) {
                let due = sent.is_none_or(|(g, at)| g != *generation || at.elapsed() > AGAIN);
                if due {
                    sent = Some((*generation, Instant::now()));
                    // A page that is just being left takes nothing; the next one will.
                    let _ = stream.write_all(message.as_bytes());
                }
            }
            state = self.shared.turned.wait_timeout(state, Duration::from_millis(100)).unwrap().0;
        }
    }

    /// Waits until the page named `page` is there anew, after `before` connections.
    pub fn arrived(&self, page: &str, before: u64) {
        let deadline = Instant::now() + LIMIT;
        let mut state = self.shared.lock();
        while state.links.get(page).is_none_or(|l| l.0 <= before) {
            assert!(Instant::now() < deadline, "the page `{page}` doesn't come");
            state = self.shared.turned.wait_timeout(state, Duration::from_millis(100)).unwrap().0;
        }
    }

    /// How often a page of this name was there.
    pub fn arrivals(&self, page: &str) -> u64 {
        self.shared.lock().links.get(page).map_or(0, |l| l.0)
    }

    /// What pages wrote down before they were left, and were not asked for.
    pub fn reports(&self) -> Vec<Value> {
        std::mem::take(&mut self.shared.lock().reports)
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// One request. A browser that goes away in between is no matter.
fn serve(stream: TcpStream, shared: &Shared) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let target = line.split_whitespace().nth(1)?.to_owned();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header).ok()? == 0 || header == "\r\n" {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut stream = stream;
    match path {
        "/link" => {
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\r\n: here\n\n";
            stream.write_all(head.as_bytes()).ok()?;
            let name = query.split('&').find_map(|p| p.strip_prefix("as=")).unwrap_or("main");
            let mut state = shared.lock();
            let generation = state.links.get(name).map_or(0, |l| l.0) + 1;
            state.links.insert(name.to_owned(), (generation, stream));
        }
        "/answer" => {
            let answer: Value = serde_json::from_slice(&body).ok()?;
            shared.lock().answers.insert(answer["id"].as_u64()?, answer["value"].clone());
            reply(&mut stream, "204 No Content", "text/plain", "");
        }
        "/report" => {
            shared.lock().reports.push(serde_json::from_slice(&body).ok()?);
            reply(&mut stream, "204 No Content", "text/plain", "");
        }
        "/link.js" => reply(&mut stream, "200 OK", "text/javascript", LINK),
        "/case" => reply(&mut stream, "200 OK", "text/html", CASE),
        "/stress/" => {
            let linked = STRESS.replace("</head>", "<script src=\"/link.js\" defer></script></head>");
            reply(&mut stream, "200 OK", "text/html", &linked);
        }
        "/stress/stress.js" => reply(&mut stream, "200 OK", "text/javascript", STRESS_SCRIPT),
        other => {
            let page = shared.lock().pages.get(other).cloned();
            match page {
                Some(html) => reply(&mut stream, "200 OK", "text/html", &html),
                None => reply(&mut stream, "404 Not Found", "text/plain", "there is no such page"),
            }
        }
    }
    shared.turned.notify_all();
    Some(())
}

/// No header keeps a page out of the back/forward cache.
fn reply(stream: &mut TcpStream, status: &str, kind: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

/// Text as part of a query.
pub fn encoded(text: &str) -> String {
    text.bytes()
        .map(|b| if b.is_ascii_alphanumeric() { (b as char).to_string() } else { format!("%{b:02X}") })
        .collect()
}
