//! What to ask next: the crosshair, or the set of marks, whose answer tells most (expected information, Lindley 1956).

use super::belief::{Axis, Belief};
use super::odds::{UNSEEN, is_among, spread, truth};
use handeye_scene::Rect;

/// A question to a judge.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Where the element lies relative to a vertical line at `x` and a horizontal one at `y`.
    Crosshair {
        /// Of the vertical line.
        x: f64,
        /// Of the horizontal line.
        y: f64,
    },
    /// Which of these candidates, marked with numbers from 1 on, it is.
    Marks(Marks),
}

/// Candidates to be marked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marks {
    /// By their numbers, from 1 on.
    pub candidates: Vec<usize>,
    /// How much larger than the candidates their boxes are, on each side.
    pub room: f64,
}

/// Candidates that are looked at when lines are placed: the rest have next to no weight by then.
const CONSIDERED: usize = 200;
/// Where a line may be between two edges, as a share of their distance: in the middle, and beside a line that was drawn there.
const BETWEEN: [f64; 3] = [0.5, 0.25, 0.75];
/// Lines of each direction that are tried together.
const LINES: usize = 24;

/// A line, and how probable each true answer is for each candidate considered.
struct Line {
    at: f64,
    truths: Vec<[f64; 4]>,
    /// How uncertain the answer is for each candidate by itself, in bits.
    own: Vec<f64>,
    /// The same answers for what is seen and is no candidate, and for what isn't seen.
    elsewhere: [f64; 4],
    unseen: [f64; 4],
}

/// Of a line that tells nothing each answer is as probable as the next.
const NOTHING: [f64; 4] = [0.25; 4];

impl Line {
    /// One that was answered already: what is said of it again tells nothing of these candidates.
    fn answered(at: f64, candidates: usize) -> Self {
        let own = entropy(NOTHING);
        Self { at, truths: vec![NOTHING; candidates], own: vec![own; candidates], elsewhere: NOTHING, unseen: NOTHING }
    }
}

/// The question that tells most; none where no question tells anything. `marked`: the candidates that could be marked; `drawn`:
/// crosshairs that were asked about. The same line would be answered alike, so none of them is drawn again while there is another.
pub fn best(belief: &Belief, marked: Marks, drawn: &[(f64, f64)]) -> Option<Question> {
    let by_marks = (information_of_marks(belief, &marked.candidates), Question::Marks(marked));
    let by_lines = crosshair(belief, &belief.ranked(), drawn).map(|(bits, x, y)| (bits, Question::Crosshair { x, y }));
    let (bits, question) = match by_lines {
        Some(lines) if lines.0 > by_marks.0 => lines,
        _ => by_marks,
    };
    (bits > 1e-6).then_some(question)
}

/// What an answer about marks tells, in bits.
pub fn information_of_marks(belief: &Belief, marked: &[usize]) -> f64 {
    if marked.is_empty() {
        return 0.0;
    }
    let wrong = belief.choice_error();
    let count = marked.len() as f64;
    let shown: f64 = marked.iter().map(|candidate| belief.weight(*candidate)).sum();
    let said = |weight: f64| weight * (1.0 - wrong) + (1.0 - weight) * wrong / count;
    let answers = marked.iter().map(|candidate| said(belief.weight(*candidate)));
    let own = entropy([1.0 - wrong].into_iter().chain(std::iter::repeat_n(wrong / count, marked.len())));
    entropy(answers.chain([said(1.0 - shown)])) - own
}

/// The most telling pair of lines, and what it tells.
fn crosshair(belief: &Belief, ranked: &[usize], drawn: &[(f64, f64)]) -> Option<(f64, f64, f64)> {
    let considered: Vec<usize> = ranked.iter().copied().take(CONSIDERED).collect();
    let weights: Vec<f64> = considered.iter().map(|candidate| belief.weight(*candidate)).collect();
    let rects: Vec<&Rect> = considered.iter().filter_map(|candidate| belief.rects().get(*candidate)).collect();
    let (drawn_xs, drawn_ys): (Vec<f64>, Vec<f64>) = drawn.iter().copied().unzip();
    let mut xs = lines(belief, &weights, (Axis::X, rects.as_slice()), &drawn_xs);
    let mut ys = lines(belief, &weights, (Axis::Y, rects.as_slice()), &drawn_ys);
    // A crosshair has two lines: where there is no new one across one axis, one that was drawn stands for it.
    match (xs.is_empty(), ys.is_empty()) {
        (true, false) => xs.extend(drawn_xs.first().map(|x| Line::answered(*x, rects.len()))),
        (false, true) => ys.extend(drawn_ys.first().map(|y| Line::answered(*y, rects.len()))),
        _ => {}
    }
    let mut best: Option<(f64, f64, f64)> = None;
    for x in &xs {
        for y in &ys {
            let bits = information(belief, &weights, x, y);
            if best.is_none_or(|(most, _, _)| bits > most) {
                best = Some((bits, x.at, y.at));
            }
        }
    }
    best
}

/// Lines between and through these rects, across one axis, that weren't drawn: the most telling by themselves.
fn lines(belief: &Belief, weights: &[f64], (axis, rects): (Axis, &[&Rect]), drawn: &[f64]) -> Vec<Line> {
    let spans: Vec<(f64, f64)> = rects.iter().map(|rect| axis.reach(rect)).collect();
    let mut edges: Vec<f64> = spans.iter().flat_map(|(start, end)| [*start, *end]).filter(|e| e.is_finite()).collect();
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    // Half way between two edges, a line is as far from both as it can be.
    let between = |a: f64, b: f64| BETWEEN.into_iter().map(move |share| a + share * (b - a));
    let middles = edges.windows(2).filter_map(|pair| match pair {
        [a, b] => between(*a, *b).find(|line| !is_among(drawn.iter().copied(), *line)),
        _ => None,
    });
    let mut lines: Vec<(f64, Line)> = middles
        .map(|at| {
            let truths: Vec<[f64; 4]> = spans.iter().map(|(start, end)| truth(*start, *end, at)).collect();
            let own = truths.iter().map(|truth| entropy(spread(truth, belief.error()))).collect();
            let line = Line { at, truths, own, elsewhere: [0.0; 4], unseen: UNSEEN };
            (information_alone(belief.error(), weights, &line), line)
        })
        .collect();
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    let most = lines.into_iter().take(LINES).map(|(_, line)| line);
    most.map(|line| Line { elsewhere: belief.truth_elsewhere(axis, line.at), ..line }).collect()
}

fn information_alone(error: f64, weights: &[f64], line: &Line) -> f64 {
    let mut sums = [0.0; 4];
    let mut own = 0.0;
    for ((weight, truth), bits) in weights.iter().zip(&line.truths).zip(&line.own) {
        sums.iter_mut().zip(truth).for_each(|(sum, odds)| *sum += weight * odds);
        own += weight * bits;
    }
    entropy(spread_sums(sums, error)) - own
}

/// What the answers about two lines tell together. The judge errs about each by itself.
fn information(belief: &Belief, weights: &[f64], x: &Line, y: &Line) -> f64 {
    let (error, elsewhere) = (belief.error(), belief.elsewhere());
    // Candidates of next to no weight count as not seen.
    let unseen = (1.0 - elsewhere - weights.iter().sum::<f64>()).max(0.0);
    let mut cells = [[0.0; 4]; 4];
    let mut own = 0.0;
    for (i, weight) in weights.iter().enumerate() {
        let (Some(tx), Some(ty)) = (x.truths.get(i), y.truths.get(i)) else { continue };
        for (row, px) in cells.iter_mut().zip(tx) {
            if *px > 0.0 {
                row.iter_mut().zip(ty).for_each(|(cell, py)| *cell += weight * px * py);
            }
        }
        own += weight * (x.own.get(i).unwrap_or(&0.0) + y.own.get(i).unwrap_or(&0.0));
    }
    for (weight, px, py) in [(unseen, &x.unseen, &y.unseen), (elsewhere, &x.elsewhere, &y.elsewhere)] {
        for (row, px) in cells.iter_mut().zip(px) {
            row.iter_mut().zip(py).for_each(|(cell, py)| *cell += weight * px * py);
        }
        own += weight * (entropy(spread(px, error)) + entropy(spread(py, error)));
    }
    // Errors mix the rows, then the columns.
    let mixed_rows = cells.map(|row| spread_sums(row, error));
    let mut answers = [[0.0; 4]; 4];
    for column in 0..4 {
        let take = mixed_rows.map(|row| row.get(column).copied().unwrap_or(0.0));
        let mixed = spread_sums(take, error);
        for (row, value) in answers.iter_mut().zip(mixed) {
            if let Some(cell) = row.get_mut(column) {
                *cell = value;
            }
        }
    }
    entropy(answers.into_iter().flatten()) - own
}

/// [`spread`] of masses that don't sum to 1.
fn spread_sums(masses: [f64; 4], error: f64) -> [f64; 4] {
    let total: f64 = masses.iter().sum();
    masses.map(|mass| mass * (1.0 - error) + (total - mass) * error / 3.0)
}

fn entropy(odds: impl IntoIterator<Item = f64>) -> f64 {
    odds.into_iter().filter(|p| *p > 0.0).map(|p| -p * p.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(candidates: &[usize]) -> Marks {
        Marks { candidates: candidates.to_vec(), room: 0.0 }
    }

    #[test]
    fn a_crosshair_halves_a_grid_and_marks_end_it() {
        let grid: Vec<Rect> = (0..8)
            .flat_map(|row| {
                (0..8).map(move |column| Rect::new(f64::from(column) * 100.0, f64::from(row) * 60.0, 80.0, 40.0))
            })
            .collect();
        let belief = Belief::new(grid, 0.001);
        let Some(Question::Crosshair { x, y }) = best(&belief, marks(&belief.ranked()[..5]), &[]) else {
            panic!("of 64 a crosshair tells more")
        };
        // Through a column and a row in the middle: three answers each, as even as can be.
        assert!((200.0..600.0).contains(&x) && (120.0..360.0).contains(&y), "{x} {y}");
        let three = Belief::new((0..3).map(|i| Rect::new(f64::from(i) * 9.0, 0.0, 8.0, 8.0)).collect(), 0.1);
        assert!(
            matches!(best(&three, marks(&[0, 1, 2]), &[]), Some(Question::Marks(marked)) if marked.candidates.len() == 3)
        );
    }

    #[test]
    fn no_line_is_drawn_twice_while_there_are_others() {
        let grid = (0..12_u32).map(|i| Rect::new(f64::from(i % 4) * 100.0, f64::from(i / 4) * 60.0, 80.0, 40.0));
        let belief = Belief::new(grid.collect(), 0.1);
        let mut drawn: Vec<(f64, f64)> = Vec::new();
        let is_near = |a: f64, b: f64| (a - b).abs() < 1.0;
        while drawn.len() < 15 {
            let Some(Question::Crosshair { x, y }) = best(&belief, Marks::default(), &drawn) else {
                panic!("{drawn:?}")
            };
            assert!(!drawn.iter().any(|(a, b)| is_near(*a, x) || is_near(*b, y)), "{drawn:?} {x} {y}");
            drawn.push((x, y));
        }
        // Where all are in one row, and no line between their edges is left, one across the other axis is new.
        let row = (0..4).map(|i| Rect::new(f64::from(i) * 100.0, 0.0, 80.0, 3.0)).collect();
        let belief = Belief::new(row, 0.1);
        let drawn = [(20.0, 1.5)];
        let Some(Question::Crosshair { x, .. }) = best(&belief, Marks::default(), &drawn) else {
            panic!("there are others")
        };
        assert!(!is_near(x, 20.0));
    }

    #[test]
    fn what_lies_in_one_place_is_told_apart_by_marks_alone() {
        let stacked = Belief::new(vec![Rect::new(10.0, 10.0, 50.0, 20.0); 3], 0.1);
        assert!(matches!(best(&stacked, marks(&[0, 1, 2]), &[]), Some(Question::Marks(_))));
        assert_eq!(best(&Belief::new(Vec::new(), 0.1), Marks::default(), &[]), None);
        let odd = Belief::new(vec![Rect::new(f64::NAN, f64::INFINITY, 1.0, 1.0), Rect::new(0.0, 0.0, 0.0, 0.0)], 0.1);
        assert!(best(&odd, Marks::default(), &[]).is_none_or(|q| matches!(q, Question::Crosshair { .. })));
    }
}
