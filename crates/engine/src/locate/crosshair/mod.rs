//! Finding an element by asking where it lies relative to a crosshair drawn on the picture (seed 1).
//!
//! A judge, usually a vision model, sees the whole picture with one vertical and one horizontal line, and says of each line
//! whether the element is before it, behind it or crossed by it. A judge errs, so nothing is ever ruled out: [`belief`] keeps a
//! probability for every candidate, for what is seen and is none of them, and for what isn't seen; [`question`] picks the crosshair or the set of marks that tells most, and [`search`] goes
//! on until one candidate is probable enough. Where there are no candidates, [`edges`] finds the four edges alike, and
//! [`pinpoint`] goes on from there until a region is probable enough. [`reply`] reads what the judge writes.
//!
//! Pure: the pictures, the judge and the time are the caller's. Coordinates are those of the picture that the lines are
//! drawn on, in pixels from its top left corner. Over the ports it is [`super::sight`].

mod axis;
pub mod belief;
mod boxes;
pub mod edges;
mod marked;
mod odds;
pub mod pinpoint;
pub mod question;
pub mod reply;
pub mod search;
mod spans;

pub use belief::Belief;
pub use edges::Edges;
pub use pinpoint::Pinpoint;
pub use question::{Marks, Question};
pub use reply::{Reply, Side};
pub use search::{Found, Search, Settings};
