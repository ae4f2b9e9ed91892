//! Targets that only a span that may change elsewhere tells from one another: "Book 10:00" beside "Book 10:30".

use super::{normalize, volatile};
use handeye_scene::{Node, NodeKind};
use std::collections::{HashMap, HashSet};

/// Of the nodes of a look, those whose every digit counts, by index: another target of the same role reads alike but for a
/// counter, a clock time or a percentage. Ages go on in every list of messages and are no way to tell these.
pub fn told_apart_by_digits(nodes: &[Node]) -> HashSet<usize> {
    let mut groups: HashMap<(&str, String), Vec<(usize, String)>> = HashMap::new();
    for (index, node) in nodes.iter().enumerate() {
        let is_target = node.kind == NodeKind::Operable && !node.extra.self_changing;
        let text = if node.name.is_empty() { node.extra.said.as_ref().map_or("", |s| &s.text) } else { &node.name };
        if !is_target || !volatile::may_count(text) {
            continue;
        }
        let held = volatile::held(text, false);
        if held.gaps.iter().any(|gap| !volatile::is_age(gap)) {
            groups.entry((&node.role, held.pieces.join("\0"))).or_default().push((index, normalize(text)));
        }
    }
    let differ = |group: &&Vec<(usize, String)>| group.iter().any(|(_, text)| *text != group[0].1);
    groups.values().filter(differ).flatten().map(|(index, _)| *index).collect()
}

#[cfg(test)]
mod tests {
    use super::told_apart_by_digits;
    use handeye_scene::{DocumentId, Extra, Node, NodeKind, Rect, Said, States};

    fn node(role: &str, name: &str) -> Node {
        Node {
            id: None,
            document: DocumentId(1),
            parent: None,
            kind: NodeKind::Operable,
            role: role.into(),
            name: name.into(),
            value: None,
            states: States::default(),
            rect: Rect::default(),
            extra: Extra::default(),
        }
    }

    #[test]
    fn only_what_reads_alike_is_told_by_its_digits() {
        let said = |text: &str| Node {
            extra: Extra { said: Some(Said { text: text.into(), cut: false }), ..Extra::default() },
            ..node("generic", "")
        };
        for (nodes, exact) in [
            (vec![node("button", "Book 10:00"), node("button", "Book 10:30")], vec![0, 1]),
            (vec![node("button", "Sell 10%"), node("button", "Keep"), node("button", "Sell 100 %")], vec![0, 2]),
            (vec![node("button", "Sell 10%"), node("button", "Sell 100%"), node("link", "Sell 5%")], vec![0, 1]),
            (vec![node("button", "Book 10:00"), node("button", "Book 10:00")], vec![]),
            (vec![node("button", "Book 10:00"), node("link", "Book 10:30")], vec![]),
            (vec![node("link", "Cart (2)"), node("link", "Mail (3)")], vec![]),
            (vec![node("link", "Cart (2)"), node("link", "Cart (3)")], vec![0, 1]),
            (vec![node("link", "3 min ago"), node("link", "5 min ago")], vec![]),
            (vec![said("Book 10:00"), said("Book 10:30")], vec![0, 1]),
            (vec![node("button", "Updated 12:01")], vec![]),
        ] {
            let mut found: Vec<usize> = told_apart_by_digits(&nodes).into_iter().collect();
            found.sort_unstable();
            let exact: Vec<usize> = exact;
            assert_eq!(found, exact, "{:?}", nodes.iter().map(|n| &n.name).collect::<Vec<_>>());
        }
    }
}
