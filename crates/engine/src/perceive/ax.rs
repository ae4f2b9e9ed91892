//! The browser's accessibility tree as a second perceiver: what it tells of that the page's script doesn't see.
//!
//! Both name an element the same, so what it tells is merged by identity: an element that the script sees is the script's,
//! and one that it doesn't see becomes a target like any other, with its own handle. Inside of controls that the browser draws
//! itself (a player's buttons, the parts of a date) is what it is for.

use async_trait::async_trait;
use handeye_scene::{Capture, Claim, Claims, Node, NodeKind, Perceiver, Problem, Sight, Source, Wants};
use std::collections::HashMap;

/// The browser's accessibility tree.
#[derive(Debug, Clone, Copy, Default)]
pub struct AxTree;

#[async_trait]
impl Perceiver for AxTree {
    fn source(&self) -> Source {
        Source::Ax
    }

    fn wants(&self) -> Wants {
        Wants { pixels: false, ax: true }
    }

    async fn perceive(&self, sight: &Sight<'_>, _known: &[Claim]) -> Result<Claims, Problem> {
        Ok(sight.ax.map(claims).unwrap_or_default().into())
    }
}

/// Every operable element of the tree.
fn claims(ax: &Capture) -> Vec<Claim> {
    let operable = ax.nodes.iter().filter(|n| n.kind == NodeKind::Operable);
    operable
        .map(|n| Claim { element: n.id, ..Claim::new(Source::Ax, n.role.clone(), n.name.clone(), n.rect) })
        .filter(|claim| claim.element.is_some())
        .collect()
}

/// Adds the elements that these claims are of to a capture, as the tree tells of them. They come last; each stands in the
/// nearest element around it that the capture holds.
pub fn add(capture: &mut Capture, ax: &Capture, claims: &[Claim]) {
    let mut places: HashMap<_, usize> = HashMap::new();
    for (at, node) in capture.nodes.iter().enumerate().filter(|(_, n)| n.kind != NodeKind::Text) {
        if let Some(id) = node.id {
            places.entry(id).or_insert(at);
        }
    }
    for claim in claims {
        let told = ax.nodes.iter().find(|n| n.id == claim.element && n.kind == NodeKind::Operable);
        let (Some(id), Some(told)) = (claim.element, told) else { continue };
        let parent = around(ax, told).find_map(|n| places.get(&n.id?).copied());
        let mut node = Node { parent, ..told.clone() };
        node.extra.source = Source::Ax;
        places.insert(id, capture.nodes.len());
        capture.nodes.push(node);
    }
}

/// The nodes around one, from the inside out.
fn around<'a>(capture: &'a Capture, node: &Node) -> impl Iterator<Item = &'a Node> {
    let up = |at: &usize| capture.nodes.get(*at)?.parent.filter(|above| above < at);
    std::iter::successors(node.parent, up).filter_map(|at| capture.nodes.get(at))
}
