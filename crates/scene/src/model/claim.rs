//! What a perceiver says is to be seen.

use crate::{NativeId, Rect};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who saw a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The surface's own tree of elements.
    #[default]
    Native,
    /// The browser's accessibility tree, beside the page's script.
    Ax,
    /// The places of other targets, by rule.
    Structure,
    /// Text read from pixels.
    Ocr,
    /// Shapes found in pixels.
    Shapes,
    /// A model that looks at pixels.
    Vision,
    /// A model that reads the list of targets.
    Inferred,
}

impl Source {
    /// Its word, as on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Source::Native => "native",
            Source::Ax => "ax",
            Source::Structure => "structure",
            Source::Ocr => "ocr",
            Source::Shapes => "shapes",
            Source::Vision => "vision",
            Source::Inferred => "inferred",
        }
    }
}

/// Something that a perceiver says can be named and operated.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Who says so.
    pub source: Source,
    /// What it is: an ARIA role, or one of the words of [`crate::model::role`].
    pub role: String,
    /// What it is called: what it says itself, or, where it says nothing, what it belongs to.
    pub name: String,
    /// The texts that were read in it, where who sees it doesn't read by itself.
    pub read: String,
    /// Where it is, in the surface's coordinates.
    pub rect: Rect,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
    /// Why that is said, in words, where the rectangle doesn't come from pixels.
    pub reason: Option<String>,
    /// The element, where the surface knows it: then it is acted on as any other, and not by its place.
    pub element: Option<NativeId>,
    /// The elements whose places it was told from. The same anchors make it the same thing in a later look.
    pub anchors: Vec<NativeId>,
}

impl Claim {
    /// What it shows, as far as anybody but a model that looks at pictures says so: it may call it what it likes.
    pub fn shown(&self) -> &str {
        match self.source {
            Source::Vision => &self.read,
            _ => &self.name,
        }
    }

    /// What `source` sees at a place, as sure as can be.
    pub fn new(source: Source, role: impl Into<String>, name: impl Into<String>, rect: Rect) -> Self {
        Self {
            source,
            role: role.into(),
            name: name.into(),
            read: String::new(),
            rect,
            confidence: 1.0,
            reason: None,
            element: None,
            anchors: Vec::new(),
        }
    }
}
