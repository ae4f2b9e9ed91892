//! A server of a test's own: pages, and a chat that speaks as the document of the chat's wire has it, by a script.

use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A piece of a scripted answer.
#[derive(Clone)]
pub(crate) enum Said {
    /// `{"content": …}`
    Text(&'static str),
    /// `{"tool_call": …}`, the arguments as a string.
    Call(&'static str, String),
    /// The same with an id, as newer servers send it, and the hash of what is proposed.
    CallById(&'static str, Option<&'static str>, &'static str, String),
    /// Bytes as they are.
    Raw(&'static [u8]),
    /// Nothing for a while.
    Pause(Duration),
    /// Nothing more, and the connection stays open.
    Hang,
    /// The connection ends without the closing event, as when a server dies.
    Cut,
    /// In place of an answer: a refusal, by its status and code.
    Refused(&'static str, &'static str),
}

/// A call of `page_action`.
pub(crate) fn actions(actions: Value) -> Said {
    Said::Call("page_action", json!({ "actions": actions }).to_string())
}

#[derive(Default)]
struct Shared {
    pages: HashMap<String, String>,
    script: VecDeque<Vec<Said>>,
    asked: Vec<Value>,
    status: Option<&'static str>,
    is_page: bool,
    busy: usize,
    cancelled: Vec<String>,
    refusals: Vec<(bool, Value)>,
    got: Vec<String>,
}

/// The agents that it tells whoever pairs with it.
const AGENTS: [&str; 2] = ["shop", "office"];

/// It ends with the test.
pub(crate) struct Server {
    port: u16,
    shared: Arc<Mutex<Shared>>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    pub(crate) async fn new() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared: Arc<Mutex<Shared>> = Arc::default();
        let served = shared.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, served.clone()));
            }
        });
        Self { port, shared, task }
    }

    /// Serves a page; its whole address.
    pub(crate) fn put(&self, path: &str, body: &str) -> String {
        let page = format!("<!doctype html><meta charset=utf-8><title>页面</title>{body}");
        self.shared.lock().unwrap().pages.insert(path.into(), page);
        format!("{}{path}", self.origin())
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What it answers next, after what it was told before.
    pub(crate) fn then(&self, said: impl Into<Vec<Said>>) {
        self.shared.lock().unwrap().script.push_back(said.into());
    }

    /// Answers everything with an error from now on, or no longer.
    pub(crate) fn fail(&self, status: Option<&'static str>) {
        self.shared.lock().unwrap().status = status;
    }

    /// The same by a page for people, as whatever else stands at a wrong address does.
    pub(crate) fn fail_by_page(&self, status: Option<&'static str>) {
        let mut shared = self.shared.lock().unwrap();
        (shared.status, shared.is_page) = (status, status.is_some());
    }

    /// Answers so many requests as if it were at another answer still.
    pub(crate) fn be_busy(&self, times: usize) {
        self.shared.lock().unwrap().busy = times;
    }

    /// The conversations whose answers were called off.
    pub(crate) fn cancelled(&self) -> Vec<String> {
        self.shared.lock().unwrap().cancelled.clone()
    }

    /// The reports of messages that were refused: whether each was taken, and what it tells.
    pub(crate) fn refusals(&self) -> Vec<(bool, Value)> {
        self.shared.lock().unwrap().refusals.clone()
    }

    /// The pages that were asked for so far.
    pub(crate) fn got(&self) -> Vec<String> {
        self.shared.lock().unwrap().got.clone()
    }

    /// The chat's requests so far: bodies, with the token and origin they came with.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.shared.lock().unwrap().asked.clone()
    }

    /// Waits until there were so many requests; the last of them.
    pub(crate) async fn asked_times(&self, count: usize) -> Value {
        let began = std::time::Instant::now();
        loop {
            let asked = self.asked();
            if asked.len() >= count {
                return asked[count - 1].clone();
            }
            assert!(began.elapsed() < crate::chromium::LIMIT, "{} of {count} requests: {asked:?}", asked.len());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers one request, if it is whole.
async fn serve(mut stream: TcpStream, shared: Arc<Mutex<Shared>>) -> Option<()> {
    let (head, body) = read(&mut stream).await?;
    let mut words = head.split(' ');
    let (method, path) = (words.next()?, words.next()?.split('?').next()?);
    let header = |name: &str| {
        let line = head.lines().find(|l| l.to_ascii_lowercase().starts_with(&format!("{name}:")));
        line.map_or("", |l| l[name.len() + 1..].trim()).to_owned()
    };
    let allowed = format!(
        "Access-Control-Allow-Origin: {}\r\nAccess-Control-Allow-Headers: authorization, content-type\r\n",
        header("origin")
    );
    if method == "GET" {
        shared.lock().unwrap().got.push(path.to_owned());
        // Pages that take their time.
        if path.starts_with("/slow") {
            tokio::time::sleep(Duration::from_millis(900)).await;
        }
        let page = shared.lock().unwrap().pages.get(path).cloned();
        let status = if page.is_some() { "200 OK" } else { "404 Not Found" };
        let page = page.unwrap_or_default();
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n", page.len());
        return write(&mut stream, format!("{head}Connection: close\r\n\r\n{page}").as_bytes()).await;
    }
    if method == "POST" && path == "/api/v1/refusals" {
        let told: Value = serde_json::from_slice(&body).ok()?;
        let status = {
            let mut shared = shared.lock().unwrap();
            let status = shared.status;
            shared.refusals.push((status.is_none(), told["refused"].clone()));
            status.unwrap_or("200 OK")
        };
        let head = format!("HTTP/1.1 {status}\r\n{allowed}Content-Length: 2\r\nConnection: close\r\n\r\n{{}}");
        return write(&mut stream, head.as_bytes()).await;
    }
    if method == "POST" && path == "/api/v1/pair" {
        let told = json!({"token": "he_paired", "id": "token_1", "user": "ann", "agents": AGENTS}).to_string();
        let head = format!("HTTP/1.1 200 OK\r\n{allowed}Content-Type: application/json\r\n");
        let head = format!("{head}Content-Length: {}\r\nConnection: close\r\n\r\n{told}", told.len());
        return write(&mut stream, head.as_bytes()).await;
    }
    if method != "POST" || path != "/api/v1/agent/chat" {
        let cancelled = path.strip_prefix("/api/v1/conversations/").and_then(|rest| rest.strip_suffix("/cancel"));
        if method == "POST" {
            shared.lock().unwrap().cancelled.extend(cancelled.map(str::to_owned));
        }
        let head = format!("HTTP/1.1 204 No Content\r\n{allowed}Connection: close\r\n\r\n");
        return write(&mut stream, head.as_bytes()).await;
    }
    let mut asked: Value = serde_json::from_slice(&body).ok()?;
    asked["_authorization"] = header("authorization").into();
    asked["_origin"] = header("origin").into();
    let (said, status, is_busy) = {
        let mut shared = shared.lock().unwrap();
        shared.asked.push(asked);
        let is_busy = shared.busy > 0;
        shared.busy = shared.busy.saturating_sub(1);
        let said = if shared.status.is_none() && !is_busy { shared.script.pop_front() } else { None };
        (said.unwrap_or_default(), shared.status, is_busy)
    };
    if is_busy {
        let body = r#"{"error": {"code": "run_in_progress", "message": "busy"}}"#;
        let head = format!("HTTP/1.1 409 Conflict\r\n{allowed}Content-Length: {}\r\n", body.len());
        return write(&mut stream, format!("{head}Connection: close\r\n\r\n{body}").as_bytes()).await;
    }
    if let Some(status) = status {
        let (kind, body) = match shared.lock().unwrap().is_page {
            true => ("text/html", "<!doctype html><h1>Bad gateway</h1>"),
            false => ("application/json", r#"{"error": {"code": "denied", "message": "no such token"}}"#),
        };
        let head = format!("HTTP/1.1 {status}\r\n{allowed}Content-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
        return write(&mut stream, format!("{head}Connection: close\r\n\r\n{body}").as_bytes()).await;
    }
    if let [Said::Refused(status, code), ..] = said[..] {
        let body = json!({"error": {"code": code, "message": "not taken"}}).to_string();
        let head = format!("HTTP/1.1 {status}\r\n{allowed}Content-Length: {}\r\n", body.len());
        return write(&mut stream, format!("{head}Connection: close\r\n\r\n{body}").as_bytes()).await;
    }
    let head = format!("HTTP/1.1 200 OK\r\n{allowed}Content-Type: text/event-stream\r\nConnection: close\r\n\r\n");
    write(&mut stream, head.as_bytes()).await?;
    for one in said {
        match one {
            Said::Text(text) => event(&mut stream, json!({ "content": text })).await?,
            Said::Call(tool, args) => {
                event(&mut stream, json!({"tool_call": {"tool_name": tool, "arguments": args}})).await?;
            }
            Said::CallById(id, hash, tool, args) => {
                let mut call = json!({"id": id, "tool_name": tool, "arguments": args});
                if let Some(hash) = hash {
                    call["hash"] = hash.into();
                }
                event(&mut stream, json!({ "tool_call": call })).await?;
            }
            Said::Raw(bytes) => write(&mut stream, bytes).await?,
            Said::Pause(time) => tokio::time::sleep(time).await,
            Said::Cut | Said::Refused(..) => return None,
            // Until the other side goes.
            Said::Hang => return stream.read(&mut [0; 16]).await.ok().map(drop),
        }
    }
    event(&mut stream, json!({"message": "对话完成"})).await
}

async fn event(stream: &mut TcpStream, data: Value) -> Option<()> {
    write(stream, format!("data: {data}\n\n").as_bytes()).await
}

async fn write(stream: &mut TcpStream, bytes: &[u8]) -> Option<()> {
    stream.write_all(bytes).await.ok()
}

/// Head and body.
async fn read(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        if let Some(at) = all.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&all[..at]).into_owned();
            let length =
                head.lines().find_map(|l| l.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
            let end = at + 4 + length.unwrap_or(0);
            if all.len() >= end {
                return Some((head, all[at + 4..end].to_vec()));
            }
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return None,
            Ok(n) => all.extend_from_slice(&buffer[..n]),
        }
    }
}
