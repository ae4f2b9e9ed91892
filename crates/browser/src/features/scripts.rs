//! Scripts of ours in the page's own world, and the clipboard, which only scripts reach.

use super::emulation::set_permission;
use super::storage::origin;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::protocol::Evaluated;
use crate::protocol::json::parse;
use async_trait::async_trait;
use handeye_scene::{Code, Permission, Problem, Scripts};
use serde_json::{Value, json};
use std::time::Duration;

/// Largest result that is taken, bytes of JSON.
const RESULT: usize = 4 << 20;

/// Scripts in the page's own world.
pub(crate) struct PageScripts {
    pub(crate) link: Link,
}

async fn run_script(link: &Link, params: Value, limit: Duration) -> Result<Value, Problem> {
    let session = link.session()?;
    let pending = link.connection.send(Some(&session), "Runtime.evaluate", params);
    let evaluated: Evaluated = match link.answer(pending, limit).await {
        // The page goes on all the same: a script that never ends must be ended.
        Err(problem) if problem.code == Code::Timeout => {
            link.connection.notify(Some(&session), "Runtime.terminateExecution", json!({}));
            return Err(Problem::new(
                Code::Timeout,
                format!("the expression had no value within {:.1} s", limit.as_secs_f64()),
            )
            .hint("handeye eval EXPR --timeout 60"));
        }
        Err(problem) if problem.code == Code::Bug => {
            return Err(Problem::new(
                Code::BadRequest,
                format!("the value of the expression can't be written as JSON: {}", problem.message),
            )
            .hint("handeye eval 'document.title'"));
        }
        other => other?,
    };
    if let Some(exception) = evaluated.exception_details {
        let thrown = exception.exception.map(|e| match (e.description, e.value) {
            (Some(description), _) => description,
            (None, Some(value)) => value.to_string(),
            (None, None) => String::new(),
        });
        let text = thrown.filter(|t| !t.is_empty()).unwrap_or(exception.text);
        let first = link.model().cut(text.lines().next().unwrap_or_default(), 499);
        return Err(Problem::new(Code::BadRequest, format!("the expression threw {first}")).hint("handeye eval --help"));
    }
    let result = evaluated.result;
    let Some(raw) = result.value else {
        return Ok(result.unserializable_value.map_or(Value::Null, Value::String));
    };
    if raw.get().len() > RESULT {
        return Err(Problem::new(
            Code::BadRequest,
            format!("the value has {} bytes of JSON, more than {RESULT}: ask for less of it", raw.get().len()),
        )
        .hint("handeye eval 'document.title'"));
    }
    parse(raw.get()).map_err(|e| Problem::new(Code::Bug, format!("the value of the expression can't be read: {e}")))
}

/// Asks for the clipboard in our own world, with leave for this one moment.
async fn on_clipboard(link: &Link, permission: &str, expression: String) -> Result<Value, Problem> {
    link.check_dialog()?;
    let origin = origin(link);
    let context = {
        let model = link.model();
        model.pages.main_document().and_then(|d| model.pages.document(d)).map(|d| d.context.clone())
    };
    let web = origin.starts_with("http");
    let before = {
        let known = link.model().emulation.permissions.get(&(origin.clone(), permission.to_owned())).copied();
        known.unwrap_or(Permission::Prompt)
    };
    if web {
        set_permission(link, &origin, permission, Permission::Granted).await?;
    }
    let params = json!({
        "expression": expression, "uniqueContextId": context, "returnByValue": true, "awaitPromise": true,
        "userGesture": true,
    });
    let value = run_script(link, params, CALL_LIMIT).await;
    if web {
        set_permission(link, &origin, permission, before).await?;
    }
    value.map_err(|problem| match problem.code {
        Code::BadRequest => Problem::new(
            Code::Unsupported,
            format!("the clipboard can't be reached from {origin}: it takes a page of https, or of this machine"),
        )
        .hint("handeye open URL"),
        _ => problem,
    })
}

#[async_trait]
impl Scripts for PageScripts {
    async fn evaluate(&mut self, expression: &str, limit: Duration) -> Result<Value, Problem> {
        self.link.check_dialog()?;
        self.link.wait_for_main_document(limit).await?;
        let context = self.link.model().pages.main_frame().and_then(|f| f.main_context.clone());
        let params = json!({
            "expression": expression, "uniqueContextId": context, "returnByValue": true, "awaitPromise": true,
        });
        run_script(&self.link, params, limit).await
    }

    async fn clipboard(&mut self) -> Result<String, Problem> {
        let text = on_clipboard(&self.link, "clipboard-read", "navigator.clipboard.readText()".into()).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    async fn set_clipboard(&mut self, text: &str) -> Result<(), Problem> {
        let expression = format!("navigator.clipboard.writeText({})", json!(text));
        on_clipboard(&self.link, "clipboard-write", expression).await.map(drop)
    }
}
