//! Finding what no candidate stands for, from the first crosshair to the last mark: its four edges in the whole picture, in an
//! enlarged cut-out where it is thin or to be known more closely, that its middle is on it, and then whether what is marked is it.

use super::axis::CELLS;
use super::boxes::{self, Said};
use super::edges::Edges;
use super::reply::Reply;
use super::search::{Reason, Settings};
use handeye_scene::Rect;

/// How much of a cut-out lies around where the edges may be, as a share of that and in pixels at least.
const AROUND: (f64, f64) = (0.125, 24.0);
/// A cut-out is enlarged so many times at most.
const LARGEST_ZOOM: f64 = 4.0;
/// What is narrower or lower than so many positions of an edge is thin: it is looked at more closely.
const THIN: f64 = 2.0;
/// How much of the probability what each edge is said to be within holds: what is left is for the middle to tell.
pub const HELD: f64 = 0.9;
/// How probable it is at least that a wrong answer is given of a box that may not fit.
const LOOSE: f64 = 0.5;
/// What takes more of the picture than this is no find: whoever says the same of every line is led there.
const MOST: f64 = 0.8;
/// In a cut-out, edges are to be known within so many times its own width and height.
const CLOSE: f64 = 4.0;

/// A part of the picture that is shown by itself, enlarged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// Which part, in whole pixels of the picture.
    pub rect: Rect,
    /// How many times as large it is shown.
    pub zoom: f64,
}

impl Cut {
    /// A rect of what is shown, in the picture.
    pub fn in_picture(&self, shown: &Rect) -> Rect {
        let of = |origin: f64, at: f64| origin + at / self.zoom;
        let (width, height) = (shown.width / self.zoom, shown.height / self.zoom);
        Rect::new(of(self.rect.x, shown.x), of(self.rect.y, shown.y), width, height)
    }
}

/// A question to a judge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ask {
    /// Where it lies relative to a vertical line at `x` and a horizontal one at `y`: of the picture, or of what a cut-out shows.
    Crosshair {
        /// Of the vertical line.
        x: f64,
        /// Of the horizontal line.
        y: f64,
        /// The cut-out that the lines are drawn on, if any.
        cut: Option<Cut>,
    },
    /// Whether it is what is marked by a box that is drawn at this rect of the picture.
    Mark(Rect),
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pinpointed {
    /// Where it is; only where [`Pinpointed::reason`] is `found`.
    pub region: Option<Rect>,
    /// How probable it is that the middle of the region is on it, or that it isn't there.
    pub confidence: f64,
    /// Why it ended.
    pub reason: Reason,
}

/// What is sought of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closely {
    /// Of the picture, in pixels.
    pub size: (f64, f64),
    /// How closely edges are to be known, in pixels.
    pub precision: f64,
    /// The longest side of a picture that the judge is shown.
    pub longest: f64,
}

/// A search for a region.
#[derive(Debug, Clone)]
pub struct Pinpoint {
    closely: Closely,
    settings: Settings,
    whole: Edges,
    /// The closer look, once there is one.
    close: Option<(Cut, Edges)>,
    /// Whether the closer look showed nothing, so that the whole is searched to the end.
    is_whole: bool,
    /// Around which region the last box was that was answered, and whether it was said to be that.
    picked: Option<(Rect, bool)>,
    asked: usize,
}

impl Pinpoint {
    /// Begins one.
    pub fn new(closely: Closely, settings: Settings) -> Self {
        let (width, height) = closely.size;
        // What is left to be doubted then is for the mark to tell.
        let on_it = settings.confidence.clamp(0.5, 0.9999).sqrt();
        let whole = Edges::held(width, height, (closely.precision, HELD), settings.error).until(on_it);
        Self { closely, settings, whole, close: None, is_whole: false, picked: None, asked: 0 }
    }

    /// The same where so many more parts of the picture are still to be searched.
    #[must_use]
    pub fn among(self, later: usize) -> Self {
        Self { whole: self.whole.among(later), ..self }
    }

    /// The next question, or how it ended. A region is found once its middle was said to be on it, a box around it was picked, and both
    /// together are probable enough.
    pub fn ask(&mut self) -> Result<Ask, Pinpointed> {
        if self.edges().unseen() >= self.settings.confidence {
            // In a cut-out it is only missing there.
            match self.close.take() {
                None => return ended(Reason::NotFound, self.whole.unseen()),
                Some((cut, edges)) => self.give_up(&edges, cut.rect),
            }
        }
        if self.asked >= self.settings.max_steps {
            return ended(Reason::Undecided, self.confidence());
        }
        self.look_closer();
        if let Some((x, y)) = self.edges().next() {
            return Ok(Ask::Crosshair { x, y, cut: self.close.as_ref().map(|(cut, _)| *cut) });
        }
        let region = self.region();
        match self.picked.filter(|(picked, _)| boxes::is_like(picked, &region)) {
            Some((picked, true)) if self.takes_all(&picked) => {
                return ended(Reason::Undecided, 1.0 - self.edges().confidence(&picked));
            }
            Some((picked, true)) if self.edges().confidence(&picked) >= self.settings.confidence => {
                let confidence = self.edges().confidence(&picked);
                return Err(Pinpointed { region: Some(picked), confidence, reason: Reason::Found });
            }
            Some((_, false)) if self.edges().is_it(&region) <= 1.0 - self.settings.confidence => {
                return ended(Reason::Undecided, self.confidence());
            }
            _ => {}
        }
        // The same box would be answered alike: where all were shown that differ, no more is to be known.
        let next = boxes::next(&region, self.closely.size, self.edges().said());
        next.map_or_else(|| ended(Reason::Undecided, self.confidence()), |area| Ok(Ask::Mark(area)))
    }

    /// Whether a region is nearly all of the picture.
    fn takes_all(&self, region: &Rect) -> bool {
        let (width, height) = self.closely.size;
        region.width * region.height > MOST * width * height
    }

    /// Goes back to the whole from a closer look that showed nothing there. What it told stays known; its region does not.
    fn give_up(&mut self, close: &Edges, cut: Rect) {
        self.whole.resume(close, cut);
        self.is_whole = true;
        self.picked = None;
    }

    /// Learns an answer.
    pub fn learn(&mut self, ask: &Ask, reply: Reply) {
        self.asked += 1;
        match (ask, &mut self.close) {
            (Ask::Crosshair { x, y, cut: Some(_) }, Some((_, edges))) => edges.learn((*x, *y), reply),
            (Ask::Crosshair { x, y, .. }, _) => self.whole.learn((*x, *y), reply),
            (Ask::Mark(area), _) => self.learn_mark(*area, reply),
        }
    }

    /// Learns what was said of a box. Where it may be too large or too small, "none" may mean that: the edges are searched for more
    /// closely before it counts in full. Of a part of the region it never does, nor is the region picked by it.
    fn learn_mark(&mut self, area: Rect, reply: Reply) {
        let is_it = match reply {
            Reply::Mark(_) => true,
            Reply::NoMark => false,
            _ => return,
        };
        let region = self.region();
        let is_part = !boxes::is_around(&area, &boxes::clipped(&region, self.closely.size));
        let is_loose = is_part || !is_it && self.sharpen();
        self.edges_mut().learn_box(Said { area, is_it, loose: if is_loose { LOOSE } else { 0.0 } });
        if !is_part {
            self.picked = (is_it || !is_loose).then_some((region, is_it));
        }
    }

    fn edges_mut(&mut self) -> &mut Edges {
        self.close.as_mut().map_or(&mut self.whole, |(_, edges)| edges)
    }

    /// Has the edges known twice as closely; whether that can be.
    fn sharpen(&mut self) -> bool {
        self.closely.precision /= 2.0;
        match &mut self.close {
            Some((_, edges)) => edges.sharpen(),
            None => self.whole.sharpen() || !self.is_whole,
        }
    }

    /// How probable it is that the middle of the region is on what is sought.
    pub fn confidence(&self) -> f64 {
        self.edges().confidence(&self.region())
    }

    /// The edges as they are searched for now, and in which part of the picture.
    pub fn edges(&self) -> &Edges {
        self.close.as_ref().map_or(&self.whole, |(_, edges)| edges)
    }

    /// The part that is looked at more closely, if one is.
    pub fn cut(&self) -> Option<Cut> {
        self.close.as_ref().map(|(cut, _)| *cut)
    }

    /// Where it is taken to be, in the picture.
    pub fn region(&self) -> Rect {
        self.edges().in_picture()
    }

    /// Questions asked so far.
    pub fn asked(&self) -> usize {
        self.asked
    }

    /// Begins a closer look where what was found is thin, or its edges are to be known more closely than the whole tells.
    fn look_closer(&mut self) {
        if self.close.is_some() || self.is_whole || !self.whole.is_within() {
            return;
        }
        let Closely { size: (width, height), precision, longest } = self.closely;
        let cell = width.max(height) / CELLS as f64;
        let region = self.whole.region();
        let is_thin = region.width.min(region.height) < precision.min(cell * THIN);
        if !is_thin && precision >= cell {
            return;
        }
        let cut = cut_out(self.whole.bounds(), cell, (width, height));
        let zoom = (longest / cut.width.max(cut.height)).clamp(1.0, LARGEST_ZOOM);
        let enough = |length: f64| precision.min(length.max(2.0) * CLOSE) * zoom;
        let edges = self.whole.closer(cut, zoom, (enough(region.width), enough(region.height)));
        self.close = Some((Cut { rect: cut, zoom }, edges));
    }
}

/// How a search ended that found nothing.
fn ended(reason: Reason, confidence: f64) -> Result<Ask, Pinpointed> {
    Err(Pinpointed { region: None, confidence, reason })
}

/// What is cut out around where it may be: whole pixels of the picture.
fn cut_out([x, y]: [(f64, f64); 2], cell: f64, (width, height): (f64, f64)) -> Rect {
    let around = |(from, to): (f64, f64), most: f64| {
        let more = ((to - from) * AROUND.0).max(AROUND.1).max(cell);
        let start = (from - more).max(0.0).floor();
        (start, ((to + more).min(most).ceil() - start).max(1.0))
    };
    let ((left, wide), (top, high)) = (around(x, width), around(y, height));
    Rect::new(left, top, wide, high)
}

#[cfg(test)]
mod tests;
