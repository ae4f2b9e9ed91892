//! Commands that need no session, and the port by which they reach the machine.

pub mod collect;
pub mod do_task;
pub mod host_commands;
pub mod models;
pub mod question;
pub mod skill;
pub mod trace;
