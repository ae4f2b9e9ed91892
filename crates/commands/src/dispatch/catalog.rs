//! The one list of commands, in the order in which help shows them.

use crate::act::check;
use crate::act::click;
use crate::act::drag;
use crate::act::fill_form;
use crate::act::focus;
use crate::act::hover;
use crate::act::input;
use crate::act::scroll;
use crate::act::select;
use crate::act::upload;
use crate::core::command::Entry;
use crate::core::session::Kind::{Desktop, Pages};
use crate::desktop::menu;
use crate::desktop::windows;
use crate::flow::act;
use crate::flow::batch;
use crate::host::collect;
use crate::host::do_task;
use crate::host::host_commands;
use crate::host::models;
use crate::host::question;
use crate::host::skill;
use crate::host::trace;
use crate::keyboard::keys;
use crate::look::find;
use crate::look::get;
use crate::look::highlight;
use crate::look::inspect;
use crate::look::locate;
use crate::look::screenshot;
use crate::look::snapshot;
use crate::look::state;
use crate::look::verify;
use crate::look::wait;
use crate::network::console;
use crate::network::requests;
use crate::page::close;
use crate::page::dialog;
use crate::page::download;
use crate::page::eval;
use crate::page::history;
use crate::page::open;
use crate::page::pdf;
use crate::page::permissions;
use crate::page::set;
use crate::page::tabs;
use crate::point::at;
use crate::point::mouse;
use crate::stores::clipboard;
use crate::stores::cookies;
use crate::stores::storage;

/// Every command.
pub static COMMANDS: &[Entry] = &[
    Entry::of::<open::Open>().opening(),
    Entry::of::<state::State>(),
    Entry::of::<snapshot::Snapshot>().on(Pages),
    Entry::of::<find::Find>(),
    Entry::of::<locate::Locate>(),
    Entry::of::<inspect::Inspect>(),
    Entry::of::<get::Get>(),
    Entry::of::<screenshot::Screenshot>(),
    Entry::of::<click::Click>(),
    Entry::of::<click::Dblclick>(),
    Entry::of::<click::Rightclick>(),
    Entry::of::<hover::Hover>(),
    Entry::of::<focus::Focus>(),
    Entry::of::<input::Input>(),
    Entry::of::<fill_form::FillForm>(),
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
    Entry::of::<at::ClickAt>(),
    Entry::of::<at::DblclickAt>(),
    Entry::of::<at::RightclickAt>(),
    Entry::of::<at::DragAt>(),
    Entry::of::<mouse::Mouse>(),
    Entry::of::<keys::Keydown>(),
    Entry::of::<keys::Keyup>(),
    Entry::of::<wait::Wait>(),
    Entry::of::<verify::Verify>(),
    Entry::aim::<act::Act>(),
    Entry::steps::<batch::Batch>(),
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
    Entry::of::<requests::Network>().on(Pages),
    Entry::of::<cookies::Cookies>().on(Pages),
    Entry::of::<storage::Storage>().on(Pages),
    Entry::of::<menu::Menu>().on(Desktop),
    Entry::of::<windows::Windows>().on(Desktop).opening(),
    Entry::of::<windows::Launch>().on(Desktop).opening(),
    Entry::of::<windows::Place>().on(Desktop),
    Entry::of::<close::Close>(),
    Entry::host::<do_task::Do>(),
    Entry::host::<collect::Collect>(),
    Entry::host::<question::Extract>(),
    Entry::host::<question::Observe>(),
    Entry::host::<host_commands::Sessions>(),
    Entry::host::<host_commands::Config>(),
    Entry::host::<models::Models>(),
    Entry::host::<skill::Skill>(),
    Entry::host::<trace::Trace>(),
    Entry::host::<host_commands::Doctor>(),
    Entry::host::<host_commands::Completions>(),
    Entry::host::<host_commands::Version>(),
];
