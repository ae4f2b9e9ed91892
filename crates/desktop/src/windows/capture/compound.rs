//! Parts of Windows' compound controls by window messages: rows and cells, items of trees, tabs, buttons of tool bars, parts of
//! status bars.

use crate::windows::calls::{self, Far, Fault, Grid, Way};
use crate::windows::capture::tree::Done;
use crate::windows::records::classes::{Family, family};
use crate::windows::records::control::{Control, Detail, PartOf};
use crate::windows::records::ids::{PartId, RowId};
use crate::windows::records::slots::{SEPARATOR, Slots};
use crate::windows::records::window_list::{Handle, contains, shared};
use handeye_scene::{Point, Rect};
use std::collections::HashMap;
use std::time::Instant;

/// Rows or items of one control that are listed.
const MOST: usize = 200;
/// A list of so many rows is listed whole, whatever of it is in sight.
const SMALL: usize = 60;
/// Columns of one list that are listed.
const COLUMNS: usize = 24;
/// Message that stands for a click on a row.
const CHOOSE_ROW: &str = "LVM_SETITEMSTATE";
/// The same of an item of a tree.
const CHOOSE_BRANCH: &str = "TVM_SELECTITEM";
/// The same of a tab.
const CHOOSE_TAB: &str = "TCM_SETCURFOCUS";

/// A part of a control: how it is found again, and what is told of it. `parent` is one of the parts before it; none: the control.
pub(crate) struct Told {
    pub(crate) id: PartId,
    pub(crate) control: Control,
    pub(crate) parent: Option<usize>,
}

/// Whether a control has parts of this kind.
pub(crate) fn has_parts(class: &str) -> bool {
    matches!(
        family(class),
        Family::Rows | Family::Tree | Family::Tabs | Family::Tools | Family::Status | Family::Headings
    )
}

/// What of a control shows its parts, as a place of the screen.
pub(crate) fn sight(of: Handle, class: &str) -> Result<Option<Rect>, Fault> {
    let Some(inner) = calls::client_area(of) else { return Ok(None) };
    let headings = if family(class) == Family::Rows { calls::headings_of(of)? } else { None };
    let above = headings.and_then(calls::traits).filter(|t| t.shows).map(|t| t.rect);
    // Rows that are scrolled out go on above, under the headings.
    let below = |r: Rect| Rect::new(inner.x, r.y + r.height, inner.width, inner.y + inner.height - r.y - r.height);
    Ok(above.map_or(Some(inner), |r| shared(inner, below(r))))
}

/// The parts of a control that can be read until then, and whether that is all.
pub(crate) fn parts(
    of: Handle,
    control: &Control,
    until: Instant,
    slots: &mut Slots,
) -> Result<(Vec<Told>, bool), Fault> {
    match family(&control.class) {
        Family::Rows => rows(of, control, until, slots),
        Family::Tree => branches(of, control, until),
        Family::Tabs => {
            let far = Far::of(of)?;
            let (tabs, chosen) = calls::tabs(&far, of, MOST)?;
            let numbers = slots.note(of, tabs.iter().map(|tab| tab.0.clone()).collect());
            let tab = |((at, (text, rect)), number)| Told {
                id: PartId::Tab(number),
                control: part(control, text, rect, PartOf { chosen: chosen == Some(at), ..tab_part() }),
                parent: None,
            };
            Ok((tabs.into_iter().enumerate().zip(numbers).map(tab).collect(), true))
        }
        Family::Tools => {
            let tools = calls::tools(&Far::of(of)?, of, MOST)?;
            Ok((tools.into_iter().map(|tool| told_tool(control, tool)).collect(), true))
        }
        Family::Headings => {
            let headings = calls::headings(&Far::of(of)?, of, COLUMNS)?;
            let numbers = slots.note(of, headings.iter().map(|heading| heading.0.clone()).collect());
            let told = headings.into_iter().zip(numbers).map(|((text, rect), number)| Told {
                id: PartId::Heading(number),
                control: part(control, text, rect, PartOf::of("columnheader")),
                parent: None,
            });
            Ok((told.collect(), true))
        }
        Family::Status => {
            let texts = calls::parts(&Far::of(of)?, of, COLUMNS)?;
            // The first part of a status bar is its text.
            let told = texts.into_iter().enumerate().skip(1).map(|(at, (text, rect))| Told {
                id: PartId::Text(at as u32),
                control: part(control, text, rect, PartOf::of("text")),
                parent: None,
            });
            Ok((told.collect(), true))
        }
        _ => Ok((Vec::new(), true)),
    }
}

fn tab_part() -> PartOf {
    PartOf { activation: Some(CHOOSE_TAB), ..PartOf::of("tab") }
}

fn told_tool(control: &Control, tool: calls::Tool) -> Told {
    let role = if tool.pressed.is_some() { "togglebutton" } else { "button" };
    let mut made = part(control, tool.text, tool.rect, PartOf { pressed: tool.pressed, ..PartOf::of(role) });
    made.enabled &= tool.enabled;
    Told { id: PartId::Tool(tool.command), control: made, parent: None }
}

/// A part of a control that has this text and place.
fn part(control: &Control, text: String, rect: Option<handeye_scene::Rect>, part: PartOf) -> Control {
    Control { text, rect, focused: false, top: false, holds: false, detail: Detail::Part(part), ..control.clone() }
}

/// What tells each of the first rows of a list from the others: its first text, with the others where that isn't enough.
fn row_texts(far: &Far, grid: Grid, until: Option<Instant>) -> Result<Option<Vec<String>>, Fault> {
    let is_late = || until.is_some_and(|until| Instant::now() >= until);
    let mut texts = Vec::new();
    for row in 0..grid.rows.min(MOST) {
        if is_late() {
            return Ok(None);
        }
        texts.push(calls::cell_text(far, row, 0)?);
    }
    let mut counts: HashMap<String, u32> = HashMap::new();
    for text in &texts {
        *counts.entry(text.clone()).or_default() += 1;
    }
    for (row, text) in texts.iter_mut().enumerate().filter(|(_, text)| counts.get(*text).is_some_and(|n| *n > 1)) {
        for column in 1..grid.columns.min(COLUMNS) {
            if is_late() {
                return Ok(None);
            }
            text.push(SEPARATOR);
            text.push_str(&calls::cell_text(far, row, column)?);
        }
    }
    Ok(Some(texts))
}

fn rows(of: Handle, control: &Control, until: Instant, slots: &mut Slots) -> Result<(Vec<Told>, bool), Fault> {
    let far = Far::of(of)?;
    let grid = calls::grid(of)?;
    let small = grid.rows <= SMALL;
    let seen =
        if small { 0..grid.rows } else { grid.first..grid.rows.min(grid.first.saturating_add(grid.page.min(MOST))) };
    let numbers = match small.then(|| row_texts(&far, grid, Some(until))).transpose()? {
        Some(Some(texts)) => slots.note(of, texts),
        Some(None) => return Ok((Vec::new(), false)),
        None => Vec::new(),
    };
    let mut told: Vec<Told> = Vec::new();
    for row in seen.clone() {
        if Instant::now() >= until {
            return Ok((told, false));
        }
        let text = calls::cell_text(&far, row, 0)?;
        let id = match numbers.get(row) {
            Some(number) => RowId::Slot(*number),
            None => RowId::At(row as u32, text.clone()),
        };
        let at = told.len();
        let made = row_control(&far, of, control, row, text)?;
        told.push(Told { id: PartId::Row(id.clone()), control: made, parent: None });
        for column in 1..grid.columns.min(COLUMNS) {
            let made = cell_control(&far, control, row, column)?;
            told.push(Told { id: PartId::Cell(id.clone(), column as u32), control: made, parent: Some(at) });
        }
    }
    Ok((told, small && grid.columns <= COLUMNS))
}

fn row_control(far: &Far, of: Handle, control: &Control, row: usize, text: String) -> Result<Control, Fault> {
    let (chosen, lit) = calls::row_state(of, row)?;
    let kind = PartOf { chosen, activation: Some(CHOOSE_ROW), place: Some((row as u32 + 1, 1)), ..PartOf::of("row") };
    // The label stands for the row: all of it may be wider than what shows.
    let rect = calls::cell_rect(far, row, Some(0))?;
    Ok(Control { focused: control.focused && lit, ..part(control, text, rect, kind) })
}

fn cell_control(far: &Far, control: &Control, row: usize, column: usize) -> Result<Control, Fault> {
    let text = calls::cell_text(far, row, column)?;
    let rect = calls::cell_rect(far, row, Some(column))?;
    let place = Some((row as u32 + 1, column as u32 + 1));
    Ok(part(control, text, rect, PartOf { place, ..PartOf::of("cell") }))
}

/// Where a row is now; none when it is gone. All of a list are read anew, unless one text alone tells the row and that is to do.
fn row_of(far: &Far, of: Handle, id: &RowId, anew: bool, slots: &mut Slots) -> Result<Option<usize>, Fault> {
    match id {
        RowId::At(row, text) => {
            let (row, grid) = (*row as usize, calls::grid(of)?);
            Ok((row < grid.rows && calls::cell_text(far, row, 0)? == *text).then_some(row))
        }
        RowId::Slot(number) => {
            if let Some(at) = slots.plain_index(of, *number).filter(|_| !anew) {
                return Ok(Some(at));
            }
            let texts = row_texts(far, calls::grid(of)?, None)?.unwrap_or_default();
            slots.note(of, texts);
            Ok(slots.index(of, *number))
        }
    }
}

/// Where a tab or a heading is now; none when it is gone.
fn slot_of(far: &Far, of: Handle, id: &PartId, anew: bool, slots: &mut Slots) -> Result<Option<usize>, Fault> {
    let (PartId::Tab(number) | PartId::Heading(number)) = id else { return Ok(None) };
    if let Some(at) = slots.plain_index(of, *number).filter(|_| !anew) {
        return Ok(Some(at));
    }
    let told = match id {
        PartId::Tab(_) => calls::tabs(far, of, MOST)?.0,
        _ => calls::headings(far, of, COLUMNS)?,
    };
    slots.note(of, told.into_iter().map(|part| part.0).collect());
    Ok(slots.index(of, *number))
}

fn branches(of: Handle, control: &Control, until: Instant) -> Result<(Vec<Told>, bool), Fault> {
    let far = Far::of(of)?;
    let mut told: Vec<Told> = Vec::new();
    // Items that are still to be read, the next one last, each with the part that it lies in.
    let mut due: Vec<(u64, Option<usize>)> = calls::branch(of, Way::First, 0)?.map(|i| (i, None)).into_iter().collect();
    while let Some((item, parent)) = due.pop() {
        if told.len() >= MOST || Instant::now() >= until {
            return Ok((told, false));
        }
        let Some(branch) = calls::branch_told(&far, item)? else { continue };
        due.extend(calls::branch(of, Way::Beside, item)?.map(|next| (next, parent)));
        if branch.open == Some(true) {
            due.extend(calls::branch(of, Way::Inside, item)?.map(|inner| (inner, Some(told.len()))));
        }
        told.push(Told { id: PartId::Branch(item), control: branch_control(control, branch), parent });
    }
    Ok((told, true))
}

fn branch_control(control: &Control, branch: calls::Branch) -> Control {
    let kind =
        PartOf { chosen: branch.chosen, open: branch.open, activation: Some(CHOOSE_BRANCH), ..PartOf::of("treeitem") };
    let focused = control.focused && branch.chosen;
    Control { focused, ..part(control, branch.text, branch.rect, kind) }
}

/// One part as it is now; none when it is gone.
pub(crate) fn look(of: Handle, control: &Control, id: &PartId, slots: &mut Slots) -> Result<Option<Control>, Fault> {
    let far = Far::of(of)?;
    Ok(match id {
        PartId::Row(row) => match row_of(&far, of, row, true, slots)? {
            Some(at) => Some(row_control(&far, of, control, at, calls::cell_text(&far, at, 0)?)?),
            None => None,
        },
        PartId::Cell(row, column) => {
            let grid = calls::grid(of)?;
            match row_of(&far, of, row, true, slots)?.filter(|_| (*column as usize) < grid.columns) {
                Some(at) => Some(cell_control(&far, control, at, *column as usize)?),
                None => None,
            }
        }
        PartId::Branch(item) => match is_in_tree(of, *item)? {
            true => calls::branch_told(&far, *item)?.map(|branch| branch_control(control, branch)),
            false => None,
        },
        PartId::Tab(_) | PartId::Heading(_) | PartId::Tool(_) | PartId::Text(_) => {
            let until = Instant::now() + std::time::Duration::from_secs(2);
            parts(of, control, until, slots)?.0.into_iter().find(|told| told.id == *id).map(|told| told.control)
        }
    })
}

/// What a part says now; none when it is gone. Where a place is given, the control itself tells which part lies there.
pub(crate) fn says(of: Handle, id: &PartId, at: Option<Point>, slots: &mut Slots) -> Result<Option<String>, Fault> {
    let far = Far::of(of)?;
    let text = match id {
        PartId::Row(row) | PartId::Cell(row, _) => {
            let column = if let PartId::Cell(_, column) = id { *column as usize } else { 0 };
            match row_of(&far, of, row, false, slots)? {
                Some(row) => Some(calls::cell_text(&far, row, column)?),
                None => None,
            }
        }
        PartId::Branch(item) => {
            let is_there = match at {
                Some(at) => calls::branch_at(&far, of, at)? == Some(*item),
                None => is_in_tree(of, *item)?,
            };
            if is_there { calls::branch_told(&far, *item)?.map(|branch| branch.text) } else { None }
        }
        PartId::Tab(_) => match slot_of(&far, of, id, false, slots)? {
            Some(at) => Some(calls::tab_text(&far, at)?),
            None => None,
        },
        PartId::Heading(_) => match slot_of(&far, of, id, false, slots)? {
            Some(at) => Some(calls::heading_text(&far, at)?),
            None => None,
        },
        PartId::Tool(command) => Some(calls::tool_text(&far, *command)?),
        PartId::Text(at) => Some(calls::part_text(&far, *at as usize)?),
    };
    Ok(text.map(|text| text.trim().to_owned()))
}

/// Whether a pointer hits this part at a place of its control.
pub(crate) fn is_at(of: Handle, id: &PartId, at: Point, slots: &mut Slots) -> Result<bool, Fault> {
    let far = Far::of(of)?;
    Ok(match id {
        PartId::Row(row) => {
            let index = row_of(&far, of, row, false, slots)?;
            index.is_some() && calls::row_at(&far, of, at)?.map(|hit| hit.0) == index
        }
        PartId::Cell(row, column) => {
            let index = row_of(&far, of, row, false, slots)?;
            index.is_some() && calls::row_at(&far, of, at)? == index.map(|row| (row, *column as usize))
        }
        PartId::Branch(item) => calls::branch_at(&far, of, at)? == Some(*item),
        PartId::Tab(_) => {
            let index = slot_of(&far, of, id, false, slots)?;
            index.is_some() && calls::tab_at(&far, of, at)? == index
        }
        PartId::Heading(_) => {
            let index = slot_of(&far, of, id, false, slots)?;
            index.is_some() && calls::heading_at(&far, of, at)? == index
        }
        PartId::Tool(command) => calls::tool_at(&far, of, at)? == Some(*command),
        PartId::Text(part) => {
            let parts = calls::parts(&far, of, COLUMNS)?;
            parts.get(*part as usize).and_then(|part| part.1).is_some_and(|rect| contains(rect, at))
        }
    })
}

/// Whether a part shows that it is held down; none where it doesn't tell.
pub(crate) fn is_down(of: Handle, id: &PartId) -> Result<Option<bool>, Fault> {
    match id {
        PartId::Tool(command) => calls::tool_is_pressed(of, *command).map(Some),
        _ => Ok(None),
    }
}

/// Whether a tree still shows an item. Its number must not be handed to the tree otherwise: it is an address there.
fn is_in_tree(of: Handle, item: u64) -> Result<bool, Fault> {
    let mut due: Vec<u64> = calls::branch(of, Way::First, 0)?.into_iter().collect();
    let mut seen = 0;
    while let Some(at) = due.pop() {
        if at == item {
            return Ok(true);
        }
        seen += 1;
        if seen > 5 * MOST {
            break;
        }
        due.extend(calls::branch(of, Way::Beside, at)?);
        due.extend(calls::branch(of, Way::Inside, at)?);
    }
    Ok(false)
}

/// Does what a click on a part does.
pub(crate) fn invoke(of: Handle, id: &PartId, slots: &mut Slots) -> Result<Done, Fault> {
    let (taken, means) = match id {
        PartId::Row(row) => {
            let far = Far::of(of)?;
            let Some(at) = row_of(&far, of, row, false, slots)? else {
                return Ok(Done::Not("the row is gone".into()));
            };
            (calls::choose_row(&far, of, at)?, "the message LVM_SETITEMSTATE")
        }
        PartId::Branch(item) if is_in_tree(of, *item)? => {
            (calls::choose_branch(of, *item)?, "the message TVM_SELECTITEM")
        }
        PartId::Tab(_) => {
            let Some(at) = slot_of(&Far::of(of)?, of, id, false, slots)? else {
                return Ok(Done::Not("the tab is gone".into()));
            };
            (calls::turn_to_tab(of, at)?, "the message TCM_SETCURFOCUS")
        }
        _ => return Ok(Done::Not("it has no message that stands for a click".into())),
    };
    Ok(if taken { Done::By(means) } else { Done::Not("the control didn't take it".into()) })
}

/// Opens or closes an item of a tree.
pub(crate) fn expand(of: Handle, id: &PartId, on: bool) -> Result<Done, Fault> {
    match id {
        PartId::Branch(item) if is_in_tree(of, *item)? => {
            calls::open_branch(of, *item, on)?;
            Ok(Done::By("the message TVM_EXPAND"))
        }
        _ => Ok(Done::Not("it doesn't open or close".into())),
    }
}

/// Scrolls a part into view.
pub(crate) fn reveal(of: Handle, id: &PartId, slots: &mut Slots) -> Result<(), Fault> {
    match id {
        PartId::Row(row) | PartId::Cell(row, _) => match row_of(&Far::of(of)?, of, row, true, slots)? {
            Some(at) => calls::show_row(of, at),
            None => Ok(()),
        },
        PartId::Branch(item) if is_in_tree(of, *item)? => calls::show_branch(of, *item),
        _ => Ok(()),
    }
}
