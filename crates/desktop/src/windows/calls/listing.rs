//! Windows and controls: which there are, and what the system itself knows of them.

use super::convert::{handle, hwnd, narrow, rect};
use crate::windows::records::classes::{Family, family, style};
use crate::windows::records::window_list::{Handle, Seen};
use ::windows::Win32::Foundation::{CloseHandle, HWND, LPARAM, RECT};
use ::windows::Win32::Graphics::Dwm::{DWMWA_CLOAKED, DwmGetWindowAttribute};
use ::windows::Win32::System::Threading::{
    OpenProcess, PROCESS_NAME_WIN32, PROCESS_QUERY_LIMITED_INFORMATION, QueryFullProcessImageNameW,
};
use ::windows::Win32::UI::WindowsAndMessaging as w;
use ::windows::core::{BOOL, PWSTR};
use handeye_scene::Rect;
use std::collections::HashMap;

/// Windows of the shell that hold no work: its background.
const SHELL: [&str; 2] = ["Progman", "WorkerW"];
/// Controls of one window that are listed at most.
const MOST: usize = 6000;

/// What the system knows of a window without asking its program.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traits {
    pub(crate) class: String,
    pub(crate) style: u32,
    pub(crate) id: i32,
    pub(crate) pid: u32,
    pub(crate) thread: u32,
    pub(crate) rect: Rect,
    pub(crate) shows: bool,
    pub(crate) enabled: bool,
    pub(crate) parent: Option<Handle>,
}

unsafe extern "system" fn collect(window: HWND, into: LPARAM) -> BOOL {
    // SAFETY: `into` is the list that `listed` handed over, which outlives the enumeration, on the same thread.
    let list = unsafe { &mut *(into.0 as *mut Vec<Handle>) };
    list.push(handle(window));
    BOOL::from(list.len() < MOST)
}

/// Every window below one, in the order of the Tab key, parents before children; whether that is all of them.
pub(crate) fn children(of: Handle) -> (Vec<Handle>, bool) {
    let mut list: Vec<Handle> = Vec::new();
    // SAFETY: the list outlives the call, which ends before it is used.
    let _ = unsafe { w::EnumChildWindows(Some(hwnd(of)), Some(collect), LPARAM(&raw mut list as isize)) };
    let whole = list.len() < MOST;
    (list, whole)
}

/// The windows that lie right in one, in the order of the Tab key.
pub(crate) fn siblings(parent: Handle) -> Vec<Handle> {
    let mut list: Vec<Handle> = Vec::new();
    // SAFETY: they take a handle and give one; a stale one gives none.
    let mut next = unsafe { w::GetWindow(hwnd(parent), w::GW_CHILD) };
    while let Ok(found) = next {
        list.push(handle(found));
        if list.len() >= MOST {
            break;
        }
        // SAFETY: as above.
        next = unsafe { w::GetWindow(found, w::GW_HWNDNEXT) };
    }
    list
}

fn tops() -> Vec<Handle> {
    let mut list: Vec<Handle> = Vec::new();
    // SAFETY: as above. That it ends early is told by the list's length.
    let _ = unsafe { w::EnumWindows(Some(collect), LPARAM(&raw mut list as isize)) };
    list
}

/// The bits of a window's style.
pub(crate) fn bits(of: Handle) -> u32 {
    // SAFETY: it takes a handle and gives a number; a stale one gives 0.
    unsafe { w::GetWindowLongPtrW(hwnd(of), w::GWL_STYLE) as u32 }
}

/// The id of a control.
pub(super) fn id(of: Handle) -> i32 {
    // SAFETY: as above.
    unsafe { w::GetDlgCtrlID(hwnd(of)) }
}

/// The window that a control lies in.
pub(crate) fn parent(of: Handle) -> Option<Handle> {
    // SAFETY: as above.
    let parent = unsafe { w::GetAncestor(hwnd(of), w::GA_PARENT) };
    (!parent.is_invalid()).then(|| handle(parent))
}

fn class(of: Handle) -> String {
    let mut buffer = [0u16; 260];
    // SAFETY: the buffer is ours and says its length.
    let length = unsafe { w::GetClassNameW(hwnd(of), &mut buffer) };
    narrow(&buffer[..usize::try_from(length).unwrap_or(0)])
}

/// Process and thread of a window; none where it is gone.
pub(super) fn owners(of: Handle) -> Option<(u32, u32)> {
    let mut pid = 0;
    // SAFETY: the number is ours and outlives the call.
    let thread = unsafe { w::GetWindowThreadProcessId(hwnd(of), Some(&raw mut pid)) };
    (thread != 0).then_some((pid, thread))
}

fn area(of: Handle) -> Option<Rect> {
    let mut told = RECT::default();
    // SAFETY: the rectangle is ours and outlives the call.
    unsafe { w::GetWindowRect(hwnd(of), &raw mut told) }.ok()?;
    Some(rect(told))
}

/// What the system knows of a window; none where it is gone.
pub(crate) fn traits(of: Handle) -> Option<Traits> {
    let (pid, thread) = owners(of)?;
    let bits = bits(of);
    Some(Traits {
        class: class(of),
        style: bits,
        id: if bits & w::WS_CHILD.0 != 0 { id(of) } else { 0 },
        pid,
        thread,
        rect: area(of)?,
        // SAFETY: it takes a handle and gives a truth value; a stale one gives false.
        shows: unsafe { w::IsWindowVisible(hwnd(of)) }.as_bool(),
        enabled: bits & style::DISABLED == 0,
        parent: parent(of),
    })
}

/// The control that has the keyboard in a thread's windows.
pub(crate) fn focus_in(thread: u32) -> Option<Handle> {
    let mut info = w::GUITHREADINFO { cbSize: size_of::<w::GUITHREADINFO>() as u32, ..Default::default() };
    // SAFETY: the structure says its size and outlives the call.
    unsafe { w::GetGUIThreadInfo(thread, &raw mut info) }.ok()?;
    (!info.hwndFocus.is_invalid()).then(|| handle(info.hwndFocus))
}

/// The whole screen, all monitors together.
pub(crate) fn virtual_screen() -> Rect {
    // SAFETY: they give numbers.
    let metric = |of| f64::from(unsafe { w::GetSystemMetrics(of) });
    Rect::new(
        metric(w::SM_XVIRTUALSCREEN),
        metric(w::SM_YVIRTUALSCREEN),
        metric(w::SM_CXVIRTUALSCREEN),
        metric(w::SM_CYVIRTUALSCREEN),
    )
}

/// The top-level window that something lies in.
pub(crate) fn own_window(of: Handle) -> Option<Handle> {
    // SAFETY: it takes a handle and gives one.
    let root = unsafe { w::GetAncestor(hwnd(of), w::GA_ROOT) };
    (!root.is_invalid()).then(|| handle(root))
}

/// The window at the end of the chain of those that one lies in or belongs to.
pub(crate) fn family_of(of: Handle) -> Option<Handle> {
    // SAFETY: it takes a handle and gives one.
    let root = unsafe { w::GetAncestor(hwnd(of), w::GA_ROOTOWNER) };
    (!root.is_invalid()).then(|| handle(root))
}

/// The window that another one belongs to, such as a dialog's.
pub(crate) fn owner(of: Handle) -> Option<Handle> {
    // SAFETY: it takes a handle and gives one; a stale one gives none.
    let owner = unsafe { w::GetWindow(hwnd(of), w::GW_OWNER) }.ok()?;
    (!owner.is_invalid()).then(|| handle(owner))
}

/// A window's text as the system keeps it: its title, or a label's text.
pub(crate) fn caption(of: Handle) -> String {
    let mut buffer = [0u16; 512];
    // SAFETY: the buffer is ours and says its length. This one asks the system, not the window's program, which may hang.
    let length = unsafe { w::InternalGetWindowText(hwnd(of), &mut buffer) };
    narrow(&buffer[..usize::try_from(length).unwrap_or(0)])
}

/// Whether the system hides it though it is shown: of another virtual desktop, or an app that sleeps.
fn is_cloaked(of: Handle) -> bool {
    let mut told = 0u32;
    // SAFETY: the number is ours, has the size that is said, and outlives the call.
    let asked =
        unsafe { DwmGetWindowAttribute(hwnd(of), DWMWA_CLOAKED, (&raw mut told).cast(), size_of::<u32>() as u32) };
    asked.is_ok() && told != 0
}

/// Path of a process's program; empty where it doesn't tell.
fn program(pid: u32) -> String {
    // SAFETY: it gives a handle of ours, which is closed below.
    let Ok(process) = (unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, false, pid) }) else {
        return String::new();
    };
    let mut buffer = [0u16; 1024];
    let mut length = buffer.len() as u32;
    // SAFETY: the buffer is ours and its length is said; the handle is open.
    let told = unsafe {
        let told = QueryFullProcessImageNameW(process, PROCESS_NAME_WIN32, PWSTR(buffer.as_mut_ptr()), &raw mut length);
        let _ = CloseHandle(process);
        told
    };
    if told.is_ok() { narrow(&buffer[..length as usize]) } else { String::new() }
}

/// Every top-level window that a person can see or bring back, the topmost first, minimised ones last.
pub(crate) fn top_windows() -> Vec<Seen> {
    // SAFETY: it gives a handle.
    let front = handle(unsafe { w::GetForegroundWindow() });
    let mut programs: HashMap<u32, String> = HashMap::new();
    let mut seen: Vec<Seen> = tops().into_iter().filter_map(|h| seen(h, front, &mut programs)).collect();
    seen.sort_by_key(|w| w.minimised);
    seen
}

fn seen(window: Handle, front: Handle, programs: &mut HashMap<u32, String>) -> Option<Seen> {
    let told = traits(window)?;
    if !told.shows || told.pid == std::process::id() || SHELL.contains(&told.class.as_str()) || is_cloaked(window) {
        return None;
    }
    let minimised = told.style & style::MINIMISED != 0;
    if !minimised && (told.rect.width < 1.0 || told.rect.height < 1.0) {
        return None;
    }
    // SAFETY: it takes a handle; a stale one gives 0.
    let extra = unsafe { w::GetWindowLongPtrW(hwnd(window), w::GWL_EXSTYLE) as u32 };
    let title = caption(window);
    let fleeting = matches!(family(&told.class), Family::Menu | Family::Hint | Family::List);
    let aside = extra & (style::EX_TOOL | style::EX_NO_ACTIVATE) != 0 && extra & style::EX_APP == 0;
    let program = programs.entry(told.pid).or_insert_with(|| program(told.pid)).clone();
    Some(Seen {
        handle: window,
        popup: fleeting || aside && title.is_empty(),
        title,
        class: told.class,
        pid: told.pid,
        thread: told.thread,
        program,
        rect: told.rect,
        owner: owner(window),
        focused: window == front,
        minimised,
        enabled: told.enabled,
    })
}

/// Whether a window is still there.
pub(crate) fn is_there(window: Handle) -> bool {
    // SAFETY: it takes a handle, any.
    unsafe { w::IsWindow(Some(hwnd(window))) }.as_bool()
}
