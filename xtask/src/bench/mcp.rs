//! A client of the Model Context Protocol (2025-06-18, stdio transport), as far as a bench needs one.

use crate::{
    cleanup,
    run::{Fail, Outcome},
};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::{ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

/// Longest that one call may take.
const LIMIT: Duration = Duration::from_secs(60);

/// A server that was started; ended when dropped.
pub(super) struct Mcp {
    lines: Receiver<String>,
    input: ChildStdin,
    next: u64,
    _end: cleanup::Later,
}

impl Mcp {
    pub(super) fn start(command: &mut Command) -> Outcome<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Fail::new("the server has no pipes"));
        };
        let end = cleanup::later(move || {
            // Already ended is as good.
            let _ = child.kill();
            let _ = child.wait();
        });
        let (send, lines) = channel();
        thread::spawn(move || {
            let read = BufReader::new(output).lines().map_while(Result::ok);
            for line in read {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let mut mcp = Self { lines, input, next: 0, _end: end };
        let client = json!({"name": "handeye-bench", "version": "1"});
        mcp.request("initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}))?;
        mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(mcp)
    }

    /// Calls a tool: its text, and whether it says that it failed.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Outcome<(String, bool)> {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
        let parts = result["content"].as_array().into_iter().flatten();
        let text: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
        Ok((text.join("\n"), result["isError"] == true))
    }

    /// Whether a tool has an argument.
    pub(super) fn takes(&mut self, tool: &str, argument: &str) -> Outcome<bool> {
        let listed = self.request("tools/list", json!({}))?;
        let found = listed["tools"].as_array().into_iter().flatten().find(|t| t["name"] == tool);
        Ok(found.is_some_and(|t| t["inputSchema"]["properties"].get(argument).is_some()))
    }

    fn request(&mut self, method: &str, params: Value) -> Outcome<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let deadline = Instant::now() + LIMIT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|_| Fail::new(format!("no answer to {method}")))?;
            let Ok(mut answer) = serde_json::from_str::<Value>(&line) else { continue };
            if answer["id"] != id {
                continue;
            }
            return match answer.get("error") {
                Some(error) => Err(Fail::new(format!("{method}: {error}"))),
                None => Ok(answer["result"].take()),
            };
        }
    }

    fn send(&mut self, message: &Value) -> Outcome {
        writeln!(self.input, "{message}")?;
        Ok(self.input.flush()?)
    }
}
