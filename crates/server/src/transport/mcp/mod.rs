//! The Model Context Protocol over standard input and output, or over HTTP ([`http`]): commands as tools, for agents.
//!
//! What it is: the tools ([`tools`]) made from the one list of commands, their schemas cut down by one rule (`commands`, `core/schema.rs`), the
//! answers ([`answer`], [`hints`], [`resources`]), questions to the person behind the client ([`asking`]), and the server that drives a session's daemon by a [`Calls`] ([`server`]).
//!
//! What it must never contain: anything about a single command; what a tool takes is declared with its command.
//!
//! Start reading at [`server`].

pub(crate) mod answer;
pub(crate) mod arguments;
pub(crate) mod asking;
pub(crate) mod hints;
pub(crate) mod http;
mod lines;
pub(crate) mod port;
pub(crate) mod resources;
pub(crate) mod server;
pub(crate) mod sessions;
mod suspended;
pub(crate) mod token;
pub(crate) mod tools;
