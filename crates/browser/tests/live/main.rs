//! The surface of web pages, by its own port, on a real Chromium.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod capture_cache;
mod contract;
mod dialogs;
mod fields;
mod frames;
mod guard;
mod life;
mod socks5;
mod stage;
mod tabs;
