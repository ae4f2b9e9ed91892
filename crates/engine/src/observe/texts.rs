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
    pub(super) holders: HashMap<Arc<str>, Vec<NativeId>>,
    order: Vec<Arc<str>>,
}

impl Texts {
    /// One more of them.
    pub(super) fn add(&mut self, text: Arc<str>, holder: Option<NativeId>) {
        *self.counts.entry(text.clone()).or_default() += 1;
        self.holders.entry(text.clone()).or_default().extend(holder);
        self.order.push(text);
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
