//! `do --resume` after the process was killed: what it may have done by then is known, and isn't done twice unseen.

use crate::do_task::{agent, begin, call, plan, prove, run};
use handeye_testkit::home::eventually;
use handeye_testkit::live::{Answer as Page, Live, html, page};
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);
/// How long the page that is gone to takes to come: the press isn't over before.
const SLOW: Duration = Duration::from_secs(4);
/// How often the page told that something was ordered.
static ORDERED: AtomicUsize = AtomicUsize::new(0);

const ORDER: &str = r#"<title>Till</title><button onclick="fetch('/ordered'); said.textContent = 'Thank you'">Place order</button>
<button onclick="fetch('/ordered'); location = '/slow'">Order and leave</button><p id=said></p>"#;

fn route(path: &str) -> Page {
    match path {
        "/ordered" => {
            ORDERED.fetch_add(1, Ordering::SeqCst);
            page("")
        }
        "/slow" => Page::Of(|_| {
            std::thread::sleep(SLOW);
            html(ORDER)
        }),
        _ => page(ORDER),
    }
}

/// Kills a run once something was ordered, goes on with it, and returns the report and what the model was asked first.
fn killed(button: &'static str, waits: bool) -> (Value, Asked) {
    let server = ModelServer::new(move |asked| match asked.number {
        0 => plan(&["the order is placed", "nothing else is pressed"]),
        1 => {
            let place = json!({"ref": asked.mark(&format!("button \"{button}\"")), "expected_text": button});
            let wait = json!({"seconds": 100});
            let calls = [("click", place), ("wait", wait)];
            Answer::Call(calls.iter().map(|(name, args)| ((*name).to_owned(), args.to_string())).collect())
        }
        2 => prove(2, "never", button),
        _ => call("finish", json!({"success": false, "answer": "It may be ordered already."})),
    });
    let live = agent(Live::closed(route), &server, "openai", "");
    let before = ORDERED.load(Ordering::SeqCst);
    let mut child = begin(&live, &["place the order", "--on", &live.site.at("/")]).spawn().unwrap();
    assert!(eventually(LIMIT, || ORDERED.load(Ordering::SeqCst) > before), "it is ordered");
    let kept = || std::fs::read_to_string(live.home.run_dir().join("default/task.json")).unwrap_or_default();
    if waits {
        assert!(eventually(LIMIT, || kept().contains("\"confirmed\"")), "the press is over: {}", kept());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let report = run(&live, &["--resume", "--json"]).exit(1).json();
    assert_eq!(ORDERED.load(Ordering::SeqCst), before + 1, "once");
    (report, server.asked().remove(2))
}

#[test]
fn what_a_killed_run_did_before_the_end_of_an_answer_is_known_to_the_next() {
    let (report, asked) = killed("Place order", true);
    let step = &report["steps"][0];
    assert_eq!((&step["verdict"], &step["done"]), (&json!("confirmed"), &json!(true)), "{report:#}");
    assert_eq!(report["ledger"]["constraints"][1]["evidence"], json!([]), "it was pressed: {report:#}");
    assert!(asked.text.contains("step 1, click button \"Place order\""), "the model is told: {}", asked.text);
}

#[test]
fn what_a_killed_run_was_doing_may_have_been_done() {
    let (report, asked) = killed("Order and leave", false);
    let step = &report["steps"][0];
    assert_eq!((&step["verdict"], &step["done"]), (&json!("unknown"), &json!(true)), "{report:#}");
    assert_eq!(report["ledger"]["constraints"][1]["evidence"], json!([]), "it may have been pressed: {report:#}");
    assert!(asked.text.contains("step 1, click \"Order and leave\""), "the model is told: {}", asked.text);
}
