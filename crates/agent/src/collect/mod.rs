//! The collector: the addresses of all items of a list, over all of its pages.
//!
//! A model picks a few items of the first page ([`pick`]); from them a rule is made ([`induce`], [`rule`]), held to what the model
//! picks of the second ([`learn`]), and used without it from then on, from page to page ([`paging`], [`walk`]). Each page is noted
//! in a checkpoint ([`journal`]).
//!
//! Start reading at [`run`].

pub mod address;
pub mod adverts;
pub mod asking;
pub mod barrier;
mod begin;
pub mod dom;
pub mod fields;
pub mod induce;
#[cfg(test)]
mod induce_tests;
pub mod journal;
pub mod learn;
pub mod output;
pub mod paging;
#[cfg(test)]
mod paging_tests;
pub mod pick;
pub mod port;
pub mod robots;
pub mod rule;
pub mod run;
#[cfg(test)]
mod run_tests;
pub mod site;
pub mod walk;

pub use journal::Written;
pub use port::{CollectPorts, Store};
pub use run::collect;
