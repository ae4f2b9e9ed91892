//! Linux desktops: AT-SPI2 for trees and actions, X11 for windows, input and pixels.

mod atspi;
mod capture;
mod desktop;
mod geometry;
mod health;
mod input;
mod launch;
mod settle;
mod surface;
mod window_commands;
mod windows;
mod x11;

pub use health::examine;
pub use surface::open;
