//! Traces: what a session did, as a folder that proves itself.
//!
//! [`line`] is what stands in `trace.jsonl`, [`writer`] writes it, [`reader`] reads and verifies it, [`page`] makes one page of HTML
//! of it, [`export`] a test for Playwright, and [`replay`] compares it with what the same calls come to now.

pub mod change;
pub mod export;
pub mod folder;
pub mod line;
pub mod page;
pub mod reader;
pub mod replay;
pub mod tracing;
pub mod writer;
