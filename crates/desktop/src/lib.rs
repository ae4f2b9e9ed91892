//! The windows of a desktop as a surface.
//!
//! What it is: the ports `Surface` and `Windows` over the platform's accessibility interface: on Linux AT-SPI2 for trees and
//! actions, X11 for windows, input and pixels; on Windows window messages and Win32. Raw records become nodes in code that
//! compiles on every platform ([`record`], [`roles`], [`quirks`], [`windows`]); only the calls are the platform's.
//!
//! What it must never contain: retries, judging, locating. It does what it is told, within limits, and says what it saw.
//!
//! Start reading at `linux/surface.rs`, or `windows/surface.rs`.

#[cfg(any(target_os = "linux", windows))]
mod failsafe;
#[cfg(any(target_os = "linux", windows))]
mod guard;
mod health;
#[cfg(any(target_os = "linux", windows))]
mod picture;
pub mod quirks;
pub mod record;
pub mod roles;
#[cfg(any(target_os = "linux", windows))]
mod scope;
pub mod windows;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(any(target_os = "linux", windows)))]
mod unsupported;

pub use health::Finding;
#[cfg(not(target_os = "linux"))]
pub use health::examine;
#[cfg(target_os = "linux")]
pub use linux::{examine, open};
#[cfg(not(any(target_os = "linux", windows)))]
pub use unsupported::open;
#[cfg(windows)]
pub use windows::open;
