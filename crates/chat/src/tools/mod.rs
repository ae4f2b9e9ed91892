//! Tools of the server: what is carried out here once the person has agreed.

mod configured;
mod fetch;
mod found;
mod http;
pub mod mcp;
mod port;
mod query;
mod query_file;
mod search;
mod text;

pub use configured::{check, configured};
pub use fetch::FetchUrl;
pub use port::ServerTool;
pub use query::QueryDatabase;
pub use search::SearchWeb;
