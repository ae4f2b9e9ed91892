//! Whether two looks at a place show the same shapes, whatever their colours: what a place shows while it is pointed to is often
//! of other colours, framed, underlined or a pixel higher, and is the same still; one other letter is not.
//!
//! Shapes are told by where neighbouring pixels differ. Where one look is flat and the other has an edge, something was drawn or
//! taken away. No share of the whole decides: a few such pixels close together are a change. Only straight lines that no text
//! can be are let through: from side to side, much longer than a text's line is high, or closed to a frame.

use handeye_scene::{Picture, Rect};

/// Neighbouring pixels of a flat ground differ by no more than this, or than this share in percent of the contrast around, and
/// never by more than the last.
const FLAT: (u8, u32, u8) = (6, 12, 16);
/// An edge is a step of at least this, of this share in percent of the contrast around, and needs be no larger than the last.
const EDGE: (u8, u32, u8) = (20, 35, 80);
/// How far the pixels that are compared lie apart: edges that are blurred show at a distance.
const APART: [usize; 3] = [1, 2, 4];
/// The contrast around a pixel is that of what lies so near.
const AROUND: usize = 4;
/// How many steps that only one look has, this near to each other, make a change.
const CHANGE: (usize, usize) = (3, 3);
/// Pixels along one side of a straight line are of one colour but for this.
const EVEN: u8 = 24;
/// A line is at least so long, in pixels.
const LINE: usize = 16;
/// An underline is no thicker, in pixels.
const THICK: usize = 4;
/// A frame is at least so wide, in pixels, and takes most of the place: there are characters that are frames.
const FRAME: usize = 24;
/// Corners of frames are no rounder, in pixels, and not larger than this part of the place is high.
const CORNER: (usize, usize) = (20, 4);

/// What is smaller, in units of the surface, is held to where it is.
const SMALL: usize = 10;

/// The pixels of a part of a picture.
struct Look {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
    /// How far what lies around each pixel reaches, in the channel in which it reaches farthest.
    contrasts: Vec<u8>,
}

/// Which way two neighbours lie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Right,
    Down,
}

/// A step from one pixel to another that only one of two looks has.
#[derive(Clone, Copy)]
struct Step {
    way: Way,
    x: usize,
    y: usize,
    apart: usize,
    /// Whether the later look has it.
    is_new: bool,
}

/// A straight line between pixels that only one of two looks has: before the row or column `at`, from one place to another.
#[derive(Clone, Copy)]
struct Line {
    way: Way,
    at: usize,
    from: usize,
    to: usize,
    /// Whether it underlines what the other look has above it.
    underlines: bool,
}

/// Whether a part of two pictures shows the same shapes, in whichever colours. What isn't all in both is not.
pub fn is_alike(before: &Picture, now: &Picture, part: Rect) -> bool {
    let (Some(one), Some(other)) = (Look::of(before, part), Look::of(now, part)) else { return false };
    if (one.width, one.height) != (other.width, other.height) {
        return false;
    }
    let far = (now.scale().round() as isize).clamp(1, 4);
    // What is pointed to is lifted, or moved aside, by a unit of the surface.
    let shifts = [(0, 0), (0, -far), (0, far), (-far, 0), (far, 0), (far, far)];
    // Of what is small, that would leave too little.
    let is_large = one.width.min(one.height) >= SMALL * far.unsigned_abs();
    shifts.into_iter().take(if is_large { shifts.len() } else { 1 }).any(|shift| {
        let (one, other) = overlapping(&one, &other, shift);
        shows_same(&one, &other)
    })
}

/// What both show if the later one is moved.
fn overlapping(one: &Look, other: &Look, (right, down): (isize, isize)) -> (Look, Look) {
    let from = |by: isize| (by.min(0).unsigned_abs(), by.max(0).unsigned_abs());
    let ((x, later_x), (y, later_y)) = (from(right), from(down));
    let size = (one.width.saturating_sub(x + later_x), one.height.saturating_sub(y + later_y));
    (one.cut((x, y), size), other.cut((later_x, later_y), size))
}

fn shows_same(one: &Look, other: &Look) -> bool {
    let corner = corner(one.height);
    let mut steps = differing(one, other, 1);
    let lines = lines(one, other, &steps);
    for apart in APART {
        if apart > 1 {
            steps = differing(one, other, apart);
        }
        steps.retain(|step| !is_of_line(step, &lines, corner));
        if is_change(&steps, one.width) {
            return false;
        }
    }
    true
}

/// How round a corner may be in a place so high.
fn corner(height: usize) -> usize {
    CORNER.0.min(height / CORNER.1)
}

impl Look {
    fn of(picture: &Picture, part: Rect) -> Option<Self> {
        let rows: Vec<&[u8]> = picture.rows(part)?.collect();
        let pixels = rows.iter().flat_map(|row| row.chunks_exact(4)).map(|p| [p[0], p[1], p[2]]).collect();
        let mut look = Self { width: rows.first()?.len() / 4, height: rows.len(), pixels, contrasts: Vec::new() };
        look.contrasts = look.contrasts();
        Some(look)
    }

    fn cut(&self, (left, top): (usize, usize), (width, height): (usize, usize)) -> Self {
        let row = |y: usize| y * self.width + left..y * self.width + left + width;
        let pixels = (top..top + height).flat_map(|y| &self.pixels[row(y)]).copied().collect();
        let contrasts = (top..top + height).flat_map(|y| &self.contrasts[row(y)]).copied().collect();
        Self { width, height, pixels, contrasts }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels[y * self.width + x]
    }

    /// How large the step from a pixel to another is.
    fn step(&self, (x, y): (usize, usize), way: Way, apart: usize) -> u8 {
        let (there_x, there_y) = match way {
            Way::Right => (x + apart, y),
            Way::Down => (x, y + apart),
        };
        let (here, there) = (self.at(x, y), self.at(there_x, there_y));
        here.iter().zip(there).map(|(a, b)| a.abs_diff(b)).max().unwrap_or_default()
    }

    fn contrasts(&self) -> Vec<u8> {
        let mut contrasts = vec![0; self.pixels.len()];
        for channel in 0..3 {
            let values: Vec<u8> = self.pixels.iter().map(|p| p[channel]).collect();
            let least = self.spread(&values, u8::min);
            let most = self.spread(&values, u8::max);
            for (contrast, (least, most)) in contrasts.iter_mut().zip(least.iter().zip(&most)) {
                *contrast = (*contrast).max(most - least);
            }
        }
        contrasts
    }

    /// For each pixel, the least or the most of what lies around it.
    fn spread(&self, values: &[u8], pick: fn(u8, u8) -> u8) -> Vec<u8> {
        let around = |at: usize, end: usize| at.saturating_sub(AROUND)..(at + AROUND + 1).min(end);
        let (width, height) = (self.width, self.height);
        let mut across = Vec::with_capacity(values.len());
        for row in values.chunks_exact(width) {
            across.extend((0..width).map(|x| row[around(x, width)].iter().copied().fold(row[x], pick)));
        }
        let mut all = across.clone();
        for y in 0..height {
            for near in around(y, height) {
                for x in 0..width {
                    let value = &mut all[y * width + x];
                    *value = pick(*value, across[near * width + x]);
                }
            }
        }
        all
    }
}

/// Steps between pixels so far apart that only one of two looks of the same size has.
fn differing(one: &Look, other: &Look, apart: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    let share = |contrast: u8, percent: u32| (u32::from(contrast) * percent / 100) as u8;
    let is_flat = |step: u8, contrast: u8| step <= FLAT.0.max(share(contrast, FLAT.1).min(FLAT.2));
    let is_edge = |step: u8, contrast: u8| step >= EDGE.0.max(share(contrast, EDGE.1).min(EDGE.2));
    for way in [Way::Right, Way::Down] {
        let (right, down) = if way == Way::Right { (apart, 0) } else { (0, apart) };
        for y in 0..one.height.saturating_sub(down) {
            for x in 0..one.width.saturating_sub(right) {
                let (before, now) = (one.step((x, y), way, apart), other.step((x, y), way, apart));
                if before == now {
                    continue;
                }
                let (here, there) = (y * one.width + x, (y + down) * one.width + x + right);
                let [was, is] = [one, other].map(|look| look.contrasts[here].max(look.contrasts[there]));
                let is_new = is_flat(before, was) && is_edge(now, is);
                if is_new || is_flat(now, is) && is_edge(before, was) {
                    steps.push(Step { way, x, y, apart, is_new });
                }
            }
        }
    }
    steps
}

/// Whether steps lie so close together that something is drawn there otherwise.
fn is_change(steps: &[Step], width: usize) -> bool {
    let (enough, near) = CHANGE;
    let tile = |at: usize| at / (2 * near);
    let across = tile(width) + 1;
    // Each is counted in its tile; neighbouring tiles that hold enough together are near enough.
    let mut tiles = std::collections::HashMap::new();
    for step in steps {
        *tiles.entry(tile(step.y) * across + tile(step.x)).or_insert(0) += 1;
    }
    tiles.keys().any(|at| {
        let near = [0, 1, across, across + 1].map(|by| tiles.get(&(at + by)).copied().unwrap_or(0));
        near.iter().sum::<usize>() >= enough
    })
}

/// Straight lines that only one of two looks has and that are of no text.
fn lines(one: &Look, other: &Look, steps: &[Step]) -> Vec<Line> {
    let mut found = Vec::new();
    for way in [Way::Down, Way::Right] {
        for (is_new, has, lacks) in [(true, other, one), (false, one, other)] {
            let mut rows = std::collections::BTreeMap::<usize, Vec<usize>>::new();
            for step in steps.iter().filter(|s| s.way == way && s.is_new == is_new) {
                let (row, place) = if way == Way::Down { (step.y, step.x) } else { (step.x, step.y) };
                rows.entry(row).or_default().push(place);
            }
            for (row, places) in rows {
                found.extend(runs(has, lacks, way, row, &places));
            }
        }
    }
    keep_frames(&found, (one.width, one.height))
}

/// Straight stretches of steps after one row or column. What the look that lacks the line has drawn there may interrupt it, as
/// the feet of letters do an underline.
fn runs(has: &Look, lacks: &Look, way: Way, row: usize, places: &[usize]) -> Vec<Line> {
    let pixel = |look: &Look, row: usize, place: usize| match way {
        Way::Down => look.at(place, row),
        Way::Right => look.at(row, place),
    };
    let (deep, long) = match way {
        Way::Down => (lacks.height, lacks.width),
        Way::Right => (lacks.width, lacks.height),
    };
    // Whether something is drawn in the look that lacks the line, this near to where the line is in the other.
    let is_drawn = |place: usize| {
        let near = row.saturating_sub(3)..(row + 4).min(deep - 1);
        let differs =
            |row: usize, to: (usize, usize)| differ(pixel(lacks, row, place), pixel(lacks, to.0, to.1)) > EVEN;
        near.into_iter().any(|row| {
            let beside = [place.saturating_sub(1), (place + 1).min(long - 1)];
            differs(row, (row + 1, place)) || beside.into_iter().any(|beside| differs(row, (row, beside)))
        })
    };
    let is_even = |first: usize, place: usize| {
        [row, row + 1].map(|side| differ(pixel(has, side, first), pixel(has, side, place)) <= EVEN)
    };
    // With each, how many steps it has, and whether it is of one colour on either side: feet of letters may stand on a line.
    let mut found: Vec<(Line, usize, [bool; 2])> = Vec::new();
    for &place in places {
        if let Some((line, steps, even)) = found.last_mut() {
            let now = is_even(line.from, place);
            let still = [even[0] && now[0], even[1] && now[1]];
            if still.contains(&true) && (line.to..place).all(is_drawn) {
                (line.to, *steps, *even) = (place + 1, *steps + 1, still);
                continue;
            }
        }
        found.push((Line { way, at: row + 1, from: place, to: place + 1, underlines: false }, 1, [true; 2]));
    }
    // Most of it must be seen; of an underline, less where the feet of letters stand on it.
    let lines = found.into_iter().filter_map(|(line, steps, _)| {
        let length = line.to - line.from;
        let is_clear = length * 4 >= LINE && steps * 10 >= length * 8;
        let underlines = way == Way::Down && steps * 10 >= length * 3 && underlines(lacks, &line);
        (is_clear || underlines).then_some(Line { underlines, ..line })
    });
    lines.collect()
}

/// Whether a line across is as wide as the text right above it, and that wider than high as no single character is.
fn underlines(look: &Look, line: &Line) -> bool {
    let is_drawn = |x: usize, y: usize| {
        let beside = x + 1 < look.width && differ(look.at(x, y), look.at(x + 1, y)) > EVEN;
        beside || differ(look.at(x, y), look.at(x, y + 1)) > EVEN
    };
    let margin = line.from.saturating_sub(4)..(line.to + 4).min(look.width);
    let drawn_in = |y: usize| margin.clone().filter(move |x| is_drawn(*x, y));
    // What hangs below the text's foot doesn't count for its height.
    let rows = (0..line.at.saturating_sub(2)).rev().take(40);
    let (mut left, mut right, mut high, mut blank) = (usize::MAX, 0, 0, 0);
    for y in rows {
        let (first, last) = (drawn_in(y).next(), drawn_in(y).next_back());
        let (Some(first), Some(last)) = (first, last) else {
            blank += 1;
            if blank > 8 || high > 0 && blank > 1 {
                break;
            }
            continue;
        };
        (left, right, high, blank) = (left.min(first), right.max(last), high + 1, 0);
    }
    let (near, length) = (4, line.to - line.from);
    // What has as much below it as above it is struck out.
    let below = (line.at + 1).min(look.height - 2);
    if (line.from..line.to).filter(|x| is_drawn(*x, below)).count() * 3 > length {
        return false;
    }
    let is_as_wide = left.abs_diff(line.from) <= near && right.abs_diff(line.to) <= near;
    high >= 6 && length >= LINE && is_as_wide && length * 10 >= high * 14
}

fn differ(one: [u8; 3], other: [u8; 3]) -> u8 {
    one.iter().zip(other).map(|(a, b)| a.abs_diff(b)).max().unwrap_or_default()
}

/// Of straight stretches those that can be no part of a text: from side to side, much longer than the place is high, between two
/// such, or four that make a frame.
fn keep_frames(all: &[Line], (width, height): (usize, usize)) -> Vec<Line> {
    let is_long = |line: &&Line| {
        let (end, across) = if line.way == Way::Down { (width, height) } else { (height, width) };
        let length = line.to - line.from;
        let is_whole = line.from <= 1 && line.to + 1 >= end;
        line.underlines || length >= LINE && is_whole || line.way == Way::Down && length >= LINE.max(2 * across)
    };
    let mut kept: Vec<Line> = all.iter().filter(is_long).copied().collect();
    let corner = corner(height);
    let (across, upright): (Vec<&Line>, Vec<&Line>) = all
        .iter()
        .filter(|l| if l.way == Way::Down { (l.to - l.from) * 2 >= width } else { (l.to - l.from) * 4 >= height })
        .partition(|l| l.way == Way::Down);
    for top in &across {
        for bottom in across.iter().filter(|b| b.at > top.at) {
            let meets = |line: &&&Line, at_end: bool| {
                let ends = if at_end { [top.to, bottom.to] } else { [top.from, bottom.from] };
                let is_near = |one: usize, other: usize| one.abs_diff(other) <= corner;
                ends.iter().all(|end| is_near(*end, line.at))
                    && is_near(line.from, top.at)
                    && is_near(line.to, bottom.at)
            };
            let left = upright.iter().find(|l| meets(l, false));
            if let (Some(left), Some(right)) = (left, upright.iter().rev().find(|l| meets(l, true)))
                && right.at.saturating_sub(left.at) >= FRAME.max(width * 6 / 10)
                && (bottom.at - top.at) * 10 >= height * 6
            {
                kept.extend([**top, **bottom, **left, **right]);
            }
        }
    }
    // What goes up or down from the end of a long line to another, or to the side.
    let joined: Vec<Line> = upright.iter().filter(|l| is_joined(l, &kept, height)).map(|l| **l).collect();
    kept.extend(joined);
    kept
}

/// Whether both ends of an upright line lie at a side, or where a line across ends.
fn is_joined(upright: &Line, lines: &[Line], height: usize) -> bool {
    let corner = corner(height);
    let is_end = |l: &&Line, end: usize| l.way == Way::Down && !l.underlines && l.at.abs_diff(end) <= corner;
    let is_held = |end: usize, side: bool| {
        let is_near = |l: &Line| l.from.abs_diff(upright.at) <= corner || l.to.abs_diff(upright.at) <= corner;
        side || lines.iter().filter(|l| is_end(l, end)).any(is_near)
    };
    (upright.to - upright.from) * 2 >= height
        && is_held(upright.from, upright.from <= 1)
        && is_held(upright.to, upright.to + 1 >= height)
}

/// Whether a step belongs to a line: crosses it, lies along it, or is of the corner of two.
fn is_of_line(step: &Step, lines: &[Line], corner: usize) -> bool {
    let (right, down) = if step.way == Way::Right { (step.apart, 0) } else { (0, step.apart) };
    let ends = ((step.x, step.y), (step.x + right, step.y + down));
    lines.iter().any(|line| crosses(line, ends) || is_beside(line, step, ends))
        || is_in_corner(ends, lines, corner)
        || is_within(ends, lines)
}

/// Whether both pixels lie within an underline: what reached down there is covered by it.
fn is_within(((x, y), (right, down)): ((usize, usize), (usize, usize)), lines: &[Line]) -> bool {
    let holds = |line: &Line| line.underlines && line.from <= x + 1 && right <= line.to;
    lines
        .iter()
        .filter(|l| holds(l) && l.at <= y)
        .any(|upper| lines.iter().any(|lower| holds(lower) && down < lower.at && lower.at - upper.at <= THICK))
}

/// Whether a line lies between two pixels.
fn crosses(line: &Line, ((x, y), (right, down)): ((usize, usize), (usize, usize))) -> bool {
    // The pixels at its ends may be drawn in part.
    let along = line.from.saturating_sub(1)..line.to + 1;
    match line.way {
        Way::Down => y < line.at && down >= line.at && along.contains(&x),
        Way::Right => x < line.at && right >= line.at && along.contains(&y),
    }
}

/// Whether both pixels lie right at a line: its ends, and what it runs through.
fn is_beside(line: &Line, step: &Step, ((x, y), (right, down)): ((usize, usize), (usize, usize))) -> bool {
    let is_near = |one: usize, other: usize| one.min(other) + 2 >= line.at && one.max(other) <= line.at + 1;
    let along = |one: usize, other: usize| one.max(other) + 4 >= line.from && one.min(other) < line.to + 4;
    match line.way {
        Way::Down => step.way == Way::Right && is_near(y, down) && along(x, right),
        Way::Right => step.way == Way::Down && is_near(x, right) && along(y, down),
    }
}

/// Whether both pixels lie where a line across and an upright one meet.
fn is_in_corner(((x, y), (right, down)): ((usize, usize), (usize, usize)), lines: &[Line], corner: usize) -> bool {
    let is_between = |low: usize, high: usize, one: usize, other: usize| {
        // What is compared with a pixel of the corner lies so far outside.
        low.min(high) <= one + 5 && other <= low.max(high) + 5
    };
    let uprights = || lines.iter().filter(|l| l.way == Way::Right);
    lines.iter().filter(|l| l.way == Way::Down && !l.underlines).any(|across| {
        uprights().any(|upright| {
            let meets = |end_across: usize, end_upright: usize| {
                end_across.abs_diff(upright.at) <= corner
                    && end_upright.abs_diff(across.at) <= corner
                    && is_between(end_across, upright.at, x, right)
                    && is_between(end_upright, across.at, y, down)
            };
            [across.from, across.to].iter().any(|a| [upright.from, upright.to].iter().any(|u| meets(*a, *u)))
        })
    })
}
