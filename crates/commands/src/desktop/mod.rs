//! Commands of desktops alone.

pub mod menu;
pub mod windows;
