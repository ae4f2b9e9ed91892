//! What every command stands on: declaration, session, settings, policy, secrets, wire form.

pub mod acting;
pub mod aims;
pub mod args;
pub mod chat_settings;
pub mod command;
pub(crate) mod described;
pub(crate) mod domain;
pub mod effect;
pub mod host;
pub mod locator;
pub mod modifiers;
pub mod named;
pub mod nonce;
pub(crate) mod permission;
pub mod policy;
pub mod read_policy;
pub mod render;
pub mod saved;
pub mod schema;
pub mod secrets;
pub mod session;
pub mod settings;
pub mod spelling;
pub mod steps;
pub mod value_parsers;
pub mod wire;
