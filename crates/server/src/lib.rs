//! Front ends: what carries a call from where it is made to the session it is meant for.
//!
//! What it is: the daemon that holds one session ([`daemon`]), the client that finds, starts and calls it ([`client`]),
//! and the private folder both meet in ([`place`]). Calls travel as JSON Lines over a Unix
//! socket, or over a named pipe on Windows (`system`).
//!
//! What it must never contain: commands or decisions about pages (`commands`, `engine`), concrete surfaces, `clap`,
//! reading of the environment, printing. `unsafe` stands in `system/windows.rs` alone.
//!
//! Start reading at [`client`] for the life of a call, then [`daemon`], then [`handle`], the queue in front of a session.

pub mod client;
pub mod daemon;
pub mod handle;
mod hold;
mod lock;
pub mod place;

mod connection;
mod lines;
mod record;
mod start;
mod started;
mod system;

pub use client::{Client, Missing};
pub use daemon::{Serve, serve};
pub use handle::SessionHandle;
pub use place::{Place, SessionName, distrust};
