//! The web surface of handeye: Chromium-family browsers over the Chrome DevTools Protocol.
//!
//! What it is: getting a browser ([`Chromium`]), and its tab as a `handeye_scene::Surface`: captures by the page script
//! that runs in an isolated world of every document, gestures under a guard inside the events, what came of them.
//!
//! What it must never contain: retries, judging, locating (the engine's); commands; a front end.
//!
//! Start reading at `browser.rs` and `web.rs` (the ports), then `targets/events.rs` (what the browser tells), `capture/look.rs` and
//! `input/guard.rs`.

mod browser;
mod capture;
mod cdp;
mod egress;
mod features;
#[cfg(test)]
mod fuzz;
mod input;
mod model;
mod page;
mod process;
mod protocol;
mod targets;
mod web;

pub use browser::Chromium;
pub use cdp::lent::wire as lent;
pub use features::address::address;
pub use page::{joined, script};
pub use process::find::find;
pub use process::launch::reap_orphans;
