//! A window of Windows' compound controls: a list with columns, a tree, tabs, a tool bar, a status bar.
#![allow(unsafe_code)] // the system's functions are declared unsafe, every one

use super::window::{ask, item, log};
use std::sync::atomic::{AtomicIsize, Ordering};
use windows::Win32::Foundation::{HINSTANCE, HWND, LPARAM, LRESULT, WPARAM};
use windows::Win32::Graphics::Gdi::{COLOR_BTNFACE, HBRUSH};
use windows::Win32::System::LibraryLoader::GetModuleHandleW;
use windows::Win32::UI::Controls as c;
use windows::Win32::UI::WindowsAndMessaging as w;
use windows::core::{HSTRING, PCWSTR, PWSTR, w as wide};

const FILES: i32 = 301;
const FOLDERS: i32 = 302;
const PAGES: i32 = 303;
const TOOLS: i32 = 304;
const STATUS: i32 = 305;
const LONG: i32 = 306;

static WINDOW: AtomicIsize = AtomicIsize::new(0);

const ROWS: [[&str; 3]; 4] = [
    ["读我.txt", "12 KB", "text"],
    ["é.png", "3 MB", "picture"],
    ["notes & co", "1 KB", "text"],
    ["é.png", "4 MB", "copy"],
];

/// Opens the window.
pub(crate) fn open(title: &str) {
    // SAFETY: classes and windows are made and used on this thread; every text outlives its call.
    unsafe {
        let own: HINSTANCE = GetModuleHandleW(None).unwrap_or_default().into();
        let class = w::WNDCLASSW {
            lpfnWndProc: Some(parts),
            hInstance: own,
            lpszClassName: wide!("HandeyeParts"),
            hbrBackground: HBRUSH((COLOR_BTNFACE.0 + 1) as usize as *mut _),
            ..Default::default()
        };
        w::RegisterClassW(&class);
        let title = HSTRING::from(format!("{title} parts"));
        let window = child(None, wide!("HandeyeParts"), &title, 0x10cf_0000, 0, [60, 300, 620, 460]);
        WINDOW.store(window.0 as isize, Ordering::Relaxed);
        let empty = HSTRING::new();
        let top = Some(window);
        child(top, wide!("SysListView32"), &empty, 0x5081_0009, FILES, [10, 60, 290, 130]);
        child(top, wide!("SysTreeView32"), &empty, 0x5081_0007, FOLDERS, [310, 60, 280, 130]);
        child(top, wide!("SysTabControl32"), &empty, 0x5001_0000, PAGES, [10, 200, 290, 60]);
        child(top, wide!("ToolbarWindow32"), &empty, 0x5000_0000 | 0x4 | 0x8 | 0x40, TOOLS, [10, 10, 400, 40]);
        child(top, wide!("msctls_statusbar32"), &empty, 0x5000_0000, STATUS, [0, 0, 0, 0]);
        child(top, wide!("SysListView32"), &empty, 0x5081_1009, LONG, [310, 200, 280, 150]);
        fill(window);
        let _ = w::SetForegroundWindow(window);
    }
}

/// Closes it.
pub(crate) fn close() {
    // SAFETY: the window is of this thread; one that is gone is refused.
    let _ = unsafe { w::DestroyWindow(HWND(WINDOW.swap(0, Ordering::Relaxed) as *mut _)) };
}

/// Puts a row before all others.
pub(crate) fn put_first(text: &str) {
    row(HWND(WINDOW.load(Ordering::Relaxed) as *mut _), 0, &[text, "0", "new"]);
}

unsafe fn child(
    parent: Option<HWND>,
    class: PCWSTR,
    text: &HSTRING,
    style: u32,
    id: i32,
    [x, y, width, height]: [i32; 4],
) -> HWND {
    // SAFETY: the texts outlive the call; the parent is of this thread.
    unsafe {
        let own: HINSTANCE = GetModuleHandleW(None).unwrap_or_default().into();
        let menu = parent.map(|_| w::HMENU(id as usize as *mut _));
        let style = w::WINDOW_STYLE(style);
        w::CreateWindowExW(Default::default(), class, text, style, x, y, width, height, parent, menu, Some(own), None)
            .unwrap_or_default()
    }
}

fn text(of: &HSTRING) -> PWSTR {
    PWSTR(of.as_ptr().cast_mut())
}

fn row(window: HWND, at: i32, texts: &[&str]) {
    for (column, says) in (0..).zip(texts) {
        let says = HSTRING::from(*says);
        let told =
            c::LVITEMW { mask: c::LVIF_TEXT, iItem: at, iSubItem: column, pszText: text(&says), ..Default::default() };
        let message = if column == 0 { c::LVM_INSERTITEMW } else { c::LVM_SETITEMTEXTW };
        ask(item(window, FILES), message, if column == 0 { 0 } else { at as usize }, &raw const told as isize);
    }
}

fn fill(window: HWND) {
    for (list, columns) in [(FILES, &["Name", "Size", "Kind"][..]), (LONG, &["Number", "Twice"])] {
        for (at, says) in (0..).zip(columns) {
            let says = HSTRING::from(*says);
            let mask = c::LVCF_TEXT | c::LVCF_WIDTH;
            let told = c::LVCOLUMNW { mask, cx: 90, pszText: text(&says), ..Default::default() };
            ask(item(window, list), c::LVM_INSERTCOLUMNW, at, &raw const told as isize);
        }
    }
    for (at, texts) in (0..).zip(ROWS) {
        row(window, at, &texts);
    }
    ask(item(window, LONG), c::LVM_SETITEMCOUNT, 100_000, 0);
    let put = |parent: isize, says: &str| {
        let says = HSTRING::from(says);
        let mut told = c::TVINSERTSTRUCTW { hParent: c::HTREEITEM(parent), ..Default::default() };
        told.hInsertAfter = c::TVI_LAST;
        told.Anonymous.item = c::TVITEMW { mask: c::TVIF_TEXT, pszText: text(&says), ..Default::default() };
        ask(item(window, FOLDERS), c::TVM_INSERTITEMW, 0, &raw const told as isize)
    };
    let work = put(0, "Work");
    put(work, "计划");
    let letters = put(work, "Letters");
    put(letters, "2026");
    put(0, "Home");
    for (at, says) in ["General", "Fonts", "Über"].iter().enumerate() {
        let says = HSTRING::from(*says);
        let told = c::TCITEMW { mask: c::TCIF_TEXT, pszText: text(&says), ..Default::default() };
        ask(item(window, PAGES), c::TCM_INSERTITEMW, at, &raw const told as isize);
    }
    let tools = item(window, TOOLS);
    ask(tools, c::TB_BUTTONSTRUCTSIZE, size_of::<c::TBBUTTON>(), 0);
    for (command, says, style, state) in [(401, "Cut", 0u8, 4u8), (402, "Bold", 2, 4), (403, "Off", 0, 0)] {
        let says = HSTRING::from(says);
        let told = c::TBBUTTON {
            iBitmap: -2,
            idCommand: command,
            fsState: state,
            fsStyle: style | 0x10,
            iString: says.as_ptr() as isize,
            ..Default::default()
        };
        ask(tools, c::TB_ADDBUTTONSW, 1, &raw const told as isize);
    }
    ask(tools, c::TB_AUTOSIZE, 0, 0);
    let edges = [200i32, 320, -1];
    ask(item(window, STATUS), c::SB_SETPARTS, edges.len(), edges.as_ptr() as isize);
    for (at, says) in ["Ready", "Ln 1", "插入"].iter().enumerate() {
        ask(item(window, STATUS), c::SB_SETTEXTW, at, HSTRING::from(*says).as_ptr() as isize);
    }
}

unsafe extern "system" fn parts(window: HWND, message: u32, wparam: WPARAM, lparam: LPARAM) -> LRESULT {
    match message {
        w::WM_COMMAND if wparam.0 >> 16 == 0 => log(&format!("tool {}", wparam.0 & 0xffff)),
        // SAFETY: what a notice points at is whole while it is handled.
        w::WM_NOTIFY => unsafe { notice(window, lparam.0) },
        _ => {}
    }
    // SAFETY: it hands on what came.
    unsafe { w::DefWindowProcW(window, message, wparam, lparam) }
}

/// # Safety
/// `at` points to the notice that its code tells of.
unsafe fn notice(window: HWND, at: isize) {
    // SAFETY: the caller says so.
    unsafe {
        let head = &*(at as *const c::NMHDR);
        match head.code {
            c::LVN_GETDISPINFOW => {
                let told = &mut *(at as *mut c::NMLVDISPINFOW);
                if told.item.mask.contains(c::LVIF_TEXT) && !told.item.pszText.is_null() {
                    let number = (told.item.iItem as usize + 1) * (told.item.iSubItem as usize + 1);
                    let says: Vec<u16> = format!("row {number}").encode_utf16().chain([0]).collect();
                    let most = (told.item.cchTextMax.max(1) as usize).min(says.len());
                    std::ptr::copy_nonoverlapping(says.as_ptr(), told.item.pszText.0, most);
                }
            }
            c::LVN_ITEMCHANGED => {
                let told = &*(at as *const c::NMLISTVIEW);
                let (before, now) = (told.uOldState & 2 != 0, told.uNewState & 2 != 0);
                if now && !before {
                    log(&format!("list {} row {}", head.idFrom, told.iItem + 1));
                }
            }
            c::TVN_SELCHANGEDW => log("branch chosen"),
            c::TVN_ITEMEXPANDEDW => {
                let told = &*(at as *const c::NMTREEVIEWW);
                log(if told.action.0 & 2 != 0 { "branch opened" } else { "branch closed" });
            }
            c::TCN_SELCHANGE => log(&format!("tab {}", ask(item(window, PAGES), c::TCM_GETCURSEL, 0, 0) + 1)),
            _ => {}
        }
    }
}
