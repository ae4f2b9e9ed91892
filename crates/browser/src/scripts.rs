//! Scripts of ours in the page's own world, and the clipboard, which only scripts reach.

use crate::protocol::Evaluated;
use crate::surface::{Browser, CALL_LIMIT};
use async_trait::async_trait;
use handeye_scene::{Code, Permission, Pretends, Problem, Scripts, Stores};
use serde_json::{Value, json};
use std::time::Duration;

/// Largest result that is taken, bytes of JSON.
const RESULT: usize = 4 << 20;

impl Browser {
    async fn run_script(&self, params: Value, limit: Duration) -> Result<Value, Problem> {
        let session = self.session()?;
        let ticket = self.connection.send(Some(&session), "Runtime.evaluate", params);
        let evaluated: Evaluated = match self.answer(ticket, limit).await {
            // The page goes on all the same: a script that never ends must be ended.
            Err(problem) if problem.code == Code::Timeout => {
                self.connection.tell(Some(&session), "Runtime.terminateExecution", json!({}));
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
            let first = self.shared.world().cut(text.lines().next().unwrap_or_default(), 499);
            return Err(
                Problem::new(Code::BadRequest, format!("the expression threw {first}")).hint("handeye eval --help")
            );
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
        crate::transport::parse(raw.get())
            .map_err(|e| Problem::new(Code::Bug, format!("the value of the expression can't be read: {e}")))
    }

    /// Asks for the clipboard in our own world, with leave for this one moment.
    async fn on_clipboard(&mut self, permission: &str, expression: String) -> Result<Value, Problem> {
        self.check_dialog()?;
        let origin = self.origin();
        let context = {
            let world = self.shared.world();
            world.main_document().and_then(|d| world.document(d)).map(|d| d.context.clone())
        };
        let web = origin.starts_with("http");
        let before = {
            let known = self.shared.world().permissions.get(&(origin.clone(), permission.to_owned())).copied();
            known.unwrap_or(Permission::Prompt)
        };
        if web {
            self.permit(&origin, permission, Permission::Granted).await?;
        }
        let params = json!({
            "expression": expression, "uniqueContextId": context, "returnByValue": true, "awaitPromise": true,
            "userGesture": true,
        });
        let value = self.run_script(params, CALL_LIMIT).await;
        if web {
            self.permit(&origin, permission, before).await?;
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
}

#[async_trait]
impl Scripts for Browser {
    async fn evaluate(&mut self, expression: &str, limit: Duration) -> Result<Value, Problem> {
        self.check_dialog()?;
        self.wait_for_main_document(limit).await?;
        let context = self.shared.world().main_frame().and_then(|f| f.main_context.clone());
        let params = json!({
            "expression": expression, "uniqueContextId": context, "returnByValue": true, "awaitPromise": true,
        });
        self.run_script(params, limit).await
    }

    async fn clipboard(&mut self) -> Result<String, Problem> {
        let text = self.on_clipboard("clipboard-read", "navigator.clipboard.readText()".into()).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    async fn set_clipboard(&mut self, text: &str) -> Result<(), Problem> {
        let expression = format!("navigator.clipboard.writeText({})", json!(text));
        self.on_clipboard("clipboard-write", expression).await.map(drop)
    }
}
