//! What an action is judged by.

use crate::act::action::Action;
use handeye_scene::{Delivery, Evidence, NativeId, Probe, Settled, Stirred};

/// Why keys that nothing was seen of prove nothing.
const UNSEEN: &str = "the document went away before it could say what took the keys";

/// What an action is judged by.
pub struct Outcome<'a> {
    /// What was asked for.
    pub action: &'a Action,
    /// What it was aimed at, where no target was named.
    pub undirected: Option<Undirected>,
    /// The element that it went to, before. None: no element, as far as can be told.
    pub before: Option<&'a Probe>,
    /// The same after, if it is still there.
    pub after: Option<&'a Probe>,
    /// For keys: the targets that had the focus before and after.
    pub focus: (Option<NativeId>, Option<NativeId>),
    /// What became of the sizes of what a region was told from.
    pub resized: Vec<Evidence>,
    /// What was seen meanwhile.
    pub settled: &'a Settled,
    /// What changed meanwhile, as the surface tells it.
    pub stirred: &'a Stirred,
    /// How the gesture ended.
    pub delivery: &'a Delivery,
}

/// What an action is aimed at, where no target was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undirected {
    /// A place.
    Place,
    /// What has the keyboard focus.
    Keys {
        /// Whether any element has it.
        focused: bool,
    },
}

impl Undirected {
    /// Why nothing is known where nothing was seen to change.
    pub(super) fn nothing_seen(self) -> &'static str {
        match self {
            Undirected::Place => "nothing was seen to change",
            Undirected::Keys { focused: true } => "the keys were sent, and nothing was seen to change",
            Undirected::Keys { focused: false } => {
                "the keys were sent, no target has the focus, and nothing was seen to change"
            }
        }
    }

    /// Why nothing is known of what a document took with it.
    pub(super) fn unseen(this: Option<Self>) -> &'static str {
        match this {
            Some(Undirected::Keys { .. }) => UNSEEN,
            _ => "the document went away before it could say what was hit",
        }
    }
}
