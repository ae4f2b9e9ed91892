//! The X display: its connection, and what is read from it and sent to it.

pub(crate) mod clipboard;
pub(crate) mod copies;
pub(crate) mod crash_recovery;
pub(crate) mod display;
pub(crate) mod handed_on;
pub(crate) mod held_keys;
pub(crate) mod keyboard;
pub(crate) mod keymap;
pub(crate) mod layout;
pub(crate) mod lent_keys;
pub(crate) mod overlay;
pub(crate) mod pending_windows;
pub(crate) mod ping;
pub(crate) mod pointer;
pub(crate) mod quiesce;
pub(crate) mod screenshot;
pub(crate) mod server;
pub(crate) mod xtest;
