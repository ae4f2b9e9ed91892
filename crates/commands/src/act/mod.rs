//! Commands that act on a target.

pub mod accept;
pub mod check;
pub mod click;
pub mod drag;
pub mod fill_form;
pub mod focus;
pub mod hover;
pub mod input;
pub mod scroll;
pub mod select;
pub mod upload;
