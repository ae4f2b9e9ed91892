//! The clipboard's text.

use super::convert::{Fault, narrow, wide};
use ::windows::Win32::Foundation::{GlobalFree, HANDLE, HGLOBAL};
use ::windows::Win32::System::DataExchange as d;
use ::windows::Win32::System::Memory::{GMEM_MOVEABLE, GlobalAlloc, GlobalLock, GlobalSize, GlobalUnlock};
use std::time::{Duration, Instant};

/// Number of the format of text in Unicode.
const TEXT: u32 = 13;
/// How long another program may have the clipboard open.
const LIMIT: Duration = Duration::from_secs(2);

/// The open clipboard; closed when this is dropped.
struct Open;

impl Open {
    fn new() -> Result<Self, Fault> {
        let deadline = Instant::now() + LIMIT;
        loop {
            // SAFETY: it takes no window; the drop below closes what is opened.
            if unsafe { d::OpenClipboard(None) }.is_ok() {
                return Ok(Self);
            }
            if Instant::now() >= deadline {
                return Err(Fault::Refused("another program keeps the clipboard open".into()));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: it was opened by this thread.
        let _ = unsafe { d::CloseClipboard() };
    }
}

/// The text on the clipboard; empty where there is none.
pub(crate) fn clipboard() -> Result<String, Fault> {
    let _open = Open::new()?;
    // SAFETY: what it gives belongs to the clipboard, and is used only while that is open.
    let Ok(data) = (unsafe { d::GetClipboardData(TEXT) }) else { return Ok(String::new()) };
    let memory = HGLOBAL(data.0);
    // SAFETY: the memory is locked while it is read, and its size is asked for.
    unsafe {
        let start = GlobalLock(memory).cast::<u16>();
        if start.is_null() {
            return Err(Fault::Refused("the clipboard's text can't be read".into()));
        }
        let text = narrow(std::slice::from_raw_parts(start, GlobalSize(memory) / 2));
        let _ = GlobalUnlock(memory);
        Ok(text.replace("\r\n", "\n"))
    }
}

/// Puts text on the clipboard.
pub(crate) fn set_clipboard(text: &str) -> Result<(), Fault> {
    let units = wide(&text.replace("\r\n", "\n").replace('\n', "\r\n"));
    let _open = Open::new()?;
    // SAFETY: the memory is as large as what is copied into it, and belongs to the clipboard once that has taken it.
    unsafe {
        d::EmptyClipboard()?;
        let memory = GlobalAlloc(GMEM_MOVEABLE, units.len() * 2)?;
        let start = GlobalLock(memory).cast::<u16>();
        if start.is_null() {
            let _ = GlobalFree(Some(memory));
            return Err(Fault::Refused("there is no memory for the clipboard's text".into()));
        }
        std::ptr::copy_nonoverlapping(units.as_ptr(), start, units.len());
        let _ = GlobalUnlock(memory);
        if let Err(error) = d::SetClipboardData(TEXT, Some(HANDLE(memory.0))) {
            let _ = GlobalFree(Some(memory));
            return Err(error.into());
        }
    }
    Ok(())
}
