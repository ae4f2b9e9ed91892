//! A long list, a page at a time.

use crate::observe::view::OutlineRow;
use handeye_scene::{Code, Page, Problem};

/// Keeps the rows of one page, from 1, of pages that hold as many lines as `budget` characters take, at least one each.
pub(crate) fn page(rows: &mut Vec<OutlineRow>, number: usize, budget: usize) -> Result<Page, Problem> {
    let mut starts = vec![0];
    let mut used = 0_usize;
    for (i, row) in rows.iter().enumerate() {
        if used > 0 && used.saturating_add(row.cost) > budget {
            starts.push(i);
            used = 0;
        }
        used = used.saturating_add(row.cost);
    }
    let of = starts.len();
    let Some(start) = number.checked_sub(1).and_then(|n| starts.get(n).copied()) else {
        let pages = if of == 1 { "is 1 page".to_owned() } else { format!("are {of} pages") };
        return Err(Problem::new(Code::BadRequest, format!("there is no page {number}: there {pages}")));
    };
    let end = starts.get(number).copied().unwrap_or(rows.len());
    rows.truncate(end);
    rows.drain(..start);
    Ok(Page { number, of })
}
