//! One action under way, what one try of it came to, and what all aims share.

use crate::act::action::Action;
use crate::act::drawn::{self, Drawn};
use crate::act::request::{ActionRequest, Asked};
use crate::observe::memory::Memory;
use crate::wording::targets::{called, describe};
use handeye_scene::{
    Capture, Clock, Code, Delivery, Gesture, Guard, NativeId, Probe, Problem, Receipt, Rect, Surface, TargetRule,
    Verdict, Withheld,
};
use std::time::Duration;

/// How long one wait for a change lasts while a target isn't ready.
pub(super) const GLANCE: Duration = Duration::from_millis(200);
/// One action under way.
pub(super) struct Act<'a> {
    pub(super) surface: &'a mut dyn Surface,
    pub(super) memory: &'a mut Memory,
    pub(super) clock: &'a dyn Clock,
    pub(super) request: &'a ActionRequest,
    /// Rules about targets.
    pub(super) rules: &'a [TargetRule],
    /// What a person can agree to, where that is what keeps it from being done.
    pub(super) asks: &'a mut Option<Asked>,
    /// The look before it.
    pub(super) before: Capture,
    /// Whether it is known that nothing had the focus as that look was taken, where nothing is said to have had it.
    pub(super) focus_is_told: bool,
    /// When what isn't ready is given up, by the clock.
    pub(super) deadline: Duration,
    /// Whether a gesture was begun, and what the surface shows may still be its doing.
    pub(super) is_watched: bool,
}

/// What one try came to.
pub(super) enum Tried {
    /// The gesture was performed.
    Done(Box<Done>),
    /// No gesture was performed; this says why.
    Answer(Box<Receipt>),
}

/// A gesture that was performed.
pub(super) struct Done {
    /// The element that it went to, as it was right before it. None: no element, as far as can be told.
    pub(super) probe: Option<Probe>,
    /// What a script drew there.
    pub(super) drawn: Option<Drawn>,
    pub(super) delivery: Delivery,
    /// The receipt with what is known beforehand.
    pub(super) receipt: Receipt,
    /// For keys: the target that had the focus.
    pub(super) focus: Option<NativeId>,
    /// Of a region: what it was told from, and where that was.
    pub(super) region: Option<Vec<(NativeId, Rect)>>,
}

impl Act<'_> {
    /// An element in words, with its number if it has one.
    pub(super) fn called(&self, id: NativeId, role: &str, words: &str) -> String {
        match self.memory.refs.number(id) {
            Some(number) => describe(number, role, words),
            None => called(role, words),
        }
    }

    /// Sends a gesture, and counts it where anything of it may have been done. Pointing at something does nothing.
    pub(super) async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        self.is_watched = true;
        if matches!(gesture, Gesture::Hover { .. }) {
            return self.surface.perform(gesture, guard).await;
        }
        self.memory.begin_gesture();
        let delivery = self.surface.perform(gesture, guard).await?;
        if let Delivery::Withheld(withheld) = &delivery
            && withheld.reached_nothing()
        {
            self.memory.take_back_gesture();
        }
        Ok(delivery)
    }

    /// Lets the surface know that no gesture is under way any more, if one was: what it does from here on is its own.
    pub(super) async fn rest(&mut self) {
        if std::mem::take(&mut self.is_watched) {
            self.surface.rest().await;
        }
    }

    /// What is drawn now where the gesture goes, at an element or in a window without a tree, with the pointer on it where the
    /// gesture puts it there: being pointed to is no effect of it.
    pub(super) async fn drawn(
        &mut self,
        probe: Option<&Probe>,
        gesture: &Gesture,
        guard: &Guard,
    ) -> Result<Option<Drawn>, Problem> {
        let window = self.before.treeless.filter(|_| probe.is_none());
        let probe = probe.filter(|probe| drawn::is_drawn(probe));
        if self.request.effect.is_zero()
            || matches!(self.request.action, Action::Hover)
            || window.is_none() && probe.is_none()
        {
            return Ok(None);
        }
        if let Gesture::Click { at, .. } | Gesture::Drag { from: at, .. } = *gesture {
            self.perform(&Gesture::Hover { at }, guard).await?;
            self.surface.settle(self.request.settle).await?;
        }
        Ok(match (probe, window) {
            (Some(probe), _) => Some(Drawn::before(self.surface, self.clock, probe).await),
            (None, Some(area)) => Some(Drawn::in_window(self.surface, self.clock, area).await),
            (None, None) => None,
        })
    }

    /// Does it to the page or window as a whole, which nothing needs to be known of.
    pub(super) async fn on_surface(&mut self) -> Result<Tried, Problem> {
        let Action::Scroll { dx, dy } = self.request.action else {
            let what = format!("can't {} a whole page or window: name a target", self.request.action.verb());
            return Err(Problem::new(Code::BadRequest, what).hint("handeye state"));
        };
        let delivery = self.perform(&Gesture::Scroll { at: None, dx, dy }, &Guard::default()).await?;
        let receipt = Receipt::new(self.done_words(), Verdict::NoEffect);
        Ok(Tried::Done(Box::new(Done { probe: None, drawn: None, delivery, receipt, focus: None, region: None })))
    }

    pub(super) fn surface_withheld(&mut self, withheld: &Withheld) -> Receipt {
        let there = withheld.actual.as_ref().map(|a| crate::wording::targets::called(&a.role, a.words()));
        let there = there.unwrap_or_else(|| "something else".into());
        self.refused(Verdict::Contradicted, format!("withheld: {there} lies over it"))
    }

    /// What a receipt calls what was done, where no target is named.
    pub(super) fn done_words(&mut self) -> String {
        let what = if self.surface.web().is_some() { "page" } else { "window" };
        self.request.done_words(what)
    }

    /// The receipt of what was not done, where no target is named.
    pub(super) fn refused(&self, verdict: Verdict, reason: String) -> Receipt {
        let mut receipt = Receipt::new(self.request.action.verb(), verdict);
        receipt.reason = Some(reason);
        receipt.hints = vec!["handeye state".into()];
        receipt
    }
}
