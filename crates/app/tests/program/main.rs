//! The program without a page: its command line, its daemon, what others send to it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)] // a test may stop at the first thing amiss, in its helpers too

mod agui_client;
mod chat;
mod chat_kills;
mod cli;
mod config;
mod daemon;
mod daemon_live;
mod hostile_protocol;
mod lent;
mod lent_banner;
mod lent_ends;
mod lent_snapshot;
mod lent_stage;
mod mcp;
mod mcp_ask;
mod mcp_bad;
mod mcp_clients;
mod mcp_do;
mod mcp_http;
mod packaging;
mod pairing;
mod panel;
mod panel_stage;
mod policy_wording;
#[path = "../web/schema.rs"]
mod schema;
mod serve_mistakes;
mod serving;
mod skill;
mod strangers;
mod text_models;
