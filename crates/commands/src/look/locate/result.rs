//! What `locate` returns, as text and as JSON.

use crate::Render;
use handeye_engine::locate::crosshair::search::Reason;
use handeye_engine::locate::crosshair::{Reply, Side};
use handeye_engine::locate::sight::asking::{Asked, Step};
use handeye_engine::locate::sight::{Sighted, Sought};
use handeye_engine::observe::outline::{Style, notice_line, quote, round, target_line};
use handeye_engine::wording::shown::{line, word as plain};
use handeye_scene::chat::Usage;
use handeye_scene::{Extra, Hint, Notice, Problem, Receipt, Rect, Target, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// What a search for an element came to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LocatorResult {
    /// The target: an element, or a region of pixels that no element stands for (`source` is `vision`).
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<Target>,
    /// Where what was found is, in CSS pixels of the main viewport, or pixels of the desktop's screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    rect: Option<Rect>,
    /// Whether it was found.
    success: bool,
    /// `found`; `not_found`: it is probable enough that there is no such element; `undecided`: the questions were used up, or
    /// the search couldn't go on (`problem`); `timeout`: the time was used up; `indistinct`: no question would tell more; `no_candidates`: there
    /// was nothing to ask about, and nothing was asked.
    reason: String,
    /// How probable what was found is; for `not_found`, that it isn't there.
    confidence: f64,
    /// Every question, in order.
    steps: Vec<StepShown>,
    /// Tokens that all answers took.
    usage: Usage,
    /// Whether something was scrolled.
    scrolled: bool,
    #[serde(flatten)]
    came: Came,
    /// What else is to be known: `moving` says that the page kept changing, so that pictures may show it otherwise than it was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Notice>,
    /// Commands to run next, where nothing was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<Hint>,
}

/// What came after the search.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Came {
    /// What kept it from going further: the model from being asked, what was found from being acted on, the page about each step
    /// from being written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<Problem>,
    /// What came of the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) receipt: Option<Receipt>,
    /// Where the page about each step is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) explained: Option<String>,
}

/// One question and what came of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StepShown {
    /// `crosshair` or `marks`.
    question: String,
    /// The place of the crosshair.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<(f64, f64)>,
    /// What was marked, from 1 on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marked: Vec<String>,
    /// What the answer says: of a crosshair of each line, of marks the number; `unreadable` where it says nothing, `none in time`
    /// where the time was up before it came.
    answer: String,
    /// How often it was asked until the answer could be read.
    tries: usize,
    /// The most probable candidates then; of a region, its edges.
    believed: Vec<Believed>,
    /// How probable it was then that it is none of the candidates.
    absent: f64,
    /// Name and version of the prompt.
    prompt: String,
    /// Tokens that it took.
    usage: Usage,
    /// Seconds that it took.
    seconds: f64,
}

/// A candidate and how probable it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Believed {
    /// In words.
    what: String,
    /// From 0 to 1.
    probability: f64,
}

impl StepShown {
    fn of(step: &Step) -> Self {
        let (question, at, marked) = match &step.asked {
            Asked::Crosshair { x, y } => ("crosshair", Some((round(*x), round(*y))), Vec::new()),
            Asked::Marks(called) => ("marks", None, called.clone()),
        };
        let believed = step.believed.iter().map(|(what, p)| Believed { what: what.clone(), probability: rounded(*p) });
        Self {
            question: question.into(),
            at,
            marked,
            answer: answer(step),
            tries: step.answers.len(),
            believed: believed.collect(),
            absent: rounded(step.absent),
            prompt: step.prompt.clone(),
            usage: step.usage,
            seconds: rounded(step.seconds),
        }
    }

    fn words(&self) -> String {
        let what = match self.at {
            Some((x, y)) => format!("crosshair at {x},{y}"),
            None => format!("{} marks", self.marked.len()),
        };
        let again = if self.tries > 1 { format!(" (asked {} times)", self.tries) } else { String::new() };
        let best =
            self.believed.first().map(|best| format!(" → {} {}", percent(best.probability), line(&best.what, 100)));
        format!("{what}: {}{again}{}", self.answer, best.unwrap_or_default())
    }
}

/// An answer in words.
pub(super) fn answer(step: &Step) -> String {
    match &step.reply {
        Reply::Sides { x, y } => format!("{}, {}", side(*x, ["left", "right"]), side(*y, ["above", "below"])),
        Reply::Mark(number) => format!("mark {}", number + 1),
        Reply::NoMark => "none of them".into(),
        Reply::Garbled if step.is_late => "none in time".into(),
        Reply::Garbled => "unreadable".into(),
    }
}

fn side(side: Option<Side>, [before, after]: [&'static str; 2]) -> &'static str {
    match side {
        Some(Side::Before) => before,
        Some(Side::After) => after,
        Some(Side::Crosses) => "crosses",
        Some(Side::Unseen) => "not found",
        None => "unreadable",
    }
}

pub(super) fn percent(probability: f64) -> String {
    format!("{:.1} %", probability * 100.0)
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

impl LocatorResult {
    /// The result of a search, and of what was done then.
    pub(super) fn of(sighted: Sighted, came: Came, sought: &Sought) -> Self {
        let hints = next(sighted.reason, sought);
        let came = Came { problem: sighted.problem.or(came.problem), ..came };
        let of_problem = came.problem.iter().flat_map(|problem| problem.hints.clone());
        Self {
            rect: sighted.found.as_ref().map(|target| target.rect),
            success: sighted.found.is_some(),
            reason: word(sighted.reason).into(),
            confidence: rounded(sighted.confidence),
            steps: sighted.steps.iter().map(StepShown::of).collect(),
            usage: sighted.usage,
            scrolled: sighted.scrolled,
            element: sighted.found.map(|target| *target),
            notices: sighted.notices,
            hints: of_problem.chain(hints).collect(),
            came,
        }
    }

    fn head(&self) -> String {
        let count = self.steps.len();
        let took = format!("{count} question{}", if count == 1 { "" } else { "s" });
        match &self.element {
            Some(target) => {
                let target = target_line(target, &Extra::default(), Style { verbose: false, ..Style::default() });
                format!("located {target} at confidence {} in {took}", percent(self.confidence))
            }
            None => format!("{} (confidence {}) after {took}", plain(&self.reason, 20), percent(self.confidence)),
        }
    }
}

/// Commands that may find more. `sought`: what was looked for, and how.
fn next(reason: Reason, sought: &Sought) -> Vec<Hint> {
    /// Questions, and seconds, at most.
    const MOST: (usize, f64) = (100, 600.0);
    let by_pixels = || (!sought.pixels).then(|| sought.again(&["--pixels"], &["--role"]));
    let better = match reason {
        Reason::Found => return Vec::new(),
        Reason::NotFound | Reason::NoCandidates => by_pixels().filter(|_| sought.within.is_none()),
        Reason::Indistinct => Some(Hint::from("handeye state --annotated")),
        Reason::Undecided => {
            let more = (sought.max_steps * 2).min(MOST.0);
            (more > sought.max_steps).then(|| sought.again(&["--max-steps", &more.to_string()], &[]))
        }
        Reason::OutOfTime => {
            // An answer takes seconds.
            let more = (sought.limit.as_secs_f64() * 2.0).ceil().clamp(60.0, MOST.1);
            (more > sought.limit.as_secs_f64()).then(|| sought.again(&["--timeout", &more.to_string()], &[]))
        }
    };
    std::iter::once(Hint::from("handeye state")).chain(better).collect()
}

impl Render for LocatorResult {
    fn render(&self) -> String {
        let mut out = self.head();
        for (number, step) in (1..).zip(&self.steps) {
            let _ = write!(out, "\n  {number}. {}", step.words());
        }
        if let Some(problem) = &self.came.problem {
            let _ =
                write!(out, "\n  it went no further: error[{}]: {}", problem.code.word(), line(&problem.message, 500));
        }
        if self.usage.total() > 0 {
            let _ = write!(out, "\n  {} + {} tokens", self.usage.input, self.usage.output);
        }
        if self.scrolled {
            out.push_str("\n  it was scrolled to look elsewhere");
        }
        for notice in &self.notices {
            let _ = write!(out, "\n{}", notice_line(notice));
        }
        if let Some(page) = &self.came.explained {
            let _ = write!(out, "\n  each step is shown in {}", quote(page, 500));
        }
        if let Some(receipt) = &self.came.receipt {
            let _ = write!(out, "\n{}", receipt.render());
        }
        out
    }

    fn hints(&self) -> Vec<Hint> {
        let of_receipt = self.came.receipt.iter().flat_map(|receipt| receipt.hints.iter());
        self.hints.iter().chain(of_receipt).cloned().collect()
    }

    fn verdict(&self) -> Verdict {
        match &self.came.receipt {
            _ if !self.success || self.came.problem.is_some() => Verdict::Contradicted,
            Some(receipt) => receipt.verdict,
            None => Verdict::Confirmed,
        }
    }
}

/// Its word in results.
pub(super) fn word(reason: Reason) -> &'static str {
    match reason {
        Reason::Found => "found",
        Reason::NotFound => "not_found",
        Reason::Undecided => "undecided",
        Reason::OutOfTime => "timeout",
        Reason::Indistinct => "indistinct",
        Reason::NoCandidates => "no_candidates",
    }
}
