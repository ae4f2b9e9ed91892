//! What says nothing to an agent, and holds or moves other things: for perceivers, which tell handles from their places.

use crate::record::Record;
use crate::roles::{SCROLL_BAR, SPLIT_PANE, TABLES, role};
use handeye_scene::{DocumentId, Extra, NativeId, Node, NodeKind};

/// Whether an object is one, whatever its name.
pub(crate) fn is_one(records: &[Record], at: usize) -> bool {
    let record = &records[at];
    [SCROLL_BAR, SPLIT_PANE].contains(&record.role) || TABLES.contains(&record.role) || is_pane(records, at)
}

/// Whether it is one of the two that something between them moves.
fn is_pane(records: &[Record], at: usize) -> bool {
    records[at].parent.is_some_and(|above| records[above].role == SPLIT_PANE)
}

/// It as a node, where it has a place; `parent` is the split pane's place among the holders.
pub(crate) fn node(
    records: &[Record],
    at: usize,
    (id, document): (NativeId, DocumentId),
    parent: Option<usize>,
) -> Option<Node> {
    let record = &records[at];
    let rect = record.rect.filter(|r| r.width > 0.0 && r.height > 0.0 && is_one(records, at))?;
    let kind = match record.role {
        SPLIT_PANE => Some("split pane"),
        _ if is_pane(records, at) => Some("pane"),
        _ => None,
    };
    Some(Node {
        id: Some(id),
        document,
        parent: parent.filter(|_| is_pane(records, at)),
        kind: NodeKind::Item,
        role: role(record.role).word.to_owned(),
        name: record.name.clone(),
        value: record.value.clone(),
        states: Default::default(),
        rect,
        extra: Extra { kind: kind.map(str::to_owned), ..Extra::default() },
    })
}
