//! Ways out of bounds beside links, forms and scripts: what a page embeds, asks for ahead of time, opens without a tie to
//! itself, or has a server or a worker send it to.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod home;
mod live;

use live::{Answer, Asked, Live, Reply, html, page, reply};
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

fn site(path: &str) -> Answer {
    if let Some((_, body)) = SHOWN.iter().find(|(at, _)| *at == path) {
        return page(format!("<title>Shown</title><h1>Shown</h1>{body}"));
    }
    match path {
        "/other" => Answer::Of(other),
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
    for (way, _) in CLICKED {
        let ran = live.run(&format!("click --role button --name '{way}'"));
        refused(&live, way, &format!("{}{}", ran.out, ran.err));
        live.ok("tabs switch t1");
        live.ok(&format!("open {}", live.site.at("/")));
    }
    for (path, _) in SHOWN {
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
