//! The texts of a look that are no target's, and which of them are new or gone.

use handeye_scene::NativeId;
use std::collections::HashMap;
use std::sync::Arc;

/// The texts of a look that are no target's.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Texts {
    /// How often each is there.
    counts: HashMap<Arc<str>, usize>,
    /// The elements that hold each.
    holders: HashMap<Arc<str>, Vec<NativeId>>,
    order: Vec<Arc<str>>,
}

impl Texts {
    /// One more of them.
    pub(super) fn add(&mut self, text: Arc<str>, holder: Option<NativeId>) {
        *self.counts.entry(text.clone()).or_default() += 1;
        self.holders.entry(text.clone()).or_default().extend(holder);
        self.order.push(text);
    }

    /// The elements that hold a text here and not there: others may hold the same on both sides. Where all do, one of them holds it
    /// more often, and which one isn't known.
    pub(super) fn held_beyond(&self, there: &Texts, text: &str) -> Vec<NativeId> {
        let (here, there) = (self.held(text), there.held(text));
        let beyond: Vec<NativeId> = here.iter().filter(|id| !there.contains(id)).copied().collect();
        if beyond.is_empty() { here.to_vec() } else { beyond }
    }

    fn held(&self, text: &str) -> &[NativeId] {
        self.holders.get(text).map(Vec::as_slice).unwrap_or_default()
    }

    /// Those that stand more often here than there, in order, each as often as it is in excess.
    pub(super) fn surplus(&self, there: &Texts) -> Vec<String> {
        let mut left: HashMap<&str, usize> = HashMap::new();
        for (text, here) in &self.counts {
            let more = here.saturating_sub(there.counts.get(text).copied().unwrap_or(0));
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

    #[test]
    fn who_holds_a_text_beyond_is_who_has_come_to_hold_it() {
        let id = |number| NativeId::new(DocumentId(1), number);
        let texts = |held: &[u32]| {
            let mut texts = Texts::default();
            held.iter().for_each(|number| texts.add("0".into(), Some(id(*number))));
            texts
        };
        for (here, there, beyond) in [
            (&[1][..], &[][..], &[1][..]),
            (&[1, 2], &[], &[1, 2]),
            (&[1, 2], &[1], &[2]),
            (&[1, 2], &[2], &[1]),
            (&[1, 2, 3], &[2], &[1, 3]),
            (&[1, 2], &[2, 3], &[1]),
            (&[1, 1, 2], &[1, 2], &[1, 1, 2]),
            (&[], &[1], &[]),
        ] {
            let beyond: Vec<NativeId> = beyond.iter().map(|number| id(*number)).collect();
            assert_eq!(texts(here).held_beyond(&texts(there), "0"), beyond, "{here:?} {there:?}");
        }
    }
}
