//! Asks the model: draws the question on the picture, reads the answer, and keeps a record of each step.

use super::prompt::{Prompt, Prompts};
use super::sought::{Among, Sought};
use super::views::{Part, View, within};
use crate::locate::crosshair::search::{Reason, Search, Settings, UNREAD};
use crate::locate::crosshair::{Marks, Question, Reply, reply};
use crate::perceive::judged::{MARKS, with_crosshair, with_marks};
use crate::perceive::pixels::encode;
use handeye_scene::chat::{ChatRequest, Message, Part as ChatPart, Stop, Usage};
use handeye_scene::{Clock, Code, ModelAccess, ModelRole, Models, Picture, Problem, Rect};
use std::time::Duration;

/// How often one question is put before an answer that can't be read is taken for no information (seed 1).
const TRIES: usize = 3;
/// Tokens of an answer at most: models that think first need some for that.
const ANSWER: u32 = 4_000;
/// Candidates of whom a step tells.
const TOLD: usize = 5;

/// What was asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// Where the element lies relative to a vertical line at `x` and a horizontal one at `y`, on the surface.
    Crosshair {
        /// Of the vertical line.
        x: f64,
        /// Of the horizontal line.
        y: f64,
    },
    /// Which of these it is, marked from 1 on.
    Marks(Vec<String>),
}

/// One question, its answers, and what was believed after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What was asked.
    pub asked: Asked,
    /// Name and version of the prompt.
    pub prompt: String,
    /// The prompt as it was sent.
    pub text: String,
    /// Every answer, or what the server said in place of one; all but the last could not be read.
    pub answers: Vec<String>,
    /// What the last one was read as.
    pub reply: Reply,
    /// Whether the time was up before an answer came that could be read.
    pub is_late: bool,
    /// Candidates in words and how probable each is, the most probable first; of a region, its edges.
    pub believed: Vec<(String, f64)>,
    /// How probable it is that it is none of them.
    pub absent: f64,
    /// What the answers took.
    pub usage: Usage,
    /// How long they took, in seconds.
    pub seconds: f64,
    /// What of the surface the picture shows.
    pub area: Rect,
    /// The picture as a PNG, where pictures are kept.
    pub picture: Vec<u8>,
}

/// Asks models about pictures.
pub struct Asker<'a> {
    models: &'a dyn Models,
    access: &'a ModelAccess,
    /// Every question so far.
    pub steps: Vec<Step>,
    prompts: Prompts,
    max_steps: usize,
    settings: Settings,
    keeps_pictures: bool,
    end: Duration,
    /// A question got no answer, for a problem that was handed back.
    pub(super) has_failed: bool,
    /// Questions running whose answers could not be read.
    unread: usize,
}

impl<'a> Asker<'a> {
    /// Asks these models, with what a call brings for that.
    pub fn new(models: &'a dyn Models, access: &'a ModelAccess) -> Self {
        Self {
            models,
            access,
            steps: Vec::new(),
            prompts: Prompts::new("", ""),
            max_steps: 0,
            settings: Settings::default(),
            keeps_pictures: false,
            end: Duration::ZERO,
            has_failed: false,
            unread: 0,
        }
    }

    pub(super) fn begin(&mut self, now: Duration, sought: &Sought) {
        self.prompts = Prompts::new(&sought.description, &sought.nonce);
        self.max_steps = sought.max_steps;
        self.end = now.saturating_add(sought.limit);
        self.keeps_pictures = sought.keeps_pictures;
        let (confidence, error) = (sought.confidence.clamp(0.5, 0.9999), sought.error);
        self.settings = Settings { max_steps: 0, marks: MARKS.len(), confidence, error, ..Settings::default() };
    }

    /// What all answers took.
    pub(super) fn usage(&self) -> Usage {
        let mut sum = Usage::default();
        self.steps.iter().for_each(|step| sum.add(step.usage));
        sum
    }

    /// Why no more may be asked, if so.
    pub(super) fn over(&self, clock: &dyn Clock) -> Option<Reason> {
        if clock.elapsed() >= self.end {
            return Some(Reason::OutOfTime);
        }
        (self.steps.len() >= self.max_steps).then_some(Reason::Undecided)
    }

    /// What ends a search whose answers can't be read, question after question.
    pub(super) fn unreadable(&self) -> Option<Problem> {
        let text = format!("{UNREAD} questions running were put {TRIES} times each, and no answer to them can be read");
        let problem = Problem::new(Code::Unavailable, text).hint("handeye models test");
        (self.unread >= UNREAD).then_some(problem)
    }

    /// Questions that are left.
    pub(super) fn left(&self) -> usize {
        self.max_steps.saturating_sub(self.steps.len())
    }

    /// How often the model errs, and how sure it must be: as the search is held to.
    pub(super) fn settings(&self) -> Settings {
        self.settings
    }

    /// Searches the candidates of one part of a view. `elsewhere`: how many candidates there are besides.
    pub(super) async fn among(
        &mut self,
        view: &View,
        part: &Part,
        elsewhere: usize,
        clock: &dyn Clock,
    ) -> Result<Among, Problem> {
        let candidates: Vec<_> = part.candidates.iter().filter_map(|at| view.candidates.get(*at)).collect();
        let size = (f64::from(part.picture.width()), f64::from(part.picture.height()));
        // Lines are drawn through what is in the picture, and nowhere else.
        let shown = |rect: &Rect| {
            let rect = within(part.in_picture(rect), Rect::new(0.0, 0.0, size.0, size.1));
            Rect::new(rect.x, rect.y, rect.width.max(0.0), rect.height.max(0.0))
        };
        let rects: Vec<Rect> = candidates.iter().map(|candidate| shown(&candidate.rect)).collect();
        let settings = Settings { max_steps: self.left(), ..self.settings }.among(candidates.len(), elsewhere);
        let mut search = Search::new(rects, settings).within(size);
        loop {
            let question = match search.next() {
                Ok(question) => question,
                Err(found) => {
                    let candidate = found.candidate.and_then(|at| part.candidates.get(at)).copied();
                    return Ok(Among { reason: found.reason, confidence: found.confidence, candidate });
                }
            };
            if let Some(reason) = self.over(clock) {
                let confidence = search.belief().best().1;
                return Ok(Among { reason, confidence, candidate: None });
            }
            let (question, mut step) = match question {
                Question::Crosshair { x, y } => (question, self.crosshair(part, (x, y), clock).await?),
                Question::Marks(Marks { candidates: marked, room }) => {
                    let places = search.boxes(&Marks { candidates: marked.clone(), room });
                    let called = marked.iter().filter_map(|at| candidates.get(*at)).map(|c| c.called.clone()).collect();
                    let (kept, step) = self.marks(part, &places, called, clock).await?;
                    // What got no mark was not asked about.
                    let shown: Vec<usize> = kept.iter().filter_map(|at| marked.get(*at)).copied().collect();
                    search.unshown(&marked, &shown);
                    let Some(step) = step else { continue };
                    (Question::Marks(Marks { candidates: shown, room }), step)
                }
            };
            search.learn(&question, step.reply);
            let belief = search.belief();
            let told = belief.ranked().into_iter().take(TOLD);
            step.believed =
                told.filter_map(|at| Some((candidates.get(at)?.called.clone(), belief.weight(at)))).collect();
            step.absent = belief.absent();
            self.steps.push(step);
        }
    }

    /// Asks about a crosshair at a place of a part's picture.
    pub(super) async fn crosshair(
        &mut self,
        part: &Part,
        (x, y): (f64, f64),
        clock: &dyn Clock,
    ) -> Result<Step, Problem> {
        let picture = with_crosshair(part.picture.clone(), x, y);
        let place = part.on_surface(&Rect::new(x, y, 0.0, 0.0));
        let asked = Asked::Crosshair { x: place.x, y: place.y };
        self.ask(ModelRole::Judge, asked, self.prompts.crosshair(), (&picture, part.area), clock).await
    }

    /// Asks which of these rects of a part's picture it is; beside the step stands which of them got a mark. Where there is no
    /// room for any, nothing is asked.
    pub(super) async fn marks(
        &mut self,
        part: &Part,
        rects: &[Rect],
        called: Vec<String>,
        clock: &dyn Clock,
    ) -> Result<(Vec<usize>, Option<Step>), Problem> {
        let (picture, kept) = with_marks(part.picture.clone(), rects);
        if kept.is_empty() {
            return Ok((kept, None));
        }
        let called: Vec<String> = kept.iter().filter_map(|at| called.get(*at)).cloned().collect();
        let prompt = self.prompts.marks(&called);
        let step = self.ask(ModelRole::Choose, Asked::Marks(called), prompt, (&picture, part.area), clock).await?;
        Ok((kept, Some(step)))
    }

    /// Puts one question, again where the answer can't be read.
    async fn ask(
        &mut self,
        role: ModelRole,
        asked: Asked,
        prompt: Prompt,
        (picture, area): (&Picture, Rect),
        clock: &dyn Clock,
    ) -> Result<Step, Problem> {
        let bytes = encode(picture)?;
        let image = ChatPart::Image { media_type: "image/png".into(), bytes: bytes.clone() };
        let parts = vec![image, ChatPart::Text { text: prompt.text.clone() }];
        let request =
            ChatRequest { messages: vec![Message::User { parts }], max_tokens: ANSWER, ..ChatRequest::default() };
        let began = clock.elapsed();
        let picture = if self.keeps_pictures { bytes } else { Vec::new() };
        let mut step = Step {
            asked,
            prompt: prompt.version,
            text: prompt.text,
            answers: Vec::new(),
            reply: Reply::Garbled,
            is_late: false,
            believed: Vec::new(),
            absent: 0.0,
            usage: Usage::default(),
            seconds: 0.0,
            area,
            picture,
        };
        let mut failed = None;
        for _ in 0..TRIES {
            let left = self.end.saturating_sub(clock.elapsed());
            match self.models.ask(self.access, role, &request, left).await {
                Ok(answer) => {
                    failed = None;
                    step.usage.add(answer.usage);
                    step.reply = match &step.asked {
                        Asked::Crosshair { .. } => reply::sides(&answer.text),
                        Asked::Marks(called) => reply::mark(&answer.text, called.len(), answer.stop != Stop::Length),
                    };
                    step.answers.push(crate::wording::shown::cut(&answer.text, 4_000));
                }
                // What isn't of the wire, and a refusal, are asked for again as what can't be read is.
                Err(problem) if problem.code == Code::Unavailable && !self.is_unset(role) => {
                    step.answers.push(format!("({})", problem.message));
                    failed = Some(problem);
                }
                // The search's time is up, which is one of the ways in which it ends.
                Err(problem) if problem.code == Code::Timeout && clock.elapsed() >= self.end => {
                    step.answers.push(format!("({})", problem.message));
                    step.is_late = true;
                }
                Err(problem) => return Err(self.failed(problem)),
            }
            if is_read(&step.reply) || clock.elapsed() >= self.end {
                break;
            }
        }
        step.seconds = clock.elapsed().saturating_sub(began).as_secs_f64();
        self.unread = match step.reply {
            // No answer is none that can't be read.
            Reply::Garbled if step.is_late => self.unread,
            Reply::Garbled => self.unread + 1,
            _ => 0,
        };
        match failed {
            // A server that answers nothing of use, again and again, is no model that doesn't know.
            Some(problem) if clock.elapsed() < self.end => Err(self.failed(problem)),
            _ => Ok(step),
        }
    }

    fn failed(&mut self, problem: Problem) -> Problem {
        self.has_failed = true;
        problem
    }

    fn is_unset(&self, role: ModelRole) -> bool {
        self.access.config.of(role).is_err()
    }
}

/// Whether an answer can be read whole.
fn is_read(reply: &Reply) -> bool {
    !matches!(reply, Reply::Garbled | Reply::Sides { x: None, .. } | Reply::Sides { y: None, .. })
}
