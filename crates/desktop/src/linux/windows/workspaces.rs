//! Workspaces: which one is shown, and which one a window is on. Window managers unmap what is on the others, and call that
//! iconic as they do what is minimised. With several monitors some show a workspace on each, and call one of them current.

use crate::linux::x11::server::{Fault, Server, numbers};
use handeye_scene::{Code, Problem, Rect};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, GetPropertyReply, MapState, Window};

/// A window that is on all of them.
const ALL: u32 = u32::MAX;

/// The workspace that a window is on, counted from 1, where that isn't the one that is shown.
pub(crate) fn elsewhere(own: &GetPropertyReply, shown: Option<u32>) -> Option<u32> {
    let own = numbers(own).first().copied()?;
    (own != ALL && shown.is_some_and(|shown| shown != own)).then(|| own.saturating_add(1))
}

/// Places all over a window, the middle among them.
fn spots(rect: Rect) -> impl Iterator<Item = (i16, i16)> {
    const PARTS: [f64; 5] = [0.5, 0.02, 0.98, 0.25, 0.75];
    let at = move |x: f64, y: f64| ((rect.x + rect.width * x) as i16, (rect.y + rect.height * y) as i16);
    PARTS.into_iter().flat_map(move |x| PARTS.into_iter().map(move |y| at(x, y)))
}

/// The workspace that a window is on, counted from 1, where that isn't the one that is shown.
pub(crate) fn of(server: &Server, window: Window) -> Result<Option<u32>, Fault> {
    let own = property(server, window, server.atoms._NET_WM_DESKTOP)?;
    let shown = property(server, server.root, server.atoms._NET_CURRENT_DESKTOP)?;
    match elsewhere(&own, numbers(&shown).first().copied()) {
        Some(_) if is_in_sight(server, window)? => Ok(None),
        told => Ok(told),
    }
}

/// Whether a pointer would hit a window somewhere: it is shown then, whichever workspace is the current one. What some
/// window managers leave mapped on the others lies below all that is shown.
pub(crate) fn is_in_sight(server: &Server, window: Window) -> Result<bool, Fault> {
    if server.connection.get_window_attributes(window)?.reply()?.map_state != MapState::VIEWABLE {
        return Ok(false);
    }
    let (place, size) =
        (server.connection.translate_coordinates(window, server.root, 0, 0)?, server.connection.get_geometry(window)?);
    let (place, size) = (place.reply()?, size.reply()?);
    let rect = Rect::new(place.dst_x.into(), place.dst_y.into(), size.width.into(), size.height.into());
    let asked = spots(rect).map(|(x, y)| server.connection.translate_coordinates(server.root, server.root, x, y));
    let asked = asked.collect::<Result<Vec<_>, _>>()?;
    let mut met = Vec::new();
    for answer in asked {
        let top = answer.reply()?.child;
        if top != 0 && !met.contains(&top) {
            met.push(top);
            if server.lies_in(window, top)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn property(server: &Server, window: Window, atom: u32) -> Result<GetPropertyReply, Fault> {
    Ok(server.connection.get_property(false, window, atom, AtomEnum::CARDINAL, 0, 1)?.reply()?)
}

/// Has the workspace shown that a window is on. Not every window manager does so for a window that is activated.
pub(crate) fn turn_to_workspace_of(server: &Server, window: Window) -> Result<(), Fault> {
    let Some(workspace) = of(server, window)? else { return Ok(()) };
    server.ask_manager(
        server.root,
        server.atoms._NET_CURRENT_DESKTOP,
        [workspace - 1, x11rb::CURRENT_TIME, 0, 0, 0],
    )?;
    if server.wait(|| Ok(of(server, window)?.is_none()))? {
        return Ok(());
    }
    let text = format!("the window is on workspace {workspace}, which the window manager didn't turn to");
    Err(Fault::Problem(Problem::new(Code::Blocked, text).hint("handeye windows")))
}
