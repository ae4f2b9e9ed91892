//! Where things may go and what may be read: origins, bounds of the browser, redaction of texts.

pub mod bounds;
pub mod origin;
pub(crate) mod redact;
