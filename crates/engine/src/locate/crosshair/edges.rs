//! Finding where an element's four edges are when there are no candidates: on a canvas, or in a picture of a remote desktop.
//!
//! The two axes are searched alike and at once ([`super::axis`]), until every edge is known closely enough, and the judge has said
//! of the middle that it is on it: that is where it will be pressed. That the judge doesn't see it has a probability of its own.

use super::axis::Axis;
use super::boxes::{self, Said};
use super::odds::{UNSEEN, oftener, spread};
use super::reply::{Reply, Side};
use super::search::MOST_ABSENT;
use handeye_scene::Rect;

/// How probable it is at first that the judge doesn't see what it looks for.
const AT_FIRST_UNSEEN: f64 = 0.05;
/// How much of the probability an interval must hold before an edge is said to be in it: of all four, 97.6 %.
const HELD: f64 = 0.994;
/// How probable it must be that the middle is on it, where nothing else is asked for.
const ON_IT: f64 = 0.9;
/// How probable it is, before anybody was asked of its mark, that what a judge sees there is what is sought.
const FIRST: f64 = 0.9;

/// How often a judge may really err: so many times the odds that are told of it, each with its probability at first.
const RATES: [(f64, f64); 3] = [(1.0, 0.6), (2.0, 0.15), (5.0, 0.25)];
/// A rate of errors that is at least so probable, by all answers, is plausible: what is said to be sure must be so at it too.
const PLAUSIBLE: f64 = 0.1;
/// How large what is sought is isn't known: of what is small, the middle is beside it so many times as often as of all sizes.
const DOUBT: f64 = 2.0;

/// A search for the four edges in a picture.
#[derive(Debug, Clone)]
pub struct Edges {
    x: Axis,
    y: Axis,
    /// How probable it must be that the middle is on it.
    sure: f64,
    by_rate: Vec<Rate>,
    /// What of the picture is searched: from where on, and how many times as large.
    shown: ((f64, f64), f64),
    /// What was said of boxes in the picture.
    said: Vec<Said>,
    /// The cut-out that didn't show it, if there was one.
    denied: Option<Denied>,
    asked: usize,
}

/// A cut-out in which it wasn't seen.
#[derive(Debug, Clone)]
struct Denied {
    /// What of the picture it showed.
    area: Rect,
    /// How much less probable, at each rate, its answers are where something of it is in there than where nothing is.
    odds: Vec<f64>,
}

/// What is believed together with one rate of errors.
#[derive(Debug, Clone)]
struct Rate {
    error: f64,
    /// How probable the rate is.
    share: f64,
    /// How probable it is then that the judge doesn't see it.
    unseen: f64,
}

/// What is believed at one rate of a box, by what was said of boxes.
#[derive(Debug, Clone, Copy)]
struct Boxed {
    /// How probable the rate is.
    share: f64,
    /// How probable it is that what is sought is in the box.
    is_it: f64,
}

impl Denied {
    fn at(&self, rate: usize) -> f64 {
        self.odds.get(rate).copied().unwrap_or(1.0)
    }
}

impl Edges {
    /// Begins one in a picture of `width` by `height` pixels. Each edge is to be known within `precision` pixels (100 in
    /// seed 1; a 64th of the side at the least); `error` is how often a judge errs about one line.
    pub fn new(width: f64, height: f64, precision: f64, error: f64) -> Self {
        Self::held(width, height, (precision, HELD), error)
    }

    /// The same where an interval holds so much of the probability.
    pub(super) fn held(width: f64, height: f64, (precision, held): (f64, f64), error: f64) -> Self {
        let error = if error.is_finite() { error.clamp(0.001, 0.5) } else { 0.1 };
        let long = |length: f64| if length.is_finite() { length.max(1.0) } else { 1.0 };
        let rates = RATES.map(|(times, share)| (oftener(error, times), share));
        let axis = |length: f64| Axis::new(length, (precision, held), &rates);
        let (x, y) = (axis(long(width)), axis(long(height)));
        let by_rate = rates.map(|(error, share)| Rate { error, share, unseen: AT_FIRST_UNSEEN });
        let (shown, said) = (((0.0, 0.0), 1.0), Vec::new());
        Self { x, y, sure: ON_IT, by_rate: by_rate.into(), shown, said, denied: None, asked: 0 }
    }

    /// The same, until it is as probable as this that the middle is on it.
    #[must_use]
    pub fn until(self, sure: f64) -> Self {
        Self { sure, ..self }
    }

    /// The same where so many more such pictures are still to be searched, of which each may show it as well as this one.
    #[must_use]
    pub(super) fn among(mut self, later: usize) -> Self {
        let share = later as f64 / (later + 1) as f64;
        let unseen = share.clamp(AT_FIRST_UNSEEN, MOST_ABSENT);
        self.by_rate.iter_mut().for_each(|rate| rate.unseen = unseen);
        self
    }

    /// Begins one in a cut-out of the same picture that was enlarged, with what is known by now. `precision`: across and down, in
    /// pixels of the enlarged one.
    #[must_use]
    pub fn closer(&self, cut: Rect, zoom: f64, precision: (f64, f64)) -> Self {
        let x = self.x.closer((cut.x, cut.width), zoom, precision.0);
        let y = self.y.closer((cut.y, cut.height), zoom, precision.1);
        let by_rate = self.by_rate.iter().map(|rate| Rate { unseen: AT_FIRST_UNSEEN, ..*rate }).collect();
        let ((left, top), times) = self.shown;
        let shown = ((left + cut.x / times, top + cut.y / times), times * zoom);
        Self { x, y, sure: self.sure, by_rate, shown, said: self.said.clone(), denied: None, asked: 0 }
    }

    /// Goes on after a closer look at this part of the picture that showed nothing: what it told of the judge stays known, what was
    /// said of boxes meanwhile does, and that it is there is as much less probable as the answers say.
    pub(super) fn resume(&mut self, closer: &Edges, cut: Rect) {
        let odds = |unseen: f64| (1.0 - unseen) / unseen.max(f64::MIN_POSITIVE);
        let denied = closer.by_rate.iter().map(|rate| (odds(rate.unseen) / odds(AT_FIRST_UNSEEN)).min(1.0));
        let denied = Denied { area: cut, odds: denied.collect() };
        let [x, y] = self.reaches(&cut);
        let is_there = products(&self.x.sharing(x), &self.y.sharing(y));
        for (at, (rate, known)) in self.by_rate.iter_mut().zip(&closer.by_rate).enumerate() {
            let (odds, is_there) = (denied.at(at), is_there.get(at).copied().unwrap_or(0.0));
            let seen = (1.0 - rate.unseen) * (1.0 - is_there * (1.0 - odds));
            rate.unseen = (rate.unseen / (rate.unseen + seen)).clamp(1e-9, 1.0 - 1e-9);
            rate.share = known.share;
        }
        self.denied = Some(denied);
        self.said.clone_from(&closer.said);
        self.settle();
    }

    /// Has the edges known twice as closely; whether that can be, on an axis at least.
    pub(super) fn sharpen(&mut self) -> bool {
        let (x, y) = (self.x.sharpen(), self.y.sharpen());
        x || y
    }

    /// Where to draw the next crosshair; none when all edges are known, and the middle is on it.
    pub fn next(&self) -> Option<(f64, f64)> {
        (!self.is_within() || !self.is_on_it()).then(|| (self.x.line(), self.y.line()))
    }

    /// Whether each edge is known within the precision.
    pub fn is_within(&self) -> bool {
        self.x.is_within() && self.y.is_within()
    }

    /// Whether a judge said that the middle is on it, and that is probable enough, if the region is not all wrong.
    pub fn is_on_it(&self) -> bool {
        let was_asked = self.x.was_asked_of_its_middle() && self.y.was_asked_of_its_middle();
        let region = self.in_picture();
        was_asked && at_worst(&self.boxed(&region), &self.hits_by_rate(&region)) >= self.sure
    }

    /// How probable it is that the region shares anything with it, if the judge sees it.
    pub fn meets(&self) -> f64 {
        self.over_rates(&self.meets_by_rate(&self.in_picture()))
    }

    /// How probable it is at each rate that something of it is in the box of a region of the picture.
    fn meets_by_rate(&self, region: &Rect) -> Vec<f64> {
        let [x, y] = self.reaches(&boxes::own(region));
        products(&self.x.sharing(x), &self.y.sharing(y))
    }

    /// How probable it is at each rate that the middle of a region of the picture is on it, if something of it is in its box.
    fn hits_by_rate(&self, region: &Rect) -> Vec<f64> {
        let [x, y] = self.reaches(region).map(|(start, end)| (start + end) / 2.0);
        let on_it = products(&self.x.at(x), &self.y.at(y));
        let pairs = on_it.into_iter().zip(self.meets_by_rate(region));
        let hits = pairs.map(|(on_it, meets)| if meets > 0.0 { (on_it / meets).min(1.0) } else { 0.0 });
        hits.map(|hits| (1.0 - (1.0 - hits) * DOUBT).max(0.0)).collect()
    }

    /// What is so probable at each rate, whatever the rate is.
    fn over_rates(&self, by_rate: &[f64]) -> f64 {
        self.by_rate.iter().zip(by_rate).map(|(rate, odds)| rate.share * odds).sum()
    }

    /// From where to where a rect of the picture reaches in what is searched, across and down.
    fn reaches(&self, rect: &Rect) -> [(f64, f64); 2] {
        let ((left, top), times) = self.shown;
        let reach = |from: f64, length: f64, origin: f64| ((from - origin) * times, (from + length - origin) * times);
        [reach(rect.x, rect.width, left), reach(rect.y, rect.height, top)]
    }

    /// Where it is taken to be, in the picture.
    pub(super) fn in_picture(&self) -> Rect {
        let (region, ((left, top), times)) = (self.region(), self.shown);
        Rect::new(left + region.x / times, top + region.y / times, region.width / times, region.height / times)
    }

    /// Learns whether it was said to be what is in a box of the picture; that tells of the judge, too.
    pub(super) fn learn_box(&mut self, said: Said) {
        self.said.push(said);
    }

    /// What was said of boxes.
    pub(super) fn said(&self) -> &[Said] {
        &self.said
    }

    /// What is believed at each rate of the box of a region. Of each set of boxes it is reckoned how probable it is that what the judge
    /// sees has something in these and in no other: what was said of one box counts for another as far as both hold the same.
    fn boxed(&self, region: &Rect) -> Vec<Boxed> {
        let denied = self.denied.iter().map(|denied| denied.area);
        let areas = self.said.iter().map(|said| said.area).chain([boxes::own(region)]).chain(denied);
        let (x, y): (Vec<_>, Vec<_>) = areas.map(|area| self.reaches(&area)).map(|[x, y]| (x, y)).unzip();
        let sets = self.x.sharing_which(&x).into_iter().zip(self.y.sharing_which(&y));
        let mut boxed: Vec<Boxed> = sets.enumerate().map(|(rate, (x, y))| self.boxed_at(rate, &x, &y)).collect();
        let sum: f64 = boxed.iter().map(|boxed| boxed.share).sum();
        boxed.iter_mut().for_each(|boxed| boxed.share /= sum.max(f64::MIN_POSITIVE));
        boxed
    }

    fn boxed_at(&self, at: usize, x: &[(usize, f64)], y: &[(usize, f64)]) -> Boxed {
        let Some(rate) = self.by_rate.get(at) else { return Boxed { share: 0.0, is_it: 0.0 } };
        let odds = |set: usize| -> f64 {
            let of = |(at, said): (usize, &Said)| said.odds(set & 1 << at != 0, rate.error);
            self.said.iter().enumerate().map(of).product()
        };
        // By their places the boxes that were shown come first, then the one that is asked for, then what a cut-out showed.
        let [asked, cut] = [self.said.len(), self.said.len() + 1].map(|at| 1 << at);
        let denied = |set: usize| self.denied.as_ref().filter(|_| set & cut != 0).map_or(1.0, |denied| denied.at(at));
        let sets = || {
            let pairs = x.iter().flat_map(|across| y.iter().map(move |down| (across, down)));
            pairs.map(|(across, down)| (across.0 & down.0, across.1 * down.1 * denied(across.0 & down.0)))
        };
        let left: f64 = sets().map(|(_, weight)| weight).sum();
        let seen = FIRST * (1.0 - rate.unseen);
        let (mut all, mut is_it) = ((1.0 - seen) * odds(0), 0.0);
        for (set, weight) in sets() {
            let weight = seen * weight / left.max(f64::MIN_POSITIVE) * odds(set);
            all += weight;
            is_it += if set & asked == 0 { 0.0 } else { weight };
        }
        Boxed { share: rate.share * all, is_it: is_it / all.max(f64::MIN_POSITIVE) }
    }

    /// How probable it is that what is in the box of a region of the picture is what is sought.
    pub(super) fn is_it(&self, region: &Rect) -> f64 {
        self.boxed(region).iter().map(|boxed| boxed.share * boxed.is_it).sum()
    }

    /// How probable it is that the middle of a region of the picture is on what is sought, at the worst plausible rate. What was said of
    /// its box was said of all that has anything in it: a judge is easy to please.
    pub(super) fn confidence(&self, region: &Rect) -> f64 {
        let (boxed, hits) = (self.boxed(region), self.hits_by_rate(region));
        let by_rate: Vec<f64> = boxed.iter().zip(hits).map(|(boxed, hits)| boxed.is_it * hits).collect();
        at_worst(&boxed, &by_rate)
    }

    /// Within what all of it is, most probably: from left to right, and from top to bottom.
    pub(super) fn bounds(&self) -> [(f64, f64); 2] {
        [&self.x, &self.y].map(|axis| axis.bounds())
    }

    /// How probable it is that the middle is on it, if the judge sees it.
    pub fn on_it(&self) -> f64 {
        self.over_rates(&products(&self.x.on_it(), &self.y.on_it()))
    }

    /// How probable it is that the judge doesn't see it.
    pub fn unseen(&self) -> f64 {
        self.by_rate.iter().map(|rate| rate.share * rate.unseen).sum()
    }

    /// How often the judge errs about one line, as far as its answers tell.
    pub fn error(&self) -> f64 {
        let boxed = self.boxed(&self.in_picture());
        self.by_rate.iter().zip(boxed).map(|(rate, boxed)| boxed.share * rate.error).sum()
    }

    /// Learns the answer about a crosshair at `x`, `y`. What was said of one line counts, whatever was said of the other, but not what was
    /// said of a line that had been answered.
    pub fn learn(&mut self, (x, y): (f64, f64), reply: Reply) {
        self.asked += 1;
        let (said_x, said_y) = match reply {
            Reply::Sides { x, y } => (x, y),
            _ => (None, None),
        };
        let said_x = said_x.filter(|_| !self.x.was_answered(x));
        let said_y = said_y.filter(|_| !self.y.was_answered(y));
        // Who doesn't see it says so of both lines: that is one observation, not two.
        let counts = if said_x == Some(Side::Unseen) { said_y.filter(|said| *said != Side::Unseen) } else { said_y };
        let (of_x, of_y) = (self.x.learn(x, said_x), self.y.learn(y, said_y));
        for (rate, (of_x, of_y)) in self.by_rate.iter_mut().zip(of_x.into_iter().zip(of_y)) {
            let odds =
                |said: Option<Side>| said.and_then(|said| spread(&UNSEEN, rate.error).get(said.index()).copied());
            let not_seen = rate.unseen * odds(said_x).unwrap_or(1.0) * odds(counts).unwrap_or(1.0);
            let seen = (1.0 - rate.unseen) * of_x * if counts == said_y { of_y } else { 1.0 };
            if not_seen + seen > 0.0 {
                rate.unseen = (not_seen / (not_seen + seen)).clamp(1e-9, 1.0 - 1e-9);
                rate.share *= not_seen + seen;
            }
        }
        self.settle();
    }

    /// The rates of errors back to a sum of 1.
    fn settle(&mut self) {
        let sum: f64 = self.by_rate.iter().map(|rate| rate.share).sum();
        self.by_rate.iter_mut().for_each(|rate| rate.share = (rate.share / sum.max(f64::MIN_POSITIVE)).max(1e-9));
        self.x.weigh_rates(self.by_rate.iter().map(|rate| rate.share));
        self.y.weigh_rates(self.by_rate.iter().map(|rate| rate.share));
    }

    /// Where it is taken to be: each edge is within its interval.
    pub fn region(&self) -> Rect {
        // What the edges say may contradict itself: the middle stays.
        let side = |(start, end): (f64, f64)| {
            let length = (end - start).max(1.0);
            ((start + end - length) / 2.0, length)
        };
        let ((left, width), (top, height)) = (side(self.x.reach()), side(self.y.reach()));
        Rect::new(left, top, width, height)
    }

    /// Intervals of the left, right, top and bottom edge.
    pub fn intervals(&self) -> [(f64, f64); 4] {
        [self.x.first(), self.x.last(), self.y.first(), self.y.last()]
    }

    /// Questions asked so far.
    pub fn asked(&self) -> usize {
        self.asked
    }
}

/// What is so probable at each rate, at the worst of those that the answers leave plausible. Few answers hardly tell a careful judge
/// from a careless one: the mean over both would be as sure as the careful one.
fn at_worst(rates: &[Boxed], by_rate: &[f64]) -> f64 {
    let mean = rates.iter().zip(by_rate).map(|(rate, odds)| rate.share * odds).sum();
    let plausible = rates.iter().zip(by_rate).filter(|(rate, _)| rate.share >= PLAUSIBLE);
    plausible.map(|(_, odds)| *odds).fold(mean, f64::min)
}

fn products(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x * y).collect()
}

#[cfg(test)]
mod tests;
