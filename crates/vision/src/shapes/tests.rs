//! Shapes of small drawn pictures.

use super::*;
use crate::Word;
use handeye_scene::Rect;

/// A white picture on which faces and outlines are drawn.
struct Canvas {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Canvas {
    fn new(width: u32, height: u32) -> Self {
        Self { width, height, bytes: vec![255; (width * height * 3) as usize] }
    }

    fn face(mut self, area: Area, colour: [u8; 3]) -> Self {
        for y in area.top..area.bottom {
            for x in area.left..area.right {
                let at = ((y * self.width + x) * 3) as usize;
                self.bytes[at..at + 3].copy_from_slice(&colour);
            }
        }
        self
    }

    fn outline(self, area: Area) -> Self {
        let inner = Area::new(area.left + 1, area.top + 1, area.right - 1, area.bottom - 1);
        self.face(area, [110; 3]).face(inner, [255; 3])
    }

    fn circle(mut self, area: Area) -> Self {
        let (cx, cy) = (f64::from(area.left + area.right) / 2.0, f64::from(area.top + area.bottom) / 2.0);
        let radius = f64::from(area.width()) / 2.0;
        for y in area.top..area.bottom {
            for x in area.left..area.right {
                if (f64::from(x) + 0.5 - cx).hypot(f64::from(y) + 0.5 - cy) <= radius {
                    self = self.face(Area::new(x, y, x + 1, y + 1), [0, 90, 200]);
                }
            }
        }
        self
    }

    fn picture(&self) -> Picture {
        Picture::rgb(self.width, self.height, 1.0, self.bytes.clone()).unwrap()
    }
}

fn line(words: &[(&str, f64, f64)], y: f64) -> Line {
    let words: Vec<Word> = words
        .iter()
        .map(|(text, x, width)| Word { rect: Rect::new(*x, y, *width, 16.0), text: (*text).into() })
        .collect();
    let (first, last) = (words[0].rect, words[words.len() - 1].rect);
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    Line { rect: Rect::new(first.x, y, last.x + last.width - first.x, 16.0), text, confidence: 0.9, words }
}

fn told(shapes: &[Shape]) -> Vec<(Kind, &str, [f64; 4])> {
    shapes.iter().map(|shape| (shape.kind, shape.text.as_str(), shape.rect.into())).collect()
}

#[test]
fn a_dialog_is_told_by_its_boxes_and_texts() {
    let canvas = Canvas::new(420, 240)
        .outline(Area::new(20, 50, 320, 82))
        .outline(Area::new(20, 100, 34, 114))
        .circle(Area::new(20, 140, 36, 156))
        .face(Area::new(20, 180, 120, 212), [13, 110, 253])
        .face(Area::new(140, 180, 240, 212), [108, 117, 125]);
    let lines = [
        line(&[("Name", 20.0, 40.0)], 20.0),
        line(&[("Ada", 28.0, 30.0)], 58.0),
        line(&[("Remember", 42.0, 70.0), ("me", 116.0, 20.0)], 99.0),
        line(&[("Daily", 44.0, 40.0)], 140.0),
        line(&[("OK", 60.0, 20.0)], 188.0),
        line(&[("Cancel", 164.0, 52.0)], 188.0),
    ];
    let found = shapes(&canvas.picture(), &lines);
    assert_eq!(
        told(&found),
        [
            (Kind::Text, "Name", [20.0, 20.0, 40.0, 16.0]),
            (Kind::Input, "Ada", [20.0, 50.0, 300.0, 32.0]),
            (Kind::Text, "Remember me", [42.0, 99.0, 94.0, 16.0]),
            (Kind::Checkbox, "Remember me", [20.0, 100.0, 14.0, 14.0]),
            (Kind::Radio, "Daily", [20.0, 140.0, 16.0, 16.0]),
            (Kind::Text, "Daily", [44.0, 140.0, 40.0, 16.0]),
            (Kind::Button, "OK", [20.0, 180.0, 100.0, 32.0]),
            (Kind::Button, "Cancel", [140.0, 180.0, 100.0, 32.0]),
        ]
    );
    assert!(found.iter().all(|shape| (0.0..=1.0).contains(&shape.confidence)));
}

#[test]
fn a_line_over_two_buttons_is_parted_between_them() {
    let canvas = Canvas::new(260, 120)
        .face(Area::new(10, 10, 110, 42), [13, 110, 253])
        .face(Area::new(116, 10, 216, 42), [13, 110, 253]);
    let both = line(&[("Save", 42.0, 36.0), ("Delete", 140.0, 52.0)], 18.0);
    let found = shapes(&canvas.picture(), &[both]);
    assert_eq!(
        told(&found),
        [(Kind::Button, "Save", [10.0, 10.0, 100.0, 32.0]), (Kind::Button, "Delete", [116.0, 10.0, 100.0, 32.0]),]
    );
}

#[test]
fn what_is_in_a_table_is_text_and_keys_beside_each_other_are_buttons() {
    let rows = [["Name", "Amount", "Paid"], ["Ada", "12", "yes"], ["Grace", "30", "no"]];
    let grid = |inset: f64| {
        let (mut canvas, mut lines) = (Canvas::new(420, 160), Vec::new());
        for (row, words) in (0_u32..).zip(&rows) {
            for (column, word) in (0_u32..).zip(words) {
                let (left, top) = (20 + column * 120, 20 + row * 32);
                canvas = canvas.outline(Area::new(left, top, left + 121, top + 33));
                let width = 9.0 * word.len() as f64;
                let x = f64::from(left) + inset * (121.0 - width) + (1.0 - inset * 2.0) * 8.0;
                lines.push(line(&[(*word, x, width)], f64::from(top) + 8.0));
            }
        }
        shapes(&canvas.picture(), &lines)
    };
    let table = grid(0.0);
    assert!(table.iter().all(|shape| shape.kind == Kind::Text), "{:?}", told(&table));
    assert_eq!(table.len(), 9);
    let keys = grid(0.5);
    assert!(keys.iter().all(|shape| shape.kind == Kind::Button), "{:?}", told(&keys));
}

#[test]
fn a_bar_that_holds_controls_is_none_itself() {
    let mut canvas = Canvas::new(600, 80).face(Area::new(0, 10, 560, 70), [230; 3]);
    for at in 0..4 {
        canvas = canvas.face(Area::new(20 + at * 130, 20, 120 + at * 130, 52), [13, 110, 253]);
    }
    let kinds: Vec<Kind> = shapes(&canvas.picture(), &[]).iter().map(|shape| shape.kind).collect();
    assert_eq!(kinds, [Kind::Input; 4], "empty boxes, wide ones");
}

#[test]
fn pictures_of_any_kind_end() {
    let noise = |width: u32, height: u32| {
        let bytes = (0..width * height * 3).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        Picture::rgb(width, height, 1.0, bytes).unwrap()
    };
    let wide = [line(&[("far", 1e9, 5.0)], -50.0), line(&[("x", f64::NAN, f64::INFINITY)], 0.0)];
    for picture in [
        Picture::rgb(1, 1, 1.0, vec![0; 3]).unwrap(),
        Picture::rgb(1280, 20_000, 1.0, vec![0; 1280 * 20_000 * 3]).unwrap(),
        noise(700, 500),
        noise(3, 3000),
    ] {
        let begun = std::time::Instant::now();
        assert!(shapes(&picture, &wide).len() <= 2000);
        assert!(begun.elapsed().as_secs() < 20);
    }
}
