//! Numbers for the items of lists that have none of their own: an item keeps its number while the list around it changes.
//!
//! An item is known by its text as long as that says which one it is. One whose text is new, where another one's is gone, is the
//! same with a new label: whether that may be acted on isn't decided here. What can't be told apart any more has new numbers.

use crate::windows::records::window_list::Handle;
use std::collections::HashMap;

/// One item as it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slot {
    number: u32,
    text: String,
}

/// The items of every list that was read.
#[derive(Debug, Default)]
pub struct Slots {
    lists: HashMap<Handle, Vec<Slot>>,
    last: u32,
}

/// Where each text stands.
fn places<'a>(texts: impl Iterator<Item = &'a str>) -> HashMap<&'a str, Vec<usize>> {
    let mut found: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, text) in texts.enumerate() {
        found.entry(text).or_default().push(at);
    }
    found
}

impl Slots {
    /// Takes note of what the items of a list say now; the number of each.
    pub fn note(&mut self, list: Handle, texts: Vec<String>) -> Vec<u32> {
        let before = self.lists.remove(&list).unwrap_or_default();
        let was = places(before.iter().map(|s| s.text.as_str()));
        let is = places(texts.iter().map(String::as_str));
        let mut numbers: Vec<Option<u32>> = vec![None; texts.len()];
        for (text, now) in &is {
            // Of several that say the same, none can be told from the others once there are more of them, or fewer.
            if let Some(then) = was.get(text).filter(|then| then.len() == now.len()) {
                for (from, to) in then.iter().zip(now) {
                    numbers[*to] = Some(before[*from].number);
                }
            }
        }
        if before.len() == texts.len() {
            for (at, slot) in before.iter().enumerate() {
                let relabelled = !is.contains_key(slot.text.as_str()) && !was.contains_key(texts[at].as_str());
                if relabelled {
                    numbers[at] = Some(slot.number);
                }
            }
        }
        let mut last = self.last;
        let numbers: Vec<u32> = numbers
            .into_iter()
            .map(|number| {
                number.unwrap_or_else(|| {
                    last += 1;
                    last
                })
            })
            .collect();
        self.last = last;
        let slots = numbers.iter().zip(texts).map(|(number, text)| Slot { number: *number, text }).collect();
        self.lists.insert(list, slots);
        numbers
    }

    /// Where an item stood when its list was last read.
    pub fn index(&self, list: Handle, number: u32) -> Option<usize> {
        self.lists.get(&list)?.iter().position(|slot| slot.number == number)
    }

    /// The same of one whose text alone tells it from the others: what says the same there now is still this one.
    pub fn plain_index(&self, list: Handle, number: u32) -> Option<usize> {
        let slots = self.lists.get(&list)?;
        let at = slots.iter().position(|slot| slot.number == number)?;
        let alike = slots.iter().filter(|slot| slot.text == slots[at].text).count();
        (alike == 1 && !slots[at].text.contains(SEPARATOR)).then_some(at)
    }

    /// Forgets lists that are gone.
    pub fn keep(&mut self, is_there: impl Fn(Handle) -> bool) {
        const MANY: usize = 256;
        if self.lists.len() > MANY {
            self.lists.retain(|list, _| is_there(*list));
        }
    }
}

/// Stands between the texts of one item where the first alone doesn't tell it from others.
pub const SEPARATOR: char = '\u{1f}';

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: Handle = Handle(7);

    fn note(slots: &mut Slots, texts: &[&str]) -> Vec<u32> {
        slots.note(LIST, texts.iter().map(|t| (*t).to_owned()).collect())
    }

    #[test]
    fn an_item_keeps_its_number_wherever_it_goes() {
        let mut slots = Slots::default();
        let first = note(&mut slots, &["a", "b", "c"]);
        assert_eq!(note(&mut slots, &["a", "b", "c"]), first);
        let moved = note(&mut slots, &["c", "new", "a", "b"]);
        assert_eq!([moved[2], moved[3], moved[0]], first[..]);
        assert!(!first.contains(&moved[1]));
        assert_eq!(slots.index(LIST, first[0]), Some(2));
        assert_eq!(slots.plain_index(LIST, first[0]), Some(2));
        let fewer = note(&mut slots, &["new", "b"]);
        assert_eq!(fewer, [moved[1], first[1]]);
        assert_eq!(slots.index(LIST, first[0]), None);
    }

    #[test]
    fn one_with_a_new_label_in_the_same_place_is_the_same() {
        let mut slots = Slots::default();
        let first = note(&mut slots, &["Cart (2)", "b"]);
        assert_eq!(note(&mut slots, &["Cart (3)", "b"]), first);
        assert_eq!(note(&mut slots, &["Delete", "b"]), first);
        // What went away and let another one into its place is gone.
        let shifted = note(&mut slots, &["b", "c"]);
        assert_eq!(shifted[0], first[1]);
        assert!(!first.contains(&shifted[1]));
    }

    #[test]
    fn what_cannot_be_told_apart_any_more_has_new_numbers() {
        let mut slots = Slots::default();
        let first = note(&mut slots, &["a", "x", "a"]);
        assert_eq!(slots.plain_index(LIST, first[0]), None);
        assert_eq!(slots.index(LIST, first[2]), Some(2));
        let fewer = note(&mut slots, &["x", "a"]);
        assert_eq!(fewer[0], first[1]);
        assert!(!first.contains(&fewer[1]), "it may be either of them");
        let joined = note(&mut slots, &["a\u{1f}1", "a\u{1f}2"]);
        assert_eq!(slots.plain_index(LIST, joined[0]), None);
        let turned = note(&mut slots, &["a\u{1f}2", "a\u{1f}1"]);
        assert_eq!([turned[1], turned[0]], joined[..]);
    }

    #[test]
    fn counters_that_lie_beside_each_other_are_not_mixed_up() {
        let mut slots = Slots::default();
        let first = note(&mut slots, &["Inbox (2)", "Inbox (3)"]);
        assert_eq!(note(&mut slots, &["Inbox (3)"]), first[1..], "the first is gone, and the other isn't it");
    }

    #[test]
    fn lists_that_are_gone_are_forgotten() {
        let mut slots = Slots::default();
        for handle in 0..300 {
            slots.note(Handle(handle), vec!["a".to_owned()]);
        }
        slots.keep(|list| list == Handle(4));
        assert_eq!((slots.index(Handle(4), 5), slots.index(Handle(5), 6)), (Some(0), None));
    }
}
