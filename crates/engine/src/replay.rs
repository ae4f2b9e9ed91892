//! A recorded surface: plays captures back, notes gestures. It is the fake surface of tests and the player of bug reports.

use crate::{Action, ActionRequest, AimedAt, Expectation};
use async_trait::async_trait;
use handeye_scene::{
    Aim, Capture, Clock, Code, Cover, Delivery, DeniedOrigins, DocumentId, EditKind, Extra, Gesture, Guard, NativeId,
    Node, NodeKind, Notice, Point, Probe, Problem, Query, Rect, Settled, Shot, State, States, Stirred, Surface, Texts,
    Want, Whence,
};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

/// One moment of a recording.
#[derive(Debug, Clone, Default)]
pub struct Moment {
    /// What is there.
    pub capture: Capture,
    /// What covers which element.
    pub covers: HashMap<NativeId, Cover>,
    /// What the surface answers to a gesture performed in this moment.
    pub delivery: Option<Delivery>,
    /// What is seen after it.
    pub settled: Settled,
    /// What changed by itself meanwhile. Its events come while the next moment is looked at: what is seen once more is the moment after.
    pub stirred: Stirred,
    /// Whether it can tell what came of the gesture before it is quiet.
    pub at_once: bool,
    /// Whence that came.
    pub whence: Whence,
    /// What it looks like.
    pub picture: Option<Shot>,
    /// Why it can't be looked at, if so.
    pub fault: Option<Problem>,
}

/// Plays moments back: each gesture that isn't withheld, and each wait for a change, leads to the next.
#[derive(Debug, Default)]
pub struct Replay {
    moments: Vec<Moment>,
    now: usize,
    settled: Settled,
    stirred: Stirred,
    whence: Whence,
    at_once: bool,
    /// Whether events were told of after it had settled.
    events_told: bool,
    /// Whether a gesture was begun, and wasn't said to be over.
    pub is_watched: bool,
    /// How long nothing was to come after gestures that were told of before it was quiet.
    pub rests: Vec<Duration>,
    /// Every gesture asked for, with its guard.
    pub performed: Vec<(Gesture, Guard)>,
}

impl Replay {
    /// A surface that plays `moments`, at least one.
    pub fn new(moments: Vec<Moment>) -> Self {
        Self { moments, ..Self::default() }
    }

    fn moment(&self) -> Result<&Moment, Problem> {
        self.moments.get(self.now).ok_or_else(|| Problem::new(Code::Lost, "the recording holds no moment"))
    }

    fn next(&mut self) {
        self.now = (self.now + 1).min(self.moments.len().saturating_sub(1));
    }
}

/// What is asked of the act loop in tests: guarded, with nothing denied, and without waiting for late effects.
pub fn request(aim: AimedAt, expectation: Expectation, action: Action) -> ActionRequest {
    ActionRequest {
        aim,
        expectation,
        action,
        act_on_unverifiable: false,
        denied: DeniedOrigins::default(),
        only_in: None,
        guarded: true,
        ready: Duration::from_secs(2),
        settle: Duration::from_secs(1),
        effect: Duration::ZERO,
        changes: 10,
    }
}

/// A node of a recording, written short: `kind`, number within document 1, role, name.
pub fn node(kind: NodeKind, number: u32, role: &str, name: &str) -> Node {
    Node {
        id: (number > 0).then(|| NativeId::new(DocumentId(1), number)),
        document: DocumentId(1),
        parent: None,
        kind,
        role: role.into(),
        name: name.into(),
        value: None,
        states: States::default(),
        rect: Rect::new(10.0, 10.0 + 30.0 * f64::from(number), 100.0, 20.0),
        extra: Extra::default(),
    }
}

#[async_trait]
impl Surface for Replay {
    async fn capture(&mut self, _want: Want) -> Result<Capture, Problem> {
        let moment = self.moment()?;
        moment.fault.clone().map_or_else(|| Ok(moment.capture.clone()), Err)
    }

    async fn probe(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        let moment = self.moment()?;
        let Some(node) = moment.capture.nodes.iter().find(|n| n.id == Some(id)) else { return Ok(None) };
        let cover = moment.covers.get(&id).cloned();
        let checkable = matches!(node.role.as_str(), "checkbox" | "radio" | "switch");
        Ok(Some(Probe {
            id,
            document: node.document,
            role: node.role.clone(),
            name: node.name.clone(),
            texts: Texts { text: node.name.clone(), value: node.value.clone().unwrap_or_default(), ..Texts::default() },
            tag: String::new(),
            kind: node.extra.kind.clone(),
            href: node.extra.href.clone(),
            testid: None,
            xpath: String::new(),
            states: node.states,
            rect: node.rect,
            visible: true,
            enabled: !node.states.has(State::Disabled),
            edit: if node.role == "textbox" { EditKind::Text } else { EditKind::None },
            checked: checkable.then(|| node.states.has(State::Checked)),
            options: Vec::new(),
            point: (aim.point && cover.is_none()).then(|| node.rect.center()),
            cover: cover.filter(|_| aim.point),
            behind: None,
            still: true,
            row: node.extra.row.clone(),
            row_texts: node.extra.row.iter().map(|r| r.text.clone()).collect(),
            activation: None,
            expands: false,
            said: node.extra.said.clone(),
            hint: node.extra.hint.clone(),
            caret: None,
            at_rest: None,
            leads: node.extra.leads.clone(),
            facts: Vec::new(),
        }))
    }

    async fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
        let named =
            |n: &&Node| n.extra.xpath.as_deref() == Some(&query.text) || n.extra.testid.as_deref() == Some(&query.text);
        Ok(self.moment()?.capture.nodes.iter().filter(named).filter_map(|n| n.id).collect())
    }

    async fn element_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        let at = Rect::new(point.x, point.y, 0.5, 0.5);
        Ok(self.moment()?.capture.nodes.iter().rev().find(|n| n.rect.intersects(&at)).and_then(|n| n.id))
    }

    async fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        let nodes = &self.moment()?.capture.nodes;
        Ok(nodes.iter().filter(|n| n.states.has(State::Focused)).filter_map(|n| n.id).next_back())
    }

    async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        self.performed.push((gesture.clone(), guard.clone()));
        let moment = self.moment()?;
        let delivery = moment.delivery.clone().unwrap_or(Delivery::Delivered { holds: None, moved: None, by: None });
        let now = (moment.settled.clone(), moment.stirred.clone(), moment.whence, moment.at_once);
        (self.settled, self.stirred, self.whence, self.at_once) = now;
        self.is_watched = true;
        self.next();
        Ok(delivery)
    }

    async fn settle(&mut self, _limit: Duration) -> Result<Settled, Problem> {
        if self.events_told && self.settled.events != self.stirred.events {
            self.settled.events.clone_from(&self.stirred.events);
            self.next();
        }
        Ok(self.settled.clone())
    }

    async fn answered(&mut self) -> Option<Settled> {
        self.at_once.then(|| self.settled.clone())
    }

    async fn calm(&mut self, rest: Duration) -> Option<Settled> {
        self.rests.push(rest);
        Some(self.settled.clone())
    }

    async fn rest(&mut self) {
        self.is_watched = false;
    }

    async fn stirred(&mut self) -> Stirred {
        self.events_told = !self.stirred.events.is_empty();
        self.stirred.clone()
    }

    async fn whence(&mut self, _target: Option<NativeId>) -> Whence {
        self.whence
    }

    async fn changed(&mut self, _limit: Duration) -> Result<bool, Problem> {
        let comes_more = self.now + 1 < self.moments.len();
        self.next();
        Ok(comes_more)
    }

    async fn picture(&mut self) -> Result<Shot, Problem> {
        let none = || Problem::new(Code::Unsupported, "the recording holds no picture of this moment");
        self.moment()?.picture.clone().ok_or_else(none)
    }

    fn origin(&self, document: DocumentId) -> Option<String> {
        let documents = &self.moments.get(self.now)?.capture.documents;
        documents.iter().find(|d| d.id == document).map(|d| d.origin.clone())
    }

    fn notices(&mut self) -> Vec<Notice> {
        Vec::new()
    }

    async fn close(&mut self) -> Result<(), Problem> {
        self.moments.clear();
        Ok(())
    }
}

/// A clock that a look moves on: a tenth of a second each time.
#[derive(Debug, Default)]
pub struct Ticker(Mutex<Duration>);

#[async_trait]
impl Clock for Ticker {
    fn elapsed(&self) -> Duration {
        let mut now = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *now += Duration::from_millis(100);
        *now
    }

    fn timestamp(&self) -> String {
        "2026-01-01T00:00:00Z".into()
    }

    async fn sleep(&self, time: Duration) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += time;
    }
}
