//! Pages as the installed browser shows them, read with the installed weights. What is on them, the DOM tells.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod score;

use handeye_testkit::is_full;
use handeye_testkit::rendered::{Known, Rendered};
use handeye_vision::{Budget, Kind, Line, Memory, Ocr, Picture, Reading, Shape, shapes};
use score::{Score, picture};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time that no look of these tests needs, on a busy machine either.
const PLENTY: Budget = Budget::of(Duration::from_secs(300));

fn ocr() -> Ocr {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("models");
    Ocr::load(&folder).unwrap_or_else(|problem| panic!("{problem} (cargo xtask test --only install installs them)"))
}

fn page(name: &str, scale: f64) -> Rendered {
    Rendered::page(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vision").join(name), scale)
}

/// The first rows of a page, with what is wholly in them; all of it where everything is to be tried.
fn beginning(mut page: Rendered, rows: u32) -> Rendered {
    if !is_full() {
        page.height = rows;
        page.rgb.truncate((page.width * rows * 3) as usize);
        let is_whole = |known: &Known| known.rect[1] + known.rect[3] <= f64::from(rows);
        page.words.retain(is_whole);
        page.controls.retain(is_whole);
    }
    page
}

fn read(ocr: &Ocr, picture: &Picture) -> Vec<Line> {
    let reading = ocr.read(picture, PLENTY).unwrap();
    assert_eq!(reading.unread, []);
    reading.lines
}

#[test]
fn words_and_controls_of_pages_are_found() {
    let ocr = ocr();
    let (mut words, mut controls) = (Score::default(), Score::default());
    // Each of the others is read by another test, too.
    let names = ["gradient.html", "form.html", "chinese.html", "canvas.html"];
    for name in &names[..if is_full() { names.len() } else { 1 }] {
        let page = page(name, 1.0);
        let picture = picture(&page);
        let lines = read(&ocr, &picture);
        let found = (score::words(&page, &lines), score::controls(&page, &shapes(&picture, &lines)));
        println!("{name}: {found:?}");
        assert!(found.0.of >= 20 && found.1.of >= 10, "{name} has too little on it to tell");
        words.add(&found.0);
        controls.add(&found.1);
    }
    assert!(words.share() >= 0.95, "{words:?}");
    assert!(controls.share() >= 0.92, "{controls:?}");
}

#[test]
fn a_picture_of_double_density_is_read_as_well() {
    let (ocr, page) = (ocr(), page("form.html", 2.0));
    assert_eq!((page.width, page.height), (2560, 1600));
    let page = beginning(page, 600);
    let picture = picture(&page);
    let lines = read(&ocr, &picture);
    let (words, controls) = (score::words(&page, &lines), score::controls(&page, &shapes(&picture, &lines)));
    assert!(words.share() >= 0.95, "{words:?}");
    assert!(controls.share() >= 0.92, "{controls:?}");
}

#[test]
fn a_dialog_on_a_canvas_is_told_by_kind_and_text() {
    let (ocr, page) = (ocr(), page("canvas.html", 1.0));
    let picture = picture(&page);
    let shapes = shapes(&picture, &read(&ocr, &picture));
    let at = |x: f64, y: f64| -> Vec<(Kind, &str)> {
        let holds = |s: &&Shape| {
            let r = s.rect;
            s.kind != Kind::Text && x > r.x && x < r.x + r.width && y > r.y && y < r.y + r.height
        };
        shapes.iter().filter(holds).map(|shape| (shape.kind, shape.text.as_str())).collect()
    };
    let expected = [
        (690.0, 227.0, Kind::Input, "quarterly-report"),
        (690.0, 277.0, Kind::Input, ""),
        (600.0, 327.0, Kind::Input, "简体中文"),
        (498.0, 380.0, Kind::Checkbox, "Include charts"),
        (498.0, 414.0, Kind::Checkbox, "Include hidden rows"),
        (498.0, 448.0, Kind::Checkbox, "完成后打开文件"),
        (498.0, 490.0, Kind::Radio, "Portrait"),
        (628.0, 490.0, Kind::Radio, "Landscape"),
        (715.0, 578.0, Kind::Button, "Export"),
        (839.0, 578.0, Kind::Button, "取消"),
        (410.0, 578.0, Kind::Button, "Help"),
    ];
    for (x, y, kind, text) in expected {
        assert_eq!(at(x, y), [(kind, text)], "at {x}, {y}");
    }
}

/// The picture with a part of it shown at another place: a change that is drawn as the page draws.
fn patched(page: &Rendered, from: [u32; 4], to: (u32, u32)) -> Picture {
    let mut rgb = page.rgb.clone();
    let [left, top, width, height] = from;
    for y in 0..height {
        for x in 0..width {
            let at = |x: u32, y: u32| ((y * page.width + x) * 3) as usize;
            let (source, goal) = (at(left + x, top + y), at(to.0 + x, to.1 + y));
            rgb[goal..goal + 3].copy_from_slice(&page.rgb[source..source + 3]);
        }
    }
    Picture::rgb(page.width, page.height, page.scale, rgb).unwrap()
}

fn texts(reading: &Reading) -> Vec<&str> {
    let mut all: Vec<&str> = reading.lines.iter().map(|line| line.text.as_str()).collect();
    all.sort_unstable();
    all
}

#[test]
fn a_second_look_reads_only_what_changed() {
    let (ocr, page) = (ocr(), page("chinese.html", 1.0));
    let before = picture(&page);
    let mut memory = Memory::default();
    let first = memory.look(&ocr, &before, PLENTY).unwrap();
    assert!(first.spent.recognized > 30);

    let again = memory.look(&ocr, &before, PLENTY).unwrap();
    assert_eq!((again.spent.detected_pixels, again.spent.recognized), (0, 0), "nothing changed");
    assert_eq!(again.lines, first.lines);

    // The name of a customer is shown in the place of another.
    let after = patched(&page, [490, 335, 150, 30], (490, 250));
    let second = memory.look(&ocr, &after, PLENTY).unwrap();
    assert!(second.spent.detected_pixels * 4 <= first.spent.detected_pixels, "{:?}", second.spent);
    assert!(second.spent.recognized * 4 <= first.spent.recognized, "{:?}", second.spent);
    if is_full() {
        assert_eq!(texts(&second), texts(&ocr.read(&after, PLENTY).unwrap()), "as if all had been read");
    }
    assert_eq!(texts(&second).iter().filter(|text| text.contains("成都蓝天物流")).count(), 2);

    // Back again, it is known.
    let back = memory.look(&ocr, &before, PLENTY).unwrap();
    assert_eq!(texts(&back), texts(&first));
    assert!(back.spent.recognized <= 3, "{:?}", back.spent);
}

#[test]
fn what_there_is_no_time_for_is_named_and_read_next_time() {
    let (ocr, page) = (ocr(), beginning(page("form.html", 1.0), 300));
    let picture = picture(&page);
    let mut memory = Memory::default();
    let none = memory.look(&ocr, &picture, Budget::of(Duration::ZERO)).unwrap();
    assert_eq!((none.lines.len(), none.spent.detected_pixels), (0, 0));
    assert_eq!(none.unread.iter().map(|r| r.width * r.height).sum::<f64>(), 1280.0 * f64::from(page.height));
    let whole = memory.look(&ocr, &picture, PLENTY).unwrap();
    assert_eq!(whole.unread, []);
    assert_eq!(texts(&whole), texts(&ocr.read(&picture, PLENTY).unwrap()));
}

#[test]
fn odd_pictures_are_read_to_the_end() {
    let ocr = ocr();
    let flat = |width: u32, height: u32, value: u8| {
        Picture::rgb(width, height, 1.0, vec![value; (width * height * 3) as usize]).unwrap()
    };
    for picture in [flat(1, 1, 7), flat(1, 1000, 255), flat(3000, 2, 0), flat(1280, 800, 0)] {
        assert_eq!(read(&ocr, &picture), [], "{} by {}", picture.width(), picture.height());
        assert_eq!(shapes(&picture, &[]), []);
    }
    let noise = (0..300 * 200 * 3_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    let noise = Picture::rgb(300, 200, 1.0, noise).unwrap();
    let lines = read(&ocr, &noise);
    assert!(lines.iter().all(|line| !line.text.trim().is_empty() && (0.0..=1.0).contains(&line.confidence)));
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_page_of_twenty_thousand_pixels_is_read_within_its_budget() {
    let (ocr, page) = (ocr(), page("canvas.html", 1.0));
    // The dialog over and over, below each other.
    let rgb: Vec<u8> = page.rgb.iter().copied().cycle().take(1280 * 20_000 * 3).collect();
    let picture = Picture::rgb(1280, 20_000, 1.0, rgb).unwrap();
    let reading = ocr.read(&picture, Budget::of(Duration::from_secs(1))).unwrap();
    assert!(reading.spent.detected_pixels < 1280 * 20_000 / 2, "25 screens in a second?");
    assert!(!reading.unread.is_empty());
    let within =
        |r: &handeye_scene::Rect| r.x >= 0.0 && r.y >= 0.0 && r.x + r.width <= 1280.0 && r.y + r.height <= 20_000.0;
    assert!(reading.unread.iter().all(within) && reading.lines.iter().all(|line| within(&line.rect)));
}
