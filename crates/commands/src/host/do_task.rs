//! `do`: lets the configured model work on a task by the commands of handeye.

use crate::core::render::count;
use crate::{Host, HostCommand, Render};
use handeye_engine::wording::shown::{self, address, line, quote};
use handeye_scene::task::{Constraint, Outcome, Proof, ProofKind, Step, Task, TaskReport};
use handeye_scene::{Code, Hint, Problem, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Bytes of a schema's file at most.
const SCHEMA: u64 = 1 << 20;
/// Characters of one text.
const TEXT: usize = 300;
/// Commands that press nothing and put nothing in.
const GENTLE: [&str; 10] = ["scroll", "hover", "wait", "state", "find", "inspect", "windows", "back", "open", "tabs"];
/// Answers of the model at most, where nothing says so.
const STEPS: u32 = 60;

/// Let the configured model do a task, and check what it says against evidence
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "The model is that of the role agent (`handeye models list`): any server of OpenAI's or Anthropic's\nwire that can call tools. It gets the page as numbered targets, names a number and the text that the\ntarget shows, and nothing is done where they don't match. The policy holds for it as for everyone;\nwhat it asks, you are asked. Ctrl-C ends it in order.\n\nA task that was done is known: as long as all that the model would be shown is word for word what it was\nshown then, its calls of then that act or look are used and checked anew, and it isn't asked for them; from\nwhere anything differs, it is.\n\nExit status: 0 done, each constraint proven; 1 unproven, failed or stopped; 2 a problem.\n\nExamples:\n  handeye do \"order two pears and stop before paying\" --on https://shop.example\n  handeye do \"which fruit is cheapest?\" --schema answer.json --json\n  handeye do --resume"
)]
pub struct Do {
    /// The task, in your words
    #[arg(value_name = "TASK", required_unless_present = "resume")]
    #[serde(default)]
    task: Option<String>,
    /// Where to begin: an address to open, or part of a window's title [default: what is open in the session]
    #[arg(long, value_name = "URL|WINDOW")]
    #[serde(default)]
    on: Option<String>,
    /// JSON Schema that the answer must satisfy
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    schema: Option<PathBuf>,
    /// Answers of the model at most [default: 60]
    #[arg(long, value_name = "N", value_parser = crate::core::value_parsers::whole("number of answers", 1_u32..=10_000, 60))]
    #[serde(default)]
    max_steps: Option<u32>,
    /// Tokens at most, where the settings (models.max_tokens) allow as many
    #[arg(long, value_name = "N", value_parser = crate::core::value_parsers::whole("number of tokens", 1_u64..=1_000_000_000, 200_000))]
    #[serde(default)]
    max_tokens: Option<u64>,
    /// Money at most, by the prices in the settings, where these (models.max_cost) allow as much
    #[arg(long, value_name = "AMOUNT", value_parser = crate::core::value_parsers::real("amount", 0.0..=1_000_000.0, 0.5))]
    #[serde(default)]
    max_cost: Option<f64>,
    /// Show the model pictures, too, with a numbered box around every target in view: for models that see
    #[arg(long)]
    #[serde(default)]
    annotated: bool,
    /// Ask the model even where an earlier run's answer is known
    #[arg(long)]
    #[serde(default)]
    anew: bool,
    /// Go on with the session's last task that didn't come to its end: with its ledger, and a new look
    #[arg(long, conflicts_with = "task")]
    #[serde(default)]
    resume: bool,
}

impl HostCommand for Do {
    const NAME: &'static str = "do";
    type Output = TaskReport;

    fn run(self, host: &dyn Host) -> Result<TaskReport, Problem> {
        let schema = self.schema.as_deref().map(read_schema).transpose()?;
        if !self.resume && self.task.as_deref().is_none_or(|task| task.trim().is_empty()) {
            return Err(Problem::new(Code::BadRequest, "the task is empty: say what is to be done")
                .hint("handeye do \"TASK\" --on URL"));
        }
        host.work(&Task {
            text: self.task.unwrap_or_default(),
            on: self.on,
            schema,
            max_steps: self.max_steps.unwrap_or(STEPS),
            max_tokens: self.max_tokens,
            max_cost: self.max_cost,
            resume: self.resume,
            annotated: self.annotated,
            anew: self.anew,
        })
    }
}

/// A schema from a file.
pub(crate) fn read_schema(path: &Path) -> Result<Value, Problem> {
    let failed = |why: String| Problem::new(Code::File, format!("the schema {}: {why}", path.display()));
    let size = std::fs::metadata(path).map_err(|e| failed(e.to_string()))?.len();
    if size > SCHEMA {
        return Err(failed(format!("it has {size} bytes, more than {SCHEMA}")));
    }
    let text = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
    serde_json::from_str(&text)
        .map_err(|e| Problem::new(Code::BadRequest, format!("the schema {} is no JSON: {e}", path.display())))
}

impl Render for TaskReport {
    fn render(&self) -> String {
        let mut out = self.outcome.word().to_owned();
        if let Some(reason) = &self.reason {
            let _ = write!(out, ": {}", line(reason, 4 * TEXT));
        }
        match &self.answer {
            Value::Null => {}
            Value::String(text) => {
                let _ = write!(out, "\n{}", shown::whole(text, 20_000));
            }
            other => {
                let _ = write!(out, "\n{}", shown::harmless(&other.to_string()));
            }
        }
        let ledger = &self.ledger;
        for constraint in &ledger.constraints {
            let _ = write!(out, "\n{}", constraint_line(constraint));
            if constraint.evidence.iter().any(|proof| proof.kind == ProofKind::Never) {
                let _ = write!(out, "\n   held to: {}", pressed(&self.steps));
            }
        }
        for fact in &ledger.facts {
            let place = fact.r#ref.map(|number| format!(" at {number}")).unwrap_or_default();
            let _ = write!(out, "\nfact {}{place} on {}", quote(&fact.text, TEXT), address(&fact.page));
        }
        for came in &ledger.meanwhile {
            let _ = write!(out, "\nmeanwhile, after step {}: {}", came.step, line(&came.text, TEXT));
        }
        for question in &ledger.questions {
            let answer = question.answer.as_deref().map_or("open".to_owned(), |answer| quote(answer, TEXT));
            let _ = write!(out, "\nquestion {}: {answer}", line(&question.question, TEXT));
        }
        let cost = if self.cost > 0.0 { format!(", cost {:.4}", self.cost) } else { String::new() };
        let recalled = match self.recalled {
            0 => String::new(),
            recalled => format!(", {recalled} known from before"),
        };
        let (input, output) = (self.usage.input, self.usage.output);
        let done = self.steps.iter().filter(|step| step.done).count();
        let _ = write!(
            out,
            "\n{} of {}{recalled}, {done} of {} steps done, {input} + {output} tokens{cost}, {:.0} s",
            count(self.answers as usize, "answer"),
            line(&self.model, 80),
            self.steps.len(),
            self.seconds
        );
        out
    }

    fn hints(&self) -> Vec<Hint> {
        if self.outcome == Outcome::Stopped { vec!["handeye do --resume".into()] } else { Vec::new() }
    }

    fn verdict(&self) -> Verdict {
        match self.outcome {
            Outcome::Done => Verdict::Confirmed,
            Outcome::Unproven => Verdict::Unverifiable,
            Outcome::Failed | Outcome::Stopped => Verdict::NoEffect,
        }
    }
}

/// A constraint with what proves it.
fn constraint_line(constraint: &Constraint) -> String {
    let proofs: Vec<String> = constraint.evidence.iter().map(proof_words).collect();
    let proofs = if proofs.is_empty() { "UNPROVEN".to_owned() } else { format!("proven by {}", proofs.join("; ")) };
    format!("{}. {}: {proofs}", constraint.id, line(&constraint.text, TEXT))
}

/// The steps that pressed something or put something in: what a claim that something was never done is weighed against.
fn pressed(steps: &[Step]) -> String {
    let words = |step: &Step| {
        let target = step.target.as_deref().map_or(String::new(), |target| format!(" {}", line(target, 120)));
        format!("step {}, {}{target}", step.number, line(&step.command, 30))
    };
    let pressing = steps.iter().filter(|step| step.done && !GENTLE.contains(&step.command.as_str()));
    let all: Vec<String> = pressing.map(words).collect();
    if all.is_empty() { "no step that pressed anything".to_owned() } else { all.join("; ") }
}

fn proof_words(proof: &Proof) -> String {
    let text = quote(&proof.text, 120);
    match (proof.kind, proof.r#ref, proof.step) {
        (ProofKind::Target, Some(number), _) => format!("{number} showing {text}"),
        (ProofKind::Address, ..) => format!("the address {}", address(&proof.page)),
        (ProofKind::Step, _, Some(step)) => format!("step {step}, {}", line(&proof.text, 120)),
        (ProofKind::Never, ..) => match (proof.forbidden, proof.text.is_empty()) {
            (Some(kind), true) => format!("no step of the kind `{}`", kind.word()),
            (Some(kind), false) => format!("no step of the kind `{}`, and none on {text}", kind.word()),
            (None, _) => format!("no step on {text}"),
        },
        _ => format!("{} showing {text}", address(&proof.page)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::Ref;
    use handeye_scene::task::{Fact, Ledger};

    fn report(outcome: Outcome, evidence: Vec<Proof>) -> TaskReport {
        let fact = Fact {
            text: "12 EUR\nfake".into(),
            r#ref: Some(Ref(4)),
            page: "http://a/".into(),
            reasoning: "price".into(),
        };
        let ledger = Ledger {
            constraints: vec![Constraint { id: 1, text: "two pears".into(), evidence }],
            facts: vec![fact],
            ..Ledger::default()
        };
        TaskReport {
            outcome,
            reason: None,
            answer: "Two pears.".into(),
            ledger,
            steps: Vec::new(),
            model: "m".into(),
            prompt: "agent/do 3".into(),
            answers: 3,
            recalled: 0,
            usage: handeye_scene::chat::Usage { input: 10, output: 2 },
            cost: 0.0,
            seconds: 1.0,
        }
    }

    #[test]
    fn the_answer_comes_with_its_evidence_and_only_done_is_confirmed() {
        let proof = Proof {
            kind: ProofKind::Page,
            text: "Pears: 2".into(),
            r#ref: None,
            step: None,
            forbidden: None,
            page: "http://a/".into(),
            after: 0,
        };
        let done = report(Outcome::Done, vec![proof]);
        assert_eq!(
            done.render(),
            "done\nTwo pears.\n1. two pears: proven by http://a/ showing \"Pears: 2\"\nfact \"12 EUR\\nfake\" at [4] on http://a/\n3 answers of m, 0 of 0 steps done, 10 + 2 tokens, 1 s"
        );
        assert_eq!(done.verdict(), Verdict::Confirmed);
        // What was never done stands beside all that was pressed.
        let never = Proof {
            kind: ProofKind::Never,
            text: "Pay".into(),
            r#ref: None,
            step: None,
            forbidden: None,
            page: "http://a/".into(),
            after: 0,
        };
        let step = |number, command: &str, done| Step {
            number,
            command: command.into(),
            arguments: Value::Null,
            target: Some("button \"Add\"".into()),
            says: Vec::new(),
            verdict: "confirmed".into(),
            done,
            page: String::new(),
        };
        let held = |steps: Vec<Step>| {
            let done = TaskReport { steps, ..report(Outcome::Done, vec![never.clone()]) };
            done.render().lines().nth(3).unwrap_or_default().to_owned()
        };
        assert_eq!(held(Vec::new()), "   held to: no step that pressed anything");
        let steps =
            vec![step(1, "scroll", true), step(2, "click", true), step(3, "click", false), step(4, "keys", true)];
        assert_eq!(held(steps), "   held to: step 2, click button \"Add\"; step 4, keys button \"Add\"");
        for outcome in [Outcome::Unproven, Outcome::Failed, Outcome::Stopped] {
            let report = report(outcome, Vec::new());
            assert_ne!(report.verdict(), Verdict::Confirmed);
            assert!(report.render().contains("UNPROVEN"));
        }
    }
}
