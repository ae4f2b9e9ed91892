//! Items of menus: of a window's bar, and of those that are open.

use super::convert::{Fault, hwnd, narrow, pixel, rect};
use super::messages::ask;
use crate::windows::records::control::MenuItem;
use crate::windows::records::window_list::Handle;
use ::windows::Win32::Foundation::RECT;
use ::windows::Win32::UI::WindowsAndMessaging as w;
use ::windows::core::PWSTR;
use handeye_scene::{Point, Rect};

/// An item of a menu: what it says, its command, and where it is.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    /// Which one it is, counted from the first; separators count.
    pub(crate) at: u32,
    pub(crate) text: String,
    pub(crate) command: u32,
    pub(crate) enabled: bool,
    pub(crate) item: MenuItem,
    pub(crate) rect: Option<Rect>,
}

/// Items of a menu that are listed.
const MOST: u32 = 200;
/// Asks an open menu's window for the menu that it shows.
const GET_MENU: u32 = 0x1e1;

/// The items of a window's menu bar.
pub(crate) fn bar_items(window: Handle) -> Vec<Told> {
    // SAFETY: it takes a handle and gives one; a stale one gives none.
    let menu = unsafe { w::GetMenu(hwnd(window)) };
    if menu.is_invalid() { Vec::new() } else { items(Some(window), menu) }
}

/// The items of an open menu.
pub(crate) fn open_items(popup: Handle) -> Result<Vec<Told>, Fault> {
    let menu = w::HMENU(ask(popup, GET_MENU, 0, 0)? as *mut _);
    Ok(if menu.is_invalid() { Vec::new() } else { items(None, menu) })
}

/// The item of a window's menu bar at a place, counted from the first; separators count.
pub(crate) fn bar_item_at(window: Handle, at: Point) -> Option<u32> {
    // SAFETY: it takes a handle and gives one; a stale one gives none.
    let menu = unsafe { w::GetMenu(hwnd(window)) };
    // SAFETY: it takes handles and a place; stale ones give -1.
    u32::try_from(unsafe { w::MenuItemFromPoint(Some(hwnd(window)), menu, pixel(at)) }).ok()
}

/// The same of an open menu.
pub(crate) fn open_item_at(popup: Handle, at: Point) -> Result<Option<u32>, Fault> {
    let menu = w::HMENU(ask(popup, GET_MENU, 0, 0)? as *mut _);
    // SAFETY: as above.
    Ok(u32::try_from(unsafe { w::MenuItemFromPoint(None, menu, pixel(at)) }).ok())
}

fn items(bar_of: Option<Handle>, menu: w::HMENU) -> Vec<Told> {
    // SAFETY: it takes a handle and gives a number; a stale one gives -1.
    let count = u32::try_from(unsafe { w::GetMenuItemCount(Some(menu)) }).unwrap_or(0);
    (0..count.min(MOST)).filter_map(|at| told(bar_of, menu, at)).collect()
}

fn told(bar_of: Option<Handle>, menu: w::HMENU, at: u32) -> Option<Told> {
    let mut buffer = [0u16; 512];
    let mut info = w::MENUITEMINFOW {
        cbSize: size_of::<w::MENUITEMINFOW>() as u32,
        fMask: w::MIIM_FTYPE | w::MIIM_STATE | w::MIIM_ID | w::MIIM_SUBMENU | w::MIIM_STRING,
        dwTypeData: PWSTR(buffer.as_mut_ptr()),
        cch: buffer.len() as u32 - 1,
        ..Default::default()
    };
    // SAFETY: the structure says its size, and its text goes into a buffer whose length it says; both outlive the call.
    unsafe { w::GetMenuItemInfoW(menu, at, true, &raw mut info) }.ok()?;
    if info.fType & w::MFT_SEPARATOR == w::MFT_SEPARATOR {
        return None;
    }
    let mut place = RECT::default();
    // SAFETY: the rectangle is ours and outlives the call.
    let placed = unsafe { w::GetMenuItemRect(bar_of.map(hwnd), menu, at, &raw mut place) };
    let has = |state: w::MENU_ITEM_STATE| info.fState & state != w::MENU_ITEM_STATE(0);
    Some(Told {
        at,
        text: narrow(&buffer),
        command: info.wID,
        enabled: !has(w::MFS_DISABLED),
        item: MenuItem {
            opens: !info.hSubMenu.is_invalid(),
            ticked: has(w::MFS_CHECKED),
            radio: info.fType & w::MFT_RADIOCHECK == w::MFT_RADIOCHECK,
            lit: has(w::MFS_HILITE),
        },
        rect: placed.is_ok().then(|| rect(place)),
    })
}

#[cfg(test)]
mod tests {
    use super::super::convert::handle;
    use super::*;
    use ::windows::Win32::Foundation::{HWND, LPARAM, WPARAM};
    use ::windows::core::w as wide;
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    /// How long the system may take to open a menu.
    const PATIENCE: Duration = Duration::from_secs(10);

    /// A window of this process with a menu, on a thread of its own: Wine keeps the menus of one process from another.
    fn window_with_menu() -> Handle {
        let (told, tells) = mpsc::channel();
        std::thread::spawn(move || {
            // SAFETY: menus and window are made and used on this thread; every text is static.
            unsafe {
                let (bar, file) = (w::CreateMenu().unwrap(), w::CreatePopupMenu().unwrap());
                w::AppendMenuW(file, w::MF_STRING, 201, wide!("&New\tCtrl+N")).unwrap();
                w::AppendMenuW(file, w::MF_SEPARATOR, 0, None).unwrap();
                w::AppendMenuW(file, w::MF_STRING | w::MF_GRAYED, 202, wide!("Save &As...")).unwrap();
                w::AppendMenuW(file, w::MF_STRING | w::MF_CHECKED, 203, wide!("换行")).unwrap();
                w::AppendMenuW(bar, w::MF_POPUP, file.0 as usize, wide!("&File")).unwrap();
                w::AppendMenuW(bar, w::MF_STRING, 204, wide!("Help")).unwrap();
                let style = w::WS_OVERLAPPEDWINDOW | w::WS_VISIBLE;
                let (class, title) = (wide!("STATIC"), wide!("Menus"));
                let made = w::CreateWindowExW(
                    Default::default(),
                    class,
                    title,
                    style,
                    50,
                    50,
                    300,
                    200,
                    None,
                    Some(bar),
                    None,
                    None,
                );
                told.send(handle(made.unwrap())).unwrap();
                let mut message = w::MSG::default();
                while w::GetMessageW(&raw mut message, None, 0, 0).as_bool() {
                    let _ = w::TranslateMessage(&raw const message);
                    w::DispatchMessageW(&raw const message);
                }
            }
        });
        tells.recv_timeout(PATIENCE).unwrap()
    }

    /// The menu that is open.
    fn popup() -> Handle {
        let deadline = Instant::now() + PATIENCE;
        loop {
            // SAFETY: the class is named by a number, as the system has it.
            let found: Option<HWND> = unsafe { w::FindWindowW(wide!("#32768"), None) }.ok();
            // SAFETY: it takes a handle; a stale one isn't shown.
            if let Some(found) = found.filter(|f| unsafe { w::IsWindowVisible(*f) }.as_bool()) {
                return handle(found);
            }
            assert!(Instant::now() < deadline, "no menu opened");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn shown(items: &[Told]) -> Vec<String> {
        let line = |t: &Told| {
            let says = [(t.item.opens, " opens"), (t.item.ticked, " ticked"), (!t.enabled, " disabled")];
            let says: String = says.iter().filter(|s| s.0).map(|s| s.1).collect();
            format!("{:?}{says}", t.text)
        };
        items.iter().map(line).collect()
    }

    #[test]
    fn items_of_a_bar_and_of_an_open_menu_are_told() {
        let window = window_with_menu();
        let bar = bar_items(window);
        assert_eq!(shown(&bar), [r#""&File" opens"#, r#""Help""#]);
        assert_eq!(bar[1].command, 204);
        let inside = |t: &Told| t.rect.is_some_and(|r| r.x >= 50.0 && r.y >= 50.0 && r.width > 8.0 && r.height > 8.0);
        assert!(bar.iter().all(inside), "{bar:?}");
        // SAFETY: it takes a handle and numbers.
        let post = |message, what: u32, more: isize| unsafe {
            w::PostMessageW(Some(hwnd(window)), message, WPARAM(what as usize), LPARAM(more)).unwrap();
        };
        post(w::WM_SYSCOMMAND, w::SC_KEYMENU, 'f' as isize);
        let popup = popup();
        let deadline = Instant::now() + PATIENCE;
        let items = loop {
            match open_items(popup) {
                Ok(items) if !items.is_empty() => break items,
                other => assert!(Instant::now() < deadline, "{other:?}"),
            }
        };
        assert_eq!(shown(&items), [r#""&New\tCtrl+N""#, r#""Save &As..." disabled"#, r#""换行" ticked"#]);
        assert_eq!(items.iter().map(|t| t.command).collect::<Vec<_>>(), [201, 202, 203]);
        assert!(items.iter().all(inside), "{items:?}");
        // What a pointer hits there, as the system has it: the line between two items counts.
        let middle = |told: &Told| told.rect.unwrap().center();
        let hit: Vec<Option<u32>> = items.iter().map(|told| open_item_at(popup, middle(told)).unwrap()).collect();
        assert_eq!(hit, [Some(0), Some(2), Some(3)]);
        assert_eq!(items.iter().map(|told| Some(told.at)).collect::<Vec<_>>(), hit);
        assert_eq!(bar.iter().map(|told| bar_item_at(window, middle(told))).collect::<Vec<_>>(), [Some(0), Some(1)]);
        assert_eq!(bar_item_at(window, Point::new(340.0, 240.0)), None);
        post(w::WM_CANCELMODE, 0, 0);
        post(w::WM_CLOSE, 0, 0);
    }
}
