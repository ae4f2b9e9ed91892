//! Raising, placing and closing windows, and which one is at a place.

use super::convert::{Fault, handle, hwnd, inside, pixel};
use crate::windows::records::window_list::Handle;
use ::windows::Win32::Foundation::{LPARAM, RECT, WPARAM};
use ::windows::Win32::UI::HiDpi::{DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, SetProcessDpiAwarenessContext};
use ::windows::Win32::UI::Input::KeyboardAndMouse::{
    INPUT, INPUT_0, INPUT_KEYBOARD, KEYBDINPUT, KEYEVENTF_KEYUP, SendInput, VIRTUAL_KEY,
};
use ::windows::Win32::UI::WindowsAndMessaging as w;
use handeye_scene::{Arrange, Point, Rect};

/// Asks for places in pixels of each monitor, not in those that the system makes up for older programs.
pub(crate) fn be_aware_of_scaling() -> bool {
    // SAFETY: it takes a constant. One that was set before is refused.
    unsafe { SetProcessDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2) }.is_ok()
}

/// The window that has the keyboard.
pub(crate) fn in_front() -> Option<Handle> {
    // SAFETY: it gives a handle.
    let front = unsafe { w::GetForegroundWindow() };
    (!front.is_invalid()).then(|| handle(front))
}

/// The innermost window that a pointer hits at a place.
pub(crate) fn window_at(at: Point) -> Option<Handle> {
    // SAFETY: it takes a place and gives a handle.
    let hit = unsafe { w::WindowFromPoint(pixel(at)) };
    (!hit.is_invalid()).then(|| handle(hit))
}

/// What a window has for its content, as a place of the screen: without its frame, its bars and its menu.
pub(crate) fn client_area(of: Handle) -> Option<Rect> {
    let mut told = RECT::default();
    // SAFETY: the rectangle is ours and outlives the call.
    unsafe { w::GetClientRect(hwnd(of), &raw mut told) }.ok()?;
    Some(super::lists::on_screen(of, told))
}

/// What a pointer hits at a place where a control lets it through: the control that lies behind, else what both lie in.
pub(crate) fn behind(of: Handle, at: Point) -> Option<Handle> {
    let takes = |found: &super::listing::Traits| {
        found.shows && found.enabled && crate::windows::records::window_list::contains(found.rect, at)
    };
    let mut next = of;
    // The siblings that lie below it, the uppermost first.
    for _ in 0..1000 {
        // SAFETY: it takes a handle and gives one; a stale one gives none.
        let Ok(below) = (unsafe { w::GetWindow(hwnd(next), w::GW_HWNDNEXT) }) else { break };
        next = handle(below);
        if super::listing::traits(next).is_some_and(|found| takes(&found)) {
            return Some(innermost(next, at));
        }
    }
    super::listing::parent(of)
}

/// The innermost control of a window at a place.
fn innermost(of: Handle, at: Point) -> Handle {
    let mut found = of;
    for _ in 0..64 {
        let flags = w::CWP_SKIPINVISIBLE | w::CWP_SKIPDISABLED;
        // SAFETY: it takes a handle and a place, and gives a handle.
        let inner = unsafe { w::ChildWindowFromPointEx(hwnd(found), inside(found, at), flags) };
        if inner.is_invalid() || handle(inner) == found {
            break;
        }
        found = handle(inner);
    }
    found
}

/// Raises a window and gives it the keyboard; what is to be waited for is whether it has it.
pub(crate) fn activate(window: Handle, minimised: bool, forced: bool) {
    // SAFETY: they take a handle and numbers; `input` outlives the call.
    unsafe {
        if minimised {
            let _ = w::ShowWindowAsync(hwnd(window), w::SW_RESTORE);
        }
        if forced {
            // The system lets only the program that had the last input choose the window in front: a key that means nothing.
            const NO_KEY: VIRTUAL_KEY = VIRTUAL_KEY(0xe8);
            let key = |flags| INPUT {
                r#type: INPUT_KEYBOARD,
                Anonymous: INPUT_0 { ki: KEYBDINPUT { wVk: NO_KEY, dwFlags: flags, ..Default::default() } },
            };
            let input = [key(Default::default()), key(KEYEVENTF_KEYUP)];
            SendInput(&input, size_of::<INPUT>() as i32);
        }
        // Whether it was let is looked at afterwards. Wine gives the keyboard without raising the window.
        let _ = w::SetForegroundWindow(hwnd(window));
        let flags = w::SWP_NOMOVE | w::SWP_NOSIZE | w::SWP_NOACTIVATE | w::SWP_ASYNCWINDOWPOS;
        let _ = w::SetWindowPos(hwnd(window), Some(w::HWND_TOP), 0, 0, 0, 0, flags);
    }
}

/// Puts a window somewhere, without waiting for its program.
pub(crate) fn arrange(window: Handle, to: Arrange) -> Result<(), Fault> {
    let show = |how| {
        // SAFETY: it takes a handle and a number.
        let _ = unsafe { w::ShowWindowAsync(hwnd(window), how) };
        Ok(())
    };
    let flags = w::SWP_NOZORDER | w::SWP_NOACTIVATE | w::SWP_ASYNCWINDOWPOS;
    // SAFETY: it takes a handle and numbers.
    let put = |x, y, width, height, flags| unsafe { w::SetWindowPos(hwnd(window), None, x, y, width, height, flags) };
    match to {
        Arrange::Minimise => show(w::SW_MINIMIZE),
        Arrange::Maximise => show(w::SW_MAXIMIZE),
        Arrange::Restore => show(w::SW_RESTORE),
        Arrange::Move(x, y) => Ok(put(x, y, 0, 0, flags | w::SWP_NOSIZE)?),
        Arrange::Resize(width, height) => {
            let whole = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
            Ok(put(0, 0, whole(width), whole(height), flags | w::SWP_NOMOVE)?)
        }
    }
}

/// Asks a window to close, as its close button does.
pub(crate) fn ask_to_close(window: Handle) -> Result<(), Fault> {
    // SAFETY: it takes a handle and numbers.
    Ok(unsafe { w::PostMessageW(Some(hwnd(window)), w::WM_CLOSE, WPARAM(0), LPARAM(0)) }?)
}
