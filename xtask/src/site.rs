//! A small web server for the pages of the demo and of the task set: files of some folders, server-sent events, and a
//! WebSocket that says back what it is told.

use crate::run::Outcome;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

/// A running server. It ends with the process.
pub(crate) struct Site {
    port: u16,
    listening: Arc<Mutex<Vec<TcpStream>>>,
}

impl Site {
    /// Serves the files under `folder` on a free port of the loopback interface.
    pub(crate) fn serve(folder: &Path) -> Outcome<Self> {
        Self::serve_all(vec![folder.to_path_buf()])
    }

    /// The same of several folders, the first that has a file giving it. `?wait=MS` in an address delays the answer.
    pub(crate) fn serve_all(folders: Vec<PathBuf>) -> Outcome<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let site = Self { port: listener.local_addr()?.port(), listening: Arc::default() };
        let (folders, listening) = (Arc::new(folders), Arc::clone(&site.listening));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (folders, listening) = (Arc::clone(&folders), Arc::clone(&listening));
                // One that went away while it was answered is no concern of ours.
                thread::spawn(move || drop(answer(stream, &folders, &listening)));
            }
        });
        Ok(site)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Sends an event to every page that listens; says how many do.
    pub(crate) fn tell(&self, event: &str, data: &str) -> usize {
        let mut listening = self.listening.lock().unwrap_or_else(PoisonError::into_inner);
        listening.retain_mut(|page| write!(page, "event: {event}\ndata: {data}\n\n").is_ok());
        listening.len()
    }
}

fn answer(stream: TcpStream, folders: &[PathBuf], listening: &Mutex<Vec<TcpStream>>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut start = [0; SOCKET.len()];
    if stream.peek(&mut start)? == SOCKET.len() && start == SOCKET {
        echo(stream);
        return Ok(());
    }
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut header = String::new();
    let mut length = 0;
    while reader.read_line(&mut header)? > 2 {
        if let Some((_, value)) = header.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        {
            length = value.trim().parse().unwrap_or_default();
        }
        header.clear();
    }
    // What is sent along is of no interest, but left unread it would break the connection.
    std::io::copy(&mut reader.take(length), &mut std::io::sink())?;
    let path = first.split(' ').nth(1).unwrap_or("/");
    if let Some(ms) = path.split(['?', '&']).find_map(|part| part.strip_prefix("wait=")?.parse().ok()) {
        thread::sleep(Duration::from_millis(ms));
    }
    let path = path.split(['?', '#']).next().unwrap_or("/");
    if path == "/events" {
        writer.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\n\r\n")?;
        writer.write_all(b": here\n\n")?;
        listening.lock().unwrap_or_else(PoisonError::into_inner).push(writer);
        return Ok(());
    }
    let found = folders.iter().filter_map(|folder| file(folder, path)).find(|path| path.is_file());
    match found.and_then(|path| Some((kind(&path), std::fs::read(&path).ok()?))) {
        Some((kind, body)) => reply(&mut writer, "200 OK", kind, &body),
        None => reply(&mut writer, "404 Not Found", "text/plain; charset=utf-8", b"no such page\n"),
    }
}

fn reply(writer: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> std::io::Result<()> {
    let length = body.len();
    write!(
        writer,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )?;
    writer.write_all(body)?;
    writer.flush()
}

/// How the request of a page's WebSocket begins.
const SOCKET: [u8; 11] = *b"GET /socket";

/// Says back what it is told, until the page goes away.
fn echo(stream: TcpStream) {
    let Ok(mut socket) = tungstenite::accept(stream) else { return };
    while let Ok(message) = socket.read() {
        if message.is_text() && socket.send(message).is_err() {
            return;
        }
    }
}

/// The file behind a path, never outside the folder.
fn file(folder: &Path, path: &str) -> Option<PathBuf> {
    let relative = Path::new(path.trim_start_matches('/'));
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let full = folder.join(relative);
    Some(if full.is_dir() { full.join("index.html") } else { full })
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|end| end.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn ask(site: &Site, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", site.port())).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn files_are_served_and_nothing_else() {
        let site = Site::serve(&crate::run::root().join("fixtures")).unwrap();
        assert!(ask(&site, "/order/?live").contains("<title>Order"));
        assert!(ask(&site, "/order/order.js").contains("text/javascript"));
        assert!(ask(&site, "/order/nothing.html").starts_with("HTTP/1.1 404"));
        assert!(ask(&site, "/../Cargo.toml").starts_with("HTTP/1.1 404"));
    }

    #[test]
    fn events_reach_the_pages_that_listen() {
        let site = Site::serve(&crate::run::root().join("fixtures")).unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", site.port())).unwrap();
        stream.write_all(b"GET /events HTTP/1.1\r\n\r\n").unwrap();
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        assert!(lines.any(|line| line == ": here"));
        while site.tell("relabel", "{}") == 0 {
            thread::yield_now();
        }
        assert!(lines.any(|line| line == "event: relabel"));
    }

    #[test]
    fn the_first_folder_that_has_a_file_gives_it() {
        let fixtures = crate::run::root().join("fixtures");
        let site = Site::serve_all(vec![fixtures.join("stress"), fixtures]).unwrap();
        assert!(ask(&site, "/order/?wait=1").contains("<title>Order"));
        assert!(ask(&site, "/README.md").starts_with("HTTP/1.1 200"), "it is in the folder `stress`");
        let mut stream = TcpStream::connect(("127.0.0.1", site.port())).unwrap();
        stream.write_all(b"POST /order/ HTTP/1.1\r\ncontent-length: 5\r\n\r\nhello").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.contains("<title>Order"));
    }

    #[test]
    fn a_web_socket_says_back_what_it_is_told() {
        let site = Site::serve(&crate::run::root().join("fixtures")).unwrap();
        let stream = TcpStream::connect(("127.0.0.1", site.port())).unwrap();
        let (mut socket, _) = tungstenite::client(format!("ws://127.0.0.1:{}/socket", site.port()), stream).unwrap();
        socket.send(tungstenite::Message::text("hello")).unwrap();
        assert_eq!(socket.read().unwrap(), tungstenite::Message::text("hello"));
    }
}
