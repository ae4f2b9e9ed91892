//! Finding what no element stands for: the four edges in the picture, then a closer look, then whether it is that.

use super::asking::{Asker, Step};
use super::sought::{Among, Sought, changed};
use super::views::{Part, View, within};
use crate::locate::crosshair::search::Reason;
use crate::locate::crosshair::{Edges, Reply};
use crate::observe::memory::Memory;
use crate::perceive::pixels::{decode, print};
use crate::perceive::regions::{seen, target};
use crate::perceive::resample::{crop, resized};
use handeye_scene::{Capture, Claim, Clock, Problem, Rect, Source, Surface, Target};

/// How many cells an edge is told apart by along the longer side, at first: closer than that, a cut-out is looked at.
const CELLS: f64 = 64.0;
/// How much of a cut-out lies around what is sought, as a share of it and in pixels at least.
const AROUND: (f64, f64) = (0.5, 24.0);
/// A cut-out is enlarged so many times at most.
const LARGEST_ZOOM: f64 = 4.0;
/// How probable it is that all four edges are right, before the model was asked whether it is that.
const EDGES_HOLD: f64 = 0.8;

/// What the search of one picture came to.
enum Edge {
    /// Where it is, in the picture, and how probable it is that the model sees it.
    Region(Rect, f64),
    /// It isn't there, as probable as this.
    Unseen(f64),
    /// The questions were used up.
    Undecided,
}

/// Searches a view for a region. It is numbered, and known by its pixels in the picture that was judged, as every other region is.
pub(super) async fn search(
    (surface, memory): (&mut dyn Surface, &mut Memory),
    asker: &mut Asker<'_>,
    clock: &dyn Clock,
    sought: &Sought,
    (capture, view): (&Capture, &View),
) -> Result<(Option<Box<Target>>, Among), Problem> {
    let mut absent = 1.0;
    for part in &view.parts {
        match edges(asker, clock, part, sought.precision * part.scale().0).await? {
            Edge::Unseen(confidence) => absent *= confidence,
            Edge::Undecided => return Ok((None, undecided(0.0))),
            Edge::Region(rect, in_sight) => {
                let rect = closer(asker, clock, part, rect, sought).await?;
                let (confidence, is_picked) = confirm(asker, clock, part, rect, in_sight * EDGES_HOLD).await?;
                if !is_picked || confidence < asker.settings().confidence {
                    return Ok((None, undecided(confidence)));
                }
                let place = within(part.on_surface(&rect), view.picture.area());
                let reason = Some("a model finds it there by its description".to_owned());
                // Of what it says nothing is known: the description is the caller's.
                let claim = Claim { confidence, reason, ..Claim::new(Source::Vision, "region", "", place) };
                let region = seen(capture, Some(&view.picture), claim);
                let now = decode(&surface.picture().await?)?;
                if region.looks.own.is_none() || print(&now, place) != region.looks.own {
                    return Err(changed());
                }
                let number = memory.refs.show_region(region.clone());
                let among = Among { reason: Reason::Found, confidence, candidate: None };
                return Ok((Some(Box::new(target(number, &region))), among));
            }
        }
    }
    // What no part shows was not looked at.
    let reason = if view.is_whole { Reason::NotFound } else { Reason::Undecided };
    Ok((None, Among { reason, confidence: absent, candidate: None }))
}

fn undecided(confidence: f64) -> Among {
    Among { reason: Reason::Undecided, confidence, candidate: None }
}

/// Asks until the four edges are known within `precision` pixels of the picture.
async fn edges(asker: &mut Asker<'_>, clock: &dyn Clock, part: &Part, precision: f64) -> Result<Edge, Problem> {
    let (width, height) = (part.picture.width(), part.picture.height());
    let (width, height) = (f64::from(width), f64::from(height));
    let precision = precision.max(width.max(height) / CELLS * 1.01);
    let settings = asker.settings();
    let mut edges = Edges::new(width, height, precision, settings.error);
    while let Some(line) = edges.next() {
        if asker.is_over(clock) || asker.unreadable().is_some() {
            return Ok(Edge::Undecided);
        }
        let mut step = asker.crosshair(part, line, clock).await?;
        edges.learn(line, step.reply);
        tell(&mut step, part, &edges);
        asker.steps.push(step);
        if edges.unseen() >= settings.confidence {
            return Ok(Edge::Unseen(edges.unseen()));
        }
    }
    Ok(Edge::Region(edges.region(), 1.0 - edges.unseen()))
}

/// Has a step tell within what each edge is, on the surface, and how probable it is that nothing is seen.
fn tell(step: &mut Step, part: &Part, edges: &Edges) {
    let (x, y) = part.scale();
    let names = ["left", "right", "top", "bottom"];
    step.believed = names
        .into_iter()
        .zip(edges.intervals())
        .zip([(part.area.x, x), (part.area.x, x), (part.area.y, y), (part.area.y, y)])
        .map(|((name, (from, to)), (origin, scale))| {
            (format!("{name} edge from {:.0} to {:.0}", origin + from / scale, origin + to / scale), 0.95)
        })
        .collect();
    step.absent = edges.unseen();
}

/// Looks at a cut-out where the edges are to be known more closely, or where what is sought is thin. What the closer look
/// doesn't come to stays as it was.
async fn closer(
    asker: &mut Asker<'_>,
    clock: &dyn Clock,
    part: &Part,
    rect: Rect,
    sought: &Sought,
) -> Result<Rect, Problem> {
    let (width, height) = (part.picture.width(), part.picture.height());
    let cell = f64::from(width.max(height)) / CELLS;
    let precision = sought.precision * part.scale().0;
    let is_thin = rect.width.min(rect.height) < precision.min(cell * 2.0);
    if !is_thin && precision >= cell {
        return Ok(rect);
    }
    let more = |length: f64| (length * AROUND.0).max(AROUND.1).max(cell);
    let (dx, dy) = (more(rect.width), more(rect.height));
    let (left, top) = ((rect.x - dx).max(0.0).floor(), (rect.y - dy).max(0.0).floor());
    let cut = Rect::new(
        left,
        top,
        (rect.x + rect.width + dx).min(f64::from(width)).ceil() - left,
        (rect.y + rect.height + dy).min(f64::from(height)).ceil() - top,
    );
    let picture = crop(&part.picture, cut);
    let (cut_width, cut_height) = (picture.width(), picture.height());
    let zoom = (f64::from(sought.image) / f64::from(cut_width.max(cut_height))).clamp(1.0, LARGEST_ZOOM);
    let size = |side: u32| (f64::from(side) * zoom) as u32;
    let picture = resized(&picture, size(cut_width), size(cut_height));
    let whole = Rect::new(cut.x, cut.y, f64::from(cut_width), f64::from(cut_height));
    let zoomed = Part { picture, area: part.on_surface(&whole), candidates: Vec::new() };
    let precision = precision.min(rect.width.min(rect.height).max(2.0) * 2.0) * zoom;
    match edges(asker, clock, &zoomed, precision).await? {
        Edge::Region(rect, _) => Ok(part.in_picture(&zoomed.on_surface(&rect))),
        Edge::Unseen(_) | Edge::Undecided => Ok(rect),
    }
}

/// Asks whether what is marked is it, at least once and as often as it takes to be sure either way: how probable it is then,
/// and whether the last answer said so. `first`: how probable it is before.
async fn confirm(
    asker: &mut Asker<'_>,
    clock: &dyn Clock,
    part: &Part,
    rect: Rect,
    first: f64,
) -> Result<(f64, bool), Problem> {
    let wrong = (asker.settings().error / 2.0).clamp(0.001, 0.25);
    let sure = asker.settings().confidence;
    let (mut probable, mut picked) = (first, None);
    // A little room around it, so that the box doesn't hide its edges.
    let room = Rect::new(rect.x - 4.0, rect.y - 4.0, rect.width + 8.0, rect.height + 8.0);
    while picked.is_none() || probable < sure && probable > 1.0 - sure {
        if asker.is_over(clock) || asker.unreadable().is_some() {
            break;
        }
        let (_, Some(mut step)) = asker.marks(part, &[room], vec![String::new()], clock).await? else { break };
        let (yes, no) = match step.reply {
            Reply::Mark(_) => (1.0 - wrong, wrong),
            Reply::NoMark => (wrong, 1.0 - wrong),
            _ => (0.5, 0.5),
        };
        if step.reply != Reply::Garbled {
            picked = Some(step.reply != Reply::NoMark);
        }
        probable = probable * yes / (probable * yes + (1.0 - probable) * no);
        step.believed = vec![("what is marked".into(), probable)];
        step.absent = 1.0 - probable;
        asker.steps.push(step);
    }
    Ok((probable, picked == Some(true)))
}
