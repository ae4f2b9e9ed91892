//! What a session is told to emulate, keep, block and mark, as pages, servers and pictures see it.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Asked, Live, Reply, html, page, reply};
use std::time::{Duration, Instant};

/// What a page can tell of itself, told anew every so often where `get attr --xpath /html data-KEY` reads it.
const TELLS: &str = "<title>Tells</title><p id=sent>SENT</p><script>
const told = document.documentElement.dataset;
const tell = async () => {
  told.line = navigator.onLine + ' ' + await fetch('/echo').then(r => r.status, () => 'failed');
  told.words = new Date(Date.UTC(2026, 0, 15, 12)).getHours() + ' ' + (1234.5).toLocaleString() + ' ' + navigator.languages.join();
  told.cookie = document.cookie; told.local = JSON.stringify(localStorage, Object.keys(localStorage).sort()); told.session = JSON.stringify(sessionStorage);
  const of = async name => (await navigator.permissions.query({ name })).state;
  told.may = await of('geolocation') + ' ' + await of('midi');
};
setInterval(tell, 60); tell();
</script>";

fn site(path: &str) -> Answer {
    match path {
        "/echo" => Answer::Of(|asked| reply("", format!("{}|{}", asked.header("x-mine"), asked.header("x-second")))),
        "/to" => page("<title>To</title><a href=OTHER/sub/page>Across</a>"),
        "/save" => Answer::Download("report.txt"),
        "/files" => page("<title>Files</title><a href=/save>Report</a>"),
        _ => Answer::Of(tells),
    }
}

fn tells(asked: &Asked) -> Reply {
    let sent = [asked.header("cookie"), asked.header("accept-language"), asked.header("x-mine")].join("|");
    html(&TELLS.replace("SENT", &sent))
}

/// Waits until the page tells that of a thing.
#[track_caller]
fn tells_of(live: &Live, key: &str, wanted: &str) {
    let mut told = String::new();
    let came = home::eventually(Duration::from_secs(10), || {
        let said = live.json(&format!("get attr --xpath /html data-{key}"));
        told = said["value"].as_str().unwrap_or_default().to_owned();
        told == wanted
    });
    assert!(came, "of {key}\nwanted {wanted}\n  told {told}");
}

/// What the server was sent with the page: cookies, languages, a header.
#[track_caller]
fn sent(live: &Live, nth: usize) -> String {
    live.ok("reload");
    live.ok("get text --css #sent").split('|').nth(nth).unwrap().to_owned()
}

#[test]
fn pages_and_servers_see_what_is_set() {
    let live = Live::open(site);
    tells_of(&live, "line", "true 200");
    live.ok("set offline");
    tells_of(&live, "line", "false failed");
    live.ok("set offline --reset");
    tells_of(&live, "line", "true 200");
    live.ok("set timezone America/New_York");
    live.ok("set locale de-DE");
    assert!(sent(&live, 1).starts_with("de-DE"), "{}", sent(&live, 1));
    tells_of(&live, "words", "7 1.234,5 de-DE");
    live.ok("set timezone Asia/Kolkata");
    live.ok("reload");
    tells_of(&live, "words", "17 1.234,5 de-DE");
    // Headers take the place of those before, and go with what a page asks for, too.
    live.ok("set headers 'X-Mine: one' 'X-Second: two'");
    assert_eq!(sent(&live, 2), "one");
    live.ok(&format!("open {}", live.site.at("/echo")));
    assert_eq!(live.ok("get text --css body"), "one|two");
    live.ok("set headers 'X-Mine: three'");
    live.ok("reload");
    assert_eq!(live.ok("get text --css body"), "three|");
    live.ok("set headers --reset");
    live.ok("reload");
    assert_eq!(live.ok("get text --css body"), "|");
}

#[test]
fn a_page_knows_what_it_may() {
    let live = Live::open(site);
    let (own, other) = (live.site.at(""), format!("http://localhost:{}", live.site.port));
    tells_of(&live, "may", "prompt prompt");
    live.ok("permissions grant geolocation midi");
    tells_of(&live, "may", "granted granted");
    live.ok("permissions deny midi");
    tells_of(&live, "may", "granted denied");
    live.ok("permissions reset geolocation");
    tells_of(&live, "may", "prompt denied");
    live.ok(&format!("permissions grant geolocation --origin {other}"));
    tells_of(&live, "may", "prompt denied");
    live.ok(&format!("open {other}/"));
    tells_of(&live, "may", "granted prompt");
    // Of an origin that isn't open, and of that alone.
    live.ok(&format!("permissions reset midi --origin {own}"));
    tells_of(&live, "may", "granted prompt");
    live.ok(&format!("permissions reset geolocation --origin {other}"));
    tells_of(&live, "may", "prompt prompt");
    live.ok(&format!("open {own}/"));
    tells_of(&live, "may", "prompt prompt");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn cookies_go_where_and_as_long_as_is_said() {
    let live = Live::open(site);
    let other = format!("http://localhost:{}", live.site.port);
    live.ok("cookies set seen 1");
    live.ok("cookies set hidden 2 --http-only");
    live.ok("cookies set below 3 --path /sub");
    live.ok("cookies set there 4 --domain localhost");
    live.ok("cookies set strict 5 --domain localhost --same-site strict");
    live.ok("cookies set lax 6 --domain localhost --same-site lax");
    assert_eq!(sent(&live, 0), "seen=1; hidden=2");
    tells_of(&live, "cookie", "seen=1");
    live.ok(&format!("open {}", live.site.at("/sub/page")));
    assert_eq!(sent(&live, 0), "below=3; seen=1; hidden=2");
    // A link of another site doesn't take along what is for the site itself.
    live.ok(&format!("open {}", live.site.at("/to")));
    live.ok("click --name Across");
    assert_eq!(live.ok("get text --css #sent").split('|').next(), Some("there=4; lax=6"));
    assert_eq!(live.ok("get url"), format!("{other}/sub/page"));
    live.ok(&format!("open {other}/"));
    assert_eq!(sent(&live, 0), "there=4; strict=5; lax=6");

    assert_eq!(live.ok("cookies clear --domain localhost"), "removed 3 cookies");
    assert_eq!(sent(&live, 0), "");
    live.ok("cookies set short 7 --expires 2");
    assert_eq!(sent(&live, 0), "short=7");
    assert!(home::eventually(Duration::from_secs(15), || sent(&live, 0).is_empty()), "it didn't expire");
    live.ok(&format!("open {}", live.site.at("/")));
    live.ok("cookies clear seen");
    assert_eq!(sent(&live, 0), "hidden=2");
    live.ok("cookies clear");
    assert_eq!(sent(&live, 0), "");
}

#[test]
fn a_page_sees_what_is_stored_for_it() {
    let live = Live::open(site);
    live.ok("storage set name '安 \"A\"'");
    live.ok("storage set other 1");
    live.ok("storage set step two --area session");
    tells_of(&live, "local", r#"{"name":"安 \"A\"","other":"1"}"#);
    tells_of(&live, "session", r#"{"step":"two"}"#);
    live.ok("storage clear other");
    tells_of(&live, "local", r#"{"name":"安 \"A\""}"#);
    live.ok("storage clear --area session");
    tells_of(&live, "session", "{}");
    live.ok("storage clear");
    tells_of(&live, "local", "{}");
}

const ASKS: &str = "<title>Asks</title><img id=pic src=/pic><p id=out></p><p id=seen></p>
<button onclick=\"fetch('/api').then(async r => { out.textContent = [r.status, r.headers.get('content-type'), r.headers.get('x-mock'), await r.text()].join('|') })\">Ask</button>
<script>pic.onerror = () => { seen.textContent = 'no picture' }; pic.onload = () => { seen.textContent = 'picture of ' + pic.naturalWidth }</script>";

#[test]
fn a_page_gets_the_answers_that_are_given_in_the_sites_place() {
    let live = Live::open(|path| if path == "/" { page(ASKS) } else { Answer::Status("404 Not Found", "no".into()) });
    let asked = |wanted: &str| {
        live.run("click --name Ask");
        live.ok(&format!("wait --text '{wanted}' --timeout 5"));
        assert_eq!(live.ok("get text --css #out"), wanted);
    };
    live.ok("network mock '*/api' --body '[1]' --type application/json --status 202 --header 'X-Mock: first'");
    let mut picture = std::fs::File::create(live.home.work().join("p.svg")).unwrap();
    std::io::Write::write_all(&mut picture, b"<svg xmlns='http://www.w3.org/2000/svg' width='37' height='9'/>")
        .unwrap();
    live.ok("network mock /pic --body-file p.svg --type image/svg+xml");
    live.ok("reload");
    assert_eq!(
        live.ok("network rules"),
        "2 answer \"/pic\" with 200 (63 bytes)\n1 answer \"*/api\" with 202 (3 bytes)"
    );
    live.ok("wait --text 'picture of 37' --timeout 5");
    asked("202|application/json|first|[1]");
    live.ok("network clear");
    live.ok("network mock /api --header 'X-Mock: plain' --body ''");
    asked("200|text/plain; charset=utf-8|plain|");
    live.ok("network block /pic");
    live.ok("reload");
    live.ok("wait --text 'no picture' --timeout 5");
    assert_eq!(live.ok("network rules"), "2 block \"/pic\"\n1 answer \"/api\" with 200 (0 bytes)");
}

#[test]
fn the_clipboard_is_shared_with_the_page() {
    let live = Live::open(|_| {
        page(
            "<title>Clip</title><p id=p>Copied 页 text</p><button onclick=\"getSelection().selectAllChildren(p); log(document.execCommand('copy'))\">Copy</button><textarea></textarea><script>document.querySelector('textarea').onpaste = e => log('pasted', e.clipboardData.getData('text/plain').length)</script>",
        )
    });
    live.run("click --name Copy");
    live.logged("true");
    assert_eq!(live.ok("clipboard get"), "Copied 页 text");
    live.ok("clipboard set 'two\nlines'");
    live.ok("click --css textarea");
    live.ok("keys ctrl+v");
    live.logged("pasted 9");
    assert_eq!(live.ok("get value --css textarea"), "  | two\n  | lines");
}

/// The rectangle in which two pictures differ, as the page says.
const DIFFER: &str = "<title>Differ</title><script>
const load = name => new Promise(done => { const i = new Image(); i.onload = () => { const c = document.createElement('canvas'); [c.width, c.height] = [i.width, i.height]; const g = c.getContext('2d'); g.drawImage(i, 0, 0); done(g.getImageData(0, 0, i.width, i.height)) }; i.src = '/files/' + name });
Promise.all(['before.png', 'marked.png'].map(load)).then(([a, b]) => { let l = 1e9, t = 1e9, r = -1, d = -1;
  for (let i = 0; i < a.data.length; i += 4) if ([0, 1, 2].some(k => a.data[i + k] !== b.data[i + k])) { const x = i / 4 % a.width, y = Math.floor(i / 4 / a.width); l = Math.min(l, x); t = Math.min(t, y); r = Math.max(r, x); d = Math.max(d, y) }
  log(l, t, r + 1, d + 1); document.title = 'done' });
</script>";

#[test]
fn a_mark_is_on_its_target_for_as_long_as_is_said() {
    let live = Live::open(|path| match path {
        "/" => page(
            "<title>Mark</title><body style='margin:0;background:#fff'><button style='position:absolute;left:100px;top:100px;width:200px;height:100px;background:#fff;border:0'></button>",
        ),
        "/differ" => page(DIFFER),
        path => Answer::File(path.trim_start_matches("/files/").to_owned()),
    });
    live.ok("screenshot before.png");
    let began = Instant::now();
    live.ok("highlight --css button --seconds 1.2 --to marked.png");
    assert!(began.elapsed() >= Duration::from_millis(1200), "{:?}", began.elapsed());
    live.ok("screenshot after.png");
    let read = |name: &str| std::fs::read(live.home.work().join(name)).unwrap();
    assert!(read("after.png") == read("before.png"), "the mark is still there");
    live.ok(&format!("open {}", live.site.at("/differ")));
    assert!(home::eventually(Duration::from_secs(10), || live.ok("get title") == "done"));
    let edges: Vec<i32> = live.log().split(' ').map(|n| n.parse().unwrap()).collect();
    for (edge, wanted) in edges.iter().zip([100, 100, 300, 200]) {
        assert!((edge - wanted).abs() <= 6, "{edges:?}");
    }
}

#[test]
fn a_download_without_a_place_is_saved_where_it_is_said() {
    let live = Live::closed(site);
    live.ok(&format!("open {}", live.site.at("/files")));
    let said = live.json("download --name Report");
    let path = said["file"]["path"].as_str().unwrap();
    assert!(path.ends_with("report.txt"), "{path}");
    assert_eq!(std::fs::read(path).unwrap(), b"saved");
    // Of the five bytes `saved`.
    let sha = "d81c55f49c5bb0d36bc11e3966ec4efab66f8dfefbbc1761161ca9d230e5466a";
    assert_eq!(said["file"]["bytes"], 5);
    assert_eq!(said["file"]["sha256"], sha);
}
