//! Messages that reach a control only if what they are for is so as they come.
//!
//! A thread takes what others send to it before what was posted to it, before input and before its timers. While it has such
//! messages to answer, which nobody waits for, nothing of its own comes: what is so then is still so when the message behind them
//! arrives. They ask for the shape of the pointer, as the system does whenever the pointer moves: what asks for less is answered
//! as fast as it is sent, under Wine, and keeps nobody.
#![allow(clippy::missing_const_for_thread_local)] // they are constant: clippy doesn't see it on this target

use super::convert::{Fault, hwnd};
use crate::windows::records::window_list::Handle;
use ::windows::Win32::Foundation::{HWND, LPARAM, LRESULT, WPARAM};
use ::windows::Win32::UI::WindowsAndMessaging as w;
use handeye_scene::{Modifiers, Point};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// How many questions it is kept with at first; each time that they were answered too soon, twice as many.
const QUESTIONS: usize = 80;
/// How often that is tried.
const TRIES: u32 = 4;
/// How long it may take to come to them.
const LIMIT: Duration = Duration::from_millis(1500);

thread_local! {
    /// The number of the newest question whose answer was waited for, and of the newest that was answered.
    static ASKED: Cell<usize> = const { Cell::new(0) };
    static ANSWERED: Cell<usize> = const { Cell::new(0) };
}

unsafe extern "system" fn answered(_: HWND, _: u32, number: usize, _: LRESULT) {
    ANSWERED.set(ANSWERED.get().max(number));
}

/// A message as it is sent: its number and what comes with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message(u32, usize, isize);

/// The message that stands for a click on a button.
pub(crate) const CLICK: Message = Message(w::BM_CLICK, 0, 0);

/// The message that tells a control that the pointer's first button was released at a place.
pub(crate) fn let_go(control: Handle, at: Point, modifiers: Modifiers) -> Message {
    const SHIFT: usize = 0x4;
    const CONTROL: usize = 0x8;
    let inside = super::convert::inside(control, at);
    let held = if modifiers.shift { SHIFT } else { 0 } | if modifiers.ctrl { CONTROL } else { 0 };
    let place = u32::from(inside.x as u16) | u32::from(inside.y as u16) << 16;
    Message(w::WM_LBUTTONUP, held, place as i32 as isize)
}

/// Asks, and goes on; the number of the question.
fn ask(of: Handle) -> Result<usize, Fault> {
    let number = ASKED.get() + 1;
    ASKED.set(number);
    // SAFETY: it takes a handle, numbers and a function that is always there.
    unsafe { w::SendMessageCallbackW(hwnd(of), w::WM_NULL, WPARAM(0), LPARAM(0), Some(answered), number) }?;
    Ok(number)
}

fn send(to: Handle, Message(number, wparam, lparam): Message) -> Result<(), Fault> {
    // SAFETY: it takes a handle and numbers.
    Ok(unsafe { w::SendNotifyMessageW(hwnd(to), number, WPARAM(wparam), LPARAM(lparam)) }?)
}

/// Whether a question was answered by now.
fn is_answered(number: usize) -> bool {
    let mut none = w::MSG::default();
    // SAFETY: the structure is ours and outlives the call, which takes in the answers that came; nothing else is sent to us.
    let _ = unsafe { w::PeekMessageW(&raw mut none, None, 0, 0, w::PM_NOREMOVE | w::PM_QS_SENDMESSAGE) };
    ANSWERED.get() >= number
}

/// Waits for an answer.
fn await_answer(number: usize, of: Handle) -> Result<(), Fault> {
    let deadline = Instant::now() + LIMIT;
    while !is_answered(number) {
        if !super::listing::is_there(of) {
            return Err(Fault::Gone);
        }
        if Instant::now() >= deadline {
            return Err(Fault::Late);
        }
        // SAFETY: it takes numbers.
        unsafe { w::MsgWaitForMultipleObjects(None, false, 5, w::QS_SENDMESSAGE) };
    }
    Ok(())
}

/// Sends a message if `stops` finds nothing against it while the control's thread is kept from anything else; what it found.
/// Nobody waits for what the message comes to.
pub(crate) fn send_unless<T>(
    to: Handle,
    message: Message,
    mut stops: impl FnMut() -> Option<T>,
) -> Result<Option<T>, Fault> {
    let shape = Message(w::WM_SETCURSOR, to.0 as usize, (w::HTCLIENT | w::WM_MOUSEMOVE << 16) as isize);
    for tried in 0..TRIES {
        let first = ask(to)?;
        for _ in 0..QUESTIONS << tried {
            send(to, shape)?;
        }
        let last = ask(to)?;
        await_answer(first, to)?;
        let stopped = stops();
        // One that has answered them all goes on with something else: it is asked again, unless that never helps.
        if stopped.is_some() || !is_answered(last) || tried + 1 == TRIES {
            if stopped.is_none() {
                send(to, message)?;
            }
            return Ok(stopped);
        }
    }
    Ok(None)
}
