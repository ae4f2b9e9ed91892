//! Where a drag ends.

use crate::act::action::{Action, DropAt};
use crate::act::attempt::Act;
use crate::act::mutations::{is_aside, is_change, is_unspecific};
use crate::act::outcome::Outcome;
use crate::act::watched::{Watched, known, within_reach};
use crate::matching::{self, Check, Expectation};
use crate::observe::outline::quote;
use handeye_scene::{Aim, Code, End, Evidence, Mutation, NativeId, Point, Pressed, Problem, Rect, Ref, Verdict, Want};

/// Where a drag ends.
pub(super) enum Dropping {
    /// It isn't a drag.
    Nowhere,
    /// At a place, on an element or a region if one was named.
    At(Point, Option<Box<End>>, Option<Box<Watched>>),
    /// On nothing: what was named is something else now.
    Refused(String),
}

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
        "z-index" | "pointer-events" => {
            if own {
                Says::Nothing
            } else {
                Says::Maybe
            }
        }
        // What is turned or scaled is more than moved.
        "transform" if own => {
            if is_moved(value) {
                Says::Nothing
            } else {
                Says::Something
            }
        }
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

/// A place to drop on. While the rules deny an origin, it is held to what is found there, whose document may be acted on.
async fn permitted(act: &mut Act<'_>, at: Point) -> Result<Option<Box<End>>, Problem> {
    if act.request.denied.is_empty() && act.rules.is_empty() {
        return Ok(None);
    }
    let found = act.surface.element_at(at).await?;
    match found {
        Some(target) => act.permit_drop(target).await?,
        None => act.permit_unknown("nobody can say what is at the place to drop on")?,
    }
    if act.request.denied.is_empty() {
        return Ok(None);
    }
    let Some(target) = found else {
        let what = "the policy denies an origin, and nobody can say which document is at the place to drop on";
        return Err(Problem::new(Code::Denied, what).hint("handeye config show"));
    };
    crate::policy::origin::permit(act.surface, target.document(), &act.request.denied, "drop")?;
    Ok(Some(Box::new(End { target, held: None })))
}

/// A region to drop on, if it is there as it was shown.
pub(super) async fn find_region(act: &mut Act<'_>, number: Ref) -> Result<Watched, Problem> {
    let any = act.request.expectation == Expectation::Any;
    let region = known(act.memory, number)?;
    let mut now = act.surface.capture(Want::default()).await?;
    within_reach(act.surface, &[region.1.claim.rect.center()], now.viewport)?;
    Watched::find((act.surface, act.clock), region, &mut now, any).await
}

/// The same with nothing else over it. `found`: before the pointer came to the source, which may show in what lies level with it.
async fn on_region(act: &mut Act<'_>, number: Ref, found: Option<Watched>) -> Result<Dropping, Problem> {
    let watched = match found {
        Some(found) => found,
        None => find_region(act, number).await?,
    };
    let now = act.surface.capture(Want::default()).await?;
    watched.check_anchors(&now)?;
    let at = watched.region.claim.rect.center();
    let hit = match act.surface.element_at(at).await? {
        Some(id) => act.surface.probe(id, Aim::default()).await?,
        None => None,
    };
    if act.request.expectation != Expectation::Any {
        watched.check_covered(act.surface, (at, hit.as_ref())).await?;
    }
    watched.check_hit(&now, hit.as_ref())?;
    watched.check_window(act.surface, hit.as_ref())?;
    let claim = &watched.region.claim;
    let named = Pressed { role: claim.role.clone(), words: vec![claim.name.clone()] };
    act.permit_words(NativeId::new(watched.region.document, 0), &[named])?;
    let end = permitted(act, at).await?;
    // What it was shown on takes it, or nothing does.
    let shown_on = watched.region.hit.filter(|_| act.request.expectation != Expectation::Any);
    let end = end.or_else(|| shown_on.map(|target| Box::new(End { target, held: None })));
    watched.hold_to_window(act.surface, at, false).await?;
    Ok(Dropping::At(at, end, Some(Box::new(watched))))
}

/// Where a drag ends. An element there is held to what the agent was last shown of it, and must be hit. `found`: a region there, if
/// it was looked at before.
pub(super) async fn drop_place(act: &mut Act<'_>, found: Option<Watched>) -> Result<Dropping, Problem> {
    let native = match &act.request.action {
        Action::Drag { to: DropAt::Place(point), .. } => {
            return Ok(Dropping::At(*point, permitted(act, *point).await?, None));
        }
        Action::Drag { to: DropAt::Region(number), .. } => return on_region(act, *number, found).await,
        Action::Drag { to: DropAt::Element(native), .. } => *native,
        _ => return Ok(Dropping::Nowhere),
    };
    let known = act.memory.refs.number(native).and_then(|n| act.memory.refs.get(n)).map(|k| k.shown.clone());
    let Some(probe) = act.surface.probe(native, Aim { scroll: false, point: true, ..Aim::default() }).await? else {
        return Err(Problem::new(Code::Stale, "the element to drop on is gone").hint("handeye state"));
    };
    let name = act.called(probe.id, &probe.role, matching::shown_now(&probe).words());
    let any = act.request.expectation == Expectation::Any;
    let check = matching::check(&Expectation::LastShown, known.as_ref(), &probe, &act.memory.mask);
    if !any && (matches!(check, Check::Fails { .. }) || !matching::is_in_row(known.as_ref(), &probe)) {
        let was = known.map(|k| format!("{} {}", k.role, quote(k.words(), 80))).unwrap_or_default();
        return Ok(Dropping::Refused(format!("not dragged: you were last shown {was} to drop on; it is now {name}")));
    }
    let Some(point) = probe.point else {
        let why = match &probe.cover {
            Some(cover) => format!("covered by {} {}", cover.role, quote(&cover.name, 80)),
            None => "out of view".into(),
        };
        return Err(Problem::new(Code::Blocked, format!("can't drag to {name}: it is {why}"))
            .hint("handeye screenshot")
            .hint("handeye scroll down"));
    };
    act.permit_drop(native).await?;
    let held = (!any).then(|| matching::hold(known.as_ref(), &probe));
    Ok(Dropping::At(point, Some(Box::new(End { target: native, held })), None))
}
