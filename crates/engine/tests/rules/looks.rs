//! What is the same to the eye: buttons at rest and pointed to, and others, as Chromium draws them on a canvas.

use handeye_engine::perceive::likeness::is_alike;
use handeye_engine::perceive::pixels::decode;
use handeye_scene::{Picture, Point, Rect, Shot};
use handeye_testkit::trials;
use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/looks");
/// How large a button with its ground is.
const CELL: (f64, f64) = (132.0, 36.0);
/// How large each sheet is: of the one at twice the pixels, the beginning.
const SHEETS: [(f64, f64); 2] = [(1056.0, 4032.0), (1056.0, 720.0)];

fn sheet(scale: u32) -> Picture {
    let bytes = std::fs::read(Path::new(FOLDER).join(format!("sheet-{scale}.png"))).unwrap();
    let (width, height) = SHEETS[scale as usize - 1];
    let area = Rect::new(0.0, 0.0, width, height);
    decode(&Shot { bytes, scale: f64::from(scale), area }).unwrap()
}

/// A part of the sheet, as a picture of the same place.
fn cell(sheet: &Picture, at: (f64, f64)) -> Picture {
    let rect = Rect::new(at.0, at.1, CELL.0, CELL.1);
    let rgba: Vec<u8> = sheet.rows(rect).unwrap().flatten().copied().collect();
    let size = ((CELL.0 * sheet.scale()) as u32, (CELL.1 * sheet.scale()) as u32);
    Picture::new(size, rgba, sheet.scale(), Point::new(0.0, 0.0)).unwrap()
}

#[test]
fn a_button_that_is_pointed_to_is_the_same_and_one_that_says_something_else_is_not() {
    let pairs: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(Path::new(FOLDER).join("pairs.json")).unwrap()).unwrap();
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let sheets = [1, 2].map(sheet);
    let mut wrong = Vec::new();
    // Of what takes long, every so many are tried, and all of it where all is to be tried.
    for (scale, of, every) in [(1, "line", 3), (1, "button", 29), (2, "line", 11), (2, "button", 61)] {
        let sheet = &sheets[scale - 1];
        for pair in pairs.iter().step_by(trials(every, 1).max(1)) {
            if (0..2).any(|i| number(&pair["at"][i][1]) + CELL.1 > sheet.area().height) {
                continue;
            }
            let alike = pair["alike"].as_bool().unwrap();
            let (word, align, what) = (pair["of"].as_str().unwrap(), &pair["align"], pair["what"].as_str().unwrap());
            // Corners of twice the radius may be refused.
            if what == "bordered, round" && of == "button" {
                continue;
            }
            // Where a word stays as it is and another comes after or before it, that is beside its line.
            let says = what.trim_start_matches("it says ").split(',').next().unwrap_or_default();
            if of == "line"
                && !alike
                && (align == "left" && says.starts_with(word) || align == "right" && says.ends_with(word))
            {
                continue;
            }
            let [one, other] = [0, 1].map(|i| cell(sheet, (number(&pair["at"][i][0]), number(&pair["at"][i][1]))));
            let corner = (number(&pair["at"][0][0]), number(&pair["at"][0][1]));
            let [x, y, width, height] = [0, 1, 2, 3].map(|i| number(&pair["line"][i]));
            let part = match of {
                "line" => Rect::new(x - corner.0, y - corner.1, width, height),
                _ => Rect::new(0.0, 0.0, CELL.0, CELL.1),
            };
            if is_alike(&one, &other, part) != alike {
                wrong.push(format!("{of} at {scale}: {word} {align} {what}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
