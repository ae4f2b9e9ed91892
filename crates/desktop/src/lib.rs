//! The windows of a desktop as a surface.
//!
//! What it is: the ports `Surface` and `Windows` over the platform's accessibility interface: on Linux AT-SPI2 for trees and
//! actions, X11 for windows, input and pixels. Raw records become nodes in code that compiles on every platform
//! ([`record`], [`roles`], [`quirks`]); only the calls are the platform's.
//!
//! What it must never contain: retries, judging, locating. It does what it is told, within limits, and says what it saw.
//!
//! Start reading at `linux/surface.rs`.

pub mod quirks;
pub mod record;
pub mod roles;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod unsupported;

#[cfg(target_os = "linux")]
pub use linux::open;
#[cfg(not(target_os = "linux"))]
pub use unsupported::open;
