//! The decisions of handeye.
//!
//! What it is: what to show of a capture ([`see`], [`outline`]), what changed ([`diff`]), whether a text is the expected
//! one ([`matching`]), which element a locator means ([`locate`]), and the one loop through which every action goes ([`act`]).
//!
//! What it must never contain: I/O, clocks, files, environment. It is async over the ports of `handeye_scene`; time is a port too.
//!
//! Start reading at [`act`], the life of a click.

pub mod act;
mod ask;
mod blank;
pub mod bounds;
mod cost;
pub mod crosshair;
pub mod deed;
pub mod diff;
pub mod drawn;
pub mod eye;
pub mod find;
mod fold;
pub mod hybrid;
pub mod judge;
pub mod late;
pub mod locate;
pub mod marks;
mod mask;
pub mod matching;
pub mod mutations;
pub mod origin;
pub mod outline;
mod pages;
pub mod refs;
pub mod replay;
pub mod see;
pub mod shown;
pub mod view;
pub mod wait;
pub mod window;

pub use act::act;
pub use ask::Ask;
pub use bounds::Origins;
pub use deed::{ClickBy, Deed, DropAt};
pub use eye::Eye;
pub use handeye_scene::Mask;
pub use locate::Locator;
pub use mask::Read;
pub use matching::Expectation;
pub use see::Show;
pub use view::View;
