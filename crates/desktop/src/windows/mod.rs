//! Windows desktops: trees by UI Automation or by window messages; windows, input and pixels by Win32.
//!
//! What a record becomes is decided in code that compiles on every platform; the calls are `calls` alone.

pub mod records;

#[cfg(windows)]
mod calls;
#[cfg(windows)]
mod capture;
#[cfg(windows)]
mod desktop;
#[cfg(windows)]
mod input;
#[cfg(windows)]
mod settle;
#[cfg(windows)]
mod surface;
#[cfg(windows)]
mod top_level;
#[cfg(windows)]
mod window_commands;
#[cfg(windows)]
mod worker;

#[cfg(windows)]
pub use surface::open;
