//! Why a call failed, and how handles, places and texts pass to the system and back.

use crate::windows::records::window_list::Handle;
use ::windows::Win32::Foundation::{HWND, POINT, RECT};
use ::windows::Win32::Graphics::Gdi::ScreenToClient;
use handeye_scene::{Code, Problem, Rect};

/// Why something couldn't be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
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
    pub(crate) fn problem(self, doing: &str) -> Problem {
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

pub(super) fn hwnd(handle: Handle) -> HWND {
    HWND(handle.0 as usize as *mut _)
}

pub(super) fn handle(hwnd: HWND) -> Handle {
    // Handles have 32 bits that count, whatever the size of a pointer.
    Handle(hwnd.0 as usize as u64 & 0xffff_ffff)
}

pub(super) fn rect(r: RECT) -> Rect {
    let size = |from: i32, to: i32| f64::from(to.saturating_sub(from).max(0));
    Rect::new(r.left.into(), r.top.into(), size(r.left, r.right), size(r.top, r.bottom))
}

pub(super) fn pixel(at: handeye_scene::Point) -> POINT {
    POINT { x: at.x.round() as i32, y: at.y.round() as i32 }
}

/// A place of the screen as one of a control's own.
pub(super) fn inside(control: Handle, at: handeye_scene::Point) -> POINT {
    let mut place = pixel(at);
    // SAFETY: the place is ours and outlives the call. One that is gone leaves it as it is.
    let _ = unsafe { ScreenToClient(hwnd(control), &raw mut place) };
    place
}

pub(super) fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain(std::iter::once(0)).collect()
}

pub(super) fn narrow(units: &[u16]) -> String {
    let end = units.iter().position(|u| *u == 0).unwrap_or(units.len());
    String::from_utf16_lossy(&units[..end])
}

/// What makes a problem of a call that failed while doing something.
pub(crate) fn problem(doing: &str) -> impl FnOnce(Fault) -> Problem + '_ {
    move |fault| fault.problem(doing)
}
