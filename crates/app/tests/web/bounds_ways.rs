//! Ways out of bounds beside links, forms and scripts: what a page embeds, asks for ahead of time, opens without a tie to
//! itself, or has a server or a worker send it to.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Asked, Live, Reply, html, page, reply};
use handeye_testkit::{is_full, trials};
use std::sync::Mutex;
use std::time::Duration;

/// Ports of hosts out of bounds that were asked for a document.
static REACHED: Mutex<Vec<String>> = Mutex::new(Vec::new());

const LIMIT: Duration = Duration::from_secs(10);

/// Ways that are taken by clicking a button: its name, and what it does.
const CLICKED: [(&str, &str); 8] = [
    ("Untied popup", "window.open('OTHER/other', '', 'noopener')"),
    ("Late popup", "const w = window.open('about:blank'); setTimeout(() => { w.location = 'OTHER/other' }, 100)"),
    ("Written popup", "window.open('').document.write('<iframe src=OTHER/other></iframe>')"),
    ("Navigated", "navigation.navigate('OTHER/other')"),
    ("Sandboxed frame", "put('<iframe sandbox=allow-scripts src=OTHER/other></iframe>')"),
    ("Frame in frame", "put(`<iframe srcdoc='<iframe src=OTHER/other></iframe>'></iframe>`)"),
    ("Form popup", "put('<form target=_blank method=post action=/moved id=p></form>'); p.submit()"),
    ("Saved link", "put('<a download href=OTHER/other id=s>x</a>'); s.click()"),
];

/// Ways that a page takes by itself once it is shown.
const SHOWN: [(&str, &str); 5] = [
    ("/object", "<object data=OTHER/other type=text/html width=200 height=100></object>"),
    ("/embed", "<embed src=OTHER/other type=text/html width=200 height=100>"),
    ("/refreshing", "<iframe srcdoc='<meta http-equiv=refresh content=\"0;url=OTHER/other\">'></iframe>"),
    ("/head", "<iframe src=/refresh></iframe>"),
    ("/moving", "<iframe src=/moved></iframe>"),
];

/// What a person's other tab showed.
static MINE: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// What a sandboxed document does that the page wrote: each asks for a document out of bounds, or goes there itself.
const INSIDE: [&str; 6] = [
    "<iframe src=OTHER/other></iframe>",
    "<script>location = 'OTHER/other'</script>",
    "<form action=OTHER/other method=post id=f></form><script>f.submit()</script>",
    "<iframe sandbox=allow-scripts srcdoc='<iframe src=OTHER/other></iframe>'></iframe>",
    "<meta http-equiv=refresh content='0;url=OTHER/other'>",
    "<object data=OTHER/other type=text/html></object>",
];

/// How many sandboxed documents a page has: ten of each, by default three.
fn documents() -> usize {
    INSIDE.len() * if is_full() { 10 } else { 3 }
}

/// So many of each, and each says that it ran.
fn sandboxed() -> String {
    let frames: Vec<String> = INSIDE
        .iter()
        .cycle()
        .take(documents())
        .map(|inside| {
            let all = format!("<script>parent.postMessage('ran', '*')</script>{inside}");
            let all = all.replace('&', "&amp;").replace('"', "&quot;");
            format!("<iframe sandbox='allow-scripts allow-forms' srcdoc=\"{all}\"></iframe>")
        })
        .collect();
    format!(
        "<title>Sandboxed</title><h1>Sandboxed</h1><script>addEventListener('message', e => log(e.data))</script>{}",
        frames.concat()
    )
}

/// Workers of every kind, in the page and in a frame of another origin.
const WORKERS: &str = "<title>Works alone</title><script>
    addEventListener('message', e => log(e.data));
    new Worker('/dedicated.js').onmessage = e => log(e.data);
    new SharedWorker('/shared.js').port.onmessage = e => log(e.data);
    </script><iframe src=OTHER/says-worker></iframe>";

fn site(path: &str) -> Answer {
    if let Some((_, body)) = SHOWN.iter().find(|(at, _)| *at == path) {
        return page(format!("<title>Shown</title><h1>Shown</h1>{body}"));
    }
    match path {
        "/other" => Answer::Of(other),
        "/mine" => Answer::Of(|asked| {
            MINE.lock().unwrap().push(asked.header("host").to_owned());
            html("<title>Mine</title>")
        }),
        "/theirs" => page("<title>Theirs</title><iframe src=OTHER/mine></iframe>"),
        "/sandboxed" => page(sandboxed()),
        "/works-alone" => page(WORKERS),
        "/dedicated.js" => Answer::Of(|_| {
            let script = "postMessage('dedicated'); new Worker('/nested.js').onmessage = e => postMessage(e.data)";
            reply("Content-Type: text/javascript\r\n", script)
        }),
        "/nested.js" => Answer::Of(|_| reply("Content-Type: text/javascript\r\n", "postMessage('nested')")),
        "/shared.js" => {
            Answer::Of(|_| reply("Content-Type: text/javascript\r\n", "onconnect = e => e.ports[0].postMessage('shared')"))
        }
        "/says-worker" => {
            page("<script>new Worker('/dedicated.js').onmessage = e => parent.postMessage('framed-' + e.data, '*')</script>")
        }
        "/refresh" => Answer::Of(|asked| elsewhere(asked, "200 OK", "Refresh: 0; url=")),
        path if path.starts_with("/moved") => Answer::Of(|asked| elsewhere(asked, "307 Temporary Redirect", "Location: ")),
        // Its scope is the whole site, and every page is one elsewhere.
        "/worker.js" => Answer::Of(|_| {
            let script = "const to = `http://localhost:${location.port}/other`;
                onfetch = e => e.request.mode === 'navigate' && e.respondWith(Response.redirect(to));
                onactivate = e => e.waitUntil(clients.claim());";
            reply("Content-Type: text/javascript\r\n", script)
        }),
        "/works" => page(
            "<title>Works</title><a href=/plain>On</a><script>
             navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => log('ready'))</script>",
        ),
        "/ahead" => page(
            "<title>Ahead</title><script type=speculationrules>{\"prefetch\": [{\"urls\": [\"/moved\"], \"eagerness\": \"immediate\"}],
             \"prerender\": [{\"urls\": [\"/moved?2\"], \"eagerness\": \"immediate\"}]}</script>
             <a id=one href=/moved>One</a><a id=two href=/moved?2>Two</a>",
        ),
        "/plain" => page("<title>Plain</title><h1>Plain</h1>"),
        _ => page(format!(
            "<title>Start</title><h1>Start</h1>{}<div id=d></div><script>const put = html => {{ d.innerHTML = html }}</script>",
            CLICKED.map(|(name, does)| format!("<button onclick=\"{}\">{name}</button>", does.replace('"', "&quot;"))).concat()
        )),
    }
}

fn other(asked: &Asked) -> Reply {
    REACHED.lock().unwrap().push(asked.header("host").to_owned());
    html("<title>Other</title><p>Other inside</p>")
}

/// An answer whose head leads to the other host.
fn elsewhere(asked: &Asked, status: &'static str, head: &str) -> Reply {
    let port = asked.header("host").rsplit(':').next().unwrap();
    Reply { status, head: format!("{head}http://localhost:{port}/other\r\n"), body: Vec::new() }
}

fn reached(live: &Live) -> bool {
    let port = format!(":{}", live.site.port);
    REACHED.lock().unwrap().iter().any(|host| host.ends_with(&port))
}

/// Looks until it is told that the way was refused.
#[track_caller]
fn refused(live: &Live, way: &str, before: &str) {
    let mut said = before.to_owned();
    let told = home::eventually(LIMIT, || {
        said += &live.ok("state");
        said.contains("/other was refused: the policy allows http://127.0.0.1:* only")
    });
    assert!(told, "{way}: {said}");
    assert!(!said.contains("Other inside"), "{way}: {said}");
    assert!(!reached(live), "{way}: {said}");
}

#[test]
fn no_other_way_leads_out_of_bounds() {
    let live = Live::closed(site);
    live.ok(&format!("open {} --allow-origin http://127.0.0.1:*", live.site.at("/")));
    // What leads there like another way that is tried is left to the full run.
    let is_tried = |way: &str| {
        is_full() || !["Late popup", "Navigated", "Sandboxed frame", "/embed", "/refreshing", "/moving"].contains(&way)
    };
    for (way, _) in CLICKED.into_iter().filter(|(way, _)| is_tried(way)) {
        let ran = live.run(&format!("click --role button --name '{way}'"));
        refused(&live, way, &format!("{}{}", ran.out, ran.err));
        live.ok("tabs switch t1");
        live.ok(&format!("open {}", live.site.at("/")));
    }
    for (path, _) in SHOWN.into_iter().filter(|(path, _)| is_tried(path)) {
        let opened = live.ok(&format!("open {}", live.site.at(path)));
        refused(&live, path, &opened);
    }
}

#[test]
fn what_is_asked_for_ahead_of_time_stays_within_bounds() {
    let live = Live::closed(site);
    live.ok(&format!("open {} --allow-origin http://127.0.0.1:*", live.site.at("/ahead")));
    for id in ["one", "two"] {
        let ran = live.run(&format!("click --css #{id}"));
        refused(&live, id, &format!("{}{}", ran.out, ran.err));
        assert_eq!(live.ok("get url"), live.site.at("/ahead"));
    }
}

#[test]
fn a_service_worker_leads_nowhere_else() {
    let live = Live::closed(site);
    live.ok(&format!("open {} --allow-origin http://127.0.0.1:*", live.site.at("/works")));
    assert!(home::eventually(LIMIT, || live.log() == "ready"), "{}", live.ok("state"));
    live.ok("click --name On");
    assert_eq!(live.ok("get title"), "Plain");
    assert!(!reached(&live));
}

#[test]
fn the_bounds_of_the_settings_hold_without_a_flag() {
    let live = Live::closed(site);
    let folder = live.home.work().join("handeye.toml");
    std::fs::write(&folder, "[policy]\npublic_only = true\n").unwrap();
    let said = live.problem(&format!("open {}", live.site.at("/plain")));
    assert!(said.starts_with("error[denied]") && said.contains("--public-only"), "{said}");
    live.run("sessions stop default");
    std::fs::remove_file(folder).unwrap();
    live.ok(&format!("open {}", live.site.at("/plain")));
    assert_eq!(live.ok("get title"), "Plain");
}

/// Lets a page with sandboxed documents try everything, and checks that nothing came of it, and that it is told.
#[track_caller]
fn all_held(live: &Live, what: &str, opened: String) {
    let mut said = opened;
    let mut ran = String::new();
    let told = home::eventually(Duration::from_secs(30), || {
        ran = live.ok("get attr --xpath /html data-log");
        said += &live.ok("state");
        ran.matches("ran").count() >= documents() && said.contains("/other was refused")
    });
    assert!(told, "{what}: {} ran: {said}", ran.matches("ran").count());
    live.run("wait --idle --timeout 5");
    assert!(!live.ok("state").contains("Other inside"), "{what}");
    assert!(!reached(live), "{what}: {} requests got through", REACHED.lock().unwrap().len());
}

#[test]
fn sandboxed_documents_are_held_from_their_first_request() {
    let live = Live::closed(site);
    let opened = live.ok(&format!("open {} --deny-origin http://localhost:*", live.site.at("/sandboxed")));
    all_held(&live, "at the start", opened);
    if !is_full() {
        return;
    }
    live.ok(&format!("open {}", live.site.at("/plain")));
    let opened = live.ok(&format!("open {}", live.site.at("/sandboxed")));
    all_held(&live, "later", opened);
    live.ok("sessions stop default");
    // What the caller says of features is joined to what holds.
    let opened = live.ok(&format!(
        "open {} --deny-origin http://localhost:* --browser-arg=--disable-features=Translate --browser-arg=--enable-features=IsolateSandboxedIframes",
        live.site.at("/sandboxed")
    ));
    all_held(&live, "with features of the caller's", opened);
}

#[test]
fn sandboxed_documents_are_held_to_what_is_blocked() {
    let live = Live::closed(site);
    live.ok(&format!("open {}", live.site.at("/plain")));
    live.ok(&format!("network block 'http://localhost:{}/other'", live.site.port));
    live.ok(&format!("open {}", live.site.at("/sandboxed")));
    let ran = home::eventually(Duration::from_secs(30), || {
        live.ok("get attr --xpath /html data-log").matches("ran").count() >= documents()
    });
    assert!(ran, "{}", live.ok("get attr --xpath /html data-log"));
    live.run("wait --idle --timeout 5");
    assert!(!reached(&live), "{} requests got through", REACHED.lock().unwrap().len());
}

/// A browser of a person's, which ends with the test.
struct Running {
    child: std::process::Child,
    folder: tempfile::TempDir,
}

impl Running {
    fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("he-running").tempdir().unwrap();
        let mut command = std::process::Command::new(handeye_browser::find(None).unwrap());
        command.args(["--headless=new", "--remote-debugging-port=0", "--no-first-run", "--site-per-process"]);
        command.arg("--enable-features=IsolateSandboxedIframes");
        command.arg(format!("--user-data-dir={}", folder.path().display()));
        if nix::unistd::geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        let quiet = std::process::Stdio::null;
        Self { child: command.arg("about:blank").stdout(quiet()).stderr(quiet()).spawn().unwrap(), folder }
    }

    /// Its port.
    #[track_caller]
    fn port(&self) -> String {
        let note = || std::fs::read_to_string(self.folder.path().join("DevToolsActivePort")).unwrap_or_default();
        assert!(home::eventually(Duration::from_secs(20), || note().contains('\n')), "the browser doesn't come");
        note().lines().next().unwrap().to_owned()
    }

    /// Has the person open a tab.
    fn opens(&self, url: &str) {
        use std::io::{Read, Write};
        let port = self.port();
        let mut stream = std::net::TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        write!(stream, "PUT /json/new?{url} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").unwrap();
        assert!(stream.read(&mut [0; 100]).unwrap() > 0);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn sandboxed_documents_are_held_in_a_browser_that_was_attached_to() {
    let live = Live::closed(site);
    let running = Running::start();
    let at = format!("--cdp http://127.0.0.1:{}", running.port());
    let opened = live.ok(&format!("open {} {at} --deny-origin http://localhost:*", live.site.at("/sandboxed")));
    all_held(&live, "attached", opened);
    // A person's own tabs go where they are sent.
    running.opens(&live.site.at("/theirs"));
    let shown = || MINE.lock().unwrap().iter().any(|host| host.ends_with(&format!(":{}", live.site.port)));
    assert!(home::eventually(LIMIT, shown), "a tab that isn't the session's was held");
}

#[test]
fn workers_of_every_kind_run() {
    let live = Live::closed(site);
    let running = is_full().then(Running::start);
    let at = running.as_ref().map(|browser| format!("--cdp http://127.0.0.1:{}", browser.port()));
    // Without any rule workers are the browser's own affair: by default they run under one.
    let own = ["--deny-origin http://elsewhere.example", ""];
    for options in own.into_iter().take(trials(1, 2)).chain(at.as_deref()) {
        live.ok(&format!("open {} {options}", live.site.at("/works-alone")));
        let wanted = ["dedicated", "nested", "shared", "framed-dedicated", "framed-nested"];
        let mut log = String::new();
        let all = home::eventually(LIMIT, || {
            log = live.ok("get attr --xpath /html data-log");
            wanted.iter().all(|word| log.split(' ').any(|said| said == *word))
        });
        assert!(all, "{options}: {log}");
        live.ok("sessions stop default");
    }
}
