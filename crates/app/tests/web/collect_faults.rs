//! `collect` where something goes wrong: killed and gone on with, interrupted, a full disk, sites that repeat, skip, lead in circles,
//! ask for a captcha or a login, and input that is wrong.

use crate::collect::{at, begin, holds_all, items, live, run};
use crate::collect_site::{EACH, call, careful, path, route, shown, title};
use handeye_testkit::home::{self, Ran};
use handeye_testkit::live::{Answer as Page, Live, Reply, reply};
use handeye_testkit::models::{Answer, Asked};
use handeye_testkit::{Dice, is_full, trials};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Duration;

const OUT: [&str; 4] = ["-o", "out.jsonl", "--rate", "1000"];

/// Answers of the model that a collection may take.
const CALLS: usize = 6;

/// How long a page may take to be noted.
const KILL: Duration = Duration::from_secs(120);

fn collected(live: &Live, path: &str, more: &[&str]) -> Ran {
    let url = live.site.at(path);
    run(live, &[&[url.as_str(), "--want", "project pages", "--json"], &OUT[..], more].concat())
}

fn resumed(live: &Live) -> Ran {
    run(live, &[&["--resume", "--json"], &OUT[..]].concat())
}

/// How a collection stopped.
#[track_caller]
fn stopped(ran: Ran, by: &str) -> Value {
    let report = ran.exit(1).json();
    assert_eq!((&report["outcome"], &report["stopped_by"]), (&json!("stopped"), &json!(by)), "{report:#}");
    report
}

/// Kills a collection so often, at random moments, and goes on with it each time, until it is done.
fn killed(style: &str, pages: usize, kills: usize, seed: u64) {
    let (live, server) = live(careful);
    let url = live.site.at(&format!("/{style}/{pages}"));
    let checkpoint = live.home.work().join("out.jsonl.checkpoint");
    let lines = || std::fs::read(&checkpoint).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count();
    let mut dice = Dice::new(seed);
    let mut before = Vec::new();
    // Once the rule is noted, no model is asked any more.
    let is_settled = || lines() >= 2;
    let mut begun_anew = 0;
    for kill in 0..kills {
        let asked = is_settled().then(|| server.asked().len());
        begun_anew += usize::from(asked.is_none());
        let is_begun = std::fs::metadata(&checkpoint).is_ok_and(|file| file.len() > 0);
        let args: Vec<&str> = match is_begun {
            true => [&["--resume"], &OUT[..]].concat(),
            false => [&[url.as_str(), "--want", "project pages"], &OUT[..]].concat(),
        };
        let mut child = begin(&live, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Some as it starts, most within a page or two: so that there is always something left to be killed.
        let is_early = dice.below(4) == 0;
        let wanted = if is_early { 0 } else { lines() + 1 + dice.below((pages / kills).saturating_sub(2).max(1)) };
        let later = Duration::from_millis(dice.below(if is_early { 1_000 } else { 100 }) as u64);
        let mut is_over = || child.try_wait().unwrap().is_some();
        assert!(home::eventually(KILL, || lines() >= wanted || is_over()), "{kill}: nothing is noted any more");
        assert!(!home::eventually(later, is_over), "{kill}: it was over before it was killed so often");
        child.kill().unwrap();
        child.wait().unwrap();
        // Whole lines of before are there, to the byte.
        let now = std::fs::read(&checkpoint).unwrap_or_default();
        assert!(now.starts_with(&before), "{kill}: a page that was noted is lost");
        let whole = now.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        before = now[..whole].to_vec();
        assert!(
            asked.is_none_or(|asked| asked == server.asked().len()),
            "{kill}: the rule was known, and a model was asked"
        );
    }
    let asked = is_settled().then(|| server.asked().len());
    let report = resumed(&live).exit(0).json();
    holds_all(&live, "out.jsonl", pages);
    let (calls, resumed) = (server.asked().len(), report["model_calls"].as_u64());
    assert!(asked.is_none_or(|asked| asked == calls), "the rule was known, and a model was asked");
    // A run that was killed before the rule was learnt asks again, as often as one may.
    begun_anew += usize::from(asked.is_none());
    assert!(calls <= CALLS * begun_anew && resumed <= Some(CALLS as u64), "{calls} calls, {begun_anew} times begun");
    assert!(report["resumed_after"].as_u64() > Some(0), "it was gone on with: {report:#}");
    eprintln!("{style}: killed {kills} times over {pages} pages; {calls} calls in all, {resumed:?} of the last run");
}

#[test]
fn what_is_killed_at_any_moment_is_gone_on_with_and_nothing_is_lost_or_doubled() {
    // Of fewer than three each may come before a page is noted.
    let kills = trials(3, 20);
    killed("next", if kills >= 20 { 100 } else { 3 * kills.max(1) }, kills, 41);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn what_is_killed_where_pages_have_no_addresses_loses_and_doubles_nothing_either() {
    let kills = trials(3, 10);
    for (style, seed) in [("more", 42), ("press", 43)] {
        killed(style, 4 * kills.max(1), kills, seed);
    }
}

#[test]
fn two_that_begin_at_once_leave_each_others_checkpoint_alone() {
    let (live, _server) = live(careful);
    let url = live.site.at("/next/4");
    let args = [&[url.as_str(), "--want", "project pages", "--json"], &OUT[..]].concat();
    let both = [(); 2].map(|()| begin(&live, &args).spawn().unwrap());
    let ended = both.map(|child| home::finish_within(child, Duration::from_secs(240)));
    let mut codes = ended.each_ref().map(|ran| ran.status);
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(2)], "one of them collects: {ended:?}");
    holds_all(&live, "out.jsonl", 4);
}

#[test]
fn what_has_no_addresses_is_gone_through_until_the_last_items_are_met_again() {
    let (live, server) = live(careful);
    // Enough of them that some are left when it is interrupted.
    let pages = if is_full() { 14 } else { 9 };
    let list = format!("/more/{pages}");
    let report = stopped(collected(&live, &list, &["--timeout", "0.001"]), "time");
    assert_eq!(report["items"], 0);
    let url = live.site.at(&list);
    let checkpoint = live.home.work().join("out.jsonl.checkpoint");
    assert!(report["checkpoint"].is_null() && !checkpoint.exists(), "no page was reached: {report:#}");
    let child = begin(&live, &[&[url.as_str(), "--want", "project pages"], &OUT[..]].concat()).spawn().unwrap();
    let has = |pages: usize| std::fs::read_to_string(&checkpoint).unwrap_or_default().lines().count() >= pages + 2;
    assert!(home::eventually(Duration::from_secs(240), || has(4)), "four pages are noted");
    home::kill(child.id() as i32, "INT");
    let ended = home::finish_within(child, Duration::from_secs(60));
    let calls = server.asked().len();
    assert_eq!(ended.status, Some(1), "there was more to collect: {ended:?}");
    assert!(ended.out.contains("ended by the person"), "{ended:?}");
    assert!(items(&live, "out.jsonl").len() >= 4 * EACH, "what was collected is written out");
    // Another collection isn't begun over it, nor gone on with as another.
    let again = run(&live, &[&[url.as_str(), "--want", "x"], &OUT[..]].concat()).exit(2);
    assert!(again.err.contains("--resume"), "{again:?}");
    let other = run(&live, &[&["--resume", "--want", "other things"], &OUT[..]].concat()).exit(2);
    assert!(other.err.contains("another collection"), "{other:?}");
    // A line that is cut short, as by a kill, is dropped.
    let mut torn = std::fs::read(&checkpoint).unwrap();
    torn.extend_from_slice(b"{\"page\":{\"number\":");
    std::fs::write(&checkpoint, torn).unwrap();
    let report = resumed(&live).exit(0).json();
    assert!(report["resumed_after"].as_u64() >= Some(3), "{report:#}");
    assert!(report["warnings"].to_string().contains("cut short"), "{report:#}");
    assert_eq!(server.asked().len(), calls, "the model isn't needed again");
    holds_all(&live, "out.jsonl", pages);
}

#[test]
fn a_disk_that_is_full_loses_nothing() {
    let (live, _server) = live(careful);
    live.ok(&format!("open {}", live.site.at("/")));
    // No file may grow beyond a few pages: the signal for that is ignored, so that writing fails.
    let last = if is_full() { 8 } else { 5 };
    let url = live.site.at(&format!("/next/{last}"));
    let line = format!(
        "trap '' XFSZ; ulimit -f 12; exec \"$0\" collect {url} --want projects -o out.jsonl --rate 1000 --json"
    );
    let mut command = Command::new("sh");
    let like = begin(&live, &[]);
    command.arg("-c").arg(line).arg(like.get_program()).current_dir(live.home.work()).stdin(Stdio::null());
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let report = stopped(home::finish_within(child, Duration::from_secs(240)), "file");
    assert!(report["reason"].as_str().unwrap().contains("can't be written"), "{report:#}");
    let pages = report["pages"].as_u64().unwrap();
    assert!((1..last as u64).contains(&pages), "{report:#}");
    let report = resumed(&live).exit(0).json();
    assert_eq!(report["resumed_after"].as_u64(), Some(pages), "{report:#}");
    holds_all(&live, "out.jsonl", last);
}

#[test]
fn what_stands_in_the_way_is_named_and_gone_on_from_once_it_is_away() {
    let (live, server) = live(careful);
    let rows = [
        ("loop", "loop", "leads back"),
        // The address that is asked for says nothing of it: it leads there.
        ("sent", "robots", "robots.txt"),
        ("login", "login", "log in"),
        ("captcha", "captcha", "captcha"),
        ("forbidden", "robots", "robots.txt"),
        // A script leads there.
        ("led", "robots", "robots.txt"),
    ];
    // What is gone on from after a captcha is tried by the next test as well.
    let rows = if is_full() { &rows[..] } else { &rows[..3] };
    for &(style, by, part) in rows {
        let report = stopped(collected(&live, &format!("/{style}/6"), &[]), by);
        assert!(report["reason"].as_str().unwrap().contains(part), "{report:#}");
        assert_eq!(report["items"].as_u64(), Some(3 * EACH as u64), "{style}: {report:#}");
        let checkpoint = live.home.work().join("out.jsonl.checkpoint");
        assert!(checkpoint.exists(), "{style}");
        if by == "captcha" {
            // The person has dealt with it.
            live.ok(&format!("open {}", live.site.at("/pass")));
            let report = resumed(&live).exit(0).json();
            assert_eq!(report["resumed_after"], 3, "{report:#}");
            holds_all(&live, "out.jsonl", 6);
        } else {
            std::fs::remove_file(checkpoint).unwrap();
        }
        std::fs::remove_file(live.home.work().join("out.jsonl")).unwrap();
    }
    assert!(server.asked().len() <= rows.len() * CALLS);
    if !is_full() {
        return;
    }
    let skips = collected(&live, "/skip/6", &[]).exit(0).json();
    assert!(skips["warnings"].to_string().contains("pages 4 to 4 were skipped"), "{skips:#}");
    // Page 5 shows one of page 4 again, which came up nowhere else.
    assert_eq!(skips["items"].as_u64(), Some(5 * EACH as u64 + 1));
    std::fs::remove_file(live.home.work().join("out.jsonl")).unwrap();
    let around = collected(&live, "/around/4", &[]).exit(0).json();
    assert!(around["warnings"].to_string().contains("leads back to the first"), "{around:#}");
    holds_all(&live, "out.jsonl", 4);
    std::fs::remove_file(live.home.work().join("out.jsonl")).unwrap();
    let ignored = collected(&live, "/forbidden/6", &["--ignore-robots"]).exit(0).json();
    assert_eq!(ignored["items"].as_u64(), Some(6 * EACH as u64), "{ignored:#}");
}

#[test]
fn what_a_collection_did_not_write_is_not_written_over_by_going_on() {
    let (live, _server) = live(careful);
    let pages = if is_full() { 6 } else { 4 };
    let report = stopped(collected(&live, &format!("/captcha/{pages}"), &[]), "captcha");
    assert!(report["reason"].as_str().unwrap().contains("captcha"), "{report:#}");
    assert_eq!(report["items"].as_u64(), Some(3 * EACH as u64), "{report:#}");
    let (output, checkpoint) = (live.home.work().join("out.jsonl"), live.home.work().join("out.jsonl.checkpoint"));
    let (own, noted) = (std::fs::read(&output).unwrap(), std::fs::read(&checkpoint).unwrap());
    // Of another length, and of the same.
    for mine in ["mine\n".to_owned(), "x".repeat(own.len())] {
        std::fs::write(&output, &mine).unwrap();
        let refused = resumed(&live).exit(2);
        assert_eq!(refused.code(), "file", "{refused:?}");
        assert!(refused.out.contains("isn't what this collection wrote") && refused.out.contains("move it away"));
        assert_eq!(std::fs::read_to_string(&output).unwrap(), mine);
        assert_eq!(std::fs::read(&checkpoint).unwrap(), noted, "nothing is changed");
    }
    std::fs::rename(&output, live.home.work().join("mine.jsonl")).unwrap();
    live.ok(&format!("open {}", live.site.at("/pass")));
    let report = resumed(&live).exit(0).json();
    assert_eq!(report["resumed_after"], 3, "{report:#}");
    holds_all(&live, "out.jsonl", pages);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn what_reaches_no_page_leaves_no_checkpoint_and_this_machine_is_asked_without_encryption() {
    let (live, _server) = live(careful);
    // Nobody listens there.
    let lost = run(&live, &[&["localhost:1/next/3", "--want", "project pages", "--json"], &OUT[..]].concat()).exit(2);
    assert_eq!(lost.code(), "unreachable", "{lost:?}");
    assert!(lost.out.contains("http://localhost:1/"), "{lost:?}");
    let url = format!("127.0.0.1:{}/next/3", live.site.port);
    run(&live, &[&[url.as_str(), "--want", "project pages"], &OUT[..]].concat()).exit(0);
    holds_all(&live, "out.jsonl", 3);
}

#[test]
fn an_error_without_a_page_in_place_of_robots_txt_is_read_as_any_other() {
    let without = |path: &str| match path {
        "/robots.txt" => Page::Of(|_| Reply { status: "404 Not Found", ..reply("", "") }),
        _ => route(path),
    };
    let (live, _server) = at(without, careful);
    collected(&live, "/next/3", &[]).exit(0);
    holds_all(&live, "out.jsonl", 3);
}

#[test]
fn pages_that_repeat_or_come_in_another_order_double_and_lose_nothing() {
    let (live, _server) = live(careful);
    let all = |pages: usize| (1..=pages * EACH).map(|n| live.site.at(&path(n))).collect::<BTreeSet<String>>();
    let found = || {
        let urls: Vec<String> =
            items(&live, "out.jsonl").iter().map(|item| item["url"].as_str().unwrap().to_owned()).collect();
        let once: BTreeSet<String> = urls.iter().cloned().collect();
        assert_eq!(once.len(), urls.len(), "each once");
        once
    };
    if is_full() {
        let ran = collected(&live, "/reorder/6", &[]).exit(0).json();
        assert_eq!((found(), &ran["outcome"]), (all(6), &json!("done")), "{ran:#}");
        std::fs::remove_file(live.home.work().join("out.jsonl")).unwrap();
        // What the list never shows isn't made up.
        let ran = collected(&live, "/repeat/6", &[]).exit(0).json();
        assert!(ran["warnings"].to_string().contains("only items of pages before"), "{ran:#}");
        assert_eq!(found(), all(5), "{ran:#}");
        std::fs::remove_file(live.home.work().join("out.jsonl")).unwrap();
    }
    let report = stopped(collected(&live, "/stuck/30", &[]), "repeats");
    assert_eq!(found(), all(3), "{report:#}");
    assert!(report["pages"].as_u64() < Some(12), "it doesn't go on for ever: {report:#}");
}

#[test]
fn no_more_pages_are_asked_for_in_a_second_than_were_allowed() {
    let (live, _server) = live(careful);
    let url = live.site.at("/paced/3");
    run(&live, &[&url, "--want", "project pages", "-o", "out.jsonl", "--rate", "2", "--json"]).exit(0);
    holds_all(&live, "out.jsonl", 3);
    // Counted from when the page before was there, so that no machine is too slow for it.
    let shortest = crate::collect_site::shortest_pause("paced");
    assert!(shortest >= Some(Duration::from_millis(500)), "{shortest:?}");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn the_pause_that_a_site_asks_for_is_kept_where_it_is_scrolled() {
    let (live, _server) = crate::collect::at(crate::collect_site::patient, careful);
    let url = live.site.at("/scroll/4");
    run(&live, &[&url, "--want", "project pages", "-o", "out.jsonl", "--rate", "1000", "--json"]).exit(0);
    holds_all(&live, "out.jsonl", 4);
    let shortest = crate::collect_site::shortest_pause("part");
    assert!(shortest >= Some(crate::collect_site::PAUSE * 3 / 4), "{shortest:?}");
}

#[test]
fn the_policy_holds_for_the_collector_as_for_everyone() {
    let (live, server) = live(careful);
    let set = |policy: &str| live.settings(&format!("{}\n[policy]\n{policy}", crate::collect_site::settings(&server)));
    let origin = live.site.at("");
    // Nobody can be asked here.
    for (policy, style) in [
        ("ask = [\"acts\"]".to_owned(), "more"),
        (format!("deny = [\"reads@{origin}\"]"), "next"),
        (format!("deny_origins = [\"{origin}\"]"), "next"),
    ] {
        set(&policy);
        let refused = collected(&live, &format!("/{style}/3"), &[]).exit(2);
        assert_eq!(refused.code(), "denied", "{policy}: {refused:?}");
        assert!(!live.home.work().join("out.jsonl").exists(), "{policy}");
        live.ok("close");
    }
}

/// Picks with fields, as the state shows them.
fn with_fields(asked: &Asked) -> Answer {
    let items = shown(asked);
    let items = if crate::collect_site::wants_all(asked) { items } else { items[..3].to_vec() };
    let number = |text: &str| text.rsplit(' ').next().unwrap().parse::<usize>().unwrap();
    let dates: Vec<String> = items.iter().map(|(_, text)| crate::collect_site::date(number(text))).collect();
    let (marks, texts): (Vec<u64>, Vec<String>) = items.into_iter().unzip();
    call(&json!({"mark_ids": marks, "expected_texts": texts, "reasoning": "r", "fields": {"date": dates}}))
}

#[test]
fn fields_are_read_of_every_item_and_no_more_items_than_asked_for() {
    let (live, _server) = live(with_fields);
    let url = live.site.at("/numbers/5");
    let args = ["--want", "projects", "--fields", "date", "--max", "50", "-o", "out.csv", "--rate", "1000"];
    run(&live, &[&[url.as_str()], &args[..]].concat()).exit(0);
    let text = std::fs::read_to_string(live.home.work().join("out.csv")).unwrap();
    let row = |n: usize| {
        format!("{},{},{},{}", live.site.at(&path(n)), title(n), crate::collect_site::date(n), (n - 1) / EACH + 1)
    };
    let wanted: Vec<String> = std::iter::once("url,title,date,page".to_owned()).chain((1..=50).map(row)).collect();
    assert_eq!(text.lines().collect::<Vec<_>>(), wanted);
    if !is_full() {
        return;
    }
    // Without a file they are in the report.
    let args = ["--want", "projects", "--fields", "date", "--max", "3", "--rate", "1000", "--json"];
    let report = run(&live, &[&[url.as_str()], &args[..]].concat()).exit(0).json();
    assert_eq!(report["found"].as_array().unwrap().len(), 3, "{report:#}");
}

#[test]
fn a_model_that_finds_nothing_and_input_that_is_wrong_begin_nothing() {
    let (live, server) =
        live(|_| call(&json!({"mark_ids": [], "expected_texts": [], "reasoning": "there are no shops here"})));
    let none = collected(&live, "/next/3", &[]).exit(2);
    assert_eq!(none.code(), "not_found", "{none:?}");
    assert!(none.out.contains("no shops here"), "{none:?}");
    let asked = server.asked().len();
    let url = live.site.at("/next/3");
    for args in [
        &["--want", "x"][..],
        &[&url],
        &[&url, "--want", " "],
        &[&url, "--want", "x", "-o", "out.xlsx"],
        &[&url, "--want", "x", "-o", "none/out.csv"],
        &[&url, "--want", "x", "--fields", "a b"],
        &[&url, "--want", "x", "--fields", "url"],
        &[&url, "--want", "x", "--fields", "a,a"],
        &[&url, "--want", "x", "--max", "0"],
        &[&url, "--want", "x", "--rate", "0"],
        &["file:///etc/passwd", "--want", "x"],
        &["--resume", "-o", "none.csv"],
    ] {
        run(&live, args).exit(2);
    }
    let gone = collected(&live, "/gone", &[]).exit(2);
    assert_eq!(gone.code(), "unreachable", "{gone:?}");
    std::fs::write(live.home.work().join("bad.csv.checkpoint"), "{}\n{}\n").unwrap();
    let bad = run(&live, &["--resume", "-o", "bad.csv"]).exit(2);
    assert!(bad.err.contains("line 1 is damaged"), "{bad:?}");
    std::fs::write(live.home.work().join("bad.csv.checkpoint"), "").unwrap();
    assert_eq!(run(&live, &["--resume", "-o", "bad.csv", "--json"]).exit(2).code(), "file", "it is empty");
    assert_eq!(server.asked().len(), asked, "nobody was asked");
    let left: Vec<_> = std::fs::read_dir(live.home.work()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["bad.csv.checkpoint"], "nothing was written");
}
