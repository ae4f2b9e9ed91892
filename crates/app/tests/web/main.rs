//! Pages in a real Chromium, by the command line: what a user types, and what it comes to.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)] // a test may stop at the first thing amiss, in its helpers too

mod ahead;
mod answered;
mod bad_browser;
mod bad_input;
mod bounds;
mod bounds_public;
mod bounds_ways;
mod commands_click;
mod commands_fill;
mod commands_pages;
mod commands_see;
mod commands_targets;
mod dead_clicks;
mod drawn;
mod expectations;
mod features;
mod folds;
mod forms;
mod hard;
mod hard_actions;
mod hard_page;
mod hostile_pages;
mod hostile_sizes;
mod hung;
mod late_effects;
mod mutations;
mod pointer_options;
mod policy_inside;
mod policy_session;
mod policy_touched;
mod schema;
mod secrets;
mod session_effects;
mod session_files;
mod session_heard;
mod session_set;
mod session_stores;
mod snapshot;
mod verdicts;
mod web_verdicts;
