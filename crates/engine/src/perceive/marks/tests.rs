//! Targets in, labels out.

use super::*;
use handeye_scene::{Picture, Point};
use handeye_testkit::Dice;

const VIEW: (f64, f64) = (1280.0, 800.0);

/// A picture of this size with a line around each of `boxes`, and something to read in each of `texts`.
fn drawn((width, height): (f64, f64), boxes: &[Rect], texts: &[Rect]) -> Picture {
    let (wide, high) = (width as usize, height as usize);
    let mut rgba = vec![u8::MAX; wide * high * 4];
    let mut dot = |x: f64, y: f64| {
        if (0.0..width).contains(&x) && (0.0..height).contains(&y) {
            let at = (y as usize * wide + x as usize) * 4;
            rgba[at..at + 3].fill(0);
        }
    };
    for r in boxes {
        for i in 0..r.width as u32 {
            dot(r.x + f64::from(i), r.y);
            dot(r.x + f64::from(i), r.y + r.height - 1.0);
        }
        for i in 0..r.height as u32 {
            dot(r.x, r.y + f64::from(i));
            dot(r.x + r.width - 1.0, r.y + f64::from(i));
        }
    }
    for r in texts {
        for (i, j) in (0..r.width as u32).flat_map(|i| (0..r.height as u32).map(move |j| (i, j))) {
            if (i + j) % 3 == 0 {
                dot(r.x + f64::from(i), r.y + f64::from(j));
            }
        }
    }
    Picture::new((wide as u32, high as u32), rgba, 1.0, Point::new(0.0, 0.0)).unwrap()
}

fn in_middle(of: &Rect, width: f64, height: f64) -> Rect {
    Rect::new(of.x + ((of.width - width) / 2.0).floor(), of.y + ((of.height - height) / 2.0).floor(), width, height)
}

/// No label covers another, leaves the picture, or lies on a small target, but for plain ground of its own.
fn check(marks: &Marks, targets: &[ToMark], ink: Option<Ink>, (width, height): (f64, f64), unit: f64) {
    for (i, mark) in marks.marks.iter().enumerate() {
        let l = mark.label;
        assert!(l.x >= 0.0 && l.y >= 0.0 && l.x + l.width <= width && l.y + l.height <= height, "{mark:?}");
        assert!(SIZES.iter().any(|size| (l.width, l.height) == label(mark.number, unit * size)), "{mark:?}");
        for other in marks.marks.iter().skip(i + 1) {
            assert!(!l.intersects(&other.label), "{mark:?} {other:?}");
        }
        for other in &marks.marks {
            let Some(covered) = shared(&l, &other.outline).filter(|_| is_small(&other.outline, other.number, unit))
            else {
                continue;
            };
            assert!(holds(&other.outline, &mark.outline), "{mark:?} covers {other:?}");
            let Some(within) = shared(&covered, &grown(&other.outline, -LINE * unit)) else { continue };
            let read = ink.map(|ink| ink.under(&within, 100));
            assert!(read.is_some_and(|pixels| pixels <= STRAY), "{mark:?} covers what {other:?} says: {read:?}");
        }
        let target = targets.iter().find(|t| t.number == mark.number).unwrap();
        assert!(target.rect.intersects(&mark.outline));
    }
}

#[test]
fn labels_cover_no_label_and_nothing_to_read_in_a_small_target_at_any_density() {
    for (seed, count) in [(1, 5), (2, 40), (3, 120), (4, 300)] {
        let mut dice = Dice::new(seed);
        let targets: Vec<ToMark> = (0..count)
            .map(|i| {
                let side = |dice: &mut Dice, most| (8 + dice.below(most)) as f64;
                let (width, height) = (side(&mut dice, 180), side(&mut dice, 40));
                let (x, y) = (dice.below(1300) as f64 - 20.0, dice.below(820) as f64 - 20.0);
                ToMark { number: i * 7 + 1, rect: Rect::new(x, y, width, height) }
            })
            .collect();
        let boxes: Vec<Rect> = targets.iter().map(|t| t.rect).collect();
        let texts: Vec<Rect> = boxes.iter().map(|r| in_middle(r, r.width * 0.6, r.height * 0.5)).collect();
        let picture = drawn(VIEW, &boxes, &texts);
        for (ink, unit) in [(None, 1.0), (None, 2.0), (Some(Ink::of(&picture)), 1.0), (Some(Ink::of(&picture)), 2.0)] {
            let marks = place(&targets, &[], ink, VIEW, (unit, 1000));
            check(&marks, &targets, ink, VIEW, unit);
            let whole = marks.marks.len() + marks.omitted.len();
            assert!(whole <= targets.len() && whole + targets.len() / 10 >= targets.len());
            let share = marks.marks.len() as f64 / whole as f64;
            assert!(count > 120 || share > 0.9 || unit > 1.0, "{count}: only {share} are marked");
        }
    }
}

/// The pages and apps of `docs/pictures` and more, as `cargo xtask bench locate --record` noted where their targets are.
#[test]
fn of_recorded_pages_and_apps_every_target_is_marked_where_it_is_or_named() {
    #[derive(serde::Deserialize)]
    struct State {
        name: String,
        view: (f64, f64),
        rects: Vec<[f64; 4]>,
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/locate");
    let mut names = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let state: State = serde_json::from_slice(&std::fs::read(file.unwrap().path()).unwrap()).unwrap();
        for unit in [1.0, 1.5, 2.0] {
            let (width, height) = (state.view.0 * unit, state.view.1 * unit);
            let targets: Vec<ToMark> = (1..)
                .zip(&state.rects)
                .map(|(number, rect)| ToMark { number, rect: Rect::from(rect.map(|side| side * unit)) })
                .collect();
            let texts: Vec<Rect> = targets.iter().map(|t| grown(&t.rect, -4.0 * unit)).collect();
            let outlines: Vec<Rect> = targets.iter().map(|t| t.rect).collect();
            let picture = drawn((width, height), &outlines, &texts);
            for ink in [None, Some(Ink::of(&picture))] {
                let marks = place(&targets, &[], ink, (width, height), (unit, 5_000));
                check(&marks, &targets, ink, (width, height), unit);
                for mark in &marks.marks {
                    let target = targets.iter().find(|t| t.number == mark.number).unwrap();
                    assert_eq!(Some(mark.outline), shared(&target.rect, &Rect::new(0.0, 0.0, width, height)));
                }
                let numbers = marks.marks.iter().map(|mark| mark.number).chain(marks.omitted.iter().copied());
                let mut numbers: Vec<u32> = numbers.collect();
                numbers.sort_unstable();
                let all: Vec<u32> = targets.iter().map(|t| t.number).collect();
                assert_eq!(numbers, all, "{} at {unit}", state.name);
            }
        }
        names.push(state.name);
    }
    for name in ["form", "mailbox", "dashboard", "table", "index", "mousepad", "kcalc"] {
        assert!(names.iter().any(|of| of == name), "{name} is recorded: {names:?}");
    }
}

#[test]
fn labels_stand_beside_texts_where_there_is_room_close_by() {
    let target = ToMark { number: 3, rect: Rect::new(100.0, 100.0, 200.0, 60.0) };
    let label = |texts: &[Rect]| {
        let picture = drawn(VIEW, &[target.rect], texts);
        place(&[target], &[], Some(Ink::of(&picture)), VIEW, (1.0, 9)).marks[0]
    };
    let above = |x: f64| (x, 100.0 - super::label(3, 1.0).1);
    let at = |mark: Mark| (mark.label.x, mark.label.y);
    assert_eq!(at(label(&[])), above(100.0));
    let (width, _) = super::label(3, 1.0);
    assert_eq!(at(label(&[Rect::new(90.0, 80.0, 60.0, 18.0)])), above(300.0 - width));
    // Texts all around: then on one of them, rather than far away.
    let everywhere = label(&[Rect::new(0.0, 0.0, 1280.0, 800.0)]);
    assert!(!everywhere.is_led, "{everywhere:?}");
}

#[test]
fn a_label_stands_on_plain_ground_of_its_own_small_target_rather_than_far_away() {
    // Buttons in rows and columns without room between them, a figure in the middle of each.
    let key = |i: u32| {
        let at = (f64::from(i % 5), f64::from(i / 5));
        ToMark { number: i + 100, rect: Rect::new(40.0 + at.0 * 50.0, 40.0 + at.1 * 40.0, 50.0, 40.0) }
    };
    let keys: Vec<ToMark> = (0..25).map(key).collect();
    let boxes: Vec<Rect> = keys.iter().map(|t| t.rect).collect();
    let texts: Vec<Rect> = boxes.iter().map(|r| in_middle(r, 9.0, 12.0)).collect();
    let picture = drawn(VIEW, &boxes, &texts);
    let ink = Some(Ink::of(&picture));
    let marks = place(&keys, &[], ink, VIEW, (1.0, 100));
    check(&marks, &keys, ink, VIEW, 1.0);
    assert_eq!((marks.marks.len(), marks.crowded), (25, 0));
    assert!(marks.marks.iter().all(|mark| !mark.is_led));
    // Full of text to their lines, those in the middle have no such ground.
    let full: Vec<Rect> = boxes.iter().map(|r| in_middle(r, 48.0, 38.0)).collect();
    let picture = drawn(VIEW, &boxes, &full);
    let ink = Some(Ink::of(&picture));
    let marks = place(&keys, &[], ink, VIEW, (1.0, 100));
    check(&marks, &keys, ink, VIEW, 1.0);
    assert!(marks.crowded > 0 && !marks.omitted.is_empty(), "{marks:?}");
}

#[test]
fn lines_cross_no_label_and_nothing_to_read_in_small_targets() {
    let mut dice = Dice::new(11);
    let boxed = |i: u32| {
        let place = (f64::from(i % 30), f64::from(i / 30));
        ToMark { number: i + 1, rect: Rect::new(200.0 + place.0 * 14.0, 200.0 + place.1 * 14.0, 12.0, 12.0) }
    };
    let targets: Vec<ToMark> = (0..120).filter(|_| dice.below(2) == 0).map(boxed).collect();
    let boxes: Vec<Rect> = targets.iter().map(|t| t.rect).collect();
    let picture = drawn(VIEW, &boxes, &boxes);
    let ink = Ink::of(&picture);
    let marks = place(&targets, &[], Some(ink), VIEW, (1.0, 200));
    check(&marks, &targets, Some(ink), VIEW, 1.0);
    let led: Vec<&Mark> = marks.marks.iter().filter(|mark| mark.is_led).collect();
    assert!(!led.is_empty());
    for mark in led {
        for step in steps(lead(&mark.label, &mark.outline), mark.label) {
            let crossed = marks.marks.iter().find(|other| other.number != mark.number && other.label.intersects(&step));
            assert_eq!(crossed, None, "the line of {mark:?}");
            let read = targets.iter().filter(|t| t.number != mark.number).filter_map(|t| {
                let within = shared(&step, &grown(&t.rect, -LINE))?;
                Some(ink.under(&within, 10))
            });
            assert!(read.max().unwrap_or(0) <= STRAY, "the line of {mark:?}");
        }
    }
}

#[test]
fn labels_and_lines_keep_off_what_small_targets_without_a_mark_say() {
    // A grid of small cells, of which every third is marked, or as many as are allowed.
    let cell = |i: u32| {
        let at = (f64::from(i % 12), f64::from(i / 12));
        ToMark { number: i + 1, rect: Rect::new(60.0 + at.0 * 74.0, 60.0 + at.1 * 22.0, 66.0, 18.0) }
    };
    let cells: Vec<ToMark> = (0..144).map(cell).collect();
    let texts: Vec<Rect> = cells.iter().map(|t| in_middle(&t.rect, 58.0, 12.0)).collect();
    let picture = drawn(VIEW, &[], &texts);
    let ink = Ink::of(&picture);
    let (marked, others): (Vec<ToMark>, Vec<ToMark>) = cells.iter().partition(|t| t.number % 3 == 1);
    let beside: Vec<Beside> = others.iter().map(|t| Beside { rect: t.rect, is_target: true }).collect();
    for (marks, unmarked) in [
        (place(&marked, &beside, Some(ink), VIEW, (1.0, 200)), others.as_slice()),
        (place(&cells, &[], Some(ink), VIEW, (1.0, 48)), &cells[48..]),
    ] {
        assert!(marks.marks.len() > 24, "{} are marked", marks.marks.len());
        for mark in &marks.marks {
            for other in unmarked {
                let covered = shared(&mark.label, &other.rect).map_or(0, |part| ink.under(&part, 100));
                assert!(covered <= STRAY, "{mark:?} covers what {other:?} says: {covered}");
                if mark.is_led {
                    let crossed = steps(lead(&mark.label, &mark.outline), mark.label)
                        .filter_map(|step| shared(&step, &other.rect))
                        .map(|part| ink.under(&part, 100));
                    assert!(crossed.max().unwrap_or(0) <= STRAY, "the line of {mark:?} crosses {other:?}");
                }
            }
        }
    }
}

#[test]
fn labels_stand_away_rather_than_on_a_short_text() {
    // A row of words with buttons between them, and plain ground below.
    let buttons: Vec<ToMark> = (0..6)
        .map(|i| ToMark { number: i + 20, rect: Rect::new(100.0 + f64::from(i) * 130.0, 100.0, 40.0, 14.0) })
        .collect();
    let words: Vec<Rect> = buttons
        .iter()
        .flat_map(|b| {
            let beside = Rect::new(b.rect.x + 42.0, 100.0, 86.0, 14.0);
            [-16.0, 0.0, 16.0].map(|dy| Rect { y: beside.y + dy, ..beside })
        })
        .collect();
    let own = buttons.iter().flat_map(|b| [-16.0, 16.0].map(|dy| Rect { y: b.rect.y + dy, ..b.rect }));
    let texts: Vec<Rect> = words.into_iter().chain(own).collect();
    let picture = drawn(VIEW, &[], &texts);
    let ink = Ink::of(&picture);
    let beside: Vec<Beside> = texts.iter().map(|rect| Beside { rect: *rect, is_target: false }).collect();
    let marks = place(&buttons, &beside, Some(ink), VIEW, (1.0, 200));
    assert_eq!(marks.marks.len(), buttons.len());
    for mark in &marks.marks {
        let covered = texts.iter().filter_map(|text| shared(&mark.label, text)).map(|part| ink.under(&part, 100));
        assert!(covered.max().unwrap_or(0) <= STRAY, "{mark:?} stands on a word");
    }
}

#[test]
fn a_column_of_small_buttons_is_marked_whole() {
    let row = |i: u32| ToMark { number: i + 1, rect: Rect::new(300.0, 40.0 + f64::from(i) * 20.0, 60.0, 18.0) };
    let targets: Vec<ToMark> = (0..30).map(row).collect();
    let marks = place(&targets, &[], None, VIEW, (1.0, 100));
    check(&marks, &targets, None, VIEW, 1.0);
    assert_eq!(marks.marks.len(), 30);
    assert!(marks.marks.iter().all(|mark| !mark.is_led));
}

#[test]
fn what_is_outside_is_left_out_and_what_is_too_much_is_named() {
    let at = |number, x| ToMark { number, rect: Rect::new(x, 100.0, 50.0, 20.0) };
    let targets = [at(1, -200.0), at(2, 10.0), at(3, 2000.0), at(4, 600.0), at(5, f64::NAN), at(6, 900.0)];
    let marks = place(&targets, &[], None, VIEW, (1.0, 2));
    assert_eq!(marks.marks.iter().map(|mark| mark.number).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(marks.omitted, [6]);
    // Where there is no room for a label, there is none.
    assert_eq!(place(&[at(7, 0.0)], &[], None, (60.0, 8.0), (1.0, 9)), Marks::default());
    let tight = ToMark { number: 8, rect: Rect::new(0.0, 0.0, 30.0, 8.0) };
    assert_eq!(place(&[tight], &[], None, (30.0, 8.0), (f64::NAN, 9)).omitted, [8]);
}
