//! The decisions on recorded surfaces: what is listed, folded and written, and what the act loop does.
#![allow(clippy::unwrap_used)] // a test may stop at the first thing amiss, in its helpers too

mod act;
mod aftermath;
mod aims;
mod collapse;
mod fuzz;
mod late;
mod lines;
mod locate;
mod looks;
mod pointed;
mod region;
mod with_pointer;
