//! The program on Windows: `cargo xtask test --windows` runs it.
#![cfg(windows)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)] // a test may stop at the first thing amiss, in its helpers too

mod contract;
mod program;
