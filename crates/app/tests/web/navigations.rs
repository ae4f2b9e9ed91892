//! What a receipt says where an action leads to another page, loads the page again, or saves files.

use crate::web_verdicts::told;
use handeye_testkit::home::eventually;
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Live, html, page, reply};
use std::time::Duration;

fn site(path: &str) -> Answer {
    match path.split_once('?').map_or(path, |(path, _)| path) {
        "/" => page(
            r#"<title>Start</title><a id=other href=/other>Other</a> <a id=same href=/>Same</a> <a id=query href='/?q=1'>Query</a>
            <a id=late href=/late>Late</a> <a id=hash href='#part'>Part</a> <form><button id=sends>Send</button></form> <form method=post><button id=posts>Post</button></form>
            <button id=reloads onclick="location.reload()">Reload</button>
            <button id=two onclick="for (const n of ['a', 'b']) { const a = document.createElement('a'); a.href = '/plain?' + n; a.download = n + '.txt'; a.click() }">Two</button>
            <button id=twice onclick="for (const n of ['a', 'b']) { const a = document.createElement('a'); a.href = '/save?' + n; a.download = 'one.txt'; a.click() }">Twice</button>"#,
        ),
        "/leaves" => page("<title>Leaves</title><a href=/never>Go</a><iframe src='/inside'></iframe>"),
        "/inside" => page("<button onclick=\"top.location = '/never'\">Out</button>"),
        "/never" => Answer::Silence,
        "/late" => Answer::Of(|_| {
            std::thread::sleep(Duration::from_secs(4));
            html("<title>Late</title><h1>Other</h1>")
        }),
        "/save" => Answer::Download("one.txt"),
        "/plain" => Answer::Of(|_| reply("Content-Type: application/octet-stream\r\n", "saved")),
        _ => page("<title>Other</title><h1>Other</h1>"),
    }
}

#[test]
fn a_navigation_names_a_new_address_or_says_that_it_was_loaded_again() {
    let live = Live::open(site);
    let at = |path: &str| live.site.at(path);
    for (turn, (id, url, again, words)) in [
        ("other", at("/other"), false, format!("navigated to {}", at("/other"))),
        ("same", at("/"), true, "reloaded".into()),
        ("query", at("/?q=1"), false, format!("navigated to {}", at("/?q=1"))),
        ("hash", at("/#part"), false, format!("navigated to {}", at("/#part"))),
        ("posts", at("/"), true, "reloaded".into()),
        ("reloads", at("/"), true, "reloaded".into()),
    ]
    .into_iter()
    .enumerate()
    {
        for form in ["--json", ""] {
            // In one form each, in turns.
            if !is_full() && form.is_empty() == turn.is_multiple_of(2) {
                continue;
            }
            live.ok(&format!("open {}", at("/other?before")));
            live.ok(&format!("open {}", at("/")));
            let ran = live.run(&format!("click --css #{id} {form}"));
            assert_eq!(ran.status, Some(0), "{id}: {ran:?}");
            if form.is_empty() {
                assert!(ran.out.contains(&words), "{id}: {ran:?}");
                continue;
            }
            let receipt = ran.json();
            let went = receipt["evidence"].as_array().unwrap().iter().find(|e| e["kind"] == "navigated").cloned();
            let went = went.unwrap_or_else(|| panic!("{id}: {receipt}"));
            assert_eq!(
                (went["url"].as_str(), went["again"].as_bool().unwrap_or_default()),
                (Some(url.as_str()), again),
                "{id}: {receipt}"
            );
        }
    }
}

#[test]
fn two_downloads_by_one_click_are_both_told() {
    let live = Live::open(site);
    for (id, names) in [("two", ["a.txt", "b.txt"]), ("twice", ["one.txt", "one.txt"])] {
        let receipt = told(&live, &format!("click --css #{id}"));
        let mut downloads: Vec<&str> = receipt["evidence"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|e| e["kind"] == "download")
            .filter_map(|e| e["name"].as_str())
            .collect();
        downloads.sort_unstable();
        assert_eq!(downloads, names, "{id}: {receipt}");
        assert_eq!(receipt["verdict"], "confirmed", "{id}: {receipt}");
        live.ok(&format!("open {}", live.site.at("/")));
    }
    let folder = live.home.run_dir().join("default/downloads");
    let saved = || {
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let all = ["a.txt", "b.txt", "one (1).txt", "one.txt"];
    assert!(eventually(Duration::from_secs(10), || saved() == all), "{:?}", saved());
}

/// A page with a frame that goes from one document, or one place in it, to another.
fn framed(path: &str) -> Answer {
    match path {
        "/" => page("<title>Holds</title><iframe title=In src=/first></iframe>"),
        "/first" => page("<p>First <a href=/second>On</a> <a href='#part'>Part</a>"),
        _ => page("<p>Second"),
    }
}

#[test]
fn the_history_of_a_frame_is_gone_through_too() {
    let live = Live::open(framed);
    for (link, there) in [("On", "Second"), ("Part", "First")] {
        live.ok(&format!("click 'role=link name={link}'"));
        for (way, shows) in [("back", "First"), ("forward", there), ("back", "First")] {
            // What is not seen to have arrived is waited for to the end, and told as not loaded.
            assert_eq!(live.json(way)["loaded"], true, "{link} {way}");
            live.ok(&format!("wait --text {shows}"));
        }
    }
}

#[test]
fn a_page_that_is_being_left_for_what_never_answers_is_not_busy() {
    let live = Live::open(site);
    let at = |path: &str| live.site.at(path);
    let leave = |name: &str| {
        live.ok(&format!("open {}", at("/")));
        live.ok(&format!("open {}", at("/leaves")));
        let clicked = live.run(&format!("click --name {name} --timeout 1 --json")).json();
        assert_ne!(clicked["verdict"], "confirmed", "{name}: {clicked}");
    };
    // What was told of a busy page comes with the next state, where the command itself has no room for it.
    let told = |line: &str| {
        let ran = live.run(&format!("{line} --json"));
        assert_ne!(ran.status, Some(2), "{line}: {ran:?}");
        let state = live.json("state");
        format!("{} {}", ran.json()["notices"], state["notices"])
    };
    for (name, line) in [("Go", "open OTHER"), ("Out", "open OTHER"), ("Go", "reload"), ("Out", "back")] {
        leave(name);
        let told = told(&line.replace("OTHER", &at("/other")));
        assert!(!told.contains("stopped"), "{name}, {line}: {told}");
    }
    // One that waits in another tab's shadow.
    leave("Go");
    live.ok(&format!("tabs new {}", at("/other")));
    let said = live.problem("--tab 1 get url --timeout 3");
    assert!(said.contains("being left for another"), "{said}");
    live.ok("tabs switch 1");
    let other = told(&format!("open {}", at("/other")));
    assert!(!other.contains("stopped"), "{other}");
    // Where the page stays, what it waited for is gone, and that is told.
    leave("Go");
    let stays = told(&format!("open {}", at("/save")));
    assert!(stays.contains("was broken off"), "{stays}");
}

#[test]
fn what_goes_nowhere_breaks_nothing_off() {
    let live = Live::open(site);
    live.ok(&format!("open {}", live.site.at("/")));
    live.run("click --css #late --timeout 1");
    assert!(live.problem("forward").starts_with("error[not_found]"));
    live.ok("wait --text Other --timeout 30");
}
