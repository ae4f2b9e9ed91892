//! Gestures: pointer, keyboard, drag, upload, under the guard; and waiting for what comes of them.
//!
//! Start reading at `gestures.rs`, then `hand.rs` and `guard.rs`.

pub(crate) mod at_once;
mod clipboard;
pub(crate) mod deaf;
pub(crate) mod gestures;
mod guard;
pub(crate) mod hand;
mod keyboard;
mod keys;
mod listeners;
mod mode;
mod pointer;
pub(crate) mod settle;
mod spot;
mod stops;
mod upload;
pub(crate) mod whence;
