//! Gestures: by the own means of controls, by the pointer and by keys, each checked right before it.

pub(crate) mod click;
pub(crate) mod deliveries;
pub(crate) mod focus;
pub(crate) mod gestures;
pub(crate) mod held_keys;
pub(crate) mod hold;
pub(crate) mod keyboard;
pub(crate) mod pointer_gestures;
pub(crate) mod ready;
pub(crate) mod state;
pub(crate) mod typing;
pub(crate) mod values;
