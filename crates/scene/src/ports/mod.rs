//! The ports: what surfaces and machines implement.

pub mod bounds;
pub mod clock;
pub mod consent;
pub mod emulation;
pub mod files;
pub mod interrupt;
pub mod models;
pub mod perceiver;
pub mod reader;
pub mod stores;
pub mod surface;
pub mod web;
pub mod windows;
