//! Recordings: what a session asked of its surfaces and clock, and what they answered, as JSON Lines that can be played again.
//!
//! [`Recording`] stands around a surface and notes each call; [`Log`] collects the notes of one command, takes passwords and
//! secrets out, and writes them when the command is over. [`Tape`] reads such a file; [`Player`] is the surface that answers
//! from it, and tells the first call that differs.

mod calls;
mod line;
mod log;
mod player;
mod player_ports;
mod recorder;
mod recorder_ports;
mod redact;
mod tape;
#[cfg(test)]
mod tests;

pub use line::FORMAT;
pub use log::Log;
pub use player::Player;
pub use recorder::{Recording, Recordings};
pub use redact::{Masker, is_hidden};
pub use tape::{Group, Outcome, Tape, same};
