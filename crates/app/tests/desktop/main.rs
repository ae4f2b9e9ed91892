//! Apps of GTK 3, GTK 4, Qt and LibreOffice on desktops of the tests' own.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)] // a test may stop at the first thing amiss, in its helpers too

mod and_pages;
mod apps;
mod bad;
mod busy;
mod causes;
mod contract;
mod crowd;
mod current;
mod dialogs;
mod do_task;
mod doctor;
mod failsafe;
mod forms;
mod handles;
mod hands;
mod kits;
mod late;
mod launch;
mod locate;
mod matching;
mod menus;
mod policy_wording;
mod regions;
mod rows;
mod sight;
mod stress;
mod surface;
mod thunar;
mod treeless;
mod undisturbed;
mod windows;
mod workspaces;
