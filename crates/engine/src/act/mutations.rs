//! Changes that show in no target: what changed and where, as evidence.

use crate::observe::diff::Differences;
use crate::observe::outline::quote;
use crate::observe::refs::RefTable;
use crate::wording::shown::cut_apart;
use handeye_scene::{
    Capture, Cause, Evidence, Moved, Mutated, Mutation, NativeId, Node, NodeKind, Probe, Receipt, Ref, Stirred,
};

/// How many are named.
const NAMED: usize = 3;

/// What the surface tells of changes, beside its looks.
#[derive(Clone, Copy)]
pub struct Aside<'a> {
    /// What brought them about.
    pub moved: Moved,
    /// What they are.
    pub stirred: &'a Stirred,
    /// The look after them.
    pub after: &'a Capture,
    /// What the gesture was for.
    pub target: Option<NativeId>,
}

/// Adds to a receipt with no more evidence than its `own` first and requests that the content changed in a way that shows in no
/// target, if so. `others`: what else differs. Where that has changed before, what moved later on may be no more than it.
pub fn note(receipt: &mut Receipt, own: usize, aside: &Aside, others: &Differences, refs: &RefTable) {
    if !receipt.evidence[own..].iter().all(|e| matches!(e, Evidence::Requested { .. })) {
        return;
    }
    let later = aside.moved.later && others.is_empty();
    let beside: Vec<Mutated> = aside
        .stirred
        .mutations
        .iter()
        .filter(|m| is_aside(&m.property))
        .take(NAMED)
        .map(|m| named(m, aside, refs))
        .collect();
    let says = |what| Evidence::Mutated { what, of: of(aside.after).into() };
    receipt.evidence.extend(seen(aside, later, refs).map(says));
    if !beside.is_empty() {
        receipt.evidence.push(says(beside));
    }
}

/// What changed otherwise, what says most of it first, if anything did. `later`: what moved later on counts.
fn seen(aside: &Aside, later: bool, refs: &RefTable) -> Option<Vec<Mutated>> {
    let Aside { moved, stirred, .. } = *aside;
    // A caret moves without anything else.
    let by_input = moved.by_input || stirred.mutations.iter().any(|m| m.cause == Cause::Input);
    if !(by_input || moved.by_motion || later) {
        return None;
    }
    let counts = |m: &&Mutation| match m.cause {
        Cause::Input => true,
        Cause::Motion => moved.by_motion,
        Cause::Later => later,
    };
    let found = stirred.mutations.iter().filter(|m| is_change(m));
    let mut what: Vec<Mutated> = found.filter(counts).map(|m| named(m, aside, refs)).collect();
    what.sort_by_key(|m| m.look);
    what.truncate(NAMED);
    (!what.is_empty() || stirred.unnamed).then_some(what)
}

/// Whether a change is one of what is shown. A place is selected with nothing in it by any press.
pub(super) fn is_change(mutation: &Mutation) -> bool {
    let Mutation { property, from, to, .. } = mutation;
    let is_nothing =
        matches!(property.as_str(), "selection" | ELSEWHERE | "clipboard") && from.is_empty() && to.is_empty();
    !is_nothing && !is_aside(property)
}

/// Whether something is what a page does beside, and may do by itself: what it writes into its stores, and what it draws on canvases.
pub(super) fn is_aside(property: &str) -> bool {
    matches!(property, "local storage" | "session storage" | "cookies" | PICTURE)
}

/// What a canvas shows.
const PICTURE: &str = "picture";

/// That the caret of a target in a window moved.
pub fn caret(probe: &Probe, number: Option<Ref>, (from, to): (i32, i32)) -> Evidence {
    let place = match probe.name.is_empty() {
        true => probe.role.clone(),
        false => format!("{} {}", probe.role, quote(&probe.name, 60)),
    };
    let (from, to) = (from.to_string(), to.to_string());
    let what = vec![Mutated { r#ref: number, place, property: "caret".into(), from, to, look: false }];
    Evidence::Mutated { what, of: "window".into() }
}

/// What a surface shows things in.
fn of(capture: &Capture) -> &'static str {
    if capture.surface == "web" { "page" } else { "window" }
}

fn named(mutation: &Mutation, aside: &Aside, refs: &RefTable) -> Mutated {
    let is_it = |n: &&Node| n.id.is_some() && n.id == mutation.near && n.kind != NodeKind::Text;
    let around = aside.after.nodes.iter().find(is_it);
    let words = around.map(|n| match n.name.is_empty() {
        true => n.role.clone(),
        false => format!("{} {}", n.role, quote(&n.name, 60)),
    });
    let place = match words {
        Some(words) if mutation.own => words,
        Some(words) => format!("<{}> in {words}", mutation.tag),
        None => format!("<{}>", mutation.tag),
    };
    let (from, to) = cut_apart(&mutation.from, &mutation.to, MOST_TEXT);
    Mutated {
        r#ref: around.and_then(|n| refs.number(n.id?)),
        place,
        property: mutation.property.clone(),
        from,
        to,
        look: is_look(mutation) && (mutation.inside || is_empty(mutation) || is_at(mutation, aside.target)),
    }
}

/// Whether elements came or went that say nothing: ripples are drawn beside what is pressed, too.
fn is_empty(mutation: &Mutation) -> bool {
    const PLAIN: [&str; 6] = ["<div>", "<span>", "<i>", "<b>", "<em>", "<ins>"];
    let is_plain = |side: &str| side.split_whitespace().all(|word| PLAIN.contains(&word));
    mutation.property == "content" && is_plain(&mutation.from) && is_plain(&mutation.to)
}

/// Whether a change is of what was acted on, or in it.
fn is_at(mutation: &Mutation, target: Option<NativeId>) -> bool {
    mutation.near.is_some() && mutation.near == target
}

/// So much of each side of a change is told, in characters.
const MOST_TEXT: usize = 500;

/// What `data-` attributes are called that come with a press, and may go with it.
const PRESSING: [&str; 10] =
    ["focus", "hover", "mouse", "touch", "whatinput", "ripple", "press", "active", "down", "pointer"];

/// Whether a change is of no more than how something looks: ripples, rings and shades come with any press. A `data-` attribute is
/// what a page keeps of a control (`data-state`, `data-sort`), but where it is called after the press.
fn is_look(mutation: &Mutation) -> bool {
    let Mutation { property, from, to, .. } = mutation;
    let holds_text =
        |text: &String| text.split_whitespace().any(|word| !(word.starts_with('<') && word.ends_with('>')));
    match property.as_str() {
        "class" | "style" => true,
        "content" => !holds_text(from) && !holds_text(to),
        property => property.starts_with("data-") && PRESSING.iter().any(|word| property.contains(word)),
    }
}

/// That something is selected where nothing was pressed: a press beside a text selects the nearest word by itself.
const ELSEWHERE: &str = "selection elsewhere";

/// Whether evidence says nothing of what changed.
pub fn is_unspecific(evidence: &Evidence) -> bool {
    match evidence {
        Evidence::Requested { .. } => true,
        Evidence::Mutated { what, .. } => what.iter().all(|m| is_pointing(&m.property, (&m.from, &m.to))),
        _ => false,
    }
}

/// Whether a change was made inside the gesture's events, and says more than that something was pointed to.
pub(super) fn is_by_input(mutation: &Mutation) -> bool {
    mutation.cause == Cause::Input && !is_pointing(&mutation.property, (&mutation.from, &mutation.to))
}

/// Whether a change says no more than that something was pointed to, has the focus, or was pressed beside a text.
fn is_pointing(property: &str, (from, to): (&str, &str)) -> bool {
    /// What libraries call it.
    const WORDS: [&str; 6] = ["focus", "hover", "mouse", "touch", "whatinput", "ripple"];
    let is_named = |text: &str| WORDS.iter().any(|word| text.to_lowercase().contains(word));
    let mut parts = from.split_whitespace().chain(to.split_whitespace());
    match property {
        ELSEWHERE => true,
        property if is_aside(property) => true,
        "class" => parts.all(is_named),
        property => property.starts_with("data-") && is_named(property),
    }
}

/// Whether a caret or a selection is all that moved.
pub fn is_caret(evidence: &Evidence) -> bool {
    let is_one = |what: &Mutated| matches!(what.property.as_str(), "caret" | "selection");
    matches!(evidence, Evidence::Mutated { what, .. } if !what.is_empty() && what.iter().all(is_one))
}

/// Whether evidence says nothing of what a field holds: a caret that moved, or what says nothing of what changed.
pub fn is_beside(evidence: &Evidence) -> bool {
    is_caret(evidence) || is_unspecific(evidence)
}

/// Whether all that was seen is how something looks: classes and styles.
pub fn is_look_alone(evidence: &[Evidence]) -> bool {
    let is_look = |what: &Mutated| matches!(what.property.as_str(), "class" | "style");
    let tells =
        |e: &Evidence| !is_unspecific(e) && !matches!(e, Evidence::Mutated { what, .. } if what.iter().all(is_look));
    !evidence.is_empty() && !evidence.iter().any(tells)
}

/// Whether evidence says nothing, or so little that more may come.
pub fn is_slight(evidence: &Evidence) -> bool {
    is_unspecific(evidence) || matches!(evidence, Evidence::Mutated { what, .. } if what.iter().all(|m| m.look))
}

/// Why what was seen proves nothing, if all of it is unspecific.
pub fn proves_nothing(evidence: &[Evidence]) -> Option<&'static str> {
    if evidence.is_empty() || !evidence.iter().all(is_unspecific) {
        return None;
    }
    let beside = evidence.iter().filter_map(|e| match e {
        Evidence::Mutated { what, .. } => what.iter().find(|m| is_aside(&m.property)),
        _ => None,
    });
    if let Some(first) = beside.into_iter().next() {
        return Some(if first.property == PICTURE { DRAWN_ALONE } else { STORED_ALONE });
    }
    let is_selected =
        |e: &Evidence| matches!(e, Evidence::Mutated { what, .. } if what.iter().any(|m| m.property == ELSEWHERE));
    if evidence.iter().any(is_selected) {
        return Some(SELECTED_ALONE);
    }
    let is_named = |e: &Evidence| matches!(e, Evidence::Mutated { what, .. } if !what.is_empty());
    let is_mutated = |e: &Evidence| matches!(e, Evidence::Mutated { .. });
    Some(match evidence.iter().any(is_mutated) {
        true if evidence.iter().any(is_named) => POINTED_ALONE,
        true => MUTATED_ALONE,
        false => REQUEST_ALONE,
    })
}

/// A page asks for news by itself, too: that it just did so proves nothing of the action.
const REQUEST_ALONE: &str = "the page sent a request, which may be its own doing, and nothing was seen to change";

const STORED_ALONE: &str =
    "the page wrote into its storage or its cookies, which may be its own doing, and nothing was seen to change";

const DRAWN_ALONE: &str =
    "a canvas shows something else, which may be its own doing, and nothing else was seen to change";

const POINTED_ALONE: &str = "nothing was seen to change but how it looks where it is pointed to or has the focus";

const SELECTED_ALONE: &str =
    "text was selected outside of what was pressed, as a press does by itself, and nothing else was seen to change";

const MUTATED_ALONE: &str = "something changed, and what it is can't be told";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_a_page_keeps_of_its_control_is_no_look() {
        for (property, from, to, look) in [
            ("data-state", "closed", "open", false),
            ("data-sort", "", "ascending", false),
            ("aria-busy", "", "true", false),
            ("content", "Save", "Saving", false),
            ("data-pressed", "", "true", true),
            ("data-focus-visible-added", "", "", true),
            ("data-active-item", "", "true", true),
            ("class", "", "on", true),
            ("style", "", "color: red", true),
            ("content", "", "<span>", true),
        ] {
            let mutation = Mutation {
                tag: "button".into(),
                near: None,
                own: true,
                inside: true,
                property: property.into(),
                from: from.into(),
                to: to.into(),
                cause: Cause::Input,
            };
            assert_eq!(is_look(&mutation), look, "{property}: {from} to {to}");
        }
    }
}
