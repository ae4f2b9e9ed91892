//! What windows show: trees as records and elements, by either interface; and single elements looked at closely.

pub(crate) mod compound;
pub(crate) mod controls;
pub(crate) mod hit_test;
pub(crate) mod probe;
pub(crate) mod tree;
pub(crate) mod trees;
pub(crate) mod uia;
pub(crate) mod win32;
pub(crate) mod window_group;
