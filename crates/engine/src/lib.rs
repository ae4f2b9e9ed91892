//! The decisions of handeye.
//!
//! What it is: what to show of a capture ([`see`], [`outline`]), what changed ([`diff`]), whether a text is the expected
//! one ([`matching`]), which element a locator means ([`locate`]), and the one loop through which every action goes ([`act`]).
//!
//! What it must never contain: I/O, clocks, files, environment. It is async over the ports of `handeye_scene`; time is a port too.
//!
//! Start reading at [`act`], the life of a click.

pub mod act;
pub mod chain;
pub mod locate;
pub mod matching;
pub mod observe;
pub mod perceive;
pub mod policy;
pub mod recording;
pub mod replay;
pub mod wording;

pub use act::act;
pub use act::action::{Action, ClickBy, DropAt};
pub use act::request::{ActionRequest, AimedAt, Asked, Place, Stopped};
pub use handeye_scene::Mask;
pub use locate::Locator;
pub use matching::Expectation;
pub use observe::memory::Memory;
pub use observe::snapshot::Show;
pub use observe::view::View;
pub use policy::bounds::Origins;
pub use policy::redact::Read;
