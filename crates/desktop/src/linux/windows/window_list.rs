//! Windows of the display: which there are, and how they lie on each other.

use crate::linux::windows::grabs;
use crate::linux::windows::workspaces;
use crate::linux::x11::server::{Fault, Server, numbers};
use handeye_scene::Rect;
use std::collections::HashMap;
use std::fs;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, GetGeometryReply, GetPropertyReply, GetWindowAttributesReply, MapState, Window,
};

/// What `WM_STATE` says of a window that is minimised, or on a workspace that isn't shown.
pub(crate) const ICONIC: u32 = 3;

/// One window that a person can see or bring back.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Seen {
    /// The client's window.
    pub(crate) id: Window,
    /// The child of the root that it lies in: itself, or the window manager's frame around it.
    pub(crate) top: Window,
    pub(crate) title: String,
    pub(crate) pid: u32,
    /// The client's area, on the screen.
    pub(crate) rect: Rect,
    /// With the frame around it.
    pub(crate) outer: Rect,
    /// The window that it belongs to, such as a dialog's.
    pub(crate) owner: Option<Window>,
    pub(crate) focused: bool,
    pub(crate) minimised: bool,
    /// The workspace that it is on, counted from 1, where that isn't the one that is shown.
    pub(crate) elsewhere: Option<u32>,
    /// A menu, a list or a hint: not managed by the window manager.
    pub(crate) popup: bool,
    /// An open menu or list: while it is there, every click goes to its app, and one beside it closes it (EWMH,
    /// `_NET_WM_WINDOW_TYPE`; else what holds the keyboard).
    pub(crate) menu: bool,
    /// A popup that says something of what the pointer is on, or of what happened.
    pub(crate) hint: bool,
    /// Shown while a program starts, and gone then.
    pub(crate) splash: bool,
    /// The window that it belongs to takes no input until it is closed.
    pub(crate) modal: bool,
}

impl Seen {
    /// The handle as people write it.
    pub(crate) fn handle(&self) -> String {
        format!("{:#x}", self.id)
    }

    /// Whether it is on the screen, whatever lies over it.
    pub(crate) fn is_shown(&self) -> bool {
        !self.minimised && self.elsewhere.is_none()
    }
}

/// What holds of the display as a whole.
#[derive(Clone, Copy)]
struct Now {
    /// Where the keyboard is, by the window manager and by the server.
    active: Option<Window>,
    focus: Window,
    /// The workspace that is shown, where there are any.
    workspace: Option<u32>,
}

fn text(property: &GetPropertyReply) -> String {
    String::from_utf8_lossy(&property.value).trim_end_matches('\0').to_owned()
}

/// Name of a process.
pub(crate) fn process(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let name = name.trim();
    // The kernel cuts names off; the program's file has all of it.
    if name.len() >= 15
        && let Ok(path) = fs::read_link(format!("/proc/{pid}/exe"))
        && let Some(whole) = path.file_name().and_then(|n| n.to_str()).filter(|n| n.starts_with(name))
    {
        return whole.to_owned();
    }
    name.to_owned()
}

/// Every window, the topmost first; what isn't on the screen comes last.
pub(crate) fn list(server: &Server) -> Result<Vec<Seen>, Fault> {
    let root = |what: u32| server.connection.get_property(false, server.root, what, AtomEnum::WINDOW, 0, 1024);
    let asked = (root(server.atoms._NET_CLIENT_LIST)?, root(server.atoms._NET_ACTIVE_WINDOW)?);
    let workspace = server.connection.get_property(
        false,
        server.root,
        server.atoms._NET_CURRENT_DESKTOP,
        AtomEnum::CARDINAL,
        0,
        1,
    )?;
    let (focus, tree) = (server.connection.get_input_focus()?, server.connection.query_tree(server.root)?);
    let named = |list: &GetPropertyReply| numbers(list).into_iter().filter(|w| *w != 0).collect::<Vec<Window>>();
    let (managed, active) = (named(&asked.0.reply()?), named(&asked.1.reply()?).first().copied());
    let (focus, tree) = (focus.reply()?.focus, tree.reply()?.children);
    let now = Now { active, focus, workspace: numbers(&workspace.reply()?).first().copied() };
    let clients = clients(server, &managed, &tree)?;
    let free = managed.is_empty();
    let asked: Vec<_> = tree
        .iter()
        .rev()
        .map(|top| {
            let look = (server.connection.get_window_attributes(*top)?, server.connection.get_geometry(*top)?);
            Ok((*top, look))
        })
        .collect::<Result<_, Fault>>()?;
    let mut seen = Vec::new();
    for (top, (attributes, geometry)) in asked {
        let look = attributes.reply().and_then(|attributes| Ok((attributes, geometry.reply()?)));
        // A window may go away while it is looked at.
        match look
            .map_err(Fault::from)
            .and_then(|look| seen_at(server, top, look, clients.get(&top).copied(), free, now))
        {
            Ok(Some(window)) => seen.push(window),
            Ok(None) | Err(Fault::Refused) => {}
            Err(fault) => return Err(fault),
        }
    }
    seen.sort_by_key(|w| !w.is_shown());
    mark_menus(server, &mut seen)?;
    Ok(seen)
}

/// Marks what is open as a menu is: GTK 4 gives one type to its menus, lists, bubbles and hints, and Qt says of a list that it is
/// one. Those that a click beside them closes hold the keyboard; hints don't.
fn mark_menus(server: &Server, seen: &mut [Seen]) -> Result<(), Fault> {
    let is_told = seen.iter().any(|w| w.menu);
    let Some(pid) = seen.iter().find(|w| w.popup && !w.hint && w.pid != 0).map(|w| w.pid) else { return Ok(()) };
    if !is_told && grabs::is_keyboard_held(server)? {
        seen.iter_mut().filter(|w| w.popup && !w.hint && w.pid == pid).for_each(|w| w.menu = true);
    }
    Ok(())
}

fn seen_at(
    server: &Server,
    top: Window,
    (attributes, geometry): (GetWindowAttributesReply, GetGeometryReply),
    client: Option<Window>,
    unmanaged: bool,
    now: Now,
) -> Result<Option<Seen>, Fault> {
    // What isn't shown and has no size is a toolkit's own.
    if attributes.map_state != MapState::VIEWABLE && geometry.width <= 2 && geometry.height <= 2 {
        return Ok(None);
    }
    let viewable = attributes.map_state == MapState::VIEWABLE;
    let outer = Rect::new(
        geometry.x.into(),
        geometry.y.into(),
        f64::from(geometry.width) + 2.0 * f64::from(geometry.border_width),
        f64::from(geometry.height) + 2.0 * f64::from(geometry.border_width),
    );
    let Some(client) = client else {
        // What no window manager manages is a window where there is none to, and a popup otherwise.
        let free = unmanaged && !attributes.override_redirect;
        let popup = attributes.override_redirect;
        let sized = outer.width > 2.0 && outer.height > 2.0;
        if !viewable
            || !sized
            || !(popup || free)
            || attributes.class == x11rb::protocol::xproto::WindowClass::INPUT_ONLY
        {
            return Ok(None);
        }
        return describe(server, top, top, outer, now, popup).map(Some);
    };
    let hidden = || Ok::<_, Fault>(is_iconic(server, client)? || workspaces::of(server, client)?.is_some());
    if !viewable && states(server, client)?.1.is_empty() && !hidden()? {
        return Ok(None);
    }
    describe(server, client, top, outer, now, false).map(Some)
}

/// Which managed window lies in which child of the root: found upwards, as frames have many parts of their own. All of a
/// level are asked for together, since each question by itself is a way to the server and back.
fn clients(server: &Server, managed: &[Window], tops: &[Window]) -> Result<HashMap<Window, Window>, Fault> {
    /// How many windows of its manager may lie around one.
    const DEPTH: usize = 4;
    let mut found = HashMap::new();
    let mut level: Vec<(Window, Window)> = managed.iter().map(|client| (*client, *client)).collect();
    for _ in 0..DEPTH {
        let (there, below): (Vec<_>, Vec<_>) = level.into_iter().partition(|(_, at)| tops.contains(at));
        found.extend(there.into_iter().map(|(client, top)| (top, client)));
        let asked = below.into_iter().map(|(client, at)| Ok((client, server.connection.query_tree(at)?)));
        let asked: Vec<_> = asked.collect::<Result<_, Fault>>()?;
        level = Vec::new();
        for (client, answer) in asked {
            match answer.reply().map_err(Fault::from) {
                Ok(tree) => level.push((client, tree.parent)),
                // It may go away while it is looked at.
                Err(Fault::Refused) => {}
                Err(fault) => return Err(fault),
            }
        }
    }
    Ok(found)
}

fn describe(server: &Server, id: Window, top: Window, outer: Rect, now: Now, popup: bool) -> Result<Seen, Fault> {
    // Asked for all at once: each answer by itself is a way to the server and back.
    let atoms = &server.atoms;
    let ask = |what: u32, kind: u32| server.connection.get_property(false, id, what, kind, 0, 1024);
    let geometry = server.connection.get_geometry(id)?;
    let place = server.connection.translate_coordinates(id, server.root, 0, 0)?;
    let owner = ask(AtomEnum::WM_TRANSIENT_FOR.into(), AtomEnum::WINDOW.into())?;
    let pid = ask(atoms._NET_WM_PID, AtomEnum::CARDINAL.into())?;
    let titles = (ask(atoms._NET_WM_NAME, atoms.UTF8_STRING)?, ask(AtomEnum::WM_NAME.into(), AtomEnum::ANY.into())?);
    let states = ask(atoms._NET_WM_STATE, AtomEnum::ATOM.into())?;
    let iconic = ask(atoms.WM_STATE, atoms.WM_STATE)?;
    let types = ask(atoms._NET_WM_WINDOW_TYPE, AtomEnum::ATOM.into())?;
    let workspace = ask(atoms._NET_WM_DESKTOP, AtomEnum::CARDINAL.into())?;
    let (geometry, place) = (geometry.reply()?, place.reply()?);
    let rect = Rect::new(place.dst_x.into(), place.dst_y.into(), geometry.width.into(), geometry.height.into());
    let owner = numbers(&owner.reply()?).first().copied();
    let pid = numbers(&pid.reply()?).first().copied();
    let titles = [titles.0.reply()?, titles.1.reply()?];
    let states = numbers(&states.reply()?);
    let menus = [atoms._NET_WM_WINDOW_TYPE_DROPDOWN_MENU, atoms._NET_WM_WINDOW_TYPE_POPUP_MENU];
    let types = numbers(&types.reply()?);
    let hints =
        [atoms._NET_WM_WINDOW_TYPE_TOOLTIP, atoms._NET_WM_WINDOW_TYPE_NOTIFICATION, atoms._NET_WM_WINDOW_TYPE_DND];
    let menu = popup && types.iter().any(|kind| menus.contains(kind));
    let hint = popup && types.iter().any(|kind| hints.contains(kind));
    let hidden = states.contains(&atoms._NET_WM_STATE_HIDDEN);
    let iconic = numbers(&iconic.reply()?).first() == Some(&ICONIC);
    let elsewhere = match crate::linux::windows::workspaces::elsewhere(&workspace.reply()?, now.workspace) {
        Some(_) if !hidden && !iconic && workspaces::is_in_sight(server, id)? => None,
        told => told,
    };
    Ok(Seen {
        id,
        top,
        title: titles.iter().map(text).find(|title| !title.is_empty()).unwrap_or_default(),
        pid: pid.unwrap_or(0),
        rect,
        outer,
        owner: owner.filter(|o| *o != server.root && *o != 0),
        focused: now.active.map_or(now.focus == id, |a| a == id),
        minimised: hidden || iconic && elsewhere.is_none(),
        elsewhere,
        popup,
        menu,
        hint,
        splash: types.contains(&atoms._NET_WM_WINDOW_TYPE_SPLASH),
        modal: states.contains(&atoms._NET_WM_STATE_MODAL),
    })
}

/// The names by which a window tells of its program (ICCCM, `WM_CLASS`: instance and class); none where it is gone.
pub(crate) fn class(server: &Server, window: Window) -> Result<Vec<String>, Fault> {
    let (what, kind) = (AtomEnum::WM_CLASS, AtomEnum::STRING);
    match server.connection.get_property(false, window, what, kind, 0, 256)?.reply().map_err(Fault::from) {
        Ok(reply) => {
            let text = String::from_utf8_lossy(&reply.value).into_owned();
            Ok(text.split('\0').filter(|part| !part.is_empty()).map(str::to_owned).collect())
        }
        Err(Fault::Refused) => Ok(Vec::new()),
        Err(fault) => Err(fault),
    }
}

/// Whether it is hidden, and all its states.
pub(crate) fn states(server: &Server, window: Window) -> Result<(bool, Vec<u32>), Fault> {
    let states = server.numbers(window, server.atoms._NET_WM_STATE, AtomEnum::ATOM.into())?;
    Ok((states.contains(&server.atoms._NET_WM_STATE_HIDDEN), states))
}

pub(crate) fn is_iconic(server: &Server, window: Window) -> Result<bool, Fault> {
    Ok(server.numbers(window, server.atoms.WM_STATE, server.atoms.WM_STATE)?.first() == Some(&ICONIC))
}

/// Whether it is minimised: what is on a workspace that isn't shown is iconic, too.
pub(crate) fn is_minimised(server: &Server, window: Window) -> Result<bool, Fault> {
    Ok(states(server, window)?.0 || is_iconic(server, window)? && workspaces::of(server, window)?.is_none())
}
