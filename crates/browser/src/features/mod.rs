//! What else a web surface can do, a file for each.

pub(crate) mod address;
pub(crate) mod console;
pub(crate) mod dialogs;
pub(crate) mod downloads;
pub(crate) mod emulation;
pub(crate) mod highlight;
mod intercept;
pub(crate) mod location;
pub(crate) mod navigation;
pub(crate) mod network;
pub(crate) mod pdf;
mod redaction;
pub(crate) mod screenshot;
pub(crate) mod scripts;
pub(crate) mod storage;
pub(crate) mod tabs;
pub(crate) mod trees;
