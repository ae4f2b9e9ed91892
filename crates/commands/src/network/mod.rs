//! What pages say and load.

pub mod answer;
pub mod console;
pub mod har;
pub mod requests;
