//! Items of list and combo boxes.

use super::convert::{Fault, rect};
use super::messages::{ask, counted, item_text};
use crate::windows::records::control::Entry;
use crate::windows::records::window_list::Handle;
use ::windows::Win32::Foundation::{POINT, RECT};
use ::windows::Win32::Graphics::Gdi::MapWindowPoints;
use ::windows::Win32::UI::WindowsAndMessaging as w;
use handeye_scene::Rect;

/// The messages of one of the two kinds of list.
struct Words {
    count: u32,
    length: u32,
    text: u32,
    chosen: u32,
}

const LIST: Words =
    Words { count: w::LB_GETCOUNT, length: w::LB_GETTEXTLEN, text: w::LB_GETTEXT, chosen: w::LB_GETCURSEL };
const COMBO: Words =
    Words { count: w::CB_GETCOUNT, length: w::CB_GETLBTEXTLEN, text: w::CB_GETLBTEXT, chosen: w::CB_GETCURSEL };

impl Words {
    fn text_of(&self, of: Handle, index: usize) -> Result<String, Fault> {
        let length = usize::try_from(ask(of, self.length, index, 0)?).unwrap_or(0);
        item_text(of, self.text, index, length)
    }
}

/// What one item says; none where the list has none there.
pub(crate) fn entry_text(of: Handle, combo: bool, index: usize) -> Result<Option<String>, Fault> {
    let words = if combo { COMBO } else { LIST };
    let count = usize::try_from(ask(of, words.count, 0, 0)?).unwrap_or(0);
    if index >= count { Ok(None) } else { words.text_of(of, index).map(Some) }
}

/// The first items of a list, at most so many, and how many there are.
pub(crate) fn entries(of: Handle, combo: bool, multiple: bool, most: usize) -> Result<(Vec<Entry>, usize), Fault> {
    let words = if combo { COMBO } else { LIST };
    let count = usize::try_from(ask(of, words.count, 0, 0)?).unwrap_or(0);
    let current = ask(of, words.chosen, 0, 0)?;
    let mut found = Vec::new();
    for index in 0..count.min(most) {
        let text = words.text_of(of, index)?;
        let chosen = if multiple && !combo {
            ask(of, w::LB_GETSEL, index, 0)? > 0
        } else {
            isize::try_from(index) == Ok(current)
        };
        found.push(Entry { text, chosen });
    }
    Ok((found, count))
}

/// Chooses an item, and tells the list's parent as a click would.
pub(crate) fn choose(of: Handle, combo: bool, multiple: bool, index: usize) -> Result<bool, Fault> {
    if combo {
        if ask(of, w::CB_SETCURSEL, index, 0)? < 0 {
            return Ok(false);
        }
        counted(of, w::CBN_SELENDOK)?;
        counted(of, w::CBN_SELCHANGE)?;
        return Ok(true);
    }
    let answer = if multiple { ask(of, w::LB_SETSEL, 1, index as isize)? } else { ask(of, w::LB_SETCURSEL, index, 0)? };
    if answer < 0 {
        return Ok(false);
    }
    counted(of, w::LBN_SELCHANGE)?;
    Ok(true)
}

/// Where an item of a list box is on the screen.
pub(crate) fn entry_rect(of: Handle, index: usize) -> Result<Option<Rect>, Fault> {
    let mut told = RECT::default();
    let answer = ask(of, w::LB_GETITEMRECT, index, &raw mut told as isize)?;
    if answer < 0 {
        return Ok(None);
    }
    Ok(Some(on_screen(of, told)))
}

/// A rectangle of a control as one of the screen.
pub(super) fn on_screen(of: Handle, told: RECT) -> Rect {
    let mut corners = [POINT { x: told.left, y: told.top }, POINT { x: told.right, y: told.bottom }];
    // SAFETY: the points are ours and outlive the call.
    unsafe { MapWindowPoints(Some(super::convert::hwnd(of)), None, &mut corners) };
    let [from, to] = corners;
    rect(RECT { left: from.x, top: from.y, right: to.x, bottom: to.y })
}

/// Scrolls a list box so that an item shows.
pub(crate) fn reveal(of: Handle, index: usize) -> Result<(), Fault> {
    ask(of, w::LB_SETTOPINDEX, index, 0).map(drop)
}

/// Which item or line a list or field shows first.
pub(crate) fn first_shown(of: Handle, list: bool) -> Result<isize, Fault> {
    const FIRST_LINE: u32 = 0xce;
    ask(of, if list { w::LB_GETTOPINDEX } else { FIRST_LINE }, 0, 0)
}
