//! One connection to a browser: requests with ids and limits, answers, events.
//!
//! Events are handed to the one [`Handler`] in the reader's task, in the order of arrival: by the time a request's
//! answer is seen, every event that came before it has been applied.

use super::lent::wire::OUTSIDE;
use super::outbox::{NotTaken, Outbox};
use super::wire::Wire;
use crate::protocol::json::parse;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

/// Why a request has no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum CallError {
    /// The connection is gone.
    #[error("the browser is gone: {0}")]
    Lost(String),
    /// No answer in time.
    #[error("{method} was not answered within {:.1} s", limit.as_secs_f64())]
    Timeout {
        /// What was asked.
        method: &'static str,
        /// How long we waited.
        limit: Duration,
    },
    /// The browser answered with an error.
    #[error("{method} was refused: {message}")]
    Refused {
        /// What was asked.
        method: &'static str,
        /// Why not.
        message: String,
    },
    /// Nothing that may be asked of a tab that is lent.
    #[error("{method} is not among what may be asked of a tab that is lent")]
    Outside {
        /// What was asked.
        method: &'static str,
    },
    /// The answer isn't what the protocol says.
    #[error("the answer to {method} can't be read: {reason}")]
    Malformed {
        /// What was asked.
        method: &'static str,
        /// Why it can't.
        reason: String,
    },
}

/// What a browser answered.
pub(crate) type Reply = Result<Box<RawValue>, CallError>;

/// An event as it came.
pub(crate) struct Incoming<'a> {
    /// The flattened session it belongs to; none for the browser itself.
    pub(crate) session: Option<&'a str>,
    /// Its name.
    pub(crate) method: &'a str,
    /// Its parameters, unread.
    pub(crate) params: &'a str,
}

/// Takes events as they come.
pub(crate) trait Handler: Send {
    /// Applies one event. Must not block.
    fn event(&mut self, event: Incoming<'_>);
    /// The connection is gone.
    fn lost(&mut self, reason: &str);
}

enum Waiter {
    Once(&'static str, oneshot::Sender<Reply>),
    Inline(&'static str, Box<dyn FnOnce(Reply) + Send>),
}

struct Inner {
    outgoing: Mutex<Option<Outbox>>,
    next: AtomicU64,
    waiting: Mutex<Waiting>,
    tasks: Mutex<Vec<AbortHandle>>,
}

#[derive(Default)]
struct Waiting {
    by_id: HashMap<u64, Waiter>,
    lost: Option<String>,
}

/// A connection; clones share it.
#[derive(Clone)]
pub(crate) struct Connection {
    inner: Arc<Inner>,
}

#[derive(Serialize)]
struct Outgoing<'a, P> {
    id: u64,
    method: &'a str,
    params: P,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
}

#[derive(Deserialize)]
struct Message<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Refusal>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow, rename = "sessionId")]
    session: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
    #[serde(default)]
    data: Option<serde_json::Value>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connection {
    /// A connection over `wire`. Nothing is read before [`Connection::listen`].
    pub(crate) fn new(wire: &Wire) -> Self {
        Self {
            inner: Arc::new(Inner {
                outgoing: Mutex::new(Some(wire.outgoing.clone())),
                next: AtomicU64::new(1),
                waiting: Mutex::default(),
                tasks: Mutex::new(wire.tasks.iter().map(|t| t.abort_handle()).collect()),
            }),
        }
    }

    /// Starts to read: events go to `handler`.
    pub(crate) fn listen(&self, wire: Wire, mut handler: impl Handler + 'static) {
        let Wire { mut incoming, .. } = wire;
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            let reason = loop {
                match incoming.recv().await {
                    Some(Ok(bytes)) => receive(&inner, &bytes, &mut handler),
                    Some(Err(reason)) => break reason,
                    None => break "the connection was closed".to_owned(),
                }
            };
            if let Some(inner) = inner.upgrade() {
                let (reason, waiters) = {
                    let mut waiting = lock(&inner.waiting);
                    // Where we gave it up ourselves, why is known better.
                    let reason = waiting.lost.get_or_insert(reason).clone();
                    (reason, std::mem::take(&mut waiting.by_id))
                };
                handler.lost(&reason);
                for waiter in waiters.into_values() {
                    waiter.answer(Err(CallError::Lost(reason.clone())));
                }
            } else {
                handler.lost(&reason);
            }
        });
    }

    fn submit(&self, session: Option<&str>, method: &'static str, params: impl Serialize, waiter: Waiter) -> u64 {
        let id = self.inner.next.fetch_add(1, Ordering::Relaxed);
        let text = match serde_json::to_string(&Outgoing { id, method, params, session }) {
            Ok(text) => text,
            Err(error) => {
                waiter.answer(Err(CallError::Malformed { method, reason: error.to_string() }));
                return id;
            }
        };
        let lost = {
            let mut waiting = lock(&self.inner.waiting);
            match waiting.lost.clone() {
                Some(reason) => Some((reason, waiter)),
                None => {
                    waiting.by_id.insert(id, waiter);
                    None
                }
            }
        };
        if let Some((reason, waiter)) = lost {
            waiter.answer(Err(CallError::Lost(reason)));
            return id;
        }
        let taken = lock(&self.inner.outgoing).as_ref().map_or(Err(NotTaken::Closed), |out| out.put(text));
        if let Err(why) = taken {
            let waiter = lock(&self.inner.waiting).by_id.remove(&id);
            let reason = match why {
                NotTaken::Closed => "the connection was closed",
                NotTaken::Full => {
                    let reason = "the browser doesn't read what is sent to it";
                    lock(&self.inner.waiting).lost.get_or_insert(reason.to_owned());
                    self.close();
                    reason
                }
            };
            if let Some(waiter) = waiter {
                waiter.answer(Err(CallError::Lost(reason.into())));
            }
        }
        id
    }

    /// Sends a request now; the pending reply becomes it. Requests of one session arrive in the order of sending.
    pub(crate) fn send(&self, session: Option<&str>, method: &'static str, params: impl Serialize) -> PendingReply {
        let (tx, rx) = oneshot::channel();
        let id = self.submit(session, method, params, Waiter::Once(method, tx));
        PendingReply { id, method, rx, inner: Arc::downgrade(&self.inner) }
    }

    /// Sends a request whose answer nobody waits for.
    pub(crate) fn notify(&self, session: Option<&str>, method: &'static str, params: impl Serialize) {
        self.submit(session, method, params, Waiter::Inline(method, Box::new(|_| {})));
    }

    /// Sends a request; `then` runs in the reader's task when the answer comes, in order with events.
    pub(crate) fn then(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: impl Serialize,
        then: impl FnOnce(Reply) + Send + 'static,
    ) {
        self.submit(session, method, params, Waiter::Inline(method, Box::new(then)));
    }

    /// Sends a request and waits for its answer, at most `limit`.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: impl Serialize,
        limit: Duration,
    ) -> Result<T, CallError> {
        let pending = self.send(session, method, params);
        match tokio::time::timeout(limit, pending).await {
            Ok(reply) => read(method, &reply?),
            Err(_) => Err(CallError::Timeout { method, limit }),
        }
    }

    /// Takes a message as if the browser had sent it.
    #[cfg(test)]
    pub(crate) fn feed(&self, bytes: &[u8], handler: &mut impl Handler) {
        receive(&Arc::downgrade(&self.inner), bytes, handler);
    }

    /// Ends the connection; every waiter is told.
    pub(crate) fn close(&self) {
        lock(&self.inner.outgoing).take();
        for task in lock(&self.inner.tasks).drain(..) {
            task.abort();
        }
    }
}

/// Reads an answer as the type it should be.
pub(crate) fn read<T: DeserializeOwned>(method: &'static str, raw: &RawValue) -> Result<T, CallError> {
    parse(raw.get()).map_err(|e| CallError::Malformed { method, reason: e.to_string() })
}

fn receive(inner: &Weak<Inner>, bytes: &[u8], handler: &mut impl Handler) {
    // What isn't a message of the protocol is passed over: one bad message mustn't end a session.
    let lossy;
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => {
            lossy = String::from_utf8_lossy(bytes);
            &lossy
        }
    };
    let Ok(message) = serde_json::from_str::<Message<'_>>(text) else { return };
    if let Some(id) = message.id {
        let Some(inner) = inner.upgrade() else { return };
        let waiter = lock(&inner.waiting).by_id.remove(&id);
        let Some(waiter) = waiter else { return };
        let method = waiter.method();
        let reply = match (message.error, message.result) {
            (Some(Refusal { code: OUTSIDE, .. }), _) => Err(CallError::Outside { method }),
            (Some(refusal), _) => {
                let message = match refusal.data.as_ref().and_then(|d| d.as_str()) {
                    Some(data) => format!("{} ({data})", refusal.message),
                    None => refusal.message,
                };
                Err(CallError::Refused { method, message })
            }
            (None, Some(result)) => Ok(result.to_owned()),
            (None, None) => Err(CallError::Malformed { method, reason: "it has neither result nor error".into() }),
        };
        waiter.answer(reply);
    } else if let Some(method) = message.method {
        let params = message.params.map_or("{}", RawValue::get);
        handler.event(Incoming { session: message.session.as_deref(), method: &method, params });
    }
}

impl Waiter {
    fn method(&self) -> &'static str {
        match self {
            Waiter::Once(method, _) | Waiter::Inline(method, _) => method,
        }
    }

    fn answer(self, reply: Reply) {
        match self {
            Waiter::Once(_, tx) => drop(tx.send(reply)),
            Waiter::Inline(_, then) => then(reply),
        }
    }
}

/// An answer to come. Dropped, the answer is passed over when it comes.
pub(crate) struct PendingReply {
    id: u64,
    /// What was asked.
    pub(crate) method: &'static str,
    rx: oneshot::Receiver<Reply>,
    inner: Weak<Inner>,
}

impl Future for PendingReply {
    type Output = Reply;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Reply> {
        match Pin::new(&mut self.rx).poll(cx) {
            Poll::Ready(Ok(reply)) => Poll::Ready(reply),
            Poll::Ready(Err(_)) => Poll::Ready(Err(CallError::Lost("the connection was closed".into()))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for PendingReply {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.upgrade() {
            lock(&inner.waiting).by_id.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::outbox::outbox;
    use super::*;

    struct Losses(Arc<Mutex<Vec<String>>>);

    impl Handler for Losses {
        fn event(&mut self, _: Incoming<'_>) {}
        fn lost(&mut self, reason: &str) {
            lock(&self.0).push(reason.to_owned());
        }
    }

    #[tokio::test]
    async fn a_browser_that_reads_nothing_is_given_up() {
        let (outgoing, _unread) = outbox();
        let (end, incoming) = tokio::sync::mpsc::channel::<Result<Vec<u8>, String>>(1);
        // Ends with the wire, as the task that reads does.
        let reader = tokio::spawn(async move {
            let _end = end;
            std::future::pending::<()>().await;
        });
        let wire = Wire { outgoing, incoming, tasks: vec![reader] };
        let connection = Connection::new(&wire);
        let losses = Arc::<Mutex<Vec<String>>>::default();
        connection.listen(wire, Losses(losses.clone()));
        let mebibyte = "x".repeat(1 << 20);
        let mut first = connection.send(None, "A.b", &mebibyte);
        for _ in 0..80 {
            connection.notify(None, "A.b", &mebibyte);
        }
        let told = tokio::time::timeout(Duration::from_secs(10), &mut first).await.unwrap();
        assert!(matches!(told, Err(CallError::Lost(reason)) if reason.contains("doesn't read")));
        assert!(lock(&losses)[0].contains("doesn't read"));
        assert!(matches!(connection.send(None, "A.b", 1).await, Err(CallError::Lost(_))));
    }

    #[test]
    fn what_is_sent_makes_room_and_one_large_message_alone_is_taken() {
        let (outbox, mut to_send) = outbox();
        assert_eq!(outbox.put("x".repeat(65 << 20)), Ok(()));
        assert_eq!(outbox.put("next".into()), Err(NotTaken::Full));
        assert!(to_send.now().is_some());
        assert_eq!(outbox.put("next".into()), Ok(()));
        drop(to_send);
        assert_eq!(outbox.put("later".into()), Err(NotTaken::Closed));
    }

    #[test]
    fn half_characters_are_mended() {
        let check = |text: &str, want: &str| assert_eq!(parse::<String>(text).unwrap(), want, "{text}");
        check(r#""a\ud800b""#, "a\u{fffd}b");
        check(r#""\ud83d\ude00 \udc00""#, "😀 \u{fffd}");
        check(r#""\\ud800""#, "\\ud800");
        assert!(parse::<String>("nonsense").is_err());
    }
}
