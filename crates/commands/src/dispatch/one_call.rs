//! One call of one command, through every layer.

use crate::dispatch::aliases::find;
use crate::dispatch::record::Noted;
use crate::dispatch::redact::Redaction;
use crate::dispatch::run::run;
use crate::{Request, Response, Session};
use handeye_scene::ModelKeys;

/// Runs one call: noted, redacted, permitted.
pub(crate) async fn call(session: &mut Session, request: Request) -> Response {
    let noted = match Noted::begin(session, find(&request.command), &request) {
        Ok(noted) => noted,
        Err(problem) => return problem.into(),
    };
    let redaction = Redaction::of(&request);
    let mut response = run(session, request).await.unwrap_or_else(Response::from);
    // Keys are of this call alone, and in no answer.
    session.flags.keys = ModelKeys::default();
    redaction.apply(&session.secrets, &mut response);
    noted.end(&mut response);
    response
}
