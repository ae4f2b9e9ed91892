//! Whether a target is ready: visible, enabled, still, not covered, and able to take the action at all.

use crate::act::action::Action;
use crate::act::attempt::Act;
use crate::act::supported;
use crate::act::target::OnTarget;
use crate::matching;
use crate::wording::targets::{called, describe};
use handeye_scene::{Code, Cover, Probe, Problem, Receipt, State, Verdict};

impl OnTarget {
    /// A target that is already as asked needs no gesture.
    pub(super) fn already(&self, act: &mut Act<'_>, probe: &Probe) -> Option<Receipt> {
        let state = match (&act.request.action, probe.checked) {
            (Action::Check(on), Some(checked)) if *on == checked && !probe.states.has(State::Mixed) => {
                if *on {
                    "checked"
                } else {
                    "unchecked"
                }
            }
            _ => match act.request.action {
                Action::Expand(true) if probe.states.has(State::Expanded) => "expanded",
                Action::Expand(false) if probe.states.has(State::Collapsed) => "collapsed",
                _ => return None,
            },
        };
        let mut receipt = self.receipt(act, probe, Verdict::Confirmed);
        receipt.evidence.push(handeye_scene::Evidence::Already { state: state.into() });
        Some(receipt)
    }

    /// Why the target isn't ready, if it isn't. What can't ever change is a problem at once.
    pub(super) fn obstacle(&self, act: &mut Act<'_>, probe: &Probe) -> Result<Option<Problem>, Problem> {
        self.supported(act, probe)?;
        let action = &act.request.action;
        let name = match &self.located.shown {
            Some(shown) if !self.is_seen(act, probe) => act.called(probe.id, &shown.role, shown.words()),
            _ => self.name(act, probe),
        };
        let blocked =
            |why: String| Ok(Some(Problem::new(Code::Blocked, format!("can't {} {name}: {why}", action.verb()))));
        if let Some(dialog) = probe.behind.as_ref().filter(|_| action.needs_reach(probe)) {
            let what = if act.surface.web().is_some() { &dialog.role } else { "window" };
            let dialog = crate::observe::outline::quote(&dialog.name, 80);
            return blocked(format!("it is covered by {what} {dialog}, a dialog that must be closed first"))
                .map(|p| p.map(|p| p.hint("handeye state")));
        }
        if action.needs_enabled() && !probe.enabled {
            return blocked("it is disabled".into()).map(|p| p.map(|p| p.hint("handeye state")));
        }
        if !self.is_seen(act, probe) {
            return blocked("it isn't visible".into()).map(|p| p.map(|p| p.hint("handeye state")));
        }
        if matches!(action, Action::Input(_)) && probe.states.has(State::Readonly) {
            return blocked("it is read-only".into());
        }
        if let Some(menu) = open_menu(act, probe).filter(|_| action.needs_point(probe) && probe.point.is_none()) {
            let what = crate::observe::menus::called(&act.before, menu);
            return blocked(format!("it is covered by {what}, which is open: a click beside it would only close that"))
                .map(|p| p.map(|p| p.hint("handeye keys Escape").hint("handeye state")));
        }
        if action.needs_point(probe) && probe.point.is_none() {
            return blocked(match &probe.cover {
                Some(cover) => {
                    let cover_name = match cover.id.and_then(|id| act.memory.refs.number(id)) {
                        Some(number) => describe(number, &cover.role, &cover.name),
                        None => called(&cover.role, &cover.name),
                    };
                    format!("it is covered by {cover_name}")
                }
                None => {
                    "no point of it can be hit: it is inert or lets the pointer through, is outside of what can be scrolled into view, or has no size".into()
                }
            })
            .map(|p| p.map(|p| p.hint("handeye screenshot")));
        }
        if action.needs_point(probe) && !probe.still {
            return blocked("it keeps moving".into());
        }
        Ok(None)
    }

    /// Deeds that the element can't take at all.
    fn supported(&self, act: &mut Act<'_>, probe: &Probe) -> Result<(), Problem> {
        // A hint names the target by its number, as every command takes it.
        let number = act.memory.refs.mention(probe.id, || matching::shown_now(probe)).0;
        supported::supported(&act.request.action, probe, &self.name(act, probe), number)
    }
}

/// The open menu or list of a desktop that keeps the pointer from a target.
fn open_menu<'a>(act: &mut Act<'_>, probe: &'a Probe) -> Option<&'a Cover> {
    let is_desktop = act.surface.web().is_none();
    probe.cover.as_ref().filter(|cover| is_desktop && cover.role == "menu")
}
