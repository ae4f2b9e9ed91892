//! Windows that are about to come up: made, and not yet put on the screen by the window manager.
//!
//! Between the two a press is still sent where nothing covers, and delivered where something does: window managers hold the
//! press back until they have dealt with what came before it.

use crate::linux::x11::server::{Fault, Server};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, MapState, Window, WindowClass};

/// How long a window that was made may take to come up; what takes longer is hidden on purpose.
pub(crate) const COMING: Duration = Duration::from_millis(1000);
/// Toolkits make small windows that they never show.
const SMALL: u16 = 16;
/// How often it is looked for.
const LOOK: Duration = Duration::from_millis(3);

/// When each child of the root was first met; none where it was there before anything was.
#[derive(Default)]
pub(crate) struct Met(HashMap<Window, Option<Instant>>);

/// Whether a window is about to come up that isn't among these: one of the app that `of` is of, where that is known, or one
/// that the window manager puts a frame around.
pub(crate) fn is_any_coming_since(server: &Server, before: &[Window], of: Option<Window>) -> Result<bool, Fault> {
    let manager = manager(server);
    let is_ours = |window: Window| {
        let makers = of.iter().chain(&manager);
        of.is_none() || makers.copied().any(|maker| is_of_one(server, window, maker))
    };
    let new = server.children()?.into_iter().filter(|window| !before.contains(window));
    Ok(new.filter(|window| is_ours(*window)).any(|window| is_coming(server, window, manager)))
}

/// Meets the children of the root; whether there were new ones.
pub(crate) fn meet(server: &Server, met: &mut Met) -> Result<bool, Fault> {
    let children = server.children()?;
    let now = (!met.0.is_empty()).then(Instant::now);
    met.0.retain(|window, _| children.contains(window));
    let before = met.0.len();
    for child in children {
        met.0.entry(child).or_insert(now);
    }
    Ok(met.0.len() != before)
}

/// Waits until no window is about to come up. An app that keeps making windows isn't waited for: whoever acts then finds
/// them in the way.
pub(crate) fn let_come(server: &Server, met: &mut Met) -> Result<(), Fault> {
    let begun = Instant::now();
    loop {
        meet(server, met)?;
        if !is_any_coming(server, met) || begun.elapsed() > COMING * 2 {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
}

/// Whether one of the windows that were met is about to come up.
pub(crate) fn is_any_coming(server: &Server, met: &Met) -> bool {
    let young = |met: &Option<Instant>| met.is_some_and(|at| at.elapsed() < COMING);
    let mut young = met.0.iter().filter(|(_, met)| young(met)).map(|(window, _)| *window).peekable();
    if young.peek().is_none() {
        return false;
    }
    let manager = manager(server);
    young.any(|window| is_coming(server, window, manager))
}

/// A window of the window manager's own, if it has one.
fn manager(server: &Server) -> Option<Window> {
    server.numbers(server.root, server.atoms._NET_SUPPORTING_WM_CHECK, AtomEnum::WINDOW.into()).ok()?.first().copied()
}

/// Whether two windows were made by one client: the rest of their numbers is what it was given.
pub(crate) fn is_of_one(server: &Server, a: Window, b: Window) -> bool {
    (a ^ b) & !server.connection.setup().resource_id_mask == 0
}

/// Whether a window is one that will come up. Of those that see to themselves, such as menus, only the frames are that the
/// manager makes: the window that is put into one is no child of the root any more, and not on the screen yet. A frame has
/// no size of its own until what it is for has been put into it.
fn is_coming(server: &Server, window: Window, manager: Option<Window>) -> bool {
    let look = || {
        let attributes = server.connection.get_window_attributes(window)?;
        let geometry = server.connection.get_geometry(window)?;
        Ok::<_, Fault>((attributes.reply()?, geometry.reply()?))
    };
    let is_frame = manager.is_some_and(|manager| is_of_one(server, window, manager));
    // One that is gone comes no more.
    look().is_ok_and(|(attributes, geometry)| {
        let sized = geometry.width > SMALL && geometry.height > SMALL;
        attributes.map_state == MapState::UNMAPPED
            && attributes.class == WindowClass::INPUT_OUTPUT
            && (is_frame || !attributes.override_redirect && sized)
    })
}
