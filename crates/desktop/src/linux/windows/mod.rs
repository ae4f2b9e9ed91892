//! The windows of the display, and the programs that they are of.

pub(crate) mod arrange;
pub(crate) mod current_window;
pub(crate) mod grabs;
pub(crate) mod process_tree;
pub(crate) mod relations;
pub(crate) mod window_list;
pub(crate) mod workspaces;
