//! The connection to a browser: what travels, how long it may take, and calls into pages. Knows no feature.
//!
//! Start reading at `link.rs`.

pub(crate) mod attach;
mod deadline;
pub(crate) mod lent;
pub(crate) mod link;
pub(crate) mod outbox;
pub(crate) mod page_call;
pub(crate) mod silent;
pub(crate) mod transport;
pub(crate) mod unanswered;
pub(crate) mod wire;
