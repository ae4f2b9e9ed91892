//! A hidden tab that shows an empty page of any origin, for what only a page of that origin may touch.
//!
//! No request of it reaches the network: each is answered here with an empty page.

use crate::protocol::Evaluated;
use crate::surface::{Browser, CALL_LIMIT};
use crate::transport::parse;
use crate::world::Aside;
use base64::Engine as _;
use handeye_scene::{Code, Problem};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::Instant;

/// What answers a request of the hidden tab.
pub(crate) fn empty_page(request: &str) -> (&'static str, Value) {
    let body = base64::engine::general_purpose::STANDARD.encode("<!doctype html>");
    let headers = json!([{ "name": "Content-Type", "value": "text/html" }]);
    (
        "Fetch.fulfillRequest",
        json!({ "requestId": request, "responseCode": 200, "responseHeaders": headers, "body": body }),
    )
}

impl Browser {
    /// Runs `expression` in an empty page of each origin, in one hidden tab; what it gave for each.
    pub(crate) async fn at_origins<T: DeserializeOwned>(
        &mut self,
        asked: &[(String, String)],
    ) -> Result<Vec<T>, Problem> {
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let session = self.open_aside().await?;
        let mut out = Vec::new();
        let mut failed = None;
        for (origin, expression) in asked {
            match self.at_origin(&session, origin, expression).await {
                Ok(value) => out.push(value),
                Err(problem) => {
                    failed = Some(problem);
                    break;
                }
            }
        }
        self.close_aside().await;
        failed.map_or(Ok(out), Err)
    }

    async fn at_origin<T: DeserializeOwned>(
        &self,
        session: &str,
        origin: &str,
        expression: &str,
    ) -> Result<T, Problem> {
        let url = format!("{origin}/");
        let navigated: Value = self.call(Some(session), "Page.navigate", json!({ "url": url }), CALL_LIMIT).await?;
        if let Some(error) = navigated.get("errorText").and_then(Value::as_str).filter(|e| !e.is_empty()) {
            return Err(Problem::new(Code::Unreachable, format!("no page of {origin} can be shown: {error}"))
                .hint("handeye storage list"));
        }
        let params = json!({ "expression": expression, "returnByValue": true });
        let evaluated: Evaluated = self.call(Some(session), "Runtime.evaluate", params, CALL_LIMIT).await?;
        value_of(evaluated, origin)
    }

    async fn open_aside(&mut self) -> Result<String, Problem> {
        self.shared.world().aside = Aside::Wanted;
        let params = json!({ "url": "about:blank", "hidden": true, "background": true });
        let made = match self.call::<Value>(None, "Target.createTarget", params, CALL_LIMIT).await {
            // Browsers that know no hidden tabs.
            Err(problem) if problem.code == Code::Bug => {
                let params = json!({ "url": "about:blank", "background": true });
                self.call::<Value>(None, "Target.createTarget", params, CALL_LIMIT).await
            }
            other => other,
        };
        let session = match made {
            Ok(made) => self.aside_session(made["targetId"].as_str().unwrap_or_default()).await,
            Err(problem) => Err(problem),
        };
        match session {
            Ok(session) => {
                self.connection.tell(Some(&session), "Network.setBypassServiceWorker", json!({ "bypass": true }));
                self.call::<Value>(Some(&session), "Fetch.enable", json!({}), CALL_LIMIT).await?;
                Ok(session)
            }
            Err(problem) => {
                self.close_aside().await;
                Err(problem)
            }
        }
    }

    async fn aside_session(&self, target: &str) -> Result<String, Problem> {
        let there = |b: &Self| match &b.shared.world().aside {
            Aside::There(session, _) => Some(session.clone()),
            _ => None,
        };
        // A browser of ours attaches to every tab by itself, hidden ones and others.
        if there(self).is_none() {
            let params = json!({ "targetId": target, "flatten": true });
            self.call::<Value>(None, "Target.attachToTarget", params, CALL_LIMIT).await?;
        }
        let deadline = Instant::now() + CALL_LIMIT;
        loop {
            let mut watch = self.shared.watch();
            if let Some(session) = there(self) {
                return Ok(session);
            }
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                return Err(Problem::new(Code::Timeout, "the browser didn't open a hidden tab in time")
                    .hint("handeye tabs list"));
            }
        }
    }

    async fn close_aside(&mut self) {
        let aside = std::mem::take(&mut self.shared.world().aside);
        if let Aside::There(_, target) = aside {
            let _ = self.call::<Value>(None, "Target.closeTarget", json!({ "targetId": target }), CALL_LIMIT).await;
        }
    }
}

/// What a script that touches a storage gave, or why it may not.
pub(crate) fn value_of<T: DeserializeOwned>(evaluated: Evaluated, origin: &str) -> Result<T, Problem> {
    if let Some(exception) = evaluated.exception_details {
        let text = exception.exception.and_then(|e| e.description).unwrap_or(exception.text);
        let first = text.lines().next().unwrap_or_default();
        let problem = Problem::new(Code::Unsupported, format!("the storage of {origin} can't be used: {first}"));
        return Err(problem.hint("handeye state"));
    }
    let value = evaluated.result.value.as_ref().map_or("null", |v| v.get());
    parse(value).map_err(|e| Problem::new(Code::Bug, format!("what the storage of {origin} holds can't be read: {e}")))
}
