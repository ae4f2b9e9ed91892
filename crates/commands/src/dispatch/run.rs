//! The layer that runs a command: on the surface that it is for, within its limit, with the state that was asked for.

use crate::core::permission::unread;
use crate::core::policy::DESKTOP;
use crate::core::session::Kind;
use crate::dispatch::aliases::find;
use crate::dispatch::permit;
use crate::{Command, Effect, Entry, Reply, Request, Response, ReturnState, Run, Session, Status};
use handeye_engine::wording::shown;
use handeye_scene::{Code, Hint, Problem, Verdict};
use serde_json::Value;

/// Runs a call: turns to its surface, asks the policy, does it, and withholds what must not be read.
pub(crate) async fn run(session: &mut Session, request: Request) -> Result<Response, Problem> {
    let entry = find(&request.command).ok_or_else(|| {
        let problem = Problem::new(Code::BadRequest, format!("there is no command `{}`", request.command));
        let meant = crate::by_meaning(&request.command).map(|name| format!("handeye {name} --help"));
        meant.into_iter().fold(problem, Problem::hint).hint("handeye help")
    })?;
    if request.flags.timeout.is_some_and(|t| !t.is_finite() || t < 0.0) {
        return Err(Problem::new(Code::BadRequest, "--timeout takes seconds, 0 or more, such as 2.5"));
    }
    // A call that was given up midway turned nothing back.
    leave_tab(session).await;
    session.take_flags(request.flags);
    let before = session.mark();
    let outcome = match enter_tab(session, entry).await {
        Ok(()) => {
            let outcome = bounded(session, entry, request.args).await;
            leave_tab(session).await;
            outcome
        }
        Err(problem) => {
            allow(session, None);
            Err(problem)
        }
    };
    if outcome.is_err() || session.refused {
        session.go_back(before);
    }
    outcome
}

/// Commands about tabs, for which `--tab` would say the same thing twice.
const ABOUT_TABS: [&str; 3] =
    [crate::page::open::Open::NAME, crate::page::tabs::Tabs::NAME, crate::page::close::Close::NAME];

/// Turns to the tab that `--tab` names for this call, and notes the one to turn back to, where that is another one.
async fn enter_tab(session: &mut Session, entry: &Entry) -> Result<(), Problem> {
    let Some(named) = session.call.flags.tab.clone() else { return Ok(()) };
    if entry.on == Some(Kind::Desktop) || session.call.flags.window.is_some() {
        return Err(Problem::new(Code::BadRequest, "--tab is about pages: windows have no tabs of a session")
            .hint("handeye tabs list"));
    }
    if ABOUT_TABS.contains(&entry.name) {
        let text = format!("`{}` takes no --tab: it is for commands that look at a page or act on one", entry.name);
        return Err(Problem::new(Code::BadRequest, text).hint(format!("handeye {} --help", entry.name)));
    }
    session.turn_to(Kind::Pages);
    allow(session, session.call.flags.timeout);
    let tabs = session.web()?.tabs().await?;
    let active = tabs.iter().find(|tab| tab.active).map(|tab| tab.id.clone());
    if active.as_deref() == Some(&*named) {
        return Ok(());
    }
    session.call.earlier_tab = active;
    session.web()?.switch_tab(&named).await.map(drop)
}

/// Turns back to the tab that was active before, unless it is gone: then the one that is active stays so.
async fn leave_tab(session: &mut Session) {
    let Some(earlier) = session.call.earlier_tab.clone() else { return };
    let kind = session.kind();
    session.turn_to(Kind::Pages);
    if let Ok(web) = session.web() {
        let _ = web.switch_tab(&earlier).await;
    }
    // Noted until it is done: this may be given up as well.
    session.call.earlier_tab = None;
    if let Some(kind) = kind {
        session.turn_to(kind);
    }
}

/// Bounds what the surface is asked from here on, in seconds.
fn allow(session: &mut Session, limit: Option<f64>) {
    if let Some(surface) = session.surface.as_mut() {
        surface.allow(limit.map(crate::core::session::seconds));
    }
}

/// Runs a command on the surface that it is for, within its limit.
async fn bounded(session: &mut Session, entry: &Entry, args: Value) -> Result<Response, Problem> {
    turn(session, entry, &args)?;
    if session.call.flags.tab.is_some() && session.kind() == Some(Kind::Desktop) {
        return Err(Problem::new(Code::BadRequest, "--tab is about pages, and the call is about a window")
            .hint("handeye tabs list"));
    }
    session.memory.mask = crate::core::secrets::mask_of(&session.secrets);
    let mask = session.memory.mask.clone();
    allow(session, session.call.flags.timeout);
    // A page that must not be read when a call begins, or when it is over, is not shown by what came of it either.
    let mut withheld = None;
    let mut outcome = shown::masked(mask, Box::pin(answer(session, entry, args, &mut withheld))).await;
    // What is asked between commands is not bound by the last one's limit.
    allow(session, None);
    // What `open` tells is of the page that it has come to.
    let before = withheld.filter(|_| entry.name != crate::page::open::Open::NAME);
    if let Some(place) = before.or(unread(session).await?) {
        crate::dispatch::withheld::withhold(&mut outcome, entry, &place);
    }
    outcome
}

/// Turns to the surface that a call is for: that of its window, of the command, or of the numbers that it names.
fn turn(session: &mut Session, entry: &Entry, args: &Value) -> Result<(), Problem> {
    let flags = &session.call.flags;
    let names_window = flags.window.is_some()
        || flags.backend.is_some()
        || args.get("window_name").is_some_and(|name| !name.is_null());
    if let Some(kind) = entry.on.or(names_window.then_some(Kind::Desktop)) {
        session.turn_to(kind);
    }
    if session.other_surface.is_none() {
        return Ok(());
    }
    session.turn_to_numbers(&(entry.refs)(args))
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
    let return_state = session.call.flags.return_state;
    if entry.opens && entry.on == Some(Kind::Desktop) && session.kind() != Some(Kind::Desktop) {
        // Opening is held to the rules for opening, then the command to its own.
        if let Some(opening) = find(crate::page::open::Open::NAME) {
            permit::check(session, opening, &serde_json::json!({ "url": DESKTOP })).await?;
        }
        crate::page::open::open_desktop(session).await?;
    }
    permit::check(session, entry, &args).await?;
    *withheld = unread(session).await?;
    look_by(session, entry).await?;
    if let Some(named) = session.call.flags.window.clone() {
        crate::desktop::windows::choose(session, &named).await?;
    }
    if changes(entry, &args) {
        session.call.progress.begin_untold();
    }
    let reply = run(args, session).await?;
    if entry.effect != Effect::Reads {
        session.terms.unshown = false;
    }
    let mut text = reply.text;
    let (mut state, mut hints) = (None, reply.hints);
    add_noticed(&mut hints, &reply.data);
    if let (Some(wanted), Some(_)) = (return_state, session.surface.as_ref()) {
        text.push('\n');
        // What was done was done: a state that can't be had must not take its receipt away.
        match returned(session, wanted).await {
            Ok(shown) => {
                text.push_str(&shown.text);
                add_noticed(&mut hints, &shown.data);
                state = Some(shown.data);
            }
            Err(problem) => {
                text.push_str(&format!("the state can't be shown: {}", problem.message));
                hints.push("handeye state".into());
                state = Some(serde_json::json!({ "error": problem }));
            }
        }
    }
    let status = if reply.verdict == Verdict::Confirmed { Status::Ok } else { Status::NotConfirmed };
    Ok(Response { status, result: Some(reply.data), text: Some(text), hints, state, error: None })
}

/// Whether a call changes something. What is wrong with its arguments is told when it runs.
fn changes(entry: &Entry, args: &Value) -> bool {
    match entry.effect_of {
        Some(effect_of) => effect_of(args.clone()).is_ok_and(|effect| effect != Effect::Reads),
        None => entry.effect != Effect::Reads,
    }
}

/// Adds the commands to run next that notices of an answer name.
fn add_noticed(hints: &mut Vec<Hint>, data: &Value) {
    let notices = data.get("notices").and_then(Value::as_array).into_iter().flatten();
    let named = notices.filter_map(|notice| notice.get("hints")?.as_array()).flatten().filter_map(Value::as_str);
    for hint in named.map(Hint::from) {
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
}

/// Turns to the interface that this call asks for; the one before it may have asked for another.
async fn look_by(session: &mut Session, entry: &Entry) -> Result<(), Problem> {
    let asked = session.call.flags.backend;
    // What opens the windows takes it as a setting.
    if session.surface.is_none() || entry.name == crate::page::open::Open::NAME {
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
    if let Some(looking) = find(crate::look::state::State::NAME) {
        permit::check(session, looking, &serde_json::json!({})).await?;
    }
    crate::look::state::returned(session, wanted == ReturnState::Full).await
}
