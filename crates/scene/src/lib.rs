//! The nouns and ports of handeye.
//!
//! What it is: the types that every other crate speaks (a [`Capture`] of a surface, the [`Target`]s an agent names, an
//! action's [`Receipt`], a [`Problem`]) and the ports that surfaces implement ([`Surface`], [`Web`], [`Windows`]).
//!
//! What it must never contain: decisions, I/O, clocks, sockets, `tokio` or `clap`. What it computes is whether
//! a text reads as it is held to ([`held`]): engine and surfaces must agree on it to the letter; and how a [`Hint`] is
//! read and written.
//!
//! Start reading at [`surface`], then [`capture`] and [`snapshot`].
//!
//! Coordinates: one space per surface. On the web, CSS pixels of the main viewport; on a desktop, physical pixels of the
//! screen. Origin top left; negative values are allowed and mean "left of" or "above".

pub mod model;
pub mod ports;
pub use model::activity::{
    Batch, Body, Console, Header, Look, Matches, Message, NetworkRequest, Rule, RuleAction, Traffic,
};
pub use model::capture::{Border, Capture, Document, Extra, Node, NodeKind, Notice, Via, Want};
pub use model::chat;
pub use model::claim::{Claim, Source};
pub use model::collect;
pub use model::denied::DeniedOrigins;
pub use model::geometry::{Point, Rect};
pub use model::gesture::{
    Button, Chord, Delivery, End, Gesture, Guard, InputMethod, Modifiers, MouseStep, RowLabel, Shown, Withheld,
};
pub use model::held::{Destination, Held, HeldRow, HeldText, Said, is_widthless, normalize};
pub use model::hint::Hint;
pub use model::id::{DocumentId, Generation, NativeId, Ref, TargetId};
pub use model::mark::{Colour, Mark};
pub use model::mask::Mask;
pub use model::picture::Picture;
pub use model::press::{PressBy, Pressed, TargetRule};
pub use model::probe::{Cover, EditKind, OptionItem, Probe, Texts};
pub use model::problem::{Code, Problem};
pub use model::question;
pub use model::receipt::{Change, Described, DescribedBy, Evidence, Matched, Mutated, Receipt, Tried, Verdict};
pub use model::snapshot::{Annotation, DocumentInfo, Fold, Page, Snapshot, Target};
pub use model::state::{State, States};
pub use model::task;
pub use model::tree::{AxNode, DocumentTree, DomKind, DomNode, SessionTree, TreeWant, Trees};
pub use ports::bounds::{Bounds, Ruling};
pub use ports::clock::Clock;
pub use ports::consent::{Consent, Consented, Question};
pub use ports::emulation::{Credentials, Emulate, Emulation, Permission, Place, Scripts, Viewport};
pub use ports::files::{Download, FileChooser, Files};
pub use ports::interrupt::Interrupts;
pub use ports::models::{
    KEY_VARIABLE, ModelAccess, ModelKeys, ModelRole, Models, ModelsConfig, RoleConfig, RoleSettings, Wire,
};
pub use ports::perceiver::{Claims, Perceiver, Sight, Wants};
pub use ports::reader::Reader;
pub use ports::stores::{Cookie, StorageArea, StorageChange, StorageItem, Stores};
pub use ports::surface::{
    Aim, Cause, DenyRules, Event, Moved, Mutation, Opener, Query, QueryBy, Settled, Stirred, Surface, Whence,
};
pub use ports::web::{ImageFormat, Launch, Navigation, OpenDialog, Paper, ScrollState, Shot, ShotArea, TAB, Tab, Web};
pub use ports::windows::{Arrange, Backend, DesktopConfig, Surroundings, Window, Windows, not_there};
