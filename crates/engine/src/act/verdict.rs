//! What came of an action: evidence, and the verdict it supports.

use crate::act::action::Action;
use crate::act::mutations::{self, Aside};
use crate::act::outcome::{Outcome, Undirected};
use crate::act::read_back::{input_verdict, select_verdict, typed_verdict, upload_verdict};
use crate::act::{put_back, with_pointer};
use crate::observe::diff::{Differences, Fingerprint};
use crate::observe::memory::Memory;
use crate::observe::outline;
use handeye_scene::{
    Capture, Delivery, EditKind, Event, Evidence, Moved, NativeId, NodeKind, Notice, Probe, Problem, Receipt, Settled,
    State, Verdict,
};
use std::collections::HashSet;

/// Fills a receipt with evidence, changes and the verdict. `after` is none when the page can't be looked at, since a dialog
/// is open or it is gone.
pub fn judge(
    receipt: &mut Receipt,
    memory: &mut Memory,
    outcome: &Outcome,
    (before, after): (&Capture, Option<&Capture>),
    limit: usize,
) {
    // What is known beforehand is no effect.
    let own = receipt.evidence.len();
    // What pointing at the target shows in it is no effect of what was done.
    let resting = |capture: &Capture, probe: Option<&Probe>| match probe {
        Some(probe) => Fingerprint::of(capture).at_rest(probe),
        None => Fingerprint::of(capture),
    };
    let digests = after.map(|after| (resting(before, outcome.before), resting(after, outcome.after)));
    let mut settled = outcome.settled.clone();
    if let Some((earlier, later)) = &digests {
        // Keys lead nowhere by themselves.
        let is_keys = matches!(outcome.undirected, Some(Undirected::Keys { .. }));
        let link = outcome.before.and_then(|probe| probe.href.as_deref()).filter(|_| !is_keys);
        add_missed(&mut settled, earlier, later, link);
    }
    receipt.evidence.extend(outcome.resized.iter().cloned());
    let outcome = &Outcome { settled: &settled, resized: Vec::new(), ..*outcome };
    receipt.evidence.extend(outcome.settled.events.iter().filter_map(seen));
    let mut others = Differences::default();
    if let (Some(after), Some((earlier, later))) = (after, digests) {
        let limit = most_changes(outcome.settled, limit);
        others = differing(receipt, memory, (&earlier, later), &outcome.stirred.self_changing, limit);
        if let Some(number) = receipt.target.as_ref().map(|t| t.r#ref) {
            note_target(receipt, number, after, memory);
        }
    }
    if let Some(after) = after {
        note_focus(receipt, outcome, after);
    }
    own_evidence(receipt, outcome, (own, memory));
    let moved = Moved {
        by_motion: outcome.settled.moved.by_motion && !matches!(outcome.action, Action::Click { .. }),
        ..outcome.settled.moved
    };
    let beside = with_pointer::is_beside(outcome, &others, memory);
    if beside {
        receipt.evidence.retain(|e| !matches!(e, Evidence::Changes { .. }));
        others = Differences::default();
    }
    if let Some(after) = after {
        let aside = Aside { moved, stirred: outcome.stirred, after, target: outcome.before.map(|probe| probe.id) };
        mutations::note(receipt, own, &aside, &others, &memory.refs);
    }
    (receipt.verdict, receipt.reason) = verdict(receipt, outcome, (own, beside));
    note_fault(receipt, outcome);
    if receipt.verdict == Verdict::Unverifiable
        && (outcome.settled.busy
            || outcome.settled.awaits.is_some()
            || receipt.evidence.iter().any(mutations::is_unspecific))
    {
        receipt.hints.push("handeye wait --idle".into());
        receipt.hints.push("handeye state".into());
    }
}

/// Says that a field holds now what its form won't be sent with: it is in, but isn't taken.
fn note_fault(receipt: &mut Receipt, outcome: &Outcome) {
    let is_text = matches!(outcome.action, Action::Input(_) | Action::Type { .. });
    if let Some(fault) = outcome.after.filter(|_| is_text).and_then(Probe::fault) {
        let text = format!("the field doesn't accept this text: {}", outline::quote(fault, 200));
        receipt.notices.push(Notice::new("invalid", text));
    }
}

/// Adds to what was seen meanwhile that the page is another document where that happened beside the gesture: after the look
/// before it, or after it had got quiet. `link`: the address that the target leads to, if it is a link; a page that it led
/// to is none that loaded itself again.
fn add_missed(settled: &mut Settled, earlier: &Fingerprint, later: &Fingerprint, link: Option<&str>) {
    let Some(arrived) = earlier.arrived(later, link) else { return };
    if link.is_some_and(|link| earlier.was_led(later, link)) {
        settled.events.retain(|e| *e != Event::LoadedAgain);
    }
    if !settled.events.iter().any(Event::is_new_document) {
        settled.events.push(arrived);
    }
}

/// How many changes are listed: a new document's targets are all new, the count says it, and `state` shows them.
pub fn most_changes(settled: &Settled, limit: usize) -> usize {
    if settled.events.iter().any(Event::is_new_document) { 0 } else { limit }
}

/// Adds to a receipt what is different in a look from an earlier one, with at most `limit` changes listed. What of it doesn't
/// change by itself, as the surface tells.
pub fn differing(
    receipt: &mut Receipt,
    memory: &mut Memory,
    (earlier, later): (&Fingerprint, Fingerprint),
    self_changing: &HashSet<NativeId>,
    limit: usize,
) -> Differences {
    let differences = earlier.differences(&later);
    let others = differences.clone().without(self_changing);
    if !others.clone().without_noise(memory).is_empty() {
        let (changed, new, gone) = differences.tally();
        receipt.evidence.push(Evidence::Changes { changed, new, gone });
    }
    (receipt.changes, receipt.more_changes) = differences.show(earlier, &later, &mut memory.refs, limit);
    memory.look_after_action(later);
    others
}

/// The receipt names its target, so what it says of it is what the agent was last shown.
fn note_target(receipt: &Receipt, number: handeye_scene::Ref, after: &Capture, memory: &mut Memory) {
    let Some(native) = memory.refs.get(number).map(|k| k.native) else { return };
    let Some(target) = &receipt.target else { return };
    let unchanged = after
        .nodes
        .iter()
        .any(|n| n.id == Some(native) && n.kind != NodeKind::Text && n.role == target.role && n.name == target.words());
    if unchanged {
        memory.refs.show(native, &target.role, &target.name);
    }
}

/// An event as evidence.
fn seen(event: &Event) -> Option<Evidence> {
    Some(match event {
        Event::Navigated { url, again, .. } => Evidence::Navigated { again: *again, url: url.clone() },
        Event::WentItself { url, inside: false } => Evidence::Navigated { again: false, url: url.clone() },
        Event::WentItself { url, inside: true } => Evidence::DocumentNavigated { url: url.clone() },
        Event::LoadedAgain => return None,
        Event::DocumentNavigated { url } => Evidence::DocumentNavigated { url: url.clone() },
        Event::Dialog { kind, message } => Evidence::Dialog { dialog: kind.clone(), message: message.clone() },
        Event::Download { name, .. } => Evidence::Download { name: name.clone() },
        Event::DownloadBroken { name } => Evidence::DownloadBroken { name: name.clone() },
        Event::Unreachable { url } => Evidence::Unreachable { url: url.clone() },
        Event::NewTab { url, .. } => Evidence::NewTab { url: url.clone() },
        Event::FileChooser => Evidence::FileChooser,
        Event::FormHeld { role, name, message } => {
            Evidence::FormHeld { role: role.clone(), name: name.clone(), message: message.clone() }
        }
        Event::WindowOpened { title } => Evidence::WindowOpened { title: title.clone() },
        Event::WindowClosed { title } => Evidence::WindowClosed { title: title.clone() },
        Event::Requested { method, url } => Evidence::Requested { request: format!("{method} {url}") },
        Event::Gone { reason } => Evidence::Note { text: reason.clone() },
    })
}

/// Where the focus went by the keys.
fn note_focus(receipt: &mut Receipt, outcome: &Outcome, after: &Capture) {
    let (Some(Undirected::Keys { .. }), (before, now)) = (outcome.undirected, outcome.focus) else { return };
    if before == now {
        return;
    }
    let text = match now.and_then(|id| after.nodes.iter().find(|n| n.id == Some(id))) {
        Some(node) => {
            format!("the focus is now on {} {}", node.role, crate::observe::outline::quote(&node.name, 80))
        }
        None => "no target has the focus now".into(),
    };
    receipt.evidence.push(Evidence::Note { text });
}

/// What the element that got keys says of them: its new value, else where its caret is.
fn keys_evidence(evidence: &[Evidence], (before, after): (&Probe, &Probe), memory: &Memory) -> Option<Evidence> {
    if after.texts.value != before.texts.value {
        return Some(Evidence::Value { value: after.texts.value.clone() });
    }
    match (before.caret, after.caret) {
        (Some(from), Some(to)) if from != to && evidence.is_empty() => {
            Some(mutations::caret(after, memory.refs.number(after.id), (from, to)))
        }
        _ => None,
    }
}

/// What the target itself says of the action. `own`: how much of the evidence was known beforehand.
fn own_evidence(receipt: &mut Receipt, outcome: &Outcome, (own, memory): (usize, &Memory)) {
    let mut evidence = Vec::new();
    if let (Some(before), Some(after), Some(Undirected::Keys { .. })) =
        (outcome.before, outcome.after, outcome.undirected)
    {
        evidence.extend(keys_evidence(&receipt.evidence[own..], (before, after), memory));
    } else if let (Some(before), Some(after), None) = (outcome.before, outcome.after, outcome.undirected) {
        if before.checked != after.checked {
            evidence.push(property("checked", before.checked, after.checked));
        }
        for (state, word) in [(State::Expanded, "expanded"), (State::Pressed, "pressed"), (State::Selected, "selected")]
        {
            if before.states.has(state) != after.states.has(state) {
                evidence.push(property(word, Some(before.states.has(state)), Some(after.states.has(state))));
            }
        }
        let edited =
            matches!(outcome.action, Action::Input(_) | Action::Type { .. } | Action::Select(_) | Action::Upload(_));
        // What was there before tells nothing of what was typed.
        let is_news = !matches!(outcome.action, Action::Type { .. }) || after.texts.value != before.texts.value;
        if edited && is_news && !after.texts.value.is_empty() {
            evidence.push(Evidence::Value { value: after.texts.value.clone() });
        }
        let takes_focus = matches!(
            after.edit,
            EditKind::Text | EditKind::Contenteditable | EditKind::Cell | EditKind::Select | EditKind::Set
        );
        let focus_is_the_point =
            matches!(outcome.action, Action::Focus) || matches!(outcome.action, Action::Click { .. }) && takes_focus;
        if focus_is_the_point && after.states.has(State::Focused) {
            evidence.push(Evidence::Focused);
        }
    }
    if let Delivery::Delivered { moved: Some((dx, dy)), .. } = outcome.delivery
        && (*dx != 0.0 || *dy != 0.0)
    {
        evidence.push(Evidence::Scrolled { dx: *dx, dy: *dy });
    }
    if matches!(outcome.action, Action::Hover) && matches!(outcome.delivery, Delivery::Delivered { .. }) {
        evidence.push(Evidence::Hit);
    }
    receipt.evidence.append(&mut evidence);
}

fn property(name: &str, from: Option<bool>, to: Option<bool>) -> Evidence {
    let word = |v: Option<bool>| v.map_or_else(|| "none".to_owned(), |v| v.to_string());
    Evidence::Property { property: name.into(), from: word(from), to: word(to) }
}

/// `beside`: what looks tell of came with the pointer alone.
fn verdict(receipt: &Receipt, outcome: &Outcome, (own, beside): (usize, bool)) -> (Verdict, Option<String>) {
    let judged = match outcome.undirected {
        None => by_target(receipt, outcome),
        Some(_) => None,
    };
    judged.unwrap_or_else(|| match beside {
        false => by_evidence(&receipt.evidence[own..], receipt, outcome),
        true => with_pointer::by_rest(&receipt.evidence[own..], |rest| by_evidence(rest, receipt, outcome)),
    })
}

/// The verdict that the target itself decides, by what it holds or is after the action.
fn by_target(receipt: &Receipt, outcome: &Outcome) -> Option<(Verdict, Option<String>)> {
    let left = receipt.evidence.iter().any(|e| {
        matches!(e, Evidence::Navigated { .. } | Evidence::Dialog { .. } | Evidence::DocumentNavigated { .. })
    });
    let confirmed = (Verdict::Confirmed, None);
    let contradicted = |why: &str| (Verdict::Contradicted, Some(why.to_owned()));
    Some(match (outcome.action, outcome.after) {
        (Action::Input(text), Some(after)) => input_verdict(text, outcome, after),
        (Action::Check(_), Some(after)) if after.states.has(State::Mixed) => {
            contradicted("it is mixed, neither checked nor unchecked")
        }
        (Action::Check(on), Some(after)) if after.checked == Some(*on) => confirmed,
        (Action::Check(on), Some(_)) => contradicted(if *on { "it is still unchecked" } else { "it is still checked" }),
        (Action::Expand(on), Some(after)) if after.states.has(if *on { State::Expanded } else { State::Collapsed }) => {
            confirmed
        }
        (Action::Expand(on), Some(_)) => {
            contradicted(if *on { "it is still collapsed" } else { "it is still expanded" })
        }
        (Action::Select(wanted), Some(after)) => select_verdict(wanted, after),
        (Action::Focus, Some(after)) if after.states.has(State::Focused) => confirmed,
        (Action::Focus, Some(_)) => contradicted("it didn't take the focus"),
        (Action::Input(_) | Action::Check(_) | Action::Select(_) | Action::Type { .. } | Action::Upload(_), None)
            if !left =>
        {
            (Verdict::Unverifiable, Some("the target was gone before it could be read back".into()))
        }
        // Its answer may decide, and the page may set it back.
        (Action::Input(_) | Action::Check(_) | Action::Select(_) | Action::Expand(_) | Action::Upload(_), None)
            if has_dialog(receipt) =>
        {
            (Verdict::Unverifiable, Some("a dialog came up before it could be read back".into()))
        }
        (Action::Upload(paths), Some(after)) if !after.texts.value.is_empty() => upload_verdict(paths, after),
        // A page that wants no such file empties the input and says so, which is a change like any other.
        (Action::Upload(paths), Some(_))
            if !paths.is_empty() && held_back(&receipt.evidence).is_none() && !receipt.evidence.iter().any(is_sent) =>
        {
            (Verdict::Unverifiable, Some(EMPTIED.into()))
        }
        (Action::Type { text, .. }, Some(after))
            if held_back(&receipt.evidence).is_none()
                && outcome.before.is_some_and(|before| after.texts.value != before.texts.value) =>
        {
            typed_verdict(text, outcome.before.map_or("", |before| &before.texts.value), after)
        }
        // A field that is clicked or filled has its caret elsewhere, and a page asks and writes by itself.
        (Action::Type { .. }, Some(after)) if is_field(after) && receipt.evidence.iter().all(mutations::is_beside) => {
            let is_sure = receipt.evidence.iter().all(mutations::is_caret);
            let verdict = if is_sure { Verdict::NoEffect } else { Verdict::Unverifiable };
            (verdict, Some("the keys reached it, and it holds what it held before".into()))
        }
        _ => return None,
    })
}

fn is_field(probe: &Probe) -> bool {
    matches!(probe.edit, EditKind::Text | EditKind::Contenteditable)
}

/// The verdict that what was seen supports.
fn by_evidence(evidence: &[Evidence], receipt: &Receipt, outcome: &Outcome) -> (Verdict, Option<String>) {
    let unverifiable = |why: &str| (Verdict::Unverifiable, Some(why.to_owned()));
    let no_effect = |why: &str| (Verdict::NoEffect, Some(why.to_owned()));
    if let Some(reason) = held_back(evidence) {
        return (Verdict::Contradicted, Some(reason));
    }
    if let Some(unreached) = unreached(evidence) {
        return unreached;
    }
    // What happened since may be the page's own doing.
    if matches!(outcome.delivery, Delivery::Unseen) {
        return match has_dialog(receipt) {
            true => unverifiable("a dialog came up before it could be told whether it was done"),
            false => unverifiable(Undirected::unseen(outcome.undirected)),
        };
    }
    let proves_nothing = mutations::proves_nothing(evidence);
    if let Some(asked) = outcome.settled.awaits.as_ref().filter(|_| evidence.is_empty() || proves_nothing.is_some()) {
        let asked = crate::wording::shown::line(asked, ADDRESS);
        return unverifiable(&format!(
            "the page still waits for the answer to {asked}, and nothing was seen to change yet"
        ));
    }
    if let Some(why) = proves_nothing {
        return unverifiable(why);
    }
    if is_loaded_again(outcome.settled, evidence) {
        return unverifiable(LOADED_AGAIN);
    }
    if went_itself(outcome.settled, evidence) {
        return unverifiable(WENT_ITSELF);
    }
    let types = outcome.undirected.is_some() && matches!(outcome.action, Action::Type { .. });
    if types && mutations::is_look_alone(evidence) {
        return unverifiable(LOOK_ALONE);
    }
    if with_pointer::is_all(evidence, outcome) {
        return unverifiable(with_pointer::WHY);
    }
    if let Some((verdict, why)) = put_back::put_back(evidence, outcome) {
        return (verdict, Some(why.to_owned()));
    }
    if !evidence.is_empty() {
        return (Verdict::Confirmed, None);
    }
    if let Some(undirected) = outcome.undirected {
        return nothing_seen(outcome.settled, undirected.nothing_seen());
    }
    match outcome.action {
        _ if outcome.settled.busy => nothing_seen(outcome.settled, ""),
        Action::Scroll { .. } if matches!(outcome.delivery, Delivery::Delivered { moved: None, .. }) => {
            unverifiable(SCROLLED_UNTOLD)
        }
        Action::Scroll { .. } => {
            let what = receipt.action.strip_prefix("scrolled ").unwrap_or("it");
            no_effect(&format!("nothing scrolled: {what} is at its end, or doesn't scroll"))
        }
        _ if outcome.settled.moved.by_itself || !receipt.changes.is_empty() => {
            no_effect("the events reached it, and nothing was seen to change but what does so by itself")
        }
        _ => no_effect("the events reached it, and nothing was seen to change"),
    }
}

/// Why an input without files proves nothing: pages empty it once they have read them, so that the same can be chosen again.
pub(super) const EMPTIED: &str =
    "the files were put in, and the page has emptied it since: it read them, or wants none";

/// What begins the words for a request that no file goes with.
const WITHOUT_FILES: [&str; 4] = ["GET ", "HEAD ", "OPTIONS ", "WebSocket "];

/// Whether it is a request that something is sent with.
fn is_sent(evidence: &Evidence) -> bool {
    let Evidence::Requested { request } = evidence else { return false };
    !WITHOUT_FILES.iter().any(|start| request.starts_with(start))
}

/// Longest address that a reason names, characters.
const ADDRESS: usize = 200;

/// Why a class or a style proves nothing of what was typed: carets blink.
const LOOK_ALONE: &str = "the text was sent, and nothing was seen to change but how something looks";

/// The verdict on what went to no target of its own and nothing was seen to come of: what got it, and whether it was to change
/// anything, isn't known.
fn nothing_seen(settled: &Settled, reason: &str) -> (Verdict, Option<String>) {
    if settled.busy {
        return (Verdict::Unverifiable, Some("the app is still busy, and nothing was seen to change yet".into()));
    }
    if settled.events.contains(&Event::LoadedAgain) {
        return (Verdict::Unverifiable, Some(LOADED_AGAIN.into()));
    }
    (Verdict::Unverifiable, Some(reason.to_owned()))
}

/// Why nothing is known of a scroll.
const SCROLLED_UNTOLD: &str = "the wheel was turned, and whether anything scrolled can't be told";

/// Why a page that was loaded again proves nothing.
const LOADED_AGAIN: &str =
    "the page was loaded again meanwhile, as may be by itself, and nothing else tells of the action";

/// Whether all that was seen comes of the page being loaded again, as it is by itself: then its targets are all others,
/// whatever was done.
fn is_loaded_again(settled: &Settled, evidence: &[Evidence]) -> bool {
    settled.events.contains(&Event::LoadedAgain) && evidence.iter().all(comes_with_page)
}

/// Why another page proves nothing that had been asked for before.
const WENT_ITSELF: &str = "the page was on its way there before, and nothing else tells of the action";

/// Whether all that was seen comes of the page going where it was on its way to before.
fn went_itself(settled: &Settled, evidence: &[Evidence]) -> bool {
    let is_led = |e: &Event| matches!(e, Event::Navigated { .. } | Event::DocumentNavigated { .. });
    let is_there = |e: &Evidence| matches!(e, Evidence::Navigated { .. } | Evidence::DocumentNavigated { .. });
    // From there on nothing of the page that was acted on leads anywhere.
    let went = settled.events.iter().position(|e| matches!(e, Event::WentItself { .. }));
    went.is_some_and(|at| !settled.events[..at].iter().any(is_led))
        && evidence.iter().all(|e| comes_with_page(e) || is_there(e))
}

/// Whether another document brings it along.
fn comes_with_page(evidence: &Evidence) -> bool {
    matches!(
        evidence,
        Evidence::Changes { .. } | Evidence::Requested { .. } | Evidence::Mutated { .. } | Evidence::Note { .. }
    )
}

/// The receipt of what was sent, when what came of it can't be seen. It isn't a problem, which would have it done again.
pub fn unseen(mut receipt: Receipt, problem: Problem) -> Receipt {
    receipt.verdict = Verdict::Unverifiable;
    receipt.reason = Some(format!("it was sent; what came of it couldn't be looked at: {}", problem.message));
    receipt.hints = problem.hints;
    receipt
}

/// Why a form that was to be sent wasn't, if so: the click or the key hit, and did not do what it was for.
pub fn held_back(evidence: &[Evidence]) -> Option<String> {
    let left = |e: &Evidence| matches!(e, Evidence::Navigated { .. } | Evidence::DocumentNavigated { .. });
    if evidence.iter().any(left) {
        return None;
    }
    evidence.iter().find_map(|e| match e {
        Evidence::DownloadBroken { name } => {
            Some(format!("the download of {} was broken off", crate::observe::outline::quote(name, 160)))
        }
        Evidence::FormHeld { role, name, message } => Some(format!(
            "the browser didn't send the form: {role} {}: {}",
            crate::observe::outline::quote(name, 80),
            crate::observe::outline::quote(message, 160)
        )),
        _ => None,
    })
}

/// The verdict on what led to a document that couldn't be loaded, if it did. What was sent there may have arrived all the same: who
/// is told that it wasn't done does it twice.
fn unreached(evidence: &[Evidence]) -> Option<(Verdict, Option<String>)> {
    let address = evidence.iter().find_map(|e| match e {
        Evidence::Unreachable { url } => Some(crate::wording::shown::line(url, ADDRESS)),
        _ => None,
    })?;
    let unverifiable = |why: String| Some((Verdict::Unverifiable, Some(why)));
    let sends = |e: &Evidence| matches!(e, Evidence::Requested { request } if !request.starts_with("GET "));
    if evidence.iter().any(sends) {
        return unverifiable(format!("{address} couldn't be loaded, and whether what was sent arrived isn't known"));
    }
    // A page that opens something beside its own answer has answered.
    let is_beside = evidence.iter().any(|e| matches!(e, Evidence::NewTab { .. }));
    let is_of_tab =
        |e: &Evidence| matches!(e, Evidence::NewTab { .. } | Evidence::Unreachable { .. } | Evidence::Requested { .. });
    if is_beside && !evidence.iter().all(|e| is_of_tab(e) || mutations::is_slight(e)) {
        return unverifiable(format!("{address} couldn't be loaded, and the page changed besides"));
    }
    Some((Verdict::Contradicted, Some(format!("{address}, where it led, couldn't be loaded"))))
}

fn has_dialog(receipt: &Receipt) -> bool {
    receipt.evidence.iter().any(|e| matches!(e, Evidence::Dialog { .. }))
}
