//! Every command of handeye, declared once.
//!
//! What it is: the [`Command`] trait, the one list [`COMMANDS`], the [`Session`] that commands run on, and [`dispatch`],
//! the single point through which every call of every front end passes, with the [`Policy`] check in it.
//!
//! What it must never contain: a concrete surface (browser, desktop), sockets, printing, reading of environment or files
//! other than those a command names.
//!
//! Start reading at [`command`], then `click.rs` as the model of a command file.

pub mod accept;
pub mod acting;
pub mod args;
pub mod catalog;
pub mod check;
pub mod chord;
pub mod click;
pub mod clipboard;
pub mod close;
pub mod command;
pub mod console;
pub mod cookies;
pub mod devices;
pub mod dialog;
pub mod dispatch;
mod domain;
pub mod download;
pub mod drag;
pub mod effect;
pub mod eval;
pub mod find;
pub mod focus;
pub mod get;
pub mod har;
pub mod highlight;
pub mod history;
pub mod host;
pub mod hover;
pub mod input;
pub mod inspect;
pub mod keys;
pub mod machine;
pub mod menu;
pub mod mouse;
pub mod network;
pub mod numbers;
pub mod open;
pub mod pdf;
pub mod permissions;
mod permit;
pub mod point;
pub mod policy;
pub mod render;
pub mod screenshot;
pub mod scroll;
pub mod secrets;
pub mod select;
pub mod session;
pub mod set;
pub mod settings;
pub mod snapshot;
pub mod state;
pub mod storage;
pub mod tabs;
pub mod unread;
pub mod upload;
pub mod wait;
pub mod windows;
pub mod wire;
mod withheld;

pub use catalog::{ALIASES, COMMANDS};
pub use command::{Command, Entry, Reply, Run};
pub use dispatch::dispatch;
pub use effect::Effect;
pub use host::{Check, Host, HostCommand, SessionInfo};
pub use policy::{Decision, Place, Policy};
pub use render::Render;
pub use session::Session;
pub use settings::Settings;
pub use wire::{Flags, Request, Response, ReturnState, Status};
