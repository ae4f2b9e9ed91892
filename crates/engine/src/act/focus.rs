//! Keys to what has the keyboard focus. It is held to a stated text, else to what it was last shown as.

use crate::act::action::Action;
use crate::act::attempt::{Act, Done, Tried};
use crate::matching::{self, Check, Expectation};
use crate::observe::outline::quote;
use handeye_scene::{
    Aim, Code, Gesture, Guard, Held, NativeId, Notice, Probe, Problem, Receipt, Shown, Verdict, Withheld,
};

/// What gets the keys.
pub(super) enum AtFocus<'a> {
    /// Whatever has the focus.
    Whatever,
    /// A field that was just filled, by its role and name.
    Filled(NativeId, &'a str, &'a str),
}

impl AtFocus<'_> {
    pub(super) async fn attempt(&self, act: &mut Act<'_>) -> Result<Tried, Problem> {
        let gesture = gesture(act)?;
        let has_focus = match self {
            AtFocus::Whatever => act.surface.focused().await?,
            AtFocus::Filled(native, ..) => Some(*native),
        };
        permit(act, has_focus)?;
        match has_focus {
            Some(id) => act.permit_press(id).await?,
            None => act.permit_unknown("nobody can say what has the keyboard")?,
        }
        // What has the focus may be no target, such as the page itself.
        let is_listed = |id: &NativeId| act.before.nodes.iter().any(|n| n.id == Some(*id));
        let focus = has_focus.filter(|id| matches!(self, AtFocus::Whatever) && is_listed(id));
        let asked = match self {
            AtFocus::Filled(native, ..) => Some(*native),
            AtFocus::Whatever => focus,
        };
        let probe = match asked {
            Some(native) => act.surface.probe(native, Aim::default()).await?,
            None => None,
        };
        let guard = match self.hold(act, has_focus, probe.as_ref()) {
            Ok(guard) if act.request.guarded => guard,
            Ok(_) => Guard::default(),
            Err(receipt) => return Ok(Tried::Answer(receipt)),
        };
        let drawn = act.drawn(probe.as_ref(), &gesture, &guard).await?;
        let delivery = act.perform(&gesture, &guard).await?;
        let mut receipt = Receipt::new(act.done_words(), Verdict::NoEffect);
        receipt.notices.extend(open_menu(act));
        Ok(Tried::Done(Box::new(Done { probe, drawn, delivery, receipt, focus, region: None })))
    }

    /// The guard under which the keys are sent, or the receipt that says why they aren't.
    fn hold(&self, act: &Act<'_>, has_focus: Option<NativeId>, probe: Option<&Probe>) -> Result<Guard, Box<Receipt>> {
        if let AtFocus::Filled(native, role, name) = self {
            let texts = vec![("name".to_owned(), matching::held(name, false))];
            let held = Held { role: Some((*role).to_owned()), texts, ..Held::default() };
            return Ok(Guard { target: Some(*native), held: Some(held), ..Guard::default() });
        }
        let expectation = &act.request.expectation;
        let following = Guard { target: has_focus, follow: true, ..Guard::default() };
        let refused = |verdict, reason: String| Err(Box::new(act.refused(verdict, reason)));
        let Some(probe) = probe else {
            return match expectation {
                Expectation::Text(_) => {
                    refused(Verdict::Contradicted, "not sent: nothing that could be checked has the focus".into())
                }
                _ => Ok(self.any(act, following)),
            };
        };
        let shown = act.memory.refs.number(probe.id).and_then(|n| act.memory.refs.get(n)).map(|k| k.shown.clone());
        let is_in_row = *expectation == Expectation::Any || matching::is_in_row(shown.as_ref(), probe);
        match matching::check(expectation, shown.as_ref(), probe, &act.memory.mask) {
            Check::Holds(_) if !is_in_row => {
                let what =
                    format!("not sent: the focus is on {} in a row that is about something else now", probe.role);
                refused(Verdict::Contradicted, what)
            }
            Check::Holds(fields) => Ok(self.any(act, held_guard(act, (probe, shown), fields))),
            Check::Unverifiable => refused(Verdict::Unverifiable, "what has the focus has no text to check".into()),
            Check::Fails { actual } => {
                let what = format!("not sent: the focus is on {} {}", probe.role, quote(&actual, 80));
                refused(Verdict::Contradicted, what)
            }
        }
    }

    /// The guard, unless nothing is expected of what takes the keys: then all that counts is that it may take them.
    fn any(&self, act: &Act<'_>, guard: Guard) -> Guard {
        match act.request.expectation {
            Expectation::Any if act.request.denied.is_empty() => Guard::default(),
            Expectation::Any => Guard { target: guard.target, follow: true, ..Guard::default() },
            _ => guard,
        }
    }

    pub(super) fn withheld(&self, act: &mut Act<'_>, done: &Done, withheld: &Withheld) -> Receipt {
        let how = if withheld.partial { "sent in part, then withheld" } else { "withheld" };
        let why = match (self, withheld.reason.as_str()) {
            (_, "barred" | "cut off") => withheld.detail.clone(),
            (AtFocus::Filled(..), reason) => Some(reason.to_owned()),
            _ => None,
        };
        let why = why.unwrap_or_else(|| match &withheld.detail {
            Some(detail) => format!("the focus moved or its label changed: {detail}"),
            None => "the focus moved or its label changed".into(),
        });
        let mut receipt = act.refused(Verdict::Contradicted, format!("{how}: {why}"));
        receipt.notices.clone_from(&done.receipt.notices);
        receipt
    }
}

fn gesture(act: &Act<'_>) -> Result<Gesture, Problem> {
    match &act.request.action {
        Action::Type { text, pace_ms } => Ok(Gesture::Type { text: text.clone(), pace_ms: *pace_ms }),
        Action::Keys { chords, .. } => Ok(Gesture::Keys(chords.clone())),
        other => {
            let what = format!("can't {} what has the focus: name a target", other.verb());
            Err(Problem::new(Code::BadRequest, what).hint("handeye state"))
        }
    }
}

/// Refuses keys to documents of origins that the policy denies, and where nobody can say which one has the keyboard.
fn permit(act: &mut Act<'_>, has_focus: Option<NativeId>) -> Result<(), Problem> {
    match has_focus {
        Some(id) => crate::policy::origin::permit(act.surface, id.document(), &act.request.denied, "type"),
        None if act.request.denied.is_empty() => Ok(()),
        None => {
            let what = "the policy denies an origin, and nobody can say which document has the keyboard";
            Err(Problem::new(Code::Denied, what).hint("handeye focus REF").hint("handeye config show"))
        }
    }
}

/// What the keys' events must find.
fn held_guard(act: &Act<'_>, (probe, shown): (&Probe, Option<Shown>), fields: Vec<(String, String)>) -> Guard {
    let mut held = matching::hold(shown.as_ref(), probe);
    // Text may be said in the row as it is typed; keys are held to it.
    let types = !matches!(act.request.action, Action::Keys { .. });
    held.row = held.row.filter(|_| !types);
    if matches!(act.request.expectation, Expectation::Text(_)) {
        let fields = fields.into_iter().filter(|(f, _)| f != "value" && f != "text").collect();
        matching::hold_fields(&mut held, fields);
        return Guard { target: Some(probe.id), held: Some(held), ..Guard::default() };
    }
    Guard { target: Some(probe.id), held: shown.map(|_| held), follow: true, ..Guard::default() }
}

/// On a desktop an open menu takes the keys, whatever has the focus.
fn open_menu(act: &mut Act<'_>) -> Option<Notice> {
    if act.surface.web().is_some() {
        return None;
    }
    let menu = crate::observe::menus::open_menu(&act.before)?;
    Some(Notice::new("open_menu", format!("the menu {} was open, and took the keys", quote(menu, 80))))
}
