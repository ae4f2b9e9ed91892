//! The system's own calls, each behind a function that is safe to call: the one place in the project that needs `unsafe`.
//!
//! Every call that waits for another process has a limit.

#![allow(unsafe_code)] // the system's functions are declared unsafe, every one

mod automation;
mod clipboard;
mod compound;
mod convert;
mod hit_tests;
mod input_events;
mod listing;
mod lists;
mod menus;
mod messages;
mod quiesce;
mod remote_memory;
mod screenshot;
mod window_state;

pub(crate) use automation::{Automation, Live, Missing};
pub(crate) use clipboard::{clipboard, set_clipboard};
pub(crate) use compound::{
    Branch, Grid, Tool, Way, branch, branch_told, cell_rect, cell_text, choose_branch, choose_row, grid, heading_text,
    headings, headings_of, open_branch, part_text, parts, row_state, show_branch, show_row, tab_text, tabs,
    tool_is_pressed, tool_text, tools, turn_to_tab,
};
pub(crate) use convert::{Fault, problem};
pub(crate) use hit_tests::{branch_at, entry_at, heading_at, row_at, tab_at, tool_at};
pub(crate) use input_events::{
    Path, Stroke, button, click_at, drag, has_key, is_key_down, point_to, pointer, press, release, send_strokes,
    strokes_of, wheel,
};
pub(crate) use listing::{
    Traits, caption, children, family_of, focus_in, is_there, own_window, owner, parent, siblings, top_windows, traits,
    virtual_screen,
};
pub(crate) use lists::{choose, entries, entry_rect, entry_text, first_shown, reveal};
pub(crate) use menus::{Told, bar_item_at, bar_items, open_item_at, open_items};
pub(crate) use messages::{
    CLICK_LIMIT, answers, check_mark, is_dropped, is_held_down, keyboard_to, put_text, range, set_range, show_list,
    text, text_length,
};
pub(crate) use quiesce::{CLICK, Message, let_go, send_unless};
pub(crate) use remote_memory::Far;
pub(crate) use screenshot::{shoot_screen, shoot_window};
pub(crate) use window_state::{
    activate, arrange, ask_to_close, be_aware_of_scaling, behind, client_area, in_front, window_at,
};
