//! Where a drag ends.

use crate::act::action::{Action, DropAt};
use crate::act::attempt::Act;
use crate::act::watched::{Watched, known, within_reach};
use crate::matching::{self, Check, Expectation};
use crate::observe::outline::quote;
use handeye_scene::{Aim, Code, End, NativeId, Point, Pressed, Problem, Ref, Want};

/// Where a drag ends.
pub(super) enum Dropping {
    /// It isn't a drag.
    Nowhere,
    /// At a place, on an element or a region if one was named.
    At(Point, Option<Box<End>>, Option<Box<Watched>>),
    /// On nothing: what was named is something else now.
    Refused(String),
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
