//! Pages for live tests: a small server of them, and a session that has one open.

use crate::home::{self, Home, Ran};
use serde_json::Value;
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// At the head of every page: `log` notes what happened where `get attr --xpath /html data-log` reads it, which changes
/// no text and no target, so that receipts tell of the test's own effects alone; `watch` logs events.
const HEAD: &str = "<!doctype html><meta charset=utf-8><script>
const log = (...words) => { const d = document.documentElement.dataset; d.log = [...(d.log ? [d.log] : []), ...words.map(String)].join(' ') };
const watch = (id, kinds, words = e => e.type) =>
  kinds.split(' ').forEach(k => document.getElementById(id).addEventListener(k, e => log(words(e))));
</script>";

/// What the server does when asked for a path.
pub enum Answer {
    /// A page, behind [`HEAD`].
    Page(String),
    /// A page with a status line of its own, such as `404 Not Found`.
    Status(&'static str, String),
    /// Another address.
    Redirect(String),
    /// A file of the working folder.
    File(String),
    /// Something to save, under this name.
    Download(&'static str),
    /// The beginning of something to save under this name; then the connection ends.
    Cut(&'static str),
    /// A page whose head is sent at once, and all that is in it so much later.
    Late(Duration, String),
    /// The beginning of a page, never its end.
    Stall,
    /// Nothing, and the connection stays open.
    Silence,
    /// What a function makes of the whole request.
    Of(fn(&Asked) -> Reply),
}

/// A request, as it came.
pub struct Asked {
    /// Its method.
    pub method: String,
    /// Its path with the query.
    pub path: String,
    /// Names, in small letters, and values of its headers.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Asked {
    /// A header's value; empty when there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(n, _)| n == name).map_or("", |(_, v)| v)
    }
}

/// An answer, to the byte.
pub struct Reply {
    /// Such as `200 OK`.
    pub status: &'static str,
    /// Lines of its head, each with its line break.
    pub head: String,
    /// Its body.
    pub body: Vec<u8>,
}

/// A plain answer.
pub fn reply(head: &str, body: impl Into<Vec<u8>>) -> Reply {
    Reply { status: "200 OK", head: head.to_owned(), body: body.into() }
}

/// A page as an answer, behind [`HEAD`].
pub fn html(body: &str) -> Reply {
    reply("Content-Type: text/html\r\n", format!("{HEAD}{body}"))
}

/// A page.
pub fn page(html: impl Into<String>) -> Answer {
    Answer::Page(html.into())
}

/// A server of pages, until the test ends.
pub struct Site {
    /// Its port.
    pub port: u16,
}

impl Site {
    /// Serves what `route` answers for a path with its query. Files come from `folder`.
    pub fn new(folder: PathBuf, route: fn(&str) -> Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let folder = Arc::new(folder);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let folder = folder.clone();
                // A client that goes away while it is answered is none of the test's business.
                std::thread::spawn(move || serve(stream, &folder, route, port));
            }
        });
        Self { port }
    }

    /// Address of a path, on the site's own host.
    pub fn at(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

fn serve(mut stream: TcpStream, folder: &std::path::Path, route: fn(&str) -> Answer, port: u16) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?);
    let asked = read(&mut lines)?;
    let path = asked.path.clone();
    let mut send = |status: &str, more: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{more}\r\n", body.len());
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).ok()
    };
    // Pages may name the site of another origin: the same server under its other name.
    let place = |html: &str| format!("{HEAD}{html}").replace("OTHER", &format!("http://localhost:{port}"));
    let html = "Content-Type: text/html\r\n";
    match route(&path) {
        // A browser asks for it at a time of its own; an error would stand among the page's messages.
        _ if path == "/favicon.ico" => send("204 No Content", "", b""),
        Answer::Page(text) => send("200 OK", html, place(&text).as_bytes()),
        Answer::Status(status, text) => send(status, html, place(&text).as_bytes()),
        Answer::Redirect(to) => send("302 Found", &format!("Location: {to}\r\n"), b""),
        Answer::File(name) => send("200 OK", "", &std::fs::read(folder.join(name)).ok()?),
        Answer::Download(name) => {
            send("200 OK", &format!("Content-Disposition: attachment; filename={name}\r\n"), b"saved")
        }
        Answer::Cut(name) => {
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 5000000\r\nContent-Disposition: attachment; filename={name}\r\n\r\nonly this"
            );
            stream.write_all(head.as_bytes()).ok()
        }
        Answer::Late(late, text) => {
            let body = place(&text);
            let head = format!("HTTP/1.1 200 OK\r\n{html}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            stream.write_all(head.as_bytes()).ok()?;
            std::thread::sleep(late);
            stream.write_all(body.as_bytes()).ok()
        }
        Answer::Stall => {
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n<title>Half</title>";
            stream.write_all(head.as_bytes()).ok()?;
            hold(lines)
        }
        Answer::Silence => hold(lines),
        Answer::Of(make) => {
            let Reply { status, head, body } = make(&asked);
            send(status, &head, &body)
        }
    }
}

fn read(from: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = || {
        let mut line = String::new();
        from.read_line(&mut line).ok().filter(|n| *n > 0)?;
        Some(line.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let line = line()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut asked = Asked { method, path, headers, body: Vec::new() };
    asked.body.resize(asked.header("content-length").parse().unwrap_or(0), 0);
    from.read_exact(&mut asked.body).ok()?;
    Some(asked)
}

/// Until the client hangs up.
fn hold(mut lines: BufReader<TcpStream>) -> Option<()> {
    while lines.read_line(&mut String::new()).ok()? > 0 {}
    None
}

/// A session with a page of a site.
pub struct Live {
    /// Where its commands run.
    pub home: Home,
    /// Where its pages are.
    pub site: Site,
    seen: RefCell<String>,
}

impl Live {
    /// Serves and opens the page at `/`.
    #[track_caller]
    pub fn open(route: fn(&str) -> Answer) -> Self {
        let live = Self::closed(route);
        live.ok(&format!("open {}", live.site.at("/")));
        live
    }

    /// Serves; nothing is open yet.
    pub fn closed(route: fn(&str) -> Answer) -> Self {
        let home = Home::new();
        let site = Site::new(home.work(), route);
        let live = Self { home, site, seen: RefCell::default() };
        live.settings("");
        live
    }

    /// Sets what only the user's own file may say.
    pub fn settings(&self, more: &str) {
        let own = self.home.path().join(".config/handeye");
        std::fs::create_dir_all(&own).unwrap();
        // Documents of other sites get processes of their own whatever the machine's memory.
        let text = format!("[browser]\nargs = [\"--site-per-process\"]\n{more}");
        std::fs::write(own.join("handeye.toml"), text).unwrap();
    }

    /// Runs a command line: words separated by spaces, single quotes around those that have some.
    #[track_caller]
    pub fn run(&self, line: &str) -> Ran {
        home::run(self.home.command(words(line)))
    }

    /// Output of a command that must end in confirmation, without the last line break.
    #[track_caller]
    pub fn ok(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{line}: {ran:?}");
        ran.out.strip_suffix('\n').unwrap_or(&ran.out).to_owned()
    }

    /// Output of a command that must not be confirmed.
    #[track_caller]
    pub fn not(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!((ran.status, ran.err.as_str()), (Some(1), ""), "{line}: {ran:?}");
        ran.out.trim_end().to_owned()
    }

    /// Message, hints and all, of a command that must be a problem: `error[code]: …`.
    #[track_caller]
    pub fn problem(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{line}: {ran:?}");
        ran.err
    }

    /// JSON output of a command that must end in confirmation.
    #[track_caller]
    pub fn json(&self, line: &str) -> Value {
        let ran = self.run(&format!("{line} --json"));
        assert_eq!(ran.status, Some(0), "{line}: {ran:?}");
        ran.json()
    }

    /// Runs a command whose first line of output must begin like this.
    #[track_caller]
    pub fn says(&self, line: &str, begin: &str) {
        let out = self.ok(line);
        assert!(out.starts_with(begin), "{line}\n  wanted {begin}\n  said   {out}");
    }

    /// What the page has logged since this was last asked.
    #[track_caller]
    pub fn log(&self) -> String {
        let all = self.json("get attr --xpath /html data-log")["value"].as_str().unwrap_or_default().to_owned();
        let before = self.seen.replace(all.clone());
        // A page that is new begins a log of its own.
        all.strip_prefix(&before).unwrap_or(&all).trim().to_owned()
    }

    /// Checks what the page has logged since the last time.
    #[track_caller]
    pub fn logged(&self, wanted: &str) {
        assert_eq!(self.log(), wanted);
    }

    /// Number of the one element that a selector matches.
    #[track_caller]
    pub fn number(&self, css: &str) -> u64 {
        let found = self.json(&format!("find --css '{css}'"));
        let targets = found["targets"].as_array().unwrap();
        assert_eq!(targets.len(), 1, "{css}: {found}");
        targets[0]["ref"].as_u64().unwrap()
    }
}

/// Words of a command line.
fn words(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quoted = false;
    let mut any = false;
    for c in line.chars() {
        match c {
            '\'' => (quoted, any) = (!quoted, true),
            ' ' if !quoted => {
                if any || out.last().is_some_and(|w| !w.is_empty()) {
                    out.push(String::new());
                }
                any = false;
            }
            c => out.last_mut().unwrap().push(c),
        }
    }
    assert!(!quoted, "a quote is open: {line}");
    if !any && out.last().is_some_and(String::is_empty) {
        out.pop();
    }
    out
}
