//! `--public-only`: what a page of a public place can't reach on this machine and beside it, whatever it asks by. What counts is
//! what the server there was asked.

use handeye_testkit::home;
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Asked, Live, Reply, html, reply};
use std::sync::Mutex;
use std::time::Duration;

/// What was asked of places out of bounds: host, and what asked.
static REACHED: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// Where the proxy was asked to connect to.
static CONNECTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

const LIMIT: Duration = Duration::from_secs(15);

/// A public place. The test's own server is the proxy that leads there.
const PUBLIC: &str = "http://8.8.8.8";

/// What a page does by itself, in the order of the words that tell of it. `AT` is a place out of bounds; what each asks for says
/// what asked.
const PAGE: [(&str, &str); 8] = [
    ("fetch", "fetch('AT?fetch', { mode: 'no-cors' }).catch(() => {})"),
    ("kept", "fetch('AT?kept', { mode: 'no-cors', keepalive: true, method: 'POST', body: 'x' }).catch(() => {})"),
    ("source", "new EventSource('AT?source')"),
    ("beacon", "navigator.sendBeacon('AT?beacon', 'x')"),
    ("image", "new Image().src = 'AT?image'"),
    ("request", "{ const x = new XMLHttpRequest(); x.open('GET', 'AT?request'); x.send() }"),
    ("script", "document.head.append(Object.assign(document.createElement('script'), { src: 'AT?script' }))"),
    (
        "prefetch",
        "document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: 'AT?prefetch' }))",
    ),
];

/// What a worker does, of whichever kind.
const WORKER: [(&str, &str); 4] = [
    ("fetch", "fetch('AT?OWN-fetch', { mode: 'no-cors' }).catch(() => {})"),
    ("import", "try { importScripts('AT?OWN-import') } catch {}"),
    ("source", "if (self.EventSource) new EventSource('AT?OWN-source')"),
    ("module", "import('AT?OWN-module').catch(() => {})"),
];

/// The words of a script, with the places that it asks for: this machine by name, and a network beside it.
fn script(does: &[(&str, &str)], own: &str, port: &str) -> String {
    let at = |host: &str| format!("http://{host}:{port}/other");
    let line = |(_, does): &(&str, &str)| {
        ["localhost", "10.1.2.3"].map(|host| does.replace("AT", &at(host)).replace("OWN", own)).join(";\n")
    };
    does.iter().map(line).collect::<Vec<_>>().join(";\n")
}

fn site(path: &str) -> Answer {
    match path.trim_start_matches(PUBLIC).split('?').next().unwrap_or_default() {
        "/page" => {
            Answer::Of(|asked| html(&format!("<h1>Public</h1><script>{}</script>", script(&PAGE, "", port(asked)))))
        }
        "/shares" => Answer::Of(|asked| {
            html(&format!("<h1>Public</h1><script>new SharedWorker('/worker.js?{}-shared')</script>", port(asked)))
        }),
        "/serves" => Answer::Of(|asked| {
            let register = format!("navigator.serviceWorker.register('/worker.js?{}-service')", port(asked));
            html(&format!("<h1>Public</h1><script>{register}.then(() => log('there'), e => log(e))</script>"))
        }),
        "/works" => Answer::Of(|asked| {
            html(&format!("<h1>Public</h1><script>new Worker('/worker.js?{}-own')</script>", port(asked)))
        }),
        "/worker.js" => Answer::Of(|asked| {
            let (port, own) = port(asked).split_once('-').unwrap();
            reply("Content-Type: text/javascript\r\n", script(&WORKER, own, port))
        }),
        "/other" => Answer::Of(other),
        path if path.ends_with("/other") => Answer::Of(other),
        path if !path.contains('/') => Answer::Of(|asked| {
            CONNECTS.lock().unwrap().push(asked.path.clone());
            Reply { status: "403 Forbidden", head: String::new(), body: Vec::new() }
        }),
        _ => Answer::Of(|_| html("<h1>Nothing</h1>")),
    }
}

/// What follows the `?` of an address.
fn port(asked: &Asked) -> &str {
    asked.path.split_once('?').map_or("", |(_, after)| after)
}

fn other(asked: &Asked) -> Reply {
    REACHED.lock().unwrap().push(format!("{} {}", asked.header("host"), asked.path));
    reply("Content-Type: text/javascript\r\nAccess-Control-Allow-Origin: *\r\n", "1")
}

/// What was asked of the places out of bounds that go by a site's port.
fn reached(live: &Live) -> Vec<String> {
    let port = format!(":{}", live.site.port);
    REACHED.lock().unwrap().iter().filter(|asked| asked.contains(&port)).cloned().collect()
}

/// Opens a page of the public place; what was said of it.
fn open(path: &str) -> (Live, String) {
    let live = Live::closed(site);
    let port = live.site.port;
    let said = live.ok(&format!(
        "open {PUBLIC}{path}?{port} --public-only --proxy http://127.0.0.1:{port} \
         --browser-arg=--unsafely-treat-insecure-origin-as-secure={PUBLIC}"
    ));
    (live, said)
}

fn notices(state: &str) -> String {
    state.lines().filter(|line| line.starts_with("notice")).flat_map(|line| [line, "\n"]).collect()
}

/// Looks until all of these were refused; what else was is of no interest.
#[track_caller]
fn refused((live, opened): &(Live, String), ways: &[String]) {
    let state = live.ok("state");
    assert!(state.contains("Public"), "{state}");
    let mut said = notices(opened) + &notices(&state);
    let is_told = |said: &str, way: &String| {
        ["localhost", "10.1.2.3"].iter().all(|host| {
            said.contains(&format!("a request to http://{host}:{}/other?{way} was refused", live.site.port))
        })
    };
    let all = home::eventually(LIMIT, || {
        said += &notices(&live.ok("state"));
        ways.iter().all(|way| is_told(&said, way))
    });
    let missing: Vec<&String> = ways.iter().filter(|way| !is_told(&said, way)).collect();
    assert!(all, "not refused: {missing:?}; reached: {:?}; {said}", reached(live));
    assert_eq!(reached(live), [] as [&str; 0]);
}

#[test]
fn nothing_that_a_public_page_asks_for_is_asked_of_this_machine() {
    let opened = open("/page");
    refused(&opened, &PAGE.map(|(way, _)| way.to_owned()));
}

fn by_worker(kind: &str) -> Vec<String> {
    WORKER.iter().map(|(way, _)| format!("{kind}-{way}")).collect()
}

#[test]
fn nor_what_its_workers_ask_for() {
    let opened = open("/works");
    refused(&opened, &by_worker("own"));
}

#[test]
fn nor_what_workers_that_pages_share_ask_for() {
    let opened = open("/shares");
    refused(&opened, &by_worker("shared"));
}

#[test]
fn nor_what_service_workers_ask_for() {
    let opened = open("/serves");
    // They have no event sources, and import no modules.
    refused(&opened, &["service-fetch".into(), "service-import".into()]);
    let (live, _) = &opened;
    assert!(home::eventually(LIMIT, || live.log() == "there"), "{}", live.ok("state"));
    assert_eq!(reached(live), [] as [&str; 0]);
}

/// A page that connects to this machine by WebSockets, and a worker of it that does.
fn sockets(port: u16) -> String {
    let connects = |own: &str| {
        let socket = |host: &str| format!("new WebSocket('ws://{host}:{port}/other?{own}')");
        ["localhost", "127.0.0.1", "[::1]", "2130706433"].map(socket).join(";")
    };
    let page = format!(
        "<h1>Public</h1><script>{}; new Worker('data:text/javascript,' + encodeURIComponent(`{}`))</script>",
        connects("page"),
        connects("worker")
    );
    format!("data:text/html,{}", page.bytes().map(|b| format!("%{b:02x}")).collect::<String>())
}

/// With a proxy of the caller's, that one is asked: here it is this machine, which says no.
#[test]
fn web_sockets_go_to_a_proxy_of_the_callers_and_nowhere_by_themselves() {
    let live = Live::closed(site);
    let port = live.site.port;
    live.ok(&format!("open {} --public-only --proxy http://127.0.0.1:{port}", sockets(port)));
    let led = |host: &str| CONNECTS.lock().unwrap().contains(&format!("{host}:{port}"));
    let all = home::eventually(LIMIT, || ["localhost", "127.0.0.1", "[::1]"].iter().all(|host| led(host)));
    assert!(all, "{:?}; reached: {:?}", CONNECTS.lock().unwrap(), reached(&live));
    assert_eq!(reached(&live), [] as [&str; 0]);
}

/// The protocol stops no WebSocket: the connection is refused.
#[test]
fn web_sockets_reach_no_place_that_is_not_public() {
    let live = Live::closed(site);
    let port = live.site.port;
    let mut said = live.ok(&format!("open {} --public-only", sockets(port)));
    let all = home::eventually(LIMIT, || {
        said += &live.ok("state");
        ["localhost", "127.0.0.1", "[::1]"]
            .iter()
            .all(|host| said.contains(&format!("a connection to {host}:{port} was refused: --public-only")))
    });
    assert!(all && said.contains("Public"), "{said}");
    assert_eq!(reached(&live), [] as [&str; 0]);
}

/// A page that looks for a way to itself by asking a server of calls, and says so when it has asked.
fn calls(port: u16) -> String {
    let page = format!(
        "<h1>Public</h1><script>
        const call = new RTCPeerConnection({{ iceServers: [{{ urls: 'stun:127.0.0.1:{port}' }}] }});
        call.createDataChannel('way');
        call.createOffer().then(offer => call.setLocalDescription(offer)).then(() => document.title = 'asked');
        </script>"
    );
    format!("data:text/html,{}", page.bytes().map(|b| format!("%{b:02x}")).collect::<String>())
}

/// Whether a server on this machine hears of calls that a page makes.
fn is_called(options: &str) -> bool {
    let server = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    server.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
    let live = Live::closed(site);
    live.ok(&format!("open {} {options}", calls(server.local_addr().unwrap().port())));
    let asked = home::eventually(LIMIT, || live.ok("state").contains("asked"));
    assert!(asked, "{}", live.ok("state"));
    server.recv(&mut [0; 100]).is_ok()
}

/// Calls between pages go by UDP, which no proxy and no protocol stops.
#[test]
fn calls_reach_no_place_that_is_not_public() {
    assert!(is_called(""), "the page doesn't do what is to be stopped");
    assert!(!is_called("--public-only"));
    if is_full() {
        assert!(!is_called("--public-only --proxy http://127.0.0.1:9"));
    }
}
