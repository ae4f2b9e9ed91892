//! Decisions, without I/O: what a model's text calls, whether a call may be made, and which call an answer of the client is about.

pub mod bind;
pub mod call;
pub mod digest;
pub mod effect;
pub mod offer;
pub mod permit;
pub mod redact;
pub mod scan;
pub mod schema;
pub mod sensitive;

pub use call::{Call, Side, Status};
pub use offer::Naming;
