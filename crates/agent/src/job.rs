//! A task under way: what is known of it, and what a call of the model comes to.

mod ending;

use crate::decide::{Decided, Planned, decide};
use crate::evidence::{self, Look};
use crate::fence;
use crate::finish::Validator;
use crate::index::Index;
use crate::ledger;
use crate::meanwhile;
use crate::own::{Ask, Note, Own, Plan, Prove};
use crate::port::{Hand, Kept, Ports};
use crate::repeats::Repeats;
use crate::result;
use crate::steps_told;
use crate::tools::EXPECT;
use handeye_commands::dispatch::find;
use handeye_commands::{Effect, Entry, Response, ReturnState, Status};
use handeye_engine::matching::normalize;
use handeye_engine::wording::shown;
use handeye_scene::chat::{Tool, ToolCall};
use handeye_scene::task::{Fact, Ledger, Outcome, ProofKind, Step};
use handeye_scene::{Code, ModelRole, Problem, Ref};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Characters of a call in a line of progress.
const CALL: usize = 100;

/// What a look shows.
pub struct Looked {
    /// In words, as data.
    pub body: String,
    /// As a picture.
    pub picture: Option<Vec<u8>>,
}

/// A task under way.
pub struct Job<'a> {
    ports: &'a Ports<'a>,
    /// What the model may call.
    pub tools: Vec<Tool>,
    validator: Option<Validator>,
    /// The task, in the person's words.
    text: String,
    /// The ledger.
    pub ledger: Ledger,
    /// What was done.
    pub steps: Vec<Step>,
    index: Index,
    repeats: Repeats,
    /// Address of the page.
    page: String,
    /// What came of attempts to end it.
    ends: Ends,
    /// The window to look at.
    pub window: Option<String>,
    /// Whether the model is shown pictures, too.
    is_annotated: bool,
}

/// What came of attempts to end a task.
#[derive(Default)]
struct Ends {
    /// How often an answer was given back.
    given_back: u32,
    /// Whether the last look before the end was told of something.
    has_looked_back: bool,
    /// Constraints of which was told that what proves them can't be looked at again.
    told_old: BTreeSet<u32>,
}

/// What a call came to.
#[derive(Debug, Default)]
pub struct Given {
    /// What handeye says of it.
    pub head: String,
    /// What was shown, as data.
    pub body: Option<String>,
    /// What was shown, as a picture.
    pub picture: Option<Vec<u8>>,
    /// Whether it did what was asked.
    pub failed: bool,
    /// Where the task ends with it.
    pub end: Option<End>,
}

/// How a task ends.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// How.
    pub outcome: Outcome,
    /// Why, where it isn't done.
    pub reason: Option<String>,
    /// The model's answer.
    pub answer: Value,
}

impl End {
    /// Before the model was done.
    pub fn stopped(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Stopped, reason: Some(reason.into()), answer: Value::Null }
    }
}

impl Given {
    fn ok(head: impl Into<String>) -> Self {
        Self { head: head.into(), ..Self::default() }
    }

    /// Given back to the model: nothing was done.
    pub fn back(head: impl Into<String>) -> Self {
        Self { head: head.into(), failed: true, ..Self::default() }
    }
}

impl<'a> Job<'a> {
    /// One that begins, or goes on with what was kept.
    pub fn new(ports: &'a Ports<'a>, validator: Option<Validator>, kept: Kept, is_annotated: bool) -> Self {
        Self {
            ports,
            tools: Vec::new(),
            validator,
            is_annotated,
            text: kept.text,
            ledger: kept.ledger,
            steps: kept.steps,
            index: Index::default(),
            repeats: Repeats::default(),
            page: String::new(),
            ends: Ends::default(),
            window: None,
        }
    }

    /// Looks at the whole of what is shown, as data.
    pub fn look(&mut self) -> Result<Looked, Problem> {
        let args = if self.is_annotated { result::annotating() } else { Map::new() };
        let mut response = self.run("state", Value::Object(args), None)?;
        let picture = result::picture(&mut response, self.longest());
        match response.error {
            Some(problem) => Err(problem),
            None => Ok(Looked { body: result::body(&response, &self.page), picture }),
        }
    }

    /// Whether a number is that of a target that was shown.
    pub fn is_shown(&self, number: u64) -> bool {
        self.index.holds(number)
    }

    /// The longest side of a picture that a model is shown.
    fn longest(&self) -> u32 {
        self.ports.brain.config().image
    }

    /// Whether windows are worked on.
    pub fn is_on_desktop(&self) -> bool {
        self.page.starts_with(result::DESKTOP)
    }

    /// Opens what the task begins on.
    pub fn open(&mut self, url: &str) -> Result<(), Problem> {
        let response = self.run("open", json!({ "url": url }), None)?;
        response.error.map_or(Ok(()), Err)
    }

    /// Runs a command of handeye's own choice.
    fn run(&mut self, name: &str, args: Value, return_state: Option<ReturnState>) -> Result<Response, Problem> {
        let entry = find(name).ok_or_else(|| Problem::new(Code::Bug, format!("there is no command `{name}`")))?;
        Ok(self.hand(entry, args, return_state))
    }

    fn hand(&mut self, entry: &'static Entry, args: Value, return_state: Option<ReturnState>) -> Response {
        let response = self.ports.hands.call(Hand { entry, args, return_state, window: self.window.clone() });
        for shown in [&response.result, &response.state].into_iter().flatten() {
            self.index.note(shown);
        }
        if let Some(page) = result::page(&response) {
            self.page = page;
        }
        response
    }

    /// What a call of the model comes to.
    pub fn carry(&mut self, call: &ToolCall) -> Given {
        let given = match decide(call, &self.tools, &self.index) {
            Decided::Wrong(why) => self.wrong(call, &why),
            Decided::Own(own) => self.own(own),
            Decided::Command(planned) => {
                let given = self.command(planned);
                self.keep();
                return given;
            }
        };
        self.keep();
        let told = if given.failed { "given back" } else { "ok" };
        self.tell(&call.name, &call.arguments, &format!("{told}: {}", given.head));
        given
    }

    fn wrong(&mut self, call: &ToolCall, why: &str) -> Given {
        let called = format!("{} {}", call.name, call.arguments);
        if self.repeats.goes_round(&called) && self.repeats.warn() {
            return self.looped();
        }
        self.repeats.note(&called, why);
        Given::back(format!("nothing was done: {why}"))
    }

    fn tell(&self, name: &str, arguments: &str, verdict: &str) {
        let called = shown::line(&format!("{name} {arguments}"), CALL);
        (self.ports.tell)(&format!("  {called}: {}", shown::line(verdict, 2 * CALL)));
    }

    fn looped(&self) -> Given {
        let why = "the model goes round in circles: the same calls again and again, with the same results";
        Given { end: Some(End::stopped(why)), ..Given::back(why) }
    }

    fn command(&mut self, planned: Planned) -> Given {
        let Planned { entry, mut args, acts, described, window } = planned;
        if self.is_annotated && entry.name == "state" && result::ANNOTATED.iter().all(|name| !args.contains_key(*name))
        {
            args.extend(result::annotating());
        }
        let written = Value::Object(args.clone()).to_string();
        if acts && self.ledger.constraints.is_empty() {
            self.tell(entry.name, &written, "given back: no constraints yet");
            return Given::back("nothing was done: first state the task's constraints, by `plan`");
        }
        let called = format!("{} {written}", entry.name);
        if self.repeats.goes_round(&called) {
            self.tell(entry.name, &written, "given back: the same as before");
            if self.repeats.warn() {
                return self.looped();
            }
            return Given::back(
                "nothing was done: the same calls brought the same results each time. Look anew, scroll, or choose another way",
            );
        }
        // What it may change is told with it.
        let changes = acts || may_change(entry, &args);
        let returned = (changes || entry.name == "wait").then_some(ReturnState::Change);
        let number = self.steps.len() as u32 + 1;
        if changes {
            // Ahead of it: whoever goes on after the end of this process must know that it may have been done.
            self.steps.push(result::pending(number, entry.name, &args, &self.page));
            self.keep();
        }
        self.window = window;
        let (mut response, note) = self.described(entry, &args, described.as_deref(), returned);
        self.window = None;
        let picture = result::picture(&mut response, self.longest());
        let text = response.text.clone().unwrap_or_default();
        let problem = response.error.as_ref().map(ToString::to_string).unwrap_or_default();
        self.repeats.note(&called, &format!("{text}{problem}"));
        let verdict = result::verdict(&response);
        let mut head = format!("{}: {verdict}", entry.name);
        if let Some(step) = self.steps.last_mut().filter(|_| changes) {
            *step = result::step(number, entry.name, &args, &response, &self.page);
            head = format!("step {number}, {head}");
        }
        if let Some(note) = note {
            head.push('\n');
            head.push_str(&note);
        }
        self.tell(entry.name, &written, &verdict);
        let mut body = result::body(&response, &self.page);
        let fresh = self.note_meanwhile(&response);
        if !fresh.is_empty() {
            body.push_str(&format!("\nmeanwhile, by itself:\n{}", fenced_lines(&self.page, &fresh)));
        }
        Given { head, body: Some(body), picture, failed: response.status != Status::Ok, end: None }
    }

    /// Carries a command out. What a target without text is described as is judged by its picture where a model can; where none
    /// can say, the target is held to what was shown of it, and that is told.
    fn described(
        &mut self,
        entry: &'static Entry,
        args: &Map<String, Value>,
        described: Option<&str>,
        returned: Option<ReturnState>,
    ) -> (Response, Option<String>) {
        let Some(text) = described else { return (self.hand(entry, Value::Object(args.clone()), returned), None) };
        let mut why = "no model is configured that could look at its picture".to_owned();
        if self.ports.brain.config().of(ModelRole::Judge).is_ok() {
            let mut judged = args.clone();
            judged.insert(EXPECT.to_owned(), text.into());
            judged.insert("unverifiable".to_owned(), "refuse".into());
            let response = self.hand(entry, Value::Object(judged), returned);
            match result::unsettled(&response) {
                None => return (response, None),
                Some(told) => why = told,
            }
        }
        let note = format!(
            "the target shows no text: {} was compared with nothing ({}); it was held to what the state shows for it",
            shown::quote(text, CALL),
            shown::line(&why, 2 * CALL)
        );
        (self.hand(entry, Value::Object(args.clone()), returned), Some(note))
    }

    fn note_meanwhile(&mut self, response: &Response) -> Vec<String> {
        let came = meanwhile::of(response);
        let (step, page) = (self.steps.len() as u32, self.page.clone());
        let fresh = ledger::came_up(&mut self.ledger, came, step, &page);
        for text in &fresh {
            (self.ports.tell)(&format!("  meanwhile: {}", shown::line(text, 2 * CALL)));
        }
        fresh
    }

    fn own(&mut self, own: Own) -> Given {
        match own {
            Own::Plan(Plan { constraints }) => match ledger::plan(&mut self.ledger, &constraints) {
                Ok(()) => Given::ok(format!("{} constraints are held", self.ledger.constraints.len())),
                Err(why) => Given::back(why),
            },
            Own::Note(note) => self.note(&note),
            Own::Prove(prove) => self.prove(&prove),
            Own::Ask(ask) => self.ask(&ask),
            Own::Ledger => Given { body: Some(fence::fenced("the ledger", &self.told())), ..Given::ok("the ledger:") },
            Own::Finish(finish) => self.finish(finish),
        }
    }

    /// Looks for evidence; what was seen, or why nothing can be.
    fn see(&mut self, look: &Look) -> Result<Value, String> {
        let Some((name, args)) = look.command() else { return Ok(Value::Null) };
        let response = self.run(name, args, None).map_err(|problem| problem.message)?;
        match response.error {
            Some(problem) => Err(problem.message),
            None => Ok(response.result.unwrap_or_default()),
        }
    }

    fn note(&mut self, note: &Note) -> Given {
        let Note { mark_ids, expected_texts, reasoning } = note;
        if mark_ids.len() != expected_texts.len() || mark_ids.is_empty() {
            return Given::back(format!(
                "nothing was noted: there are {} mark_ids and {} expected_texts; the n-th text is what the n-th target shows",
                mark_ids.len(),
                expected_texts.len()
            ));
        }
        if reasoning.trim().is_empty() {
            return Given::back("nothing was noted: `reasoning` says what the facts are for");
        }
        let (mut kept, mut wrong) = (0, Vec::new());
        for (mark, text) in mark_ids.iter().zip(expected_texts) {
            let look = evidence::at(*mark);
            let text = text.trim();
            let checked = match text.is_empty() {
                true => Err("the text is empty".to_owned()),
                false => self.see(&look).and_then(|seen| evidence::shows(&seen, text)),
            };
            match checked {
                Ok(()) => {
                    kept += 1;
                    let number = u32::try_from(*mark).ok().filter(|number| *number > 0).map(Ref);
                    let (page, reasoning) = (self.page.clone(), shown::cut(reasoning, 200));
                    ledger::found(&mut self.ledger, Fact { text: text.to_owned(), r#ref: number, page, reasoning });
                }
                Err(why) => wrong.push(format!("[{mark}] {}: {why}", shown::quote(text, CALL))),
            }
        }
        if wrong.is_empty() {
            return Given::ok(format!("{kept} facts are noted"));
        }
        let body = Some(fenced_lines(&self.page, &wrong));
        Given { body, ..Given::back(format!("{kept} of {} facts are noted; these don't match:", mark_ids.len())) }
    }

    fn prove(&mut self, prove: &Prove) -> Given {
        if !self.ledger.constraints.iter().any(|known| known.id == prove.constraint) {
            let count = self.ledger.constraints.len();
            return Given::back(format!("there is no constraint {}; there are {count}", prove.constraint));
        }
        let proven = evidence::look(prove).and_then(|look| {
            self.check_wording(prove)?;
            let seen = self.see(&look)?;
            let proof = evidence::judge(prove, &seen, &self.steps, &self.page)?;
            ledger::prove(&mut self.ledger, prove.constraint, proof)
        });
        match proven {
            Ok(()) => Given::ok(format!("constraint {} is proven", prove.constraint)),
            Err(why) => {
                let body = Some(fenced_lines(&self.page, &[why]));
                Given { body, ..Given::back(format!("constraint {} is not proven by that:", prove.constraint)) }
            }
        }
    }

    /// Refuses to prove that nothing was done to what no target was shown to say: any other text was never touched either.
    fn check_wording(&self, prove: &Prove) -> Result<(), String> {
        let text = prove.expected_text.trim();
        if prove.by != ProofKind::Never || normalize(text).is_empty() || self.index.says(text) {
            return Ok(());
        }
        let quoted = shown::quote(text, CALL);
        Err(format!("no target that was shown says {quoted}: name what would do it as it is shown"))
    }

    fn ask(&mut self, ask: &Ask) -> Given {
        let question = ask.question.trim();
        if question.is_empty() {
            return Given::back("the question is empty");
        }
        let answer = self
            .ports
            .person
            .and_then(|person| person(&shown::line(question, 500)))
            .filter(|answer| !answer.trim().is_empty());
        ledger::asked(&mut self.ledger, question, answer.clone());
        match answer {
            Some(answer) => Given::ok(format!("the person answers: {}", shown::quote(&answer, 1_000))),
            None => Given::back(
                "nobody answers. Don't make the answer up: do what doesn't depend on it, then finish without success and say what is needed",
            ),
        }
    }

    /// Keeps what a later run goes on with.
    fn keep(&self) {
        (self.ports.keep)(&Kept { text: self.text.clone(), ledger: self.ledger.clone(), steps: self.steps.clone() });
    }

    /// The ledger in lines, with what was done.
    pub fn told(&self) -> String {
        format!("{}{}", ledger::lines(&self.ledger), steps_told::lines(&self.steps))
    }
}

/// Whether a call that doesn't act may change something all the same.
fn may_change(entry: &Entry, args: &Map<String, Value>) -> bool {
    let is_list = entry.name == "tabs" && args.get("action").is_some_and(|action| action == "list");
    !is_list && (entry.effect != Effect::Reads || entry.effect_of.is_some())
}

fn fenced_lines(page: &str, lines: &[String]) -> String {
    fence::fenced(&fence::origin(page), &lines.join("\n"))
}
