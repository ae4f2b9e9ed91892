//! Several calls in order, each through every layer, as long as what comes of them is what was asked for.

use crate::core::steps::{Batched, Plan, Step, Stepped};
use crate::dispatch::aliases::find;
use crate::dispatch::trail::Trail;
use crate::dispatch::world::World;
use crate::dispatch::{aimed, one_call};
use crate::{Entry, Flags, Reply, Request, Response, Run, Session, Status};
use handeye_scene::{Code, Hint, Interrupts, ModelKeys, Problem, Verdict};
use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

/// How many calls of a list, at most.
const MOST: usize = 500;
/// Bytes of all answers together, at most.
const ANSWERS: usize = 16 * 1024 * 1024;

/// Runs the calls of a list. Before the first, all are looked at: what is wrong in the last one changes nothing.
pub(crate) async fn run(
    session: &mut Session,
    request: Request,
    plan: fn(serde_json::Value) -> Result<Plan, Problem>,
) -> Response {
    let Request { args, flags, .. } = request;
    let plan = match plan(args).and_then(|plan| check(&plan).map(|()| named(plan))) {
        Ok(plan) => plan,
        Err(problem) => return problem.into(),
    };
    let mut batched = carry_out(session, &plan, &flags).await;
    // The state that was asked for with the whole list is the last step's.
    let asked = flags.return_state.is_some() && batched.steps.len() == plan.steps.len();
    let state = batched.steps.last_mut().filter(|_| asked).and_then(|last| last.state.take());
    match Reply::of(&batched) {
        Ok(Reply { text, data, verdict, hints }) => {
            let status = if verdict == Verdict::Confirmed { Status::Ok } else { Status::NotConfirmed };
            Response { status, result: Some(data), text: Some(text), hints, state, error: None }
        }
        Err(problem) => problem.into(),
    }
}

/// The list with the commands' own names, whatever else they were called by.
fn named(mut plan: Plan) -> Plan {
    for step in &mut plan.steps {
        if let Some(entry) = find(&step.command) {
            step.command = entry.name.to_owned();
        }
    }
    plan
}

/// Refuses a list in which a call can't be meant, naming the first such.
fn check(plan: &Plan) -> Result<(), Problem> {
    if plan.steps.is_empty() {
        return Err(Problem::new(Code::BadRequest, "the list of commands is empty").hint("handeye batch --help"));
    }
    if plan.steps.len() > MOST {
        let what = format!("the list has {} commands, more than {MOST}", plan.steps.len());
        return Err(Problem::new(Code::BadRequest, what).hint("handeye batch --help"));
    }
    for (at, step) in plan.steps.iter().enumerate() {
        check_step(step).map_err(|mut problem| {
            problem.message = format!("{}: {}; nothing was run", place(at + 1, step), problem.message);
            problem
        })?;
    }
    Ok(())
}

fn place(number: usize, step: &Step) -> String {
    step.line.map_or_else(|| format!("step {number}"), |line| format!("line {line}"))
}

fn check_step(step: &Step) -> Result<(), Problem> {
    let wrong = |what: String| Problem::new(Code::BadRequest, what);
    let entry = find(&step.command).ok_or_else(|| {
        let problem = wrong(format!("there is no command `{}`", step.command));
        let meant = crate::by_meaning(&step.command).map(|name| format!("handeye {name} --help"));
        meant.into_iter().fold(problem, Problem::hint).hint("handeye help")
    })?;
    match entry.run {
        Run::Session(_) | Run::Aim(_) => {}
        Run::Steps(_) => return Err(wrong(format!("`{}` can't be in a list itself", entry.name))),
        Run::Host(_) => return Err(wrong(format!("`{}` doesn't run in a session", entry.name))),
    }
    if step.timeout.is_some_and(|limit| !limit.is_finite() || limit < 0.0) {
        return Err(wrong("`timeout` takes seconds, 0 or more, such as 2.5".into()));
    }
    (entry.check)(&step.args)
}

async fn carry_out(session: &mut Session, plan: &Plan, flags: &Flags) -> Batched {
    let planned = plan.steps.len();
    let mut batched = Batched { steps: Vec::new(), planned, stopped_at: None, reason: None, hints: Vec::new() };
    let clock = session.clock.clone();
    let begun = clock.elapsed();
    let (mut size, mut before) = (0, World::of(session).await);
    let mut trail = Trail::from(before.origin());
    for (at, step) in plan.steps.iter().enumerate() {
        let number = at + 1;
        let next = plan.steps.get(number);
        let left = flags.timeout.map(|limit| limit - clock.elapsed().saturating_sub(begun).as_secs_f64());
        if left.is_some_and(|left| left <= 0.0) && at > 0 {
            batched.stop(number, "the limit on the whole list was over before it".into());
            break;
        }
        let start = clock.elapsed();
        // Where it is ended before it begins, what the one before did isn't taken for its own.
        session.call.progress.begin(false, session.memory.gestures());
        let interrupts = session.call.interrupts.clone();
        let request = request_of(step, next.is_none(), left, flags);
        // Boxed: it holds tens of kilobytes.
        let done = unless_interrupted(interrupts, Box::pin(call(session, request))).await;
        let is_interrupted = done.is_none();
        let mut response = done.unwrap_or_else(|| interrupted(session, &step.command));
        let hints = hints_of(&mut response);
        let seconds = clock.elapsed().saturating_sub(start).as_secs_f64();
        let now = World::after(session, &before).await;
        let unexpected = match response.error {
            None => now.since(&before, (step, next), response.result.as_ref(), &trail),
            Some(_) => None,
        };
        trail.note(step, now.origin());
        before = now;
        size += response.text.as_ref().map_or(0, String::len)
            + response.result.as_ref().map_or(0, |result| result.to_string().len());
        let amiss = amiss(&response, unexpected.as_deref());
        let ends = session.ended || response.error.as_ref().is_some_and(|problem| problem.code == Code::Lost);
        batched.steps.push(stepped(number, step, response, unexpected, seconds));
        if let Some(why) = amiss {
            if batched.reason.is_none() || !plan.keep_going {
                batched.hints = hints;
            }
            if !plan.keep_going || ends || is_interrupted {
                batched.stop(number, why);
                break;
            }
            batched.reason.get_or_insert(format!("step {number}: {why}"));
        }
        if next.is_some() && session.ended {
            batched.stop(number, "it ended the session, and the rest has none to run in".into());
            break;
        }
        if next.is_some() && size > ANSWERS {
            batched.stop(number, format!("the answers take more than {} MB", ANSWERS / (1024 * 1024)));
            break;
        }
    }
    batched
}

/// What comes of a step; none where the caller ended it. It is looked first whether it did: what comes at once would be begun.
async fn unless_interrupted<T>(interrupts: Option<Arc<dyn Interrupts>>, step: impl Future<Output = T>) -> Option<T> {
    let interruption = async {
        match &interrupts {
            Some(interrupts) => interrupts.interrupted().await,
            None => pending().await,
        }
    };
    let (mut interruption, mut step) = (pin!(interruption), pin!(step));
    poll_fn(|context| match interruption.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => step.as_mut().poll(context).map(Some),
    })
    .await
}

/// The answer of a step that the caller ended.
fn interrupted(session: &Session, command: &str) -> Response {
    let begun = session.call.progress.may_have_begun_itself(session.memory.gestures());
    let text = format!("ended by the person: `{command}` wasn't carried out to its end");
    Problem { begun, ..Problem::new(Code::Denied, text).hint("handeye state") }.into()
}

/// Runs one step.
async fn call(session: &mut Session, request: Request) -> Response {
    match find(&request.command).map(|entry| &entry.run) {
        Some(Run::Aim(aiming)) => Box::pin(aimed::run(session, request, *aiming)).await,
        _ => one_call::call(session, request).await,
    }
}

impl Batched {
    fn stop(&mut self, at: usize, why: String) {
        self.stopped_at = Some(at);
        self.reason = Some(why);
    }
}

/// The call that a step is, under what holds for the whole list.
fn request_of(step: &Step, is_last: bool, left: Option<f64>, flags: &Flags) -> Request {
    let asks_models = find(&step.command).is_some_and(|entry: &Entry| (entry.asks_models)(&step.args));
    let limits = [step.timeout, left.map(|left| left.max(0.0))];
    let flags = Flags {
        return_state: step.return_state.or(flags.return_state.filter(|_| is_last)),
        timeout: limits.into_iter().flatten().reduce(f64::min),
        window: step.window.clone().or_else(|| flags.window.clone()),
        tab: step.tab.clone().or_else(|| flags.tab.clone()),
        backend: step.backend.or(flags.backend),
        keys: if asks_models { flags.keys.clone() } else { ModelKeys::default() },
        ..flags.clone()
    };
    Request { command: step.command.clone(), args: step.args.clone(), flags }
}

/// The commands that an answer says to run next, taken out of it: the list says them once, as each front end writes them.
fn hints_of(response: &mut Response) -> Vec<Hint> {
    let mut hints = std::mem::take(&mut response.hints);
    if let Some(problem) = &mut response.error {
        hints.append(&mut problem.hints);
    }
    // Of what else is answered, members are the command's own.
    let receipt = response.result.as_mut().filter(|result| result.get("verdict").is_some());
    receipt.and_then(serde_json::Value::as_object_mut).map(|members| members.remove("hints"));
    hints
}

/// What keeps the rest from being run: a problem, a verdict, or what nobody asked for.
fn amiss(response: &Response, unexpected: Option<&str>) -> Option<String> {
    if let Some(problem) = &response.error {
        return Some(format!("error[{}]: {}", problem.code.word(), problem.told()));
    }
    if response.status != Status::Ok {
        let verdict = response.result.as_ref().and_then(|result| result.get("verdict")?.as_str().map(str::to_owned));
        return Some(format!(
            "it is {}",
            verdict.map_or_else(|| "not confirmed".into(), |word| word.replace('_', " "))
        ));
    }
    unexpected.map(str::to_owned)
}

fn stepped(number: usize, step: &Step, response: Response, unexpected: Option<String>, seconds: f64) -> Stepped {
    let Response { status, result, text, state, error, .. } = response;
    let text = text.unwrap_or_default();
    let command = find(&step.command).map_or_else(|| step.command.clone(), |entry| entry.name.to_owned());
    Stepped { step: number, line: step.line, command, status, result, state, error, unexpected, seconds, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(command: &str, args: serde_json::Value) -> Step {
        Step { command: command.into(), args, ..Step::default() }
    }

    #[test]
    fn what_can_not_be_meant_is_named_by_its_place() {
        let fine = || step("click", json!({ "ref": 3 }));
        for (wrong, says) in [
            (step("clik", json!({})), "there is no command `clik`"),
            (step("click", json!({ "reff": 3 })), "there is no `reff`"),
            (step("click", json!({ "ref": "three" })), "invalid type"),
            (step("batch", json!({ "steps": [] })), "can't be in a list"),
            (step("doctor", json!({})), "doesn't run in a session"),
            (Step { timeout: Some(-1.0), ..fine() }, "`timeout` takes seconds"),
        ] {
            let plan = Plan { steps: vec![fine(), wrong], keep_going: true };
            let problem = check(&plan).expect_err("it is wrong");
            assert_eq!(problem.code, Code::BadRequest);
            assert!(problem.message.starts_with("step 2: ") && problem.message.contains(says), "{}", problem.message);
            assert!(problem.message.ends_with("; nothing was run"));
        }
        assert!(check(&Plan { steps: Vec::new(), keep_going: false }).is_err());
        assert!(check(&Plan { steps: vec![fine(); MOST + 1], keep_going: false }).is_err());
        assert!(check(&Plan { steps: vec![fine(); MOST], keep_going: false }).is_ok());
        let at = Step { line: Some(7), ..step("nothing", json!({})) };
        let problem = check(&Plan { steps: vec![at], keep_going: false }).expect_err("it is wrong");
        assert!(problem.message.starts_with("line 7: "), "{}", problem.message);
    }

    #[test]
    fn steps_are_known_by_the_commands_own_names() {
        let steps = vec![step("goto", json!({ "url": "http://b" })), step("tab", json!({})), step("click", json!({}))];
        let named = named(Plan { steps, keep_going: false });
        let names: Vec<&str> = named.steps.iter().map(|step| step.command.as_str()).collect();
        assert_eq!(names, ["open", "tabs", "click"]);
    }

    #[test]
    fn a_step_has_the_shorter_limit_and_keys_only_to_ask_models() {
        let keys = ModelKeys::new([("KEY".to_owned(), "secret-key-of-a-model".to_owned())]);
        let flags =
            Flags { timeout: Some(9.0), keys, return_state: Some(crate::ReturnState::Full), ..Flags::default() };
        let limit = |own, left| {
            request_of(&Step { timeout: own, ..step("state", json!({})) }, false, left, &flags).flags.timeout
        };
        assert_eq!(
            [limit(None, Some(4.0)), limit(Some(2.0), Some(4.0)), limit(Some(8.0), Some(4.0))],
            [Some(4.0), Some(2.0), Some(4.0)]
        );
        let request = request_of(&step("state", json!({})), false, None, &flags);
        assert!(request.flags.keys.is_empty() && request.flags.return_state.is_none());
        let request = request_of(&step("locate", json!({ "description": "the bin" })), true, None, &flags);
        assert!(!request.flags.keys.is_empty() && request.flags.return_state.is_some());
    }
}
