//! The sessions of clients that shake hands over HTTP: how many there are, when one is over, and which of their calls nobody
//! waits for any more. Later versions of the protocol have no sessions.

use futures_util::Stream;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, LocalSessionManagerError};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, interval, timeout};

/// How many, how long, how soon.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Sessions at once.
    sessions: usize,
    /// How long a session may be silent that nobody listens to.
    idle: Duration,
    /// How long a call goes on whose client has hung up: it may come back for the answer.
    lost: Duration,
    /// How often these are looked at.
    look: Duration,
}

const LIMITS: Limits = Limits {
    sessions: 32,
    idle: Duration::from_secs(60 * 60),
    lost: Duration::from_secs(10),
    look: Duration::from_secs(1),
};
/// How long a session may take to be told that it is over, or that a call is cancelled; one that doesn't listen is let go.
const TELL: Duration = Duration::from_secs(5);

/// Every session.
pub(super) struct Sessions {
    inner: LocalSessionManager,
    uses: Arc<Mutex<Uses>>,
    limits: Limits,
}

type Uses = HashMap<SessionId, Use>;

/// What is known of one.
#[derive(Debug)]
struct Use {
    /// When anything last came or ended.
    last: Instant,
    /// Open streams of answers.
    streams: usize,
    /// Calls whose client has hung up.
    left: Vec<(Call, Instant)>,
}

/// A call, and the mark that events of its stream bear: what comes after `/` in their numbers.
#[derive(Debug, Clone)]
struct Call {
    id: RequestId,
    mark: Option<String>,
}

/// Why there is no such session, or none more.
#[derive(Debug)]
pub(super) enum Refused {
    Full(usize),
    Of(LocalSessionManagerError),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Full(limit) => write!(f, "there are {limit} sessions already, each with a client that listens"),
            Self::Of(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for Refused {}

impl From<LocalSessionManagerError> for Refused {
    fn from(e: LocalSessionManagerError) -> Self {
        Self::Of(e)
    }
}

impl Default for Sessions {
    fn default() -> Self {
        Self::new(LIMITS)
    }
}

impl Sessions {
    fn new(limits: Limits) -> Self {
        let mut inner = LocalSessionManager::default();
        // A session is silent during a long call too; when it is over is decided here.
        inner.session_config.keep_alive = None;
        Self { inner, uses: Arc::default(), limits }
    }

    /// Ends sessions and cancels calls as their limits pass; never ends itself.
    pub(super) async fn watch(&self) {
        let mut ticks = interval(self.limits.look);
        loop {
            ticks.tick().await;
            let due = due(&mut held(&self.uses), Instant::now(), self.limits);
            for (session, call) in due.lost {
                let param = CancelledNotificationParam::new(Some(call), Some("its client has hung up".to_owned()));
                let told = ClientNotification::CancelledNotification(CancelledNotification::new(param));
                let told = ClientJsonRpcMessage::notification(told);
                let _ = timeout(TELL, self.inner.accept_message(&session, told)).await;
            }
            for session in due.idle {
                self.end(&session).await;
            }
        }
    }

    async fn end(&self, id: &SessionId) {
        // What it still holds ends with its connections.
        let _ = timeout(TELL, self.close_session(id)).await;
    }

    /// Notes that something came.
    fn used(&self, id: &SessionId) {
        if let Some(of) = held(&self.uses).get_mut(id) {
            of.last = Instant::now();
        }
    }

    fn told<S>(&self, id: &SessionId, stream: S, call: Option<Call>) -> Told
    where
        S: Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    {
        if let Some(of) = held(&self.uses).get_mut(id) {
            of.last = Instant::now();
            of.streams += 1;
        }
        Told { stream: Box::pin(stream), session: id.clone(), call, uses: self.uses.clone() }
    }
}

/// What is over.
#[derive(Debug, Default)]
struct Due {
    /// Calls that nobody came back to.
    lost: Vec<(SessionId, RequestId)>,
    /// Sessions that nobody uses.
    idle: Vec<SessionId>,
}

fn due(uses: &mut Uses, now: Instant, limits: Limits) -> Due {
    let mut due = Due::default();
    for (session, of) in uses {
        of.left.retain(|(call, since)| {
            let goes_on = now.duration_since(*since) < limits.lost;
            if !goes_on {
                due.lost.push((session.clone(), call.id.clone()));
            }
            goes_on
        });
        if of.streams == 0 && now.duration_since(of.last) >= limits.idle {
            due.idle.push(session.clone());
        }
    }
    due
}

/// The session that makes room for another: of those that nobody listens to, the one that was silent for longest.
fn spare(uses: &Uses) -> Option<SessionId> {
    let silent = uses.iter().filter(|(_, of)| of.streams == 0);
    silent.min_by_key(|(_, of)| of.last).map(|(session, _)| session.clone())
}

fn held(uses: &Mutex<Uses>) -> MutexGuard<'_, Uses> {
    uses.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SessionManager for Sessions {
    type Error = Refused;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Refused> {
        let spare = {
            let uses = held(&self.uses);
            if uses.len() < self.limits.sessions {
                None
            } else {
                Some(spare(&uses).ok_or(Refused::Full(self.limits.sessions))?)
            }
        };
        if let Some(spare) = spare {
            self.end(&spare).await;
        }
        let (id, transport) = self.inner.create_session().await?;
        held(&self.uses).insert(id.clone(), Use { last: Instant::now(), streams: 0, left: Vec::new() });
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Refused> {
        Ok(self.inner.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Refused> {
        Ok(self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Refused> {
        held(&self.uses).remove(id);
        Ok(self.inner.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Refused> {
        let call = match &message {
            ClientJsonRpcMessage::Request(request) => Some(Call { id: request.id.clone(), mark: None }),
            _ => None,
        };
        let stream = self.inner.create_stream(id, message).await?;
        Ok(self.told(id, stream, call))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Refused> {
        self.used(id);
        Ok(self.inner.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Refused> {
        let stream = self.inner.create_standalone_stream(id).await?;
        Ok(self.told(id, stream, None))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Refused> {
        let stream = self.inner.resume(id, last_event_id.clone()).await?;
        let call = held(&self.uses).get_mut(id).and_then(|of| back(of, mark(&last_event_id)?));
        Ok(self.told(id, stream, call))
    }
}

/// The call whose client came back for its answer.
fn back(of: &mut Use, mark: &str) -> Option<Call> {
    let at = of.left.iter().position(|(call, _)| call.mark.as_deref() == Some(mark))?;
    Some(of.left.swap_remove(at).0)
}

/// The mark of a stream in the number of one of its events.
fn mark(event: &str) -> Option<&str> {
    event.split_once('/').map(|(_, mark)| mark)
}

/// A stream of answers. Where it is dropped before its end, its client has hung up.
struct Told {
    stream: Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>,
    session: SessionId,
    /// None once it has been answered.
    call: Option<Call>,
    uses: Arc<Mutex<Uses>>,
}

impl Stream for Told {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        let next = ready!(self.stream.as_mut().poll_next(context));
        match (&next, &mut self.call) {
            (None, call) => *call = None,
            (Some(message), Some(call)) => {
                let marked = message.event_id.as_deref().and_then(mark).map(str::to_owned);
                call.mark = marked.or(call.mark.take());
            }
            (Some(_), None) => {}
        }
        Poll::Ready(next)
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        if let Some(of) = held(&self.uses).get_mut(&self.session) {
            let now = Instant::now();
            of.last = now;
            of.streams = of.streams.saturating_sub(1);
            of.left.extend(self.call.take().map(|call| (call, now)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn unused(last: Instant) -> Use {
        Use { last, streams: 0, left: Vec::new() }
    }

    #[test]
    fn a_call_is_lost_when_nobody_comes_back_for_its_answer() {
        let begun = Instant::now();
        let call = |id, mark: &str| (Call { id: RequestId::Number(id), mark: Some(mark.to_owned()) }, begun);
        let mut of = Use { streams: 1, left: vec![call(5, "0"), call(6, "1")], ..unused(begun) };
        assert_eq!(back(&mut of, "0").map(|call| call.id), Some(RequestId::Number(5)));
        assert!(back(&mut of, "0").is_none() && back(&mut of, "7").is_none());
        let mut uses = Uses::from([("a".into(), of)]);
        let early = due(&mut uses, begun + LIMITS.lost - SECOND, LIMITS);
        assert!(early.lost.is_empty() && early.idle.is_empty(), "{early:?}");
        let late = due(&mut uses, begun + LIMITS.lost, LIMITS);
        assert_eq!(late.lost, [("a".into(), RequestId::Number(6))]);
        assert!(due(&mut uses, begun + LIMITS.lost, LIMITS).lost.is_empty(), "it is told of once");
    }

    #[test]
    fn a_session_is_over_when_it_is_silent_and_nobody_listens() {
        let begun = Instant::now();
        let listening = Use { streams: 1, ..unused(begun) };
        let mut uses = Uses::from([
            ("heard".into(), unused(begun + 2 * SECOND)),
            ("silent".into(), unused(begun)),
            ("listening".into(), listening),
        ]);
        assert_eq!(due(&mut uses, begun + LIMITS.idle, LIMITS).idle, ["silent".into()]);
        assert_eq!(spare(&uses), Some("silent".into()));
        uses.retain(|_, of| of.streams > 0);
        assert_eq!(spare(&uses), None);
    }

    #[tokio::test]
    async fn there_is_room_for_so_many_and_an_unused_one_makes_room() {
        let sessions = Sessions::new(Limits { sessions: 2, ..LIMITS });
        let (first, _a) = sessions.create_session().await.expect("there is room");
        let (second, _b) = sessions.create_session().await.expect("there is room");
        let listens = sessions.told(&first, futures_util::stream::pending(), None);
        let (third, _c) = sessions.create_session().await.expect("the second makes room");
        assert!(!sessions.has_session(&second).await.expect("it is known"));
        assert!(sessions.has_session(&first).await.expect("it is known"));
        let also = sessions.told(&third, futures_util::stream::pending(), None);
        let refused = sessions.create_session().await.err().expect("each has a client");
        assert_eq!(refused.to_string(), "there are 2 sessions already, each with a client that listens");
        drop((listens, also));
        assert!(sessions.create_session().await.is_ok());
    }
}
