//! The layer of the policy: whether a call may do what it does where the session is.

use crate::core::permission::{decide, tell_surface};
use crate::core::session::Kind;
use crate::{Command, Effect, Entry, Policy, Session};
use handeye_scene::{Code, Problem};
use serde_json::Value;

/// Asks the policy of a call, and a person where it says so; what is not let through is denied.
pub(crate) async fn check(session: &mut Session, entry: &Entry, args: &Value) -> Result<(), Problem> {
    session.call.called = (entry.name, args.clone());
    let policy = session.policy()?;
    tell_surface(session, &policy);
    check_bounds(session, entry)?;
    if policy == Policy::default() {
        return Ok(());
    }
    let effect = match entry.effect_of {
        Some(effect_of) => effect_of(args.clone())?,
        // A window that is asked to close may lose what is in it.
        None if entry.name == crate::page::close::Close::NAME && session.kind() == Some(Kind::Desktop) => Effect::Acts,
        None => entry.effect,
    };
    decide(session, effect, entry.name, args).await
}

/// Rules about pages are put in force when a browser is opened. One that runs isn't gone on with under stricter ones.
fn check_bounds(session: &mut Session, entry: &Entry) -> Result<(), Problem> {
    let goes_on = entry.effect != Effect::Manages || entry.name == crate::page::open::Open::NAME;
    if !goes_on || session.kind() != Some(Kind::Pages) {
        return Ok(());
    }
    let settings = &session.call.flags.settings.policy;
    match session.terms.rules.as_ref().and_then(|rules| settings.bars_more_pages_than(rules)) {
        None => Ok(()),
        Some(key) => Err(Problem::new(
            Code::Denied,
            format!(
                "{key} denies pages that this session's browser was opened with: it takes effect in the next session"
            ),
        )
        .hint(format!("handeye sessions stop {}", session.name))
        .hint("handeye config show")),
    }
}
