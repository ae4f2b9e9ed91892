//! Finding an element by having a model look at pictures: the search of [`super::crosshair`], over the ports.
//!
//! The candidates are the operable elements of a look. One screenshot is taken with it; on copies of that the crosshair, or marks,
//! are drawn, and the model's answers are evidence, never a verdict. What isn't in view is scrolled to once the model has not
//! found the element among what is ([`views`]). Without candidates the four edges are searched for ([`region`]).
//!
//! Start reading at [`seek`].

pub mod asking;
pub mod prompt;
mod region;
pub mod sought;
mod views;

use crate::locate::crosshair::search::Reason;
use crate::observe::memory::Memory;
use crate::observe::view::{shown, target};
use asking::{Asker, Step};
use handeye_scene::chat::Usage;
use handeye_scene::{Aim, Capture, Clock, Code, NativeId, NodeKind, Notice, Problem, Surface, Target};
use sought::{Among, changed};
pub use sought::{Sought, check};
use std::collections::HashSet;
use views::View;

/// How often a found element may look otherwise than the model was shown it before the search is given up.
const LOOKS: usize = 3;

/// What a search came to.
#[derive(Debug, Clone)]
pub struct Sighted {
    /// What was found, an element or a region, numbered; only where [`Sighted::reason`] is `found`.
    pub found: Option<Box<Target>>,
    /// Why it ended.
    pub reason: Reason,
    /// How probable what was found is, or that there is no such element.
    pub confidence: f64,
    /// Every question, in order.
    pub steps: Vec<Step>,
    /// What all answers took.
    pub usage: Usage,
    /// Whether something was scrolled.
    pub scrolled: bool,
    /// What kept the search from going further, after the model had been asked.
    pub problem: Option<Problem>,
    /// What else is to be known.
    pub notices: Vec<Notice>,
}

/// How a search in one view goes on.
enum Next {
    Ended(Among),
    Scroll(NativeId),
}

/// Looks for an element. A problem is one of the surface, or of the model's server before it answered anything: what the model
/// says is never one, and what was asked is never lost.
pub async fn seek(
    surface: &mut dyn Surface,
    memory: &mut Memory,
    clock: &dyn Clock,
    asker: Asker<'_>,
    sought: &Sought,
) -> Result<Sighted, Problem> {
    let (seen, unshown, tried) = (HashSet::new(), HashSet::new(), HashSet::new());
    let notices = Vec::new();
    let mut seek =
        Seek { surface, memory, clock, asker, sought, seen, unshown, tried, absent: None, scrolled: false, notices };
    let ran = seek.run().await;
    let Seek { asker, scrolled, notices, .. } = seek;
    let usage = asker.usage();
    let ((found, among), problem) = match ran {
        Ok(ended) => {
            let unreadable = asker.unreadable().filter(|_| ended.1.reason == Reason::Undecided);
            (ended, unreadable)
        }
        Err(problem) if (asker.has_failed || problem.code == Code::Stale) && !asker.steps.is_empty() => {
            let best = asker.steps.last().and_then(|step| step.believed.first()).map_or(0.0, |(_, best)| *best);
            ((None, Among { reason: Reason::Undecided, confidence: best, candidate: None }), Some(problem))
        }
        Err(problem) => return Err(problem),
    };
    let Among { reason, confidence, .. } = among;
    Ok(Sighted { found, reason, confidence, steps: asker.steps, usage, scrolled, problem, notices })
}

struct Seek<'a> {
    surface: &'a mut dyn Surface,
    memory: &'a mut Memory,
    clock: &'a dyn Clock,
    asker: Asker<'a>,
    sought: &'a Sought,
    /// Candidates that were in a view that was searched.
    seen: HashSet<NativeId>,
    /// Those that were in view, and in no part of its picture that was looked at.
    unshown: HashSet<NativeId>,
    /// Those that were scrolled to, whether they came into view or not.
    tried: HashSet<NativeId>,
    /// How probable it is that it is nowhere in what was searched; none where nobody was asked.
    absent: Option<f64>,
    scrolled: bool,
    notices: Vec<Notice>,
}

impl Seek<'_> {
    async fn run(&mut self) -> Result<(Option<Box<Target>>, Among), Problem> {
        self.asker.begin(self.clock.elapsed(), self.sought);
        let mut looks = 0;
        loop {
            let (capture, view) = views::look(self.surface, self.memory, self.sought, &self.seen).await?;
            let news = view.notice.iter().filter(|notice| !self.notices.contains(notice)).cloned();
            self.notices.extend(news.collect::<Vec<_>>());
            if self.sought.pixels || self.is_free() && view.is_bare() && self.seen.is_empty() {
                let (surface, memory) = (&mut *self.surface, &mut *self.memory);
                return region::search((surface, memory), &mut self.asker, self.clock, self.sought, (&capture, &view))
                    .await;
            }
            match self.view(&view).await? {
                Next::Ended(among) => {
                    let found = among.candidate.and_then(|at| view.candidates.get(at));
                    let Some(candidate) = found else { return Ok((None, among)) };
                    // What the model saw is what is found: an icon has nothing else by which it could be held.
                    let (surface, clock) = (&mut *self.surface, self.clock);
                    if let Some(now) = views::looks_the_same(surface, clock, &view, candidate, self.sought).await? {
                        return Ok((self.show(&now, candidate.id), among));
                    }
                    looks += 1;
                    if looks >= LOOKS || self.asker.over(self.clock).is_some() {
                        return Err(changed(self.sought));
                    }
                }
                Next::Scroll(next) => self.scroll_to(next).await?,
            }
        }
    }

    /// Whether nothing narrows the search to elements.
    fn is_free(&self) -> bool {
        self.sought.role.is_none() && self.sought.within.is_none()
    }

    /// Searches one view, a part of its picture after the other.
    async fn view(&mut self, view: &View) -> Result<Next, Problem> {
        let unshown = view.unshown();
        for (number, part) in view.parts.iter().enumerate() {
            if part.candidates.is_empty() {
                continue;
            }
            let later: usize = view.parts.iter().skip(number + 1).map(|part| part.candidates.len()).sum();
            let later = later + unshown.len();
            let elsewhere = if self.sought.visible { later } else { later + view.beyond.len() };
            let among = self.asker.among(view, part, elsewhere, self.clock).await?;
            if among.reason != Reason::NotFound {
                return Ok(Next::Ended(among));
            }
            self.absent = Some(self.absent.unwrap_or(1.0) * among.confidence);
        }
        self.seen.extend(view.candidates.iter().map(|candidate| candidate.id).filter(|id| !unshown.contains(id)));
        self.unshown.extend(unshown);
        self.unshown.retain(|id| !self.seen.contains(id));
        let next = view.beyond.iter().find(|id| !self.tried.contains(id)).filter(|_| !self.sought.visible);
        Ok(match (next, self.asker.over(self.clock)) {
            (Some(_), Some(reason)) => Next::Ended(self.without(reason)),
            (Some(next), None) => Next::Scroll(*next),
            // What nobody looked at may be it.
            (None, _) if !self.unshown.is_empty() => Next::Ended(self.without(Reason::Undecided)),
            (None, _) if self.absent.is_none() => Next::Ended(self.without(Reason::NoCandidates)),
            (None, _) => Next::Ended(self.without(Reason::NotFound)),
        })
    }

    /// How it ends where it was in nothing that was searched.
    fn without(&self, reason: Reason) -> Among {
        Among { reason, confidence: self.absent.unwrap_or(0.0), candidate: None }
    }

    /// Brings an element into view. One that doesn't come is not asked for again.
    async fn scroll_to(&mut self, id: NativeId) -> Result<(), Problem> {
        self.tried.insert(id);
        if self.surface.probe(id, Aim { scroll: true, ..Aim::default() }).await?.is_some() {
            self.scrolled = true;
            self.surface.settle(views::SCROLLING).await?;
            self.surface.rest().await;
        }
        Ok(())
    }

    /// Numbers what was found, and notes it as shown.
    fn show(&mut self, capture: &Capture, id: NativeId) -> Option<Box<Target>> {
        let node = capture.nodes.iter().position(|n| n.id == Some(id) && n.kind != NodeKind::Text)?;
        let found = capture.nodes.get(node)?;
        let number = self.memory.refs.show_as(id, shown(capture, node));
        Some(Box::new(target(found, id, number)))
    }
}
