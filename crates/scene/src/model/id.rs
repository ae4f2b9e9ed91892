//! Names of things: what an agent writes ([`Ref`]) and what a surface mints ([`NativeId`], [`DocumentId`]).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Names one element of one document for the whole session; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Ref(pub u32);

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.0)
    }
}

/// One frame's document. Minted by a surface, never reused in a session; a document that the back/forward cache restores
/// keeps its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct DocumentId(pub u32);

/// Names an element to the surface that minted it. The upper half is the document, the lower half the element's number in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct NativeId(pub u64);

impl NativeId {
    /// Element `number` of `document`.
    pub const fn new(document: DocumentId, number: u32) -> Self {
        Self(((document.0 as u64) << 32) | number as u64)
    }

    /// The document it belongs to.
    pub const fn document(self) -> DocumentId {
        DocumentId((self.0 >> 32) as u32)
    }

    /// The element's number within its document.
    pub const fn number(self) -> u32 {
        self.0 as u32
    }
}

/// What a number stands for: not everything that can be seen is an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetId {
    /// An element of the surface's own tree.
    Element(NativeId),
    /// A rectangle of pixels, known by its number alone.
    Region(Ref),
}

/// Counts the snapshots of a session, from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Generation(pub u64);
