//! The chat backend over HTTP, against a model server that speaks both wires.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod client;
mod conformance;
mod durable;
mod hostile;
mod models;
mod page;
mod server;
