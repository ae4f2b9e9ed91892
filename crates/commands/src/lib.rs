//! Every command of handeye, declared once.
//!
//! What it is: the [`Command`] trait, the one list [`COMMANDS`], the [`Session`] that commands run on, and [`dispatch`],
//! the single point through which every call of every front end passes, with the [`Policy`] check in it.
//!
//! What it must never contain: a concrete surface (browser, desktop), sockets, printing, reading of environment or files
//! other than those a command names.
//!
//! Start reading at [`command`], then `click.rs` as the model of a command file.

pub mod act;
pub mod core;
pub mod desktop;
pub mod dispatch;
pub mod flow;
pub mod host;
pub mod keyboard;
pub mod look;
pub mod network;
pub mod page;
pub mod point;
pub mod stores;
pub mod trace;
pub use core::command::{AimCommand, Command, Entry, Reply, Run, StepsCommand};
pub use core::effect::Effect;
pub use core::host::{Check, Host, HostCommand, Installed, ModelFile, SessionInfo, SkillFile, TextModels};
pub use core::policy::{Decision, Place, Policy};
pub use core::render::Render;
pub use core::session::Session;
pub use core::settings::Settings;
pub use core::wire::{Flags, Request, Response, ReturnState, Status};
pub use dispatch::aliases::{ALIASES, SHORTHANDS, by_meaning, by_option};
pub use dispatch::catalog::COMMANDS;
pub use dispatch::dispatch;
