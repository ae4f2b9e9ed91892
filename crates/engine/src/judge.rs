//! What came of an action: evidence, and the verdict it supports.

use crate::deed::Deed;
use crate::diff::{Differences, Digest};
use crate::eye::Eye;
use crate::matching::normalize;
use crate::mutations::{self, Aside};
use handeye_scene::{
    Capture, Delivery, EditKind, Event, Evidence, Moved, NativeId, NodeKind, Probe, Problem, Receipt, Settled, State,
    Stirred, Verdict,
};
use std::collections::HashSet;

/// What an action is judged by.
pub struct Scene<'a> {
    /// What was asked for.
    pub deed: &'a Deed,
    /// The target before.
    pub before: &'a Probe,
    /// The target after, if it is still there.
    pub after: Option<&'a Probe>,
    /// What was seen meanwhile.
    pub settled: &'a Settled,
    /// What changed meanwhile, as the surface tells it.
    pub stirred: &'a Stirred,
    /// How the gesture ended.
    pub delivery: &'a Delivery,
}

/// Fills a receipt with evidence, changes and the verdict. `after` is none when the page can't be looked at, since a dialog
/// is open or it is gone.
pub fn judge(
    receipt: &mut Receipt,
    eye: &mut Eye,
    scene: &Scene,
    before: &Capture,
    after: Option<&Capture>,
    limit: usize,
) {
    // What pointing at the target shows in it is no effect of what was done.
    let resting = |capture: &Capture, probe: &Probe| Digest::of(capture).at_rest(probe);
    let digests = after.map(|after| {
        let later = scene.after.map_or_else(|| Digest::of(after), |probe| resting(after, probe));
        (resting(before, scene.before), later)
    });
    let mut settled = scene.settled.clone();
    if let Some((earlier, later)) = &digests {
        add_missed(&mut settled, earlier, later, scene.before.href.as_deref());
    }
    let scene = &Scene { settled: &settled, ..*scene };
    receipt.evidence.extend(scene.settled.events.iter().filter_map(seen));
    let mut others = Differences::default();
    if let (Some(after), Some((earlier, later))) = (after, digests) {
        let limit = most_changes(scene.settled, limit);
        others = differing(receipt, eye, (&earlier, later), &scene.stirred.restless, limit);
        if let Some(number) = receipt.target.as_ref().map(|t| t.r#ref) {
            note_target(receipt, number, after, eye);
        }
    }
    own_evidence(receipt, scene);
    let moved = Moved {
        by_motion: scene.settled.moved.by_motion && !matches!(scene.deed, Deed::Click { .. }),
        ..scene.settled.moved
    };
    if let Some(after) = after {
        let aside = Aside { moved, stirred: scene.stirred, after, target: Some(scene.before.id) };
        mutations::note(receipt, 0, &aside, &others, &eye.book);
    }
    (receipt.verdict, receipt.reason) = verdict(receipt, scene);
    if receipt.verdict == Verdict::Unverifiable
        && (scene.settled.busy || receipt.evidence.iter().any(mutations::is_unspecific))
    {
        receipt.hints.push("handeye wait --idle".into());
        receipt.hints.push("handeye state".into());
    }
}

/// Adds to what was seen meanwhile that the page is another document where that happened beside the gesture: after the look
/// before it, or after it had got quiet. `link`: the address that the target leads to, if it is a link; a page that it led
/// to is none that loaded itself again.
pub fn add_missed(settled: &mut Settled, earlier: &Digest, later: &Digest, link: Option<&str>) {
    let Some(arrived) = earlier.arrived(later, link) else { return };
    if link.is_some_and(|link| earlier.was_led(later, link)) {
        settled.events.retain(|e| *e != Event::LoadedAgain);
    }
    let is_known = |e: &Event| matches!(e, Event::Navigated { document: true, .. } | Event::LoadedAgain);
    if !settled.events.iter().any(is_known) {
        settled.events.push(arrived);
    }
}

/// How many changes are listed: a new document's targets are all new, the count says it, and `state` shows them.
pub fn most_changes(settled: &Settled, limit: usize) -> usize {
    let is_new = |e: &Event| matches!(e, Event::Navigated { document: true, .. } | Event::LoadedAgain);
    if settled.events.iter().any(is_new) { 0 } else { limit }
}

/// Adds to a receipt what is different in a look from an earlier one, with at most `limit` changes listed. What of it doesn't
/// change by itself, as the surface tells.
pub fn differing(
    receipt: &mut Receipt,
    eye: &mut Eye,
    (earlier, later): (&Digest, Digest),
    restless: &HashSet<NativeId>,
    limit: usize,
) -> Differences {
    let differences = earlier.differences(&later);
    let others = differences.clone().without(restless);
    if !others.clone().telling(eye).is_empty() {
        let (changed, new, gone) = differences.tally();
        receipt.evidence.push(Evidence::Changes { changed, new, gone });
    }
    (receipt.changes, receipt.more_changes) = differences.show(earlier, &later, &mut eye.book, limit);
    eye.look_after_action(later);
    others
}

/// The receipt names its target, so what it says of it is what the agent was last shown.
fn note_target(receipt: &Receipt, number: handeye_scene::Ref, after: &Capture, eye: &mut Eye) {
    let Some(native) = eye.book.get(number).map(|k| k.native) else { return };
    let Some(target) = &receipt.target else { return };
    let unchanged = after
        .nodes
        .iter()
        .any(|n| n.id == Some(native) && n.kind != NodeKind::Text && n.role == target.role && n.name == target.words());
    if unchanged {
        eye.book.show(native, &target.role, &target.name);
    }
}

/// An event as evidence.
pub fn seen(event: &Event) -> Option<Evidence> {
    Some(match event {
        Event::Navigated { url, again, .. } => Evidence::Navigated { again: *again, url: url.clone() },
        Event::LoadedAgain => return None,
        Event::DocumentNavigated { url } => Evidence::DocumentNavigated { url: url.clone() },
        Event::Dialog { kind, message } => Evidence::Dialog { dialog: kind.clone(), message: message.clone() },
        Event::Download { name, .. } => Evidence::Download { name: name.clone() },
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

/// What the target itself says of the action.
fn own_evidence(receipt: &mut Receipt, scene: &Scene) {
    let mut evidence = Vec::new();
    if let Some(after) = scene.after {
        let before = scene.before;
        if before.checked != after.checked {
            evidence.push(property("checked", before.checked, after.checked));
        }
        for (state, word) in [(State::Expanded, "expanded"), (State::Pressed, "pressed"), (State::Selected, "selected")]
        {
            if before.states.has(state) != after.states.has(state) {
                evidence.push(property(word, Some(before.states.has(state)), Some(after.states.has(state))));
            }
        }
        let edited = matches!(scene.deed, Deed::Input(_) | Deed::Type { .. } | Deed::Select(_) | Deed::Upload(_));
        if edited && !after.texts.value.is_empty() {
            evidence.push(Evidence::Value { value: after.texts.value.clone() });
        }
        let takes_focus = matches!(
            after.edit,
            EditKind::Text | EditKind::Contenteditable | EditKind::Cell | EditKind::Select | EditKind::Set
        );
        let focus_is_the_point =
            matches!(scene.deed, Deed::Focus) || matches!(scene.deed, Deed::Click { .. }) && takes_focus;
        if focus_is_the_point && after.states.has(State::Focused) {
            evidence.push(Evidence::Focused);
        }
    }
    if let Delivery::Delivered { moved: Some((dx, dy)), .. } = scene.delivery
        && (*dx != 0.0 || *dy != 0.0)
    {
        evidence.push(Evidence::Scrolled { dx: *dx, dy: *dy });
    }
    if matches!(scene.deed, Deed::Hover) && matches!(scene.delivery, Delivery::Delivered { .. }) {
        evidence.push(Evidence::Hit);
    }
    receipt.evidence.append(&mut evidence);
}

fn property(name: &str, from: Option<bool>, to: Option<bool>) -> Evidence {
    let word = |v: Option<bool>| v.map_or_else(|| "none".to_owned(), |v| v.to_string());
    Evidence::Property { property: name.into(), from: word(from), to: word(to) }
}

fn verdict(receipt: &Receipt, scene: &Scene) -> (Verdict, Option<String>) {
    let left = receipt.evidence.iter().any(|e| {
        matches!(e, Evidence::Navigated { .. } | Evidence::Dialog { .. } | Evidence::DocumentNavigated { .. })
    });
    let confirmed = (Verdict::Confirmed, None);
    match (scene.deed, scene.after) {
        (Deed::Input(text), Some(after)) => input_verdict(text, scene, after),
        (Deed::Check(_), Some(after)) if after.states.has(State::Mixed) => {
            (Verdict::Contradicted, Some("it is mixed, neither checked nor unchecked".into()))
        }
        (Deed::Check(on), Some(after)) if after.checked == Some(*on) => confirmed,
        (Deed::Check(on), Some(_)) => {
            (Verdict::Contradicted, Some(format!("it is still {}", if *on { "unchecked" } else { "checked" })))
        }
        (Deed::Expand(on), Some(after)) if after.states.has(if *on { State::Expanded } else { State::Collapsed }) => {
            confirmed
        }
        (Deed::Expand(on), Some(_)) => {
            (Verdict::Contradicted, Some(format!("it is still {}", if *on { "collapsed" } else { "expanded" })))
        }
        (Deed::Select(wanted), Some(after)) => select_verdict(wanted, after),
        (Deed::Focus, Some(after)) if after.states.has(State::Focused) => confirmed,
        (Deed::Focus, Some(_)) => (Verdict::Contradicted, Some("it didn't take the focus".into())),
        (Deed::Input(_) | Deed::Check(_) | Deed::Select(_) | Deed::Type { .. } | Deed::Upload(_), None) if !left => {
            (Verdict::Unverifiable, Some("the target was gone before it could be read back".into()))
        }
        // Its answer may decide, and the page may set it back.
        (Deed::Input(_) | Deed::Check(_) | Deed::Select(_) | Deed::Expand(_), None) if has_dialog(receipt) => {
            (Verdict::Unverifiable, Some("a dialog came up before it could be read back".into()))
        }
        (Deed::Upload(paths), Some(after)) if !after.texts.value.is_empty() => upload_verdict(paths, after),
        _ if held_back(&receipt.evidence).is_some() => (Verdict::Contradicted, held_back(&receipt.evidence)),
        (Deed::Type { .. }, Some(after)) if after.texts.value != scene.before.texts.value => confirmed,
        // What happened since may be the page's own doing.
        _ if matches!(scene.delivery, Delivery::Unseen) && has_dialog(receipt) => {
            (Verdict::Unverifiable, Some("a dialog came up before it could be told whether it was done".into()))
        }
        _ if matches!(scene.delivery, Delivery::Unseen) => {
            (Verdict::Unverifiable, Some("the document went away before it could say what was hit".into()))
        }
        _ if let Some(why) = mutations::proves_nothing(&receipt.evidence) => (Verdict::Unverifiable, Some(why.into())),
        _ if is_loaded_again(scene.settled, &receipt.evidence) => (Verdict::Unverifiable, Some(LOADED_AGAIN.into())),
        _ if !receipt.evidence.is_empty() => confirmed,
        _ if scene.settled.busy => nothing_seen(scene.settled, ""),
        (Deed::Scroll { .. }, _) if matches!(scene.delivery, Delivery::Delivered { moved: None, .. }) => {
            (Verdict::Unverifiable, Some(SCROLLED_UNTOLD.into()))
        }
        (Deed::Scroll { .. }, _) => {
            (Verdict::NoEffect, Some("nothing scrolled: it is at its end, or doesn't scroll".into()))
        }
        _ if scene.settled.moved.by_itself || !receipt.changes.is_empty() => (
            Verdict::NoEffect,
            Some("the events reached it, and nothing was seen to change but what does so by itself".into()),
        ),
        _ => (Verdict::NoEffect, Some("the events reached it, and nothing was seen to change".into())),
    }
}

/// The verdict on what went to no target of its own and nothing was seen to come of: what got it, and whether it was to change
/// anything, isn't known.
pub fn nothing_seen(settled: &Settled, reason: &str) -> (Verdict, Option<String>) {
    if settled.busy {
        return (Verdict::Unverifiable, Some("the app is still busy, and nothing was seen to change yet".into()));
    }
    if settled.events.contains(&Event::LoadedAgain) {
        return (Verdict::Unverifiable, Some(LOADED_AGAIN.into()));
    }
    (Verdict::Unverifiable, Some(reason.to_owned()))
}

/// Why nothing is known of a scroll.
pub const SCROLLED_UNTOLD: &str = "the wheel was turned, and whether anything scrolled can't be told";

/// Why a page that was loaded again proves nothing.
pub const LOADED_AGAIN: &str =
    "the page was loaded again meanwhile, as may be by itself, and nothing else tells of the action";

/// Whether all that was seen comes of the page being loaded again, as it is by itself: then its targets are all others,
/// whatever was done.
pub fn is_loaded_again(settled: &Settled, evidence: &[Evidence]) -> bool {
    let comes_of_it = |e: &Evidence| {
        matches!(
            e,
            Evidence::Changes { .. } | Evidence::Requested { .. } | Evidence::Mutated { .. } | Evidence::Note { .. }
        )
    };
    settled.events.contains(&Event::LoadedAgain) && evidence.iter().all(comes_of_it)
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
        Evidence::FormHeld { role, name, message } => Some(format!(
            "the browser didn't send the form: {role} {}: {}",
            crate::outline::quote(name, 80),
            crate::outline::quote(message, 160)
        )),
        _ => None,
    })
}

fn has_dialog(receipt: &Receipt) -> bool {
    receipt.evidence.iter().any(|e| matches!(e, Evidence::Dialog { .. }))
}

fn input_verdict(text: &str, scene: &Scene, after: &Probe) -> (Verdict, Option<String>) {
    let told = match scene.delivery {
        Delivery::Delivered { holds, .. } => *holds,
        _ => None,
    };
    let holds = told.unwrap_or_else(|| same_lines(&after.texts.value, text));
    // The control may have reformatted the value since, which `holds` can't know; what it reads now decides.
    let masked = crate::matching::is_masked(after);
    if masked && told.is_none() {
        let why = "it hides what it holds, and is as long as it was before";
        return (Verdict::Unverifiable, Some(why.into()));
    }
    let set = (after.edit == EditKind::Set).then(|| same_setting(&after.texts.value, text));
    if set == Some(None) {
        let reads = crate::outline::quote(&after.texts.value, 100);
        return (Verdict::Unverifiable, Some(format!("it reads back as {reads}, which may be the same date")));
    }
    let untold = after.texts.value.is_empty() && after.edit == EditKind::Contenteditable;
    let reads = if masked || untold || after.edit == EditKind::Cell {
        holds
    } else if let Some(same) = set.flatten() {
        same
    } else if after.edit == EditKind::Contenteditable {
        same_lines(&after.texts.value, text) || holds && same_layout(&after.texts.value, text)
    } else {
        same_lines(&after.texts.value, text) || holds && after.texts.value.chars().count() >= 500
    };
    // A setting may be written in another way than it was put in.
    if (holds || set.is_some()) && reads {
        return (Verdict::Confirmed, None);
    }
    // A new address alone leaves the field where it was: what it reads counts.
    if scene.settled.events.iter().any(|e| matches!(e, Event::Navigated { document: true, .. })) {
        return (Verdict::Confirmed, None);
    }
    if masked {
        return (Verdict::Contradicted, Some("it doesn't hold the text that was put in".into()));
    }
    (Verdict::Contradicted, Some(format!("it reads back as {}", crate::outline::quote(&after.texts.value, 100))))
}

fn same_lines(a: &str, b: &str) -> bool {
    let normal = |t: &str| t.replace("\r\n", "\n").trim_end_matches('\n').to_owned();
    normal(a) == normal(b)
}

/// Whether rich text reads as was put in: it tells an empty line as two or more, and spaces as they are drawn.
fn same_layout(value: &str, text: &str) -> bool {
    let lines = |text: &str| {
        let spaced = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().map(spaced).filter(|line| !line.is_empty()).collect::<Vec<_>>()
    };
    // A value is told as far as it is looked at.
    lines(value) == lines(text) && value.lines().count() >= text.trim_end().lines().count()
        || value.chars().count() >= 500
}

/// Whether a date, a colour or a range holds what was put in, as the browser writes it; none where its date is written in an order
/// that can't be told.
fn same_setting(value: &str, text: &str) -> Option<bool> {
    let text = text.trim();
    let same_number = || matches!((value.parse::<f64>(), text.parse::<f64>()), (Ok(a), Ok(b)) if a == b);
    if value.eq_ignore_ascii_case(&text.replace(' ', "T")) || same_number() {
        return Some(true);
    }
    same_date(value, text).unwrap_or(Some(false))
}

/// Whether two dates, written in numbers in any order, are one, as far as that can be told; none where they are no such dates. A
/// number over 12 is no month.
fn same_date(value: &str, text: &str) -> Option<Option<bool>> {
    let parts = |date: &str| -> Option<[u32; 3]> {
        let numbers: Vec<&str> = date.split(['-', '/', '.', ' ']).filter(|part| !part.is_empty()).collect();
        // Of a year the last two digits count: some write no more.
        let read: Option<Vec<u32>> = numbers.iter().map(|part| Some(part.parse::<u32>().ok()? % 100)).collect();
        read?.try_into().ok()
    };
    let (value, text) = (parts(value)?, parts(text)?);
    let (mut a, mut b) = (value, text);
    a.sort_unstable();
    b.sort_unstable();
    if a != b {
        return Some(Some(false));
    }
    // Of a year, a month and a day, the month and the day are the two that may be taken for each other.
    let months = a.iter().filter(|part| **part <= 12).count();
    Some(if value == text || months < 2 || a[0] == a[1] { Some(true) } else { None })
}

/// The last part of a path, as this system has paths.
pub fn file_name(path: &str) -> &str {
    std::path::Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

fn upload_verdict(paths: &[String], after: &Probe) -> (Verdict, Option<String>) {
    let names: Vec<&str> = paths.iter().map(|path| file_name(path)).collect();
    let (names, value) = (names.join(", "), after.texts.value.as_str());
    // A long value is read back cut off.
    if names == value || value.strip_suffix('…').is_some_and(|start| names.starts_with(start)) {
        return (Verdict::Confirmed, None);
    }
    (Verdict::Contradicted, Some(format!("it holds {}", crate::outline::quote(&after.texts.value, 200))))
}

fn select_verdict(wanted: &[String], after: &Probe) -> (Verdict, Option<String>) {
    let selected: Vec<&handeye_scene::OptionItem> = after.options.iter().filter(|o| o.selected).collect();
    let holds = |w: &String| {
        let index = w.strip_prefix('#').and_then(|n| n.parse::<usize>().ok());
        selected.iter().any(|o| normalize(&o.label) == normalize(w) || o.value == *w)
            || index.is_some_and(|i| after.options.get(i).is_some_and(|o| o.selected))
    };
    if wanted.iter().all(holds) && (selected.len() == wanted.len() || after.options.len() >= 5000) {
        return (Verdict::Confirmed, None);
    }
    let labels: Vec<String> = selected.iter().map(|o| crate::outline::quote(&o.label, 60)).collect();
    (
        Verdict::Contradicted,
        Some(format!("selected now: {}", if labels.is_empty() { "nothing".into() } else { labels.join(", ") })),
    )
}

#[cfg(test)]
mod tests {
    use super::same_setting;

    #[test]
    fn a_date_is_the_same_however_its_parts_are_ordered_as_far_as_that_shows() {
        for (value, text, same) in [
            ("2026-03-14", "2026-03-14", Some(true)),
            ("14/03/2026", "2026-03-14", Some(true)),
            ("03/14/26", "2026-03-14", Some(true)),
            ("03.03.2026", "2026-03-03", Some(true)),
            // The third of April, or the fourth of March.
            ("03/04/2026", "2026-04-03", None),
            ("15/03/2026", "2026-03-14", Some(false)),
            ("14/03/2025", "2026-03-14", Some(false)),
            ("2026-03-14T10:00", "2026-03-14 10:00", Some(true)),
            ("10:30", "10:31", Some(false)),
            ("5.0", "5", Some(true)),
            ("5", "6", Some(false)),
            ("#FF0000", "#ff0000", Some(true)),
        ] {
            assert_eq!(same_setting(value, text), same, "{value} for {text}");
        }
    }
}
