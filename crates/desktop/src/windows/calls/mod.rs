//! The system's own calls, each behind a function that is safe to call: the one place in the project that needs `unsafe`.
//!
//! Every call that waits for another process has a limit.

#![allow(unsafe_code)] // the system's functions are declared unsafe, every one

mod automation;
mod clip;
mod compound;
mod drawn;
mod far;
mod hits;
mod listing;
mod lists;
mod menus;
mod messages;
mod placing;
mod sending;
mod still;

pub(super) use automation::{Automation, Live, Missing};
pub(super) use clip::{clipboard, set_clipboard};
pub(super) use compound::{
    Branch, Grid, Tool, Way, branch, branch_told, cell_rect, cell_text, choose_branch, choose_row, grid, heading_text,
    headings, headings_of, open_branch, part_text, parts, row_state, show_branch, show_row, tab_text, tabs,
    tool_is_pressed, tool_text, tools, turn_to_tab,
};
pub(super) use drawn::{shoot_screen, shoot_window};
pub(super) use far::Far;
pub(super) use hits::{branch_at, entry_at, heading_at, row_at, tab_at, tool_at};
pub(super) use listing::{
    Traits, caption, children, family_of, focus_in, own_window, owner, parent, siblings, top_windows, traits,
    virtual_screen,
};
pub(super) use lists::{choose, entries, entry_rect, entry_text, first_shown, reveal};
pub(super) use menus::{Told, bar_item_at, bar_items, open_item_at, open_items};
pub(super) use messages::{
    CLICK_LIMIT, answers, check_mark, is_dropped, is_held_down, keyboard_to, put_text, range, set_range, show_list,
    text, text_length,
};
pub(super) use placing::{
    activate, arrange, ask_to_close, be_aware_of_scaling, behind, client_area, in_front, is_there, window_at,
};
pub(super) use sending::{
    Path, Stroke, button, click_at, drag, has_key, is_key_down, point_to, pointer, press, release, send_strokes,
    strokes_of, wheel,
};
pub(super) use still::{CLICK, Message, let_go, send_unless};

use super::seen::Handle;
use ::windows::Win32::Foundation::{HWND, POINT, RECT};
use ::windows::Win32::Graphics::Gdi::ScreenToClient;
use handeye_scene::{Code, Problem, Rect};

/// Why something couldn't be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// It didn't answer in time.
    Late,
    /// The window is gone.
    Gone,
    /// It belongs to a program with more rights than ours.
    Denied,
    /// The system refused it.
    Refused(String),
}

impl Fault {
    /// As a problem, where there is no better word for it.
    pub(super) fn problem(self, doing: &str) -> Problem {
        match self {
            Fault::Late => Problem::new(
                Code::Timeout,
                format!("the window's program didn't answer in time to {doing}: it is busy or hung"),
            )
            .hint("handeye windows"),
            Fault::Gone => {
                Problem::new(Code::Lost, format!("the window is gone: can't {doing}")).hint("handeye windows")
            }
            Fault::Denied => {
                Problem::new(Code::Denied, format!("can't {doing}: the window's program has more rights than handeye"))
                    .hint("start handeye as administrator")
            }
            Fault::Refused(why) => Problem::new(Code::Unsupported, format!("can't {doing}: {why}")),
        }
    }
}

impl From<::windows::core::Error> for Fault {
    fn from(error: ::windows::core::Error) -> Self {
        const INVALID_WINDOW: u32 = 0x8007_0578;
        const ACCESS_DENIED: u32 = 0x8007_0005;
        // Of UI Automation: the element is gone, or its program; it didn't answer in time.
        const NOT_AVAILABLE: u32 = 0x8004_0201;
        const NO_SERVER: u32 = 0x8007_06ba;
        const TIMED_OUT: u32 = 0x8013_1505;
        match error.code().0 as u32 {
            TIMED_OUT => Fault::Late,
            INVALID_WINDOW | NOT_AVAILABLE | NO_SERVER => Fault::Gone,
            ACCESS_DENIED => Fault::Denied,
            _ => Fault::Refused(error.message()),
        }
    }
}

fn hwnd(handle: Handle) -> HWND {
    HWND(handle.0 as usize as *mut _)
}

fn handle(hwnd: HWND) -> Handle {
    // Handles have 32 bits that count, whatever the size of a pointer.
    Handle(hwnd.0 as usize as u64 & 0xffff_ffff)
}

fn rect(r: RECT) -> Rect {
    let size = |from: i32, to: i32| f64::from(to.saturating_sub(from).max(0));
    Rect::new(r.left.into(), r.top.into(), size(r.left, r.right), size(r.top, r.bottom))
}

fn pixel(at: handeye_scene::Point) -> POINT {
    POINT { x: at.x.round() as i32, y: at.y.round() as i32 }
}

/// A place of the screen as one of a control's own.
fn inside(control: super::seen::Handle, at: handeye_scene::Point) -> POINT {
    let mut place = pixel(at);
    // SAFETY: the place is ours and outlives the call. One that is gone leaves it as it is.
    let _ = unsafe { ScreenToClient(hwnd(control), &raw mut place) };
    place
}

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain(std::iter::once(0)).collect()
}

fn narrow(units: &[u16]) -> String {
    let end = units.iter().position(|u| *u == 0).unwrap_or(units.len());
    String::from_utf16_lossy(&units[..end])
}
