//! Targets that only a clock time or a percentage tells from one another: "Book 10:00" beside "Book 10:30".

use super::volatile::{self, held};
use handeye_scene::{NativeId, Node, NodeKind, Shown};

/// Whether another target of a look has the role of what was shown of one and reads as that did, but for clock times and
/// percentages. Counters and ages go on in every list, and are no way to tell what stands there.
pub fn is_told_by_time(shown: &Shown, native: NativeId, nodes: &[Node]) -> bool {
    let said = shown.said.as_ref().map(|said| said.text.as_str());
    let (name, said) = (loose(&shown.name), said.and_then(loose));
    if shown.self_changing || name.is_none() && said.is_none() {
        return false;
    }
    let reads_so = |node: &Node| {
        let own = node.extra.said.as_ref().map_or(&node.name, |said| &said.text);
        (name.is_none() || loose(&node.name) == name) && (said.is_none() || loose(own) == said)
    };
    nodes.iter().any(|n| n.kind == NodeKind::Operable && n.id != Some(native) && n.role == shown.role && reads_so(n))
}

/// A text without its clock times and percentages; none where it has none.
fn loose(text: &str) -> Option<Vec<String>> {
    // Asked of every target of a look.
    if !text.contains([':', '%', '：', '％']) {
        return None;
    }
    let held = held(text, false);
    held.gaps.iter().any(|gap| volatile::is_time(gap)).then_some(held.pieces)
}

#[cfg(test)]
mod tests {
    use super::is_told_by_time;
    use handeye_scene::{DocumentId, Extra, NativeId, Node, NodeKind, Rect, Said, Shown, States};

    fn node(number: u32, role: &str, name: &str) -> Node {
        Node {
            id: Some(NativeId::new(DocumentId(1), number)),
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
    fn what_reads_alike_is_told_by_its_times() {
        let own = NativeId::new(DocumentId(1), 1);
        let said = |text: &str| Some(Said { text: text.into(), cut: false });
        for (name, other, exact) in [
            ("Book 10:00", ("button", "Book 10:30"), true),
            ("Book 10:00", ("button", "Book 10:00"), true),
            ("Book 10:00", ("link", "Book 10:30"), false),
            ("Sell 10%", ("button", "Sell 100 %"), true),
            ("Sell 10%", ("button", "Keep 10%"), false),
            ("Cart (2)", ("button", "Cart (3)"), false),
            ("3 min ago", ("button", "5 min ago"), false),
            ("Alerts (3) 10:00", ("button", "Alerts (2) 11:00"), true),
            ("Updated 12:01", ("button", "Update"), false),
        ] {
            let nodes = [node(1, "button", name), node(2, other.0, other.1)];
            assert_eq!(is_told_by_time(&Shown::named("button", name), own, &nodes), exact, "{name}, {other:?}");
            // Shown beside a name that is always the same, or without one.
            for label in ["", "Slot"] {
                let shown = Shown { said: said(name), ..Shown::named("button", label) };
                let mut nodes = [node(1, "button", label), node(2, other.0, label)];
                nodes[1].extra.said = said(other.1);
                assert_eq!(is_told_by_time(&shown, own, &nodes), exact, "{label}: {name}, {other:?}");
            }
        }
        let alone = [node(1, "button", "Book 10:00")];
        assert!(!is_told_by_time(&Shown::named("button", "Book 10:00"), own, &alone));
    }
}
