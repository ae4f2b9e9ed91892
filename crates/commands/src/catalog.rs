//! The one list of commands, in the order in which help shows them.

use crate::command::Entry;
use crate::{
    check, click, close, cookies, dialog, drag, find, focus, get, history, hover, input, inspect, keys, machine, mouse,
    open, point,
};
use crate::{screenshot, scroll, select, snapshot, state, storage, tabs, upload, wait};

/// Every command.
pub static COMMANDS: &[Entry] = &[
    Entry::of::<open::Open>(),
    Entry::of::<state::State>(),
    Entry::of::<snapshot::Snapshot>(),
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
    Entry::of::<scroll::Scroll>(),
    Entry::of::<drag::Drag>(),
    Entry::of::<upload::Upload>(),
    Entry::of::<point::ClickAt>(),
    Entry::of::<point::DblclickAt>(),
    Entry::of::<point::RightclickAt>(),
    Entry::of::<point::DragAt>(),
    Entry::of::<mouse::Mouse>(),
    Entry::of::<keys::Keydown>(),
    Entry::of::<keys::Keyup>(),
    Entry::of::<wait::Wait>(),
    Entry::of::<history::Back>(),
    Entry::of::<history::Forward>(),
    Entry::of::<history::Reload>(),
    Entry::of::<tabs::Tabs>(),
    Entry::of::<dialog::Dialog>(),
    Entry::of::<cookies::Cookies>(),
    Entry::of::<storage::Storage>(),
    Entry::of::<close::Close>(),
    Entry::host::<machine::Sessions>(),
    Entry::host::<machine::Config>(),
    Entry::host::<machine::Doctor>(),
    Entry::host::<machine::Completions>(),
    Entry::host::<machine::Version>(),
];
