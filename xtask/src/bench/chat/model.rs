//! A model that answers in paced pieces, each of which holds the moment when it was sent, and calls a tool in between; and that tool's
//! search server.

use crate::run::{Fail, Outcome};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Memory of a thread of ours: it holds little.
pub(super) const STACK: usize = 128 << 10;

pub(super) struct Model {
    pub(super) address: String,
    searched: Arc<AtomicUsize>,
}

/// How it answers.
#[derive(Clone)]
struct Pace {
    start: Instant,
    pieces: usize,
    pause: Duration,
    searched: Arc<AtomicUsize>,
}

impl Model {
    pub(super) fn start(start: Instant, pieces: usize, pause: Duration) -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        let searched: Arc<AtomicUsize> = Arc::default();
        let pace = Pace { start, pieces, pause, searched: searched.clone() };
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let pace = pace.clone();
                // A stream that ends early is told of by its client.
                let answer = move || drop(pace.answer(stream));
                let _ = thread::Builder::new().stack_size(STACK).spawn(answer);
            }
        });
        Ok(Self { address, searched })
    }

    /// How often was searched.
    pub(super) fn searched(&self) -> usize {
        self.searched.load(Ordering::SeqCst)
    }
}

impl Pace {
    fn answer(&self, mut stream: TcpStream) -> Outcome {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::with_capacity(1024, stream.try_clone()?);
        let (mut line, mut length) = (String::new(), 0);
        reader.read_line(&mut line)?;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let Some((name, value)) = header.trim().split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().map_err(|_| Fail::new("a length is no number"))?;
            }
        }
        if line.starts_with("GET") {
            self.searched.fetch_add(1, Ordering::SeqCst);
            let body = json!({"results": []}).to_string();
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())?;
            return Ok(());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        drop(reader);
        let asked: Value = serde_json::from_slice(&body).map_err(|e| Fail::new(e.to_string()))?;
        let is_answered =
            asked["messages"].as_array().and_then(|all| all.last()).is_some_and(|last| last["role"] == "tool");
        drop((asked, body));
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
        for _ in 0..self.pieces {
            thread::sleep(self.pause);
            let now = format!("{} ", self.start.elapsed().as_micros());
            event(&mut stream, &json!({"content": now}), None)?;
        }
        if !is_answered {
            let function = json!({"name": "search_web", "arguments": "{\"query\": \"x\"}"});
            let call = json!({"index": 0, "id": "call_0", "type": "function", "function": function});
            event(&mut stream, &json!({"tool_calls": [call]}), None)?;
        }
        event(&mut stream, &json!({}), Some(if is_answered { "stop" } else { "tool_calls" }))?;
        Ok(stream.write_all(b"data: [DONE]\n\n")?)
    }
}

fn event(stream: &mut TcpStream, delta: &Value, stop: Option<&str>) -> Outcome {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": stop});
    Ok(stream.write_all(format!("data: {}\n\n", json!({"choices": [choice]})).as_bytes())?)
}
