//! A browser with the extension, a page in front, the side panel beside it, and `handeye serve` on the other side, set up as a person
//! does it. Only the model is a test's own.

use super::serving::{Server, home, search};
use handeye_testkit::chromium::{Browser, Page, built};
use handeye_testkit::home::Home;
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Pages by their paths; those under `/slow` take their time.
pub(super) struct Pages {
    pub(super) origin: String,
    bodies: Arc<Mutex<HashMap<String, String>>>,
}

impl Pages {
    pub(super) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let bodies: Arc<Mutex<HashMap<String, String>>> = Arc::default();
        let served = bodies.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let served = served.clone();
                std::thread::spawn(move || {
                    let mut line = String::new();
                    let _ = BufReader::new(&stream).read_line(&mut line);
                    let path = line.split([' ', '?']).nth(1).unwrap_or_default().to_owned();
                    if path.starts_with("/slow") {
                        std::thread::sleep(Duration::from_millis(900));
                    }
                    let body = served.lock().unwrap().get(&path).cloned().unwrap_or_default();
                    let body = format!("<!doctype html><meta charset=utf-8><title>页面</title>{body}");
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close";
                    let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                });
            }
        });
        Self { origin, bodies }
    }

    /// Serves one more page; its whole address.
    pub(super) fn put(&self, path: &str, body: &str) -> String {
        self.bodies.lock().unwrap().insert(path.into(), body.into());
        format!("{}{path}", self.origin)
    }
}

pub(super) struct Stage {
    pub(super) page: Page,
    pub(super) panel: Page,
    pub(super) model: ModelServer,
    pub(super) searched: Arc<Mutex<Vec<String>>>,
    pages: Pages,
    pub(super) server: Option<Server>,
    address: String,
    origin: String,
    pub(super) token: String,
    pub(super) home: Home,
}

impl Stage {
    /// With `body` as the page, and a model that answers as `decide` says.
    pub(super) async fn on(body: &str, decide: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let model = ModelServer::new(decide);
        let (url, searched) = search();
        let home = home(&model, &url);
        let token = home.run("token create ann --json").exit(0).json()["token"].as_str().unwrap().to_owned();
        let pages = Pages::new();
        pages.put("/", body);
        let browser = Browser::launch(&handeye_browser::find(None).unwrap(), "en-US", &[]).await;
        let extension = browser.load(&built()).await;
        let origin = format!("chrome-extension://{extension}");
        let server = Server::start(&home, &["--origin", &origin]);
        let address = server.address.clone();
        let page = browser.page("about:blank").await;
        page.open(&format!("{}/", pages.origin)).await;
        let panel = browser.open_panel(&extension).await;
        let stage = Self { page, panel, model, searched, pages, server: Some(server), address, origin, token, home };
        for (field, text) in [("#server", &format!("http://{}", stage.address)), ("#token", &stage.token)] {
            stage.panel.click(field).await;
            stage.panel.insert(text).await;
        }
        stage.panel.click("#settings button[type=submit]").await;
        stage.panel.until("!document.getElementById('chat').hidden").await;
        stage
    }

    /// Serves one more page; its whole address.
    pub(super) fn put(&self, path: &str, body: &str) -> String {
        self.pages.put(path, body)
    }

    /// The extension's id.
    pub(super) fn extension(&self) -> &str {
        self.origin.trim_start_matches("chrome-extension://")
    }

    /// Where the server keeps its conversations.
    pub(super) fn database(&self) -> String {
        format!("sqlite://{}", self.home.path().join(".local/share/handeye/chat/chat.db").display())
    }

    /// Ends the server as a crash does.
    pub(super) fn crash(&mut self) {
        self.server.take().unwrap().crash();
    }

    /// Starts it again, where it was.
    pub(super) fn serve(&mut self) {
        self.server = Some(Server::at(&self.address, &self.home, &["--origin", &self.origin], &[]));
    }

    /// Loads the panel anew, as when it was closed and opened.
    pub(super) async fn open_again(&self) {
        self.panel.eval("window.before = true; location.reload()").await;
        self.panel.until("window.before !== true && document.body?.dataset.ready === 'true'").await;
    }

    pub(super) async fn say(&self, text: &str) {
        self.panel.click("#message").await;
        self.panel.insert(text).await;
        self.panel.click("#send").await;
    }

    /// Waits for a card that can be decided, and past the time in which a press isn't taken for a decision; what it says.
    pub(super) async fn card(&self) -> String {
        self.panel.until("document.querySelector('.card:not(.done) .buttons') !== null").await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let text = self.panel.eval("document.querySelector('.card:not(.done)').innerText").await;
        text.as_str().unwrap().to_owned()
    }

    /// A person's press on a button of the card.
    pub(super) async fn press(&self, act: &str) {
        self.panel.click(&format!(".card:not(.done) [data-act={act}]")).await;
    }

    /// Waits until the last answer holds a text, and all is said.
    pub(super) async fn answered(&self, text: &str) {
        let holds = format!("[...document.querySelectorAll('.assistant')].at(-1)?.innerText.includes({})", json!(text));
        self.panel.until(&holds).await;
        self.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
    }

    /// The states of all cards.
    pub(super) async fn cards(&self) -> Value {
        self.panel.eval("[...document.querySelectorAll('.card')].map((card) => card.dataset.state ?? 'open')").await
    }

    /// What the server keeps of its only conversation: role and words, and of each call tool, status and result.
    pub(super) fn kept(&self) -> Vec<String> {
        let server = self.server.as_ref().unwrap();
        let all = server.ask(&self.token, "GET /api/v1/conversations");
        let sessions = all["conversations"].as_array().unwrap();
        assert_eq!(sessions.len(), 1, "{all}");
        let session = sessions[0]["session_id"].as_str().unwrap();
        let whole = server.ask(&self.token, &format!("GET /api/v1/conversations/{session}"));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut kept = Vec::new();
        for message in whole["messages"].as_array().unwrap() {
            let (role, words) = (text(&message["role"]), text(&message["content"]));
            if !words.is_empty() {
                kept.push(format!("{role} {words}"));
            }
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                kept.push(format!("{} {} {}", text(&call["tool_name"]), text(&call["status"]), text(&call["result"])));
            }
        }
        kept
    }
}

/// The id of the element that a model was told of last with a description that begins so.
pub(super) fn id(asked: &Asked, desc: &str) -> String {
    let row = asked.text.lines().rev().find_map(|line| {
        let (id, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        rest.starts_with(desc).then(|| id.to_owned())
    });
    row.unwrap_or_else(|| format!("no element {desc}"))
}

/// A call of `page_action`.
pub(super) fn actions(actions: Value) -> Answer {
    Answer::Call(vec![("page_action".into(), json!({ "actions": actions }).to_string())])
}
