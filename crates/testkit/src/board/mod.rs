//! A board of targets that change: cases of `fixtures/matching.json` in a real page, acted on through the library.

pub mod figures;
pub mod races;

use crate::stage::{Agent, Place, Running, Site};
use handeye_engine::act;
use handeye_engine::{Action, ActionRequest, AimedAt, ClickBy, Expectation, Locator};
use handeye_scene::{Button, DeniedOrigins, Modifiers, Problem, Receipt, Ref};
use serde_json::{Value, json};
use std::time::Duration;

const TABLE: &str = include_str!("../../../../fixtures/matching.json");
const SCRIPT: &str = include_str!("board.js");

/// Events in which a page may change a target before the target's own listener, in the order in which they come.
pub const EVENTS: [&str; 6] = ["pointerover", "pointerdown", "mousedown", "pointerup", "mouseup", "click"];

/// The table of what counts as the same target.
pub fn table() -> Value {
    serde_json::from_str(TABLE).unwrap()
}

/// The rows of one part of the table.
pub fn rows(part: &str) -> Vec<Value> {
    table()[part].as_array().unwrap().clone()
}

/// One target, what becomes of it, and when.
#[derive(Debug, Clone)]
pub struct Case {
    /// The kind's row in the table; of a destination, its row.
    pub kind: Value,
    /// The change's row; none for a destination.
    pub change: Option<Value>,
    /// `between` a look and the click, `never`, `later`, or an event.
    pub moment: &'static str,
    /// Where the listener sits that makes the change.
    pub place: &'static str,
    /// How it does: at once, or in another of the ways that the page knows.
    pub how: &'static str,
    /// For `later`, after so many milliseconds.
    pub after: u64,
}

impl Case {
    /// A change of text, made at once.
    pub fn text(kind: &Value, change: &Value, moment: &'static str, place: &'static str) -> Self {
        Self { kind: kind.clone(), change: Some(change.clone()), moment, place, how: "now", after: 0 }
    }

    /// A change of where it leads, made at once.
    pub fn destination(row: &Value, moment: &'static str, place: &'static str) -> Self {
        Self { kind: row.clone(), change: None, moment, place, how: "now", after: 0 }
    }

    /// Whether a click after the change is still meant.
    pub fn allowed(&self) -> bool {
        let row = self.change.as_ref().unwrap_or(&self.kind);
        self.moment == "never" || row["allowed"].as_bool().unwrap()
    }

    /// Whether a kind can say what a change is about.
    pub fn fits(kind: &Value, change: &Value) -> bool {
        kind["only"].as_array().is_none_or(|only| only.contains(&change["id"]))
    }

    /// Whether a click that is still meant must arrive: not where the page itself keeps it from its target.
    pub fn must_arrive(&self) -> bool {
        self.allowed() && !matches!(self.how, "stop" | "opened")
    }

    /// By what way the change comes.
    pub fn class(&self) -> String {
        match self.moment {
            "never" | "between" | "later" => self.moment.to_owned(),
            _ if self.how == "opened" => self.how.to_owned(),
            _ => format!("{} by {}", self.how, self.place),
        }
    }

    /// Its kind's id.
    pub fn kind_id(&self) -> &str {
        self.kind["id"].as_str().unwrap()
    }

    /// What is done to it.
    pub fn change_id(&self) -> &str {
        self.change.as_ref().map_or("destination", |c| c["id"].as_str().unwrap())
    }

    fn action(&self) -> Action {
        match self.kind["option"].as_str() {
            Some(option) => Action::Select(vec![option.to_owned()]),
            None => Action::Click {
                button: Button::Left,
                count: 1,
                modifiers: Modifiers::default(),
                by: ClickBy::Pointer,
                offset: None,
            },
        }
    }

    fn told(&self, n: usize) -> Value {
        let mut kind = self.kind.clone();
        kind["destination"] = json!(self.change.is_none());
        let text = |field: &str| self.change.as_ref().map_or(json!(""), |c| c[field].clone());
        json!({ "n": n, "kind": kind, "from": text("from"), "to": text("to"), "moment": self.moment, "place": self.place,
                "how": self.how })
    }
}

/// What came of a case.
#[derive(Debug)]
pub struct Trial {
    /// The case.
    pub case: Case,
    /// How the target was looked at.
    pub via: &'static str,
    /// What the action returned; none where the target wasn't listed.
    pub outcome: Option<Result<Receipt, Problem>>,
    /// What the target's own listeners received.
    pub log: Vec<Value>,
}

/// A page with a board, and an agent.
pub struct Board {
    /// Where the page comes from.
    pub site: Site,
    /// Who acts on it.
    pub agent: Agent,
    /// Whether it is in a frame.
    framed: bool,
    url: String,
    guarded: bool,
    made: usize,
}

impl Board {
    /// In a browser of its own.
    pub async fn launched(place: Place, guarded: bool) -> Self {
        Self::opened(Agent::new(), place, guarded).await
    }

    /// In this agent's browser.
    pub async fn opened(mut agent: Agent, place: Place, guarded: bool) -> Self {
        let (site, url) = Self::site(place);
        agent.open(&url).await;
        Self::of(site, url, agent, place, guarded)
    }

    /// In a browser that had it open before the agent came.
    pub async fn attached(place: Place, guarded: bool) -> (Self, Running) {
        let (site, url) = Self::site(place);
        let running = Running::start(&url);
        site.arrived("case", 0);
        let mut agent = Agent::attached(&running.endpoint());
        agent.must("open", json!({})).await;
        (Self::of(site, url, agent, place, guarded), running)
    }

    /// A site that serves it, and its address in this place.
    fn site(place: Place) -> (Site, String) {
        let site = Site::new();
        let html = format!(
            "<!doctype html><html lang=en><meta charset=utf-8><title>Board</title><link rel=icon href='data:,'>
             <style>body {{ font: 14px/1.4 sans-serif; margin: 8px }} #board {{ max-width: 800px }}
             #board > div > * {{ margin: 2px 4px }} #out {{ position: fixed; right: 8px; bottom: 8px; pointer-events: none }}
             div[data-case], x-act {{ display: inline-block; min-width: 8px; min-height: 8px }} td {{ min-width: 20px; height: 20px }}
             [data-case] {{ cursor: pointer }}</style>
             <body><script>{SCRIPT}</script><script src=/link.js></script>"
        );
        site.page("/board", &html);
        let url = place.url(&site, "/board", "");
        (site, url)
    }

    /// Of a page that is open.
    fn of(site: Site, url: String, agent: Agent, place: Place, guarded: bool) -> Self {
        site.arrived("case", 0);
        Self { site, agent, framed: place.framed(), url, guarded, made: 0 }
    }

    /// Shows these cases, looks at them in this way, and acts on each.
    pub async fn round(&mut self, cases: Vec<Case>, via: &'static str) -> Vec<Trial> {
        let first = self.made;
        self.made += cases.len();
        let told: Vec<Value> = cases.iter().enumerate().map(|(i, case)| case.told(first + i)).collect();
        let places = self.site.run("case", &format!("build({})", json!(told)));
        let offset = self.offset();
        let state = self.agent.must("state", json!({ "budget": 0, "via": via })).await;
        let targets = state["targets"].as_array().cloned().unwrap_or_default();
        let numbers: Vec<Option<Ref>> = cases
            .iter()
            .zip(places.as_array().unwrap())
            .map(|(case, at)| target_at(&targets, at, offset, case.kind["role"].as_str()))
            .collect();
        self.site.run("case", "begin()");
        let mut trials = Vec::new();
        for (i, (case, number)) in cases.into_iter().zip(numbers).enumerate() {
            if case.moment == "later" {
                self.site.run("case", &format!("later({}, {})", first + i, case.after));
            }
            let (outcome, log) = match number {
                Some(number) => (Some(self.act(number, case.action()).await), Vec::new()),
                // What was listed says why it wasn't found.
                None => (None, vec![json!({ "wanted": places[i], "offset": offset, "listed": targets })]),
            };
            trials.push(Trial { case, via, outcome, log });
        }
        for entry in self.log() {
            let n = entry["n"].as_u64().unwrap() as usize;
            trials[n - first].log.push(entry);
        }
        trials
    }

    /// What the page wrote down since it was last asked, in parts: a page may tell little at once.
    fn log(&mut self) -> Vec<Value> {
        let mut log: Vec<Value> = Vec::new();
        loop {
            let part = self.site.run("case", "log.splice(0, 200)");
            match part.as_array() {
                Some(part) if !part.is_empty() => log.extend(part.iter().cloned()),
                _ => break,
            }
        }
        // What a page wrote down before it was left.
        log.extend(self.site.reports().iter().flat_map(|r| r["log"].as_array().cloned().unwrap_or_default()));
        log
    }

    /// The page anew.
    pub async fn reload(&mut self) {
        let before = self.site.arrivals("case");
        self.agent.open(&self.url.clone()).await;
        self.site.arrived("case", before);
    }

    /// What the page's place adds to its own coordinates now: what leads elsewhere in the page may scroll those around it.
    fn offset(&self) -> (f64, f64) {
        if !self.framed {
            return (0.0, 0.0);
        }
        let frame = "(f => { const r = f.getBoundingClientRect(); return [r.left + f.clientLeft, r.top + f.clientTop] })\
                     (document.querySelector('iframe'))";
        let at = self.site.run("holder", frame);
        (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
    }

    async fn act(&mut self, number: Ref, action: Action) -> Result<Receipt, Problem> {
        let request = ActionRequest {
            aim: AimedAt::Target(vec![Locator::Ref(number)]),
            expectation: if self.guarded { Expectation::LastShown } else { Expectation::Any },
            action,
            act_on_unverifiable: false,
            denied: DeniedOrigins::default(),
            only_in: None,
            guarded: self.guarded,
            ready: Duration::from_millis(400),
            settle: Duration::from_millis(5),
            effect: Duration::ZERO,
            changes: 4,
        };
        let (surface, memory, clock) = self.agent.session.parts().unwrap();
        tokio::time::timeout(Duration::from_secs(30), act(surface, memory, clock.as_ref(), &request))
            .await
            .unwrap_or_else(|_| panic!("no end: {request:?}"))
    }
}

/// The target that is in the first of these places where there is one: the test knows no name of it that a program under
/// test gave.
fn target_at(targets: &[Value], places: &Value, offset: (f64, f64), role: Option<&str>) -> Option<Ref> {
    let sides = |value: &Value| [0, 1, 2, 3].map(|i| value[i].as_f64().unwrap());
    places.as_array().unwrap().iter().map(sides).find_map(|[x, y, width, height]| {
        let place = [x + offset.0, y + offset.1, width, height];
        let far = |target: &Value| {
            sides(&target["rect"]).iter().zip(place).map(|(is, wanted)| (is - wanted).abs()).sum::<f64>()
        };
        let fitting = targets.iter().filter(|t| role.is_none_or(|role| t["role"] == role));
        let nearest = fitting.min_by(|a, b| far(a).total_cmp(&far(b)))?;
        (far(nearest) < 12.0).then(|| Ref(nearest["ref"].as_u64().unwrap() as u32))
    })
}
