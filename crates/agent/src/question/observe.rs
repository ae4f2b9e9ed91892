//! `observe`: what could be done, as commands that aren't run.

use super::asking::{QuestionPorts, Seen, Thinking, Told, ask, look, warnings};
use super::learnt::{About, Learns, Proposal, again, candidate, learn, with};
use handeye_engine::wording::shown::quote;
use handeye_scene::Problem;
use handeye_scene::chat::{Tool, ToolCall};
use handeye_scene::question::{Observed, Observing};
use serde::Deserialize;
use serde_json::json;

/// The tool's name.
const OBSERVE: &str = "observe";
/// What may be proposed, and whether it takes a text.
const COMMANDS: [(&str, bool); 10] = [
    ("click", false),
    ("dblclick", false),
    ("rightclick", false),
    ("hover", false),
    ("focus", false),
    ("check", false),
    ("uncheck", false),
    ("expand", false),
    ("input", true),
    ("select", true),
];
/// Candidates of one answer at most.
const MOST: usize = 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    candidates: Vec<Proposed>,
    #[serde(default)]
    reasoning: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposed {
    command: String,
    mark_id: u64,
    expected_text: String,
    #[serde(default)]
    text: Option<String>,
    why: String,
}

/// What could be done to what is in sight towards an aim. Nothing is done.
pub fn observe(asked: &Observing, ports: &QuestionPorts<'_>) -> Result<Observed, Problem> {
    observe_in(asked, &look(ports)?, &ports.thinking, ports.learns)
}

/// The same of what was looked at. What was learnt before is told where it still holds; `anew`: the model is asked in any case.
pub fn observe_in(
    asked: &Observing,
    seen: &Seen,
    thinking: &Thinking<'_>,
    learns: &dyn Learns,
) -> Result<Observed, Problem> {
    let mut warnings = warnings(seen);
    let about = About::of(&seen.page.url, &asked.aim);
    let all = about.as_ref().map_or(Ok(Vec::new()), |_| learns.read()).unwrap_or_else(|problem| {
        warnings.push(problem.message);
        Vec::new()
    });
    let offered = COMMANDS.map(|(name, _)| name);
    let known = about.as_ref().filter(|_| !asked.anew).and_then(|about| again(&all, about, &seen.page, &offered));
    if let Some(known) = known {
        let candidates = known.into_iter().map(|proposal| candidate(proposal, &seen.page)).collect();
        return Ok(Observed { candidates, learnt: true, warnings, ..Observed::default() });
    }
    let was_learnt = |about: &About| all.iter().any(|learnt| learnt.is_about(about));
    let aim = &asked.aim;
    let question = format!(
        "Which actions on what is shown serve this aim, the likeliest first? Name none where nothing does. The aim: {aim}"
    );
    let is_known = about.as_ref().is_some_and(was_learnt);
    let asked_anew = ask(thinking, (&question, seen), tool(), |call| read(call, seen));
    let (found, model_calls) = asked_anew.map_err(|problem| if is_known { outdated(problem) } else { problem })?;
    if let Some(about) = about {
        let new = learn(about.clone(), &found.proposals, &seen.page);
        if new.is_some() || is_known {
            let written = learns.write(&with(all, &about, new));
            warnings.extend(written.err().map(|problem| problem.message));
        }
    }
    let candidates = found.proposals.into_iter().map(|proposal| candidate(proposal, &seen.page)).collect();
    let (model, usage) = (thinking.brain.model(), thinking.brain.used().usage);
    Ok(Observed { candidates, reason: found.reason, learnt: false, warnings, model, model_calls, usage })
}

/// The problem of a model that can't be asked where what was learnt doesn't hold.
fn outdated(mut problem: Problem) -> Problem {
    problem.message =
        format!("what was learnt of this aim isn't used here, and no model answers it anew: {}", problem.message);
    problem
}

/// Forgets what was learnt of an aim on a page: it led astray.
pub fn forget(url: &str, aim: &str, learns: &dyn Learns) -> Result<(), Problem> {
    let Some(about) = About::of(url, aim) else { return Ok(()) };
    let all = learns.read()?;
    if !all.iter().any(|learnt| learnt.is_about(&about)) {
        return Ok(());
    }
    learns.write(&with(all, &about, None))
}

fn tool() -> Tool {
    let names: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    let candidate = json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "enum": names},
            "mark_id": {"type": "integer", "minimum": 1, "description": "The target's number"},
            "expected_text": {"type": "string", "description": "What is shown for it, copied; empty where it shows no text"},
            "text": {"type": ["string", "null"], "description": "For input the new content, for select the option; else null"},
            "why": {"type": "string", "description": "What it would do, in a few words"},
        },
        "required": ["command", "mark_id", "expected_text", "why"],
        "additionalProperties": false,
    });
    let parameters = json!({
        "type": "object",
        "properties": {
            "candidates": {"type": "array", "maxItems": MOST, "items": candidate},
            "reasoning": {"type": "string", "description": "Why these; where there is none, what is shown instead"},
        },
        "required": ["candidates", "reasoning"],
        "additionalProperties": false,
    });
    Tool { name: OBSERVE.to_owned(), description: "Name actions, the likeliest first".to_owned(), parameters }
}

/// What of an answer holds, and what the model says where nothing does.
struct Found {
    proposals: Vec<Proposal>,
    reason: Option<String>,
}

/// Holds each candidate to what is shown.
fn read(call: &ToolCall, seen: &Seen) -> Told<Found> {
    let Call { candidates, reasoning } = match serde_json::from_str(&call.arguments) {
        Ok(call) => call,
        Err(e) => return Told::Back(format!("the arguments can't be read: {e}"), None),
    };
    let (mut good, mut wrong) = (Vec::new(), Vec::new());
    for proposed in candidates.into_iter().take(MOST) {
        match held(proposed, seen) {
            Ok(proposal) => good.push(proposal),
            Err(why) => wrong.push(why),
        }
    }
    let reason = good.is_empty().then_some(reasoning);
    let found = Found { proposals: good, reason };
    match wrong.is_empty() {
        true => Told::Good(found),
        false => Told::Back(wrong.join("\n"), (!found.proposals.is_empty()).then_some(found)),
    }
}

fn held(proposed: Proposed, seen: &Seen) -> Result<Proposal, String> {
    let Proposed { command, mark_id, expected_text, text, why } = proposed;
    let known = COMMANDS.iter().find(|(name, _)| *name == command);
    let Some(&(name, takes_text)) = known else { return Err(format!("{} can't be proposed", quote(&command, 40))) };
    let Some(mark) = seen.marks.get(&mark_id) else { return Err(format!("there is no target [{mark_id}]")) };
    if !mark.shows(&expected_text) || expected_text.trim().is_empty() && mark.says_something() {
        let expected = quote(&expected_text, 120);
        return Err(format!("[{mark_id}] is {}, which doesn't show {expected}", mark.words()));
    }
    let text = match (text, takes_text) {
        (Some(text), true) => Some(text),
        (None, true) => return Err(format!("`{name}` of [{mark_id}] needs a text")),
        (_, false) => None,
    };
    // What says nothing is described: that is nothing to hold it to.
    let expect = if mark.says_something() { expected_text } else { String::new() };
    Ok(Proposal { command: name, number: mark_id, expect, text, why })
}
