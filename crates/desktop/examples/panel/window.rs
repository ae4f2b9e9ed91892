//! The panel's windows.
#![allow(unsafe_code)] // the system's functions are declared unsafe, every one

use std::fs::OpenOptions;
use std::io::{BufRead, Write};
use std::sync::Mutex;
use std::sync::OnceLock;
use windows::Win32::Foundation::{HINSTANCE, HWND, LPARAM, LRESULT, WPARAM};
use windows::Win32::Graphics::Gdi::{COLOR_BTNFACE, HBRUSH, UpdateWindow};
use windows::Win32::System::LibraryLoader::GetModuleHandleW;
use windows::Win32::UI::Controls as c;
use windows::Win32::UI::Input::KeyboardAndMouse::{EnableWindow, SetFocus};
use windows::Win32::UI::WindowsAndMessaging as w;
use windows::core::{HSTRING, PCWSTR, w as wide};

static LOG: OnceLock<Mutex<std::fs::File>> = OnceLock::new();
static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// Lines that are due when the timer says so.
static DUE: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// A line that is due when the pointer's first button is pressed.
static PRESSED: Mutex<Option<String>> = Mutex::new(None);
static COVER: Mutex<isize> = Mutex::new(0);

const LINE: u32 = w::WM_APP + 1;
const APPROVE: i32 = 101;
const NAME: i32 = 102;
const SECRET: i32 = 103;
const NOTES: i32 = 104;
const KEEP: i32 = 105;
const SIZE: i32 = 106;
const ROWS: i32 = 107;
const LEVEL: i32 = 108;
const ASK: i32 = 109;
const SMALL: i32 = 111;
const FIXED: i32 = 113;

/// Styles, and what is told of each control: class, text, style, id, place and size.
const VISIBLE: u32 = 0x5001_0000;
const CONTROLS: &[(PCWSTR, PCWSTR, u32, i32, [i32; 4])] = &[
    (wide!("STATIC"), wide!("&Name:"), 0x5000_0000, 0, [10, 12, 80, 20]),
    (wide!("EDIT"), wide!(""), VISIBLE | 0x0080_0080, NAME, [100, 10, 200, 22]),
    (wide!("STATIC"), wide!("Secret:"), 0x5000_0000, 0, [10, 42, 80, 20]),
    (wide!("EDIT"), wide!(""), VISIBLE | 0x0080_00a0, SECRET, [100, 40, 200, 22]),
    (wide!("STATIC"), wide!("Notes:"), 0x5000_0000, 0, [10, 72, 80, 20]),
    (wide!("EDIT"), wide!(""), VISIBLE | 0x00a0_1044, NOTES, [100, 70, 200, 60]),
    (wide!("STATIC"), wide!("Fixed:"), 0x5000_0000, 0, [10, 137, 80, 20]),
    (wide!("EDIT"), wide!("as it is"), VISIBLE | 0x0080_0880, FIXED, [100, 135, 200, 22]),
    (wide!("BUTTON"), wide!("&Keep a copy"), VISIBLE | 3, KEEP, [10, 165, 140, 22]),
    (wide!("BUTTON"), wide!("Paper"), 0x5000_0007, 0, [310, 5, 170, 70]),
    (wide!("BUTTON"), wide!("A4"), VISIBLE | 0x2_0009, SMALL, [320, 25, 60, 20]),
    (wide!("BUTTON"), wide!("Letter"), VISIBLE | 9, SMALL + 1, [320, 48, 80, 20]),
    (wide!("STATIC"), wide!("Size:"), 0x5002_0000, 0, [160, 168, 40, 20]),
    (wide!("COMBOBOX"), wide!(""), VISIBLE | 0x0020_0003, SIZE, [205, 165, 95, 200]),
    (wide!("STATIC"), wide!("Rows:"), 0x5000_0000, 0, [310, 80, 80, 18]),
    (wide!("LISTBOX"), wide!(""), VISIBLE | 0x00a0_0101, ROWS, [310, 98, 170, 90]),
    (wide!("STATIC"), wide!("Level:"), 0x5000_0000, 0, [10, 200, 60, 20]),
    (wide!("msctls_trackbar32"), wide!(""), VISIBLE, LEVEL, [100, 195, 200, 30]),
    (wide!("BUTTON"), wide!("&Approve"), VISIBLE, APPROVE, [10, 240, 120, 28]),
    (wide!("BUTTON"), wide!("Ask..."), VISIBLE, ASK, [140, 240, 100, 28]),
    (wide!("BUTTON"), wide!("Never"), VISIBLE | 0x0800_0000, 110, [250, 240, 100, 28]),
];

pub(crate) fn log(line: &str) {
    if let Some(file) = LOG.get()
        && let Ok(mut file) = file.lock()
    {
        let _ = writeln!(file, "{line}");
    }
}

/// Milliseconds on a clock that every program here goes by.
fn now() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.as_millis())
}

pub(crate) fn text_of(of: HWND) -> String {
    let mut buffer = [0u16; 4096];
    // SAFETY: the buffer is ours and says its length.
    let length = unsafe { w::GetWindowTextW(of, &mut buffer) };
    String::from_utf16_lossy(&buffer[..usize::try_from(length).unwrap_or(0)])
}

pub(crate) fn item(parent: HWND, id: i32) -> HWND {
    // SAFETY: it takes a handle and a number.
    unsafe { w::GetDlgItem(Some(parent), id) }.unwrap_or_default()
}

pub(crate) fn ask(of: HWND, message: u32, wparam: usize, lparam: isize) -> isize {
    // SAFETY: the control is of this thread; what `lparam` points at outlives the call.
    unsafe { w::SendMessageW(of, message, Some(WPARAM(wparam)), Some(LPARAM(lparam))) }.0
}

/// Starts the panel, and ends with it.
pub(crate) fn run() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(file) = args.get(1).and_then(|p| OpenOptions::new().create(true).append(true).open(p).ok()) {
        let _ = LOG.set(Mutex::new(file));
    }
    let title = args.get(2).cloned().unwrap_or_else(|| "Panel".to_owned());
    // SAFETY: classes and windows are made and used on this thread; every text outlives its call.
    unsafe {
        let own: HINSTANCE = GetModuleHandleW(None).unwrap_or_default().into();
        c::InitCommonControls();
        for (name, proc) in [(wide!("HandeyePanel"), panel as w_proc), (wide!("HandeyePad"), pad as w_proc)] {
            let class = w::WNDCLASSW {
                lpfnWndProc: Some(proc),
                hInstance: own,
                lpszClassName: name,
                hCursor: w::LoadCursorW(None, w::IDC_ARROW).unwrap_or_default(),
                hbrBackground: HBRUSH((COLOR_BTNFACE.0 + 1) as usize as *mut _),
                ..Default::default()
            };
            w::RegisterClassW(&class);
        }
        let menu = menu();
        let window = |class, title: &str, menu, [x, y, width, height]: [i32; 4]| {
            let title = HSTRING::from(title);
            let style = w::WS_OVERLAPPEDWINDOW | w::WS_VISIBLE;
            w::CreateWindowExW(
                Default::default(),
                class,
                &title,
                style,
                x,
                y,
                width,
                height,
                None,
                menu,
                Some(own),
                None,
            )
            .unwrap_or_default()
        };
        let _far = window(wide!("HandeyePad"), &format!("{title} far"), None, [-700, -60, 300, 200]);
        let _second = window(wide!("HandeyePad"), &format!("{title} second"), None, [620, 40, 300, 200]);
        let main = window(wide!("HandeyePanel"), &title, menu, [40, 40, 520, 360]);
        fill(main, own);
        let _ = UpdateWindow(main);
        let _ = w::SetForegroundWindow(main);
        let _ = SetFocus(Some(item(main, NAME)));
        listen(main);
        log("ready");
        let mut message = w::MSG::default();
        while w::GetMessageW(&mut message, None, 0, 0).as_bool() {
            let is_press = message.message == w::WM_LBUTTONDOWN;
            if !w::IsDialogMessageW(main, &message).as_bool() {
                let _ = w::TranslateMessage(&message);
                w::DispatchMessageW(&message);
            }
            if let Some(line) = PRESSED.lock().ok().and_then(|mut line| line.take_if(|_| is_press)) {
                obey(main, &line);
            }
        }
    }
}

#[allow(non_camel_case_types)]
type w_proc = unsafe extern "system" fn(HWND, u32, WPARAM, LPARAM) -> LRESULT;

unsafe fn menu() -> Option<w::HMENU> {
    // SAFETY: the menus are handed to the window, which ends them.
    unsafe {
        let bar = w::CreateMenu().ok()?;
        let file = w::CreatePopupMenu().ok()?;
        w::AppendMenuW(file, w::MF_STRING, 201, wide!("&New\tCtrl+N")).ok()?;
        w::AppendMenuW(file, w::MF_STRING, 202, wide!("Save &As...")).ok()?;
        w::AppendMenuW(file, w::MF_SEPARATOR, 0, None).ok()?;
        w::AppendMenuW(file, w::MF_STRING | w::MF_CHECKED, 203, wide!("&Wrap")).ok()?;
        w::AppendMenuW(bar, w::MF_POPUP, file.0 as usize, wide!("&File")).ok()?;
        Some(bar)
    }
}

unsafe fn fill(main: HWND, own: HINSTANCE) {
    for (class, text, style, id, [x, y, width, height]) in CONTROLS {
        // SAFETY: the texts are static; the parent is of this thread.
        let _ = unsafe {
            w::CreateWindowExW(
                Default::default(),
                *class,
                *text,
                w::WINDOW_STYLE(*style),
                *x,
                *y,
                *width,
                *height,
                Some(main),
                Some(w::HMENU(*id as usize as *mut _)),
                Some(own),
                None,
            )
        };
    }
    for size in ["Small", "Medium", "Large & wide"] {
        ask(item(main, SIZE), w::CB_ADDSTRING, 0, HSTRING::from(size).as_ptr() as isize);
    }
    for row in 1..=40 {
        ask(item(main, ROWS), w::LB_ADDSTRING, 0, HSTRING::from(format!("row {row}")).as_ptr() as isize);
    }
    ask(item(main, SMALL), c_check(), 1, 0);
}

fn c_check() -> u32 {
    w::BM_SETCHECK
}

/// Hands the lines of the standard input to the window's own thread.
fn listen(main: HWND) {
    let window = main.0 as isize;
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if let Ok(mut lines) = LINES.lock() {
                lines.push(line);
            }
            // SAFETY: it takes a handle and numbers.
            let _ = unsafe { w::PostMessageW(Some(HWND(window as *mut _)), LINE, WPARAM(0), LPARAM(0)) };
        }
    });
}

unsafe extern "system" fn pad(window: HWND, message: u32, wparam: WPARAM, lparam: LPARAM) -> LRESULT {
    let at = || format!("{},{}", lparam.0 as i16, (lparam.0 >> 16) as i16);
    let told = match message {
        w::WM_LBUTTONDOWN => Some(format!("left {}", at())),
        w::WM_RBUTTONDOWN => Some(format!("right {}", at())),
        w::WM_LBUTTONUP => Some(format!("up {}", at())),
        w::WM_CHAR => Some(format!("char {:x}", wparam.0)),
        w::WM_MOUSEWHEEL => Some(format!("wheel {}", (wparam.0 >> 16) as i16)),
        w::WM_CLOSE => Some("close".to_owned()),
        _ => None,
    };
    if let Some(told) = told {
        log(&format!("{}: {told}\nat {}", text_of(window), now()));
    }
    // SAFETY: it hands on what came.
    unsafe { w::DefWindowProcW(window, message, wparam, lparam) }
}

unsafe extern "system" fn panel(window: HWND, message: u32, wparam: WPARAM, lparam: LPARAM) -> LRESULT {
    match message {
        w::WM_COMMAND => command(window, (wparam.0 & 0xffff) as i32, (wparam.0 >> 16) as u32, HWND(lparam.0 as *mut _)),
        w::WM_HSCROLL => log(&format!("level {}", ask(item(window, LEVEL), w::WM_USER, 0, 0))),
        w::WM_LBUTTONDOWN | w::WM_LBUTTONUP => {
            let what = if message == w::WM_LBUTTONDOWN { "left" } else { "up" };
            let (x, y) = (lparam.0 as i16, (lparam.0 >> 16) as i16);
            log(&format!("{}: {what} {x},{y}\nat {}", text_of(window), now()));
        }
        w::WM_TIMER => {
            // SAFETY: it takes a handle and a number.
            let _ = unsafe { w::KillTimer(Some(window), 7) };
            let lines = DUE.lock().map(|mut l| std::mem::take(&mut *l)).unwrap_or_default();
            lines.iter().for_each(|line| obey(window, line));
        }
        LINE => {
            let lines = LINES.lock().map(|mut l| std::mem::take(&mut *l)).unwrap_or_default();
            lines.iter().for_each(|line| obey(window, line));
        }
        w::WM_DESTROY => {
            log("closed");
            // SAFETY: it takes a number.
            unsafe { w::PostQuitMessage(0) };
        }
        _ => {}
    }
    // SAFETY: it hands on what came.
    unsafe { w::DefWindowProcW(window, message, wparam, lparam) }
}

fn command(window: HWND, id: i32, code: u32, from: HWND) {
    let checked = |id| ask(item(window, id), w::BM_GETCHECK, 0, 0) == 1;
    match (id, code) {
        (APPROVE, 0) => {
            let at = now();
            log(&format!("clicked {}\nat {at}", text_of(from).replace('&', "")));
        }
        (ASK, 0) => {
            log("asked");
            // SAFETY: the texts are static.
            let answer = unsafe { w::MessageBoxW(Some(window), wide!("Really?"), wide!("Asked"), w::MB_YESNO) };
            log(&format!("answer {}", answer.0));
        }
        (KEEP, 0) => log(&format!("keep {}", checked(KEEP))),
        (SMALL, 0) | (112, 0) => log(&format!("paper {}", if checked(SMALL) { "A4" } else { "Letter" })),
        (NAME, 0x300) => log(&format!("name {}", text_of(from))),
        (SECRET, 0x300) => log(&format!("secret {}", text_of(from).chars().count())),
        (NOTES, 0x300) => log(&format!("notes {}", text_of(from).replace("\r\n", "|"))),
        (SIZE, w::CBN_SELCHANGE) => log(&format!("size {}", ask(from, w::CB_GETCURSEL, 0, 0))),
        (ROWS, w::LBN_SELCHANGE) => log(&format!("row {}", ask(from, w::LB_GETCURSEL, 0, 0) + 1)),
        (201..=203, 0) => log(&format!("menu {id}")),
        _ => {}
    }
}

fn obey(window: HWND, line: &str) {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let approve = item(window, APPROVE);
    // SAFETY: they take handles of this thread and texts that outlive the calls.
    unsafe {
        match word {
            "relabel" => {
                let _ = w::SetWindowTextW(approve, &HSTRING::from(rest));
            }
            "remove" => {
                let _ = w::DestroyWindow(approve);
            }
            "disable" => {
                let _ = EnableWindow(approve, false);
            }
            "cover" => cover(true),
            "uncover" => cover(false),
            "move" => {
                let mut numbers = rest.split(' ').filter_map(|n| n.parse::<i32>().ok());
                if let (Some(x), Some(y)) = (numbers.next(), numbers.next()) {
                    let _ = w::SetWindowPos(window, None, x, y, 0, 0, w::SWP_NOSIZE | w::SWP_NOZORDER);
                }
            }
            "later" => {
                later(window, rest);
                return;
            }
            "pressed" => {
                if let Ok(mut line) = PRESSED.lock() {
                    *line = Some(rest.to_owned());
                }
            }
            "reset" => {
                cover(false);
                let _ = w::DestroyWindow(approve);
                put_approve(window, rest);
            }
            "kinds" => super::kinds::open(&text_of(window)),
            "panes" => super::kinds::open_panes(&text_of(window)),
            "idle" | "say" | "arm" | "drop" => super::kinds::obey(word, rest),
            "parts" => super::parts::open(&text_of(window)),
            "no-parts" => super::parts::close(),
            "row" => super::parts::put_first(rest),
            "place" => {
                let numbers: Vec<i32> = rest.split(' ').filter_map(|n| n.parse().ok()).collect();
                if let [x, y, width, height] = numbers[..] {
                    let _ = w::SetWindowPos(approve, None, x, y, width, height, w::SWP_NOZORDER | w::SWP_NOACTIVATE);
                }
            }
            "fill" => {
                let rows = item(window, ROWS);
                ask(rows, w::WM_SETREDRAW, 0, 0);
                for row in 41..=rest.parse().unwrap_or(0) {
                    ask(rows, w::LB_ADDSTRING, 0, HSTRING::from(format!("row {row}")).as_ptr() as isize);
                }
                ask(rows, w::WM_SETREDRAW, 1, 0);
            }
            "hang" => std::thread::sleep(std::time::Duration::from_millis(rest.parse().unwrap_or(0))),
            "close" => {
                let _ = w::DestroyWindow(window);
            }
            _ => log(&format!("unknown {line}")),
        }
    }
    log(&format!("changed at {}\ndid {word}", now()));
}

/// Has a line done so many milliseconds from now, by a timer of the window: as a program that changes by itself.
fn later(window: HWND, line: &str) {
    let (time, line) = line.split_once(' ').unwrap_or(("0", line));
    if let Ok(mut lines) = DUE.lock() {
        lines.push(line.to_owned());
    }
    // SAFETY: it takes a handle and numbers.
    unsafe { w::SetTimer(Some(window), 7, time.parse().unwrap_or(0), None) };
}

/// The button anew.
unsafe fn put_approve(window: HWND, text: &str) {
    // SAFETY: the text outlives the call; the parent is of this thread.
    unsafe {
        let own: HINSTANCE = GetModuleHandleW(None).unwrap_or_default().into();
        let style = w::WINDOW_STYLE(VISIBLE);
        let id = Some(w::HMENU(APPROVE as usize as *mut _));
        let text = HSTRING::from(text);
        let _ = w::CreateWindowExW(
            Default::default(),
            wide!("BUTTON"),
            &text,
            style,
            10,
            240,
            120,
            28,
            Some(window),
            id,
            Some(own),
            None,
        );
    }
}

/// Puts a window on top of everything, or takes it away.
unsafe fn cover(on: bool) {
    let Ok(mut kept) = COVER.lock() else { return };
    // SAFETY: the window is of this thread.
    unsafe {
        if on {
            let own: HINSTANCE = GetModuleHandleW(None).unwrap_or_default().into();
            let made = w::CreateWindowExW(
                w::WS_EX_TOPMOST | w::WS_EX_NOACTIVATE,
                wide!("HandeyePad"),
                wide!("Cover"),
                w::WS_POPUP | w::WS_VISIBLE,
                0,
                0,
                1200,
                900,
                None,
                None,
                Some(own),
                None,
            );
            *kept = made.map_or(0, |m| m.0 as isize);
        } else if *kept != 0 {
            let _ = w::DestroyWindow(HWND(*kept as *mut _));
        }
    }
}
