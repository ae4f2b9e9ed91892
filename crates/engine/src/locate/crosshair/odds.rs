//! How probable each answer about one line is, given where what is sought begins and ends.

/// Within so many pixels of an edge a judge may say that a line crosses, and may not: it is told to when it is hard to tell.
const NEAR: f64 = 3.0;

/// What is said of what isn't seen.
pub(super) const UNSEEN: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// What a judge who never errs says: for certain, but for what is near an edge.
pub(super) fn truth(start: f64, end: f64, line: f64) -> [f64; 4] {
    let before = inside(line - end);
    let after = inside(start - line);
    [before, (1.0 - before - after).max(0.0), after, 0.0]
}

/// From 0 where a line is well inside an edge to 1 where it is well outside; half on the edge itself.
fn inside(distance: f64) -> f64 {
    ((distance + NEAR) / (2.0 * NEAR)).clamp(0.0, 1.0)
}

/// The same of a judge who errs: any other answer is as probable as the next.
pub(super) fn spread(truth: &[f64; 4], error: f64) -> [f64; 4] {
    truth.map(|odds| odds * (1.0 - error) + (1.0 - odds) * error / 3.0)
}
