//! Drags that a page takes back: what is left of them is no more than a style, and what was dragged lies where it was.

use crate::act::action::Action;
use crate::act::mutations::{is_aside, is_change, is_unspecific};
use crate::act::outcome::Outcome;
use handeye_scene::{Evidence, Mutation, Rect, Verdict};

/// Why what was dragged is no effect.
const PUT_BACK: &str = "it was dragged, and is where it was";

/// Why it may be one all the same.
const LOOKS_OTHERWISE: &str =
    "it was dragged, and is where it was; what else was seen of it may be no more than that it can be dragged";

/// The verdict on a drag of which nothing is left but how what was dragged is said to lie or to look, and it lies where it was: pages put
/// back what they don't take, and leave that behind.
pub(super) fn put_back(evidence: &[Evidence], outcome: &Outcome) -> Option<(Verdict, &'static str)> {
    let (Action::Drag { .. }, Some(before), Some(after)) = (outcome.action, outcome.before, outcome.after) else {
        return None;
    };
    let sides = |rect: &Rect| [rect.x, rect.y, rect.width, rect.height];
    let is_there = sides(&before.rect).iter().zip(sides(&after.rect)).all(|(was, is)| (was - is).abs() <= STILL);
    let says = |m: &Mutation| {
        let own = m.own && m.near == Some(before.id);
        match m.property.as_str() {
            "style" => says_of(&m.from, &m.to, own),
            "class" if own => Says::Maybe,
            property if own && is_of_drag(property) => Says::Maybe,
            _ => Says::Something,
        }
    };
    let mutations = outcome.stirred.mutations.iter().filter(|m| is_change(m));
    let most = mutations.map(says).max().filter(|_| is_there && !outcome.stirred.unnamed)?;
    let is_told =
        |e: &Evidence| matches!(e, Evidence::Mutated { what, .. } if what.iter().all(|m| !is_aside(&m.property)));
    if most == Says::Something || !evidence.iter().all(|e| is_told(e) || is_unspecific(e)) {
        return None;
    }
    Some(match most == Says::Nothing && evidence.iter().all(is_told) {
        true => (Verdict::NoEffect, PUT_BACK),
        false => (Verdict::Unverifiable, LOOKS_OTHERWISE),
    })
}

/// Whether a change tells that a drag did something, where what was dragged lies where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    Nothing,
    Maybe,
    Something,
}

/// How far what is back may be from where it was, in units of the surface.
const STILL: f64 = 1.0;

/// Attributes that say that something can be, or is being dragged.
fn is_of_drag(property: &str) -> bool {
    matches!(property, "draggable" | "aria-grabbed") || property.starts_with("data-") && property.contains("drag")
}

/// What a change of a style tells. `own`: of what was dragged, of which it is known that it lies where it was.
fn says_of(from: &str, to: &str, own: bool) -> Says {
    const PREPARE: [&str; 7] =
        ["cursor", "outline", "outline-style", "touch-action", "transition", "user-select", "will-change"];
    const PLACES: [&str; 8] = ["position", "left", "top", "right", "bottom", "inset", "translate", "transform"];
    let parts = |style: &'_ str| -> Vec<(String, String)> {
        let named = style.split(';').filter_map(|part| part.split_once(':'));
        named.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
    };
    let (was, is) = (parts(from), parts(to));
    let says = |name: &str, value: &str| match name {
        name if PREPARE.contains(&name) || name.starts_with("transition-") => Says::Nothing,
        name if name.ends_with("-user-select") || name.ends_with("-user-drag") => Says::Nothing,
        "z-index" | "pointer-events" if own => Says::Nothing,
        "z-index" | "pointer-events" => Says::Maybe,
        // What is turned or scaled is more than moved.
        "transform" if own && !is_moved(value) => Says::Something,
        name if PLACES.contains(&name) && own => Says::Nothing,
        // Nothing is moved by nothing, if it wasn't moved before by what a style sheet says.
        name if PLACES.contains(&name) && is_zero(value) => {
            let before = was.iter().find(|(other, _)| other == name);
            if before.is_some_and(|(_, value)| is_zero(value)) { Says::Nothing } else { Says::Maybe }
        }
        _ => Says::Something,
    };
    was.iter().chain(&is).map(|(name, value)| says(name, value)).max().unwrap_or(Says::Nothing)
}

/// Whether a transform only moves.
fn is_moved(value: &str) -> bool {
    value == "none" || value.starts_with("translate") && value.matches('(').count() == 1
}

/// Whether a place or a transform is that of what isn't moved.
fn is_zero(value: &str) -> bool {
    let inside = value.split_once('(').map_or(value, |(_, inside)| inside);
    let is_plain =
        is_moved(value) || matches!(value, "auto" | "relative") || value.ends_with("px") && !value.contains('(');
    is_plain && !inside.contains(|c: char| ('1'..='9').contains(&c))
}
