//! Commands that look at a page or window and change nothing.

pub mod annotate;
pub mod find;
pub mod get;
pub mod highlight;
pub mod inspect;
pub mod locate;
pub mod perceive;
pub mod screenshot;
pub mod snapshot;
pub mod state;
pub mod verify;
pub mod wait;
