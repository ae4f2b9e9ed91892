//! Whether the policy lets a command be run where the session is.

use crate::policy::DESKTOP;
use crate::{Decision, Effect, Place, Policy, Session};
use handeye_scene::{Code, Problem};

/// Refuses what shows the page, as an act may: a script reads what it gives.
pub(crate) async fn permit_reading(session: &mut Session, command: &str) -> Result<(), Problem> {
    let policy = Policy::parse(&session.flags.settings.policy)?;
    if policy == Policy::default() {
        return Ok(());
    }
    decide(session, &policy, Effect::Reads, command).await
}

/// Where the session is, when that must not be read.
pub(crate) async fn unread(session: &mut Session) -> Result<Option<String>, Problem> {
    let policy = Policy::parse(&session.flags.settings.policy)?;
    if !policy.names(Effect::Reads) || session.surface.is_none() {
        return Ok(None);
    }
    let origin = current_origin(session).await;
    let here = origin.as_deref().map_or(Place::Unknown, Place::Origin);
    let barred = policy.decide(Effect::Reads, here) != Decision::Allow;
    Ok(barred.then(|| origin.unwrap_or_else(|| "unknown origin".into())))
}

pub(crate) async fn decide(
    session: &mut Session,
    policy: &Policy,
    effect: Effect,
    command: &str,
) -> Result<(), Problem> {
    let origin = current_origin(session).await;
    let here = match &origin {
        _ if session.surface.is_none() => Place::Nowhere,
        Some(origin) => Place::Origin(origin),
        None => Place::Unknown,
    };
    let refusal = |why: &str| {
        let place = origin.as_deref().map(|o| format!(" on {o}")).unwrap_or_default();
        Problem::new(Code::Denied, format!("the policy {why} `{command}`{place} (it {})", effect_words(effect)))
            .hint("handeye config show")
    };
    match policy.decide(effect, here) {
        Decision::Allow => Ok(()),
        Decision::Ask => Err(refusal("wants a person's consent, and there is no one to ask, for")),
        Decision::Deny => Err(refusal("refuses")),
    }
}

async fn current_origin(session: &mut Session) -> Option<String> {
    if session.windows().is_ok() {
        return Some(DESKTOP.into());
    }
    let (url, _) = session.web().ok()?.location().await.ok()?;
    if url.starts_with("about:") {
        // An empty page is of whoever opened it.
        let origin = session.stores().ok()?.origin();
        return (!origin.is_empty()).then(|| handeye_engine::origin::of(&origin));
    }
    Some(handeye_engine::origin::of(&url))
}

fn effect_words(effect: Effect) -> &'static str {
    match effect {
        Effect::Reads => "reads the page",
        Effect::Acts => "acts on the page",
        Effect::Manages => "manages sessions",
    }
}
