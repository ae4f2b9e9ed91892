//! The chat backend: a person chats about the page they look at, the model proposes actions on it, the person approves, the client in
//! the browser acts, and the answer streams.
//!
//! What it is: the forms of the wire ([`wire`]), what models are told ([`prompt`]), the decisions about calls, results and approvals
//! ([`decide`]), the database ([`store`]), the server's own tools ([`tools`]), runs ([`run`]) and HTTP ([`http`]), each of which names
//! only those before it.
//!
//! What it must never contain: a surface, command line parsing, printing, the environment; SQL outside of `store`, but for what `query_database`
//! wraps.
//!
//! Start reading at [`run`] (`drive.rs`), then `store/accept.rs`: what is accepted is stored before it is answered.

pub mod decide;
pub mod http;
pub mod prompt;
pub mod run;
pub mod store;
pub mod tools;
pub mod wire;
