//! How texts and targets are worded in what people and models read: cut, masked, quoted, named.

pub mod roles;
pub mod shown;
pub mod targets;
