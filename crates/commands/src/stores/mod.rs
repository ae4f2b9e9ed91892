//! What is kept for pages: cookies, web storage, the clipboard.

pub mod clipboard;
pub mod cookies;
pub mod storage;
