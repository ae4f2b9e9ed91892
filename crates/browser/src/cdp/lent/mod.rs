//! A person's own tab, lent by the browser extension: its panel shows a code, we listen at the port in it, and the extension comes to
//! us. From then on it speaks the protocol as a browser with that one tab does, by a closed list of methods.
//!
//! Start reading at `attach.rs`; the other end is `extension/src/panel/relay.ts`.

mod attach;
mod code;
mod proof;
pub mod wire;

pub(crate) use attach::attach;
