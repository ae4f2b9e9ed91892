//! What comes and goes where something is looked at, as a caret does: it is waited for, never overlooked.

use super::pixels::decode;
use handeye_scene::{Clock, Code, Picture, Problem, Rect, Surface};
use std::time::Duration;

/// Waits before what looks otherwise is looked at again: what blinks in it is back in one of them.
pub const WAITS: [Duration; 3] = [Duration::ZERO, Duration::from_millis(270), Duration::from_millis(330)];
/// A caret is no wider, in units of the surface.
const CARET: f64 = 3.0;

/// A look for something.
pub struct Glance {
    /// The last picture.
    pub picture: Picture,
    /// Whether it shows what was looked for.
    pub shows: bool,
    /// Whether that was waited for.
    pub waited: bool,
}

/// Takes pictures of a surface until one shows what is looked for, or it won't come back.
pub async fn glance(
    surface: &mut dyn Surface,
    clock: &dyn Clock,
    mut shows: impl FnMut(&Picture) -> bool,
) -> Result<Glance, Problem> {
    let mut last = None;
    for wait in WAITS {
        clock.sleep(wait).await;
        let picture = decode(&surface.picture().await?)?;
        let glance = Glance { shows: shows(&picture), picture, waited: !wait.is_zero() };
        if glance.shows {
            return Ok(glance);
        }
        last = Some(glance);
    }
    last.ok_or_else(|| Problem::new(Code::Bug, "nothing was looked at"))
}

/// Whether two pictures differ in a part of them by no more than a caret: in a bar as narrow as one, and there they do.
pub fn differs_by_a_caret(before: &Picture, now: &Picture, part: Rect) -> bool {
    let (Some(was), Some(is)) = (before.rows(part), now.rows(part)) else { return false };
    let (mut first, mut last) = (usize::MAX, 0);
    for (was, is) in was.zip(is) {
        if was.len() != is.len() {
            return false;
        }
        let differ = was.chunks_exact(4).zip(is.chunks_exact(4)).enumerate().filter(|(_, (was, is))| was != is);
        for (at, _) in differ {
            (first, last) = (first.min(at), last.max(at));
        }
    }
    first <= last && (last - first + 1) as f64 <= CARET * now.scale()
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::Point;

    fn picture(ink: &[(u32, u32)], scale: f64) -> Picture {
        let mut rgba = vec![255; 60 * 20 * 4];
        for (x, y) in ink {
            rgba[(y * 60 + x) as usize * 4] = 0;
        }
        Picture::new((60, 20), rgba, scale, Point::new(0.0, 0.0)).unwrap()
    }

    #[test]
    fn a_caret_is_a_narrow_bar() {
        let bar: Vec<(u32, u32)> = (3..17).flat_map(|y| [(20, y), (21, y)]).collect();
        let all = Rect::new(0.0, 0.0, 60.0, 20.0);
        let (plain, caret) = (picture(&[], 1.0), picture(&bar, 1.0));
        assert!(differs_by_a_caret(&plain, &caret, all) && differs_by_a_caret(&caret, &plain, all));
        assert!(!differs_by_a_caret(&plain, &plain, all), "nothing differs");
        let wide: Vec<(u32, u32)> = bar.iter().copied().chain([(24, 5)]).collect();
        assert!(!differs_by_a_caret(&plain, &picture(&wide, 1.0), all));
        assert!(differs_by_a_caret(&picture(&[], 2.0), &picture(&wide, 2.0), Rect::new(0.0, 0.0, 30.0, 10.0)));
        assert!(!differs_by_a_caret(&plain, &caret, Rect::new(50.0, 0.0, 20.0, 20.0)), "it isn't all in the picture");
    }
}
