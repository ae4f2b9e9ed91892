//! The windows of Windows: `cargo xtask test --windows` runs it.
#![cfg(windows)]
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too
#![allow(clippy::print_stderr)] // what can't be tested here is said, and how far long trials are

mod bad;
mod current;
mod hits;
mod live;
mod matching;
mod notepad;
mod parts;
mod stage;
mod stress;
mod uia;
