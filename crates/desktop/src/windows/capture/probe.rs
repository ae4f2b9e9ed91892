//! Facts about one element, and where a pointer hits it.

use crate::windows::calls::{Fault, problem};
use crate::windows::capture::tree::{Hit, Tree};
use crate::windows::desktop::Desktop;
use crate::windows::records::ids::Key;
use crate::windows::records::window_list::{Seen, barring};
use crate::windows::top_level::raise;
use handeye_scene::{Aim, Cover, NativeId, Point, Probe, Problem, Rect, State};
use std::time::Duration;

/// How long a rectangle must stand still.
const STILL: Duration = Duration::from_millis(15);

/// A place that a pointer hits, or what is there instead.
pub(crate) enum Aimed {
    At(Point),
    Covered(Option<Cover>),
}

/// Facts about an element; none when it is gone.
pub(crate) fn examine(desktop: &mut Desktop, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
    let Some((window, key)) = desktop.found(id) else { return Ok(None) };
    let looked = desktop.tree.look(&window, &key);
    let element = match looked {
        Ok(Some(element)) => element,
        Ok(None) | Err(Fault::Gone) => return Ok(None),
        Err(fault) => return Err(fault.problem(&format!("look at a control of {:?}", window.title))),
    };
    let mut probe = element.probe(id, id.document());
    if !window.enabled {
        probe.behind = barring(&desktop.seen(), &window).map(as_cover);
    }
    if window.minimised && !aim.scroll {
        probe.visible = false;
    }
    if aim.point && !(aim.activation && probe.activation.is_some()) {
        make_ready(desktop, &mut probe, &window, &key, aim)?;
    }
    Ok(Some(probe))
}

/// Makes the element ready for the pointer as far as `aim` allows, and finds a place that hits it.
fn make_ready(desktop: &mut Desktop, probe: &mut Probe, window: &Seen, key: &Key, aim: Aim) -> Result<(), Problem> {
    if aim.scroll && window.minimised {
        raise::raise(desktop, window)?;
    }
    if aim.scroll && probe.states.has(State::Offscreen) {
        desktop.tree.reveal(key).map_err(problem("scroll it into view"))?;
    }
    let window = &desktop.found(probe.id).map_or_else(|| window.clone(), |found| found.0);
    let Some(before) = place(desktop, window, key)? else { return Ok(()) };
    std::thread::sleep(STILL);
    let Some(rect) = place(desktop, window, key)? else { return Ok(()) };
    probe.still = before == rect;
    probe.rect = rect;
    let mut hit = find_hit(desktop, rect, window, key, aim.at)?;
    if aim.scroll && matches!(hit, Aimed::Covered(_)) && !window.popup {
        // Its window may lie under others: it is raised, and nothing else is.
        if raise::raise(desktop, window)? {
            hit = find_hit(desktop, rect, window, key, aim.at)?;
        }
    }
    match hit {
        Aimed::At(point) => probe.point = Some(point),
        Aimed::Covered(cover) => probe.cover = cover,
    }
    Ok(())
}

fn place(desktop: &mut Desktop, window: &Seen, key: &Key) -> Result<Option<Rect>, Problem> {
    let element = desktop.tree.look(window, key).map_err(problem("look where it is"))?;
    Ok(element.and_then(|e| e.rect))
}

/// A place of `rect` at which a pointer hits the element: the one that was asked for, else any in what can be seen of it.
pub(crate) fn find_hit(
    desktop: &mut Desktop,
    rect: Rect,
    window: &Seen,
    key: &Key,
    asked: Option<Point>,
) -> Result<Aimed, Problem> {
    let Some(sight) = desktop.tree.visible(window, key, rect).map_err(problem("tell what shows of it"))? else {
        return Ok(Aimed::Covered(None));
    };
    let places = match asked {
        Some(offset) => vec![Point::new(rect.x + offset.x, rect.y + offset.y)],
        None => places_in(sight),
    };
    let mut cover = None;
    for point in places {
        match desktop.tree.hit(window, key, point).map_err(problem("tell what is there"))? {
            Hit::Own => return Ok(Aimed::At(point)),
            Hit::Other(there) => cover = cover.or(there),
        }
    }
    Ok(Aimed::Covered(cover))
}

/// Where a pointer is tried: the middle first.
fn places_in(sight: Rect) -> Vec<Point> {
    let center = sight.center();
    let (w, h) = (sight.width / 4.0, sight.height / 4.0);
    let around = [(0.0, 0.0), (-w, 0.0), (w, 0.0), (0.0, -h), (0.0, h)];
    around.iter().map(|(dx, dy)| Point::new((center.x + dx).floor(), (center.y + dy).floor())).collect()
}

/// A window as what is in the way.
fn as_cover(window: &Seen) -> Cover {
    let name = if window.title.is_empty() { window.process().to_owned() } else { window.title.clone() };
    Cover { id: None, role: "window".into(), name }
}
