//! Runs: one answer of a conversation each, from what was accepted to the next call or the end.

mod budget;
mod catalog;
mod compose;
mod drive;
mod hearing;
mod log;
mod meter;
mod model;
mod person;
mod service;
mod stop;
mod tool_sets;

pub use catalog::{Catalog, key_variable};
pub use hearing::Hearing;
pub use log::{Reader, RunLog};
pub use service::{Asked, Limits, Run, Service, Word, said};
