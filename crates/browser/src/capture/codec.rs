//! A document as the page script writes it: numbers and words in the order of the nodes, see `page/capture/codec.js`.

use super::raw::{Look, Row};
use crate::protocol::json::parse;
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

/// What stands for nodes that were told before.
const RUN: i64 = -1;

/// What `capture` of the page script answers.
#[derive(Debug)]
pub(crate) enum Answer {
    /// That the look of this token holds.
    Kept(u32),
    Told(Box<Told>),
}

#[derive(Deserialize)]
struct KeptAnswer {
    kept: u32,
}

impl Answer {
    pub(crate) fn read(text: &str) -> Result<Self, serde_json::Error> {
        if text.starts_with(r#"{"kept":"#) {
            return parse(text).map(|KeptAnswer { kept }| Answer::Kept(kept));
        }
        parse(text).map(|told| Answer::Told(Box::new(told)))
    }
}

/// A look, as it is told.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Told {
    /// By what the script knows it; 0: it doesn't keep it.
    #[serde(default)]
    pub(crate) token: u32,
    /// The look that nodes of it are taken from; 0: none.
    #[serde(default)]
    pub(crate) base: u32,
    url: String,
    title: String,
    width: f64,
    height: f64,
    scale: f64,
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

impl Told {
    /// The look; `base` is the one that nodes of it are taken from.
    pub(crate) fn look(self, base: &[Row]) -> Result<Look, &'static str> {
        let Told { url, title, width, height, scale, hosts, rows_left, address, terms, numbers, words, more, .. } =
            self;
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
            if flags == RUN {
                from.run(base, &mut nodes).ok_or("it tells of what wasn't told before")?;
            } else {
                let row = from.row(flags, nodes.len()).ok_or("it tells of more than it holds")?;
                nodes.push(row);
            }
        }
        Ok(Look { url, title, width, height, scale, hosts, rows_left, nodes })
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
    /// Nodes as they stand in another look, elsewhere.
    fn run(&mut self, base: &[Row], nodes: &mut Vec<Row>) -> Option<()> {
        let first = usize::try_from(self.numbers.next()?).ok()?;
        let count = usize::try_from(self.numbers.next()?).ok()?;
        let start = nodes.len();
        let outside = match usize::try_from(self.numbers.next()?).ok()? {
            0 => None,
            back => Some(start.checked_sub(back)?),
        };
        let (x, y) = (self.px()?, self.px()?);
        for row in base.get(first..first.checked_add(count)?)? {
            let inside = row.parent.filter(|p| *p >= first).map(|p| p - first + start);
            let rect = Rect { x: hundredths(row.rect.x + x), y: hundredths(row.rect.y + y), ..row.rect };
            nodes.push(Row { parent: inside.or(outside), rect, ..row.clone() });
        }
        Some(())
    }

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
        let mut extra = None;
        if flags & TYPED != 0 {
            let term = self.numbers.next()?;
            extra = Some(Extra { kind: Some(self.term(term)?), ..Extra::default() });
        }
        let role = self.term(flags / ROLE_AT)?;
        let name = if flags & NAMED != 0 { self.words.next()? } else { String::new() };
        let value = if flags & VALUED != 0 { Some(self.words.next()?) } else { None };
        if flags & LINKED != 0 {
            let link = self.words.next()?;
            let href = Some(if link.starts_with('#') { format!("{}{link}", self.address) } else { link });
            extra = Some(Extra { href, ..Extra::default() });
        } else if flags & MORE != 0 {
            extra = Some(self.more.next()?);
        }
        Some(Row { n, parent, kind, role, name, value, states, rect, extra: extra.map(Box::new) })
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

/// A length as it would be told.
fn hundredths(px: f64) -> f64 {
    (px * HUNDRED).round() / HUNDRED
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(nodes: &str, base: &[Row]) -> Result<Look, &'static str> {
        let text =
            format!(r#"{{"url":"u","title":"t","width":10,"height":20,"scale":1,"address":"http://a/",{nodes}}}"#);
        match Answer::read(&text).map_err(|_| "unreadable")? {
            Answer::Told(told) => told.look(base),
            Answer::Kept(_) => panic!("{text}"),
        }
    }

    #[test]
    fn nodes_are_read_as_they_were_written() {
        let look = look(
            r##""terms":["row","link","checkbox","button"],"more":[{"title":"T"}],
            "words":["Name","#x","On","B","v"],
            "numbers":[1,7,0,0, 0,0,0,0, 166,1,1,2048, 8438,-50,100,0, 326,-2,2,2, 0,0,0,0,2, 414,3,0,0, 0,0,0,0]"##,
            &[],
        )
        .unwrap();
        let [row, link, checkbox, button] = &look.nodes[..] else { panic!("{:?}", look.nodes) };
        assert_eq!((row.n, row.parent, row.kind, row.name.as_str()), (7, None, NodeKind::Item, ""));
        assert_eq!((link.n, link.parent, link.role.as_str(), link.states), (8, Some(0), "link", 2048));
        assert_eq!(link.rect, Rect::new(84.38, -0.5, 1.0, 0.0));
        let extra = |row: &Row| row.extra.as_deref().cloned().unwrap();
        assert_eq!(extra(link).href.as_deref(), Some("http://a/#x"));
        assert_eq!((checkbox.n, checkbox.parent, extra(checkbox).kind.as_deref()), (7, Some(0), Some("checkbox")));
        assert_eq!((button.n, button.value.as_deref(), extra(button).title.as_deref()), (10, Some("v"), Some("T")));
        assert_eq!(button.kind, NodeKind::Operable);
    }

    #[test]
    fn what_holds_less_than_it_tells_is_refused() {
        let check = |nodes: &str| assert!(look(nodes, &[]).is_err(), "{nodes}");
        check(r#""terms":["row"],"more":[],"words":[],"numbers":[1,7,0]"#);
        check(r#""terms":[],"more":[],"words":[],"numbers":[1,7,0,0,0,0,0,0]"#);
        check(r#""terms":["row"],"more":[],"words":[],"numbers":[5,7,0,0,0,0,0,0]"#);
        check(r#""terms":["row"],"more":[],"words":[],"numbers":[1,7,1,0,0,0,0,0]"#);
        check(r#""terms":["row"],"more":[],"words":[],"numbers":[1,-7,0,0,0,0,0,0]"#);
    }

    #[test]
    fn nodes_told_before_are_taken_from_there() {
        let row = |n: u32, parent: Option<usize>, y: f64| Row {
            n,
            parent,
            kind: NodeKind::Item,
            role: "row".into(),
            name: format!("Row {n}"),
            value: None,
            states: 0,
            rect: Rect::new(1.0, y, 2.0, 3.0),
            extra: None,
        };
        let base = [row(1, None, 0.0), row(2, Some(0), 10.0), row(3, Some(1), 10.0), row(4, Some(0), 20.0)];
        let told =
            r#""terms":["list"],"more":[],"words":[],"numbers":[1,0,0,0,0,0,0,0, 1,9,0,0,0,0,0,0, -1,1,3,1,0,150]"#;
        let taken = look(told, &base).unwrap().nodes;
        let seen: Vec<_> = taken.iter().map(|r| (r.n, r.parent, r.name.as_str(), r.rect.y)).collect();
        assert_eq!(
            seen,
            [
                (0, None, "", 0.0),
                (9, None, "", 0.0),
                (2, Some(1), "Row 2", 11.5),
                (3, Some(2), "Row 3", 11.5),
                (4, Some(1), "Row 4", 21.5)
            ]
        );
        for wrong in ["-1,2,3,0,0,0", "-1,0,1,1,0,0", "-1,0,1,0,0", "-1,-1,1,0,0,0"] {
            let told = format!(r#""terms":["list"],"more":[],"words":[],"numbers":[{wrong}]"#);
            assert!(look(&told, &base).is_err(), "{wrong}");
        }
    }
}
