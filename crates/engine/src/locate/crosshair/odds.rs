//! How probable each answer about one line is, given where what is sought begins and ends.

/// Within so many pixels of an edge a judge may say that a line crosses, and may not: it is told to when it is hard to tell.
const NEAR: f64 = 3.0;

/// How often a judge may err at most: who guesses among four answers errs in 0.75 of them, and tells nothing.
const MOST_ERRORS: f64 = 0.6;

/// A line is the same as another that is so near, in pixels: the picture is.
const SAME: f64 = 1.0;

/// Whether a line is among these, or one that is drawn alike: it would be answered alike, whatever other line is drawn with it.
pub(super) fn is_among(lines: impl IntoIterator<Item = f64>, line: f64) -> bool {
    lines.into_iter().any(|other| (other - line).abs() < SAME)
}

/// What is said of what isn't seen.
pub(super) const UNSEEN: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// What a judge who never errs says: for certain, but for what is near an edge.
pub(super) fn truth(start: f64, end: f64, line: f64) -> [f64; 4] {
    let before = inside(line - end);
    let after = inside(start - line);
    [before, (1.0 - before - after).max(0.0), after, 0.0]
}

/// The same of many, of whom first and last edges are known apart, each with its weight; `all`: what these sum to.
pub(super) fn truths(starts: &[(f64, f64)], ends: &[(f64, f64)], all: f64, line: f64) -> [f64; 4] {
    let before: f64 = ends.iter().map(|(end, weight)| weight * inside(line - end)).sum();
    let after: f64 = starts.iter().map(|(start, weight)| weight * inside(start - line)).sum();
    [before, (all - before - after).max(0.0), after, 0.0]
}

/// From 0 where a line is well inside an edge to 1 where it is well outside; half on the edge itself.
fn inside(distance: f64) -> f64 {
    ((distance + NEAR) / (2.0 * NEAR)).clamp(0.0, 1.0)
}

/// The same of a judge who errs: any other answer is as probable as the next.
pub(super) fn spread(truth: &[f64; 4], error: f64) -> [f64; 4] {
    truth.map(|odds| odds * (1.0 - error) + (1.0 - odds) * error / 3.0)
}

/// The rate of errors at so many times the odds of this one. A multiple of a high rate would be a guess, or no rate at all; one of
/// its odds isn't: five times those of 5 % are 21 %, those of 10 % are 36 %, and those of 20 % are 56 %.
pub(super) fn oftener(error: f64, times: f64) -> f64 {
    let odds = error / (1.0 - error).max(f64::MIN_POSITIVE) * times;
    (odds / (1.0 + odds)).min(MOST_ERRORS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multiple_of_the_odds_stays_a_rate() {
        for (error, often) in [(0.001, 0.005), (0.05, 0.208), (0.1, 0.357), (0.2, 0.556), (0.5, 0.6), (1.0, 0.6)] {
            assert!((oftener(error, 5.0) - often).abs() < 0.001, "{error}: {}", oftener(error, 5.0));
        }
        assert!((oftener(0.1, 1.0) - 0.1).abs() < 1e-9);
    }
}
