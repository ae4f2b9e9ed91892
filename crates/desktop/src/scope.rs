//! Parts of a capture.

use handeye_scene::{Capture, NativeId, Node};

/// Leaves the subtree of one element.
pub(crate) fn keep_within(capture: &mut Capture, scope: NativeId) {
    let mut new_place = vec![None; capture.nodes.len()];
    let mut kept = Vec::new();
    for (i, node) in capture.nodes.iter().enumerate() {
        let inside = node.id == Some(scope) || node.parent.is_some_and(|p| new_place[p].is_some());
        if inside {
            new_place[i] = Some(kept.len());
            kept.push(Node { parent: node.parent.and_then(|p| new_place[p]), ..node.clone() });
        }
    }
    capture.nodes = kept;
    // What lies in it can't be told of these.
    capture.holders.clear();
}
