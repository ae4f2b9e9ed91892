//! A window with one control of each kind, whose texts can be changed at any moment, and one of controls that are only partly seen.
#![allow(unsafe_code)] // the system's functions are declared unsafe, every one

use super::window::{ask, item, log, text_of};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicIsize, Ordering};
use windows::Win32::Foundation::{HINSTANCE, HWND, LPARAM, LRESULT, WPARAM};
use windows::Win32::Graphics::Gdi::{COLOR_BTNFACE, HBRUSH};
use windows::Win32::System::LibraryLoader::GetModuleHandleW;
use windows::Win32::UI::Controls as c;
use windows::Win32::UI::Input::KeyboardAndMouse::SetFocus;
use windows::Win32::UI::WindowsAndMessaging as w;
use windows::core::{HSTRING, PCWSTR, PWSTR, w as wide};

static KINDS: AtomicIsize = AtomicIsize::new(0);
/// What is to change, and on which message to the control of its kind.
static ARMED: Mutex<Option<(u32, String, String)>> = Mutex::new(None);
/// What the controls did with messages before they were looked at.
static USUAL: Mutex<Option<HashMap<isize, isize>>> = Mutex::new(None);

const OPTIONS: i32 = 509;
const ROWS: i32 = 510;
const TREE: i32 = 511;
const TABS: i32 = 512;
const TOOLS: i32 = 513;
const DROPS: i32 = 514;
const LABELS: i32 = 100;

/// The control of each kind: name, class, style, id, place and size. What has a label has it in the control before it.
const CONTROLS: &[(&str, PCWSTR, u32, i32, [i32; 4])] = &[
    ("button", wide!("BUTTON"), 0, 501, [10, 10, 200, 26]),
    ("default", wide!("BUTTON"), 1, 502, [10, 40, 200, 26]),
    ("check", wide!("BUTTON"), 3, 503, [10, 70, 200, 26]),
    ("radio", wide!("BUTTON"), 0x2_0009, 504, [10, 100, 200, 26]),
    ("toggle", wide!("BUTTON"), 0x1003, 505, [10, 130, 200, 26]),
    ("three", wide!("BUTTON"), 6, 506, [10, 160, 200, 26]),
    ("group", wide!("BUTTON"), 7, 0, [230, 2, 200, 54]),
    ("member", wide!("BUTTON"), 0x2_0009, 507, [240, 22, 180, 24]),
    ("static", wide!("STATIC"), 0x100, 508, [230, 60, 200, 20]),
    ("label", wide!("STATIC"), 0, 515 + LABELS, [230, 90, 90, 18]),
    ("edit", wide!("EDIT"), 0x80_0080, 515, [330, 88, 100, 22]),
    ("label", wide!("STATIC"), 0, 516 + LABELS, [230, 120, 90, 18]),
    ("choice", wide!("COMBOBOX"), 0x20_0003, 516, [330, 118, 100, 120]),
    ("label", wide!("STATIC"), 0, 517 + LABELS, [230, 150, 90, 18]),
    ("slider", wide!("msctls_trackbar32"), 0, 517, [330, 145, 100, 30]),
    ("drops", wide!("COMBOBOX"), 0x20_0003, DROPS, [230, 185, 200, 140]),
    ("option", wide!("LISTBOX"), 0xa0_0101, OPTIONS, [450, 10, 150, 80]),
    ("row", wide!("SysListView32"), 0x81_000d, ROWS, [450, 100, 170, 110]),
    ("treeitem", wide!("SysTreeView32"), 0x81_0027, TREE, [450, 220, 170, 90]),
    ("tab", wide!("SysTabControl32"), 0, TABS, [10, 230, 210, 40]),
    ("tool", wide!("ToolbarWindow32"), 0x4c, TOOLS, [10, 280, 400, 40]),
];

fn control(kind: &str) -> HWND {
    let of = match kind {
        "cell" | "heading" => "row",
        "drop" => "drops",
        other => other,
    };
    let window = HWND(KINDS.load(Ordering::Relaxed) as *mut _);
    let found = CONTROLS.iter().find(|told| told.0 == of).map(|told| item(window, told.3)).unwrap_or_default();
    match kind {
        "drop" => list_of(found),
        "heading" => HWND(ask(found, c::LVM_GETHEADER, 0, 0) as *mut _),
        _ => found,
    }
}

/// The list that a combo box drops down.
fn list_of(combo: HWND) -> HWND {
    let mut told = c::COMBOBOXINFO { cbSize: size_of::<c::COMBOBOXINFO>() as u32, ..Default::default() };
    // SAFETY: the structure says its size and outlives the call.
    let _ = unsafe { c::GetComboBoxInfo(combo, &raw mut told) };
    told.hwndList
}

fn label(kind: &str) -> HWND {
    let id = CONTROLS.iter().find(|told| told.0 == kind).map_or(0, |told| told.3 + LABELS);
    item(HWND(KINDS.load(Ordering::Relaxed) as *mut _), id)
}

fn text(of: &HSTRING) -> PWSTR {
    PWSTR(of.as_ptr().cast_mut())
}

/// Gives what is of this kind another text.
fn put(kind: &str, says: &str) {
    let of = control(kind);
    let says = HSTRING::from(says);
    let at = says.as_ptr() as isize;
    match kind {
        "option" => {
            ask(of, w::LB_DELETESTRING, 1, 0);
            ask(of, w::LB_INSERTSTRING, 1, at);
        }
        "drop" => {
            let combo = control("drops");
            ask(combo, w::CB_DELETESTRING, 1, 0);
            ask(combo, w::CB_INSERTSTRING, 1, at);
        }
        "row" | "cell" => {
            let told = c::LVITEMW {
                mask: c::LVIF_TEXT,
                iItem: 1,
                iSubItem: i32::from(kind == "cell"),
                pszText: text(&says),
                ..Default::default()
            };
            ask(of, c::LVM_SETITEMTEXTW, 1, &raw const told as isize);
        }
        "heading" => {
            let told = c::LVCOLUMNW { mask: c::LVCF_TEXT, pszText: text(&says), ..Default::default() };
            ask(control("row"), c::LVM_SETCOLUMNW, 1, &raw const told as isize);
        }
        "treeitem" => {
            let second = ask(of, c::TVM_GETNEXTITEM, 1, ask(of, c::TVM_GETNEXTITEM, 0, 0));
            let told = c::TVITEMW {
                mask: c::TVIF_TEXT,
                hItem: c::HTREEITEM(second),
                pszText: text(&says),
                ..Default::default()
            };
            ask(of, c::TVM_SETITEMW, 0, &raw const told as isize);
        }
        "tab" => {
            let told = c::TCITEMW { mask: c::TCIF_TEXT, pszText: text(&says), ..Default::default() };
            ask(of, c::TCM_SETITEMW, 1, &raw const told as isize);
        }
        "tool" => {
            let told = c::TBBUTTONINFOW {
                cbSize: size_of::<c::TBBUTTONINFOW>() as u32,
                dwMask: c::TBIF_TEXT,
                pszText: text(&says),
                ..Default::default()
            };
            ask(of, c::TB_SETBUTTONINFOW, 602, &raw const told as isize);
        }
        // SAFETY: the text outlives the call; the control is of this thread.
        _ => unsafe {
            let of = if matches!(kind, "edit" | "choice" | "slider") { label(kind) } else { of };
            let _ = w::SetWindowTextW(of, &says);
        },
    }
}

/// What stands there: a text that a message writes.
fn written(ask_for: impl FnOnce(PWSTR, i32)) -> String {
    let mut buffer = [0u16; 512];
    ask_for(PWSTR(buffer.as_mut_ptr()), 511);
    let end = buffer.iter().position(|unit| *unit == 0).unwrap_or(0);
    String::from_utf16_lossy(&buffer[..end])
}

/// Opens the window of kinds.
pub(crate) fn open(title: &str) {
    let window = make(&format!("{title} kinds"), [20, 20, 650, 380]);
    KINDS.store(window.0 as isize, Ordering::Relaxed);
    for (_, class, style, id, place) in CONTROLS {
        let made = child(window, *class, "", 0x5000_0000 | style, *id, *place);
        watch(made);
    }
    let add = |id, message, says: &[&str]| {
        for says in says {
            ask(item(window, id), message, 0, HSTRING::from(*says).as_ptr() as isize);
        }
    };
    add(OPTIONS, w::LB_ADDSTRING, &["first", "", "last"]);
    add(DROPS, w::CB_ADDSTRING, &["first", "", "last"]);
    add(516, w::CB_ADDSTRING, &["one", "two"]);
    watch(list_of(item(window, DROPS)));
    for (at, says) in ["Name", ""].iter().enumerate() {
        column(item(window, ROWS), at, says, 75);
    }
    for at in 0..3i32 {
        row(item(window, ROWS), at, &["row", "cell"]);
    }
    watch(control("heading"));
    for says in ["trunk", "", "leaf"] {
        let says = HSTRING::from(says);
        let mut told = c::TVINSERTSTRUCTW { hInsertAfter: c::TVI_LAST, ..Default::default() };
        told.Anonymous.item = c::TVITEMW { mask: c::TVIF_TEXT, pszText: text(&says), ..Default::default() };
        ask(item(window, TREE), c::TVM_INSERTITEMW, 0, &raw const told as isize);
    }
    for (at, says) in ["page", "", "end"].iter().enumerate() {
        let says = HSTRING::from(*says);
        let told = c::TCITEMW { mask: c::TCIF_TEXT, pszText: text(&says), ..Default::default() };
        ask(item(window, TABS), c::TCM_INSERTITEMW, at, &raw const told as isize);
    }
    let tools = item(window, TOOLS);
    ask(tools, c::TB_BUTTONSTRUCTSIZE, size_of::<c::TBBUTTON>(), 0);
    for command in 601..=603 {
        let says = HSTRING::from("tool");
        let told = c::TBBUTTON {
            iBitmap: -2,
            idCommand: command,
            fsState: 4,
            fsStyle: 0x10,
            iString: says.as_ptr() as isize,
            ..Default::default()
        };
        ask(tools, c::TB_ADDBUTTONSW, 1, &raw const told as isize);
    }
    ask(tools, c::TB_AUTOSIZE, 0, 0);
    idle();
}

/// Gives every kind a text of its own, and takes back what was chosen and opened.
fn idle() {
    let kinds =
        ["button", "default", "check", "radio", "toggle", "three", "member", "static", "edit", "choice", "slider"];
    for kind in kinds.into_iter().chain(["option", "drop", "row", "cell", "heading", "treeitem", "tab", "tool"]) {
        put(kind, &format!("{kind} idle"));
    }
    ask(control("drops"), w::CB_SHOWDROPDOWN, 0, 0);
    ask(control("choice"), w::CB_SHOWDROPDOWN, 0, 0);
    ask(control("option"), w::LB_SETCURSEL, usize::MAX, 0);
    ask(control("tab"), c::TCM_SETCURSEL, 0, 0);
    let tree = control("treeitem");
    ask(tree, c::TVM_SELECTITEM, c::TVGN_CARET as usize, ask(tree, c::TVM_GETNEXTITEM, 0, 0));
    let none = c::LVITEMW { stateMask: c::LIST_VIEW_ITEM_STATE_FLAGS(3), mask: c::LVIF_STATE, ..Default::default() };
    ask(control("row"), c::LVM_SETITEMSTATE, usize::MAX, &raw const none as isize);
    // SAFETY: the control is of this thread.
    let _ = unsafe { SetFocus(Some(control("option"))) };
}

/// Does what a line says to the window of kinds: `say KIND TEXT` for a text at once, `drop` to open the list, `arm hover KIND TEXT`
/// or `arm press KIND TEXT` for one that comes with the pointer.
pub(crate) fn obey(word: &str, rest: &str) {
    let (kind, says) = rest.split_once(' ').unwrap_or((rest, ""));
    match word {
        "idle" => {
            if let Ok(mut armed) = ARMED.lock() {
                *armed = None;
            }
            idle();
        }
        "say" => put(kind, says),
        "drop" => {
            ask(control("drops"), w::CB_SHOWDROPDOWN, 1, 0);
        }
        _ => {
            let message = if kind == "press" { w::WM_LBUTTONDOWN } else { w::WM_MOUSEMOVE };
            let (kind, says) = says.split_once(' ').unwrap_or((says, ""));
            if let Ok(mut armed) = ARMED.lock() {
                *armed = (!kind.is_empty()).then(|| (message, kind.to_owned(), says.to_owned()));
            }
        }
    }
}

/// Opens a window whose controls are only partly seen.
pub(crate) fn open_panes(title: &str) {
    let window = make(&format!("{title} panes"), [60, 60, 560, 420]);
    let pane = child(window, wide!("HandeyeKinds"), "", 0x5080_0000, 0, [10, 10, 150, 60]);
    child(pane, wide!("BUTTON"), "Half", 0x5000_0000, 501, [70, 15, 120, 30]);
    child(pane, wide!("BUTTON"), "Sliver", 0x5000_0000, 501, [-110, 15, 120, 30]);
    child(pane, wide!("BUTTON"), "Out", 0x5000_0000, 501, [20, 70, 60, 26]);
    child(window, wide!("BUTTON"), "Beside", 0x5000_0000, 501, [165, 20, 120, 40]);
    child(window, wide!("BUTTON"), "Below", 0x5000_0000, 501, [10, 75, 150, 40]);
    child(window, wide!("BUTTON"), "Around", 0x5000_0007, 0, [300, 5, 200, 110]);
    child(window, wide!("BUTTON"), "Inside", 0x5000_0000, 501, [320, 35, 160, 60]);
    child(window, wide!("STATIC"), "Under", 0x5000_0000, 0, [300, 130, 100, 20]);
    child(window, wide!("BUTTON"), "Over", 0x5000_0000, 501, [300, 125, 100, 30]);
    let rows = child(window, wide!("SysListView32"), "", 0x5081_0009, ROWS, [10, 170, 220, 120]);
    column(rows, 0, "Number", 120);
    column(rows, 1, "Wide", 190);
    for at in 0..20 {
        row(rows, at, &[&format!("line {at}"), &format!("told {at}")]);
    }
    // The first row lies under the headings then.
    let height = ask(rows, c::LVM_GETITEMSPACING, 1, 0) >> 16;
    ask(rows, c::LVM_SCROLL, 0, height.max(1));
    let list = child(window, wide!("LISTBOX"), "", 0x50a0_0101, OPTIONS, [300, 170, 150, 70]);
    for at in 0..20 {
        ask(list, w::LB_ADDSTRING, 0, HSTRING::from(format!("entry {at}")).as_ptr() as isize);
    }
}

fn column(list: HWND, at: usize, says: &str, width: i32) {
    let says = HSTRING::from(says);
    let told =
        c::LVCOLUMNW { mask: c::LVCF_TEXT | c::LVCF_WIDTH, cx: width, pszText: text(&says), ..Default::default() };
    ask(list, c::LVM_INSERTCOLUMNW, at, &raw const told as isize);
}

fn row(list: HWND, at: i32, texts: &[&str]) {
    for (column, says) in (0..).zip(texts) {
        let says = HSTRING::from(*says);
        let told =
            c::LVITEMW { mask: c::LVIF_TEXT, iItem: at, iSubItem: column, pszText: text(&says), ..Default::default() };
        let message = if column == 0 { c::LVM_INSERTITEMW } else { c::LVM_SETITEMTEXTW };
        ask(list, message, if column == 0 { 0 } else { at as usize }, &raw const told as isize);
    }
}

fn make(title: &str, [x, y, width, height]: [i32; 4]) -> HWND {
    // SAFETY: class and window are made and used on this thread; every text outlives its call.
    unsafe {
        let own: HINSTANCE = GetModuleHandleW(None).unwrap_or_default().into();
        let class = w::WNDCLASSW {
            lpfnWndProc: Some(kinds),
            hInstance: own,
            lpszClassName: wide!("HandeyeKinds"),
            hCursor: w::LoadCursorW(None, w::IDC_ARROW).unwrap_or_default(),
            hbrBackground: HBRUSH((COLOR_BTNFACE.0 + 1) as usize as *mut _),
            ..Default::default()
        };
        w::RegisterClassW(&class);
        let style = w::WINDOW_STYLE(0x10cf_0000);
        let title = HSTRING::from(title);
        let class = wide!("HandeyeKinds");
        let made = w::CreateWindowExW(
            Default::default(),
            class,
            &title,
            style,
            x,
            y,
            width,
            height,
            None,
            None,
            Some(own),
            None,
        )
        .unwrap_or_default();
        let _ = w::SetForegroundWindow(made);
        made
    }
}

fn child(parent: HWND, class: PCWSTR, says: &str, style: u32, id: i32, [x, y, width, height]: [i32; 4]) -> HWND {
    let (says, menu) = (HSTRING::from(says), Some(w::HMENU(id as usize as *mut _)));
    // SAFETY: the texts outlive the call; the parent is of this thread.
    unsafe {
        let own: HINSTANCE = GetModuleHandleW(None).unwrap_or_default().into();
        let style = w::WINDOW_STYLE(style);
        let parent = Some(parent);
        w::CreateWindowExW(Default::default(), class, &says, style, x, y, width, height, parent, menu, Some(own), None)
            .unwrap_or_default()
    }
}

/// Has a control's messages pass by us.
fn watch(of: HWND) {
    // SAFETY: the procedure stays as long as the program; what there was before is called by it.
    let usual = unsafe { w::SetWindowLongPtrW(of, w::GWLP_WNDPROC, watched as w_proc as usize as isize) };
    if let Ok(mut known) = USUAL.lock() {
        known.get_or_insert_default().insert(of.0 as isize, usual);
    }
}

#[allow(non_camel_case_types)]
type w_proc = unsafe extern "system" fn(HWND, u32, WPARAM, LPARAM) -> LRESULT;

unsafe extern "system" fn watched(of: HWND, message: u32, wparam: WPARAM, lparam: LPARAM) -> LRESULT {
    let due = |told: &mut (u32, String, String)| told.0 == message && control(&told.1) == of;
    let armed = if matches!(message, w::WM_LBUTTONDOWN | w::WM_MOUSEMOVE) {
        ARMED.lock().ok().and_then(|mut armed| armed.take_if(due))
    } else {
        None
    };
    if let Some((_, kind, says)) = armed {
        put(&kind, &says);
    }
    let usual = USUAL.lock().ok().and_then(|known| known.as_ref()?.get(&(of.0 as isize)).copied()).unwrap_or(0);
    // SAFETY: it is the procedure that the control had, or none.
    unsafe {
        let usual = std::mem::transmute::<isize, w::WNDPROC>(usual);
        w::CallWindowProcW(usual, of, message, wparam, lparam)
    }
}

unsafe extern "system" fn kinds(window: HWND, message: u32, wparam: WPARAM, lparam: LPARAM) -> LRESULT {
    match message {
        w::WM_COMMAND => command((wparam.0 & 0xffff) as i32, (wparam.0 >> 16) as u32, HWND(lparam.0 as *mut _)),
        w::WM_HSCROLL => log(&format!("hit slider {}", text_of(label("slider")))),
        w::WM_LBUTTONDOWN => log(&format!("background {},{}", lparam.0 as i16, (lparam.0 >> 16) as i16)),
        // SAFETY: what a notice points at is whole while it is handled.
        w::WM_NOTIFY => unsafe { notice(lparam.0) },
        _ => {}
    }
    // SAFETY: it hands on what came.
    unsafe { w::DefWindowProcW(window, message, wparam, lparam) }
}

fn command(id: i32, code: u32, from: HWND) {
    let kind = CONTROLS.iter().find(|told| told.3 == id).map_or("", |told| told.0);
    let says = match (kind, code) {
        ("option", w::LBN_SELCHANGE) => written(|at, _| {
            ask(from, w::LB_GETTEXT, ask(from, w::LB_GETCURSEL, 0, 0) as usize, at.0 as isize);
        }),
        ("drops", w::CBN_SELCHANGE) => written(|at, _| {
            ask(from, w::CB_GETLBTEXT, ask(from, w::CB_GETCURSEL, 0, 0) as usize, at.0 as isize);
        }),
        ("edit", w::EN_SETFOCUS) | ("choice", w::CBN_DROPDOWN) => text_of(label(kind)),
        ("", 0) => written(|at, _| {
            ask(from, c::TB_GETBUTTONTEXTW, id as usize, at.0 as isize);
        }),
        ("option" | "drops" | "edit" | "choice" | "row" | "slider", _) => return,
        (_, 0) => text_of(from),
        _ => return,
    };
    let kind = match kind {
        "" => "tool",
        "drops" => "drop",
        other => other,
    };
    log(&format!("hit {kind} {says}"));
}

/// # Safety
/// `at` points to the notice that its code tells of.
unsafe fn notice(at: isize) {
    // SAFETY: the caller says so.
    unsafe {
        let head = &*(at as *const c::NMHDR);
        match head.code {
            c::LVN_ITEMCHANGED => {
                let told = &*(at as *const c::NMLISTVIEW);
                if told.uNewState & 2 != 0 && told.uOldState & 2 == 0 {
                    log(&format!("hit row {}", row_text(head.hwndFrom, told.iItem, 0)));
                }
            }
            c::NM_CLICK if head.idFrom as i32 == ROWS => {
                let told = &*(at as *const c::NMITEMACTIVATE);
                log(&format!("hit cell {}", row_text(head.hwndFrom, told.iItem, told.iSubItem)));
            }
            c::LVN_COLUMNCLICK => {
                let column = (*(at as *const c::NMLISTVIEW)).iSubItem;
                log(&format!("hit heading {}", heading(head.hwndFrom, column)));
            }
            c::TVN_SELCHANGEDW => {
                let told = &*(at as *const c::NMTREEVIEWW);
                let says = written(|text, most| {
                    let item = c::TVITEMW {
                        mask: c::TVIF_TEXT,
                        hItem: told.itemNew.hItem,
                        pszText: text,
                        cchTextMax: most,
                        ..Default::default()
                    };
                    ask(head.hwndFrom, c::TVM_GETITEMW, 0, &raw const item as isize);
                });
                log(&format!("hit treeitem {says}"));
            }
            c::TCN_SELCHANGE => {
                let chosen = ask(head.hwndFrom, c::TCM_GETCURSEL, 0, 0);
                let says = written(|text, most| {
                    let tab = c::TCITEMW { mask: c::TCIF_TEXT, pszText: text, cchTextMax: most, ..Default::default() };
                    ask(head.hwndFrom, c::TCM_GETITEMW, chosen as usize, &raw const tab as isize);
                });
                log(&format!("hit tab {says}"));
            }
            _ => {}
        }
    }
}

fn row_text(list: HWND, row: i32, column: i32) -> String {
    written(|at, most| {
        let told = c::LVITEMW { iSubItem: column, pszText: at, cchTextMax: most, ..Default::default() };
        ask(list, c::LVM_GETITEMTEXTW, row as usize, &raw const told as isize);
    })
}

fn heading(list: HWND, column: i32) -> String {
    written(|at, most| {
        let told = c::LVCOLUMNW { mask: c::LVCF_TEXT, pszText: at, cchTextMax: most, ..Default::default() };
        ask(list, c::LVM_GETCOLUMNW, column as usize, &raw const told as isize);
    })
}
