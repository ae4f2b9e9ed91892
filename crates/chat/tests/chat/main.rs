//! The chat backend over HTTP, against a model server that speaks both wires.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod again;
mod agui;
mod attacks;
mod audit;
mod bad_input;
mod client;
mod conformance;
mod conversations;
mod durable;
mod hostile;
mod long;
mod models;
mod page;
mod pairing;
mod policy;
#[cfg(target_os = "linux")]
mod postgres;
mod questions;
mod server;
mod tools;
mod troubled;

use handeye_testkit::postgres as cluster;
