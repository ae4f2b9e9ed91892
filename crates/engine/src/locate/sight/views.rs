//! What there is to search: candidates of one look, the picture taken with it, and the parts in which a model can see it.

use super::sought::Sought;
use crate::locate::find::Filter;
use crate::observe::memory::Memory;
use crate::observe::view::said;
use crate::perceive::blink;
use crate::perceive::moment::pictured;
use crate::perceive::pixels::{decode, print};
use crate::perceive::regions::place;
use crate::perceive::resample::{crop, fitted};
use handeye_scene::{Capture, Clock, Code, NativeId, NodeKind, Notice, Picture, Problem, Rect, State, Surface, Want};
use std::collections::HashSet;
use std::time::Duration;

/// How long a surface may take to get quiet after it was scrolled.
pub(super) const SCROLLING: Duration = Duration::from_secs(2);
/// Pictures with a shorter side show nothing that could be pointed to.
const LEAST_SIDE: u32 = 4;
/// A picture isn't made smaller than this: below, no text can be read. It is shown in parts instead.
const SMALLEST_SCALE: f64 = 0.5;
/// Parts of one picture at most.
const MOST_PARTS: usize = 24;
/// How much of a part is shown in the next one, too: what lies on a seam is whole in one of them.
const OVERLAP: f64 = 0.1;
/// Of two candidates that share so much of their area, one stands for both.
const SAME: f64 = 0.9;

/// An element that may be meant.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) id: NativeId,
    /// Where it is on the surface.
    pub(super) rect: Rect,
    /// Role and name, for people and for the model.
    pub(super) called: String,
}

/// A part of the picture, no larger than a model can see.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The picture as it is shown, without anything drawn on it.
    pub(super) picture: Picture,
    /// What it shows of the surface.
    pub(super) area: Rect,
    /// Places of its candidates in the view.
    pub(super) candidates: Vec<usize>,
}

impl Part {
    /// Pixels of the picture for one of the surface, along and down.
    pub(super) fn scale(&self) -> (f64, f64) {
        let (width, height) = (self.picture.width(), self.picture.height());
        (f64::from(width) / self.area.width.max(1.0), f64::from(height) / self.area.height.max(1.0))
    }

    /// A rect of the surface in the picture.
    pub(super) fn in_picture(&self, rect: &Rect) -> Rect {
        let (x, y) = self.scale();
        Rect::new((rect.x - self.area.x) * x, (rect.y - self.area.y) * y, rect.width * x, rect.height * y)
    }

    /// A rect of the picture on the surface.
    pub(super) fn on_surface(&self, rect: &Rect) -> Rect {
        let (x, y) = self.scale();
        Rect::new(self.area.x + rect.x / x, self.area.y + rect.y / y, rect.width / x, rect.height / y)
    }
}

/// One look.
pub(super) struct View {
    pub(super) candidates: Vec<Candidate>,
    /// Candidates out of view that were in none yet, the nearest below first.
    pub(super) beyond: Vec<NativeId>,
    pub(super) parts: Vec<Part>,
    /// Whether the parts show all of it.
    pub(super) is_whole: bool,
    /// What the parts were cut out of.
    pub(super) picture: Picture,
    /// That picture and elements may not be of one moment, if so.
    pub(super) notice: Option<Notice>,
}

impl View {
    /// Candidates that no part shows.
    pub(super) fn unshown(&self) -> HashSet<NativeId> {
        let shown: HashSet<usize> = self.parts.iter().flat_map(|part| &part.candidates).copied().collect();
        let unshown = self.candidates.iter().enumerate().filter(|(at, _)| !shown.contains(at));
        unshown.map(|(_, candidate)| candidate.id).collect()
    }

    /// Whether there is nothing to choose from, here or elsewhere.
    pub(super) fn is_bare(&self) -> bool {
        self.candidates.is_empty() && self.beyond.is_empty()
    }
}

/// Looks at the surface, and takes a picture of the same moment.
pub(super) async fn look(
    surface: &mut dyn Surface,
    memory: &Memory,
    sought: &Sought,
    seen: &HashSet<NativeId>,
) -> Result<(Capture, View), Problem> {
    let want = wanted(sought);
    let first = surface.capture(want).await?;
    let moment = pictured(surface, want, first).await?;
    let (capture, picture, notice) = (moment.capture, moment.picture, moment.notice);
    let area = picture.area();
    let (width, height) = (picture.width(), picture.height());
    if width.min(height) < LEAST_SIDE {
        let text = format!("there is too little to see: the picture is {width}×{height} pixels");
        return Err(Problem::new(Code::Blocked, text).hint("handeye screenshot page.png"));
    }
    let filter = Filter { role: sought.role.clone(), ..Filter::default() };
    let (mut candidates, mut beyond) = (Vec::new(), Vec::new());
    for (node, found) in capture.nodes.iter().enumerate() {
        let Some(id) = found.id.filter(|_| found.kind == NodeKind::Operable && filter.holds(found, &memory.mask))
        else {
            continue;
        };
        let is_hidden = found.states.has(State::Covered) || Some(id) == want.scope;
        if is_hidden || seen.contains(&id) || found.rect.width < 1.0 || found.rect.height < 1.0 {
            continue;
        }
        if found.states.has(State::Offscreen) || !found.rect.intersects(&area) {
            beyond.push((id, found.rect));
            continue;
        }
        let name = memory.mask.of(&said(&capture, node)).into_owned();
        let called =
            format!("{} {}", handeye_scene::model::role::known(&found.role), crate::observe::outline::quote(&name, 60));
        candidates.push(Candidate { id, rect: found.rect, called });
    }
    let candidates = distinct(candidates);
    let beyond = nearest(beyond, &area);
    let parts = parts(&picture, &area, &candidates, sought.image);
    let is_whole = reaches_end(&parts, &area);
    Ok((capture, View { candidates, beyond, parts, is_whole, picture, notice }))
}

/// What of the surface is looked at.
fn wanted(sought: &Sought) -> Want {
    let (scope, until) = sought.within.map_or((None, None), |(first, last)| (Some(first), last));
    Want { scope, until, rows: true, ..Want::default() }
}

/// The look that shows a candidate as it is in the picture of its view, wherever it is now; none where it looks otherwise.
pub(super) async fn looks_the_same(
    surface: &mut dyn Surface,
    clock: &dyn Clock,
    view: &View,
    candidate: &Candidate,
    sought: &Sought,
) -> Result<Option<Capture>, Problem> {
    let Some(was) = seen(&view.picture, candidate.rect) else { return Ok(None) };
    for wait in blink::WAITS {
        clock.sleep(wait).await;
        let now = surface.capture(wanted(sought)).await?;
        let picture = decode(&surface.picture().await?)?;
        let rect = place(&now, candidate.id);
        if rect.and_then(|rect| seen(&picture, rect)) == Some(was) {
            return Ok(Some(now));
        }
    }
    Ok(None)
}

/// Whether a place shows the pixels that were judged, if it was all in the picture.
pub(super) async fn shows_the_same(
    surface: &mut dyn Surface,
    clock: &dyn Clock,
    place: Rect,
    was: Option<u64>,
) -> Result<bool, Problem> {
    if was.is_none() {
        return Ok(false);
    }
    Ok(blink::glance(surface, clock, |now| print(now, place) == was).await?.shows)
}

/// What a picture shows of a rect, as a number; none where it shows nothing of it.
fn seen(picture: &Picture, rect: Rect) -> Option<u64> {
    print(picture, within(rect, picture.area()))
}

/// What of a rect lies in an area.
pub(super) fn within(rect: Rect, area: Rect) -> Rect {
    let (left, top) = (rect.x.max(area.x), rect.y.max(area.y));
    let right = (rect.x + rect.width).min(area.x + area.width);
    let bottom = (rect.y + rect.height).min(area.y + area.height);
    Rect::new(left, top, right - left, bottom - top)
}

/// Of candidates in one place, the innermost that says something stands for all.
fn distinct(all: Vec<Candidate>) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in all {
        let says = |c: &Candidate| !c.called.ends_with("\"\"");
        let same = kept.iter().rposition(|other| overlap(&other.rect, &candidate.rect) > SAME);
        match same.and_then(|at| kept.get_mut(at)) {
            Some(other) if says(&candidate) || !says(other) => *other = candidate,
            Some(_) => {}
            None => kept.push(candidate),
        }
    }
    kept
}

/// Intersection over union.
fn overlap(a: &Rect, b: &Rect) -> f64 {
    let side = |a: f64, a_len: f64, b: f64, b_len: f64| ((a + a_len).min(b + b_len) - a.max(b)).max(0.0);
    let shared = side(a.x, a.width, b.x, b.width) * side(a.y, a.height, b.y, b.height);
    shared / (a.width * a.height + b.width * b.height - shared).max(1e-9)
}

/// Ids in the order in which they are scrolled to: what is below from the top, then what is above from the bottom.
fn nearest(mut beyond: Vec<(NativeId, Rect)>, area: &Rect) -> Vec<NativeId> {
    let end = area.y + area.height;
    let key = |rect: &Rect| if rect.y >= area.y { (0, rect.y) } else { (1, end - rect.y) };
    beyond.sort_by(|a, b| {
        let (a, b) = (key(&a.1), key(&b.1));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    beyond.into_iter().map(|(id, _)| id).collect()
}

/// Cuts a picture into parts that a model can see, each no longer than `longest` on a side and not made too small for that.
fn parts(picture: &Picture, area: &Rect, candidates: &[Candidate], longest: u32) -> Vec<Part> {
    let (width, height) = (picture.width(), picture.height());
    let most = f64::from(longest.max(64)) / SMALLEST_SCALE;
    let columns = cuts(f64::from(width), most);
    let mut parts = Vec::new();
    for (top, tall) in cuts(f64::from(height), most) {
        for (left, wide) in &columns {
            let cut = Rect::new(*left, top, *wide, tall);
            let whole = *wide >= f64::from(width) && tall >= f64::from(height);
            let longest = longest.max(64);
            let shown = if whole { fitted(picture, longest) } else { fitted(&crop(picture, cut), longest) };
            let (x, y) = (area.width / f64::from(width), area.height / f64::from(height));
            let on = Rect::new(area.x + cut.x * x, area.y + cut.y * y, cut.width * x, cut.height * y);
            parts.push(Part { picture: shown, area: on, candidates: Vec::new() });
        }
    }
    parts.truncate(MOST_PARTS);
    for (at, candidate) in candidates.iter().enumerate() {
        // It is looked for in the part that shows most of it.
        let share = |part: &Part| shared(&part.area, &candidate.rect);
        let best = parts.iter_mut().reduce(|best, part| if share(part) > share(best) { part } else { best });
        if let Some(part) = best.filter(|part| share(part) > 0.0) {
            part.candidates.push(at);
        }
    }
    parts
}

/// Whether parts, which go from the top left to the bottom right, show the end of an area, too.
fn reaches_end(parts: &[Part], area: &Rect) -> bool {
    parts.last().is_some_and(|last| {
        last.area.x + last.area.width >= area.x + area.width - 1.0
            && last.area.y + last.area.height >= area.y + area.height - 1.0
    })
}

fn shared(a: &Rect, b: &Rect) -> f64 {
    let side = |a: f64, a_len: f64, b: f64, b_len: f64| ((a + a_len).min(b + b_len) - a.max(b)).max(0.0);
    side(a.x, a.width, b.x, b.width) * side(a.y, a.height, b.y, b.height)
}

/// Where parts of one direction begin, and how long they are.
fn cuts(length: f64, most: f64) -> Vec<(f64, f64)> {
    if length <= most {
        return vec![(0.0, length)];
    }
    let step = (most * (1.0 - OVERLAP)).floor();
    let count = ((length - most) / step).ceil().max(0.0) as usize + 1;
    (0..count.min(MOST_PARTS)).map(|i| (i as f64 * step, most.min(length - i as f64 * step))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::{DocumentId, Point};

    fn candidate(number: u32, rect: Rect, called: &str) -> Candidate {
        Candidate { id: NativeId::new(DocumentId(1), number), rect, called: called.into() }
    }

    fn plain(width: u32, height: u32) -> Picture {
        let rgba = vec![9; width as usize * height as usize * 4];
        Picture::new((width, height), rgba, 1.0, Point::new(0.0, 0.0)).unwrap()
    }

    #[test]
    fn a_high_picture_is_shown_in_parts_and_every_candidate_is_in_one() {
        let picture = plain(40, 20_000);
        let area = Rect::new(0.0, -100.0, 20.0, 10_000.0);
        let all: Vec<Candidate> =
            (0..100).map(|i| candidate(i, Rect::new(2.0, f64::from(i) * 99.0 - 100.0, 10.0, 20.0), "")).collect();
        let parts = parts(&picture, &area, &all, 1568);
        assert!(parts.len() > 4 && parts.len() < 10, "{}", parts.len());
        assert!(parts.iter().all(|part| part.picture.height() <= 1568 && part.picture.width() >= 20));
        assert_eq!(parts.iter().map(|part| part.candidates.len()).sum::<usize>(), 100);
        for part in &parts {
            let (width, height) = (part.picture.width(), part.picture.height());
            for at in &part.candidates {
                let rect = part.in_picture(&all[*at].rect);
                assert!(rect.x >= 0.0 && rect.x + rect.width <= f64::from(width) + 0.5);
                assert!(rect.y >= -0.5 && rect.y + rect.height <= f64::from(height) + 0.5, "{rect:?}");
                let back = part.on_surface(&rect);
                assert!((back.y - all[*at].rect.y).abs() < 0.01);
            }
        }
        assert_eq!(super::parts(&plain(1280, 800), &area, &[], 1568).len(), 1);
    }

    #[test]
    fn what_no_part_shows_was_not_looked_at() {
        let area = Rect::new(0.0, 0.0, 1280.0, 800.0);
        let all = vec![
            candidate(1, Rect::new(10.0, 10.0, 60.0, 20.0), "button \"Near\""),
            candidate(2, Rect::new(1200.0, 770.0, 60.0, 20.0), "button \"Far\""),
        ];
        let view = |longest: u32| {
            let picture = plain(1280, 800);
            let parts = parts(&picture, &area, &all, longest);
            let is_whole = reaches_end(&parts, &area);
            View { candidates: all.clone(), beyond: Vec::new(), parts, is_whole, picture, notice: None }
        };
        // A model that sees so little would need 77 parts.
        let small = view(64);
        assert_eq!((small.parts.len(), small.is_whole), (MOST_PARTS, false));
        assert_eq!(small.unshown(), HashSet::from([all[1].id]));
        for longest in [400, 1568] {
            let whole = view(longest);
            assert!(whole.is_whole && whole.unshown().is_empty(), "{longest}");
        }
    }

    #[test]
    fn what_lies_in_one_place_is_one_candidate() {
        let place = Rect::new(10.0, 10.0, 80.0, 20.0);
        let all = vec![
            candidate(1, place, "generic \"\""),
            candidate(2, place, "link \"More\""),
            candidate(3, place, "generic \"\""),
            candidate(4, Rect::new(10.0, 40.0, 80.0, 20.0), "link \"Less\""),
        ];
        let kept: Vec<String> = distinct(all).into_iter().map(|c| c.called).collect();
        assert_eq!(kept, ["link \"More\"", "link \"Less\""]);
    }

    #[test]
    fn what_is_below_is_scrolled_to_before_what_is_above() {
        let id = |n| NativeId::new(DocumentId(1), n);
        let at = |n, y| (id(n), Rect::new(0.0, y, 10.0, 10.0));
        let area = Rect::new(0.0, 0.0, 100.0, 100.0);
        let order = nearest(vec![at(1, -500.0), at(2, 900.0), at(3, -50.0), at(4, 200.0)], &area);
        assert_eq!(order, [id(4), id(2), id(3), id(1)]);
    }
}
