//! Marks over elements, for the eyes of a person or in a picture.

use crate::{NativeId, Rect};
use serde::{Deserialize, Serialize};

/// A colour: red, green and blue, 0 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Colour(pub u8, pub u8, pub u8);

/// A mark over an element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// The element.
    pub id: NativeId,
    /// Where it is, in the surface's coordinates.
    pub rect: Rect,
    /// The colour of its frame.
    pub colour: Colour,
    /// What stands beside it.
    pub label: Option<String>,
}
