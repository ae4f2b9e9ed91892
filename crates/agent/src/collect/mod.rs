//! The collector: the addresses of all items of a list, over all of its pages.

pub mod address;
pub mod adverts;
pub mod dom;
pub mod induce;
#[cfg(test)]
mod induce_tests;
pub mod rule;
