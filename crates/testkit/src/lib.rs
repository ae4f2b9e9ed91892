//! What tests share. For tests only: no crate depends on it otherwise.
//!
//! What it is: numbers from a seed ([`Dice`]), how much of a table a test tries ([`Sample`], [`trials`]), generated input for whatever
//! reads what comes from outside ([`fuzz`]); with the feature `models`, a model server (`models`); with
//! `postgres`, a database server (`postgres`); with `chromium`, a browser with the extension in it (`chromium`); with `rendered`, pages as pictures (`rendered`); and, with the feature `live`, what live tests stand on: homes of their own
//! (`home`), pages (`live`, `stage`, `board`), desktops (`desk`, `kinds`), and what every surface must do alike
//! (`contract`).
//!
//! What it must never contain: a rule of the product; a test states itself what it expects of the product.
//!
//! Start reading at [`fuzz::survive`] or at `live::Live`.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too
#![allow(clippy::new_without_default)] // what starts a server or a browser isn't made by default
#![allow(missing_docs)] // fields of a test's table say by their names what they hold

#[cfg(all(feature = "live", unix))]
pub mod board;
#[cfg(all(feature = "chromium", unix))]
pub mod chromium;
#[cfg(feature = "live")]
pub mod clock;
#[cfg(feature = "live")]
pub mod contract;
#[cfg(all(feature = "live", target_os = "linux"))]
pub mod desk;
mod dice;
pub mod fuzz;
#[cfg(all(feature = "live", unix))]
pub mod home;
#[cfg(all(feature = "live", target_os = "linux"))]
pub mod kinds;
#[cfg(all(feature = "live", unix))]
pub mod live;
#[cfg(feature = "models")]
pub mod models;
#[cfg(all(feature = "postgres", unix))]
pub mod postgres;
#[cfg(all(feature = "rendered", unix))]
pub mod rendered;
mod sample;
#[cfg(all(feature = "live", unix))]
pub mod stage;

pub use dice::Dice;
pub use sample::{Sample, is_full, trials};
