//! Questions to whoever called: sent down the connection of the call, answered up the same one.

use async_trait::async_trait;
use handeye_scene::{Consent, Consented, Question};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Bytes of a line that may be an answer.
const ANSWER_MAX: usize = 1024;

/// A question as it goes over the wire, in a line of its own before the answer to the call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuestionLine {
    pub(crate) question: Numbered,
}

/// A question with its number, which its answer names.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Numbered {
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) question: Question,
}

/// An answer as it comes over the wire.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerLine {
    pub(crate) answer: Given,
}

/// What was answered to which question.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Given {
    pub(crate) id: u64,
    pub(crate) consent: bool,
}

/// A question that is open: its number, and where the answer goes.
type Open = (u64, oneshot::Sender<bool>);

/// The questions of one connection: one at a time, since its calls run one after another.
#[derive(Debug, Clone)]
pub(crate) struct Questions {
    lines: mpsc::Sender<QuestionLine>,
    open: Arc<Mutex<Option<Open>>>,
    last: Arc<AtomicU64>,
}

impl Questions {
    /// Of a new connection, and the lines to send to its client.
    pub(crate) fn new() -> (Self, mpsc::Receiver<QuestionLine>) {
        let (lines, sent) = mpsc::channel(1);
        (Self { lines, open: Arc::default(), last: Arc::default() }, sent)
    }

    /// Takes a line that answers a question, whether or not it is open any more; false of any other line.
    pub(crate) fn take(&self, line: &[u8]) -> bool {
        if line.len() > ANSWER_MAX {
            return false;
        }
        let Ok(AnswerLine { answer: Given { id, consent } }) = serde_json::from_slice(line) else { return false };
        let mut open = self.open();
        // A number counts once, and only while its question is open: an answer that comes late is nobody's.
        if let Some((_, reply)) = open.take_if(|(asked, _)| *asked == id) {
            let _ = reply.send(consent);
        }
        true
    }

    fn open(&self) -> MutexGuard<'_, Option<(u64, oneshot::Sender<bool>)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes an open question back, however its asking ends.
struct Asked<'a>(&'a Questions);

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.0.open().take();
    }
}

#[async_trait]
impl Consent for Questions {
    async fn ask(&self, question: &Question, limit: Duration) -> Consented {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (reply, answer) = oneshot::channel();
        *self.open() = Some((id, reply));
        let _asked = Asked(self);
        let line = QuestionLine { question: Numbered { id, question: question.clone() } };
        let answered = async {
            self.lines.send(line).await.ok()?;
            answer.await.ok()
        };
        match timeout(limit, answered).await {
            Ok(Some(true)) => Consented::Yes,
            Ok(Some(false)) => Consented::No,
            // The connection is gone, and its call with it.
            Ok(None) | Err(_) => Consented::Late,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(id: u64, consent: bool) -> Vec<u8> {
        serde_json::to_vec(&AnswerLine { answer: Given { id, consent } }).expect("it has string keys alone")
    }

    #[tokio::test]
    async fn a_question_is_answered_once_by_its_own_number_and_expires() {
        let (questions, mut lines) = Questions::new();
        let asked = Question { command: "click".into(), ..Question::default() };
        let limit = Duration::from_secs(20);
        for (consent, comes) in [(true, Consented::Yes), (false, Consented::No)] {
            let ask = questions.ask(&asked, limit);
            let reply = async {
                let line = lines.recv().await.expect("a question is asked");
                assert_eq!(line.question.question, asked);
                assert!(questions.take(&answer(line.question.id + 1, true)), "of another question");
                assert!(questions.take(&answer(line.question.id, consent)));
                assert!(questions.take(&answer(line.question.id, !consent)), "a second answer is taken, and nobody's");
            };
            assert_eq!(tokio::join!(ask, reply).0, comes);
        }
        assert_eq!(questions.ask(&asked, Duration::from_millis(20)).await, Consented::Late);
        let late = lines.recv().await.expect("it was asked").question.id;
        assert!(questions.take(&answer(late, true)), "what comes late is taken");
        let ask = questions.ask(&asked, Duration::from_millis(50));
        assert_eq!(ask.await, Consented::Late, "and answers no later question");
        for line in [&b"{\"command\":\"state\"}"[..], b"{\"answer\":{\"id\":1}}", b"{\"answer\":true}", b"", b"\xff"] {
            assert!(!questions.take(line));
        }
    }
}
