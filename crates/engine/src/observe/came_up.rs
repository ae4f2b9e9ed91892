//! What came up by itself since the last look: messages, toasts, dialogs and whatever else is new and no action of ours was looked
//! at with. It is told once, by the next receipt or state.

use crate::matching::without_digits;
use crate::observe::diff::Fingerprint;
use crate::observe::memory::Memory;
use crate::observe::outline::quote;
use crate::wording::shown;
use handeye_scene::Notice;
use handeye_scene::model::role::known;

/// The kind of notice that tells of it.
pub const MEANWHILE: &str = "meanwhile";
/// How much of it is told.
const MOST: usize = 6;
/// Characters of each, and of all.
const TEXT: usize = 80;
const ALL: usize = 240;
/// What is shorter says nothing: a mark, a number that counts.
const LEAST: usize = 5;

impl Memory {
    /// Notes what a look shows that the one before it didn't, on the same page. What only changed is a clock or a counter, and isn't
    /// noted, nor is what has kept changing.
    pub fn note_came_up(&mut self, now: &Fingerprint) {
        let Some(latest) = self.latest().filter(|latest| latest.is_of(now)) else { return };
        let found = latest.differences(now).without_noise(self);
        let gone: Vec<String> = found.texts_removed.iter().map(|text| without_digits(text)).collect();
        let texts = found
            .texts_added
            .iter()
            .filter(|text| text.chars().count() >= LEAST && !gone.contains(&without_digits(text)));
        let targets = found.added.iter().filter_map(|id| {
            let (role, words) = now.called(*id)?;
            Some(format!("{} {}", known(role), quote(words, TEXT)))
        });
        let fresh: Vec<String> = texts.map(|text| quote(text, TEXT)).chain(targets).collect();
        for text in fresh {
            if self.came_up.len() < MOST && !self.came_up.contains(&text) {
                self.came_up.push(text);
            }
        }
    }

    /// Takes what is to be told of, if anything is.
    pub fn take_came_up(&mut self) -> Option<Notice> {
        let all = std::mem::take(&mut self.came_up).join("; ");
        (!all.is_empty()).then(|| Notice::new(MEANWHILE, shown::cut(&all, ALL)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::{Capture, Document, DocumentId, Extra, NativeId, Node, NodeKind, Rect, States};

    fn look(page: u32, url: &str, nodes: &[(u32, &str)]) -> Fingerprint {
        let document = DocumentId(page);
        let node = |(number, name): &(u32, &str)| Node {
            id: (*number > 0).then(|| NativeId::new(document, *number)),
            kind: if *number > 0 { NodeKind::Operable } else { NodeKind::Text },
            role: if *number > 0 { "button".into() } else { "text".into() },
            name: (*name).to_owned(),
            document,
            parent: None,
            value: None,
            states: States::default(),
            rect: Rect::default(),
            extra: Extra::default(),
        };
        let documents = vec![Document { id: document, url: url.into(), origin: "http://a".into(), owner: None }];
        let nodes = nodes.iter().map(node).collect();
        Fingerprint::of(&Capture { surface: "web".into(), url: url.into(), documents, nodes, ..Capture::default() })
    }

    #[test]
    fn what_is_new_on_the_page_is_told_once_and_what_changed_is_not() {
        let base = [(1, "Save"), (0, "It is 12:01 now"), (0, "Ready")];
        for (what, page, url, nodes, told) in [
            ("the same", 1, "http://a/", &base[..], None),
            ("a clock", 1, "http://a/", &[(1, "Save"), (0, "It is 12:02 now"), (0, "Ready")], None),
            ("a counter", 1, "http://a/", &[(1, "Save (2)"), (0, "It is 12:01 now"), (0, "Ready")], None),
            ("what went", 1, "http://a/", &base[..1], None),
            ("a mark", 1, "http://a/", &[(1, "Save"), (0, "It is 12:01 now"), (0, "Ready"), (0, "*")], None),
            (
                "a toast with a button",
                1,
                "http://a/",
                &[(1, "Save"), (0, "It is 12:01 now"), (0, "Ready"), (0, "Ann: wait\nfor me"), (2, "Undo")],
                Some("\"Ann: wait\\nfor me\"; button \"Undo\""),
            ),
            ("another page", 2, "http://a/", &[(0, "All is new here")], None),
            ("another address", 1, "http://a/#x", &[(0, "All is new here")], None),
        ] {
            let mut memory = Memory::default();
            memory.look(look(1, "http://a/", &base));
            memory.note_came_up(&look(page, url, nodes));
            let notice = memory.take_came_up();
            assert_eq!(notice.as_ref().map(|notice| notice.text.as_str()), told, "{what}");
            assert_eq!(memory.take_came_up(), None, "{what}: once");
        }
        let mut memory = Memory::default();
        memory.note_came_up(&look(1, "http://a/", &base));
        assert_eq!(memory.take_came_up(), None, "nothing was looked at before");
    }

    #[test]
    fn much_that_comes_up_stays_short() {
        let mut memory = Memory::default();
        memory.look(look(1, "http://a/", &[]));
        let names: Vec<String> = (0..500).map(|n| format!("{} a long line that is new", "x".repeat(n))).collect();
        let nodes: Vec<(u32, &str)> = names.iter().map(|name| (0, name.as_str())).collect();
        memory.note_came_up(&look(1, "http://a/", &nodes));
        let notice = memory.take_came_up().expect("there is much");
        assert!(notice.text.chars().count() <= ALL, "{}", notice.text);
    }
}
