//! Commands of pages alone: addresses, tabs, dialogs, scripts, paper, emulation.

pub mod close;
pub mod devices;
pub mod dialog;
pub mod download;
pub mod eval;
pub mod history;
pub mod open;
pub mod pdf;
pub mod permissions;
mod proxy;
pub mod set;
pub mod tabs;
