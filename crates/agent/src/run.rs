//! The loop: the model is asked, what it calls is carried out, and what came of it is told, until the task ends.

use crate::finish;
use crate::job::{End, Given, Job, Looked};
use crate::port::{Asks, Kept, Ports};
use crate::prompt;
use crate::recall::{Recall, question};
use crate::tools::{self, Offers};
use crate::transcript::Transcript;
use crate::{fence, own};
use handeye_engine::wording::shown;
use handeye_scene::chat::{ChatReply, ChatRequest, Stop};
use handeye_scene::task::{Outcome, Task, TaskReport};
use handeye_scene::{Code, ModelRole, Problem};
use std::time::{Duration, Instant};

/// Characters of the conversation at most; about a quarter of that in tokens.
const CONVERSATION: usize = 120_000;
/// A conversation that is shorter isn't refused for its length.
const LEAST: usize = 4_000;
/// Tokens of one answer at most.
const ANSWER: u32 = 4_096;
/// Answers in a row that call nothing, or can't be read, at most.
const MUTE: u32 = 3;
/// What a model is told that answered without a call.
const NUDGE: &str = "Answer by calling a tool. Call `finish` when the task is done, or can't be done.";

/// Works on a task until it ends. A problem is one that kept it from beginning; what comes later ends it with a report.
pub fn work(task: &Task, ports: &Ports<'_>) -> Result<TaskReport, Problem> {
    let begun = Instant::now();
    let validator = task.schema.as_ref().map(finish::validator).transpose()?;
    let kept = begin(task, ports)?;
    let text = kept.text.clone();
    let is_resumed = !kept.steps.is_empty() || !kept.ledger.constraints.is_empty();
    let mut job = Job::new(ports, validator, kept, task.annotated);
    let mut talk = Transcript::new(&format!("The task:\n{text}"));
    match &task.on {
        Some(on) if is_address(on) => job.open(on)?,
        Some(window) => {
            job.open("desktop:")?;
            job.window = Some(window.clone());
        }
        None => {}
    }
    if is_resumed {
        talk.pinned(own::LEDGER, &fence::fenced("the ledger", &job.told()));
    }
    let Looked { body, picture } = job.look()?;
    job.window = None;
    let offers = Offers { windows: job.is_on_desktop(), pictures: task.annotated };
    job.tools = tools::all(task.schema.as_ref(), offers);
    talk.shown("state", body);
    if let Some(picture) = picture {
        talk.pictured(picture);
    }
    let mut answers = 0;
    let store = ports.recalls.filter(|_| !task.annotated && !is_resumed);
    let mut recall = Recall::new(store, task.anew, ports.tell);
    let end = turns(task, ports, (&mut job, &mut talk, &mut recall), begun, &mut answers);
    let recalled = recall.count();
    // What a person answered is no answer to the next time.
    let is_done = end.as_ref().is_ok_and(|end| end.outcome == Outcome::Done) && job.ledger.questions.is_empty();
    if let Err(problem) = recall.end(is_done) {
        (ports.tell)(&format!("  {}", problem.message));
    }
    let end = end?;
    let used = ports.brain.used();
    Ok(TaskReport {
        outcome: end.outcome,
        reason: end.reason,
        answer: end.answer,
        ledger: job.ledger,
        steps: job.steps,
        model: ports.brain.model(),
        prompt: prompt::agent().version.to_owned(),
        answers: answers.saturating_sub(recalled),
        recalled,
        usage: used.usage,
        cost: used.cost,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

/// What the run begins with: the task, or what an earlier run kept of it.
fn begin(task: &Task, ports: &Ports<'_>) -> Result<Kept, Problem> {
    if task.resume {
        return ports.kept.clone().ok_or_else(|| {
            Problem::new(Code::NotFound, "this session has no task that could be gone on with")
                .hint("handeye do --help")
        });
    }
    if task.text.trim().is_empty() {
        return Err(
            Problem::new(Code::BadRequest, "the task is empty: say what is to be done").hint("handeye do --help")
        );
    }
    Ok(Kept { text: task.text.clone(), ..Kept::default() })
}

/// Whether what a task begins on is an address, rather than a part of a window's title.
fn is_address(on: &str) -> bool {
    let has_scheme = on
        .split_once(':')
        .is_some_and(|(scheme, _)| !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric()));
    on.starts_with("data:") || !on.contains(' ') && (has_scheme || on.contains('.'))
}

/// One turn after another.
fn turns(
    task: &Task,
    ports: &Ports<'_>,
    (job, talk, recall): (&mut Job<'_>, &mut Transcript, &mut Recall<'_>),
    begun: Instant,
    answers: &mut u32,
) -> Result<End, Problem> {
    let mut mute = 0;
    let mut room = CONVERSATION;
    loop {
        if let Some(reason) = limit(task, ports, *answers, begun) {
            return Ok(End::stopped(reason));
        }
        talk.compact(room, &job.told());
        let left = ports.limit.saturating_sub(begun.elapsed());
        let reply = match answer(&request(job, talk), job, recall, (ports, left)) {
            Ok(reply) => reply,
            Err(_) if (ports.cancelled)() => continue,
            Err(problem) if problem.code == Code::Timeout && begun.elapsed() >= ports.limit => continue,
            // A prompt that is too long for the model is refused as a request: it may take a shorter one. Many local servers have
            // room for a few thousand tokens, tools included.
            Err(problem) if problem.code == Code::BadRequest && talk.size().min(room) > LEAST => {
                room = talk.size().min(room) / 2;
                continue;
            }
            Err(problem) if problem.code == Code::Unavailable && mute < MUTE => {
                mute += 1;
                *answers += 1;
                (ports.tell)(&format!("  the model's answer can't be used: {}", shown::line(&problem.message, 200)));
                continue;
            }
            // Before anything was done, it is a problem like any other.
            Err(problem) if job.steps.is_empty() => return Err(problem),
            Err(problem) => return Ok(End::stopped(problem.to_string())),
        };
        *answers += 1;
        (ports.tell)(&told(*answers, task, &reply));
        let calls = talk.answered(&reply.text, &reply.calls);
        if calls.is_empty() {
            mute += 1;
            if mute >= MUTE {
                return Ok(End::stopped("the model answers without calling a tool"));
            }
            talk.say(if reply.stop == Stop::Length {
                "Your answer was cut off. Be shorter: call one tool."
            } else {
                NUDGE
            });
            continue;
        }
        mute = 0;
        let mut end = None;
        let mut is_halted = false;
        for (call, written) in calls.iter().zip(&reply.calls) {
            let given = if end.is_some() || is_halted {
                Given::back("not carried out: a call before it in the same answer didn't come out as meant")
            } else {
                // As the model wrote it, so that what is wrong with it can be told.
                job.carry(written)
            };
            is_halted |= given.failed;
            end = end.or(given.end);
            talk.result(&call.id, given.head, given.body, given.failed);
            if let Some(picture) = given.picture {
                talk.pictured(picture);
            }
            if end.is_none() {
                end = (ports.cancelled)().then(|| End::stopped(ENDED));
            }
        }
        if let Some(end) = end {
            return Ok(end);
        }
    }
}

/// The answer to a request: the one that is known, or the model's.
fn answer(
    request: &ChatRequest,
    job: &Job<'_>,
    recall: &mut Recall<'_>,
    (ports, left): (&Ports<'_>, Duration),
) -> Result<ChatReply, Problem> {
    let model = ports.brain.config().of(ModelRole::Agent)?;
    let question = question(&model, request, |number| job.is_shown(number));
    if let Some(known) = question.as_ref().and_then(|question| recall.find(question)) {
        (ports.tell)("  known from before: no model is asked");
        ports.brain.note_recalled(&known);
        return Ok(known);
    }
    let reply = ports.brain.ask(request, left, ports.cancelled)?;
    if let Some(question) = question {
        recall.note(question, &reply);
    }
    Ok(reply)
}

const ENDED: &str = "ended by the person";

fn request(job: &Job<'_>, talk: &Transcript) -> ChatRequest {
    ChatRequest {
        system: Some(prompt::agent().text.to_owned()),
        messages: talk.messages(),
        tools: job.tools.clone(),
        max_tokens: ANSWER,
        temperature: None,
    }
}

/// A line of progress about an answer.
fn told(number: u32, task: &Task, reply: &ChatReply) -> String {
    let said = shown::line(&reply.text, 160);
    let said = if said.is_empty() { String::new() } else { format!(" {said}") };
    format!("[{number}/{}]{said}", task.max_steps)
}

/// Which limit is reached, if one is.
fn limit(task: &Task, ports: &Ports<'_>, answers: u32, begun: Instant) -> Option<String> {
    reached((answers, task.max_steps), (begun.elapsed(), ports.limit), (ports.brain, (ports.cancelled)()))
}

fn reached(
    (answers, most): (u32, u32),
    (elapsed, limit): (Duration, Duration),
    (brain, is_cancelled): (&dyn Asks, bool),
) -> Option<String> {
    let (used, config) = (brain.used(), brain.config());
    let tokens = used.usage.total();
    if is_cancelled {
        return Some(ENDED.to_owned());
    }
    if answers >= most {
        return Some(format!("{answers} answers of the model were the limit (--max-steps)"));
    }
    if elapsed >= limit {
        return Some(format!("{} s were the limit (--timeout)", limit.as_secs_f64()));
    }
    if let Some(cap) = config.max_tokens.filter(|cap| tokens >= *cap) {
        return Some(format!("{tokens} tokens were used, and {cap} are the limit (--max-tokens, models.max_tokens)"));
    }
    if let Some(cap) = config.max_cost.filter(|cap| used.cost >= *cap) {
        return Some(format!("{:.4} was spent, and {cap:.4} is the limit (--max-cost, models.max_cost)", used.cost));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_from_a_title() {
        for (on, wanted) in [
            ("https://shop.example", true),
            ("shop.example", true),
            ("localhost:8080", true),
            ("about:blank", true),
            ("desktop:", true),
            ("data:text/html,<p>a b", true),
            ("Text Editor", false),
            ("Mail: Inbox", false),
            ("Untitled 1.txt - Editor", false),
            ("Calculator", false),
        ] {
            assert_eq!(is_address(on), wanted, "{on}");
        }
    }
}
