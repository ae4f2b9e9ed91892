//! A judge that looks at the pictures it gets: it finds the lines and boxes drawn on them by their colours, and answers from
//! what it knows of the element, with errors at a stated rate.

use super::answer::Answer;
use super::asked::Asked;
use crate::Dice;
use std::sync::Mutex;

/// Colours of the vertical and of the horizontal line, as prompts name them.
const VERTICAL: [u8; 3] = [255, 0, 255];
const HORIZONTAL: [u8; 3] = [0, 190, 255];
/// Colours of the boxes from 1 on: red, blue, green, orange, purple.
const BOXES: [[u8; 3]; 5] = [[220, 20, 40], [0, 80, 255], [0, 140, 20], [255, 120, 0], [140, 0, 200]];
/// How far a box may be from the edges of what it stands around, in pixels.
const SLACK: f64 = 12.0;

/// What a judge knows of the element.
#[derive(Debug, Clone, Copy)]
pub enum Truth {
    /// It is the only thing of this colour: wherever that is in a picture, there it is.
    Colour([u8; 3]),
    /// Where it is in every picture, as shares of its width and height: left, top, width, height.
    Part([f64; 4]),
    /// There is no such element.
    Absent,
}

/// A picture's pixels.
struct Pixels {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Pixels {
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
        let mut reader = decoder.read_info().ok()?;
        let mut buffer = vec![0; reader.output_buffer_size()?];
        let info = reader.next_frame(&mut buffer).ok()?;
        let channels = info.color_type.samples();
        let rgb = buffer.chunks_exact(channels).flat_map(|p| [p[0], p[channels.min(3) / 2], p[channels.min(3) - 1]]);
        Some(Self { width: info.width as usize, height: info.height as usize, rgb: rgb.collect() })
    }

    fn is(&self, x: usize, y: usize, colour: [u8; 3]) -> bool {
        let at = (y * self.width + x) * 3;
        self.rgb.get(at..at + 3) == Some(&colour[..])
    }

    /// Middle of the columns (or rows) that are of this colour nearly from end to end.
    fn line(&self, colour: [u8; 3], vertical: bool) -> Option<f64> {
        let (across, along) = if vertical { (self.width, self.height) } else { (self.height, self.width) };
        let of = |at: usize| {
            let same = |i: &usize| if vertical { self.is(at, *i, colour) } else { self.is(*i, at, colour) };
            (0..along).filter(same).count() * 10 >= along * 8
        };
        let lines: Vec<usize> = (0..across).filter(|at| of(*at)).collect();
        Some((*lines.first()? as f64 + *lines.last()? as f64 + 1.0) / 2.0)
    }

    /// The smallest rectangle around everything of a colour: left, top, right, bottom.
    fn around(&self, colour: [u8; 3]) -> Option<[f64; 4]> {
        let mut edges: Option<[usize; 4]> = None;
        for y in 0..self.height {
            for x in (0..self.width).filter(|x| self.is(*x, y, colour)) {
                let [left, top, right, bottom] = edges.unwrap_or([x, y, x, y]);
                edges = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
            }
        }
        edges.map(|[left, top, right, bottom]| [left as f64, top as f64, right as f64 + 1.0, bottom as f64 + 1.0])
    }

    /// How far from a place the first pixel of a colour is, in one direction.
    fn reach(&self, (x, y): (f64, f64), (dx, dy): (f64, f64), colour: [u8; 3]) -> Option<f64> {
        (0..self.width.max(self.height)).map(|i| i as f64).find(|i| {
            let (x, y) = (x + dx * i, y + dy * i);
            x >= 0.0
                && y >= 0.0
                && (x as usize) < self.width
                && (y as usize) < self.height
                && self.is(x as usize, y as usize, colour)
        })
    }

    /// How badly the box of a colour fits around a rectangle; none where it doesn't stand around it.
    fn misfit(&self, [left, top, right, bottom]: [f64; 4], colour: [u8; 3]) -> Option<f64> {
        let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
        let halves = [(right - left) / 2.0, (bottom - top) / 2.0];
        let ways =
            [((1.0, 0.0), halves[0]), ((-1.0, 0.0), halves[0]), ((0.0, 1.0), halves[1]), ((0.0, -1.0), halves[1])];
        let misses = ways.map(|(way, half)| self.reach(middle, way, colour).map_or(f64::MAX, |far| (far - half).abs()));
        // Its number may stand inside the box, in one of these ways, and another's on its edge, in one more.
        let mut misses = misses.to_vec();
        misses.sort_by(f64::total_cmp);
        let worst = misses[misses.len() - 3];
        (worst <= SLACK).then_some(worst)
    }
}

/// Where everything of a colour lies in a picture, as PNG: left, top, right and bottom in its pixels.
pub fn seen(picture: &[u8], colour: [u8; 3]) -> Option<[f64; 4]> {
    Pixels::read(picture)?.around(colour)
}

/// A judge with eyes.
pub struct Eye {
    truth: Truth,
    error: f64,
    dice: Mutex<Dice>,
}

impl Eye {
    /// One that errs about each line by itself at this rate, any other answer alike, and about boxes half as often.
    pub fn new(truth: Truth, error: f64, seed: u64) -> Self {
        Self { truth, error, dice: Mutex::new(Dice::new(seed)) }
    }

    /// What it says to what it was asked, in the language of the question.
    pub fn look(&self, asked: &Asked) -> Answer {
        let Some(pixels) = asked.pictures.first().and_then(|bytes| Pixels::read(bytes)) else {
            return Answer::Fail(400, "", r#"{"error":{"message":"there is no picture to look at"}}"#.into());
        };
        let rect = self.rect(&pixels);
        if asked.text.contains("[choice]") || asked.text.contains("[选择]") {
            let head = if asked.text.contains("[选择]") { "[选择]" } else { "[choice]" };
            return Answer::Say(format!("{head}\n{}", self.choose(&pixels, rect)));
        }
        let (Some(x), Some(y)) = (pixels.line(VERTICAL, true), pixels.line(HORIZONTAL, false)) else {
            return Answer::Say("I see no lines.".into());
        };
        let x = self.side(rect.map(|[left, _, right, _]| (left, right)), x);
        let y = self.side(rect.map(|[_, top, _, bottom]| (top, bottom)), y);
        Answer::Say(if asked.text.contains("[竖线位置]") {
            let (x, y) = (["左边", "穿过", "右边", "未发现"][x], ["上面", "穿过", "下面", "未发现"][y]);
            format!("[竖线位置]\n{x}\n\n[横线位置]\n{y}")
        } else {
            let (x, y) = (["left", "crosses", "right", "not found"][x], ["above", "crosses", "below", "not found"][y]);
            format!("[vertical line]\n{x}\n\n[horizontal line]\n{y}")
        })
    }

    fn rect(&self, pixels: &Pixels) -> Option<[f64; 4]> {
        let (width, height) = (pixels.width as f64, pixels.height as f64);
        match self.truth {
            Truth::Colour(colour) => pixels.around(colour),
            Truth::Part([x, y, w, h]) => Some([x * width, y * height, (x + w) * width, (y + h) * height]),
            Truth::Absent => None,
        }
    }

    /// Whether it errs now.
    fn errs(&self, rate: f64) -> bool {
        (self.dice.lock().unwrap().below(1_000_000) as f64) < rate * 1e6
    }

    /// Before the line, crossed, behind it or not there: 0 to 3.
    fn side(&self, span: Option<(f64, f64)>, line: f64) -> usize {
        let truth = match span {
            None => 3,
            Some((_, end)) if end <= line => 0,
            Some((start, _)) if start >= line => 2,
            Some(_) => 1,
        };
        let other = |dice: &mut Dice| (truth + 1 + dice.below(3)) % 4;
        if self.errs(self.error) { other(&mut self.dice.lock().unwrap()) } else { truth }
    }

    /// The number of the box around the element; 0 where there is none.
    fn choose(&self, pixels: &Pixels, rect: Option<[f64; 4]>) -> usize {
        let boxes = BOXES.iter().take_while(|colour| pixels.around(**colour).is_some()).count();
        let fits = |rect| {
            let misfits =
                (1..=boxes).zip(BOXES).filter_map(move |(number, colour)| Some((pixels.misfit(rect, colour)?, number)));
            misfits.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, number)| number)
        };
        let truth = rect.and_then(fits).unwrap_or(0);
        let other = |dice: &mut Dice| (truth + 1 + dice.below(boxes.max(1))) % (boxes + 1);
        if self.errs(self.error / 2.0) { other(&mut self.dice.lock().unwrap()) } else { truth }
    }
}
