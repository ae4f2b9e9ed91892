//! Keys go to what has the focus when they are sent, or to where they move it themselves, and to nothing else.

use handeye_testkit::is_full;
use handeye_testkit::stage::{Agent, Expect, Outcome, PLACES, Place, Site, encoded};
use serde_json::{Value, json};

struct Case {
    site: Site,
    agent: Agent,
}

const FIELDS: &str = "<label>Name <input id=a></label> <label>Mail <input id=b></label> <button id=c>Send</button> <span id=code>\
    <input id=d aria-label=First maxlength=1><input id=e aria-label=Second maxlength=1></span>";

impl Case {
    fn new() -> Self {
        Self { site: Site::new(), agent: Agent::new() }
    }

    async fn open(&mut self, place: Place, html: &str) {
        let before = self.site.arrivals("case");
        self.agent.open(&place.url(&self.site, "/case", &format!("&html={}", encoded(html)))).await;
        self.site.arrived("case", before);
    }

    fn page(&self, script: &str) -> Value {
        self.site.run("case", script)
    }

    async fn focus(&mut self, name: &str) {
        let number = self.agent.see(name).await;
        let outcome = self.agent.act("focus", number, &Expect::Shown, json!({})).await;
        assert!(outcome.confirmed(), "{outcome:?}");
    }

    async fn send(&mut self, command: &str, args: Value) -> Outcome {
        self.agent.call(command, args).await.into()
    }

    fn values(&self) -> Value {
        self.page("['a', 'b', 'd', 'e'].map(id => $(id).value).join('|')")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_follow_the_focus_where_they_move_it_and_not_where_the_page_does() {
    let mut case = Case::new();
    for (_, place) in PLACES.into_iter().enumerate().filter(|(at, _)| is_full() || at % 2 == 0) {
        case.open(place, FIELDS).await;
        case.focus("Name").await;
        let outcome = case.send("type", json!({ "text": "Ann\ta@b 中" })).await;
        assert!(outcome.confirmed(), "{place:?}: {outcome:?}");
        assert_eq!(case.values(), "Ann|a@b 中||", "{place:?}");
        let outcome = case.send("keys", json!({ "keys": ["Tab Space shift+Tab shift+Tab ctrl+a x"] })).await;
        assert!(outcome.confirmed(), "{place:?}: {outcome:?}");
        assert_eq!(case.values(), "x|a@b 中||", "{place:?}");
        // A field that passes the focus on as it is filled.
        case.page("$('d').addEventListener('input', () => $('e').focus()), null");
        case.focus("First").await;
        let outcome = case.send("type", json!({ "text": "42" })).await;
        assert!(outcome.confirmed(), "{place:?}: {outcome:?}");
        assert_eq!(case.values(), "x|a@b 中|4|2", "{place:?}");

        // The page takes the focus elsewhere by itself.
        case.open(place, FIELDS).await;
        case.focus("Name").await;
        case.page("$('a').addEventListener('input', () => setTimeout(() => $('b').focus(), 60), { once: true }), null");
        let outcome = case.send("type", json!({ "text": "secret", "pace": 40 })).await;
        assert!(outcome.contradicted() && outcome.text.contains("in part"), "{place:?}: {outcome:?}");
        assert_eq!(case.page("$('b').value"), "", "{place:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_not_sent_to_what_was_relabelled() {
    let mut case = Case::new();
    for (_, place) in PLACES.into_iter().enumerate().filter(|(at, _)| is_full() || at % 2 == 1) {
        case.open(place, FIELDS).await;
        case.focus("Send").await;
        case.page("$('c').textContent = 'Delete', null");
        let outcome = case.send("keys", json!({ "keys": ["Enter"] })).await;
        assert!(outcome.contradicted(), "{place:?}: {outcome:?}");
        assert_eq!(case.page("log.filter(e => e.type === 'click').length"), 0, "{place:?}");
        case.open(place, FIELDS).await;
        case.focus("Send").await;
        case.page("window.addEventListener('keydown', () => { $('c').textContent = 'Delete' }, true), null");
        let outcome = case.send("keys", json!({ "keys": ["Enter"] })).await;
        assert_eq!(case.page("log.filter(e => e.type === 'click').length"), 0, "{place:?}: {outcome:?}");
        assert!(outcome.contradicted(), "{place:?}: {outcome:?}");
        let outcome = case.send("keys", json!({ "keys": ["Enter"], "expect_any": true })).await;
        assert!(outcome.problem.is_none() && !outcome.contradicted(), "{place:?}: {outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_one_element_of_all_documents_has_the_focus() {
    let mut case = Case::new();
    for place in [Place::Iframe, Place::Foreign] {
        case.open(place, FIELDS).await;
        case.focus("Name").await;
        case.site
            .run("holder", "document.body.insertAdjacentHTML('beforeend', '<input aria-label=Outer id=outer>'), null");
        case.focus("Outer").await;
        let state = case.agent.must("state", json!({})).await;
        let focused: Vec<&Value> = state["targets"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|t| t["states"].as_array().is_some_and(|s| s.iter().any(|s| s == "focused")))
            .map(|t| &t["name"])
            .collect();
        assert_eq!(focused, ["Outer"], "{place:?}");
        let outcome = case.send("type", json!({ "text": "hi" })).await;
        assert!(outcome.confirmed(), "{place:?}: {outcome:?}");
        assert_eq!(case.site.run("holder", "document.getElementById('outer').value"), "hi", "{place:?}");
        assert_eq!(case.values(), "|||", "{place:?}");
    }
}
