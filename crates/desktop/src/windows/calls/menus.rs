//! Items of menus: of a window's bar, and of those that are open.

use super::messages::ask;
use super::{Fault, hwnd, narrow, rect};
use crate::windows::control::MenuItem;
use crate::windows::seen::Handle;
use ::windows::Win32::Foundation::RECT;
use ::windows::Win32::UI::WindowsAndMessaging as w;
use ::windows::core::PWSTR;
use handeye_scene::Rect;

/// An item of a menu: what it says, its command, and where it is.
#[derive(Debug, Clone)]
pub(in crate::windows) struct Told {
    pub(in crate::windows) text: String,
    pub(in crate::windows) command: u32,
    pub(in crate::windows) enabled: bool,
    pub(in crate::windows) item: MenuItem,
    pub(in crate::windows) rect: Option<Rect>,
}

/// Items of a menu that are listed.
const MOST: u32 = 200;
/// Asks an open menu's window for the menu that it shows.
const GET_MENU: u32 = 0x1e1;

/// The items of a window's menu bar.
pub(in crate::windows) fn bar_items(window: Handle) -> Vec<Told> {
    // SAFETY: it takes a handle and gives one; a stale one gives none.
    let menu = unsafe { w::GetMenu(hwnd(window)) };
    if menu.is_invalid() { Vec::new() } else { items(Some(window), menu) }
}

/// The items of an open menu.
pub(in crate::windows) fn open_items(popup: Handle) -> Result<Vec<Told>, Fault> {
    let menu = w::HMENU(ask(popup, GET_MENU, 0, 0)? as *mut _);
    Ok(if menu.is_invalid() { Vec::new() } else { items(None, menu) })
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
