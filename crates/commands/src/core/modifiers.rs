//! Modifier keys that are held while the pointer acts.

use handeye_scene::Modifiers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A modifier key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Modifier {
    /// Alt or Option
    Alt,
    /// Control
    Ctrl,
    /// Command or Windows
    Meta,
    /// Shift
    Shift,
}

/// The keys as a set.
pub fn modifiers(keys: &[Modifier]) -> Modifiers {
    let has = |k| keys.contains(&k);
    Modifiers {
        alt: has(Modifier::Alt),
        ctrl: has(Modifier::Ctrl),
        meta: has(Modifier::Meta),
        shift: has(Modifier::Shift),
    }
}
