//! Where something begins and ends along one axis, when there are no candidates: every pair of a first and a last edge on a grid
//! has a probability, and the next line is the one whose answer tells most; so a wrong answer is outvoted.

use super::odds::{is_among, spread};
use super::reply::Side;
use super::spans::{Ends, Spans};

/// Positions of an edge that are told apart, along one axis.
pub(super) const CELLS: usize = 64;
/// How much of the probability of an edge lies within the bounds.
const BOUNDS: f64 = 0.97;
/// A line that told nothing is not drawn again, nor one as near to it as so many cells.
const APART: f64 = 2.5;
/// A line that is so near to one that crosses it, in pixels, does too.
const NEXT_TO: f64 = 1.0;
/// A place counts as sure as the surest one where it is at most so many times as probable that it is not on it.
const ALIKE: f64 = 1.5;
/// Where, beside its middle, else is looked whether a line crosses it: shares of its length.
const BESIDE: [f64; 5] = [0.0, 0.125, -0.125, 0.2, -0.2];

/// What is believed together with one rate of errors.
#[derive(Debug, Clone)]
struct Rate {
    error: f64,
    /// How probable the rate is.
    share: f64,
    spans: Spans,
}

/// What is believed of where an element begins and ends along one axis, if the judge sees it.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    length: f64,
    /// Once for each rate at which the judge may err.
    by_rate: Vec<Rate>,
    /// How closely the edges are to be known, in pixels, and how much of the probability an interval must hold before an edge is
    /// said to be in it.
    precision: f64,
    held: f64,
    /// Lines that were asked about.
    drawn: Vec<f64>,
    /// Those that were answered.
    answered: Vec<f64>,
    /// Those of which it was said that they cross it.
    crossed: Vec<f64>,
    /// Lines that told nothing since the last that did.
    silent: Vec<f64>,
}

impl Axis {
    pub(super) fn new(length: f64, (precision, held): (f64, f64), rates: &[(f64, f64)]) -> Self {
        let step = length / CELLS as f64;
        let mut spans = Vec::new();
        for first in 0..CELLS {
            for last in first..CELLS {
                // Small things are likelier than large ones: as probable from 20 to 40 pixels wide as from 40 to 80.
                let cells = (last - first + 1) as f64;
                let place = |cell: usize| (cell as f64 + 0.5) * step;
                let (start, end) = if first == last {
                    (place(first) - step / 4.0, place(first) + step / 4.0)
                } else {
                    (place(first), place(last))
                };
                spans.push((start, end, 1.0 / cells / (CELLS as f64 - cells + 1.0)));
            }
        }
        let spans = Spans::new(spans);
        let by_rate = rates.iter().map(|(error, share)| Rate { error: *error, share: *share, spans: spans.clone() });
        let (drawn, answered, crossed, silent) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let precision = precision.max(least(length));
        Self { length, by_rate: by_rate.collect(), precision, held, drawn, answered, crossed, silent }
    }

    /// The same of a part from `from` on that is `length` long, enlarged: on a finer grid, with what is known of the coarser one.
    pub(super) fn closer(&self, (from, length): (f64, f64), zoom: f64, precision: f64) -> Self {
        let rates: Vec<(f64, f64)> = self.by_rate.iter().map(|rate| (rate.error, rate.share)).collect();
        let mut finer = Self::new(length * zoom, (precision, self.held), &rates);
        let step = self.length / CELLS as f64;
        let cell = |edge: f64| ((edge / step).max(0.0) as usize).min(CELLS - 1);
        let coarse = |span: &Span| cell(span.0) * CELLS + cell(span.1);
        let within = |span: &Span| cell(from + span.0 / zoom) * CELLS + cell(from + span.1 / zoom);
        for (fine, known) in finer.by_rate.iter_mut().zip(&self.by_rate) {
            // What a pair of coarse cells holds is shared among the finer ones in it, as these are alike without it.
            let (held, shares) = (sums(&known.spans, coarse), sums(&fine.spans, within));
            let of = |all: &[f64], at: usize| all.get(at).copied().unwrap_or(0.0);
            let weigh = |span: &Span| {
                let at = within(span);
                (span.0, span.1, span.2 * of(&held, at) / of(&shares, at).max(f64::MIN_POSITIVE))
            };
            fine.spans = Spans::new(fine.spans.iter().map(weigh).collect());
        }
        finer
    }

    /// Has both edges known twice as closely; whether that can be.
    pub(super) fn sharpen(&mut self) -> bool {
        let was = self.precision;
        self.precision = (was / 2.0).max(least(self.length));
        self.precision < was
    }

    /// Whether a line was answered: it would be answered alike.
    pub(super) fn was_answered(&self, line: f64) -> bool {
        is_among(self.answered.iter().copied(), line)
    }

    /// Learns what was said of a line, if anything; how probable that was of what the judge sees, at each rate.
    pub(super) fn learn(&mut self, line: f64, said: Option<Side>) -> Vec<f64> {
        self.drawn.push(line);
        match said {
            None | Some(Side::Unseen) => self.silent.push(line),
            Some(_) => self.silent.clear(),
        }
        self.answered.extend(said.map(|_| line));
        if said == Some(Side::Crosses) {
            self.crossed.push(line);
        }
        let learnt = |rate: &mut Rate| said.map_or(1.0, |said| rate.spans.learn(line, said, rate.error));
        self.by_rate.iter_mut().map(learnt).collect()
    }

    /// Learns how probable each rate of errors is.
    pub(super) fn weigh_rates(&mut self, shares: impl Iterator<Item = f64>) {
        self.by_rate.iter_mut().zip(shares).for_each(|(rate, share)| rate.share = share);
    }

    /// Every first and last edge, and how probable they are.
    fn spans(&self) -> impl Iterator<Item = Span> {
        self.by_rate.iter().flat_map(|rate| rate.spans.iter().map(|(a, b, weight)| (*a, *b, weight * rate.share)))
    }

    /// The shortest interval that holds so much of the probability of an edge, of those that begin and end between cells.
    fn interval(&self, edge: impl Fn(&Span) -> f64, held: f64) -> (f64, f64) {
        let step = self.length / CELLS as f64;
        let mut cells = [0.0; CELLS];
        for span in self.spans() {
            let cell = ((edge(&span) / step).max(0.0) as usize).min(CELLS - 1);
            if let Some(sum) = cells.get_mut(cell) {
                *sum += span.2;
            }
        }
        let mut best = (0, CELLS);
        for from in 0..CELLS {
            let mut sum = 0.0;
            for to in from..CELLS {
                sum += cells.get(to).copied().unwrap_or(0.0);
                if sum >= held {
                    if to + 1 - from < best.1 - best.0 {
                        best = (from, to + 1);
                    }
                    break;
                }
            }
        }
        (best.0 as f64 * step, best.1 as f64 * step)
    }

    pub(super) fn first(&self) -> (f64, f64) {
        self.interval(|span| span.0, self.held)
    }

    pub(super) fn last(&self) -> (f64, f64) {
        self.interval(|span| span.1, self.held)
    }

    /// Within what all of it is, most probably.
    pub(super) fn bounds(&self) -> (f64, f64) {
        (self.interval(|span| span.0, BOUNDS).0, self.interval(|span| span.1, BOUNDS).1)
    }

    /// How probable it is at each rate that its middle is on it, if the judge sees it.
    pub(super) fn on_it(&self) -> Vec<f64> {
        self.at(self.middle())
    }

    /// How probable it is at each rate that a line crosses it.
    pub(super) fn at(&self, line: f64) -> Vec<f64> {
        self.sharing((line, line))
    }

    /// How probable it is at each rate that it shares anything with this reach, if the judge sees it.
    pub(super) fn sharing(&self, reach: (f64, f64)) -> Vec<f64> {
        let shares = |span: &&Span| is_shared(span, reach);
        self.by_rate.iter().map(|rate| rate.spans.iter().filter(shares).map(|span| span.2).sum()).collect()
    }

    /// With which of these reaches it shares something, as a set of their places, and how probable that is, at each rate.
    pub(super) fn sharing_which(&self, reaches: &[(f64, f64)]) -> Vec<Vec<(usize, f64)>> {
        let which = |span: &Span| {
            reaches
                .iter()
                .enumerate()
                .filter(|(_, reach)| is_shared(span, **reach))
                .fold(0, |set, (at, _)| set | 1 << at)
        };
        let of = |rate: &Rate| {
            let mut sets: Vec<(usize, f64)> = Vec::new();
            for span in rate.spans.iter() {
                let set = which(span);
                match sets.iter_mut().find(|known| known.0 == set) {
                    Some(known) => known.1 += span.2,
                    None => sets.push((set, span.2)),
                }
            }
            sets
        };
        self.by_rate.iter().map(of).collect()
    }

    /// Whether both edges are known as closely as they are to be.
    pub(super) fn is_within(&self) -> bool {
        [self.first(), self.last()].iter().all(|(from, to)| to - from <= self.precision)
    }

    /// From where to where it is taken to reach: between the middles of what holds each edge, and so, as far as the edges allow it,
    /// that its middle is where it most probably is, of the places that were said to be on it.
    pub(super) fn reach(&self) -> (f64, f64) {
        let (first, last) = (self.first(), self.last());
        let (start, end) = ((first.0 + first.1) / 2.0, (last.0 + last.1) / 2.0);
        let around = |line: f64| {
            let least = (line - first.1).max(last.0 - line).max(0.0);
            let most = (line - first.0).min(last.1 - line);
            (least <= most).then(|| ((end - start) / 2.0).clamp(least, most)).map(|half| (line - half, line + half))
        };
        self.surest((start + end) / 2.0, |line| around(line).is_some()).and_then(around).unwrap_or((start, end))
    }

    /// The place that is most probably on it, of those where it may be and that were said to be on it; of those that are as probable,
    /// the nearest to `middle`. None that is on it in less than a quarter of all cases.
    fn surest(&self, middle: f64, may_be: impl Fn(f64) -> bool) -> Option<f64> {
        let step = self.length / CELLS as f64 / 2.0;
        let places = (0..=2 * CELLS).map(|half| half as f64 * step).chain(self.crossed.iter().copied()).chain([middle]);
        let profile = self.profile();
        let odds = |line: f64| profile.get((line / step).round().max(0.0) as usize).copied().unwrap_or(0.0);
        let asked: Vec<(f64, f64)> =
            places.filter(|line| self.was_asked_of(*line) && may_be(*line)).map(|line| (odds(line), line)).collect();
        let most = asked.iter().map(|place| place.0).fold(0.5, f64::max);
        let alike = asked.into_iter().filter(|place| 1.0 - place.0 <= ALIKE * (1.0 - most) + 1e-6).map(|place| place.1);
        alike.min_by(|a, b| (a - middle).abs().total_cmp(&(b - middle).abs()))
    }

    /// How probable it is of every half cell's edge that it is on it, if the judge sees it. An edge may be anywhere in its cell.
    fn profile(&self) -> Vec<f64> {
        let step = self.length / CELLS as f64 / 2.0;
        let at = |line: f64| (line / step).round().max(0.0) as usize;
        // By how much more, or less, it is than of the place before.
        let mut changes = vec![0.0; 2 * CELLS + 3];
        let mut add = |at: usize, change: f64| changes.get_mut(at).into_iter().for_each(|sum| *sum += change);
        for (start, end, weight) in self.spans() {
            if end - start < step * 1.5 {
                // Within one cell: it is taken to be on the middle of that.
                let middle = at((start + end) / 2.0);
                add(middle, weight);
                add(middle + 1, -weight);
            } else {
                for (edge, half) in [(at(start), weight / 2.0), (at(end), -weight / 2.0)] {
                    add(edge, half);
                    add(edge + 1, half);
                }
            }
        }
        let summed = changes.iter().scan(0.0, |sum, change| {
            *sum += change;
            Some(*sum)
        });
        summed.collect()
    }

    /// Its middle.
    pub(super) fn middle(&self) -> f64 {
        let (start, end) = self.reach();
        (start + end) / 2.0
    }

    /// Whether it was said of its middle that it is on it.
    pub(super) fn was_asked_of_its_middle(&self) -> bool {
        self.was_asked_of(self.middle())
    }

    /// Whether it was said of a line that it crosses it, or of lines on both sides of that.
    fn was_asked_of(&self, line: f64) -> bool {
        let is_on = |side: f64| self.crossed.iter().any(|crossed| (crossed - line) * side >= -NEXT_TO);
        is_on(-1.0) && is_on(1.0)
    }

    /// The next line: the most telling one, of those that aren't near to one that told nothing; once both edges are known, its middle.
    pub(super) fn line(&self) -> f64 {
        let step = self.length / CELLS as f64;
        let is_silent = |line: f64| self.silent.iter().any(|silent| (silent - line).abs() < APART * step);
        let is_new = |line: &f64| !is_silent(*line) && !is_among(self.drawn.iter().copied(), *line);
        if self.is_within() {
            let (start, end) = self.reach();
            let beside = BESIDE.iter().map(|share| (start + end) / 2.0 + share * (end - start));
            if let Some(line) = beside.into_iter().find(is_new) {
                return line;
            }
        }
        let edges: Vec<Ends> = self.by_rate.iter().map(|rate| rate.spans.ends()).collect();
        let lines = (1..CELLS).map(|cell| cell as f64 * step);
        let told = lines.map(|line| (is_new(&line), self.information(&edges, line), line));
        let most = told.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        most.map_or(self.length / 2.0, |(_, _, line)| line)
    }

    fn information(&self, edges: &[Ends], line: f64) -> f64 {
        let mut answers = [0.0; 4];
        for (rate, edges) in self.by_rate.iter().zip(edges) {
            let odds = spread(&edges.truth(line), rate.error);
            answers.iter_mut().zip(odds).for_each(|(sum, p)| *sum += rate.share * p);
        }
        answers.iter().filter(|p| **p > 0.0).map(|p| -p * p.log2()).sum()
    }

    /// How probable each answer about a line is, if the judge sees it and doesn't err.
    #[cfg(test)]
    pub(super) fn truth(&self, line: f64) -> [f64; 4] {
        let mut sums = [0.0; 4];
        for rate in &self.by_rate {
            let truth = rate.spans.truth(line);
            sums.iter_mut().zip(truth).for_each(|(sum, odds)| *sum += rate.share * odds);
        }
        sums
    }
}

/// How closely edges can be told at all along a side.
fn least(length: f64) -> f64 {
    (length / CELLS as f64 * 1.01).max(1.0)
}

/// A first and a last edge, and how probable they are.
type Span = (f64, f64, f64);

/// Whether it shares anything with what reaches from the first place to the last.
fn is_shared(span: &Span, (start, end): (f64, f64)) -> bool {
    span.0 <= end && span.1 >= start
}

/// How probable each pair of cells is.
fn sums(spans: &Spans, pair: impl Fn(&Span) -> usize) -> Vec<f64> {
    let mut sums = vec![0.0; CELLS * CELLS];
    for span in spans.iter() {
        if let Some(sum) = sums.get_mut(pair(span)) {
            *sum += span.2;
        }
    }
    sums
}
