//! Parts of Windows' compound controls by window messages: rows and cells, items of trees, tabs, buttons of tool bars, parts of
//! status bars.

use super::calls::{self, Far, Fault, Grid, Way};
use super::classes::{Family, family};
use super::control::{Control, Detail, PartOf};
use super::ids::{PartId, RowId};
use super::seen::Handle;
use super::tree::Done;
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
pub(super) struct Told {
    pub(super) id: PartId,
    pub(super) control: Control,
    pub(super) parent: Option<usize>,
}

/// Whether a control has parts of this kind.
pub(super) fn has_parts(class: &str) -> bool {
    matches!(
        family(class),
        Family::Rows | Family::Tree | Family::Tabs | Family::Tools | Family::Status | Family::Headings
    )
}

/// The parts of a control that can be read until then, and whether that is all.
pub(super) fn parts(of: Handle, control: &Control, until: Instant) -> Result<(Vec<Told>, bool), Fault> {
    match family(&control.class) {
        Family::Rows => rows(of, control, until),
        Family::Tree => branches(of, control, until),
        Family::Tabs => {
            let far = Far::of(of)?;
            let (tabs, chosen) = calls::tabs(&far, of, MOST)?;
            let tab = |(at, (text, rect))| Told {
                id: PartId::Tab(at as u32),
                control: part(control, text, rect, PartOf { chosen: chosen == Some(at), ..tab_part() }),
                parent: None,
            };
            Ok((tabs.into_iter().enumerate().map(tab).collect(), true))
        }
        Family::Tools => {
            let tools = calls::tools(&Far::of(of)?, of, MOST)?;
            Ok((tools.into_iter().map(|tool| told_tool(control, tool)).collect(), true))
        }
        Family::Status | Family::Headings => {
            let far = Far::of(of)?;
            let headings = family(&control.class) == Family::Headings;
            let texts = if headings { calls::headings(&far, of, COLUMNS)? } else { calls::parts(&far, of, COLUMNS)? };
            let role = if headings { "columnheader" } else { "text" };
            // The first part of a status bar is its text.
            let told = texts.into_iter().enumerate().skip(usize::from(!headings)).map(|(at, (text, rect))| Told {
                id: PartId::Text(at as u32),
                control: part(control, text, rect, PartOf::of(role)),
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

fn rows(of: Handle, control: &Control, until: Instant) -> Result<(Vec<Told>, bool), Fault> {
    let far = Far::of(of)?;
    let grid = calls::grid(of)?;
    let small = grid.rows <= SMALL;
    let seen =
        if small { 0..grid.rows } else { grid.first..grid.rows.min(grid.first.saturating_add(grid.page.min(MOST))) };
    let mut told: Vec<Told> = Vec::new();
    let mut counts: HashMap<String, u32> = HashMap::new();
    for row in seen.clone() {
        if Instant::now() >= until {
            return Ok((told, false));
        }
        let text = calls::cell_text(&far, row, 0)?;
        let id = if small {
            let nth = counts.entry(text.clone()).or_default();
            *nth += 1;
            RowId::Named(text.clone(), *nth - 1)
        } else {
            RowId::At(row as u32, text.clone())
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

/// Where a row is now; none when it is gone.
fn row_of(far: &Far, grid: Grid, id: &RowId) -> Result<Option<usize>, Fault> {
    match id {
        RowId::At(row, text) => {
            let row = *row as usize;
            Ok((row < grid.rows && calls::cell_text(far, row, 0)? == *text).then_some(row))
        }
        RowId::Named(text, nth) => {
            let mut left = *nth;
            for row in 0..grid.rows.min(MOST) {
                if calls::cell_text(far, row, 0)? != *text {
                    continue;
                }
                if left == 0 {
                    return Ok(Some(row));
                }
                left -= 1;
            }
            Ok(None)
        }
    }
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
pub(super) fn look(of: Handle, control: &Control, id: &PartId) -> Result<Option<Control>, Fault> {
    let far = Far::of(of)?;
    Ok(match id {
        PartId::Row(row) => match row_of(&far, calls::grid(of)?, row)? {
            Some(at) => Some(row_control(&far, of, control, at, calls::cell_text(&far, at, 0)?)?),
            None => None,
        },
        PartId::Cell(row, column) => {
            let grid = calls::grid(of)?;
            match row_of(&far, grid, row)?.filter(|_| (*column as usize) < grid.columns) {
                Some(at) => Some(cell_control(&far, control, at, *column as usize)?),
                None => None,
            }
        }
        PartId::Branch(item) => match is_in_tree(of, *item)? {
            true => calls::branch_told(&far, *item)?.map(|branch| branch_control(control, branch)),
            false => None,
        },
        PartId::Tab(_) | PartId::Tool(_) | PartId::Text(_) => {
            let until = Instant::now() + std::time::Duration::from_secs(2);
            parts(of, control, until)?.0.into_iter().find(|told| told.id == *id).map(|told| told.control)
        }
    })
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
pub(super) fn invoke(of: Handle, id: &PartId) -> Result<Done, Fault> {
    let (taken, means) = match id {
        PartId::Row(row) => {
            let far = Far::of(of)?;
            let Some(at) = row_of(&far, calls::grid(of)?, row)? else {
                return Ok(Done::Not("the row is gone".into()));
            };
            (calls::choose_row(&far, of, at)?, "the message LVM_SETITEMSTATE")
        }
        PartId::Branch(item) if is_in_tree(of, *item)? => {
            (calls::choose_branch(of, *item)?, "the message TVM_SELECTITEM")
        }
        PartId::Tab(at) => (calls::turn_to_tab(of, *at as usize)?, "the message TCM_SETCURFOCUS"),
        _ => return Ok(Done::Not("it has no message that stands for a click".into())),
    };
    Ok(if taken { Done::By(means) } else { Done::Not("the control didn't take it".into()) })
}

/// Opens or closes an item of a tree.
pub(super) fn expand(of: Handle, id: &PartId, on: bool) -> Result<Done, Fault> {
    match id {
        PartId::Branch(item) if is_in_tree(of, *item)? => {
            calls::open_branch(of, *item, on)?;
            Ok(Done::By("the message TVM_EXPAND"))
        }
        _ => Ok(Done::Not("it doesn't open or close".into())),
    }
}

/// Scrolls a part into view.
pub(super) fn reveal(of: Handle, id: &PartId) -> Result<(), Fault> {
    match id {
        PartId::Row(row) | PartId::Cell(row, _) => match row_of(&Far::of(of)?, calls::grid(of)?, row)? {
            Some(at) => calls::show_row(of, at),
            None => Ok(()),
        },
        PartId::Branch(item) if is_in_tree(of, *item)? => calls::show_branch(of, *item),
        _ => Ok(()),
    }
}
