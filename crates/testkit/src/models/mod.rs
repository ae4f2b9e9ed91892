//! A model server of a test's own: it speaks OpenAI's and Anthropic's wire over HTTP, whole or streamed, and fails on request.
//!
//! What it answers is decided by the test's closure, which sees what was asked, pictures included.

mod answer;
mod asked;
mod eye;
mod speech;

pub use answer::Answer;
pub use asked::Asked;
pub use eye::{Eye, Truth, seen};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

type Decide = dyn Fn(&Asked) -> Answer + Send + Sync;

/// A running server; it ends when dropped.
pub struct ModelServer {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    ended: Arc<AtomicBool>,
}

impl ModelServer {
    /// Starts one that answers as `decide` says.
    pub fn new(decide: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        Self::on(0, decide)
    }

    /// The same at a port that is known before.
    pub fn on(port: u16, decide: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let ended = Arc::new(AtomicBool::new(false));
        let decide: Arc<Decide> = Arc::new(decide);
        let (noted, over) = (asked.clone(), ended.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::SeqCst) {
                    break;
                }
                let (noted, decide) = (noted.clone(), decide.clone());
                // A client that went away is no failure of the server.
                std::thread::spawn(move || serve(stream, &noted, decide.as_ref()));
            }
        });
        Self { port, asked, ended }
    }

    /// The base address, as settings have it.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Everything that was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        // The listener wakes up to see it.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn serve(mut stream: TcpStream, noted: &Mutex<Vec<Asked>>, decide: &Decide) -> Option<()> {
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut length, mut key) = (0, None);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(':') else { break };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => key = value.strip_prefix("Bearer ").map(str::to_owned),
            "x-api-key" => key = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let answer = {
        let mut noted = noted.lock().unwrap();
        let number = noted.len();
        noted.push(asked(number, &path, key, body));
        noted.last().cloned()?
    };
    let said = decide(&answer);
    respond(&mut stream, &answer, said).ok()
}

fn asked(number: usize, path: &str, key: Option<String>, body: Value) -> Asked {
    let (mut text, mut pictures) = (String::new(), Vec::new());
    gather(body.get("system").unwrap_or(&Value::Null), &mut text);
    for message in body.get("messages").and_then(Value::as_array).into_iter().flatten() {
        gather(message.get("content").unwrap_or(&Value::Null), &mut text);
    }
    let last = body.get("messages").and_then(Value::as_array).and_then(|all| all.last());
    for part in last.and_then(|message| message.get("content")?.as_array()).into_iter().flatten() {
        let url = part.pointer("/image_url/url").and_then(Value::as_str).and_then(|url| url.split(',').nth(1));
        let data = part.pointer("/source/data").and_then(Value::as_str);
        pictures.extend(url.or(data).and_then(|data| STANDARD.decode(data).ok()));
    }
    Asked {
        number,
        is_anthropic: path.ends_with("/messages"),
        is_streamed: body.get("stream") == Some(&json!(true)),
        key,
        text,
        pictures,
        body,
    }
}

fn gather(content: &Value, text: &mut String) {
    match content {
        Value::String(said) => text.push_str(&format!("{said}\n")),
        Value::Array(parts) => parts.iter().for_each(|part| {
            gather(part.get("text").or_else(|| part.get("content")).unwrap_or(&Value::Null), text);
        }),
        _ => {}
    }
}

fn respond(stream: &mut TcpStream, asked: &Asked, answer: Answer) -> std::io::Result<()> {
    let whole = |stream: &mut TcpStream, status: &str, headers: &str, body: &str| {
        write!(
            stream,
            "HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    match answer {
        Answer::Fail(status, headers, body) => whole(stream, &format!("{status} Failed"), headers, &body),
        Answer::Raw(kind, body) => whole(stream, "200 OK", &format!("content-type: {kind}\r\n"), &body),
        Answer::Stall(time) => {
            std::thread::sleep(time);
            Ok(())
        }
        Answer::Cut(said) => cut(stream, asked, &Answer::Say(said)),
        said if asked.is_streamed => {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
            let pause = if let Answer::Paced(_, pause) = &said { *pause } else { Duration::ZERO };
            for event in speech::events(asked.is_anthropic, &said) {
                std::thread::sleep(pause);
                stream.write_all(event.as_bytes())?;
                stream.flush()?;
            }
            Ok(())
        }
        said => {
            whole(stream, "200 OK", "content-type: application/json\r\n", &speech::whole(asked.is_anthropic, &said))
        }
    }
}

/// Half of an answer.
fn cut(stream: &mut TcpStream, asked: &Asked, said: &Answer) -> std::io::Result<()> {
    if asked.is_streamed {
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
        let events = speech::events(asked.is_anthropic, said);
        for event in events.iter().take(events.len() / 2) {
            stream.write_all(event.as_bytes())?;
        }
        return Ok(());
    }
    let body = speech::whole(asked.is_anthropic, said);
    let half: String = body.chars().take(body.chars().count() / 2).collect();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{half}",
        body.len()
    )
}
