//! An aim in words: a look, the command that serves it, and that command, each a call through every layer.

use crate::core::aims::{Aiming, Aims, Found, LONGEST_STATE, Sought};
use crate::core::session::seconds;
use crate::dispatch::one_call;
use crate::dispatch::redact::Redaction;
use crate::{Flags, Render, Request, Response, Session, Status};
use handeye_scene::{Code, ModelKeys, Problem};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// How long a model may take, in seconds, where no limit is given.
const LONGEST: f64 = 300.0;

/// Finds the command that serves an aim, and runs it. What was learnt and turns out not to be what it was is asked for anew, once.
pub(crate) async fn run(
    session: &mut Session,
    request: Request,
    aiming: fn(Value) -> Result<Aiming, Problem>,
) -> Response {
    // What is told of how the command was found isn't of the call itself, and holds the caller's words.
    let redaction = Redaction::of(&request);
    let Request { args, flags, .. } = request;
    let mut response = match aiming(args) {
        Ok(aiming) => serve(session, aiming, &flags).await.unwrap_or_else(Response::from),
        Err(problem) => problem.into(),
    };
    redaction.apply(&session.secrets, &mut response);
    response
}

async fn serve(session: &mut Session, aiming: Aiming, flags: &Flags) -> Result<Response, Problem> {
    let aims = session.means.aims.clone().ok_or_else(|| {
        Problem::new(Code::Unsupported, "this session can't find what serves an aim").hint("handeye state")
    })?;
    let models = session.means.models()?;
    let access = flags.model_access();
    let (clock, begun) = (session.clock.clone(), session.clock.elapsed());
    let passed = move || clock.elapsed().saturating_sub(begun);
    let mut not_used = None;
    loop {
        let anew = aiming.anew || not_used.is_some();
        let (text, state, is_folded) = look(session, &left(flags, passed())?).await?;
        let url = state.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
        let limit = left(flags, passed())?.timeout.unwrap_or(LONGEST);
        let aiming = Aiming { anew, ..aiming.clone() };
        let sought = Sought { aiming: aiming.clone(), text, state, is_folded, limit: seconds(limit) };
        let found = aims.find(sought, models.clone(), access.clone()).await;
        let mut found = found.map_err(|problem| explained(problem, not_used.as_deref()))?;
        found.told.not_used = not_used.take();
        let flags = Flags { asked: std::mem::take(&mut found.asked), ..left(flags, passed())? };
        let request = Request { command: found.command.clone(), args: found.args.clone(), flags };
        let response = one_call::call(session, request).await;
        if found.told.learnt {
            not_used = refusal(session, &response);
            if not_used.is_some() {
                continue;
            }
        }
        return Ok(told(aims, (&url, &aiming.aim), found, response).await);
    }
}

/// What is left of the limit on the whole.
fn left(flags: &Flags, passed: Duration) -> Result<Flags, Problem> {
    let left = flags.timeout.map(|limit| limit - passed.as_secs_f64());
    if left.is_some_and(|left| left <= 0.0) {
        return Err(
            Problem::new(Code::Timeout, "the limit was over before anything was done").hint("handeye act --help")
        );
    }
    Ok(Flags { timeout: left, ..flags.clone() })
}

/// What is in sight, as the model is shown it; it counts as shown.
async fn look(session: &mut Session, flags: &Flags) -> Result<(String, Value, bool), Problem> {
    let (mut text, state) = state(session, flags, 0).await?;
    let is_folded = text.chars().count() > LONGEST_STATE;
    if is_folded {
        text = self::state(session, flags, LONGEST_STATE).await?.0;
    }
    Ok((text, state, is_folded))
}

async fn state(session: &mut Session, flags: &Flags, budget: usize) -> Result<(String, Value), Problem> {
    let flags = Flags { return_state: None, asked: Vec::new(), keys: ModelKeys::default(), ..flags.clone() };
    let request = Request { command: "state".to_owned(), args: json!({ "budget": budget }), flags };
    let response = one_call::call(session, request).await;
    match response.error {
        Some(problem) => Err(problem),
        None => Ok((response.text.unwrap_or_default(), response.result.unwrap_or_default())),
    }
}

/// Why nothing was done to what was learnt: its target isn't what it was a moment ago.
fn refusal(session: &Session, response: &Response) -> Option<String> {
    if let Some(problem) = &response.error {
        return (problem.code == Code::Stale && !problem.begun).then(|| problem.message.clone());
    }
    let receipt = response.result.as_ref().filter(|_| session.refused && response.status == Status::NotConfirmed)?;
    // What reached the page in part may have been done.
    if receipt.get("begun") == Some(&Value::Bool(true)) {
        return None;
    }
    Some(receipt.get("reason").and_then(Value::as_str).unwrap_or("it was refused").to_owned())
}

fn explained(mut problem: Problem, not_used: Option<&str>) -> Problem {
    if let Some(why) = not_used {
        problem.message = format!("what was learnt was not done: {why}; {}", problem.message);
    }
    problem
}

/// The answer, with how its command was found. What came to nothing is forgotten, whether it was learnt before or just now.
async fn told(aims: Arc<dyn Aims>, (url, aim): (&str, &str), found: Found, mut response: Response) -> Response {
    let mut told = found.told;
    if response.status == Status::NotConfirmed {
        let forgotten = aims.forget(url, aim).await;
        told.warnings.extend(forgotten.err().map(|problem| problem.message));
    }
    if let Some(problem) = &mut response.error {
        problem.message = format!("{}: {}", told.run, problem.message);
        return response;
    }
    response.text = response.text.map(|text| format!("{}\n{text}", told.render()));
    let members = response.result.as_mut().and_then(Value::as_object_mut);
    if let (Some(members), Ok(told)) = (members, serde_json::to_value(&told)) {
        members.insert("found".to_owned(), told);
    }
    response
}
