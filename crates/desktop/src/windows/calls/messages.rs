//! Messages to other programs' windows, each with a limit.

use super::convert::{Fault, hwnd, narrow, wide};
use crate::windows::records::window_list::Handle;
use ::windows::Win32::Foundation::{GetLastError, LPARAM, SetLastError, WIN32_ERROR, WPARAM};
use ::windows::Win32::System::Threading::{AttachThreadInput, GetCurrentThreadId};
use ::windows::Win32::UI::Controls::{
    BST_CHECKED, EM_REPLACESEL, EM_SETSEL, PBM_GETPOS, TBM_GETRANGEMAX, TBM_GETRANGEMIN, TBM_SETPOS, UDM_GETPOS32,
    UDM_SETPOS32,
};
use ::windows::Win32::UI::Input::KeyboardAndMouse::SetFocus;
use ::windows::Win32::UI::WindowsAndMessaging as w;
use std::time::Duration;

/// Asks a slider where it stands: the first of a control's own messages.
const TBM_GETPOS: u32 = w::WM_USER;
/// How long a window may take to answer.
pub(crate) const LIMIT: Duration = Duration::from_millis(1500);
/// How long a click may take to come back: a dialog that it opens may keep it.
pub(crate) const CLICK_LIMIT: Duration = Duration::from_millis(900);
/// Characters of a text that are read at most.
const MOST: usize = 1 << 20;

/// Asks a window, and waits for its answer within a limit.
pub(crate) fn ask_within(
    to: Handle,
    message: u32,
    wparam: usize,
    lparam: isize,
    limit: Duration,
) -> Result<isize, Fault> {
    let mut answer = 0usize;
    let flags = w::SMTO_ABORTIFHUNG | w::SMTO_BLOCK;
    let time = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX);
    // SAFETY: `answer` outlives the call; whatever `lparam` points at is the caller's, and outlives it too.
    let sent = unsafe {
        SetLastError(WIN32_ERROR(0));
        w::SendMessageTimeoutW(hwnd(to), message, WPARAM(wparam), LPARAM(lparam), flags, time, Some(&raw mut answer))
    };
    if sent.0 != 0 {
        return Ok(answer as isize);
    }
    // SAFETY: it reads a number of this thread.
    match unsafe { GetLastError() }.0 {
        0 | 1460 => Err(Fault::Late),
        // One that is going away is refused for want of rights, too.
        5 if super::listing::is_there(to) => Err(Fault::Denied),
        5 | 1400 | 1444 => Err(Fault::Gone),
        other => Err(Fault::Refused(format!("the system says {other}"))),
    }
}

/// The same within the usual limit.
pub(crate) fn ask(to: Handle, message: u32, wparam: usize, lparam: isize) -> Result<isize, Fault> {
    ask_within(to, message, wparam, lparam, LIMIT)
}

/// Whether the window's program answers within a limit.
pub(crate) fn answers(window: Handle, limit: Duration) -> Result<(), Fault> {
    ask_within(window, w::WM_NULL, 0, 0, limit).map(drop)
}

/// How many characters a control's text has.
pub(crate) fn text_length(of: Handle) -> Result<usize, Fault> {
    Ok(usize::try_from(ask(of, w::WM_GETTEXTLENGTH, 0, 0)?).unwrap_or(0))
}

/// A control's text, at most so many units of it.
pub(crate) fn text(of: Handle, most: usize) -> Result<String, Fault> {
    let length = text_length(of)?.min(most).min(MOST);
    if length == 0 {
        return Ok(String::new());
    }
    let mut buffer = vec![0u16; length + 2];
    let got = ask(of, w::WM_GETTEXT, length + 1, buffer.as_mut_ptr() as isize)?;
    Ok(narrow(&buffer[..usize::try_from(got).unwrap_or(0).min(length + 1)]))
}

/// Text that an item tells, whose length was asked for before: the answer fits into what is given.
pub(super) fn item_text(of: Handle, message: u32, index: usize, length: usize) -> Result<String, Fault> {
    // Slack, should the item have grown since.
    let mut buffer = vec![0u16; length.min(MOST) + 512];
    let got = ask(of, message, index, buffer.as_mut_ptr() as isize)?;
    Ok(narrow(&buffer[..usize::try_from(got).unwrap_or(0).min(buffer.len())]))
}

/// Replaces what a field holds, as if all of it had been selected and pasted over: its program is told of it.
pub(crate) fn put_text(into: Handle, content: &str, by_paste: bool) -> Result<(), Fault> {
    let content = wide(content);
    if by_paste {
        ask(into, EM_SETSEL, 0, -1)?;
        return ask(into, EM_REPLACESEL, 1, content.as_ptr() as isize).map(drop);
    }
    match ask(into, w::WM_SETTEXT, 0, content.as_ptr() as isize)? {
        0 => Err(Fault::Refused("the field doesn't take the text".into())),
        _ => Ok(()),
    }
}

/// Whether a check box or radio button is on: 0 off, 1 on, 2 between.
pub(crate) fn check_mark(of: Handle) -> Result<u32, Fault> {
    let mark = u32::try_from(ask(of, w::BM_GETCHECK, 0, 0)?).unwrap_or(0);
    Ok(if mark == BST_CHECKED.0 { 1 } else { mark })
}

/// Whether a button is held down.
pub(crate) fn is_held_down(button: Handle) -> Result<bool, Fault> {
    const PUSHED: isize = 0x4;
    Ok(ask(button, w::BM_GETSTATE, 0, 0)? & PUSHED != 0)
}

/// Whether the list of a combo box is dropped down.
pub(crate) fn is_dropped(combo: Handle) -> Result<bool, Fault> {
    Ok(ask(combo, w::CB_GETDROPPEDSTATE, 0, 0)? != 0)
}

/// Drops the list of a combo box down, or takes it back.
pub(crate) fn show_list(combo: Handle, on: bool) -> Result<(), Fault> {
    ask(combo, w::CB_SHOWDROPDOWN, usize::from(on), 0).map(drop)
}

/// What kind of control counts, and where it stands between which ends.
pub(crate) fn range(of: Handle, class: &str) -> Result<Option<(i32, i32, i32)>, Fault> {
    let number = |message: u32| Ok::<i32, Fault>(ask(of, message, 0, 0)? as i32);
    Ok(match class.to_lowercase().as_str() {
        "msctls_trackbar32" => Some((number(TBM_GETPOS)?, number(TBM_GETRANGEMIN)?, number(TBM_GETRANGEMAX)?)),
        "msctls_updown32" => Some((number(UDM_GETPOS32)?, i32::MIN, i32::MAX)),
        "msctls_progress32" => Some((number(PBM_GETPOS)?, 0, 100)),
        _ => None,
    })
}

/// Puts a slider somewhere and tells its parent, as a key would.
pub(crate) fn set_range(of: Handle, class: &str, to: i32) -> Result<(), Fault> {
    if class.eq_ignore_ascii_case("msctls_updown32") {
        return ask(of, UDM_SETPOS32, 0, to as isize).map(drop);
    }
    ask(of, TBM_SETPOS, 1, to as isize)?;
    const VERTICAL: u32 = 2;
    const END: usize = 8;
    let across = super::listing::bits(of) & VERTICAL == 0;
    let message = if across { w::WM_HSCROLL } else { w::WM_VSCROLL };
    let Some(parent) = super::listing::parent(of) else { return Ok(()) };
    ask(parent, message, 4 | ((to as u16 as usize) << 16), of.0 as isize)?;
    ask(parent, message, END, of.0 as isize).map(drop)
}

/// Gives a control the keyboard; whether it took it.
pub(crate) fn keyboard_to(control: Handle) -> Result<bool, Fault> {
    let (_, thread) = super::listing::owners(control).ok_or(Fault::Gone)?;
    // One that hangs would keep us, once we share its input.
    ask(control, w::WM_NULL, 0, 0)?;
    // SAFETY: they take a handle and numbers of threads; what is joined is parted again.
    unsafe {
        let own = GetCurrentThreadId();
        let joined = AttachThreadInput(own, thread, true).as_bool();
        let _ = SetFocus(Some(hwnd(control)));
        if joined {
            let _ = AttachThreadInput(own, thread, false);
        }
    }
    Ok(super::listing::focus_in(thread) == Some(control))
}

/// Tells the parent of a control what was done to it, as the control itself does after a click.
pub(crate) fn counted(control: Handle, code: u32) -> Result<(), Fault> {
    let Some(parent) = super::listing::parent(control) else { return Ok(()) };
    let id = super::listing::id(control) as u16 as usize;
    match ask_within(parent, w::WM_COMMAND, id | ((code as usize) << 16), control.0 as isize, CLICK_LIMIT) {
        // What the program does then may be a dialog.
        Ok(_) | Err(Fault::Late) => Ok(()),
        Err(other) => Err(other),
    }
}
