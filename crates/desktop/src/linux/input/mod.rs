//! Gestures: by accessible actions and values, by the pointer and by keys, each checked right before it.

pub(crate) mod actions;
pub(crate) mod click;
pub(crate) mod deliveries;
pub(crate) mod double_click;
pub(crate) mod focus;
pub(crate) mod gestures;
pub(crate) mod keyboard;
pub(crate) mod last_look;
pub(crate) mod options;
pub(crate) mod patience;
pub(crate) mod pointer_gestures;
pub(crate) mod ready;
pub(crate) mod state;
pub(crate) mod strike;
pub(crate) mod typing;
pub(crate) mod values;
pub(crate) mod walk_list;
