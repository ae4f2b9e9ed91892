//! What a click only sends out, and shows nowhere: sockets, and pictures that are asked for and never shown. Nobody can say
//! whether that is its effect, so it is neither confirmed nor without effect.

use handeye_testkit::home::eventually;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::Value;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio_tungstenite::tungstenite::accept;

/// What a server of WebSockets came to see.
#[derive(Default)]
struct Seen {
    opened: AtomicUsize,
    messages: AtomicUsize,
}

/// A server of WebSockets for as long as the test runs: its port, and what it sees.
fn sockets() -> (u16, Arc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen = Arc::new(Seen::default());
    let shared = seen.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let seen = shared.clone();
            std::thread::spawn(move || {
                let Ok(mut socket) = accept(stream) else { return };
                seen.opened.fetch_add(1, Ordering::SeqCst);
                while socket.read().is_ok_and(|message| !message.is_close()) {
                    seen.messages.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    (port, seen)
}

const PAGE: &str = r#"<title>Sent</title><button id=opens>Open</button> <button id=writes>Write</button>
<button id=image>Beacon</button> <button id=dead>Dead</button><script>
const address = 'ws://127.0.0.1:' + location.search.slice(1), held = [], own = new WebSocket(address);
own.onopen = () => log('ready');
opens.onclick = () => held.push(new WebSocket(address));
writes.onclick = () => own.send('words');
image.onclick = () => { new Image().src = '/beacon' };
</script>"#;

fn site(path: &str) -> Answer {
    match path.split('?').next() {
        Some("/") => page(PAGE),
        _ => Answer::Status("404 Not Found", "no".into()),
    }
}

#[test]
fn what_is_only_sent_out_can_not_be_verified() {
    let (port, seen) = sockets();
    let live = Live::closed(site);
    live.ok(&format!("open {}", live.site.at(&format!("/?{port}"))));
    assert!(eventually(Duration::from_secs(10), || live.log() == "ready"));
    for (id, status, verdict, asked) in [
        ("opens", 1, "unverifiable", Some(format!("WebSocket ws://127.0.0.1:{port}/"))),
        ("writes", 1, "unverifiable", Some(format!("WebSocket message to ws://127.0.0.1:{port}/"))),
        ("image", 1, "unverifiable", Some(format!("GET {}", live.site.at("/beacon")))),
        ("dead", 1, "no_effect", None),
    ] {
        let ran = live.run(&format!("click --css #{id} --json"));
        let receipt: Value = ran.json();
        let told: Vec<(&str, &str)> = receipt["evidence"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| ["kind", "request"].map(|key| e[key].as_str().unwrap_or_default()).into())
            .collect();
        let wanted: Vec<(&str, &str)> = asked.iter().map(|request| ("requested", request.as_str())).collect();
        assert_eq!(
            (ran.status, receipt["verdict"].as_str(), told),
            (Some(status), Some(verdict), wanted),
            "{id}: {receipt}"
        );
    }
    // It was really sent: once each, beside the socket that the page opened by itself.
    let counts = || (seen.opened.load(Ordering::SeqCst), seen.messages.load(Ordering::SeqCst));
    assert!(eventually(Duration::from_secs(10), || counts() == (2, 1)), "{:?}", counts());
}
