//! Who watches a session: what it does as it happens, the questions that are open, and the hold that a person puts on it.

use async_trait::async_trait;
use handeye_commands::{Response, Status};
use handeye_scene::{Code, Consent, Consented, Problem, Question, Rect};
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout};

/// How many events are kept.
const KEPT: usize = 200;
/// Characters of an answer's text that are kept.
const TEXT: usize = 4_000;
/// Marks of a state, at most.
const MARKS: usize = 400;
/// How long somebody watches who has asked once: longer than they wait between two times.
const PRESENT: Duration = Duration::from_secs(20);

/// Something that a session did.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Event {
    /// Its number, from 1.
    seq: u64,
    /// When, in milliseconds since 1970.
    time: u64,
    #[serde(flatten)]
    what: What,
}

/// What it did.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum What {
    /// A call has begun.
    Begun { command: String },
    /// A call is over.
    Ended(Box<Ended>),
    /// The policy asks a person.
    Asked { id: u64, question: Question },
    /// A question is answered, or isn't open any more; `by` says who answered.
    Answered { id: u64, consent: Option<bool>, by: &'static str },
    /// A person holds the session, or lets it go on.
    Held { held: bool },
}

/// How a call ended.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Ended {
    command: String,
    status: Option<Status>,
    /// Milliseconds that it took.
    took: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    text: String,
    /// Targets that it showed, with their places on the surface.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<Mark>,
    /// What was acted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Mark>,
}

/// A target with its place.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Mark {
    r#ref: u64,
    role: String,
    rect: Rect,
}

#[derive(Default)]
struct Board {
    events: VecDeque<Event>,
    last: u64,
    open: Option<(u64, oneshot::Sender<bool>)>,
    asked: u64,
    seen: Option<Instant>,
}

/// What watchers of one session share.
#[derive(Clone)]
pub(crate) struct Watchers {
    board: Arc<Mutex<Board>>,
    last: watch::Sender<u64>,
    held: watch::Sender<bool>,
}

impl Default for Watchers {
    fn default() -> Self {
        Self { board: Arc::default(), last: watch::Sender::new(0), held: watch::Sender::new(false) }
    }
}

impl Watchers {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, what: What) {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut board = self.board();
        board.last += 1;
        let seq = board.last;
        if board.events.len() == KEPT {
            board.events.pop_front();
        }
        board.events.push_back(Event { seq, time: u64::try_from(time.as_millis()).unwrap_or_default(), what });
        drop(board);
        self.last.send_replace(seq);
    }

    pub(crate) fn begun(&self, command: &str) {
        self.note(What::Begun { command: command.to_owned() });
    }

    /// A call is over; without a response it was given up.
    pub(crate) fn ended(&self, command: &str, took: Duration, response: Option<&Response>) {
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let told = response.map(read).unwrap_or_else(|| Ended { text: "given up".into(), ..Ended::default() });
        self.note(What::Ended(Box::new(Ended { command: command.to_owned(), took, ..told })));
    }

    /// What happened after an event, and whether the session is held; waits for something up to a limit.
    pub(crate) async fn since(&self, seq: u64, limit: Duration) -> Value {
        self.board().seen = Some(Instant::now());
        let mut last = self.last.subscribe();
        let _ = timeout(limit, last.wait_for(|last| *last != seq)).await;
        let mut board = self.board();
        board.seen = Some(Instant::now());
        let open = board.open.as_ref().map(|(id, _)| *id);
        // A number that isn't known is one of a session before.
        let from = if seq > board.last { 0 } else { seq };
        let events: Vec<&Event> = board.events.iter().filter(|event| event.seq > from).collect();
        serde_json::json!({ "last": board.last, "events": events, "open": open, "held": *self.held.borrow() })
    }

    fn is_watched(&self) -> bool {
        self.board().seen.is_some_and(|seen| seen.elapsed() < PRESENT)
    }

    /// Answers the question that is open; false where it isn't any more.
    pub(crate) fn answer(&self, id: u64, consent: bool) -> bool {
        let open = self.board().open.take_if(|(open, _)| *open == id);
        open.is_some_and(|(_, reply)| reply.send(consent).is_ok())
    }

    /// Holds the session, or lets it go on.
    pub(crate) fn hold(&self, held: bool) {
        let changed = self.held.send_if_modified(|was| std::mem::replace(was, held) != held);
        if changed {
            self.note(What::Held { held });
        }
    }

    /// Whether it is held.
    pub(crate) fn holds(&self) -> watch::Receiver<bool> {
        self.held.subscribe()
    }

    /// Whoever can be asked: the caller's person, those who watch, or both, of whom the first answer counts.
    pub(crate) fn consent(&self, of_caller: Option<Arc<dyn Consent>>) -> Option<Arc<dyn Consent>> {
        if of_caller.is_none() && !self.is_watched() {
            return None;
        }
        Some(Arc::new(Either { watchers: self.clone(), of_caller }))
    }
}

/// Asks the caller's person and those who watch.
struct Either {
    watchers: Watchers,
    of_caller: Option<Arc<dyn Consent>>,
}

/// Takes an open question back, however its asking ends.
struct Open<'a> {
    watchers: &'a Watchers,
    id: u64,
    told: Option<(bool, &'static str)>,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.watchers.board().open.take_if(|(open, _)| *open == self.id);
        let (consent, by) = self.told.map_or((None, "nobody"), |(consent, by)| (Some(consent), by));
        self.watchers.note(What::Answered { id: self.id, consent, by });
    }
}

#[async_trait]
impl Consent for Either {
    async fn ask(&self, question: &Question, limit: Duration) -> Consented {
        let (reply, answer) = oneshot::channel();
        let id = {
            let mut board = self.watchers.board();
            board.asked += 1;
            let id = board.asked;
            board.open = Some((id, reply));
            id
        };
        let mut open = Open { watchers: &self.watchers, id, told: None };
        self.watchers.note(What::Asked { id, question: question.clone() });
        let caller = async {
            match &self.of_caller {
                Some(caller) => caller.ask(question, limit).await,
                None => std::future::pending().await,
            }
        };
        let watching = async {
            match answer.await {
                Ok(consent) => consent,
                Err(_) => std::future::pending().await,
            }
        };
        let told = timeout(limit, async {
            tokio::select! {
                consented = caller => (consented, "caller"),
                consent = watching => (if consent { Consented::Yes } else { Consented::No }, "watcher"),
            }
        });
        let (consented, by) = told.await.unwrap_or((Consented::Late, "nobody"));
        open.told = match consented {
            Consented::Yes => Some((true, by)),
            Consented::No => Some((false, by)),
            Consented::Late | Consented::Kept => None,
        };
        consented
    }
}

/// What is kept of an answer, which holds no secret.
fn read(response: &Response) -> Ended {
    let text = match (&response.error, &response.text) {
        (Some(problem), _) => problem.to_string(),
        (None, Some(text)) => text.clone(),
        (None, None) => String::new(),
    };
    let result = response.result.as_ref();
    let verdict = result.and_then(|result| result.get("verdict")?.as_str()).map(str::to_owned);
    let targets = [result, response.state.as_ref()].into_iter().flatten().find_map(|of| of.get("targets")?.as_array());
    let marks = targets.into_iter().flatten().take(MARKS).filter_map(mark).collect();
    Ended {
        status: Some(response.status),
        verdict,
        text: text.chars().take(TEXT).collect(),
        marks,
        target: result.and_then(|result| mark(result.get("target")?)),
        ..Ended::default()
    }
}

fn mark(target: &Value) -> Option<Mark> {
    let role = target.get("role")?.as_str()?.to_owned();
    let rect = serde_json::from_value(target.get("rect")?.clone()).ok()?;
    Some(Mark { r#ref: target.get("ref")?.as_u64()?, role, rect })
}

/// Why a call isn't carried out while a person holds the session.
pub(crate) fn held(command: &str) -> Problem {
    let text = format!("a person who watches has stopped the session: `{command}` wasn't carried out to its end");
    Problem::new(Code::Denied, text).hint("handeye view")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(told: &Value) -> Vec<String> {
        let all = told["events"].as_array().unwrap().iter();
        all.map(|event| event["kind"].as_str().unwrap().to_owned()).collect()
    }

    #[tokio::test]
    async fn events_come_in_order_and_no_more_than_are_kept() {
        let watchers = Watchers::default();
        assert_eq!(watchers.since(0, Duration::from_millis(10)).await["last"], 0);
        let waiting = watchers.since(0, Duration::from_secs(20));
        let (told, ()) = tokio::join!(waiting, async { watchers.begun("click") });
        assert_eq!((kinds(&told), &told["last"]), (vec!["begun".to_owned()], &1.into()));
        for _ in 0..KEPT {
            watchers.ended("click", Duration::ZERO, None);
        }
        let told = watchers.since(0, Duration::ZERO).await;
        assert_eq!(told["events"].as_array().unwrap().len(), KEPT);
        assert_eq!(told["events"][0]["seq"], 2);
        // Of a session before.
        assert_eq!(watchers.since(5_000, Duration::ZERO).await["events"].as_array().unwrap().len(), KEPT);
        assert_eq!(kinds(&watchers.since(201, Duration::from_millis(10)).await), [""; 0]);
    }

    #[tokio::test]
    async fn who_watches_answers_once_and_nobody_else_does() {
        let watchers = Watchers::default();
        assert!(watchers.consent(None).is_none(), "nobody is there to be asked");
        watchers.since(0, Duration::ZERO).await;
        let consent = watchers.consent(None).expect("somebody watches");
        for wanted in [true, false] {
            let question = Question { command: "click".into(), ..Question::default() };
            let ask = consent.ask(&question, Duration::from_secs(20));
            let reply = async {
                let told = loop {
                    let told = watchers.since(0, Duration::from_millis(20)).await;
                    if !told["open"].is_null() {
                        break told;
                    }
                };
                let id = told["open"].as_u64().unwrap();
                assert!(!watchers.answer(id + 1, true), "of another question");
                assert!(watchers.answer(id, wanted));
                assert!(!watchers.answer(id, !wanted), "it is answered");
            };
            let (consented, ()) = tokio::join!(ask, reply);
            assert_eq!(consented, if wanted { Consented::Yes } else { Consented::No });
        }
        let late = consent.ask(&Question::default(), Duration::from_millis(20)).await;
        assert_eq!(late, Consented::Late);
        assert!(watchers.since(0, Duration::ZERO).await["open"].is_null());
    }

    #[test]
    fn a_hold_is_told_once() {
        let watchers = Watchers::default();
        for held in [true, true, false] {
            watchers.hold(held);
        }
        assert_eq!(watchers.board().events.len(), 2);
    }
}
