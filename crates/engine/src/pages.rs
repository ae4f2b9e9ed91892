//! A long list, a page at a time.

use crate::see::Row;
use handeye_scene::{Code, Page, Problem};

/// Keeps the rows of one page, from 1, of pages that hold as many lines as `budget` characters take, at least one each. None: it
/// can't be told before more is read; all rows are kept.
pub(crate) fn page(rows: &mut Vec<Row>, number: usize, budget: usize) -> Result<Option<Page>, Problem> {
    let read = rows.iter().position(|row| row.left > 0).unwrap_or(rows.len());
    let mut starts = vec![0];
    let mut used = 0_usize;
    for (i, row) in rows[..read].iter().enumerate() {
        if used > 0 && used.saturating_add(row.cost) > budget {
            starts.push(i);
            used = 0;
        }
        used = used.saturating_add(row.cost);
    }
    let about = read < rows.len();
    // The last page that begins in what was read goes on in what was not.
    if about && number >= starts.len() {
        return Ok(None);
    }
    let of = if about { starts.len() - 1 + pages_left(rows, read, used, budget) } else { starts.len() };
    let Some(start) = number.checked_sub(1).and_then(|n| starts.get(n).copied()) else {
        let pages = if of == 1 { "is 1 page".to_owned() } else { format!("are {of} pages") };
        return Err(Problem::new(Code::BadRequest, format!("there is no page {number}: there {pages}")));
    };
    let end = starts.get(number).copied().unwrap_or(rows.len());
    rows.truncate(end);
    rows.drain(..start);
    Ok(Some(Page { number, of, about }))
}

/// How many pages what was not read will take, by what the rest does, with the `used` characters that stand before it.
fn pages_left(rows: &[Row], read: usize, used: usize, budget: usize) -> usize {
    let cost = |rows: &[Row]| rows.iter().map(|row| row.cost).sum::<usize>();
    let left: usize = rows[read..].iter().map(|row| row.left).sum();
    let targets = rows[..read].iter().filter(|row| row.number.is_some()).count();
    let around = cost(&rows[..read]).saturating_mul(left) / targets.max(1);
    (used + around + cost(&rows[read..])).div_ceil(budget.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(costs: &[usize]) -> Vec<Row> {
        costs.iter().enumerate().map(|(node, cost)| Row::sample(node, *cost)).collect()
    }

    #[test]
    fn a_page_is_cut_where_its_characters_end() {
        let mut some = rows(&[40, 40, 40, 90, 5]);
        let page = page(&mut some, 2, 100).unwrap().unwrap();
        assert_eq!((page.number, page.of, page.about), (2, 3, false));
        assert_eq!(some.iter().map(|row| row.node).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn what_was_left_unread_is_on_later_pages() {
        let mut list = rows(&[50; 6]);
        for (row, number) in list.iter_mut().zip(1..) {
            row.number = Some(handeye_scene::NativeId(number));
        }
        list[4].left = 10;
        let mut first = list.clone();
        let one = page(&mut first, 1, 100).unwrap().unwrap();
        assert_eq!((one.number, one.of, one.about), (1, 8, true));
        assert_eq!(first.len(), 2);
        // The second page may go on in what wasn't read.
        assert_eq!(page(&mut list, 2, 100).unwrap(), None);
        assert_eq!(list.len(), 6);
        assert_eq!(page(&mut list, 9, 100).unwrap(), None);
    }
}
