//! How long a line will be, without writing it.

use crate::observe::diff::words;
use crate::observe::outline::field_kind;
use crate::wording::shown;
use handeye_scene::{Node, NodeKind, Source};

/// Room for a number in brackets, a line end and the spaces between.
const FRAME: usize = 12;

/// Characters that a node's line takes at most, in an outline of which `text` characters of each name are shown.
pub(crate) fn of(node: &Node, numbered: bool, depth: usize, text: usize) -> usize {
    let mut sum = node.role.chars().count() + quoted(&node.name, text) + 2 * depth + 4;
    if !numbered {
        return sum;
    }
    let extra = &node.extra;
    let value = node.value.as_deref().filter(|v| !v.is_empty());
    sum += FRAME + words(node.states).len();
    sum += value.map_or(0, |v| 7 + quoted(v, text));
    sum += extra.options.map_or(0, |_| 14);
    sum += extra.hint.as_deref().map_or(0, |h| 6 + quoted(h, 40));
    sum += extra.placeholder.as_deref().map_or(0, |p| 13 + quoted(p, text));
    sum += field_kind(&node.role, extra).map_or(0, |kind| 6 + kind.len());
    sum += extra.reads.as_deref().map_or(0, |reads| 8 + quoted(reads, text));
    sum += if extra.source == Source::Native { 0 } else { 3 + extra.source.word().len() };
    if node.kind == NodeKind::Frame {
        sum += extra.href.as_deref().map_or(0, |h| 1 + quoted(h, shown::ADDRESS));
    }
    sum
}

/// Characters of a text in quotes, cut at `limit`.
pub(crate) fn quoted(text: &str, limit: usize) -> usize {
    3 + text.chars().take(limit).map(shown::width).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::outline::{Style, target_line};
    use crate::observe::view::target;
    use crate::replay::node;
    use handeye_scene::{Extra, Ref, State};

    #[test]
    fn it_is_never_less_than_what_is_written() {
        let mut plain = node(NodeKind::Operable, 1, "textbox", "Näme \"7\"\n中\u{1}");
        plain.value = Some("a\\b".into());
        plain.states = plain.states.with(State::Required).with(State::Offscreen);
        plain.extra = Extra {
            placeholder: Some("x".into()),
            options: Some(3),
            hint: Some("h".into()),
            kind: Some("datetime-local".into()),
            ..Extra::default()
        };
        let long = node(NodeKind::Operable, 2, "link", &"w ".repeat(400));
        for node in [plain, long] {
            let id = node.id.unwrap_or(handeye_scene::NativeId(0));
            let line = target_line(&target(&node, id, Ref(99_999)), &node.extra, Style::default());
            let cost = of(&node, true, 0, Style::default().text);
            assert!(line.chars().count() < cost, "{cost}: {line}");
            assert!(line.chars().count() + 20 > cost, "{cost}: {line}");
        }
    }
}
