//! A page runs with us as it does without us: one that uses every feature of the web tells its server what came of each, in a
//! browser that nobody looks into, in one that we attached to, and in one of ours.

#[allow(dead_code, unreachable_pub)] // of what it has, one browser is started here
use handeye_testkit::home::eventually;
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Asked, Live, Reply, reply};
use handeye_testkit::stage::Running;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// What came of each feature.
type Told = BTreeMap<String, String>;

/// What the page told, by the name of the run.
static TOLD: Mutex<BTreeMap<String, Told>> = Mutex::new(BTreeMap::new());

/// How long a page with all its features may take.
const LIMIT: Duration = Duration::from_secs(240);

/// What the page may do without a person's leave, in each of the browsers.
const LEAVE: [&str; 1] = ["--disable-popup-blocking"];

/// Scripts, by path.
const SCRIPTS: [(&str, &str); 20] = [
    ("/worker.js", "postMessage(`classic ${typeof importScripts} ${self.crossOriginIsolated}`)"),
    ("/worker.mjs", "import kept from './module.mjs'; postMessage(`module ${kept}`)"),
    ("/module.mjs", "export default 'imported'"),
    (
        "/nests.js",
        "const inner = new URLSearchParams(location.search).get('worker') || 'worker.js';
         new Worker(inner).onmessage = e => postMessage(`nested ${e.data}`)",
    ),
    ("/nests.mjs", "new Worker('worker.mjs', { type: 'module' }).onmessage = e => postMessage(`nested ${e.data}`)"),
    ("/imports.js", "importScripts('sets.js'); postMessage(set)"),
    ("/sets.js", "self.set = 'set'"),
    ("/fetches.js", "fetch('text').then(r => r.text()).then(postMessage)"),
    (
        "/draws.js",
        "onmessage = e => { const pen = e.data.getContext('2d'); pen.fillStyle = '#0f0'; pen.fillRect(0, 0, 2, 2);
         postMessage(pen.getImageData(0, 0, 1, 1).data.join()) }",
    ),
    ("/throws.js", "throw new Error('on purpose')"),
    ("/shared.js", "let so = 0; onconnect = e => e.ports[0].postMessage(`shared ${name} ${++so}`)"),
    (
        "/shared-nests.js",
        "onconnect = e => { if (!self.Worker) return e.ports[0].postMessage('no nesting');
         new Worker('worker.js').onmessage = m => e.ports[0].postMessage(`nested ${m.data}`) }",
    ),
    (
        "/service.js",
        "oninstall = () => skipWaiting(); onactivate = e => e.waitUntil(clients.claim());
         onmessage = e => e.source.postMessage('answered');
         onfetch = e => e.respondWith(new URL(e.request.url).pathname.endsWith('/text') ? new Response('served') : fetch(e.request))",
    ),
    ("/adds.js", "onmessage = e => { Atomics.add(e.data, 0, 7); Atomics.store(e.data, 1, 1); Atomics.notify(e.data, 1) }"),
    ("/reads.js", "onmessage = e => new Response(e.data).text().then(postMessage)"),
    (
        "/audio.js",
        "registerProcessor('half', class extends AudioWorkletProcessor {
            constructor() { super(); this.port.onmessage = () => this.port.postMessage('here') }
            process(_, [[out]]) { out.fill(0.5); return true } })",
    ),
    ("/paint.js", "registerPaint('dots', class { paint(pen, size) { pen.fillRect(0, 0, size.width, 2) } })"),
    ("/text", "some text"),
    ("/events", "data: sent\n\n"),
    ("/told", ""),
];

const FRAME: &str = "<script>new Worker('/nests.js').onmessage = e => parent.postMessage(`${origin.startsWith('http')} ${e.data}`, '*')</script>";
const POPUP: &str = "<title>Popup</title><script>
    const as = new URLSearchParams(location.search).get('as');
    new Worker('/worker.js').onmessage = e =>
        new BroadcastChannel(`popup ${as}`).postMessage(`${e.data} ${opener !== null} ${document.visibilityState}`)</script>";
const SERVED: &str = "<script>(async () => {
    const text = await (await fetch('text')).text();
    navigator.serviceWorker.controller.postMessage('there?');
    navigator.serviceWorker.onmessage = e => parent.postMessage(`${text} ${e.data}`, '*') })()</script>";

fn site(_: &str) -> Answer {
    Answer::Of(answer)
}

fn answer(asked: &Asked) -> Reply {
    let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
    // Pages that share memory are apart from all others.
    let apart = "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n\
        Cross-Origin-Resource-Policy: cross-origin\r\nService-Worker-Allowed: /\r\n";
    let of = |kind: &str, body: &str| reply(&format!("Content-Type: {kind}\r\n{apart}"), body);
    if path == "/told" {
        let told: Told = serde_json::from_slice(&asked.body).unwrap();
        TOLD.lock().unwrap().insert(query.trim_start_matches("as=").to_owned(), told);
    }
    if let Some((_, script)) = SCRIPTS.iter().find(|(at, _)| *at == path) {
        let kind = match path {
            "/text" => "text/plain",
            "/events" => "text/event-stream",
            _ => "text/javascript",
        };
        return of(kind, script);
    }
    match path {
        "/" => of("text/html", include_str!("features.html")),
        "/frame" => of("text/html", FRAME),
        "/popup" => of("text/html", POPUP),
        _ if path.starts_with("/served/") => of("text/html", SERVED),
        _ => Reply { status: "404 Not Found", ..of("text/plain", "") },
    }
}

/// What a run told, once it has.
#[track_caller]
fn told(run: &str) -> Told {
    assert!(eventually(LIMIT, || TOLD.lock().unwrap().contains_key(run)), "{run}: the page told nothing");
    TOLD.lock().unwrap()[run].clone()
}

/// A difference that is due to us comes every time; one of a busy machine doesn't.
const TURNS: usize = 3;

/// What came out otherwise than it ever does without us: the feature, without us, with us.
fn differing(without: &[Told], with: &Told) -> BTreeMap<String, (Vec<String>, String)> {
    let names: std::collections::BTreeSet<&String> =
        without.iter().flat_map(BTreeMap::keys).chain(with.keys()).collect();
    let of = |told: &Told, name: &str| told.get(name).cloned().unwrap_or_default();
    let each = names.into_iter().map(|name| {
        let known: Vec<String> = without.iter().map(|told| of(told, name)).collect();
        (name.clone(), (known, of(with, name)))
    });
    each.filter(|(_, (known, with))| !known.contains(with)).collect()
}

/// Runs the page with us until nothing is left that differed each time.
#[track_caller]
fn assert_same(without: &[Told], name: &str, open: impl Fn(&str)) {
    let mut left: Option<BTreeMap<_, _>> = None;
    for turn in 1..=TURNS {
        let run = format!("{name}-{turn}");
        open(&run);
        let mut found = differing(without, &told(&run));
        if let Some(left) = &left {
            found.retain(|feature, _| left.contains_key(feature));
        }
        if found.is_empty() {
            return;
        }
        left = Some(found);
    }
    panic!("{name}: {left:?}");
}

#[test]
fn a_page_of_every_feature_runs_as_it_does_without_us() {
    let live = Live::closed(site);
    let settings = live.home.path().join(".config/handeye/handeye.toml");
    std::fs::write(settings, format!("[browser]\nargs = {:?}\n", [&["--site-per-process"], &LEAVE[..]].concat()))
        .unwrap();
    // In a short run every other feature, in a browser of ours.
    let one_in = if is_full() { 1 } else { 2 };
    let at = |run: &str| live.site.at(&format!("/?as={run}&one-in={one_in}"));
    // Both wait for much of what a page can do: side by side they take little longer than one.
    let alone = Running::with(&at("alone"), &LEAVE);
    let running = Running::with(&at("without"), &LEAVE);
    let without = [told("alone"), told("without")];
    drop(alone);
    // What never comes without us shows nothing.
    let never = |name: &String| without.iter().all(|told| told.get(name).is_some_and(|told| told == "never"));
    let dead: Vec<_> = without[0].keys().filter(|name| never(name)).collect();
    assert!(dead.is_empty(), "{dead:?}");
    if is_full() {
        assert_same(&without, "attached", |run| {
            let attach = if run == "attached-1" { format!("--cdp {} ", running.endpoint()) } else { String::new() };
            live.ok(&format!("open {attach}{}", at(run)));
        });
        live.ok("close");
    } else {
        drop(running);
    }
    assert_same(&without, "ours", |run| {
        live.ok(&format!("open {}", at(run)));
    });
}
