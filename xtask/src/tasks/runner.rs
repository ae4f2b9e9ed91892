//! Runs a task: each step's command line, and the eye after it.

use super::{
    ending::{Ending, Said},
    line::{self, Named, Word},
    set::{Step, Task},
};
use crate::run::{Fail, Outcome, Ran};
use serde_json::{Value, json};
use std::{
    thread,
    time::{Duration, Instant},
};

/// How long an effect may take to come, after the command has returned.
const LATE: Duration = Duration::from_secs(4);
/// How long after a command that must do nothing is looked whether it did.
const STILL: Duration = Duration::from_millis(700);
/// How often a target is looked for that isn't listed yet.
const LOOKS: u32 = 3;

/// Where tasks are run: a page or an app, with the eye that looks at it.
pub(super) trait Stand {
    /// Has everything as it is at first.
    fn begin(&mut self, task: &Task) -> Outcome;
    /// Runs a command line of handeye, which answers in JSON or as text.
    fn handeye(&mut self, words: &[String], json: bool) -> Outcome<Ran>;
    /// Asks the eye.
    fn see(&mut self, check: &str) -> Outcome<Value>;
    /// What `{folder}` stands for in command lines and checks.
    fn folder(&self) -> String;
    /// What `{port}` stands for: that of the server of the pages.
    fn port(&self) -> String {
        String::new()
    }
    /// Ends what the task has left.
    fn end(&mut self) {}
}

/// What a task came to.
pub(super) struct Done {
    pub(super) name: String,
    pub(super) steps: Vec<Ended>,
    /// Whether every step was gone through, and came out as it should have.
    pub(super) done: bool,
    /// Why it could not even begin.
    pub(super) fault: Option<String>,
    pub(super) seconds: f64,
}

/// What a step came to.
pub(super) struct Ended {
    pub(super) number: usize,
    pub(super) line: String,
    pub(super) said: String,
    pub(super) reason: String,
    pub(super) ending: Ending,
    pub(super) wanted: String,
    pub(super) saw: String,
}

impl Done {
    pub(super) fn line(&self) -> String {
        let word = if self.done { "done" } else { "NOT DONE" };
        let mut text = format!("{word:<9} {:>5.1} s  {}", self.seconds, self.name);
        for step in self.steps.iter().filter(|step| step.ending != Ending::Right) {
            text.push_str(&format!("\n      {}", step.line_of_miss()));
        }
        if let Some(fault) = &self.fault {
            text.push_str(&format!("\n      {fault}"));
        }
        text
    }

    pub(super) fn count(&self, ending: Ending) -> usize {
        self.steps.iter().filter(|step| step.ending == ending).count()
    }
}

impl Ended {
    pub(super) fn line_of_miss(&self) -> String {
        let Self { number, line, said, reason, ending, wanted, saw } = self;
        let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
        format!("{}: step {number}: `{line}` said {said}{reason}; {wanted}, saw {saw}", ending.words())
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "step": self.number, "line": self.line, "said": self.said, "reason": self.reason,
            "ending": self.ending.words(), "wanted": self.wanted, "saw": self.saw,
        })
    }
}

/// Runs one task to its end, or to the first step that isn't done.
pub(super) fn task(stand: &mut dyn Stand, task: &Task) -> Done {
    let begun = Instant::now();
    let mut done = Done { name: task.name.clone(), steps: Vec::new(), done: false, fault: None, seconds: 0.0 };
    match stand.begin(task) {
        Err(fail) => done.fault = Some(format!("it could not begin: {}", fail.message)),
        Ok(()) => {
            for (at, step) in task.steps.iter().enumerate() {
                let ended = run_step(stand, at + 1, step).unwrap_or_else(|fail| broken(at + 1, step, &fail));
                let goes_on = ended.ending.goes_on();
                done.steps.push(ended);
                if !goes_on {
                    break;
                }
            }
            done.done = done.steps.len() == task.steps.len() && done.steps.iter().all(|step| step.ending.goes_on());
        }
    }
    stand.end();
    done.seconds = begun.elapsed().as_secs_f64();
    done
}

fn run_step(stand: &mut dyn Stand, number: usize, step: &Step) -> Outcome<Ended> {
    let folder = stand.folder();
    let check = step.check.replace("{folder}", &folder);
    // A check that holds already would prove nothing.
    if step.expect.is_empty() && !step.before && !check.is_empty() && holds(stand, &check, &step.is).0 {
        return Err(Fail::new(format!("the check `{check}` holds before the step already")));
    }
    let words = resolved(stand, &step.run, &folder)?;
    let ran = stand.handeye(&words, true)?;
    let (said, reason) = Said::read(&ran);
    let (kept, saw) = look(stand, &check, step);
    Ok(Ended {
        number,
        line: step.run.clone(),
        said: said.word().into(),
        reason,
        ending: Ending::of(&said, &step.expect, kept),
        wanted: if check.is_empty() { "no check".into() } else { format!("`{check}` should be {}", step.is) },
        saw,
    })
}

/// A step that could not be tried.
fn broken(number: usize, step: &Step, fail: &Fail) -> Ended {
    Ended {
        number,
        line: step.run.clone(),
        said: "nothing".into(),
        reason: fail.message.clone(),
        ending: Ending::NotDone,
        wanted: "it could not be tried".into(),
        saw: "nothing".into(),
    }
}

/// Whether the check holds, within the time that an effect may take; and what the eye saw last.
fn look(stand: &mut dyn Stand, check: &str, step: &Step) -> (bool, String) {
    if check.is_empty() {
        return (true, "nothing".into());
    }
    if !step.expect.is_empty() {
        thread::sleep(STILL);
        return holds(stand, check, &step.is);
    }
    let begun = Instant::now();
    loop {
        let (kept, saw) = holds(stand, check, &step.is);
        if kept || begun.elapsed() > LATE {
            return (kept, saw);
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn holds(stand: &mut dyn Stand, check: &str, wanted: &Value) -> (bool, String) {
    match stand.see(check) {
        Ok(saw) => (saw == *wanted, saw.to_string().chars().take(300).collect()),
        Err(fail) => (false, fail.message.chars().take(300).collect()),
    }
}

/// The words of a command line, with numbers for its targets.
fn resolved(stand: &mut dyn Stand, line: &str, folder: &str) -> Outcome<Vec<String>> {
    let words = line::words(line).map_err(Fail::new)?;
    let numbers = numbers(stand, &words)?;
    let mut numbers = numbers.into_iter();
    let port = stand.port();
    let word = |word: Word| match word {
        Word::Text(text) => text.replace("{folder}", folder).replace("{port}", &port),
        Word::Target(_) => numbers.next().unwrap_or_default(),
    };
    Ok(words.into_iter().map(word).collect())
}

/// Numbers of the targets, as an agent gets them: by a state, by one of all where that doesn't list them, and by looking
/// again.
fn numbers(stand: &mut dyn Stand, words: &[Word]) -> Outcome<Vec<String>> {
    let targets = || words.iter().filter_map(|word| if let Word::Target(named) = word { Some(named) } else { None });
    if targets().next().is_none() {
        return Ok(Vec::new());
    }
    let mut state = String::new();
    for look in 0..LOOKS {
        if look > 0 {
            thread::sleep(Duration::from_millis(500));
        }
        for more in [&[][..], &["--all"]] {
            let words: Vec<String> =
                ["state", "--budget", "none"].iter().chain(more).map(|&word| word.into()).collect();
            state = stand.handeye(&words, false)?.stdout;
            let found: Option<Vec<String>> = targets().map(|named| named.number(&state)).collect();
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }
    let missing: Vec<&Named> = targets().filter(|named| named.number(&state).is_none()).collect();
    let told: Vec<String> = missing
        .iter()
        .map(|named| {
            format!("no state lists {} {:?}; it lists {}", named.role, named.name, line::names(&state, &named.role))
        })
        .collect();
    Err(Fail::new(told.join("; ")))
}
