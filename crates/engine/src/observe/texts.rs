//! The texts of a look that are no target's, and which of them are new or gone.

use crate::matching::without_digits;
use handeye_scene::NativeId;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The texts of a look that are no target's.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Texts {
    /// The elements that hold each, as often as it is there; none of one that has no identity.
    holders: HashMap<Arc<str>, Vec<Option<NativeId>>>,
    order: Vec<Arc<str>>,
}

/// A text up to digits, and the element that says it where that was there before and is there after: for telling apart what keeps
/// changing by itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Saying {
    by: Option<NativeId>,
    text: String,
}

impl Texts {
    /// One more of them.
    pub(super) fn add(&mut self, text: Arc<str>, holder: Option<NativeId>) {
        self.holders.entry(text.clone()).or_default().push(holder);
        self.order.push(text);
    }

    fn held(&self, text: &str) -> &[Option<NativeId>] {
        self.holders.get(text).map(Vec::as_slice).unwrap_or_default()
    }

    /// Leaves of those that stand more often here than there what stands so without these elements, too: which of several elements
    /// that say the same has changed isn't told by the text.
    pub(super) fn without(&self, there: &Texts, surplus: &mut Vec<String>, moves: impl Fn(NativeId) -> bool) {
        let others = |held: &[Option<NativeId>]| held.iter().filter(|holder| !holder.is_some_and(&moves)).count();
        let mut left: HashMap<String, usize> = HashMap::new();
        surplus.retain(|text| {
            let more = || others(self.held(text)).saturating_sub(others(there.held(text)));
            let left = left.entry(text.clone()).or_insert_with(more);
            let is_one = *left > 0;
            *left = left.saturating_sub(1);
            is_one
        });
    }

    /// Who says those that stand more often here than there.
    pub(super) fn sayings<'a>(&self, there: &Texts, surplus: &'a [String]) -> HashMap<&'a str, HashSet<Saying>> {
        let mut all: HashMap<&str, HashSet<Saying>> = HashMap::new();
        if surplus.is_empty() {
            return all;
        }
        let was_there: HashSet<NativeId> = there.holders.values().flatten().flatten().copied().collect();
        for text in surplus {
            let of_text = || {
                let mut more: HashMap<Option<NativeId>, usize> = HashMap::new();
                self.held(text).iter().for_each(|one| *more.entry(*one).or_default() += 1);
                for one in there.held(text) {
                    more.entry(*one).and_modify(|times| *times = times.saturating_sub(1));
                }
                let beyond = more.into_iter().filter(|(_, times)| *times > 0);
                let by = |one: Option<NativeId>| one.filter(|id| was_there.contains(id));
                beyond.map(|(one, _)| Saying { by: by(one), text: without_digits(text) }).collect()
            };
            all.entry(text).or_insert_with(of_text);
        }
        all
    }

    /// Those that stand more often here than there, in order, each as often as it is in excess.
    pub(super) fn surplus(&self, there: &Texts) -> Vec<String> {
        let mut left: HashMap<&str, usize> = HashMap::new();
        for (text, here) in &self.holders {
            let more = here.len().saturating_sub(there.held(text).len());
            if more > 0 {
                left.insert(text, more);
            }
        }
        let mut out = Vec::new();
        for text in &self.order {
            if let Some(n) = left.get_mut(&**text)
                && *n > 0
            {
                *n -= 1;
                out.push(text.to_string());
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::DocumentId;

    fn id(number: u32) -> NativeId {
        NativeId::new(DocumentId(1), number)
    }

    /// Who says what; 0: nobody.
    fn texts(said: &[(u32, &str)]) -> Texts {
        let mut texts = Texts::default();
        for (number, text) in said {
            texts.add((*text).into(), (*number > 0).then(|| id(*number)));
        }
        texts
    }

    #[test]
    fn what_one_element_says_by_itself_is_told_from_what_others_say() {
        // Element 1 changes by itself.
        type Said = &'static [(u32, &'static str)];
        let rows: [(Said, Said, [&[&str]; 2]); 13] = [
            (&[(1, "4")], &[(1, "5")], [&[], &[]]),
            (&[(2, "4")], &[(2, "5")], [&["5"], &["4"]]),
            // Another says the same all the while.
            (&[(1, "0"), (2, "0")], &[(1, "1"), (2, "0")], [&[], &[]]),
            (&[(1, "1"), (2, "0")], &[(1, "0"), (2, "0")], [&[], &[]]),
            // Another has come to say the same, or says it no more.
            (&[(1, "1"), (2, "x")], &[(1, "0"), (2, "0")], [&["0"], &["x"]]),
            (&[(1, "0"), (2, "0")], &[(1, "1"), (2, "x")], [&["x"], &["0"]]),
            (&[(1, "1"), (2, "0")], &[(1, "0"), (2, "0"), (2, "0")], [&["0"], &[]]),
            (&[(1, "1")], &[(1, "0"), (0, "0")], [&["0"], &[]]),
            // One that is replaced by its like.
            (&[(1, "1"), (2, "0")], &[(1, "0"), (3, "0")], [&[], &[]]),
            (&[(1, "0"), (2, "0")], &[(1, "1"), (3, "0")], [&[], &[]]),
            (&[(1, "0")], &[(3, "0")], [&[], &[]]),
            // One that says several things.
            (&[(1, "a"), (1, "0"), (2, "0")], &[(1, "0"), (1, "0"), (2, "0")], [&[], &[]]),
            (&[(2, "a"), (2, "0"), (1, "0")], &[(2, "0"), (2, "0"), (1, "0")], [&["0"], &["a"]]),
        ];
        for (before, after, wanted) in rows {
            let (before, after) = (texts(before), texts(after));
            let kept = [(&after, &before), (&before, &after)].map(|(here, there)| {
                let mut surplus = here.surplus(there);
                here.without(there, &mut surplus, |one| one == id(1));
                surplus
            });
            assert_eq!(kept.each_ref().map(Vec::as_slice), wanted, "{before:?} {after:?}");
        }
    }

    #[test]
    fn a_text_is_said_by_who_stays() {
        let saying = |by: u32, text: &str| Saying { by: (by > 0).then(|| id(by)), text: text.into() };
        for (before, after, said) in [
            (&[(1, "4")][..], &[(1, "5")][..], vec![saying(1, "#")]),
            (&[(1, "4"), (2, "5")], &[(1, "5"), (2, "5")], vec![saying(1, "#")]),
            (&[(1, "4")], &[(2, "5")], vec![saying(0, "#")]),
            (&[(0, "4 left")], &[(0, "5 left")], vec![saying(0, "# left")]),
            (&[(1, "4")], &[(1, "4")], vec![]),
        ] {
            let (before, after) = (texts(before), texts(after));
            let surplus = after.surplus(&before);
            let found = after.sayings(&before, &surplus).into_values().flatten().collect::<Vec<_>>();
            assert_eq!(found, said, "{before:?} {after:?}");
        }
    }
}
