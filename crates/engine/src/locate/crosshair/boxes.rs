//! Boxes around a region, of which a judge says whether what is sought is in them. The same box would be answered alike, so none is
//! shown twice: where one answer isn't enough, another box is drawn around the same region, and each counts for what it says.

use handeye_scene::Rect;

/// A box is so much larger than its region on each side, in pixels of the picture, so that it doesn't hide the edges.
const ROOM: f64 = 4.0;
/// How much larger still the second box is: a share of the region, and in pixels at least.
const LARGER: (f64, f64) = (0.25, 12.0);
/// Of what is so long the third box is around the middle half, else it is larger still.
const HALVED: f64 = 40.0;
/// Boxes look the same whose edges are as near to each other as this share of the smaller one, or as [`ROOM`].
const ALIKE: f64 = 0.1;

/// Width and height of the middle of a rect.
const MIDDLE: f64 = 0.1;

/// What was said of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Said {
    /// The box, in the picture.
    pub(super) area: Rect,
    /// Whether it was said to be what is in it.
    pub(super) is_it: bool,
    /// How probable a wrong answer is at least of what is in it, as the box may not fit it.
    pub(super) loose: f64,
}

impl Said {
    /// How probable that answer is at a rate of errors, where what is sought is in the box, or isn't.
    pub(super) fn odds(&self, is_in: bool, error: f64) -> f64 {
        let wrong = (error / 2.0).clamp(0.001, 0.25);
        let missed = if is_in { wrong.max(self.loose) } else { wrong };
        if self.is_it == is_in { 1.0 - missed } else { missed }
    }
}

/// The box of a region: what is taken for it has something in here.
pub(super) fn own(region: &Rect) -> Rect {
    grown(region, |_| ROOM)
}

/// The next box to be shown of a region in a picture of this size, if there is one that looks like none of these.
pub(super) fn next(region: &Rect, size: (f64, f64), said: &[Said]) -> Option<Rect> {
    let larger = |times: f64| grown(region, |side| ROOM + times * (side * LARGER.0).max(LARGER.1));
    let is_halved = region.width.max(region.height) >= HALVED;
    let third =
        if is_halved { grown(region, |side| if side >= HALVED { -side / 4.0 } else { ROOM }) } else { larger(2.5) };
    // Of what lies at the border, a box may be all the same as another that is larger.
    let mut boxes = [own(region), larger(1.0), third].map(|area| clipped(&area, size)).into_iter();
    boxes.find(|area| !said.iter().any(|said| is_like(area, &said.area)))
}

/// What of a rect lies in a picture of this size: no more is shown of it.
pub(super) fn clipped(rect: &Rect, (width, height): (f64, f64)) -> Rect {
    let within = |from: f64, length: f64, most: f64| {
        let (start, end) = (from.clamp(0.0, most.max(0.0)), (from + length).clamp(0.0, most.max(0.0)));
        (start, end - start)
    };
    let ((x, wide), (y, high)) = (within(rect.x, rect.width, width), within(rect.y, rect.height, height));
    Rect::new(x, y, wide, high)
}

/// Whether a box is around all of a region.
pub(super) fn is_around(area: &Rect, region: &Rect) -> bool {
    area.width >= region.width && area.height >= region.height
}

/// Whether two boxes look the same.
pub(super) fn is_like(a: &Rect, b: &Rect) -> bool {
    let is_near = |(a, a_long): (f64, f64), (b, b_long): (f64, f64)| {
        let near = (a_long.min(b_long) * ALIKE).max(ROOM);
        (a - b).abs() <= near && (a + a_long - b - b_long).abs() <= near
    };
    is_near((a.x, a.width), (b.x, b.width)) && is_near((a.y, a.height), (b.y, b.height))
}

/// What is in the very middle of a rect.
pub(super) fn middle(rect: &Rect) -> Rect {
    let middle = rect.center();
    Rect::new(middle.x - MIDDLE / 2.0, middle.y - MIDDLE / 2.0, MIDDLE, MIDDLE)
}

/// Larger by what is said of each side, on both ends.
pub(super) fn grown(rect: &Rect, more: impl Fn(f64) -> f64) -> Rect {
    let (x, y) = (more(rect.width), more(rect.height));
    Rect::new(rect.x - x, rect.y - y, rect.width + 2.0 * x, rect.height + 2.0 * y)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (f64, f64) = (1280.0, 800.0);

    #[test]
    fn what_lies_at_the_border_gets_no_two_boxes_that_look_the_same_in_the_picture() {
        let whole = Rect::new(0.0, 0.0, 1280.0, 800.0);
        let regions = [
            (whole, 2),
            (Rect::new(0.0, 780.0, 1280.0, 20.0), 3),
            (Rect::new(1.0, 1.0, 1278.0, 798.0), 2),
            (Rect::new(1270.0, -3.0, 20.0, 9.0), 3),
        ];
        for (region, count) in regions {
            let mut said: Vec<Said> = Vec::new();
            while let Some(area) = next(&region, SIZE, &said) {
                assert_eq!(clipped(&area, SIZE), area, "{region:?}");
                assert!(said.iter().all(|said| !is_like(&said.area, &area)), "{said:?} {area:?}");
                said.push(Said { area, is_it: true, loose: 0.0 });
            }
            assert_eq!(said.len(), count, "{region:?}: {said:?}");
        }
    }

    #[test]
    fn no_two_boxes_of_a_region_look_the_same_and_there_are_few() {
        for (width, height) in [(1.0, 1.0), (7.0, 200.0), (24.0, 24.0), (120.0, 32.0), (900.0, 600.0)] {
            let region = Rect::new(300.0, 400.0, width, height);
            let mut said: Vec<Said> = Vec::new();
            while let Some(area) = next(&region, (3000.0, 3000.0), &said) {
                assert!(said.iter().all(|said| !is_like(&said.area, &area)), "{said:?} {area:?}");
                assert_eq!(area.center(), region.center());
                said.push(Said { area, is_it: true, loose: 0.0 });
            }
            assert_eq!((said.len(), said[0].area), (3, own(&region)), "{said:?}");
            // One that moved by a hair gets no box of its own.
            assert_eq!(next(&Rect::new(302.0, 399.0, width, height), (3000.0, 3000.0), &said), None);
            assert!(next(&Rect::new(700.0, 399.0, width, height), (3000.0, 3000.0), &said).is_some());
        }
    }

    #[test]
    fn what_is_said_of_a_box_that_may_not_fit_counts_for_less() {
        let said = |is_it, loose| Said { area: Rect::new(0.0, 0.0, 9.0, 9.0), is_it, loose };
        let speaks = |said: Said| said.odds(true, 0.1) / said.odds(false, 0.1);
        assert!((speaks(said(true, 0.0)) - 19.0).abs() < 1e-9);
        assert!((speaks(said(false, 0.0)) - 1.0 / 19.0).abs() < 1e-9);
        assert!(speaks(said(false, 0.5)) > 0.5 && speaks(said(true, 0.5)) < 11.0);
    }
}
