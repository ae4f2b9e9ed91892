//! Borders in the headers of spreadsheets, which aren't in their trees: the cells tell where the borders are, and the scroll bars,
//! which reach along the headers, how far these reach.

use super::borders::TABLES;
use super::part::{Part, claim, lower_edge, parts, right_edge};
use handeye_scene::{Capture, Claim};

const HEADERS: [&str; 2] = ["columnheader", "rowheader"];
const CELLS: [&str; 2] = ["gridcell", "cell"];
/// How far a scroll bar may be from what it scrolls.
const BESIDE: f64 = 24.0;
/// Height of the headers above the cells, and width of those before them, at least and at most.
const STRIP: (f64, f64) = (6.0, 90.0);
/// A cell that ends so close to the table's end is cut off there, and its own end is out of sight.
const CUT: f64 = 2.0;
/// How many borders are told of each kind.
const MOST: usize = 100;

pub(super) fn claims(capture: &Capture) -> Vec<Claim> {
    let mut found = Vec::new();
    for table in parts(capture, &TABLES) {
        let inside = |part: &Part| super::part::around(capture, part.at, &TABLES) == Some(table.at);
        if parts(capture, &HEADERS).any(|part| inside(&part)) {
            continue;
        }
        let cells: Vec<Part> = parts(capture, &CELLS).filter(inside).collect();
        let (Some(left), Some(top)) = (least(&cells, |c| c.rect().x), least(&cells, |c| c.rect().y)) else { continue };
        let bars: Vec<Part> = parts(capture, &["scrollbar"]).collect();
        if let Some(bar) = bars.iter().find(|bar| reaches_above(bar, &table, top)) {
            let first =
                cells.iter().filter(|cell| cell.rect().y - top < 1.0 && table.right() - cell.right() > CUT).take(MOST);
            found.extend(first.map(|cell| column(cell, bar, top)));
        }
        if let Some(bar) = bars.iter().find(|bar| reaches_before(bar, &table, left)) {
            let first = cells
                .iter()
                .filter(|cell| cell.rect().x - left < 1.0 && table.bottom() - cell.bottom() > CUT)
                .take(MOST);
            found.extend(first.map(|cell| row(cell, bar, left)));
        }
    }
    found
}

fn least(cells: &[Part], side: impl Fn(&Part) -> f64) -> Option<f64> {
    cells.iter().map(side).min_by(f64::total_cmp)
}

/// Whether an upright scroll bar at the right of a table begins above its cells.
fn reaches_above(bar: &Part, table: &Part, top: f64) -> bool {
    let r = bar.rect();
    let strip = top - r.y;
    r.height > r.width
        && (r.x - table.right()).abs() <= BESIDE
        && strip >= STRIP.0
        && strip <= STRIP.1
        && bar.bottom() > top
}

/// Whether a level scroll bar below a table begins before its cells.
fn reaches_before(bar: &Part, table: &Part, left: f64) -> bool {
    let r = bar.rect();
    let strip = left - r.x;
    r.width > r.height
        && (r.y - table.bottom()).abs() <= BESIDE
        && strip >= STRIP.0
        && strip <= STRIP.1
        && bar.right() > left
}

fn column(cell: &Part, bar: &Part, top: f64) -> Claim {
    let rect = right_edge(cell.right(), bar.rect().y, top - bar.rect().y);
    let name = cell.node.name.trim_end_matches(|c: char| c.is_ascii_digit());
    let reason = format!("right edge of {}, in the header above", cell.called());
    claim(("column border", format!("right of {name}")), rect, 0.85, &[*cell], reason)
}

fn row(cell: &Part, bar: &Part, left: f64) -> Claim {
    let rect = lower_edge(bar.rect().x, cell.bottom(), left - bar.rect().x);
    let name = cell.node.name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let reason = format!("lower edge of {}, in the header before it", cell.called());
    claim(("row border", format!("below {name}")), rect, 0.85, &[*cell], reason)
}
