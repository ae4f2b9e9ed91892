//! Front ends: what carries a call from where it is made to the session it is meant for.
//!
//! What it is: the daemon that holds one session ([`daemon`]), the client that finds, starts and calls it ([`client`]),
//! and the private folder both meet in ([`place`]), and the live view of a session (`transport::view`). Calls travel as JSON Lines over a Unix
//! socket, or over a named pipe on Windows (`system`).
//!
//! What it must never contain: commands or decisions about pages (`commands`, `engine`), concrete surfaces, `clap`,
//! reading of the environment, printing. `unsafe` stands in `system/windows.rs` alone.
//!
//! Start reading at [`client`] for the life of a call, then [`daemon`], then [`handle`], the queue in front of a session.

pub mod client;
pub mod process;
pub mod session;
pub(crate) mod transport;

pub use client::{Client, Missing};
pub use process::runtime_dir::{Place, SessionName, distrust};
pub use session::daemon::{Serve, serve};
pub use session::handle::SessionHandle;
pub use transport::http::Listen;
pub use transport::mcp::http::serve_mcp_http;
pub use transport::mcp::port::{Asked, Asks, Caller, Calls, Options};
pub use transport::mcp::server::serve_mcp;
pub use transport::mcp::token::token;
pub use transport::system::when_asked_to_end;
pub use transport::view::{Views, serve_view};
