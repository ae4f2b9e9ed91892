//! The browser extension, live: loaded into Chromium as a person loads it, its side panel opened by its button, a server of the
//! test's own on the other side. `cargo xtask extension` builds what is loaded here; `cargo xtask test` does so by itself.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod attacks;
mod capture;
mod cards;
mod faults;
mod frames;
mod lent;
mod looks;
mod panel;
mod refused;
mod server;
mod stage;
mod stale;
mod stops;
mod styles;
mod together;
mod tools;
mod turns;
mod words;

use handeye_testkit::chromium;
