//! A model that reads the list of elements and infers which handles are not in it (seed 5, phase 9).
//!
//! It says what there is; where that is comes from the elements that it cites. A box that lies at no edge of these is dropped.

use super::answer::{self, Said};
use super::{Asking, filled, kept, unread, version};
use crate::observe::outline::quote;
use crate::perceive::structure::part::{Part, lower_edge, right_edge, shown_parts};
use crate::wording::shown;
use async_trait::async_trait;
use handeye_scene::chat::Part as ChatPart;
use handeye_scene::{Capture, Claim, Claims, ModelRole, NodeKind, Perceiver, Problem, Rect, Sight, Source, Wants};

pub(super) const PROMPT: &str = include_str!("prompts/infer.txt");
/// Elements that the model is told of.
const MOST: usize = 400;
/// Characters of a name that it is told.
const NAME: usize = 60;
/// How far from an edge a box may lie that is said to be at it, in units of the surface.
const AT: f64 = 10.0;
/// Side of a handle at a corner, and width of a splitter, at most.
const HANDLE: f64 = 24.0;
const SPLITTER: f64 = 16.0;
/// What is no target, and has edges that tell of handles.
const PLACES: [&str; 23] = [
    "cell",
    "columnheader",
    "complementary",
    "form",
    "grid",
    "gridcell",
    "group",
    "iframe",
    "list",
    "listitem",
    "main",
    "navigation",
    "region",
    "row",
    "rowheader",
    "scrollbar",
    "separator",
    "table",
    "tabpanel",
    "toolbar",
    "tree",
    "treegrid",
    "treeitem",
];

/// A model that reads the list of elements.
pub struct Inferred<'a> {
    /// Whom to ask.
    pub asking: Asking<'a>,
    /// Letters that nobody can foresee: they stand around what comes from outside.
    pub nonce: String,
}

#[async_trait]
impl Perceiver for Inferred<'_> {
    fn source(&self) -> Source {
        Source::Inferred
    }

    fn wants(&self) -> Wants {
        Wants::default()
    }

    fn prompt(&self) -> Option<&str> {
        Some(version(PROMPT))
    }

    async fn perceive(&self, sight: &Sight<'_>, _known: &[Claim]) -> Result<Claims, Problem> {
        let listed = listed(sight.capture);
        if listed.is_empty() {
            return Ok(Claims::default());
        }
        let fence = format!("=====data {}=====", self.nonce);
        let lines: Vec<String> = listed.iter().zip(1..).map(|(part, number)| line(part, number)).collect();
        let text = filled(PROMPT, &[("{fence}", &fence), ("{elements}", &lines.join("\n"))]);
        let answer = self.asking.ask(ModelRole::Infer, vec![ChatPart::Text { text }]).await?;
        let boxes = answer::boxes(&answer.text).ok_or_else(|| unread(&answer))?;
        Ok(kept(boxes, "lie at no edge of the elements they were told from", |said| claim(&listed, said)))
    }
}

/// What the model is told of: what can be operated, and what has edges that tell of handles.
fn listed(capture: &Capture) -> Vec<Part<'_>> {
    let told = |part: &Part| part.node.kind == NodeKind::Operable || PLACES.contains(&part.node.role.as_str());
    shown_parts(capture).filter(told).take(MOST).collect()
}

/// An element in a line that can't end its fence.
fn line(part: &Part, number: usize) -> String {
    let name = quote(&part.node.name, NAME).replace("=====", "==");
    let r = part.rect();
    format!(
        "[{number}] {} {name} rect=[{:.0}, {:.0}, {:.0}, {:.0}]",
        part.node.role,
        r.x,
        r.y,
        part.right(),
        part.bottom()
    )
}

/// What is said, at the edge of the elements that it cites; none where it lies at no edge of theirs.
fn claim(listed: &[Part], said: &Said) -> Option<Claim> {
    let [left, top, right, bottom] = said.sides?;
    let rect = Rect::new(left, top, right - left, bottom - top);
    let cited = |n: &u64| listed.get(usize::try_from(*n).ok()?.checked_sub(1)?).copied();
    let anchors: Vec<Part> = said.anchors.iter().map(cited).collect::<Option<_>>()?;
    let role = said.role.trim().to_lowercase().replace(['_', '-'], " ");
    let (role, rect, at) = match role.as_str() {
        "column border" => {
            let at = nearest(&anchors, |part| (part.right() - rect.center().x).abs())?;
            ("column border", right_edge(at.right(), at.rect().y, at.rect().height), at)
        }
        "row border" => {
            let at = nearest(&anchors, |part| (part.bottom() - rect.center().y).abs())?;
            ("row border", lower_edge(at.rect().x, at.bottom(), at.rect().width), at)
        }
        "resize handle" => {
            let corner = |part: &Part| (part.right() - right).abs().max((part.bottom() - bottom).abs());
            let at = nearest(&anchors, corner).filter(|_| rect.width <= HANDLE && rect.height <= HANDLE)?;
            ("resize handle", rect, at)
        }
        "splitter" => {
            let at = nearest(&anchors, |part| beside(part, &rect))?;
            ("splitter", (rect.width.min(rect.height) <= SPLITTER).then(|| along(&anchors, rect))?, at)
        }
        _ => return None,
    };
    Some(Claim {
        // What it isn't sure of, it says; what it doesn't say, it isn't sure of.
        confidence: said.confidence.unwrap_or(0.0),
        reason: Some(format!("a model tells it from {}", at.called())),
        anchors: anchors.iter().map(|part| part.id).collect(),
        ..Claim::new(Source::Inferred, role, shown::line(&said.name, NAME), rect)
    })
}

/// A splitter as long as all of its elements reach beside each other.
fn along(anchors: &[Part], rect: Rect) -> Rect {
    let is_upright = rect.height >= rect.width;
    let (mut from, mut to) = if is_upright { (rect.y, rect.y + rect.height) } else { (rect.x, rect.x + rect.width) };
    for part in anchors {
        let (first, last) = if is_upright { (part.rect().y, part.bottom()) } else { (part.rect().x, part.right()) };
        (from, to) = (from.max(first), to.min(last));
    }
    match is_upright {
        true => Rect::new(rect.x, from, rect.width, to - from),
        false => Rect::new(from, rect.y, to - from, rect.height),
    }
}

/// The element that is nearest by `far`, if it is near enough.
fn nearest<'a>(anchors: &[Part<'a>], far: impl Fn(&Part) -> f64) -> Option<Part<'a>> {
    let near = anchors.iter().filter(|part| far(part) <= AT);
    near.min_by(|a, b| far(a).total_cmp(&far(b))).copied()
}

/// How far a box is from lying along an edge of an element.
fn beside(part: &Part, rect: &Rect) -> f64 {
    let r = part.rect();
    let middle = rect.center();
    let along = |from: f64, to: f64, own_from: f64, own_to: f64| from < own_to && to > own_from;
    let upright = along(rect.y, rect.y + rect.height, r.y, part.bottom());
    let level = along(rect.x, rect.x + rect.width, r.x, part.right());
    let to = |is_beside: bool, edges: [f64; 2], at: f64| match is_beside {
        true => edges.map(|edge| (edge - at).abs()).into_iter().fold(f64::INFINITY, f64::min),
        false => f64::INFINITY,
    };
    match rect.height >= rect.width {
        true => to(upright, [r.x, part.right()], middle.x),
        false => to(level, [r.y, part.bottom()], middle.y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::node;

    /// Two headers side by side and two panes with a gap of 8 between, numbered as listed.
    fn capture() -> Capture {
        let mut nodes = Vec::new();
        for (role, name, rect) in [
            ("columnheader", "Name", Rect::new(10.0, 10.0, 100.0, 20.0)),
            ("columnheader", "Size", Rect::new(110.0, 10.0, 60.0, 20.0)),
            ("region", "Left", Rect::new(0.0, 100.0, 200.0, 300.0)),
            ("region", "Right", Rect::new(208.0, 100.0, 200.0, 300.0)),
            ("paragraph", "Text", Rect::new(0.0, 500.0, 200.0, 20.0)),
        ] {
            let number = nodes.len() as u32 + 1;
            nodes.push(handeye_scene::Node { rect, ..node(NodeKind::Item, number, role, name) });
        }
        Capture { nodes, ..Capture::default() }
    }

    fn said(role: &str, sides: [f64; 4], anchors: &[u64]) -> Said {
        Said {
            role: role.into(),
            sides: Some(sides),
            anchors: anchors.to_vec(),
            confidence: Some(0.8),
            ..Said::default()
        }
    }

    #[test]
    fn the_model_is_told_of_what_has_edges() {
        let capture = capture();
        let lines: Vec<String> = listed(&capture).iter().zip(1..).map(|(p, n)| line(p, n)).collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[1], "[2] columnheader \"Size\" rect=[110, 10, 170, 30]");
    }

    #[test]
    fn what_is_inferred_lies_where_its_anchors_say() {
        let capture = capture();
        let listed = listed(&capture);
        for (role, sides, anchors, rect) in [
            ("column border", [108.0, 11.0, 115.0, 25.0], &[1][..], Some(right_edge(110.0, 10.0, 20.0))),
            ("Column_Border", [168.0, 10.0, 172.0, 30.0], &[1, 2], Some(right_edge(170.0, 10.0, 20.0))),
            ("row border", [10.0, 28.0, 110.0, 32.0], &[1], Some(lower_edge(10.0, 30.0, 100.0))),
            ("resize handle", [190.0, 390.0, 200.0, 400.0], &[3], Some(Rect::new(190.0, 390.0, 10.0, 10.0))),
            ("splitter", [200.0, 100.0, 208.0, 400.0], &[3, 4], Some(Rect::new(200.0, 100.0, 8.0, 300.0))),
            ("splitter", [200.0, 50.0, 208.0, 1500.0], &[3, 4], Some(Rect::new(200.0, 100.0, 8.0, 300.0))),
            // Far from any edge, of nothing, of what isn't listed, too thick, of another kind.
            ("column border", [60.0, 10.0, 64.0, 30.0], &[1], None),
            ("column border", [108.0, 10.0, 112.0, 30.0], &[], None),
            ("column border", [108.0, 10.0, 112.0, 30.0], &[9], None),
            ("column border", [108.0, 10.0, 112.0, 30.0], &[0], None),
            ("resize handle", [100.0, 300.0, 200.0, 400.0], &[3], None),
            ("splitter", [180.0, 100.0, 230.0, 400.0], &[3, 4], None),
            ("splitter", [200.0, 500.0, 208.0, 600.0], &[3, 4], None),
            ("button", [200.0, 100.0, 208.0, 400.0], &[3, 4], None),
        ] {
            let claim = claim(&listed, &said(role, sides, anchors));
            assert_eq!(claim.as_ref().map(|c| c.rect), rect, "{role} {sides:?} {anchors:?}");
            if let Some(claim) = claim {
                assert_eq!(claim.anchors.len(), anchors.len());
                assert_eq!((claim.source, claim.confidence), (Source::Inferred, 0.8));
            }
        }
        assert_eq!(
            claim(&listed, &Said { confidence: None, ..said("row border", [10.0, 28.0, 110.0, 32.0], &[1]) })
                .unwrap()
                .confidence,
            0.0
        );
    }
}
