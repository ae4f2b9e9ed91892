//! Tools of the server: what is carried out here once the person has agreed.

mod configured;
mod port;
mod search;

pub use configured::configured;
pub use port::ServerTool;
pub use search::SearchWeb;
