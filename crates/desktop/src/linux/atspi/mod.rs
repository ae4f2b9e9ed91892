//! The accessibility bus: objects that are asked for one by one or in bulk, and what is known of apps.

pub(crate) mod apps;
pub(crate) mod bus;
pub(crate) mod change_log;
pub(crate) mod ids;
pub(crate) mod last_word;
pub(crate) mod main_thread;
pub(crate) mod objects;
pub(crate) mod scroll_into_view;
