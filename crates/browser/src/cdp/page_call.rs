//! Calls to the page script of a document.

use super::link::Link;
use super::transport::PendingReply;
use crate::protocol::Evaluated;
use crate::protocol::json::parse;
use handeye_scene::{Code, DocumentId, Problem};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// Why a call into a page has no answer.
#[derive(Debug)]
pub(crate) enum PageError {
    /// The document or its world is gone.
    Gone,
    /// Anything else.
    Problem(Problem),
}

impl From<Problem> for PageError {
    fn from(problem: Problem) -> Self {
        PageError::Problem(problem)
    }
}

impl Link {
    /// Asks the page script of a document: `handeye.FUNCTION(ARGS…)`.
    pub(crate) fn send_to_page(
        &self,
        document: DocumentId,
        function: &str,
        args: &[Value],
    ) -> Result<PendingReply, PageError> {
        let (session, context) = {
            let model = self.model();
            let document = model.pages.document(document).filter(|d| d.alive).ok_or(PageError::Gone)?;
            (document.session.clone(), document.context.clone())
        };
        let mut arguments = vec![json!({ "value": function })];
        arguments.extend(args.iter().map(|a| json!({ "value": a })));
        let params = json!({
            "functionDeclaration": "(name, ...args) => handeye[name](...args)",
            "arguments": arguments, "uniqueContextId": context, "returnByValue": true, "awaitPromise": true,
        });
        Ok(self.connection.send(Some(&session), "Runtime.callFunctionOn", params))
    }

    /// Waits for what the page script answers.
    pub(crate) async fn page_reply<T: DeserializeOwned>(
        &self,
        pending: PendingReply,
        limit: Duration,
    ) -> Result<T, PageError> {
        self.page_reply_by(pending, Instant::now() + limit, limit).await
    }

    /// As [`Link::page_reply`], for one of many asked at once.
    pub(crate) async fn page_reply_by<T: DeserializeOwned>(
        &self,
        pending: PendingReply,
        deadline: Instant,
        limit: Duration,
    ) -> Result<T, PageError> {
        let evaluated: Evaluated = match self.answer_by(pending, deadline, limit).await {
            Ok(evaluated) => evaluated,
            Err(problem) if problem.code == Code::Stale => return Err(PageError::Gone),
            Err(problem) => return Err(problem.into()),
        };
        if let Some(exception) = evaluated.exception_details {
            let text = exception.exception.and_then(|e| e.description).unwrap_or(exception.text);
            return Err(Problem::new(Code::Bug, format!("the page script failed: {text}")).into());
        }
        let value = evaluated.result.value.as_ref().map_or("null", |v| v.get());
        parse(value).map_err(|e| Problem::new(Code::Bug, format!("the page script's answer can't be read: {e}")).into())
    }

    /// Asks the page script and waits.
    pub(crate) async fn page_call<T: DeserializeOwned>(
        &self,
        document: DocumentId,
        function: &str,
        args: &[Value],
        limit: Duration,
    ) -> Result<T, PageError> {
        let pending = self.send_to_page(document, function, args)?;
        self.page_reply(pending, limit).await
    }

    /// As [`Link::page_call`], where a document that is gone is a problem.
    pub(crate) async fn page_call_now<T: DeserializeOwned>(
        &self,
        document: DocumentId,
        function: &str,
        args: &[Value],
        limit: Duration,
    ) -> Result<T, Problem> {
        self.page_call(document, function, args, limit).await.map_err(gone)
    }
}

/// A document that is gone, as a problem.
pub(crate) fn gone(error: PageError) -> Problem {
    match error {
        PageError::Gone => Problem::new(Code::Stale, "the document was navigated away").hint("handeye state"),
        PageError::Problem(problem) => problem,
    }
}
