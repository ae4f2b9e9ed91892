//! What a pointer hits within a control: the item, row, tab or button at a place, as the control itself tells it.

use super::convert::{Fault, inside};
use super::messages::ask;
use super::remote_memory::Far;
use crate::windows::records::window_list::Handle;
use ::windows::Win32::Foundation::POINT;
use ::windows::Win32::UI::WindowsAndMessaging as w;
use handeye_scene::Point;

/// Where the answers stand in what a control is asked with: a place, what of the item lies there, then the item.
const WHAT: usize = 8;
const ITEM: usize = 12;
const COLUMN: usize = 16;

/// The item of a list box at a place. It tells the number's lower half alone.
pub(crate) fn entry_at(list: Handle, at: Point) -> Result<Option<u16>, Fault> {
    let POINT { x, y } = inside(list, at);
    let place = u32::from(x as u16) | u32::from(y as u16) << 16;
    let told = ask(list, w::LB_ITEMFROMPOINT, 0, place as i32 as isize)? as u32;
    let is_outside = told >> 16 != 0;
    Ok((!is_outside).then_some(told as u16))
}

/// Asks a control what lies at a place; its answer, with what it wrote beside.
fn asked(far: &Far, of: Handle, message: u32, at: Point) -> Result<isize, Fault> {
    let POINT { x, y } = inside(of, at);
    let mut shape = far.shape();
    shape.number(x as u32);
    shape.number(y as u32);
    for _ in 0..3 {
        shape.pointer(0);
    }
    far.ask(message, 0, &shape)
}

/// The row and column of a list view at a place.
pub(crate) fn row_at(far: &Far, of: Handle, at: Point) -> Result<Option<(usize, usize)>, Fault> {
    asked(far, of, 0x1039, at)?;
    let row = usize::try_from(far.number_at(ITEM)? as i32);
    let column = usize::try_from(far.number_at(COLUMN)? as i32);
    Ok(row.ok().zip(column.ok()))
}

/// The item of a tree whose label or picture lies at a place.
pub(crate) fn branch_at(far: &Far, of: Handle, at: Point) -> Result<Option<u64>, Fault> {
    const PICTURE_OR_LABEL: u32 = 0x2 | 0x4;
    let item = asked(far, of, 0x1111, at)?;
    let is_on_it = far.number_at(WHAT)? & PICTURE_OR_LABEL != 0;
    Ok((item != 0 && is_on_it).then_some(item as u64))
}

/// The tab at a place.
pub(crate) fn tab_at(far: &Far, of: Handle, at: Point) -> Result<Option<usize>, Fault> {
    Ok(usize::try_from(asked(far, of, 0x130d, at)?).ok())
}

/// The heading at a place; none on the edge between two.
pub(crate) fn heading_at(far: &Far, of: Handle, at: Point) -> Result<Option<usize>, Fault> {
    const ON_IT: u32 = 0x2;
    let told = asked(far, of, 0x1206, at)?;
    let is_on_it = far.number_at(WHAT)? & ON_IT != 0;
    Ok(usize::try_from(told).ok().filter(|_| is_on_it))
}

/// The command of the button of a tool bar at a place.
pub(crate) fn tool_at(far: &Far, of: Handle, at: Point) -> Result<Option<u32>, Fault> {
    let Ok(index) = usize::try_from(asked(far, of, 0x445, at)?) else { return Ok(None) };
    let mut shape = far.shape();
    shape.number(0);
    let command = shape.number(0);
    shape.number(0);
    shape.pointer(0);
    shape.pointer(0);
    if far.ask(0x417, index, &shape)? == 0 {
        return Ok(None);
    }
    far.number_at(command).map(Some)
}
