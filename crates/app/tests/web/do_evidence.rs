//! `do`: what counts as evidence at the end, and what doesn't any more.

use crate::do_task::{agent, begin, call, finish, on, plan, prove, run, saying};
use crate::view::View;
use handeye_testkit::home::{self, eventually};
use handeye_testkit::live::{Answer as Page, Live, page};
use handeye_testkit::models::ModelServer;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);
/// How often the page told that something was paid.
static PAID: AtomicUsize = AtomicUsize::new(0);

const CART: &str = r#"<title>Cart</title><p>Pears: <output id=n>1</output></p>
<button onclick="n.textContent = +n.textContent + 1; history.pushState(null, '', '/cart?added=' + n.textContent)">Add pear</button>
<button onclick="fetch('/paid'); location = '/slow'">Pay</button><p><a href=/help>Help</a></p>"#;

fn route(path: &str) -> Page {
    match path {
        "/paid" => {
            PAID.fetch_add(1, Ordering::SeqCst);
            page("")
        }
        "/slow" => Page::Silence,
        "/help" => page("<title>Help</title><button onclick=\"this.textContent = 'Thanks'\">Was this of use?</button>"),
        _ => page(CART),
    }
}

/// How the only constraint of a report ended: the outcome, and whether anything proves it.
fn ended(report: &Value) -> (&str, bool) {
    let evidence = &report["ledger"]["constraints"][0]["evidence"];
    (report["outcome"].as_str().unwrap(), evidence.as_array().is_some_and(|all| !all.is_empty()))
}

#[test]
fn evidence_of_a_page_that_names_itself_otherwise_by_now_is_looked_at_again() {
    let server = ModelServer::new(|asked| match asked.number {
        0 => plan(&["two pears are in the cart"]),
        1 | 3 => on(asked, "click", "button \"Add pear\"", saying("Add pear")),
        2 => prove(1, "page", "Pears: 2"),
        _ => finish("Two pears."),
    });
    let live = agent(Live::closed(route), &server, "openai", "");
    let report = run(&live, &["put two pears in", "--on", &live.site.at("/cart"), "--json"]).exit(1).json();
    assert_eq!(ended(&report), ("unproven", false), "{report:#}");
}

#[test]
fn evidence_of_another_page_is_handed_back_once_where_something_was_done_since() {
    // Led there by a link alone, nothing can have changed.
    for (presses, finishes) in [(true, 2), (false, 1)] {
        let server = ModelServer::new(move |asked| match asked.number {
            0 => plan(&["one pear is in the cart"]),
            1 => prove(1, "page", "Pears: 1"),
            2 => on(asked, "click", "link \"Help\"", saying("Help")),
            3 if presses => on(asked, "click", "button \"Was this", saying("Was this of use?")),
            _ => finish("One pear."),
        });
        let live = agent(Live::closed(route), &server, "openai", "");
        let report = run(&live, &["look", "--on", &live.site.at("/cart"), "--json"]).exit(0).json();
        assert_eq!(ended(&report), ("done", true), "{report:#}");
        assert_eq!(server.asked().len(), 3 + usize::from(presses) + finishes, "{report:#}");
    }
}

#[test]
fn only_a_step_that_did_what_the_constraint_says_is_evidence() {
    let by = |step: u32, text: &str| json!({"constraint": 1, "by": "step", "step": step, "expected_text": text});
    let server = ModelServer::new(move |asked| match asked.number {
        0 => plan(&["the order is placed"]),
        1 => call("tabs", json!({"action": "list"})),
        2 => call("prove", by(1, "list")),
        3 => call("tabs", json!({"action": "switch", "id": "t1"})),
        4 => call("prove", by(1, "t1")),
        5 => on(asked, "hover", "button \"Add pear\"", saying("Add pear")),
        6 => call("prove", by(2, "Add pear")),
        7 => on(asked, "click", "button \"Add pear\"", saying("Add pear")),
        8 => call("prove", json!({"constraint": 1, "by": "step", "step": 3})),
        9 => call("prove", by(3, "the order is placed")),
        10 => finish("It is placed."),
        11 => call("prove", by(3, "Add pear")),
        _ => finish("A pear was added."),
    });
    let live = agent(Live::closed(route), &server, "openai", "");
    let report = run(&live, &["place the order", "--on", &live.site.at("/cart"), "--json"]).exit(0).json();
    assert_eq!(ended(&report), ("done", true), "{report:#}");
    assert_eq!(report["ledger"]["constraints"][0]["evidence"].as_array().unwrap().len(), 1, "{report:#}");
    let given: Vec<String> = server.asked().iter().map(|asked| asked.results().join("\n")).collect();
    for number in [3, 5, 7, 9, 10, 11] {
        assert!(
            given[number].contains("not proven") || given[number].contains("unproven"),
            "{number}: {}",
            given[number]
        );
    }
    let steps: Vec<&str> =
        report["steps"].as_array().unwrap().iter().filter_map(|step| step["verdict"].as_str()).collect();
    assert_eq!(steps, ["ok", "confirmed", "confirmed"], "{report:#}");
}

#[test]
fn what_a_person_stopped_after_it_was_pressed_was_not_left_undone() {
    let server = ModelServer::new(|asked| match asked.number {
        0 => plan(&["nothing is paid"]),
        1 => on(asked, "click", "button \"Pay\"", saying("Pay")),
        2 => prove(1, "never", "Pay"),
        _ => finish("Nothing is paid."),
    });
    let live = agent(Live::closed(route), &server, "openai", "");
    live.ok(&format!("open {}", live.site.at("/cart")));
    let view = View::of(&live);
    let child = begin(&live, &["look, don't pay", "--json"]).spawn().unwrap();
    assert!(eventually(LIMIT, || PAID.load(Ordering::SeqCst) > 0), "it is pressed");
    view.holds(true);
    assert!(eventually(LIMIT, || server.asked().len() > 2), "the press is over");
    view.holds(false);
    let report = home::finish_within(child, LIMIT).exit(1).json();
    let step = &report["steps"][0];
    assert_eq!((&step["verdict"], &step["done"]), (&json!("denied"), &json!(true)), "{report:#}");
    assert_eq!(ended(&report), ("unproven", false), "{report:#}");
}
