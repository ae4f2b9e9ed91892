//! The forms that travel: requests read field by field, chunks written as the document writes them, errors.

pub mod agui;
pub mod agui_fields;
pub mod chunk;
pub mod error;
pub mod fields;
pub mod json;
mod numeral;
pub mod page;
pub mod reply;
pub mod request;
pub mod tool;

pub use error::{ChatError, ErrorCode};
pub use json::Json;
pub use numeral::Numeral;
pub use page::{Element, Page};
pub use request::{ChatBody, Role};
pub use tool::ToolSpec;
