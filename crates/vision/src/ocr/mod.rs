//! Reading text: detection (where lines are), recognition (what they say), and what is kept between two looks.

mod crop;
mod ctc;
mod detect;
mod gaps;
mod geometry;
mod line;
mod memory;
mod network;
mod recognize;
mod regions;
mod tiles;

pub use line::{Budget, Line, Reading, Spent, Word};
pub use memory::Memory;
pub use network::Ocr;
