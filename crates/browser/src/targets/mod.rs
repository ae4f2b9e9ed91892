//! What the browser tells of its targets: tabs, frames, documents and their sessions; and sessions of our own.
//!
//! Start reading at `events.rs`, then `sessions.rs`.

pub(crate) mod clipboard;
mod console;
mod contexts;
mod dialogs;
mod downloads;
pub(crate) mod emulation_calls;
pub(crate) mod events;
mod faults;
pub(crate) mod file_names;
pub(crate) mod first_page;
mod frames;
pub(crate) mod hidden_tab;
mod paused;
mod requests;
pub(crate) mod second_session;
pub(crate) mod sessions;
mod signals;
mod thaw;
mod values;
