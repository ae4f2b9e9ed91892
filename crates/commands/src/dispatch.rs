//! The single point through which every call of every front end passes.

use crate::permit::{decide, unread};
use crate::policy::DESKTOP;
use crate::session::Kind;
use crate::{
    ALIASES, COMMANDS, Command, Effect, Entry, Policy, Reply, Request, Response, ReturnState, Run, Session, Status,
};
use handeye_engine::{outline, shown};
use handeye_scene::{Barred, Code, Problem, Ref, Verdict};
use serde_json::Value;

/// Runs one call on a session: finds the command, asks the policy, runs it, adds the state that was asked for.
pub async fn dispatch(session: &mut Session, request: Request) -> Response {
    let own = crate::secrets::Own::of(&request, request.command == crate::network::Network::NAME);
    let is_whole = GIVE_ALL.contains(&request.command.as_str());
    let mut response = match run(session, request).await {
        Ok(response) => response,
        Err(problem) => problem.into(),
    };
    crate::secrets::mask(&session.secrets, own, &mut response);
    bound(&mut response);
    if !is_whole {
        [&mut response.result, &mut response.state].into_iter().flatten().for_each(shorten);
    }
    response
}

/// Characters of the text of an answer, at most.
const LONGEST: usize = 200_000;

/// Commands that programs ask for all of a text.
const GIVE_ALL: [&str; 7] = ["get", "eval", "network", "storage", "cookies", "clipboard", "snapshot"];
/// Characters of one text of any other answer's value, at most.
const ONE_TEXT: usize = 20_000;

/// Cuts what no name, address or message needs to be told.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > ONE_TEXT => *text = outline::cut(text, ONE_TEXT),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

/// Takes from the texts of an answer what isn't seen, where whoever wrote them didn't, and what is more than anyone reads.
fn bound(response: &mut Response) {
    if let Some(text) = &mut response.text {
        *text = shown::harmless(text);
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            let end = text.get(..end).and_then(|kept| kept.rfind('\n')).filter(|at| *at > LONGEST / 2).unwrap_or(end);
            text.truncate(end);
            text.push_str("\n… cut here; all of it: --json");
        }
    }
    if let Some(problem) = &mut response.error {
        problem.message = shown::harmless(&outline::cut(&problem.message, shown::MESSAGE));
        problem.hints.iter_mut().for_each(|hint| *hint = shown::line(hint, shown::MESSAGE));
    }
}

/// The entry named `name`, or that other tools call so.
pub fn find(name: &str) -> Option<&'static Entry> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, ours)| ours);
    COMMANDS.iter().find(|e| e.name == name)
}

async fn run(session: &mut Session, request: Request) -> Result<Response, Problem> {
    let entry = find(&request.command).ok_or_else(|| {
        Problem::new(Code::BadRequest, format!("there is no command `{}`", request.command)).hint("handeye help")
    })?;
    if request.flags.timeout.is_some_and(|t| !t.is_finite() || t < 0.0) {
        return Err(Problem::new(Code::BadRequest, "--timeout takes seconds, 0 or more, such as 2.5"));
    }
    session.take_flags(request.flags);
    let before = session.mark();
    let outcome = bounded(session, entry, request.args).await;
    if outcome.is_err() || session.refused {
        session.go_back(before);
    }
    outcome
}

/// Runs a command on the surface that it is for, within its limit.
async fn bounded(session: &mut Session, entry: &Entry, args: Value) -> Result<Response, Problem> {
    turn(session, entry, &args)?;
    session.eye.mask = crate::secrets::mask_of(&session.secrets);
    let mask = session.eye.mask.clone();
    let limit = session.flags.timeout.map(crate::session::seconds);
    if let Some(surface) = session.surface.as_mut() {
        surface.allow(limit);
    }
    // A page that must not be read when a call begins, or when it is over, is not shown by what came of it either.
    let mut withheld = None;
    let mut outcome = shown::masked(mask, answer(session, entry, args, &mut withheld)).await;
    // What is asked between commands is not bound by the last one's limit.
    if let Some(surface) = session.surface.as_mut() {
        surface.allow(None);
    }
    // What `open` tells is of the page that it has come to.
    let before = withheld.filter(|_| entry.name != crate::open::Open::NAME);
    if let Some(place) = before.or(unread(session).await?) {
        crate::withheld::withhold(&mut outcome, entry, &place);
    }
    outcome
}

/// Turns to the surface that a call is for: that of its window, of the command, or of the numbers that it names.
fn turn(session: &mut Session, entry: &Entry, args: &Value) -> Result<(), Problem> {
    let flags = &session.flags;
    let names_window = flags.window.is_some()
        || flags.backend.is_some()
        || args.get("window_name").is_some_and(|name| !name.is_null());
    if let Some(kind) = entry.on.or(names_window.then_some(Kind::Desktop)) {
        session.turn_to(kind);
    }
    session.turn_to_numbers(&numbers(args))
}

/// Members of arguments that hold numbers of targets.
const NUMBERS: [&str; 7] = ["ref", "within", "near", "to", "visible", "enabled", "gone"];

/// The targets that arguments name by number.
fn numbers(args: &Value) -> Vec<Ref> {
    let named = NUMBERS.iter().filter_map(|member| args.get(*member)?.as_u64());
    named.filter_map(|number| u32::try_from(number).ok()).map(Ref).collect()
}

/// Runs a command whose flags are in force.
async fn answer(
    session: &mut Session,
    entry: &Entry,
    args: Value,
    withheld: &mut Option<String>,
) -> Result<Response, Problem> {
    let Run::Session(run) = entry.run else {
        return Err(Problem::new(Code::BadRequest, format!("`{}` doesn't run in a session", entry.name))
            .hint(format!("handeye {}", entry.name)));
    };
    let return_state = session.flags.return_state;
    if entry.opens && entry.on == Some(Kind::Desktop) && session.kind() != Some(Kind::Desktop) {
        // Opening is held to the rules for opening, then the command to its own.
        if let Some(opening) = find(crate::open::Open::NAME) {
            check_policy(session, opening, &serde_json::json!({ "url": DESKTOP })).await?;
        }
        crate::open::open_desktop(session).await?;
    }
    check_policy(session, entry, &args).await?;
    *withheld = unread(session).await?;
    look_by(session, entry).await?;
    if let Some(named) = session.flags.window.clone() {
        crate::windows::choose(session, &named).await?;
    }
    let reply = run(args, session).await?;
    if entry.effect != Effect::Reads {
        session.unshown = false;
    }
    let mut text = reply.text;
    let mut state = None;
    if let (Some(wanted), Some(_)) = (return_state, session.surface.as_ref()) {
        text.push('\n');
        // What was done was done: a state that can't be had must not take its receipt away.
        match returned(session, wanted).await {
            Ok(shown) => {
                text.push_str(&shown.text);
                state = Some(shown.data);
            }
            Err(problem) => {
                text.push_str(&format!("the state can't be shown: {}\n  try: handeye state", problem.message));
                state = Some(serde_json::json!({ "error": problem }));
            }
        }
    }
    let status = if reply.verdict == Verdict::Confirmed { Status::Ok } else { Status::NotConfirmed };
    Ok(Response { status, result: Some(reply.data), text: Some(text), state, error: None })
}

/// Turns to the interface that this call asks for; the one before it may have asked for another.
async fn look_by(session: &mut Session, entry: &Entry) -> Result<(), Problem> {
    let asked = session.flags.backend;
    // What opens the windows takes it as a setting.
    if session.surface.is_none() || entry.name == crate::open::Open::NAME {
        return Ok(());
    }
    match session.windows() {
        Ok(windows) => windows.look_by(asked).await,
        Err(problem) if asked.is_some() => Err(problem),
        Err(_) => Ok(()),
    }
}

/// The state that was asked for with another command, under the rules for looking where the page is now.
async fn returned(session: &mut Session, wanted: ReturnState) -> Result<Reply, Problem> {
    if let Some(looking) = find(crate::state::State::NAME) {
        check_policy(session, looking, &serde_json::json!({})).await?;
    }
    crate::state::returned(session, wanted == ReturnState::Full).await
}

async fn check_policy(session: &mut Session, entry: &Entry, args: &Value) -> Result<(), Problem> {
    let policy = Policy::parse(&session.flags.settings.policy)?;
    if let Some(surface) = &mut session.surface {
        surface.bar(Barred { reads: policy.barred(Effect::Reads), acts: policy.barred(Effect::Acts) });
    }
    check_bounds(session, entry)?;
    if policy == Policy::default() {
        return Ok(());
    }
    let effect = match entry.effect_of {
        Some(effect_of) => effect_of(args.clone())?,
        // A window that is asked to close may lose what is in it.
        None if entry.name == crate::close::Close::NAME && session.kind() == Some(Kind::Desktop) => Effect::Acts,
        None => entry.effect,
    };
    decide(session, &policy, effect, entry.name).await
}

/// Rules about pages are put in force when a browser is opened. One that runs isn't gone on with under stricter ones.
fn check_bounds(session: &mut Session, entry: &Entry) -> Result<(), Problem> {
    let goes_on = entry.effect != Effect::Manages || entry.name == crate::open::Open::NAME;
    if !goes_on || session.kind() != Some(Kind::Pages) {
        return Ok(());
    }
    let settings = &session.flags.settings.policy;
    match session.rules.as_ref().and_then(|rules| settings.bars_more_pages_than(rules)) {
        None => Ok(()),
        Some(key) => Err(Problem::new(
            Code::Denied,
            format!(
                "{key} bars pages that this session's browser was opened without: it holds from the next session on"
            ),
        )
        .hint(format!("handeye sessions stop {}", session.name))
        .hint("handeye config show")),
    }
}
