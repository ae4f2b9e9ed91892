//! The nouns and ports of handeye.
//!
//! What it is: the types that every other crate speaks (a [`Capture`] of a surface, the [`Target`]s an agent names, an
//! action's [`Receipt`], a [`Problem`]) and the ports that surfaces implement ([`Surface`], [`Web`], [`Windows`]).
//!
//! What it must never contain: decisions, I/O, clocks, sockets, `tokio` or `clap`. The one thing that it computes is whether
//! a text reads as it is held to ([`held`]): engine and surfaces must agree on it to the letter.
//!
//! Start reading at [`surface`], then [`capture`] and [`snapshot`].
//!
//! Coordinates: one space per surface. On the web, CSS pixels of the main viewport; on a desktop, physical pixels of the
//! screen. Origin top left; negative values are allowed and mean "left of" or "above".

pub mod bounds;
pub mod capture;
pub mod clock;
pub mod files;
pub mod geometry;
pub mod gesture;
pub mod heard;
pub mod held;
pub mod id;
pub mod mask;
pub mod pretend;
pub mod probe;
pub mod problem;
pub mod receipt;
pub mod role;
pub mod snapshot;
pub mod state;
pub mod stores;
pub mod surface;
pub mod text;
pub mod tree;
pub mod web;
pub mod windows;

pub use bounds::{Bounds, Ruling};
pub use capture::{Capture, Document, Extra, Node, NodeKind, Notice, Via, Want};
pub use clock::Clock;
pub use files::{Download, FileChooser, Files};
pub use geometry::{Point, Rect};
pub use gesture::{Button, Chord, Delivery, End, Gesture, Guard, Modifiers, MouseStep, RowLabel, Shown, Withheld};
pub use heard::{Body, Console, Exchange, Header, Heard, Look, Matches, Message, Rule, RuleDeed, Traffic};
pub use held::{Destination, Held, HeldRow, HeldText, Said, is_widthless, normalize};
pub use id::{DocumentId, Generation, NativeId, Ref};
pub use mask::Mask;
pub use pretend::{Credentials, Permission, Place, Pretence, Pretends, Scripts, Viewport};
pub use probe::{Cover, EditKind, OptionItem, Probe, Texts};
pub use problem::{Code, Problem};
pub use receipt::{Change, Evidence, Matched, Mutated, Receipt, Tried, Verdict};
pub use snapshot::{DocumentInfo, Fold, Page, Snapshot, Source, Target};
pub use state::{State, States};
pub use stores::{Cookie, StorageArea, StorageChange, StorageItem, Stores};
pub use surface::{Aim, Barred, Cause, Event, Moved, Mutation, Opener, Query, QueryBy, Settled, Stirred, Surface};
pub use tree::{AxNode, DocumentTree, DomKind, DomNode, SessionTree, TreeWant, Trees};
pub use web::{ImageFormat, Launch, Navigation, OpenDialog, Paper, Shot, ShotArea, Tab, Web};
pub use windows::{Arrange, Backend, Desk, Surroundings, Window, Windows, not_there};
