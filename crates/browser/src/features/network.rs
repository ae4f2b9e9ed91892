//! Requests of every tab, for who asks; and what becomes of those that rules are for.

use super::intercept;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::transport::CallError;
use crate::protocol::BodyReply;
use async_trait::async_trait;
use base64::Engine as _;
use handeye_scene::model::activity::{Matches, Wanted};
use handeye_scene::{Batch, Body, Code, Look, NetworkRequest, Problem, Rule, Traffic};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// The requests of every tab.
pub(crate) struct Requests {
    pub(crate) link: Link,
}

#[async_trait]
impl Traffic for Requests {
    fn exchanges(&mut self, look: Look, wanted: Wanted<NetworkRequest>) -> Batch<NetworkRequest> {
        let mut model = self.link.model();
        let log = &mut model.network.log;
        let mut items = Vec::new();
        for entry in log.all.iter_mut() {
            if (look != Look::New || !entry.given) && wanted(&entry.exchange) {
                entry.given |= look != Look::Kept;
                items.push(entry.exchange.clone());
            }
        }
        let forgotten = match look {
            Look::New => std::mem::take(&mut log.lost),
            Look::All | Look::Kept => log.all.first(),
        };
        Batch { items, forgotten }
    }

    async fn body(&mut self, number: u64) -> Result<Body, Problem> {
        let gone = |why: &str| {
            Problem::new(Code::NotFound, format!("the body of request {number} can't be had: {why}"))
                .hint("handeye network list --all")
        };
        let (session, id, done) = {
            let model = self.link.model();
            let entry = number.checked_sub(1).and_then(|n| model.network.log.all.get(n));
            let entry = entry.ok_or_else(|| gone("there is no such request, or it is forgotten"))?;
            if !model.pages.sessions.contains_key(&entry.session) {
                return Err(gone("its tab is closed"));
            }
            (entry.session.clone(), entry.id.clone(), entry.done)
        };
        if !done {
            return Err(gone("it isn't complete"));
        }
        let reply = self.link.connection.call::<BodyReply>(
            Some(&session),
            "Network.getResponseBody",
            json!({ "requestId": id }),
            CALL_LIMIT,
        );
        let reply = reply.await.map_err(|e| match e {
            CallError::Refused { .. } => {
                gone("the browser has let it go: the page went elsewhere, it was larger than 5 MB, or it has none")
            }
            other => self.link.problem(other),
        })?;
        let bytes = match reply.base64_encoded {
            true => base64::engine::general_purpose::STANDARD
                .decode(&reply.body)
                .map_err(|e| Problem::new(Code::Bug, format!("the body can't be read: {e}")))?,
            false => reply.body.into_bytes(),
        };
        Ok(Body { bytes, text: !reply.base64_encoded })
    }

    async fn answered(&mut self, matches: &Matches, limit: Duration) -> Result<Option<NetworkRequest>, Problem> {
        let answered = self.link.shared.wait_until(Instant::now() + limit, || {
            let found = {
                let model = self.link.model();
                let mut since = model.network.log.all.since(model.network.log.mark).map(|(_, f)| &f.exchange);
                since.find(|e| (e.status.is_some() || e.failure.is_some()) && matches(&e.url)).cloned()
            };
            if found.is_none() {
                self.link.check_page()?;
            }
            Ok(found)
        });
        answered.await
    }

    fn rules(&self) -> Vec<Rule> {
        self.link.model().network.intercept.rules.clone()
    }

    async fn set_rules(&mut self, rules: Vec<Rule>) -> Result<(), Problem> {
        self.link.model().network.intercept.rules = rules;
        intercept::apply(&self.link).await
    }
}
