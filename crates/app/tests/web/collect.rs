//! `collect`: all items of a list, over five styles of paging, with a model that errs. The site knows what there is; the model is a
//! script made from that.

use crate::collect_site::{EACH, careful, careless, path, route, settings, title};
use handeye_testkit::home::{self, Ran};
use handeye_testkit::live::{Answer as Page, Live};
use handeye_testkit::models::{Answer, Asked, ModelServer};
use handeye_testkit::{is_full, trials};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long a collection may take here.
const LIMIT: Duration = Duration::from_secs(1_800);
/// Pages: in a run of all trials as many as make 2,000 items.
const PAGES: (usize, usize) = (3, 100);

pub(crate) fn live(model: fn(&Asked) -> Answer) -> (Live, ModelServer) {
    at(route, model)
}

/// The same at a site of its own.
pub(crate) fn at(route: fn(&str) -> Page, model: fn(&Asked) -> Answer) -> (Live, ModelServer) {
    let server = ModelServer::new(model);
    let live = Live::closed(route);
    live.settings(&settings(&server));
    (live, server)
}

pub(crate) fn begin(live: &Live, args: &[&str]) -> Command {
    let mut command = live.home.command(["collect"].iter().chain(args));
    command.env("AGENT_KEY", "sk-agent").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn run(live: &Live, args: &[&str]) -> Ran {
    home::finish_within(begin(live, args).spawn().unwrap(), LIMIT)
}

/// Items of a file of JSON lines.
pub(crate) fn items(live: &Live, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(live.home.work().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Checks that a file holds each item once, with its title, in order.
#[track_caller]
pub(crate) fn holds_all(live: &Live, name: &str, pages: usize) {
    let found: Vec<(String, String)> = items(live, name)
        .iter()
        .map(|item| (item["url"].as_str().unwrap().to_owned(), item["title"].as_str().unwrap().to_owned()))
        .collect();
    let wanted: Vec<(String, String)> = (1..=pages * EACH).map(|n| (live.site.at(&path(n)), title(n))).collect();
    let extra: Vec<_> = found.iter().filter(|item| !wanted.contains(item)).collect();
    let missing: Vec<_> = wanted.iter().filter(|item| !found.contains(item)).collect();
    assert!(extra.is_empty() && missing.is_empty(), "extra {extra:?}, missing {missing:?}");
    assert_eq!(found, wanted, "each once, in order");
}

fn whole(style: &str, paging: &str, model: fn(&Asked) -> Answer) {
    let pages = trials(PAGES.0, PAGES.1).clamp(3, PAGES.1);
    collects(style, paging, model, pages, pages);
}

/// The same, but in a short run of a list that goes on where it is stopped: its end is known only after long.
fn begun(style: &str, paging: &str, model: fn(&Asked) -> Answer) {
    let pages = trials(PAGES.0, PAGES.1).clamp(3, PAGES.1);
    collects(style, paging, model, pages, if is_full() { pages } else { pages + 1 });
}

/// Collects so many pages of a list that has `there` of them.
fn collects(style: &str, paging: &str, model: fn(&Asked) -> Answer, pages: usize, there: usize) {
    let (live, server) = live(model);
    let url = live.site.at(&format!("/{style}/{there}"));
    let most = (pages * EACH).to_string();
    let limit = ["--max", most.as_str()];
    let max = if there > pages { &limit[..] } else { &[] };
    let args = [url.as_str(), "--want", "project pages", "-o", "out.jsonl", "--rate", "1000", "--json"];
    let ran = run(&live, &[&args[..], max].concat()).exit(0);
    let report = ran.json();
    holds_all(&live, "out.jsonl", pages);
    let calls = server.asked().len();
    assert!(calls <= 6 && report["model_calls"] == calls, "{calls}: {report:#}");
    assert_eq!((&report["outcome"], &report["paging"]), (&"done".into(), &paging.into()), "{report:#}");
    assert_eq!((report["pages"].as_u64(), report["items"].as_u64()), (Some(pages as u64), Some((pages * EACH) as u64)));
    let check = report["checks"].as_array().unwrap().last().unwrap();
    assert_eq!((check["precision"].as_f64(), check["recall"].as_f64()), (Some(1.0), Some(1.0)), "{report:#}");
    assert!(ran.err.contains("items;") && ran.err.contains("pages/s"), "progress is told: {}", ran.err);
    assert!(!live.home.work().join("out.jsonl.checkpoint").exists(), "what is done leaves no checkpoint");
    eprintln!(
        "{}\n{style}: {} pages/s, {} s, {calls} calls, {}",
        ran.err, report["pages_per_second"], report["seconds"], report["rule"]
    );
}

#[test]
fn a_list_with_a_next_link_is_collected_whatever_the_model_does_wrong() {
    whole("next", "next_link", careless);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_list_with_numbers_is_collected() {
    whole("numbers", "numbers", careless);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_list_with_a_button_for_more_is_collected() {
    whole("more", "load_more", careful);
}

#[test]
fn a_list_whose_next_page_has_no_address_is_collected() {
    whole("press", "next_link", careful);
}

#[test]
fn a_list_that_grows_as_it_is_scrolled_is_collected() {
    begun("scroll", "scroll", careful);
}

#[test]
fn a_list_with_the_page_in_its_address_is_collected() {
    begun("parameter", "parameter", careful);
}
