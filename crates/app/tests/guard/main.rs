//! Pages that change while they are acted on, by the library: nothing is hit that was not meant.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)] // a test may stop at the first thing amiss, in its helpers too

mod attached;
mod drop_and_hover;
mod guard_closed;
mod keys_focus;
mod matching;
mod passwords;
mod policy_origins;
mod policy_wording;
mod refusals;
mod rows;
mod sameness;
mod stress;
mod typing;
mod undisturbed;
