//! The shapes of what our own page script tells: not the protocol's, but they travel by it.

use handeye_scene::{Cause, DocumentId, Mutation, NativeId};
use serde::Deserialize;

/// What the page script tells by the binding.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Signal {
    pub(crate) guard: Option<GuardSignal>,
    pub(crate) held: Option<HeldSignal>,
    pub(crate) moved: Option<MovedSignal>,
}

/// What brought about changes of a document since a gesture began; nothing of it: none is under way.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MovedSignal {
    pub(crate) input: bool,
    pub(crate) motion: bool,
    pub(crate) later: bool,
    pub(crate) itself: bool,
}

/// What the page script tells of changes since a gesture began.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct StirredAnswer {
    pub(crate) self_changing: Vec<u32>,
    pub(crate) with_pointer: Vec<u32>,
    pub(crate) set_by_input: bool,
    pub(crate) named: Vec<MutatedAnswer>,
    pub(crate) unnamed: bool,
    pub(crate) unnamed_by_input: bool,
    pub(crate) pending: bool,
}

/// One change.
#[derive(Debug, Deserialize)]
pub(crate) struct MutatedAnswer {
    near: Option<u32>,
    own: bool,
    #[serde(default)]
    inside: bool,
    tag: String,
    property: String,
    from: String,
    to: String,
    cause: Cause,
}

impl MutatedAnswer {
    pub(crate) fn in_document(self, document: DocumentId) -> Mutation {
        let Self { near, own, inside, tag, property, from, to, cause } = self;
        Mutation { near: near.map(|n| NativeId::new(document, n)), own, inside, tag, property, from, to, cause }
    }
}

/// A form that the browser doesn't send, because of what this control of it holds.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct HeldSignal {
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) message: String,
}

/// One event that the guard has judged.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct GuardSignal {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) pass: bool,
    /// It was let through, and the target was found relabelled while the page's own listeners had it.
    pub(crate) late: bool,
    /// It was stopped as what was left once the page had answered.
    pub(crate) over: bool,
    pub(crate) reason: Option<String>,
}

/// What `checkPaused` of the page script says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PausedCheck {
    /// Whether the event that the page is stopped in is one of this document's.
    pub(crate) seen: bool,
    pub(crate) pass: bool,
}
