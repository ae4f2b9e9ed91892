//! What a command does to the world.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a command does to the world; the policy's first category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks only.
    Reads,
    /// Touches the surface.
    Acts,
    /// Handles sessions, tabs and handeye itself.
    Manages,
}
