//! A part of a surface seen besides the tree. What is seen is merged with the whole tree, and cut to the part after that: what lies
//! beside the part is known by its element, and no place without one.

use crate::perceive::fuse::Fused;
use crate::perceive::overlap::is_place;
use handeye_scene::{Capture, Claim, NativeId, Node, Rect};

/// What is left of claims that were merged with the whole, for a part of it: what a look at it holds, and the place of the element
/// that it is, where it is one.
pub fn cut(fused: Fused, whole: &Capture, (part, place): (&Capture, Option<Rect>)) -> Fused {
    let holds = |anchor: &NativeId| part.nodes.iter().any(|node| node.id == Some(*anchor));
    let bounds = bounds(part, place);
    let is_in = |claim: &Claim| match (claim.element, claim.anchors.is_empty()) {
        // The second tree was asked for the part alone.
        (Some(_), _) => true,
        (None, false) => claim.anchors.iter().all(holds),
        (None, true) => bounds.is_some_and(|bounds| claim.rect.centered_in(&bounds)),
    };
    let there = |of: &Node| part.nodes.iter().position(|n| (n.id, n.kind, n.rect) == (of.id, of.kind, of.rect));
    Fused {
        claims: fused.claims.into_iter().filter(is_in).collect(),
        reads: fused.reads.into_iter().filter_map(|(at, text)| Some((there(&whole.nodes[at])?, text))).collect(),
        unsure: fused.unsure,
    }
}

/// The rectangle around a place and all that a look holds.
fn bounds(part: &Capture, place: Option<Rect>) -> Option<Rect> {
    let all = part.nodes.iter().map(|node| node.rect).chain(place).filter(is_place);
    all.reduce(|a, b| {
        let (x, y) = (a.x.min(b.x), a.y.min(b.y));
        let (right, bottom) = ((a.x + a.width).max(b.x + b.width), (a.y + a.height).max(b.y + b.height));
        Rect::new(x, y, right - x, bottom - y)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::node;
    use handeye_scene::{NodeKind, Source};

    #[test]
    fn a_part_keeps_what_is_in_it() {
        let at = |number, rect: [f64; 4]| Node { rect: rect.into(), ..node(NodeKind::Operable, number, "button", "") };
        let [outside, inside] = [at(1, [0.0, 0.0, 40.0, 20.0]), at(2, [100.0, 100.0, 40.0, 20.0])];
        let id = |node: &Node| node.id.unwrap();
        let place = |x: f64, y: f64| Claim::new(Source::Ocr, "text", format!("{x}"), Rect::new(x, y, 10.0, 10.0));
        let told = |anchors: Vec<NativeId>| Claim {
            anchors,
            ..Claim::new(Source::Structure, "border", "b", Rect::new(0.0, 0.0, 4.0, 4.0))
        };
        let claims = vec![
            place(5.0, 5.0),
            place(110.0, 105.0),
            place(160.0, 105.0),
            told(vec![id(&inside)]),
            told(vec![id(&inside), id(&outside)]),
        ];
        let whole = Capture { nodes: vec![outside.clone(), inside.clone()], ..Capture::default() };
        let part = Capture { nodes: vec![inside.clone()], ..Capture::default() };
        let fused = Fused { claims, reads: vec![(0, "out".into()), (1, "in".into())], unsure: Vec::new() };
        let left = |place| {
            let left = cut(fused.clone(), &whole, (&part, place));
            let names: Vec<String> = left.claims.into_iter().map(|c| c.name).collect();
            (names.join(" "), left.reads)
        };
        assert_eq!(left(None), ("110 b".into(), vec![(0, "in".into())]));
        assert_eq!(left(Some(Rect::new(90.0, 90.0, 100.0, 40.0))).0, "110 160 b");
        let nothing = cut(fused.clone(), &whole, (&Capture::default(), None));
        assert!(nothing.claims.is_empty() && nothing.reads.is_empty());
    }
}
