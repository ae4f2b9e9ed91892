//! A second session of a tab, beside the one that all else goes by.

use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::transport::{CallError, Connection, read};
use handeye_scene::Problem;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// What `Target.attachToTarget` answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entered {
    session_id: String,
}

/// A second session of a tab; it and all that was begun in it end when it is dropped.
pub(crate) struct SecondSession {
    connection: Connection,
    pub(crate) session: String,
    /// What the browser keeps for us to read. It would keep it as long as the tab has any session.
    pub(crate) stream: Option<String>,
}

impl Drop for SecondSession {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take() {
            self.connection.notify(Some(&self.session), "IO.close", json!({ "handle": stream }));
        }
        self.connection.notify(None, "Target.detachFromTarget", json!({ "sessionId": self.session }));
    }
}

/// Gets a second session of a tab.
pub(crate) async fn open(link: &Link, target: &str) -> Result<SecondSession, Problem> {
    let told = second(link, target);
    let (deadline, limit) = link.within(Instant::now() + CALL_LIMIT, CALL_LIMIT);
    let made = match tokio::time::timeout_at(deadline, told).await {
        Ok(Ok(made)) => made,
        Ok(Err(_)) => Err(CallError::Lost("the connection was closed".into())),
        Err(_) => return Err(link.mute(limit)),
    };
    made.map_err(|e| link.problem(e))
}

/// Asks for a second session of a tab. What becomes of it is settled when the answer comes, after the event that tells of the
/// session: whoever asked may have given up by then.
fn second(link: &Link, target: &str) -> oneshot::Receiver<Result<SecondSession, CallError>> {
    link.model().targets.second_session = Some(target.to_owned());
    let (tell, told) = oneshot::channel();
    let (shared, own) = (link.shared.clone(), link.connection.clone());
    let method = "Target.attachToTarget";
    link.connection.then(None, method, json!({ "targetId": target, "flatten": true }), move |reply| {
        shared.model().targets.second_session = None;
        let made = reply.and_then(|raw| read::<Entered>(method, &raw));
        // Where nobody waits for it any more it is dropped, and ends.
        let _ = tell.send(made.map(|made| SecondSession { connection: own, session: made.session_id, stream: None }));
    });
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cdp::outbox::{ToSend, outbox};
    use crate::cdp::wire::Wire;
    use crate::model::shared::Shared;
    use crate::protocol::json::parse;
    use crate::targets::events::Events;
    use crate::targets::sessions::Sessions;
    use serde_json::Value;
    use std::time::Duration;
    use tokio::sync::mpsc;

    type Batch = mpsc::Sender<Result<Vec<u8>, String>>;

    /// A browser of ours whose part the test takes; it has one tab, `TAB`.
    fn browser() -> (Sessions, Batch, ToSend) {
        let (outgoing, sent) = outbox();
        let (say, incoming) = mpsc::channel(10);
        let wire = Wire { outgoing, incoming, tasks: Vec::new() };
        let link = Link::new(Connection::new(&wire), Shared::new(true));
        link.connection.listen(wire, Events::new(&link));
        let ours = Sessions { link };
        ours.attached(parse(&comes("first").to_string()).unwrap());
        (ours, say, sent)
    }

    fn comes(session: &str) -> Value {
        let target = json!({ "targetId": "TAB", "type": "page", "title": "", "url": "" });
        json!({ "sessionId": session, "targetInfo": target, "waitingForDebugger": false })
    }

    /// What is sent next by this method.
    async fn next(sent: &mut ToSend, method: &str) -> Value {
        loop {
            let text = tokio::time::timeout(Duration::from_secs(5), sent.next()).await.unwrap().unwrap();
            let message: Value = parse(&text).unwrap();
            if message["method"] == method {
                return message;
            }
        }
    }

    /// Has the browser answer a request for a second session, as browsers do.
    async fn answer(say: &Batch, asked: &Value) {
        let event = json!({ "method": "Target.attachedToTarget", "params": comes("second") });
        let answer = json!({ "id": asked["id"], "result": { "sessionId": "second" } });
        for message in [event, answer] {
            say.send(Ok(message.to_string().into_bytes())).await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_second_session_lets_go_of_what_it_had_before_it_ends() {
        let (sessions, say, mut sent) = browser();
        let told = second(&sessions.link, "TAB");
        answer(&say, &next(&mut sent, "Target.attachToTarget").await).await;
        let mut besides = told.await.unwrap().unwrap();
        besides.stream = Some("7".into());
        drop(besides);
        let mut last = Vec::new();
        while let Some(text) = sent.now() {
            let message: Value = parse(&text).unwrap();
            last.push((message["method"].clone(), message["sessionId"].clone(), message["params"].clone()));
        }
        assert_eq!(
            last,
            [
                (json!("IO.close"), json!("second"), json!({ "handle": "7" })),
                (json!("Target.detachFromTarget"), Value::Null, json!({ "sessionId": "second" })),
            ]
        );
    }

    #[tokio::test]
    async fn a_second_session_that_nobody_waits_for_ends_and_is_not_taken_for_the_tabs() {
        let (sessions, say, mut sent) = browser();
        drop(second(&sessions.link, "TAB"));
        answer(&say, &next(&mut sent, "Target.attachToTarget").await).await;
        let ended = next(&mut sent, "Target.detachFromTarget").await;
        assert_eq!(ended["params"]["sessionId"], "second");
        let model = sessions.link.model();
        assert_eq!(model.targets.second_session, None);
        assert_eq!(model.pages.tabs.iter().map(|t| t.session.as_deref()).collect::<Vec<_>>(), [Some("first")]);
    }
}
