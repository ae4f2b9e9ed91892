//! Clicks that toolkits would take for one double click.
//!
//! They compare times and places of presses, whatever was pressed: a list opens what two single clicks in a row fall on, and a tab
//! of Qt doesn't heed the second.

use handeye_scene::Point;
use std::time::{Duration, Instant};

/// Two presses within this time are a double click, if they are this close together in pixels. GTK and Qt: 400 ms and 5 pixels,
/// unless they are told otherwise.
const DOUBLE: Duration = Duration::from_millis(500);
const TOGETHER: f64 = 10.0;

/// When and where the last click was made, if there was one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LastClick(Option<(Point, Instant)>);

impl LastClick {
    pub(crate) fn at(place: Point, when: Instant) -> Self {
        Self(Some((place, when)))
    }

    /// How long a click at a place is to wait so that it is one of its own.
    pub(crate) fn apart_from(&self, at: Point, now: Instant) -> Duration {
        match self.0 {
            Some((place, when)) if (at.x - place.x).abs() <= TOGETHER && (at.y - place.y).abs() <= TOGETHER => {
                DOUBLE.saturating_sub(now.saturating_duration_since(when))
            }
            _ => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_waits_for_the_last_one_at_its_place_alone() {
        let (here, then) = (Point::new(100.0, 50.0), Instant::now());
        let last = LastClick::at(here, then);
        let after = |ms: u64| then + Duration::from_millis(ms);
        assert_eq!(last.apart_from(here, after(120)), Duration::from_millis(380));
        assert_eq!(last.apart_from(Point::new(108.0, 44.0), after(0)), DOUBLE);
        assert_eq!(last.apart_from(here, after(700)), Duration::ZERO);
        assert_eq!(last.apart_from(Point::new(130.0, 50.0), after(0)), Duration::ZERO);
        assert_eq!(LastClick::default().apart_from(here, then), Duration::ZERO);
    }
}
