//! `open --cdp ENDPOINT --context`: sessions in one browser that runs already, each with cookies, storage and tabs of its own.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Live, html, page, reply};
use handeye_testkit::stage::Running;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const HOME: &str = "<title>Home</title><p>Home</p><a href=/two target=_blank rel=noopener>Apart</a>
<a href=/two target=_blank>Beside</a><a href=/closes target=_blank rel=opener>Login</a><a href=/file>Save</a><a href=/file target=_blank>Aside</a><button onclick='p.textContent = \"pressed\"'>Press</button><p id=p></p>";
const PERMITTED: &str =
    "<script>navigator.permissions.query({name: 'geolocation'}).then(p => { document.title = p.state })</script>";

fn site(path: &str) -> Answer {
    match path {
        "/two" => page("<title>Two</title><p>Two</p>"),
        "/file" => Answer::Download("saved.txt"),
        "/closes" => page("<title>Log in</title><button onclick='close()'>Done</button>"),
        "/geolocation" => page(PERMITTED),
        "/cookie" => Answer::Of(|asked| {
            let sent = asked.header("cookie");
            let mut answer = html(&format!("<title>Cookies</title><p>sent: {sent}</p>"));
            answer.head.push_str("Set-Cookie: by=site; Max-Age=600\r\n");
            answer
        }),
        "/plain" => Answer::Of(|asked| reply("Content-Type: text/plain\r\n", asked.header("cookie"))),
        _ => page(HOME),
    }
}

/// A browser that shows a page of its own, and two sessions with contexts in it.
fn two() -> (Live, Running) {
    let live = Live::closed(site);
    let running = Running::start(&live.site.at("/?as=person"));
    let url = live.site.at("/");
    for session in ["a", "b"] {
        live.ok(&format!("open {url} --cdp {} --context --session {session}", running.endpoint()));
    }
    (live, running)
}

/// The addresses that the browser shows, in order, once they are as many as this.
fn shown(running: &Running, count: usize) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let mut pages = running.pages().unwrap();
        if pages.len() == count || Instant::now() > deadline {
            pages.sort();
            return pages;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn names(cookies: &Value) -> Vec<&str> {
    cookies["cookies"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect()
}

#[test]
fn contexts_share_no_cookies_and_no_storage() {
    let (live, running) = two();
    live.ok(&format!("open {} --session a", live.site.at("/cookie")));
    live.ok("cookies set mine 1 --session a");
    live.ok("storage set kept yes --session a");
    assert_eq!(names(&live.json("cookies list --session a")), ["by", "mine"]);
    assert_eq!(live.ok("storage get kept --session a"), "yes");
    assert_eq!(names(&live.json("cookies list --session b")), [""; 0]);
    assert_eq!(live.json("storage list --session b")["items"], json!([]));
    // The site's own account of what it is sent.
    for (session, sent) in [("a", "by=site; mine=1"), ("b", "")] {
        live.ok(&format!("open {} --session {session}", live.site.at("/plain")));
        assert_eq!(live.ok(&format!("get text --css body --session {session}")), sent, "{session}");
    }
    // Whoever attaches without a context is with the person's page, and has none of theirs.
    live.ok(&format!("open --cdp {} --session person", running.endpoint()));
    assert_eq!(live.ok("get url --session person"), live.site.at("/?as=person"));
    assert_eq!(names(&live.json("cookies list --session person")), [""; 0]);
    // A cookie that is set without a context isn't there with one either.
    live.ok("cookies set theirs 1 --session person");
    assert_eq!(names(&live.json("cookies list --session b")), [""; 0]);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn who_attaches_without_a_context_is_shown_the_persons_page() {
    let (live, running) = two();
    // More pages of contexts than of the person's, before and behind it.
    for number in 0..4 {
        live.ok(&format!("tabs new {} --session a", live.site.at(&format!("/two?{number}"))));
    }
    for session in ["c", "d", "e"] {
        live.ok(&format!("open --cdp {} --session {session}", running.endpoint()));
        assert_eq!(live.ok(&format!("get url --session {session}")), live.site.at("/?as=person"));
        live.ok(&format!("sessions stop {session}"));
    }
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn every_tab_of_a_context_is_the_sessions_and_ends_with_it() {
    let (live, running) = two();
    live.ok(&format!("tabs new {} --session a", live.site.at("/two")));
    live.ok("tabs switch t1 --session a");
    for (name, tab) in [("Apart", "t3"), ("Beside", "t4")] {
        let done = live.json(&format!("click 'role=link name={name}' --session a"));
        assert_eq!(done["verdict"], "confirmed", "{done}");
        let deadline = Instant::now() + Duration::from_secs(20);
        while !live.json("tabs list --session a")["tabs"].as_array().unwrap().iter().any(|t| t["id"] == tab) {
            assert!(Instant::now() < deadline, "{name}: {}", live.json("tabs list --session a"));
        }
        live.ok("tabs switch t1 --session a");
    }
    // The other session has none of them.
    assert_eq!(live.json("tabs list --session b")["tabs"].as_array().unwrap().len(), 1);
    assert_eq!(shown(&running, 6).len(), 6);
    live.ok("sessions stop a");
    assert_eq!(shown(&running, 2), [live.site.at("/"), live.site.at("/?as=person")]);
    // What is left goes on working.
    let done = live.json("click 'role=button name=Press' --session b");
    assert_eq!(done["verdict"], "confirmed", "{done}");
    live.ok("sessions stop b");
    assert_eq!(shown(&running, 1), [live.site.at("/?as=person")]);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_tab_that_is_closed_takes_no_context_with_it() {
    let (live, running) = two();
    live.ok("cookies set mine 1 --session a");
    live.ok("click 'role=link name=Login' --session a");
    live.ok("tabs switch t2 --session a");
    // The active tab closes itself, as a window for logging in does.
    live.run("click 'role=button name=Done' --session a");
    live.ok(&format!("open {} --session a", live.site.at("/two")));
    assert_eq!(names(&live.json("cookies list --session a")), ["mine"]);
    assert_eq!(shown(&running, 4).len(), 4);
}

#[test]
fn an_opening_that_is_tried_again_stays_in_a_context() {
    let live = Live::closed(site);
    let running = Running::start(&live.site.at("/?as=person"));
    live.run(&format!("open http://127.0.0.1:1/ --cdp {} --context", running.endpoint()));
    live.ok(&format!("open {} --cdp {} --allow eval", live.site.at("/"), running.endpoint()));
    live.ok("cookies set mine 1");
    live.ok(&format!("open --cdp {} --session person", running.endpoint()));
    assert_eq!(names(&live.json("cookies list --session person")), [""; 0]);
    assert_eq!(shown(&running, 2), [live.site.at("/"), live.site.at("/?as=person")]);
}

#[test]
fn a_context_ends_with_a_session_that_is_killed() {
    let (live, running) = two();
    assert_eq!(shown(&running, 3).len(), 3);
    for session in ["a", "b"] {
        home::kill(live.home.pid(session).unwrap(), "KILL");
    }
    assert_eq!(shown(&running, 1), [live.site.at("/?as=person")]);
}

#[test]
fn permissions_and_downloads_are_the_contexts_own() {
    let (live, _running) = two();
    live.ok("permissions grant geolocation --session a");
    for (session, state) in [("a", "granted"), ("b", "prompt")] {
        live.ok(&format!("open {} --session {session}", live.site.at("/geolocation")));
        live.ok(&format!("verify title {state} --session {session}"));
    }
    // What one saves is no download of the other's, whom the browser tells of it too.
    for session in ["a", "b"] {
        live.ok(&format!("open {} --session {session}", live.site.at("/")));
        let saved = live.json(&format!("download 'role=link name=Save' --session {session}"));
        let path = saved["file"]["path"].as_str().unwrap();
        assert!(path.ends_with(&format!("/{session}/downloads/saved.txt")), "{saved}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), "saved", "{saved}");
        let apart = live.json(&format!("download 'role=link name=Aside' --session {session}"));
        assert!(apart["file"]["path"].as_str().unwrap().ends_with("saved (1).txt"), "{apart}");
    }
}

#[test]
fn a_context_is_asked_for_where_there_is_one_to_be_had() {
    let live = Live::closed(site);
    let url = live.site.at("/");
    let running = Running::start(&live.site.at("/?as=person"));
    for line in [
        format!("open {url} --context"),
        "open tab:4711-abc --context".to_owned(),
        format!("open {url} --cdp {} --context --headed", running.endpoint()),
    ] {
        let said = live.problem(&line);
        assert!(said.starts_with("error[bad_request]: "), "{line}: {said}");
    }
    // One that began without goes on without.
    live.ok(&format!("open --cdp {}", running.endpoint()));
    let said = live.problem(&format!("open {url} --context"));
    assert!(said.starts_with("error[bad_request]: "), "{said}");
    // Without an address, it begins with an empty page.
    let opened = live.json(&format!("open --cdp {} --context --session fresh", running.endpoint()));
    assert_eq!(opened["url"], "about:blank", "{opened}");
}
