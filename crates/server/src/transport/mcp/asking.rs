//! Questions of the policy: from the thread that carries a call out to the person behind the client, and the answer back.

use super::port::Asks;
use handeye_commands::core::question::told;
use handeye_scene::Question;
use rmcp::model::{
    ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequests, InputResponses,
};
use rmcp::{Peer, RoleServer, ServiceError};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, channel as queue};

/// What a person ticks to agree.
const ALLOW: &str = "allow";
/// The name of the one question in an answer that asks for input.
const CONSENT: &str = "consent";
/// How many questions may wait to be put: each call waits for the answer to its own, so more than one was given up.
const WAITING: usize = 8;
/// How often a call that waits for a person asks whether it was cancelled.
const TICK: Duration = Duration::from_millis(100);

/// A question that was put, and where its answer goes.
pub(super) struct Put {
    question: Question,
    reply: SyncSender<Option<bool>>,
}

/// Whom a call asks, and the questions that come of it. A call that is cancelled waits for no answer.
pub(super) fn channel(cancelled: Arc<dyn Fn() -> bool + Send + Sync>) -> (Asks, Receiver<Put>) {
    let (put, puts) = queue(WAITING);
    let asks = move |question: &Question| {
        let (reply, answer) = sync_channel(1);
        if put.try_send(Put { question: question.clone(), reply }).is_err() {
            return Some(false);
        }
        let end = Instant::now() + limit(question);
        while Instant::now() < end && !cancelled() {
            match answer.recv_timeout(TICK) {
                Ok(agreed) => return agreed,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Some(false),
            }
        }
        None
    };
    (Arc::new(asks), puts)
}

impl Put {
    /// Puts the question to the client by a request of the server, and passes the answer on.
    pub(super) async fn elicit(self, peer: Peer<RoleServer>) {
        let limit = limit(&self.question);
        let answered = peer.create_elicitation_with_timeout(form(&self.question), Some(limit)).await;
        self.answer(match answered {
            Err(ServiceError::Timeout { .. }) => None,
            answered => Some(answered.is_ok_and(|answer| agrees(&answer))),
        });
    }

    /// The question as a part of an answer that asks for input, where servers may make no requests.
    pub(super) fn input(&self) -> InputRequests {
        let request = ElicitRequest::new(form(&self.question));
        BTreeMap::from([(CONSENT.to_owned(), InputRequest::Elicitation(request))])
    }

    /// Passes on what came back for [`Put::input`]; what is no clear consent is none.
    pub(super) fn take(self, mut responses: InputResponses) {
        let answer = responses.remove(CONSENT).and_then(|value| serde_json::from_value::<ElicitResult>(value).ok());
        self.answer(Some(answer.is_some_and(|answer| agrees(&answer))));
    }

    fn answer(self, agreed: Option<bool>) {
        // Nobody waits for it once the limit has passed.
        let _ = self.reply.send(agreed);
    }
}

/// Whether a client can put a form to a person. One that says neither how takes forms.
pub(super) fn can_ask(client: Option<ClientCapabilities>) -> bool {
    let ways = client.and_then(|can| can.elicitation);
    ways.is_some_and(|ways| ways.form.is_some() || ways.url.is_none())
}

/// A form with one box to tick, so that a client that accepts what it is shown agrees to nothing.
fn form(question: &Question) -> ElicitRequestParams {
    let schema = ElicitationSchema::builder()
        .required_bool_with(ALLOW, |allow| allow.title("Allow it").description("Whether this may be done, this once"));
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: told(question).join("\n"),
        requested_schema: schema.build_unchecked(),
    }
}

fn agrees(answer: &ElicitResult) -> bool {
    let ticked = answer.content.as_ref().and_then(|content| content.get(ALLOW)?.as_bool());
    answer.action == ElicitationAction::Accept && ticked == Some(true)
}

fn limit(question: &Question) -> Duration {
    Duration::try_from_secs_f64(question.limit).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn only_a_ticked_form_is_consent() {
        let answered = |value: Value| serde_json::from_value::<ElicitResult>(value).is_ok_and(|answer| agrees(&answer));
        assert!(answered(json!({"action": "accept", "content": {"allow": true}})));
        for other in [
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {}}),
            json!({"action": "accept", "content": {"allow": false}}),
            json!({"action": "accept", "content": {"allow": "true"}}),
            json!({"action": "decline", "content": {"allow": true}}),
            json!({"action": "cancel"}),
            json!({"action": "yes"}),
            json!(true),
        ] {
            assert!(!answered(other.clone()), "{other}");
        }
    }

    #[test]
    fn a_cancelled_call_waits_for_nobody() {
        let cancelled = Arc::new(AtomicBool::new(false));
        let flag = cancelled.clone();
        let (asks, mut puts) = channel(Arc::new(move || flag.load(Ordering::Relaxed)));
        let question = Question { limit: 60.0, ..Question::default() };
        let begun = Instant::now();
        let waits = std::thread::spawn(move || asks(&question));
        let put = puts.blocking_recv();
        assert!(put.is_some());
        cancelled.store(true, Ordering::Relaxed);
        assert_eq!(waits.join().expect("it ends"), None);
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
