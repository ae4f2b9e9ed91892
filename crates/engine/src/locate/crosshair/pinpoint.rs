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

    /// The next question, or how it ended. A region is found once its middle was said to be on it, a box around it was picked, and both
    /// together are probable enough.
    pub fn ask(&mut self) -> Result<Ask, Pinpointed> {
        if self.edges().unseen() >= self.settings.confidence {
            // In a cut-out it is only missing there.
            match self.close.take() {
                None => return ended(Reason::NotFound, self.whole.unseen()),
                Some((_, edges)) => self.give_up(&edges),
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
        let next = boxes::next(&region, self.edges().said());
        next.map_or_else(|| ended(Reason::Undecided, self.confidence()), |area| Ok(Ask::Mark(area)))
    }

    /// Goes back to the whole from a closer look that showed nothing. What it told of the judge stays known; its region does not.
    fn give_up(&mut self, close: &Edges) {
        self.whole.resume(close);
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
        let is_part = !boxes::is_around(&area, &region);
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
mod tests {
    use super::super::reply::Side;
    use super::*;

    const SIZE: (f64, f64) = (1280.0, 800.0);

    fn said(rect: &Rect, (x, y): (f64, f64)) -> Reply {
        let side = |start: f64, end: f64, line: f64| match () {
            () if end <= line => Side::Before,
            () if start >= line => Side::After,
            () => Side::Crosses,
        };
        Reply::Sides { x: Some(side(rect.x, rect.x + rect.width, x)), y: Some(side(rect.y, rect.y + rect.height, y)) }
    }

    fn begun(error: f64) -> Pinpoint {
        let closely = Closely { size: SIZE, precision: 100.0, longest: 1568.0 };
        Pinpoint::new(closely, Settings { max_steps: 30, error, ..Settings::default() })
    }

    /// What is true of what is at `rect`, and that it is what is marked.
    fn truth(rect: &Rect, ask: &Ask) -> Reply {
        match ask {
            Ask::Crosshair { x, y, cut: None } => said(rect, (*x, *y)),
            Ask::Crosshair { x, y, cut: Some(cut) } => {
                let at = cut.in_picture(&Rect::new(*x, *y, 0.0, 0.0));
                said(rect, (at.x, at.y))
            }
            Ask::Mark(_) => Reply::Mark(0),
        }
    }

    /// Answers truly about what is at `rect`, and that it is what is marked, but where `lie` says otherwise.
    fn run(rect: Rect, lie: impl Fn(usize, &Ask) -> Option<Reply>) -> (Pinpointed, Vec<(Ask, Reply)>) {
        run_as(rect, 0.02, lie)
    }

    /// The same of a judge who errs with this rate.
    fn run_as(rect: Rect, error: f64, lie: impl Fn(usize, &Ask) -> Option<Reply>) -> (Pinpointed, Vec<(Ask, Reply)>) {
        let mut pinpoint = begun(error);
        let mut asked = Vec::new();
        loop {
            let ask = match pinpoint.ask() {
                Ok(ask) => ask,
                Err(ended) => return (ended, asked),
            };
            let reply = lie(asked.len(), &ask).unwrap_or(truth(&rect, &ask));
            pinpoint.learn(&ask, reply);
            asked.push((ask, reply));
        }
    }

    fn is_on(rect: &Rect, region: &Rect) -> bool {
        let middle = region.center();
        rect.intersects(&Rect::new(middle.x, middle.y, 0.01, 0.01))
    }

    const RECTS: [Rect; 7] = [
        Rect::new(300.0, 200.0, 7.0, 7.0),
        Rect::new(1258.0, 781.0, 18.0, 9.0),
        Rect::new(3.0, 400.0, 12.0, 20.0),
        Rect::new(640.0, 90.0, 220.0, 6.0),
        Rect::new(77.0, 300.0, 5.0, 200.0),
        Rect::new(900.0, 600.0, 120.0, 32.0),
        Rect::new(100.0, 100.0, 900.0, 500.0),
    ];

    #[test]
    fn the_middle_of_what_is_found_was_said_to_be_on_it_and_is() {
        let both = Reply::Sides { x: Some(Side::Crosses), y: Some(Side::Crosses) };
        for rect in RECTS {
            let (ended, asked) = run(rect, |_, _| None);
            assert_eq!(ended.reason, Reason::Found, "{rect:?}: {asked:#?}");
            assert!(is_on(&rect, &ended.region.unwrap()), "{rect:?}: {ended:?}");
            assert!(asked.len() <= 18, "{rect:?}: {}", asked.len());
            assert!(matches!(asked.last(), Some((Ask::Mark(_), _))), "{rect:?}");
            let is_cut = asked.iter().any(|(ask, _)| matches!(ask, Ask::Crosshair { cut: Some(_), .. }));
            assert!(is_cut || rect.width.min(rect.height) >= 20.0, "{rect:?} is thin");
            assert!(is_cut || asked.iter().any(|(_, reply)| *reply == both), "{rect:?}: {asked:#?}");
        }
    }

    #[test]
    fn wrong_answers_do_not_move_the_middle_off_it() {
        let (mut found, mut all) = (0, 0);
        for rect in RECTS.into_iter().step_by(2) {
            for at in [0, 2, 5] {
                let wrong = Reply::Sides { x: Some(Side::After), y: Some(Side::Before) };
                let lie = |n: usize, ask: &Ask| (n == at && matches!(ask, Ask::Crosshair { .. })).then_some(wrong);
                let (ended, asked) = run(rect, lie);
                assert!(ended.region.is_none_or(|region| is_on(&rect, &region)), "{rect:?}, wrong at {at}: {ended:?}");
                assert!(ended.region.is_none_or(|region| is_marked(&asked, &region)), "{ended:?} {asked:#?}");
                (found, all) = (found + usize::from(ended.region.is_some()), all + 1);
            }
        }
        assert!(found * 4 >= all * 3, "{found} of {all} are found");
    }

    /// Whether the box of a region was picked.
    fn is_marked(asked: &[(Ask, Reply)], region: &Rect) -> bool {
        asked.contains(&(Ask::Mark(boxes::own(region)), Reply::Mark(0)))
    }

    #[test]
    fn what_a_cut_out_does_not_show_is_searched_for_in_the_whole_again() {
        let unseen = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
        let lie = |_: usize, ask: &Ask| matches!(ask, Ask::Crosshair { cut: Some(_), .. }).then_some(unseen);
        let mut found = 0;
        for rect in &RECTS[..5] {
            let (ended, asked) = run(*rect, lie);
            assert_ne!(ended.reason, Reason::NotFound, "{rect:?}");
            let is_cut = |ask: &Ask| matches!(ask, Ask::Crosshair { cut: Some(_), .. });
            let last_cut = asked.iter().rposition(|(ask, _)| is_cut(ask)).unwrap();
            assert!(asked[last_cut + 1..].iter().any(|(ask, _)| matches!(ask, Ask::Crosshair { cut: None, .. })));
            assert!(ended.region.is_none_or(|region| is_on(rect, &region)), "{rect:?}: {ended:?}");
            found += usize::from(ended.region.is_some());
        }
        assert!(found >= 3, "{found} of 5 are found");
    }

    #[test]
    fn no_box_is_shown_twice_and_where_none_is_left_it_is_undecided() {
        // Of a judge that errs often one answer isn't enough.
        let (ended, asked) = run_as(RECTS[5], 0.2, |_, _| None);
        assert!(ended.reason == Reason::Found && boxes_of(&asked).len() > 1, "{ended:?} {asked:?}");
        // Yes and no by turns, or no to one of them: what was said can't be outvoted by asking for it anew.
        for turn in 0..3 {
            let lie = |n: usize, ask: &Ask| {
                let said = if n % 3 == turn { Reply::NoMark } else { Reply::Mark(0) };
                matches!(ask, Ask::Mark(_)).then_some(said)
            };
            let (_, asked) = run_as(RECTS[5], 0.2, lie);
            let shown = boxes_of(&asked);
            let is_again = |at: usize| shown[..at].iter().any(|before| boxes::is_like(before, &shown[at]));
            assert!(!(0..shown.len()).any(is_again), "{shown:?}");
        }
        // Three boxes are all there is, whatever is asked for.
        let mut endless = begun(0.2);
        endless.settings.confidence = 1.0;
        let ended = loop {
            match endless.ask() {
                Ok(ask) => endless.learn(&ask, truth(&RECTS[5], &ask)),
                Err(ended) => break ended,
            }
        };
        assert_eq!((ended.reason, endless.edges().said().len()), (Reason::Undecided, 3));
        assert!(endless.asked < 30, "{}", endless.asked);
    }

    #[test]
    fn a_region_is_not_picked_by_a_part_of_it() {
        // Of a judge that hardly errs one answer would be enough.
        for (rect, error) in [(RECTS[5], 0.001), (RECTS[6], 0.001), (RECTS[5], 0.02)] {
            let is_part = |area: &Rect| area.width < rect.width * 0.8;
            let lie = |_: usize, ask: &Ask| match ask {
                Ask::Mark(area) if !is_part(area) => Some(Reply::NoMark),
                _ => None,
            };
            let (ended, asked) = run_as(rect, error, lie);
            assert_eq!((ended.reason, ended.region), (Reason::Undecided, None), "{rect:?} {error}: {asked:?}");
            let asked_of_a_part = boxes_of(&asked).iter().any(is_part);
            assert!(asked_of_a_part || error > 0.01, "{rect:?} {error}: {asked:?}");
        }
    }

    fn boxes_of(asked: &[(Ask, Reply)]) -> Vec<Rect> {
        let area = |(ask, _): &(Ask, Reply)| match ask {
            Ask::Mark(area) => Some(*area),
            Ask::Crosshair { .. } => None,
        };
        asked.iter().filter_map(area).collect()
    }

    /// Goes on until a box is asked about, of what is thin: in a cut-out.
    fn at_its_box(rect: Rect) -> (Pinpoint, Rect) {
        let mut pinpoint = begun(0.1);
        loop {
            match pinpoint.ask().unwrap() {
                Ask::Mark(area) => return (pinpoint, area),
                ask => pinpoint.learn(&ask, truth(&rect, &ask)),
            }
        }
    }

    #[test]
    fn what_was_said_in_a_cut_out_stays_known_where_it_is_given_up() {
        let (mut pinpoint, area) = at_its_box(RECTS[0]);
        let cut = pinpoint.cut();
        assert!(cut.is_some());
        pinpoint.learn(&Ask::Mark(area), Reply::Mark(0));
        let unseen = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
        while pinpoint.edges().unseen() < 0.99 {
            let at = pinpoint.asked() as f64 * 20.0;
            pinpoint.learn(&Ask::Crosshair { x: at, y: at, cut }, unseen);
        }
        assert!(pinpoint.ask().is_ok() && pinpoint.cut().is_none());
        assert_eq!((pinpoint.picked, pinpoint.whole.said().len()), (None, 1));
    }

    #[test]
    fn a_region_that_was_not_marked_is_not_returned_for_one_that_was() {
        let rect = RECTS[5];
        let (mut pinpoint, area) = at_its_box(rect);
        let marked = pinpoint.region();
        pinpoint.learn(&Ask::Mark(area), Reply::Mark(0));
        assert_eq!(pinpoint.region(), marked, "what is said of a box moves no edge");
        // Lines tell of another place by then.
        let other = Rect::new(rect.x - 30.0, rect.y, 50.0, rect.height);
        let cut = pinpoint.cut().unwrap();
        for x in (0..24).map(|i| 860.0 + f64::from(i) * 6.0) {
            let (x, y) = ((x - cut.rect.x) * cut.zoom, (616.0 - cut.rect.y) * cut.zoom);
            let ask = Ask::Crosshair { x, y, cut: Some(cut) };
            pinpoint.learn(&ask, truth(&other, &ask));
        }
        pinpoint.settings.max_steps = 60;
        assert!(!boxes::is_like(&pinpoint.region(), &marked), "{:?}", pinpoint.region());
        while let Ok(ask) = pinpoint.ask() {
            if let Ask::Mark(area) = ask {
                assert!(!boxes::is_like(&area, &boxes::own(&marked)), "{area:?} was shown");
                assert!(boxes::is_like(&area, &boxes::own(&pinpoint.region())), "{area:?}");
                return;
            }
            pinpoint.learn(&ask, truth(&other, &ask));
        }
        panic!("ended without a box around the other place");
    }

    #[test]
    fn what_is_no_mark_or_unseen_is_not_returned() {
        let (ended, _) = run(RECTS[5], |_, ask| matches!(ask, Ask::Mark(_)).then_some(Reply::NoMark));
        assert_eq!((ended.reason, ended.region), (Reason::Undecided, None));
        let unseen = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
        let (ended, asked) = run(RECTS[5], |_, _| Some(unseen));
        assert_eq!((ended.reason, ended.region), (Reason::NotFound, None));
        assert!(ended.confidence >= 0.99 && asked.len() <= 4, "{ended:?} {}", asked.len());
        let (ended, asked) = run(RECTS[5], |_, _| Some(Reply::Garbled));
        assert_eq!((ended.reason, asked.len()), (Reason::Undecided, 30));
    }
}
