//! A client that sees every byte of an answer.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How long an answer may be silent.
const LIMIT: Duration = Duration::from_secs(60);

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Answer {
    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The code of its error.
    #[track_caller]
    pub(super) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_else(|| panic!("no error: {self:?}")).to_owned()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The data of its events.
    #[track_caller]
    pub(super) fn events(&self) -> Vec<Value> {
        assert_eq!(self.status, 200, "{self:?}");
        let events = self.body.split("\n\n").filter(|event| !event.is_empty());
        let data =
            |event: &str| event.strip_prefix("data: ").unwrap_or_else(|| panic!("no data: {event:?}")).to_owned();
        events.map(|event| serde_json::from_str(&data(event)).unwrap_or_else(|e| panic!("{e}: {event}"))).collect()
    }

    /// All words of its events, without those of errors.
    #[track_caller]
    pub(super) fn text(&self) -> String {
        self.events()
            .iter()
            .filter(|event| event.get("error").is_none())
            .filter_map(|event| event["content"].as_str())
            .collect()
    }

    /// Its calls: tool and arguments.
    #[track_caller]
    pub(super) fn calls(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("no string: {value}")).to_owned();
        self.events()
            .iter()
            .filter_map(|event| event.get("tool_call"))
            .map(|call| (text(&call["tool_name"]), text(&call["arguments"])))
            .collect()
    }

    /// The id of its only call.
    #[track_caller]
    pub(super) fn id(&self) -> String {
        let events = self.events();
        let ids: Vec<&str> = events.iter().filter_map(|event| event["tool_call"]["id"].as_str()).collect();
        assert_eq!(ids.len(), 1, "{self:?}");
        ids[0].to_owned()
    }
}

/// Sends a request and reads the whole answer; none where the connection broke off.
pub(super) fn send(port: u16, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<Answer> {
    let mut stream = begin(port, line, headers, body)?;
    read(&mut stream)
}

/// Sends a request; what comes is read by the caller.
pub(super) fn begin(port: u16, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    let mut head = format!("{line} HTTP/1.1\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "host") {
        head.push_str(&format!("host: 127.0.0.1:{port}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    // A server that refuses by the head alone may not read the rest.
    let _ = stream.write_all(body);
    Some(BufReader::new(stream))
}

/// Reads an answer to its end; none where the connection breaks off before.
pub(super) fn read(stream: &mut BufReader<TcpStream>) -> Option<Answer> {
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let is_chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let mut bytes = Vec::new();
    if is_chunked {
        loop {
            let mut size = String::new();
            stream.read_line(&mut size).ok()?;
            let size = usize::from_str_radix(size.trim(), 16).ok()?;
            let mut chunk = vec![0; size + 2];
            stream.read_exact(&mut chunk).ok()?;
            if size == 0 {
                break;
            }
            bytes.extend_from_slice(&chunk[..size]);
        }
    } else {
        stream.read_to_end(&mut bytes).ok()?;
    }
    Some(Answer { status, headers, body: String::from_utf8(bytes).ok()? })
}
