//! A document as the page script writes it: numbers and words in the order of the nodes, see `page/capture.js`.

use crate::capture::{Look, Row};
use handeye_scene::{Extra, NodeKind, Rect};
use serde::Deserialize;

const NAMED: i64 = 4;
const VALUED: i64 = 8;
const MORE: i64 = 16;
const LINKED: i64 = 32;
const TYPED: i64 = 64;
/// Where the role's place among the terms begins.
const ROLE_AT: i64 = 128;
/// Parts of a pixel.
const HUNDRED: f64 = 100.0;

/// What `capture` of the page script answers.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Told {
    url: String,
    title: String,
    width: f64,
    height: f64,
    #[serde(default)]
    hosts: Vec<u32>,
    #[serde(default)]
    rows_left: bool,
    address: Option<String>,
    terms: Vec<String>,
    numbers: Vec<i64>,
    words: Vec<String>,
    more: Vec<Extra>,
}

impl TryFrom<Told> for Look {
    type Error = &'static str;

    fn try_from(told: Told) -> Result<Self, Self::Error> {
        let Told { url, title, width, height, hosts, rows_left, address, terms, numbers, words, more } = told;
        let mut from = Unpacking {
            address: address.unwrap_or_default(),
            terms,
            numbers: numbers.into_iter(),
            words: words.into_iter(),
            more: more.into_iter(),
            last: 0,
        };
        let mut nodes = Vec::new();
        while let Some(flags) = from.numbers.next() {
            let row = from.row(flags, nodes.len()).ok_or("it tells of more than it holds")?;
            nodes.push(row);
        }
        Ok(Look { url, title, width, height, hosts, rows_left, nodes })
    }
}

struct Unpacking {
    address: String,
    terms: Vec<String>,
    numbers: std::vec::IntoIter<i64>,
    words: std::vec::IntoIter<String>,
    more: std::vec::IntoIter<Extra>,
    last: i64,
}

impl Unpacking {
    fn row(&mut self, flags: i64, place: usize) -> Option<Row> {
        let n = self.number()?;
        let parent = match usize::try_from(self.numbers.next()?).ok()? {
            0 => None,
            back => Some(place.checked_sub(back)?),
        };
        let states = u32::try_from(self.numbers.next()?).ok()?;
        let rect = Rect::new(self.px()?, self.px()?, self.px()?, self.px()?);
        let kind = match flags % 4 {
            0 => NodeKind::Text,
            1 => NodeKind::Item,
            3 => NodeKind::Frame,
            _ => NodeKind::Operable,
        };
        let mut extra = Extra::default();
        if flags & TYPED != 0 {
            let term = self.numbers.next()?;
            extra.kind = Some(self.term(term)?);
        }
        let role = self.term(flags / ROLE_AT)?;
        let name = if flags & NAMED != 0 { self.words.next()? } else { String::new() };
        let value = if flags & VALUED != 0 { Some(self.words.next()?) } else { None };
        if flags & LINKED != 0 {
            let link = self.words.next()?;
            extra.href = Some(if link.starts_with('#') { format!("{}{link}", self.address) } else { link });
        } else if flags & MORE != 0 {
            extra = self.more.next()?;
        }
        Some(Row { n, parent, kind, role, name, value, states, rect, extra })
    }

    /// An element's number; 0 for none.
    fn number(&mut self) -> Option<u32> {
        let step = self.numbers.next()?;
        if step == 0 {
            return Some(0);
        }
        self.last = self.last.checked_add(step)?.checked_add(i64::from(step < 0))?;
        u32::try_from(self.last).ok()
    }

    fn px(&mut self) -> Option<f64> {
        #[allow(clippy::cast_precision_loss, reason = "a page is not so large")]
        self.numbers.next().map(|n| n as f64 / HUNDRED)
    }

    fn term(&self, at: i64) -> Option<String> {
        self.terms.get(usize::try_from(at).ok()?).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(nodes: &str) -> Result<Look, serde_json::Error> {
        serde_json::from_str(&format!(
            r#"{{"url":"u","title":"t","width":10,"height":20,"address":"http://a/",{nodes}}}"#
        ))
    }

    #[test]
    fn nodes_are_read_as_they_were_written() {
        let look = look(
            r##""terms":["row","link","checkbox","button"],"more":[{"title":"T"}],
            "words":["Name","#x","On","B","v"],
            "numbers":[1,7,0,0, 0,0,0,0, 166,1,1,2048, 8438,-50,100,0, 326,-2,2,2, 0,0,0,0,2, 414,3,0,0, 0,0,0,0]"##,
        )
        .unwrap();
        let [row, link, checkbox, button] = &look.nodes[..] else { panic!("{:?}", look.nodes) };
        assert_eq!((row.n, row.parent, row.kind, row.name.as_str()), (7, None, NodeKind::Item, ""));
        assert_eq!((link.n, link.parent, link.role.as_str(), link.states), (8, Some(0), "link", 2048));
        assert_eq!(link.rect, Rect::new(84.38, -0.5, 1.0, 0.0));
        assert_eq!(link.extra.href.as_deref(), Some("http://a/#x"));
        assert_eq!((checkbox.n, checkbox.parent, checkbox.extra.kind.as_deref()), (7, Some(0), Some("checkbox")));
        assert_eq!((button.n, button.value.as_deref(), button.extra.title.as_deref()), (10, Some("v"), Some("T")));
        assert_eq!(button.kind, NodeKind::Operable);
    }

    #[test]
    fn what_holds_less_than_it_tells_is_refused() {
        let check = |nodes: &str| assert!(look(nodes).is_err(), "{nodes}");
        check(r#""terms":["row"],"more":[],"words":[],"numbers":[1,7,0]"#);
        check(r#""terms":[],"more":[],"words":[],"numbers":[1,7,0,0,0,0,0,0]"#);
        check(r#""terms":["row"],"more":[],"words":[],"numbers":[5,7,0,0,0,0,0,0]"#);
        check(r#""terms":["row"],"more":[],"words":[],"numbers":[1,7,1,0,0,0,0,0]"#);
        check(r#""terms":["row"],"more":[],"words":[],"numbers":[1,-7,0,0,0,0,0,0]"#);
    }
}
