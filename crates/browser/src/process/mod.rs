//! The browser as a process: finding an installed one, launching it, ending it.

pub(crate) mod find;
#[cfg_attr(not(unix), path = "unlaunched.rs")]
pub(crate) mod launch;
pub(crate) mod saved;
pub(crate) mod viewport;
