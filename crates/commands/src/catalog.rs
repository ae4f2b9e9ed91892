//! The one list of commands, in the order in which help shows them.

use crate::command::Entry;
use crate::session::Kind::{Desktop, Pages};
use crate::{
    check, click, close, console, cookies, dialog, download, drag, find, focus, get, history, hover, input, inspect,
    keys, machine, menu, mouse, network, open, point,
};
use crate::{clipboard, eval, highlight, pdf, permissions, set};
use crate::{screenshot, scroll, select, snapshot, state, storage, tabs, upload, wait, windows};

/// Every command.
pub static COMMANDS: &[Entry] = &[
    Entry::of::<open::Open>().opening(),
    Entry::of::<state::State>(),
    Entry::of::<snapshot::Snapshot>().on(Pages),
    Entry::of::<find::Find>(),
    Entry::of::<inspect::Inspect>(),
    Entry::of::<get::Get>(),
    Entry::of::<screenshot::Screenshot>(),
    Entry::of::<click::Click>(),
    Entry::of::<click::Dblclick>(),
    Entry::of::<click::Rightclick>(),
    Entry::of::<hover::Hover>(),
    Entry::of::<focus::Focus>(),
    Entry::of::<input::Input>(),
    Entry::of::<keys::Type>(),
    Entry::of::<keys::Keys>(),
    Entry::of::<select::Select>(),
    Entry::of::<check::Check>(),
    Entry::of::<check::Uncheck>(),
    Entry::of::<check::Expand>(),
    Entry::of::<check::Collapse>(),
    Entry::of::<scroll::Scroll>(),
    Entry::of::<drag::Drag>(),
    Entry::of::<upload::Upload>(),
    Entry::of::<download::Download>().on(Pages),
    Entry::of::<point::ClickAt>(),
    Entry::of::<point::DblclickAt>(),
    Entry::of::<point::RightclickAt>(),
    Entry::of::<point::DragAt>(),
    Entry::of::<mouse::Mouse>(),
    Entry::of::<keys::Keydown>(),
    Entry::of::<keys::Keyup>(),
    Entry::of::<wait::Wait>(),
    Entry::of::<history::Back>().on(Pages),
    Entry::of::<history::Forward>().on(Pages),
    Entry::of::<history::Reload>().on(Pages),
    Entry::of::<tabs::Tabs>().on(Pages),
    Entry::of::<dialog::Dialog>().on(Pages),
    Entry::of::<eval::Eval>().on(Pages),
    Entry::of::<highlight::Highlight>(),
    Entry::of::<pdf::Pdf>().on(Pages),
    Entry::of::<clipboard::Clipboard>(),
    Entry::of::<set::Set>().on(Pages),
    Entry::of::<permissions::Permissions>().on(Pages),
    Entry::of::<console::Console>().on(Pages),
    Entry::of::<console::Errors>().on(Pages),
    Entry::of::<network::Network>().on(Pages),
    Entry::of::<cookies::Cookies>().on(Pages),
    Entry::of::<storage::Storage>().on(Pages),
    Entry::of::<menu::Menu>().on(Desktop),
    Entry::of::<windows::Windows>().on(Desktop).opening(),
    Entry::of::<windows::Launch>().on(Desktop).opening(),
    Entry::of::<windows::Place>().on(Desktop),
    Entry::of::<close::Close>(),
    Entry::host::<machine::Sessions>(),
    Entry::host::<machine::Config>(),
    Entry::host::<machine::Doctor>(),
    Entry::host::<machine::Completions>(),
    Entry::host::<machine::Version>(),
];

/// What other tools call our commands: the other name and ours.
pub const ALIASES: &[(&str, &str)] =
    &[("press", "keys"), ("fill", "input"), ("goto", "open"), ("navigate", "open"), ("tab", "tabs")];
