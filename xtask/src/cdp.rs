//! A browser of our own and the bare DevTools protocol, to measure against: one page, one call at a time.

use crate::{
    cleanup, install,
    run::{self, Fail, Outcome},
};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tungstenite::{Message, WebSocket, client::client_with_config, protocol::WebSocketConfig};

/// Longest that a call may take.
const LIMIT: Duration = Duration::from_secs(60);

/// A headless browser with a profile of its own; ended when dropped.
pub(crate) struct Browser {
    pub(crate) pid: u32,
    pub(crate) port: u16,
    _end: cleanup::Later,
    _profile: cleanup::Later,
}

impl Browser {
    /// Starts the installed browser.
    pub(crate) fn launch() -> Outcome<Self> {
        let binary =
            install::browser().ok_or_else(|| Fail::usage("no browser is installed; cargo xtask demo installs one"))?;
        let (profile, profile_guard) = run::scratch("profile")?;
        let mut command = Command::new(binary);
        command.args(["--headless=new", "--remote-debugging-port=0", "--window-size=1280,900", "--no-first-run"]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
        command.arg(format!("--user-data-dir={}", profile.display()));
        if install::become_root().is_some_and(<[_]>::is_empty) {
            command.arg("--no-sandbox");
        }
        let child =
            command.arg("about:blank").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let pid = child.id();
        let child = Arc::new(Mutex::new(child));
        let end = cleanup::later(move || {
            let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
            // Already ended is as good.
            let _ = child.kill();
            let _ = child.wait();
        });
        let begun = Instant::now();
        let port = loop {
            let text = std::fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
            if let Some(port) = text.lines().next().and_then(|line| line.parse().ok()) {
                break port;
            }
            if begun.elapsed() > Duration::from_secs(30) {
                return Err(Fail::new("the browser did not open its debugging port within 30 s"));
            }
            thread::sleep(Duration::from_millis(20));
        };
        Ok(Self { pid, port, _end: end, _profile: profile_guard })
    }

    /// The protocol of its first page.
    pub(crate) fn page(&self) -> Outcome<Page> {
        Page::at(self.port, "", LIMIT)
    }
}

/// Body of an answer of a browser's HTTP side, which leaves connections open.
fn get(port: u16, path: &str) -> Outcome<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(LIMIT))?;
    write!(stream, "GET {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n\r\n")?;
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? <= 2 {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or_default();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}

/// The protocol of one page.
pub(crate) struct Page {
    socket: WebSocket<TcpStream>,
    calls: u64,
}

impl Page {
    /// The first page with this in its address, of the browser at this port; each call may take so long.
    pub(crate) fn at(port: u16, part: &str, limit: Duration) -> Outcome<Self> {
        let list: Value = serde_json::from_str(&get(port, "/json/list")?)
            .map_err(|e| Fail::new(format!("the browser listed its pages in no JSON: {e}")))?;
        let pages = list.as_array().into_iter().flatten();
        let address = pages
            .filter(|target| target["type"] == "page" && target["url"].as_str().is_some_and(|url| url.contains(part)))
            .find_map(|target| target["webSocketDebuggerUrl"].as_str())
            .ok_or_else(|| Fail::new(format!("the browser has no page {part}")))?;
        Self::connect(address, port, limit)
    }

    fn connect(address: &str, port: u16, limit: Duration) -> Outcome<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(limit))?;
        // An accessibility tree of a large page is larger than the usual limits.
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let (socket, _) = client_with_config(address, stream, Some(config))
            .map_err(|e| Fail::new(format!("can't speak to {address}: {e}")))?;
        Ok(Self { socket, calls: 0 })
    }

    /// One call: its result, and the size of the answer in bytes.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Outcome<(Value, usize)> {
        self.calls += 1;
        let broken = |e: tungstenite::Error| Fail::new(format!("{method}: {e}"));
        let text = json!({"id": self.calls, "method": method, "params": params}).to_string();
        self.socket.send(Message::text(text)).map_err(broken)?;
        loop {
            let Message::Text(text) = self.socket.read().map_err(broken)? else { continue };
            // Events of no interest here are many, and an answer begins with its number.
            if !text.starts_with(&format!("{{\"id\":{},", self.calls)) {
                continue;
            }
            let mut answer: Value =
                serde_json::from_str(&text).map_err(|e| Fail::new(format!("{method}: no JSON: {e}")))?;
            if let Some(error) = answer.get("error") {
                return Err(Fail::new(format!("{method}: {error}")));
            }
            return Ok((answer["result"].take(), text.len()));
        }
    }

    /// Value of an expression, which must be JSON.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Outcome<(Value, usize)> {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let (mut result, size) = self.call("Runtime.evaluate", params)?;
        if let Some(thrown) = result.get("exceptionDetails") {
            return Err(Fail::new(format!("the page threw: {thrown}")));
        }
        Ok((result["result"]["value"].take(), size))
    }

    /// Loads an address and waits for its `load` event.
    pub(crate) fn load(&mut self, url: &str) -> Outcome {
        self.call("Page.navigate", json!({"url": url}))?;
        let begun = Instant::now();
        while begun.elapsed() < LIMIT {
            // While the page changes, the context of the question may vanish: ask again.
            if let Ok((value, _)) = self.evaluate("document.readyState + ' ' + location.href")
                && value.as_str().is_some_and(|text| text.strip_prefix("complete ") == Some(url))
            {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(Fail::new(format!("{url} was not loaded within {} s", LIMIT.as_secs())))
    }
}
