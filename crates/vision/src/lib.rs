//! What a picture shows, found on this machine: lines of text, and boxes that look like controls.
//!
//! - Text ([`Ocr`]): PP-OCR models run by `rten`. [`Ocr::read`] reads one picture; [`Memory`] keeps what was read of a
//!   surface, so that the next look reads only what changed.
//! - Controls ([`shapes`]): boxes from flat colours and outlines, combined with the lines of text. No model.
//! - Weights ([`weights`]): installed on request, checked on every load, never part of the build.
//!
//! Units: every rect that comes out, but those of [`claims`], is in pixels of the picture that went in; origin top left, whole numbers. A picture's
//! [`scale`](Picture::scale) (its pixels per unit of the surface) tells how large text and controls are to be expected.
//!
//! What it must never contain: surfaces, tokio, the network (pip fetches the weights), prompts, decisions about what to act on.
//!
//! Nothing here panics or hangs whatever the picture holds: sizes are bounded ([`Picture::rgba`]), and reading stops when
//! its [`Budget`] is used up and says what it left unread.
//!
//! Start reading at `ocr/memory.rs` and `shapes/mod.rs`.

mod area;
mod error;
mod ocr;
mod picture;
mod shapes;
mod sight;
pub mod weights;

pub use error::VisionError;
pub use ocr::{Budget, Line, Memory, Ocr, Reading, Spent, Word};
pub use picture::{MAX_PIXELS, Picture};
pub use shapes::{Kind, Shape, shapes};
pub use sight::claims;
