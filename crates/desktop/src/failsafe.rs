//! The failsafe: a person who puts the pointer into a corner of the screen stops what sends input.

use handeye_scene::{Code, Point, Problem, Rect};
use std::cell::Cell;

/// How far from the corner's own pixel the pointer may be, in pixels each way.
const REACH: f64 = 2.0;

/// Whether it is on, and where our own input left the pointer.
#[derive(Debug, Default)]
pub(crate) struct Failsafe {
    on: bool,
    left_at: Cell<Option<Point>>,
}

impl Failsafe {
    /// One that is on or off.
    pub(crate) fn new(on: bool) -> Self {
        Self { on, left_at: Cell::new(None) }
    }

    /// Whether the pointer must be looked at before input is sent.
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// Our own input has put the pointer there: that it is there still is no sign of a person.
    pub(crate) fn leave(&self, at: Point) {
        self.left_at.set(Some(at));
    }

    /// Refuses input while the pointer is in a corner of the screen into which our own input didn't put it.
    pub(crate) fn check(&self, at: Point, screen: Rect) -> Result<(), Problem> {
        if !self.on || self.left_at.get() == Some(at) || !is_corner(at, screen) {
            return Ok(());
        }
        let text = "stopped by the failsafe: the pointer was put into a corner of the screen; move it away to go on";
        Err(Problem::new(Code::Blocked, text).hint("handeye config show"))
    }
}

fn is_corner(at: Point, screen: Rect) -> bool {
    let near = |place: f64, start: f64, size: f64| {
        (place - start).abs() <= REACH || (place - (start + size - 1.0)).abs() <= REACH
    };
    near(at.x, screen.x, screen.width) && near(at.y, screen.y, screen.height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_in_any_corner_stops_input_unless_we_put_it_there() {
        let screen = Rect::new(-100.0, 0.0, 1100.0, 600.0);
        let failsafe = Failsafe::new(true);
        let stops = |failsafe: &Failsafe, x: f64, y: f64| {
            failsafe.check(Point::new(x, y), screen).err().map(|problem| problem.code)
        };
        for (x, y) in [(-100.0, 0.0), (999.0, 0.0), (-98.0, 599.0), (999.0, 598.0)] {
            assert_eq!(stops(&failsafe, x, y), Some(Code::Blocked), "{x},{y}");
            assert_eq!(stops(&Failsafe::new(false), x, y), None);
        }
        for (x, y) in [(0.0, 0.0), (400.0, 0.0), (999.0, 300.0), (500.0, 300.0), (-96.0, 4.0)] {
            assert_eq!(stops(&failsafe, x, y), None, "{x},{y}");
        }
        failsafe.leave(Point::new(999.0, 599.0));
        assert_eq!(stops(&failsafe, 999.0, 599.0), None);
        assert_eq!(stops(&failsafe, 998.0, 599.0), Some(Code::Blocked), "a person has moved it since");
    }
}
