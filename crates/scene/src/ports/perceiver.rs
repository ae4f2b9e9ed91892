//! The port of what sees more in a surface than its tree tells.

use crate::{Capture, Claim, Picture, Problem, Source};
use async_trait::async_trait;

/// What a perceiver needs besides the tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wants {
    /// The surface's pixels.
    pub pixels: bool,
    /// The browser's own accessibility tree, where the tree is that of the page's script.
    pub ax: bool,
}

impl Wants {
    /// What either needs.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { pixels: self.pixels || other.pixels, ax: self.ax || other.ax }
    }
}

/// A surface at one moment, as perceivers get it.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    /// Its tree.
    pub capture: &'a Capture,
    /// Its pixels, where they were asked for and could be had.
    pub picture: Option<&'a Picture>,
    /// The browser's accessibility tree, likewise.
    pub ax: Option<&'a Capture>,
}

/// What a perceiver saw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims {
    /// What it claims.
    pub claims: Vec<Claim>,
    /// What it couldn't see, or left out, in words: nothing is left out in silence.
    pub notes: Vec<String>,
}

impl From<Vec<Claim>> for Claims {
    fn from(claims: Vec<Claim>) -> Self {
        Self { claims, notes: Vec::new() }
    }
}

/// A source of targets besides the surface's own tree: its structure, text and shapes in its pixels, a model.
///
/// A perceiver keeps its own limits on time and cost. One that fails is told of by a notice, and what the others see stands.
#[async_trait]
pub trait Perceiver: Send + Sync {
    /// Whose claims these are.
    fn source(&self) -> Source;
    /// What it needs besides the tree.
    fn wants(&self) -> Wants;
    /// Name and version of what it asks a model, if it asks one.
    fn prompt(&self) -> Option<&str> {
        None
    }
    /// What it sees. `known`: what perceivers before it saw, so that nothing need be found twice.
    async fn perceive(&self, sight: &Sight<'_>, known: &[Claim]) -> Result<Claims, Problem>;
}
