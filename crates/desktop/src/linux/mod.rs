//! Linux desktops: AT-SPI2 for trees and actions, X11 for windows, input and pixels.

mod apps;
mod bars;
mod bulk;
mod bus;
mod cells;
mod choice;
mod click;
mod clip;
mod coming;
mod desk;
mod display;
mod gestures;
mod health;
mod held;
mod ids;
mod input;
mod kept;
mod keymap;
mod layout;
mod notes;
mod patience;
mod ping;
mod pixels;
mod probe;
mod rest;
mod sight;
mod surface;
mod tree;
mod typing;
mod values;
mod whose;
mod windows;
mod workspaces;

pub use health::examine;
pub use surface::open;
