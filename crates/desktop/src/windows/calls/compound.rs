//! Messages of Windows' compound controls: list views with their headings, trees, tabs, tool bars, status bars.

use super::convert::Fault;
use super::messages::ask;
use super::remote_memory::Far;
use crate::windows::records::window_list::Handle;
use handeye_scene::Rect;

/// Of a list view, tree or tab: the text is asked for.
const TEXT: u32 = 0x1;
/// The state is.
const STATE: u32 = 0x8;

fn count(of: Handle, message: u32) -> Result<usize, Fault> {
    Ok(usize::try_from(ask(of, message, 0, 0)?).unwrap_or(0))
}

/// Rows and columns of a list view, and which rows are in sight.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Grid {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) first: usize,
    pub(crate) page: usize,
}

/// What a list view holds. Only one that is shown as a table has columns.
pub(crate) fn grid(of: Handle) -> Result<Grid, Fault> {
    const KIND: u32 = 0x3;
    const TABLE: u32 = 0x1;
    let table = super::listing::bits(of) & KIND == TABLE;
    let headings = if table { headings_of(of)? } else { None };
    let columns = headings.map_or(Ok(1), |headings| count(headings, 0x1200))?.max(1);
    let (first, page) = if table { (count(of, 0x1027)?, count(of, 0x1028)?) } else { (0, usize::MAX) };
    Ok(Grid { rows: count(of, 0x1004)?, columns, first, page })
}

/// What stands above the columns of a list view.
pub(crate) fn headings_of(of: Handle) -> Result<Option<Handle>, Fault> {
    let headings = ask(of, 0x101f, 0, 0)?;
    Ok((headings != 0).then_some(Handle(headings as u64 & 0xffff_ffff)))
}

/// The text of a cell.
pub(crate) fn cell_text(far: &Far, row: usize, column: usize) -> Result<String, Fault> {
    far.clear_text()?;
    let (text, most) = far.text_place();
    let mut item = far.shape();
    item.number(TEXT);
    item.number(row as u32);
    item.number(column as u32);
    item.number(0);
    item.number(0);
    item.pointer(text);
    item.number(most);
    item.number(0);
    item.pointer(0);
    // More than a row's text may be written back.
    for _ in 0..6 {
        item.pointer(0);
    }
    far.ask(0x1073, row, &item)?;
    far.text()
}

/// Whether a row is chosen, and whether it has the keyboard within its list.
pub(crate) fn row_state(of: Handle, row: usize) -> Result<(bool, bool), Fault> {
    let bits = ask(of, 0x102c, row, 0x3)?;
    Ok((bits & 0x2 != 0, bits & 0x1 != 0))
}

/// Where a row or one of its cells is on the screen.
pub(crate) fn cell_rect(far: &Far, row: usize, column: Option<usize>) -> Result<Option<Rect>, Fault> {
    const LABEL: u32 = 2;
    let mut shape = far.shape();
    match column {
        None => {
            shape.number(0);
            far.rect(0x100e, row, &shape)
        }
        Some(0) => {
            shape.number(LABEL);
            far.rect(0x100e, row, &shape)
        }
        Some(column) => {
            shape.number(0);
            shape.number(column as u32);
            far.rect(0x1038, row, &shape)
        }
    }
}

/// Chooses a row, and no other; whether it took it.
pub(crate) fn choose_row(far: &Far, of: Handle, row: usize) -> Result<bool, Fault> {
    let set = |on: u32| {
        let mut item = far.shape();
        item.number(STATE);
        item.number(0);
        item.number(0);
        item.number(on);
        item.number(0x3);
        item.pointer(0);
        item.number(0);
        item.number(0);
        item.pointer(0);
        item
    };
    far.ask(0x102b, usize::MAX, &set(0))?;
    far.ask(0x102b, row, &set(0x3))?;
    Ok(row_state(of, row)?.0)
}

/// Scrolls a list view so that a row shows.
pub(crate) fn show_row(of: Handle, row: usize) -> Result<(), Fault> {
    ask(of, 0x1013, row, 0).map(drop)
}

/// The headings of a list view: what each says, and where.
pub(crate) fn headings(far: &Far, of: Handle, most: usize) -> Result<Vec<(String, Option<Rect>)>, Fault> {
    let mut found = Vec::new();
    for at in 0..count(of, 0x1200)?.min(most) {
        found.push((heading_text(far, at)?, far.rect(0x1207, at, &far.shape())?));
    }
    Ok(found)
}

/// What one heading says.
pub(crate) fn heading_text(far: &Far, at: usize) -> Result<String, Fault> {
    const SAYS: u32 = 0x2;
    far.clear_text()?;
    let (text, length) = far.text_place();
    let mut item = far.shape();
    item.number(SAYS);
    item.number(0);
    item.pointer(text);
    item.pointer(0);
    item.number(length);
    for _ in 0..8 {
        item.pointer(0);
    }
    far.ask(0x120b, at, &item)?;
    far.text()
}

/// An item of a tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Branch {
    pub(crate) text: String,
    pub(crate) chosen: bool,
    /// Whether it is open; nothing where it holds none.
    pub(crate) open: Option<bool>,
    pub(crate) rect: Option<Rect>,
}

/// What comes after an item of a tree: the first of all, the next beside it, the first in it, the one that is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    First = 0,
    Beside = 1,
    Inside = 4,
    Chosen = 9,
}

/// Goes from one item of a tree to another; none where there is none.
pub(crate) fn branch(of: Handle, way: Way, from: u64) -> Result<Option<u64>, Fault> {
    let to = ask(of, 0x110a, way as usize, from as isize)? as u64;
    Ok((to != 0).then_some(to))
}

/// What an item of a tree says.
pub(crate) fn branch_told(far: &Far, item: u64) -> Result<Option<Branch>, Fault> {
    const CHILDREN: u32 = 0x40;
    const CHOSEN: u32 = 0x2;
    const OPEN: u32 = 0x20;
    far.clear_text()?;
    let (text, most) = far.text_place();
    let mut shape = far.shape();
    shape.number(TEXT | STATE | CHILDREN | 0x10);
    shape.pointer(item);
    let state = shape.number(0);
    shape.number(CHOSEN | OPEN);
    shape.pointer(text);
    shape.number(most);
    shape.number(0);
    shape.number(0);
    let children = shape.number(0);
    shape.pointer(0);
    if far.ask(0x113e, 0, &shape)? == 0 {
        return Ok(None);
    }
    let bits = far.number_at(state)?;
    let holds = far.number_at(children)? as i32 != 0;
    let mut place = far.shape();
    let text = far.text()?;
    place.pointer(item);
    Ok(Some(Branch {
        text,
        chosen: bits & CHOSEN != 0,
        open: holds.then_some(bits & OPEN != 0),
        // The label alone.
        rect: far.rect(0x1104, 1, &place)?,
    }))
}

/// Chooses an item of a tree; whether it is chosen then.
pub(crate) fn choose_branch(of: Handle, item: u64) -> Result<bool, Fault> {
    ask(of, 0x110b, Way::Chosen as usize, item as isize)?;
    Ok(branch(of, Way::Chosen, 0)? == Some(item))
}

/// Opens or closes an item of a tree.
pub(crate) fn open_branch(of: Handle, item: u64, on: bool) -> Result<(), Fault> {
    ask(of, 0x1102, if on { 2 } else { 1 }, item as isize).map(drop)
}

/// Scrolls a tree so that an item shows.
pub(crate) fn show_branch(of: Handle, item: u64) -> Result<(), Fault> {
    ask(of, 0x1114, 0, item as isize).map(drop)
}

/// The tabs: what each says, and where; and which is chosen.
#[allow(clippy::type_complexity)] // a pair of what was read
pub(crate) fn tabs(far: &Far, of: Handle, most: usize) -> Result<(Vec<(String, Option<Rect>)>, Option<usize>), Fault> {
    let mut found = Vec::new();
    for at in 0..count(of, 0x1304)?.min(most) {
        found.push((tab_text(far, at)?, far.rect(0x130a, at, &far.shape())?));
    }
    let chosen = usize::try_from(ask(of, 0x130b, 0, 0)?).ok();
    Ok((found, chosen))
}

/// What one tab says.
pub(crate) fn tab_text(far: &Far, at: usize) -> Result<String, Fault> {
    far.clear_text()?;
    let (text, length) = far.text_place();
    let mut item = far.shape();
    item.number(TEXT);
    item.number(0);
    item.number(0);
    item.pointer(text);
    item.number(length);
    item.number(0);
    item.pointer(0);
    far.ask(0x133c, at, &item)?;
    far.text()
}

/// Turns to a tab as a person does: its program is told; whether it is chosen then.
pub(crate) fn turn_to_tab(of: Handle, at: usize) -> Result<bool, Fault> {
    ask(of, 0x1330, at, 0)?;
    Ok(usize::try_from(ask(of, 0x130b, 0, 0)?) == Ok(at))
}

/// A button of a tool bar.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tool {
    pub(crate) command: u32,
    pub(crate) text: String,
    pub(crate) enabled: bool,
    /// Whether it is pressed; nothing where it doesn't stay so.
    pub(crate) pressed: Option<bool>,
    pub(crate) rect: Option<Rect>,
}

/// The buttons of a tool bar that are shown.
pub(crate) fn tools(far: &Far, of: Handle, most: usize) -> Result<Vec<Tool>, Fault> {
    const PRESSED: u32 = 0x1;
    const ENABLED: u32 = 0x4;
    const HIDDEN: u32 = 0x8;
    const GAP: u32 = 0x1;
    const STAYS: u32 = 0x2;
    let mut found = Vec::new();
    for at in 0..count(of, 0x418)?.min(most) {
        let mut shape = far.shape();
        shape.number(0);
        let command = shape.number(0);
        let bits = shape.number(0);
        shape.pointer(0);
        shape.pointer(0);
        if far.ask(0x417, at, &shape)? == 0 {
            continue;
        }
        let (command, bits) = (far.number_at(command)?, far.number_at(bits)?);
        let (state, kind) = (bits & 0xff, bits >> 8 & 0xff);
        if kind & GAP != 0 || state & HIDDEN != 0 {
            continue;
        }
        let rect = far.rect(0x41d, at, &far.shape())?;
        let text = tool_text(far, command)?;
        let pressed = (kind & STAYS != 0).then_some(state & PRESSED != 0);
        found.push(Tool { command, text, enabled: state & ENABLED != 0, pressed, rect });
    }
    Ok(found)
}

/// What one button of a tool bar says.
pub(crate) fn tool_text(far: &Far, command: u32) -> Result<String, Fault> {
    far.ask_text(0x44b, command as usize)
}

/// Whether a button of a tool bar is held down.
pub(crate) fn tool_is_pressed(of: Handle, command: u32) -> Result<bool, Fault> {
    Ok(ask(of, 0x40b, command as usize, 0)? != 0)
}

/// What one part of a status bar says.
pub(crate) fn part_text(far: &Far, at: usize) -> Result<String, Fault> {
    far.ask_text(0x40d, at)
}

/// The parts of a status bar: what each says, and where.
pub(crate) fn parts(far: &Far, of: Handle, most: usize) -> Result<Vec<(String, Option<Rect>)>, Fault> {
    let mut found = Vec::new();
    for at in 0..count(of, 0x406)?.min(most) {
        found.push((part_text(far, at)?, far.rect(0x40a, at, &far.shape())?));
    }
    Ok(found)
}
