//! Finding what no element stands for: asks what [`Pinpoint`] wants to know, on the picture and on cut-outs of it.

use super::asking::{Asker, Step};
use super::sought::{Among, Sought, changed};
use super::views::{self, Part, View, within};
use crate::locate::crosshair::Pinpoint;
use crate::locate::crosshair::pinpoint::{Ask, Closely, Cut, HELD, Pinpointed};
use crate::locate::crosshair::search::{Reason, Settings};
use crate::observe::memory::Memory;
use crate::observe::refs::Region;
use crate::perceive::regions::{hits, seen, target};
use crate::perceive::resample::{crop, resized};
use handeye_scene::{Capture, Claim, Clock, Problem, Rect, Source, Surface, Target};

/// Searches a view for a region. It is numbered, and known by its pixels in the picture that was judged, as every other region is.
pub(super) async fn search(
    (surface, memory): (&mut dyn Surface, &mut Memory),
    asker: &mut Asker<'_>,
    clock: &dyn Clock,
    sought: &Sought,
    (capture, view): (&Capture, &View),
) -> Result<(Option<Box<Target>>, Among), Problem> {
    let mut absent = 1.0;
    for (part, later) in view.parts.iter().zip((0..view.parts.len()).rev()) {
        let Pinpointed { region, confidence, reason } = pinpoint(asker, clock, (part, later), sought).await?;
        if reason == Reason::NotFound {
            absent *= confidence;
            continue;
        }
        let Some(rect) = region else { return Ok((None, Among { reason, confidence, candidate: None })) };
        let place = within(part.on_surface(&rect), view.picture.area());
        let why = Some("a model finds it there by its description".to_owned());
        // Of what it says nothing is known: the description is the caller's.
        let claim = Claim { confidence, reason: why, ..Claim::new(Source::Vision, "region", "", place) };
        let hit = hits(surface, std::slice::from_ref(&claim)).await.into_iter().flatten().next();
        let region = Region { hit, ..seen(capture, Some(&view.picture), claim) };
        if !views::shows_the_same(surface, clock, place, region.looks.own).await? {
            return Err(changed(sought));
        }
        let number = memory.refs.show_region(region.clone());
        return Ok((Some(Box::new(target(number, &region))), Among { reason, confidence, candidate: None }));
    }
    // What no part shows was not looked at.
    let reason = if view.is_whole { Reason::NotFound } else { Reason::Undecided };
    Ok((None, Among { reason, confidence: absent, candidate: None }))
}

/// Asks until it is known where it is in a part of the picture, of which so many more are to be searched later, or that it isn't there,
/// or no more may be asked.
async fn pinpoint(
    asker: &mut Asker<'_>,
    clock: &dyn Clock,
    (part, later): (&Part, usize),
    sought: &Sought,
) -> Result<Pinpointed, Problem> {
    let size = (f64::from(part.picture.width()), f64::from(part.picture.height()));
    let closely = Closely { size, precision: sought.precision * part.scale().0, longest: f64::from(sought.image) };
    let settings = Settings { max_steps: asker.left(), ..asker.settings() };
    let mut pinpoint = Pinpoint::new(closely, settings).among(later);
    loop {
        let ask = match pinpoint.ask() {
            Ok(ask) => ask,
            Err(ended) => return Ok(ended),
        };
        let undecided = Pinpointed { region: None, confidence: pinpoint.confidence(), reason: Reason::Undecided };
        if let Some(reason) = asker.over(clock) {
            return Ok(Pinpointed { reason, ..undecided });
        }
        if asker.unreadable().is_some() {
            return Ok(undecided);
        }
        let step = match ask {
            Ask::Crosshair { x, y, cut: None } => Some(asker.crosshair(part, (x, y), clock).await?),
            Ask::Crosshair { x, y, cut: Some(cut) } => {
                Some(asker.crosshair(&enlarged(part, cut), (x, y), clock).await?)
            }
            Ask::Mark(area) => asker.marks(part, &[area], vec![String::new()], clock).await?.1,
        };
        // There is no room for a mark.
        let Some(mut step) = step else { return Ok(undecided) };
        pinpoint.learn(&ask, step.reply);
        match ask {
            Ask::Crosshair { .. } => tell_edges(&mut step, part, &pinpoint),
            Ask::Mark(_) => {
                step.believed = vec![("what is marked".into(), pinpoint.confidence())];
                step.absent = 1.0 - pinpoint.confidence();
            }
        }
        asker.steps.push(step);
    }
}

/// A cut-out of a part, as it is shown.
fn enlarged(part: &Part, cut: Cut) -> Part {
    let picture = crop(&part.picture, cut.rect);
    let size = |side: u32| (f64::from(side) * cut.zoom).round() as u32;
    let (width, height) = (size(picture.width()), size(picture.height()));
    Part { picture: resized(&picture, width, height), area: part.on_surface(&cut.rect), candidates: Vec::new() }
}

/// Has a step tell within what each edge is, on the surface, and how probable it is that nothing is seen.
fn tell_edges(step: &mut Step, part: &Part, pinpoint: &Pinpoint) {
    let edges = pinpoint.edges();
    let whole = Rect::new(0.0, 0.0, 1.0, 1.0);
    let cut = pinpoint.cut().unwrap_or(Cut { rect: whole, zoom: 1.0 });
    let (x, y) = part.scale();
    let names = ["left", "right", "top", "bottom"];
    let axes = [(cut.rect.x, part.area.x, x), (cut.rect.y, part.area.y, y)];
    step.believed = names
        .into_iter()
        .zip(edges.intervals())
        .zip([axes[0], axes[0], axes[1], axes[1]])
        .map(|((name, (from, to)), (origin, area, scale))| {
            let on = |edge: f64| area + (origin + edge / cut.zoom) / scale;
            (format!("{name} edge from {:.0} to {:.0}", on(from), on(to)), HELD)
        })
        .collect();
    step.absent = edges.unseen();
}
