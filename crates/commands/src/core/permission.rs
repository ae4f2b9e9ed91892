//! Whether something may be done where the session is: the policy's decision, and a person's where it wants one.

use crate::core::policy::{AgreedTarget, DESKTOP, Grant};
use crate::core::question::{self, DETAIL, quoted, said};
use crate::{Decision, Effect, Place, Policy, Session};
use handeye_engine::Asked;
use handeye_engine::policy::targets::{self, Ruling};
use handeye_engine::wording::shown;
use handeye_engine::wording::targets::called;
use handeye_scene::model::role::known;
use handeye_scene::{Code, Consented, DenyRules, Pressed, Problem, Question, Ref};
use serde_json::Value;
use std::time::Duration;

/// How long a person has to answer, at most.
const ANSWER: Duration = Duration::from_secs(60);
/// Arguments that a question names as its target, or not at all.
const UNTOLD: [&str; 8] = ["ref", "secrets", "secret", "password", "environment", "folder", "expect_any", "body"];

/// Tells the surface what the rules deny.
pub(crate) fn tell_surface(session: &mut Session, policy: &Policy) {
    if let Some(surface) = &mut session.surface {
        let (reads, acts) = (policy.denied(Effect::Reads), policy.denied(Effect::Acts));
        surface.deny(DenyRules { reads, acts, targets: policy.targets().to_vec() });
    }
}

/// Asks a person about a press that a rule names, once it is known what it is. What is not let through is denied.
pub(crate) async fn ask_to_press(session: &mut Session, asked: Asked) -> Result<(), Problem> {
    let (command, args) = session.call.called.clone();
    let named = asked.pressed.as_ref();
    let what = named.map(|named| called(&named.role, named.called()));
    let refusal = |why: &str| {
        let what = what.clone().unwrap_or_else(|| "what nobody can name".into());
        let rule = quoted(&asked.rule);
        let message = format!("the policy wants a person's consent, {why}, to press {what}, by the rule {rule}");
        Problem::new(Code::Denied, message).hint("handeye config show")
    };
    let does =
        what.as_ref().map_or_else(|| "presses what nobody can name".to_owned(), |what| format!("presses {what}"));
    match question::refusal(put(session, (&does, command), &args, asked.origin.as_deref()).await) {
        Some(why) => Err(refusal(why)),
        None => {
            let words = named.map(|named| match named.words.is_empty() {
                true => vec![String::new()],
                false => named.words.clone(),
            });
            session.call.agreed.push(AgreedTarget { rule: asked.rule, words });
            let policy = session.policy()?;
            tell_surface(session, &policy);
            Ok(())
        }
    }
}

/// Refuses to press what is none of a document's elements, by what it is called, if a rule names it where the session is.
pub(crate) async fn permit_pressed(session: &mut Session, pressed: &[Pressed]) -> Result<(), Problem> {
    if session.policy()?.targets().is_empty() {
        return Ok(());
    }
    let origin = current_origin(session).await;
    loop {
        let policy = session.policy()?;
        let asked = match targets::rule(policy.targets(), origin.as_deref(), pressed) {
            Ruling::Allow => return Ok(()),
            Ruling::Deny(rule, named) => return Err(targets::refused("press", named, rule)),
            Ruling::Ask(rule, named) => {
                Asked { rule: rule.written.clone(), pressed: Some(named.clone()), origin: origin.clone() }
            }
        };
        ask_to_press(session, asked).await?;
    }
}

/// Refuses what a script of the caller's, or what it puts in a script's place, may press: nobody can say what that is, so each
/// rule about targets may be meant that holds on the page, or with `anywhere` on any.
pub(crate) async fn permit_script(session: &mut Session, anywhere: bool) -> Result<(), Problem> {
    permit_untold(session, anywhere, "nobody can say what a script presses").await
}

/// The same of a form that is sent once more: what was pressed to send it is no longer there to be judged.
pub(crate) async fn permit_resending(session: &mut Session) -> Result<(), Problem> {
    permit_untold(session, false, "nobody can say any more what was pressed to send the form").await
}

async fn permit_untold(session: &mut Session, anywhere: bool, why: &str) -> Result<(), Problem> {
    if session.policy()?.targets().is_empty() {
        return Ok(());
    }
    let origin = if anywhere { None } else { current_origin(session).await };
    loop {
        let policy = session.policy()?;
        let Some(rule) = targets::strictest(policy.targets(), origin.as_deref()).cloned() else { return Ok(()) };
        if !rule.asks {
            return Err(targets::untold(session.call.called.0, why, &rule));
        }
        // What a person agrees to lifts that rule; each is asked about by itself.
        ask_to_press(session, Asked { rule: rule.written, pressed: None, origin: origin.clone() }).await?;
    }
}

/// Refuses what shows the page, as an act may: a script reads what it gives.
pub(crate) async fn permit_reading(session: &mut Session, command: &str) -> Result<(), Problem> {
    if session.policy()? == Policy::default() {
        return Ok(());
    }
    decide(session, Effect::Reads, command, &Value::Null).await
}

/// Where the session is, when that must not be read.
pub(crate) async fn unread(session: &mut Session) -> Result<Option<String>, Problem> {
    let policy = session.policy()?;
    if !policy.names(Effect::Reads) || session.surface.is_none() {
        return Ok(None);
    }
    let origin = current_origin(session).await;
    let here = origin.as_deref().map_or(Place::Unknown, Place::Origin);
    let denied = policy.decide(Effect::Reads, here) != Decision::Allow;
    Ok(denied.then(|| origin.unwrap_or_else(|| "unknown origin".into())))
}

/// Decides by the policy, and asks a person where it says so; what is not let through is denied.
pub(crate) async fn decide(session: &mut Session, effect: Effect, command: &str, args: &Value) -> Result<(), Problem> {
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
    match session.policy()?.decide(effect, here) {
        Decision::Allow => Ok(()),
        Decision::Deny => Err(refusal("refuses")),
        Decision::Ask => match question::refusal(ask(session, effect, command, args, origin.as_deref()).await) {
            Some(why) => Err(refusal(&format!("wants a person's consent, {why}, for"))),
            // A page may have gone elsewhere meanwhile: what was agreed to is for the place that was named.
            None if current_origin(session).await != origin => {
                Err(refusal("wants a person's consent, which was given before the page went elsewhere, for"))
            }
            None => {
                session.call.granted.push(Grant { effect, origin });
                let policy = session.policy()?;
                tell_surface(session, &policy);
                Ok(())
            }
        },
    }
}

/// Asks a person; none where nobody can be asked. What it takes counts against the call's own limit.
async fn ask(
    session: &mut Session,
    effect: Effect,
    command: &str,
    args: &Value,
    place: Option<&str>,
) -> Option<Consented> {
    put(session, (effect_words(effect), command), args, place).await
}

/// The same of a call that does what these words say.
async fn put(
    session: &mut Session,
    (does, command): (&str, &str),
    args: &Value,
    place: Option<&str>,
) -> Option<Consented> {
    let consent = session.call.consent.clone()?;
    let limit = session.call.flags.timeout.map_or(ANSWER, |limit| crate::core::session::seconds(limit).min(ANSWER));
    let question = Question {
        command: command.to_owned(),
        does: does.to_owned(),
        place: place.map(shown::address),
        target: target(session, args),
        details: details(session, args),
        limit: limit.as_secs_f64(),
    };
    let began = session.clock.elapsed();
    let answer = consent.ask(&question, limit).await;
    let took = session.clock.elapsed().saturating_sub(began).as_secs_f64();
    if let Some(limit) = &mut session.call.flags.timeout {
        *limit = (*limit - took).max(0.0);
        let left = crate::core::session::seconds(*limit);
        if let Some(surface) = session.surface.as_mut() {
            surface.allow(Some(left));
        }
    }
    Some(answer)
}

/// The target that a call names by number, as it was last shown.
fn target(session: &Session, args: &Value) -> Option<String> {
    let number = Ref(u32::try_from(args.get("ref")?.as_u64()?).ok()?);
    let refs = &session.memory.refs;
    let element = refs
        .get(number)
        .map(|target| format!(" {} {}", known(&target.shown.role), shown::quote(target.shown.words(), DETAIL)));
    let region = || {
        let claim = &refs.region(number)?.claim;
        let (role, name) = (known(&claim.role), shown::quote(&claim.name, DETAIL));
        Some(format!(" {role} {name}, told by {}", claim.source.word()))
    };
    let told = element.or_else(region).unwrap_or_default();
    Some(format!("{number}{told}"))
}

/// The rest of what a call asks for, each in a line.
fn details(session: &Session, args: &Value) -> Vec<String> {
    let hide = |text: &str| crate::core::secrets::hide(&session.secrets, text);
    let named = |name: &str, value: &Value| question::detail(name, value, hide);
    let members = args.as_object().into_iter().flatten().filter(|(name, _)| !UNTOLD.contains(&name.as_str()));
    members
        .flat_map(|(name, value)| fields(session, value).unwrap_or_else(|| named(name, value).into_iter().collect()))
        .collect()
}

/// A list of targets, each with what it is to get, in lines of their own: all of it is what is agreed to.
fn fields(session: &Session, value: &Value) -> Option<Vec<String>> {
    let items = value.as_array().filter(|items| items.iter().any(|item| item.get("ref").is_some()))?;
    let line = |item: &Value| {
        let value = crate::core::secrets::hide(&session.secrets, &said(item.get("value")?)?);
        Some(format!("{}: {}", target(session, item)?, quoted(&value)))
    };
    Some(items.iter().filter_map(line).collect())
}

async fn current_origin(session: &mut Session) -> Option<String> {
    if session.windows().is_ok() {
        return Some(DESKTOP.into());
    }
    let (url, _) = session.web().ok()?.location().await.ok()?;
    if url.starts_with("about:") {
        // An empty page is of whoever opened it.
        let origin = session.stores().ok()?.origin();
        return (!origin.is_empty()).then(|| handeye_engine::policy::origin::of(&origin));
    }
    Some(handeye_engine::policy::origin::of(&url))
}

fn effect_words(effect: Effect) -> &'static str {
    match effect {
        Effect::Reads => "reads the page",
        Effect::Acts => "acts on the page",
        Effect::Manages => "manages sessions",
    }
}
