//! One call of one command, through every layer.

use crate::dispatch::aliases::find;
use crate::dispatch::record::Noted;
use crate::dispatch::redact::Redaction;
use crate::dispatch::run::run;
use crate::dispatch::trace::Traced;
use crate::{Request, Response, Session};
use handeye_scene::ModelKeys;

/// Runs one call: traced, noted, redacted, permitted.
pub(crate) async fn call(session: &mut Session, request: Request) -> Response {
    session.call.progress.begin(false, session.memory.gestures());
    let entry = find(&request.command);
    let traced = match Traced::begin(session, entry, &request).await {
        Ok(traced) => traced,
        Err(problem) => return problem.into(),
    };
    let noted = match Noted::begin(session, entry, &request) {
        Ok(noted) => noted,
        Err(problem) => {
            let mut response = problem.into();
            traced.end(session, &mut response).await;
            return response;
        }
    };
    let redaction = Redaction::of(&request);
    let mut response = Box::pin(run(session, request)).await.unwrap_or_else(Response::from);
    if let Some(problem) = &mut response.error {
        problem.begun |= session.call.progress.has_begun(session.memory.gestures());
    }
    // Keys are of this call alone, and in no answer.
    session.call.flags.keys = ModelKeys::default();
    redaction.apply(&session.secrets, &mut response);
    noted.end(&mut response);
    traced.end(session, &mut response).await;
    response
}
