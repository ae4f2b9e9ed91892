//! Pieces of a streamed answer without the key, should a server repeat it: also where it comes in several pieces.

use crate::Secret;
use handeye_scene::chat::Delta;
use std::collections::BTreeMap;

/// What of an answer was not handed on yet: the ends of its texts that may be the start of the key.
pub(crate) struct Pieces<'a> {
    key: Option<&'a Secret>,
    text: String,
    /// Of each call.
    arguments: BTreeMap<usize, String>,
}

impl<'a> Pieces<'a> {
    /// Of an answer that has not begun.
    pub(crate) fn new(key: Option<&'a Secret>) -> Self {
        Self { key, text: String::new(), arguments: BTreeMap::new() }
    }

    /// What of a piece can be handed on, with what was held back before it.
    pub(crate) fn pass(&mut self, delta: Delta) -> Option<Delta> {
        let Some(key) = self.key else { return Some(delta) };
        match delta {
            Delta::Text(piece) => shown(key, &mut self.text, &piece).map(Delta::Text),
            Delta::Arguments { index, piece } => {
                let held = self.arguments.entry(index).or_default();
                shown(key, held, &piece).map(|piece| Delta::Arguments { index, piece })
            }
            Delta::Call { index, id, name } => {
                Some(Delta::Call { index, id: key.redact(&id), name: key.redact(&name) })
            }
            Delta::Restart => Some(Delta::Restart),
        }
    }

    /// What is left at the end of the answer.
    pub(crate) fn rest(self) -> impl Iterator<Item = Delta> {
        let text = std::iter::once(self.text).filter(|text| !text.is_empty()).map(Delta::Text);
        let arguments = self.arguments.into_iter().filter(|(_, piece)| !piece.is_empty());
        text.chain(arguments.map(|(index, piece)| Delta::Arguments { index, piece }))
    }
}

/// What can be shown of a held text and its next piece; what can't stays held.
fn shown(key: &Secret, held: &mut String, piece: &str) -> Option<String> {
    held.push_str(piece);
    let mut text = key.redact(held);
    let end = text.len() - key.begun(&text);
    *held = text.split_off(end);
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-sk-é-key";

    fn told(pieces: &[&str]) -> Vec<String> {
        let key = Secret::new(KEY);
        let mut passing = Pieces::new(Some(&key));
        let mut all: Vec<Delta> =
            pieces.iter().filter_map(|piece| passing.pass(Delta::Text((*piece).to_owned()))).collect();
        all.extend(passing.rest());
        all.into_iter()
            .map(|delta| match delta {
                Delta::Text(text) => text,
                other => unreachable!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn a_key_is_taken_out_wherever_it_is_cut() {
        let said = format!("a sk-{KEY} b {KEY}{KEY} sk-s");
        let cuts: Vec<usize> = said.char_indices().map(|(at, _)| at).collect();
        for first in &cuts {
            for second in cuts.iter().filter(|second| *second >= first) {
                let pieces = [&said[..*first], &said[*first..*second], &said[*second..]];
                assert_eq!(told(&pieces).concat(), "a sk-[key] b [key][key] sk-s", "{pieces:?}");
            }
        }
        let letters: Vec<String> = said.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(told(&letters).concat(), "a sk-[key] b [key][key] sk-s");
    }

    #[test]
    fn what_can_be_no_key_comes_at_once() {
        assert_eq!(told(&["Hel", "lo", " sk", "y"]), ["Hel", "lo", " ", "sky"]);
    }

    #[test]
    fn each_text_of_an_answer_is_held_by_itself() {
        let key = Secret::new("sk-key");
        let mut passing = Pieces::new(Some(&key));
        let argument = |index, piece: &str| Delta::Arguments { index, piece: piece.to_owned() };
        let call = Delta::Call { index: 1, id: "sk-key".into(), name: "f".into() };
        assert_eq!(passing.pass(argument(0, "{sk-")), Some(argument(0, "{")));
        assert_eq!(passing.pass(Delta::Text("key sk".into())), Some(Delta::Text("key ".into())));
        let redacted = Delta::Call { index: 1, id: "[key]".into(), name: "f".into() };
        assert_eq!(passing.pass(call), Some(redacted));
        assert_eq!(passing.pass(argument(1, "key}")), Some(argument(1, "key}")));
        assert_eq!(passing.pass(argument(0, "key}")), Some(argument(0, "[key]}")));
        assert_eq!(passing.rest().collect::<Vec<_>>(), [Delta::Text("sk".into())]);
    }
}
