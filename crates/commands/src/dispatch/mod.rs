//! The single point through which every call of every front end passes: layers in one order.
//!
//! From the outside in: [`trace`](crate::dispatch::trace) looks before and after, and writes both beside the call and its answer;
//! [`record`](crate::dispatch::record) notes the call and its answer; [`redact`](crate::dispatch::redact) takes out
//! of the answer what isn't to be shown, so a recording holds no more than the caller was told; [`run`](crate::dispatch::run) turns to
//! the surface, asks the policy ([`permit`](crate::dispatch::permit), which may ask a person), and runs the command. A list of calls
//! ([`several_calls`]) is none itself: each of its calls passes through all of them; nor is an aim in words ([`aimed`]), which comes
//! to a look and one call.

pub(crate) mod aimed;
pub mod aliases;
pub mod catalog;
pub mod glance;
pub(crate) mod one_call;
pub(crate) mod permit;
pub mod playback;
pub(crate) mod record;
pub(crate) mod redact;
pub(crate) mod run;
pub(crate) mod several_calls;
pub(crate) mod trace;
pub(crate) mod trail;
pub(crate) mod withheld;
pub(crate) mod world;

pub use crate::dispatch::aliases::find;
use crate::{Request, Response, Run, Session};

/// Runs one call on a session, or each of those that it lists. Both are boxed: they hold tens of kilobytes, and whoever calls
/// several times in one function would hold as many of them on the stack.
pub async fn dispatch(session: &mut Session, request: Request) -> Response {
    session.call.progress.begin(true, session.memory.gestures());
    match find(&request.command).map(|entry| &entry.run) {
        Some(Run::Aim(aiming)) => Box::pin(aimed::run(session, request, *aiming)).await,
        Some(Run::Steps(plan)) => Box::pin(several_calls::run(session, request, *plan)).await,
        _ => Box::pin(one_call::call(session, request)).await,
    }
}
