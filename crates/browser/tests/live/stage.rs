//! A small web site and a browser on it, for the live tests. Both end with the test, however it ends.

use handeye_browser::Chromium;
use handeye_scene::{
    Aim, Button, Capture, Chord, Delivery, Gesture, Guard, Held, HeldRow, HeldText, Launch, Modifiers, NativeId, Node,
    Opener, Point, Probe, Problem, Settled, Surface, Want, Web,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What a page may take in these tests: the machine may be busy.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

/// An answer of the site.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: &'static str,
    pub(crate) head: String,
    pub(crate) body: String,
    pub(crate) after: Duration,
    /// Held back until another answer is put in its place.
    pub(crate) held: bool,
}

/// A page of HTML.
pub(crate) fn page(body: &str) -> Answer {
    let body = format!("<!doctype html><meta charset=utf-8><title>T</title>{body}");
    Answer { status: "200 OK", head: "Content-Type: text/html\r\n".into(), body, after: Duration::ZERO, held: false }
}

/// A web server on a port of its own, reached as 127.0.0.1 and as localhost: two sites to the browser.
pub(crate) struct Site {
    pub(crate) port: u16,
    pages: Arc<Mutex<HashMap<String, Answer>>>,
    asked: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Site {
    pub(crate) async fn new() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let pages: Arc<Mutex<HashMap<String, Answer>>> = Arc::default();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let (served, told) = (pages.clone(), asked.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, served.clone(), told.clone()));
            }
        });
        Self { port, pages, asked, task }
    }

    pub(crate) fn put(&self, path: &str, answer: Answer) {
        self.pages.lock().unwrap().insert(path.into(), answer);
    }

    /// Whether a page has asked for this.
    pub(crate) fn was_asked(&self, path: &str) -> bool {
        self.times_asked(path) > 0
    }

    /// How often pages have asked for this.
    pub(crate) fn times_asked(&self, path: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|p| *p == path).count()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same page on another site.
    pub(crate) fn other(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, pages: Arc<Mutex<HashMap<String, Answer>>>, asked: Arc<Mutex<Vec<String>>>) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.windows(4).any(|w| w == b"\r\n\r\n") {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(n) => request.extend_from_slice(&buffer[..n]),
        }
    }
    let text = String::from_utf8_lossy(&request);
    let path = text.split(' ').nth(1).unwrap_or("/");
    let path = path.split('?').next().unwrap_or(path).to_owned();
    asked.lock().unwrap().push(path.clone());
    let found = pages.lock().unwrap().get(&path).cloned();
    let answer = found.unwrap_or(Answer { status: "404 Not Found", ..page("nothing here") });
    tokio::time::sleep(answer.after).await;
    while pages.lock().unwrap().get(&path).is_some_and(|answer| answer.held) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let head = format!(
        "HTTP/1.1 {}\r\n{}Content-Length: {}\r\nConnection: close\r\n\r\n",
        answer.status,
        answer.head,
        answer.body.len()
    );
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(answer.body.as_bytes()).await;
}

/// A browser on a site.
pub(crate) struct Stage {
    pub(crate) surface: Box<dyn Surface>,
    pub(crate) site: Site,
    pub(crate) folder: tempfile::TempDir,
}

impl Stage {
    /// A browser of our own, every site in a process of its own.
    pub(crate) async fn new() -> Self {
        Self::launched(Launch { args: vec!["--site-per-process".into()], ..Launch::default() }).await
    }

    pub(crate) async fn launched(launch: Launch) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let surface = Chromium::new(&folder.path().join("browser")).browser(&launch).await.unwrap();
        Self { surface, site: Site::new().await, folder }
    }

    /// As [`Stage::new`], with `body` as its page.
    pub(crate) async fn on(body: &str) -> Self {
        let mut stage = Self::new().await;
        stage.show(body).await;
        stage
    }

    pub(crate) fn web(&mut self) -> &mut dyn Web {
        self.surface.web().unwrap()
    }

    /// Serves `body` as `/` and opens it.
    pub(crate) async fn show(&mut self, body: &str) {
        self.site.put("/", page(body));
        let url = self.site.url("/");
        self.open(&url).await;
    }

    pub(crate) async fn open(&mut self, url: &str) {
        self.web().navigate(url, LIMIT).await.unwrap();
    }

    pub(crate) async fn look(&mut self) -> Capture {
        self.surface.capture(Want::default()).await.unwrap()
    }

    /// The one node of that role and name; looked for until it is there.
    pub(crate) async fn node(&mut self, role: &str, name: &str) -> Node {
        let began = std::time::Instant::now();
        loop {
            let capture = self.look().await;
            let found = capture.nodes.iter().find(|n| n.role == role && n.name == name && n.id.is_some());
            if let Some(found) = found {
                return found.clone();
            }
            if began.elapsed() > Duration::from_secs(8) {
                panic!("no {role} {name:?} in:\n{}", list(&capture));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub(crate) async fn id(&mut self, role: &str, name: &str) -> NativeId {
        self.node(role, name).await.id.unwrap()
    }

    pub(crate) async fn probe(&mut self, id: NativeId) -> Probe {
        self.surface.probe(id, Aim { scroll: true, point: true, ..Aim::default() }).await.unwrap().expect("it is gone")
    }

    /// What the engine does: probe, then click there under a guard with what the probe said.
    pub(crate) async fn click(&mut self, id: NativeId) -> Delivery {
        let probe = self.probe(id).await;
        self.press(&probe).await
    }

    pub(crate) async fn press(&mut self, probe: &Probe) -> Delivery {
        let at = probe.point.unwrap_or_else(|| panic!("no point hits it: {probe:?}"));
        self.surface.perform(&click_at(at), &guard_of(probe)).await.unwrap()
    }

    /// A keyboard gesture on an element, guarded.
    pub(crate) async fn on_keys(&mut self, id: NativeId, gesture: Gesture) -> Delivery {
        let probe = self.probe(id).await;
        self.surface.perform(&gesture, &guard_of(&probe)).await.unwrap()
    }

    pub(crate) async fn settle(&mut self) -> Settled {
        self.surface.settle(LIMIT).await.unwrap()
    }

    /// Visible text of the main document.
    pub(crate) async fn text(&mut self) -> String {
        self.web().text(None).await.unwrap()
    }

    /// Waits until the main document's text holds `wanted`.
    pub(crate) async fn sees(&mut self, wanted: &str) {
        let began = std::time::Instant::now();
        loop {
            let text = self.text().await;
            if text.contains(wanted) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(8), "no {wanted:?} in {text:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Process ids of the browser.
    pub(crate) fn processes(&self) -> Vec<i32> {
        let mark = self.folder.path().to_string_lossy().into_owned();
        running().into_iter().filter(|(_, line)| line.contains(&mark)).map(|(pid, _)| pid).collect()
    }
}

/// Every process with its command line.
pub(crate) fn running() -> Vec<(i32, String)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let line = |pid: i32| {
        Some((pid, String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/cmdline")).ok()?).into_owned()))
    };
    pids.filter_map(line).collect()
}

pub(crate) fn click_at(at: Point) -> Gesture {
    Gesture::Click { at, button: Button::Left, count: 1, modifiers: Modifiers::default() }
}

/// The guard the engine makes of a probe.
pub(crate) fn guard_of(probe: &Probe) -> Guard {
    Guard {
        target: Some(probe.id),
        held: Some(Held {
            role: Some(probe.role.clone()),
            texts: vec![
                ("name".into(), HeldText::exactly(&probe.name)),
                ("text".into(), HeldText::exactly(&probe.texts.text)),
            ],
            row: probe.row.as_ref().map(|row| HeldRow { text: HeldText::exactly(&row.text), place: row.place }),
            ..Held::default()
        }),
        ..Guard::default()
    }
}

pub(crate) fn chord(key: &str) -> Chord {
    Chord { modifiers: Modifiers::default(), key: key.into() }
}

pub(crate) fn typed(text: &str) -> Gesture {
    Gesture::Type { text: text.into(), pace_ms: 0 }
}

/// A capture in lines, for messages of failed tests.
pub(crate) fn list(capture: &Capture) -> String {
    let line = |n: &Node| format!("{:?} {} {:?} {:?} {:?}\n", n.kind, n.role, n.name, n.value, n.rect);
    capture
        .nodes
        .iter()
        .map(line)
        .chain(capture.notices.iter().map(|n| format!("! {}: {}\n", n.kind, n.text)))
        .collect()
}

/// The reason for which a gesture was withheld.
pub(crate) fn withheld(delivery: &Delivery) -> &str {
    match delivery {
        Delivery::Withheld(w) => &w.reason,
        other => panic!("not withheld: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn delivered(delivery: &Delivery) {
    assert!(matches!(delivery, Delivery::Delivered { .. }), "{delivery:?}");
}

pub(crate) fn code<T: std::fmt::Debug>(outcome: Result<T, Problem>) -> String {
    let problem = outcome.unwrap_err();
    let hints: Vec<String> = problem.hints.iter().map(ToString::to_string).collect();
    format!("{}: {} → {}", problem.code.word(), problem.message, hints.join(", "))
}
