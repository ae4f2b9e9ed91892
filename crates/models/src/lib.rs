//! Clients of language and vision models: OpenAI's chat completions and Anthropic's messages behind one request and reply.
//!
//! What it is: [`chat`] has the nouns, [`wire`] turns them into either wire's JSON and back, [`client`] sends them with limits,
//! retries and a budget. What it must never contain: prompts, decisions, or anything that knows of pages and windows.
//!
//! A key is held as [`Secret`]: it is never printed, and taken out of whatever a server says back.

pub mod budget;
pub mod chat;
pub mod client;
pub mod endpoint;
pub mod error;
mod retry;
mod secret;
mod stream;
pub mod wire;

pub use budget::{Budget, Usage};
pub use chat::{ChatReply, ChatRequest, Delta, Message, Part, Stop, Tool, ToolCall};
pub use client::Client;
pub use endpoint::{Endpoint, Wire};
pub use error::ModelError;
pub use secret::Secret;
