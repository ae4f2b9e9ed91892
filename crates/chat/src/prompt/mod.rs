//! What models are told: the agent's own prompt, tools for models that can't be given any otherwise, and the page as data.

pub mod page;
pub mod system;
pub mod tools;
