//! The weights of the text models: which they are, how they are checked ([`verify`]), and how they come here ([`install`]).
//!
//! They are the small PP-OCRv6 models of the PaddleOCR project (Apache-2.0), as the Python package `rapidocr` carries them.

mod fetch;
mod install;
mod pinned;
mod progress;
mod wheel;

pub use install::{Origin, Plan, install};
pub use pinned::{PACKAGE, WHEEL_SIZE, Weight, read, verify};
pub use progress::Progress;

#[cfg(test)]
mod tests;
