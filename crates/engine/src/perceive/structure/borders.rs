//! Borders of columns and rows, from the headers of tables.

use super::part::{Part, around, claim, lower_edge, parts, right_edge};
use handeye_scene::{Capture, Claim};

/// What holds rows and columns.
pub(super) const TABLES: [&str; 3] = ["table", "grid", "treegrid"];
/// Those whose rows are often made higher; rows of plain tables hardly ever.
const GRIDS: [&str; 2] = ["grid", "treegrid"];
/// A header narrower or lower than this has no room for a border besides itself.
const LEAST: f64 = 8.0;

pub(super) fn claims(capture: &Capture) -> Vec<Claim> {
    let columns = headers(capture, "columnheader", |h| h.rect().width).map(|header| {
        let rect = right_edge(header.right(), header.rect().y, header.rect().height);
        let reason = format!("right edge of {}", header.called());
        claim(("column border", format!("right of {}", said(&header))), rect, 0.9, &[header], reason)
    });
    let rows = headers(capture, "rowheader", |h| h.rect().height).filter(|h| around(capture, h.at, &GRIDS).is_some());
    let rows = rows.map(|header| {
        let rect = lower_edge(header.rect().x, header.bottom(), header.rect().width);
        let reason = format!("lower edge of {}", header.called());
        claim(("row border", format!("below {}", said(&header))), rect, 0.7, &[header], reason)
    });
    columns.chain(rows).collect()
}

fn headers<'a>(
    capture: &'a Capture,
    role: &'static str,
    side: impl Fn(&Part) -> f64 + 'a,
) -> impl Iterator<Item = Part<'a>> {
    // A header is some table's: what is called so elsewhere separates nothing.
    let nodes = parts(capture, if role == "rowheader" { &["rowheader"] } else { &["columnheader"] });
    nodes
        .filter(move |h| side(h) >= LEAST && (capture.surface == "desktop" || around(capture, h.at, &TABLES).is_some()))
}

fn said(header: &Part) -> String {
    let name = header.node.name.trim();
    if name.is_empty() { "a column without a name".to_owned() } else { name.to_owned() }
}
