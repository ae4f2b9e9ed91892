//! What is seen and how it is told: snapshots, outlines, what changed, what is folded, what a session remembers.

pub(crate) mod blocked;
pub mod came_up;
pub(crate) mod collapse;
pub(crate) mod cost;
pub mod diff;
pub mod hybrid;
pub mod memory;
pub mod menus;
pub mod outline;
pub(crate) mod pages;
pub mod refs;
pub mod snapshot;
mod texts;
pub mod verify;
pub mod view;
pub mod wait;
