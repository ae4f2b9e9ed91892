//! A client of the chat: says something, approves the call that comes, and notes how long each event took.

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// How long a stream may be silent.
const SILENT: Duration = Duration::from_secs(60);
/// What the last event of a stream holds.
const LAST: &str = "\\u5bf9\\u8bdd";

/// What came of clients.
#[derive(Default)]
pub(super) struct Came {
    /// From the model to the client, in milliseconds.
    pub(super) delays: Vec<f64>,
    pub(super) approved: usize,
    pub(super) failures: Vec<String>,
}

impl Came {
    pub(super) fn failed(why: &str) -> Self {
        Self { failures: vec![why.to_owned()], ..Self::default() }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.delays.extend(other.delays);
        self.approved += other.approved;
        self.failures.extend(other.failures);
    }
}

pub(super) struct Client {
    pub(super) address: Arc<str>,
    pub(super) number: usize,
    /// What it can do in its page.
    pub(super) tools: Arc<Value>,
    pub(super) start: Instant,
}

impl Client {
    pub(super) fn talk(&self) -> Came {
        let mut came = Came::default();
        match self.both(&mut came) {
            Ok(()) => {}
            Err(why) => came.failures.push(why),
        }
        came
    }

    fn both(&self, came: &mut Came) -> Result<(), String> {
        if !self.ask("user", "go", came)? {
            return Err("no call came".into());
        }
        // A person reads.
        thread::sleep(Duration::from_millis(500 + (self.number as u64 * 37) % 1000));
        if self.ask("function", &json!({"toolId": "x", "approved": true}).to_string(), came)? {
            return Err("a second call came".into());
        }
        came.approved += 1;
        Ok(())
    }

    /// Sends a message and hears the answer; whether a call came.
    fn ask(&self, role: &str, message: &str, came: &mut Came) -> Result<bool, String> {
        let told = |e: std::io::Error| e.to_string();
        let mut stream = TcpStream::connect(&*self.address).map_err(told)?;
        stream.set_read_timeout(Some(SILENT)).map_err(told)?;
        let session = format!("s-{}", self.number);
        let body = json!({
            "message": message, "role": role, "agent_id": "default", "session_id": session, "user_id": "bench",
            "browser_tools": &*self.tools
        });
        let body = body.to_string();
        let head = format!(
            "POST /api/v1/agent/chat HTTP/1.0\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).map_err(told)?;
        let mut lines = BufReader::with_capacity(1024, stream).lines();
        let status = lines.next().ok_or("the connection ended")?.map_err(told)?;
        let (mut called, mut is_whole, mut refusal) = (false, false, String::new());
        for line in lines {
            let line = line.map_err(told)?;
            let Some(data) = line.strip_prefix("data: ") else {
                if line.starts_with('{') {
                    refusal = line;
                }
                continue;
            };
            is_whole |= data.contains(LAST);
            let event: Value = serde_json::from_str(data).map_err(|e| e.to_string())?;
            if let Some(error) = event.get("error") {
                return Err(error.to_string());
            }
            called |= event.get("tool_call").is_some();
            let sent = event["content"].as_str().and_then(|text| text.trim().parse::<u128>().ok());
            if let Some(sent) = sent {
                came.delays.push(self.start.elapsed().as_micros().saturating_sub(sent) as f64 / 1000.0);
            }
        }
        if is_whole { Ok(called) } else { Err(format!("the stream broke off: {status} {refusal}")) }
    }
}
