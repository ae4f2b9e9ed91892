//! HTTP: connections with limits, who is let in, and the routes.

mod admit;
mod answer;
mod chat;
mod listen;
mod rate;
mod routes;
mod watch;

pub use admit::Door;
pub use listen::{Listen, serve};
