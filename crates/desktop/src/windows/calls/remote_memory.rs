//! Memory of another program: messages of Windows' compound controls take structures that lie where the control's program does.

use super::convert::Fault;
use super::messages::ask;
use crate::windows::records::window_list::Handle;
use ::windows::Win32::Foundation::{CloseHandle, HANDLE};
use ::windows::Win32::System::Diagnostics::Debug::{ReadProcessMemory, WriteProcessMemory};
use ::windows::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAllocEx, VirtualFreeEx,
};
use ::windows::Win32::System::Threading::{
    IsWow64Process, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_VM_OPERATION, PROCESS_VM_READ,
    PROCESS_VM_WRITE,
};
use ::windows::core::BOOL;
use std::ffi::c_void;

/// Bytes before the text.
const HEAD: usize = 128;
/// Characters of one text that are read.
const TEXT: usize = 1024;

/// A piece of the memory of a control's program, given back when dropped.
pub(crate) struct Far {
    of: Handle,
    process: HANDLE,
    base: *mut c_void,
    /// Bytes of a pointer there.
    pointer: usize,
}

/// A structure as the other program lays it out.
pub(super) struct Shape {
    bytes: Vec<u8>,
    pointer: usize,
}

impl Shape {
    /// Adds a number of 32 bits; where it stands.
    pub(super) fn number(&mut self, number: u32) -> usize {
        self.put(&number.to_le_bytes())
    }

    /// Adds a number as wide as a pointer there; where it stands.
    pub(super) fn pointer(&mut self, number: u64) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(self.pointer), 0);
        let bytes = number.to_le_bytes();
        self.put(&bytes[..self.pointer])
    }

    fn put(&mut self, bytes: &[u8]) -> usize {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        at
    }
}

impl Far {
    /// Memory in the program of a control.
    pub(crate) fn of(control: Handle) -> Result<Self, Fault> {
        let (pid, _) = super::listing::owners(control).ok_or(Fault::Gone)?;
        let rights = PROCESS_VM_OPERATION | PROCESS_VM_READ | PROCESS_VM_WRITE | PROCESS_QUERY_LIMITED_INFORMATION;
        // SAFETY: the handle is ours, and closed with what holds it.
        let process = unsafe { OpenProcess(rights, false, pid) }?;
        let mut far = Self { of: control, process, base: std::ptr::null_mut(), pointer: size_of::<usize>() };
        let mut small = BOOL(0);
        // SAFETY: the handle is open; the memory is given back with what holds it.
        unsafe {
            if IsWow64Process(process, &raw mut small).is_ok() && small.as_bool() {
                far.pointer = 4;
            }
            far.base = VirtualAllocEx(process, None, HEAD + 2 * TEXT, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
        }
        if far.base.is_null() {
            return Err(Fault::Refused("its program's memory can't be reached".into()));
        }
        Ok(far)
    }

    /// An empty structure.
    pub(super) fn shape(&self) -> Shape {
        Shape { bytes: Vec::new(), pointer: self.pointer }
    }

    /// Where a text may be put, and how many characters it may have.
    pub(super) fn text_place(&self) -> (u64, u32) {
        ((self.base as usize + HEAD) as u64, TEXT as u32 - 1)
    }

    /// Asks the control with a structure.
    pub(super) fn ask(&self, message: u32, wparam: usize, shape: &Shape) -> Result<isize, Fault> {
        let length = shape.bytes.len().min(HEAD);
        // SAFETY: what is written lies within what was given to us there, and is ours here.
        unsafe { WriteProcessMemory(self.process, self.base, shape.bytes.as_ptr().cast(), length, None) }?;
        ask(self.of, message, wparam, self.base as isize)
    }

    /// The same for a message that only gives a text.
    pub(super) fn ask_text(&self, message: u32, wparam: usize) -> Result<String, Fault> {
        self.clear_text()?;
        ask(self.of, message, wparam, self.text_place().0 as isize)?;
        self.text()
    }

    /// Has the text be empty, so that nothing old is taken for an answer.
    pub(super) fn clear_text(&self) -> Result<(), Fault> {
        let nothing = [0u8; 4];
        let at = self.text_place().0 as usize as *const c_void;
        // SAFETY: as above.
        Ok(unsafe { WriteProcessMemory(self.process, at, nothing.as_ptr().cast(), nothing.len(), None) }?)
    }

    /// The text that came.
    pub(super) fn text(&self) -> Result<String, Fault> {
        let mut units = [0u16; TEXT];
        let at = self.text_place().0 as usize as *const c_void;
        // SAFETY: what is read lies within what was given to us there, and fits into what is ours.
        unsafe { ReadProcessMemory(self.process, at, units.as_mut_ptr().cast(), 2 * (TEXT - 1), None) }?;
        Ok(super::convert::narrow(&units))
    }

    /// A number of 32 bits of what came.
    pub(super) fn number_at(&self, offset: usize) -> Result<u32, Fault> {
        let mut bytes = [0u8; 4];
        let at = (self.base as usize + offset.min(HEAD - 4)) as *const c_void;
        // SAFETY: as above.
        unsafe { ReadProcessMemory(self.process, at, bytes.as_mut_ptr().cast(), 4, None) }?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// A rectangle that a message tells in the control's own coordinates, as one of the screen; its first number asks.
    pub(super) fn rect(
        &self,
        message: u32,
        wparam: usize,
        shape: &Shape,
    ) -> Result<Option<handeye_scene::Rect>, Fault> {
        let mut shape = Shape { bytes: shape.bytes.clone(), pointer: shape.pointer };
        shape.bytes.resize(16, 0);
        if self.ask(message, wparam, &shape)? == 0 {
            return Ok(None);
        }
        let mut sides = [0i32; 4];
        for (at, side) in sides.iter_mut().enumerate() {
            *side = self.number_at(4 * at)? as i32;
        }
        let [left, top, right, bottom] = sides;
        let told = ::windows::Win32::Foundation::RECT { left, top, right, bottom };
        Ok(Some(super::lists::on_screen(self.of, told)))
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        // SAFETY: both are ours, and given back once.
        unsafe {
            if !self.base.is_null() {
                let _ = VirtualFreeEx(self.process, self.base, 0, MEM_RELEASE);
            }
            let _ = CloseHandle(self.process);
        }
    }
}
