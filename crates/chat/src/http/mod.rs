//! HTTP: connections with limits, who is let in, and the routes.

mod admit;
mod agui;
mod answer;
mod chat;
mod conversations;
mod events;
mod follow;
mod listen;
mod openapi;
mod pair;
mod rate;
mod refusals;
mod routes;
mod sight;
mod snapshot;
mod steady;
mod watch;

pub use admit::{Door, check_origin};
pub use listen::{DRAIN, Listen, serve, serve_with};
pub use openapi::document;
pub use sight::{Snapshots, Wanted};
