//! The web surface of handeye: Chromium-family browsers over the Chrome DevTools Protocol.
//!
//! What it is: getting a browser ([`Chromium`]), and its tab as a `handeye_scene::Surface`: captures by the page script
//! that runs in an isolated world of every document, gestures under a guard inside the events, what came of them.
//!
//! What it must never contain: retries, judging, locating (the engine's); commands; a front end.
//!
//! Start reading at `surface.rs` (the port), then `events.rs` (what the browser tells), `capture.rs` and `guard.rs`.

mod aside;
mod attach;
mod ax;
mod barred;
mod behind;
mod besides;
mod bounds;
mod capture;
mod conceal;
mod console;
mod dial;
mod documents;
mod events;
mod faults;
mod files;
mod find;
#[cfg(test)]
mod fuzz;
mod gestures;
mod guard;
mod hidden;
mod input;
mod intercept;
mod kept;
mod keyboard;
#[cfg_attr(not(unix), path = "unlaunched.rs")]
mod launch;
mod leads;
mod limits;
mod mode;
mod packed;
mod page;
mod paper;
mod passage;
mod peers;
mod place;
mod pretend;
mod probe;
mod protocol;
mod requested;
mod ring;
mod roaming;
mod roots;
mod rows;
mod scripts;
mod search;
mod settle;
mod shots;
mod stores;
mod surface;
mod tabs;
mod traffic;
mod transport;
mod web;
mod wire;
mod world;

pub use find::find;
pub use launch::reap_orphans;
pub use page::script;
pub use surface::Chromium;
