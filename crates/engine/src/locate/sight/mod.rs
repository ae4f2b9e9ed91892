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
use handeye_scene::{Aim, Capture, Clock, NativeId, Problem, Surface};
use sought::Among;
pub use sought::{Found, Sought, check};
use std::collections::HashSet;
use views::View;

/// What a search came to.
#[derive(Debug, Clone)]
pub struct Sighted {
    /// What was found; only where [`Sighted::reason`] is `found`.
    pub found: Option<Found>,
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
}

/// How a search in one view goes on.
enum Next {
    Ended(Among),
    Scroll(NativeId),
}

/// Looks for an element. A problem is one of the surface, or of the model's server: what the model says is never one.
pub async fn seek(
    surface: &mut dyn Surface,
    memory: &mut Memory,
    clock: &dyn Clock,
    asker: Asker<'_>,
    sought: &Sought,
) -> Result<Sighted, Problem> {
    let mut seek =
        Seek { surface, memory, clock, asker, sought, seen: HashSet::new(), tried: HashSet::new(), scrolled: false };
    let (found, among) = seek.run().await?;
    let Seek { asker, scrolled, .. } = seek;
    let usage = asker.usage();
    Ok(Sighted { found, reason: among.reason, confidence: among.confidence, steps: asker.steps, usage, scrolled })
}

struct Seek<'a> {
    surface: &'a mut dyn Surface,
    memory: &'a mut Memory,
    clock: &'a dyn Clock,
    asker: Asker<'a>,
    sought: &'a Sought,
    /// Candidates that were in a view that was searched.
    seen: HashSet<NativeId>,
    /// Those that were scrolled to, whether they came into view or not.
    tried: HashSet<NativeId>,
    scrolled: bool,
}

impl Seek<'_> {
    async fn run(&mut self) -> Result<(Option<Found>, Among), Problem> {
        self.asker.begin(self.clock.elapsed(), self.sought);
        loop {
            let (capture, view) = views::look(self.surface, self.memory, self.sought, &self.seen).await?;
            if self.sought.pixels || self.is_free() && view.is_bare() && self.seen.is_empty() {
                return region::search(self.surface, &mut self.asker, self.clock, self.sought, &view).await;
            }
            match self.view(&view).await? {
                Next::Ended(among) => {
                    let found =
                        among.candidate.and_then(|at| view.candidates.get(at)).map(|c| self.show(&capture, c.node));
                    return Ok((found.flatten(), among));
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
        let mut last = Among { reason: Reason::NotFound, confidence: 1.0, candidate: None };
        for (number, part) in view.parts.iter().enumerate() {
            if part.candidates.is_empty() {
                continue;
            }
            let later: usize = view.parts.iter().skip(number + 1).map(|part| part.candidates.len()).sum();
            let elsewhere = if self.sought.visible { later } else { later + view.beyond.len() };
            last = self.asker.among(view, part, elsewhere, self.clock).await?;
            if last.reason != Reason::NotFound {
                return Ok(Next::Ended(last));
            }
        }
        self.seen.extend(view.candidates.iter().map(|candidate| candidate.id));
        let next = view.beyond.iter().find(|id| !self.tried.contains(id)).filter(|_| !self.sought.visible);
        Ok(match next {
            Some(_) if self.asker.is_over(self.clock) => {
                Next::Ended(Among { reason: Reason::Undecided, candidate: None, ..last })
            }
            Some(next) => Next::Scroll(*next),
            None => Next::Ended(last),
        })
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
    fn show(&mut self, capture: &Capture, node: usize) -> Option<Found> {
        let found = capture.nodes.get(node)?;
        let id = found.id?;
        let number = self.memory.refs.show_as(id, shown(capture, node));
        Some(Found::Element(Box::new(target(found, id, number))))
    }
}
