//! A frame that a click leads elsewhere shows what it was led to, however long the server takes: also where the debugger stops
//! the page before each of a target's listeners.

use handeye_testkit::live::{Answer, Live, Reply, Site, page, reply};
use handeye_testkit::stage::Running;
use handeye_testkit::{Sample, is_full, trials};
use serde_json::Value;
use std::time::Duration;

/// How long the server takes, longer than all stops of a gesture.
const SLOW: Duration = Duration::from_millis(1200);
/// How long after its head a document comes: it isn't frozen, but as far as can be told it is.
const LATE: Duration = Duration::from_millis(300);
const EVENTS: [&str; 5] = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
/// What leads which frame elsewhere. The target is in the first frame, but for `sibling` and `name`, where it is in the page.
const KINDS: [&str; 13] = [
    "own",
    "parent",
    "sibling",
    "foreign",
    "other",
    "name",
    "nested",
    "redirected",
    "twice",
    "inserted",
    "svg",
    "xml",
    "text",
];

/// A button of which each event is heard three times; the first time leads the frame elsewhere.
fn button(kind: &str, event: &str) -> String {
    let goes = match kind {
        "own" | "foreign" | "nested" => "location = '/slow'",
        "parent" => "parent.document.querySelector('iframe').src = '/slow'",
        "sibling" => "document.querySelector('iframe').src = '/slow'",
        "name" => "window.open('/slow', 'first')",
        "other" => "parent.frames[1].location = '/slow'",
        "redirected" => "location = '/moved'",
        "later" => "void 0",
        "twice" => "location = '/hops?1'",
        "svg" | "xml" | "text" => &format!("location = '/slow/{kind}'"),
        _ => "document.body.append(Object.assign(document.createElement('iframe'), { src: '/slow' }))",
    };
    format!(
        "<button id=b>Go</button><script>
for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {{
  b.addEventListener(type, () => {{ if (type === '{event}') {goes} }});
  b.addEventListener(type, () => {{}});
  b.addEventListener(type, () => {{}});
}}
</script>"
    )
}

/// A slow document that isn't HTML.
fn plain(path: &str) -> Reply {
    std::thread::sleep(SLOW);
    match path {
        "/slow/svg" => reply(
            "Content-Type: image/svg+xml\r\n",
            "<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>Arrived</text></svg>",
        ),
        "/slow/xml" => reply(
            "Content-Type: application/xhtml+xml\r\n",
            "<html xmlns='http://www.w3.org/1999/xhtml'><body>Arrived</body></html>",
        ),
        _ => reply("Content-Type: text/plain\r\n", "Arrived"),
    }
}

/// `/KIND?EVENT` is a page with the target; `/in/KIND?EVENT` is what its frame shows at first.
fn site(path: &str) -> Answer {
    let (place, event) = path.split_once('?').unwrap_or((path, ""));
    let inside = place.strip_prefix("/in/");
    match (place, inside) {
        ("/slow", _) => {
            std::thread::sleep(SLOW);
            page("<title>There</title><script>document.write('<p>Arr' + 'ived')</script>")
        }
        ("/moved", _) => {
            std::thread::sleep(SLOW);
            Answer::Redirect("/slow".into())
        }
        ("/slow/svg" | "/slow/xml" | "/slow/text", _) => Answer::Of(|asked| plain(&asked.path)),
        // Each goes on to the next as soon as it is there.
        ("/hops", _) => {
            std::thread::sleep(SLOW / 4);
            let next = event.parse::<u32>().unwrap_or_default().checked_sub(1);
            let next = next.map_or("/slow".to_owned(), |left| format!("/hops?{left}"));
            let text = format!("<script>location.replace('{next}')</script>");
            // One is stopped at that isn't frozen, only late.
            if event == "3" { Answer::Late(LATE, text) } else { page(text) }
        }
        ("/still", _) => page("Still"),
        ("/late", _) => Answer::Late(LATE, "Late".into()),
        // Its page is busy from just after the document came.
        ("/busy", None) => page(
            "<iframe src='/in/own?click'></iframe><script>
const work = () => { for (const end = Date.now() + 6500; Date.now() < end;); };
frames[0].addEventListener('pagehide', () => setTimeout(work, 40))</script>",
        ),
        (_, Some("nested")) => page(format!("<iframe src='/in/own?{event}'></iframe>")),
        (_, Some(kind)) => page(button(kind, event)),
        // What was stopped at before must not matter to what comes later.
        ("/later", None) => page(format!(
            "{}<button onclick=\"frames[0].location = '/hops?6'\">Hop</button> <input aria-label=Field>{}<script>
const reload = () => {{ for (const frame of document.querySelectorAll('iframe')) frame.src = '/late?' + Math.random() }};
document.querySelector('input').addEventListener('input', (e) => {{ if (e.target.value.length % 4 === 1) reload() }})</script>",
            button("later", "none"),
            "<iframe src=/still width=20 height=20></iframe>".repeat(12)
        )),
        ("/sibling" | "/name", None) => {
            let kind = place.trim_start_matches('/');
            page(format!("<iframe name=first src=/still></iframe>{}", button(kind, event)))
        }
        (_, None) => {
            let host = if place == "/foreign" { "OTHER" } else { "" };
            page(format!(
                "<title>Holds</title><iframe name=first src='{host}/in{place}?{event}'></iframe><iframe src=/still></iframe>"
            ))
        }
    }
}

/// What was amiss with a click on the button of the page that is open.
fn amiss(live: &Live) -> Option<String> {
    let clicked = live.run("click 'role=button name=Go' --timeout 30 --json").json();
    let came = live.run("wait --text Arrived --timeout 25");
    // That the server takes its time is told as such.
    let is_done = matches!(clicked["verdict"].as_str(), Some("confirmed" | "unverifiable"));
    (!is_done || came.status != Some(0)).then(|| format!("{clicked}\n{came:?}"))
}

#[test]
fn a_frame_that_a_click_leads_elsewhere_shows_what_comes() {
    let live = Live::closed(site);
    let mut sample = Sample::one_in(6);
    let mut all = Vec::new();
    for kind in KINDS {
        for event in EVENTS {
            if sample.takes() {
                live.ok(&format!("open {}", live.site.at(&format!("/{kind}?{event}"))));
                all.extend(amiss(&live).map(|amiss| format!("{kind} {event}: {amiss}")));
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn a_frame_of_a_page_that_was_busy_as_it_came_shows_what_came() {
    let live = Live::closed(site);
    live.ok(&format!("open {}", live.site.at("/busy")));
    assert_eq!(amiss(&live), None);
}

/// There the debugger stops the page before all listeners of a gesture.
#[test]
fn in_a_browser_that_was_there_before_us_too() {
    let site = Site::new(std::env::temp_dir(), site);
    let mut all = Vec::new();
    for (kind, event) in [("own", "pointerdown"), ("own", "click"), ("sibling", "mouseup"), ("foreign", "pointerup")] {
        if is_full() || kind == "own" {
            let live = Live::closed(|_| page(""));
            let running = Running::start(&site.at(&format!("/{kind}?{event}")));
            live.ok(&format!("open --cdp {}", running.endpoint()));
            live.ok("wait --text Go --timeout 20");
            all.extend(amiss(&live).map(|amiss| format!("{kind} {event}: {amiss}")));
            live.ok("close");
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// A page whose frames may be frozen as far as is known, since a target of it was stopped at.
fn stopped_before() -> Live {
    let live = Live::closed(site);
    live.ok(&format!("open {}", live.site.at("/later")));
    let clicked = live.run("click 'role=button name=Go' --json").json();
    assert_eq!(clicked["verdict"], "no_effect", "{clicked}");
    live
}

#[test]
fn a_frame_that_goes_on_and_on_arrives() {
    let live = stopped_before();
    live.run("click 'role=button name=Hop'");
    live.ok("wait --text Arrived --timeout 30");
}

/// What a field of the page that is open holds after a text was typed into it.
fn typed(live: &Live, text: &str) -> Value {
    let field = live.number("input");
    live.run(&format!("type --target {field} {text} --pace 25 --timeout 60"));
    live.json(&format!("get value {field}"))["value"].clone()
}

#[test]
fn nothing_of_a_text_is_lost_while_frames_come() {
    let text = "abcdefghijklmnopqrstuvwxyz";
    for _ in 0..trials(1, 5) {
        assert_eq!(typed(&stopped_before(), text), text);
        // There each key is stopped at, and so frames that come are frozen.
        let live = Live::closed(site);
        let running = Running::start(&live.site.at("/later"));
        live.ok(&format!("open --cdp {}", running.endpoint()));
        live.ok("wait --text Hop --timeout 20");
        assert_eq!(typed(&live, text), text, "attached");
    }
}
