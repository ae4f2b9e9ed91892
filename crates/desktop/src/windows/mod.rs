//! Windows desktops: trees by UI Automation or by window messages; windows, input and pixels by Win32.
//!
//! What a record becomes is decided in code that compiles on every platform; the calls are `calls` alone.

pub mod automation;
pub mod classes;
pub mod control;
pub mod element;
pub mod ids;
pub mod keys;
pub mod seen;
pub mod slots;

#[cfg(windows)]
mod calls;
#[cfg(windows)]
mod click;
#[cfg(windows)]
mod compound;
#[cfg(windows)]
mod current;
#[cfg(windows)]
mod desk;
#[cfg(windows)]
mod gestures;
#[cfg(windows)]
mod hands;
#[cfg(windows)]
mod hold;
#[cfg(windows)]
mod pointing;
#[cfg(windows)]
mod probe;
#[cfg(windows)]
mod sight;
#[cfg(windows)]
mod surface;
#[cfg(windows)]
mod tree;
#[cfg(windows)]
mod trees;
#[cfg(windows)]
mod typing;
#[cfg(windows)]
mod uia;
#[cfg(windows)]
mod values;
#[cfg(windows)]
mod win32;

#[cfg(windows)]
pub use surface::open;
