//! Where things may go, what may be pressed and what may be read: origins, bounds of the browser, targets that rules name,
//! redaction of texts.

pub mod bounds;
pub mod origin;
pub(crate) mod redact;
pub mod targets;
