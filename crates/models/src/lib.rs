//! Clients of language and vision models: OpenAI's chat completions and Anthropic's messages behind one request and reply.
//!
//! What it is: the nouns are `handeye_scene::chat`'s; [`wire`] turns them into either wire's JSON and back, [`client`] sends them
//! with limits, retries and a budget, and [`Clients`] is the port by which commands ask the model of a role.
//! What it must never contain: prompts, decisions, or anything that knows of pages and windows.
//!
//! A key is held as [`Secret`]: it is never printed, and taken out of whatever a server says back.

pub mod budget;
pub mod client;
mod clients;
mod dialect;
pub mod endpoint;
pub mod error;
mod pieces;
mod retry;
mod secret;
mod stream;
pub mod wire;

pub use budget::Budget;
pub use client::{Client, Written};
pub use clients::Clients;
pub use endpoint::Endpoint;
pub use error::ModelError;
pub use handeye_scene::Wire;
pub use handeye_scene::chat::{ChatReply, ChatRequest, Delta, Message, Part, Stop, Tool, ToolCall, Usage};
pub use secret::Secret;
pub use wire::estimate;
