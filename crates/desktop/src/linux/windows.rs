//! Windows of the display: which there are, how they lie on each other, and what can be done to them.

use super::display::{Fault, Side, numbers};
use handeye_scene::{Arrange, Point, Rect};
use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, GetGeometryReply,
    GetPropertyReply, GetWindowAttributesReply, GrabMode, GrabStatus, InputFocus, MapState, StackMode, Window,
};

/// How long a window manager may take to do what it was asked.
const PATIENCE: Duration = Duration::from_millis(1000);
/// How often that is looked for.
const LOOK: Duration = Duration::from_millis(10);

/// What `WM_STATE` says of a window that is minimised, or on a workspace that isn't shown.
const ICONIC: u32 = 3;

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
    /// An open menu: while it is there, every click goes to its app, and one beside it closes it (EWMH, `_NET_WM_WINDOW_TYPE`).
    pub(crate) menu: bool,
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

impl Side {
    /// Every window, the topmost first; what isn't on the screen comes last.
    pub(crate) fn windows(&mut self) -> Result<Vec<Seen>, Fault> {
        let root = |what: u32| self.connection.get_property(false, self.root, what, AtomEnum::WINDOW, 0, 1024);
        let asked = (root(self.atoms._NET_CLIENT_LIST)?, root(self.atoms._NET_ACTIVE_WINDOW)?);
        let workspace = self.connection.get_property(
            false,
            self.root,
            self.atoms._NET_CURRENT_DESKTOP,
            AtomEnum::CARDINAL,
            0,
            1,
        )?;
        let (focus, tree) = (self.connection.get_input_focus()?, self.connection.query_tree(self.root)?);
        let named = |list: &GetPropertyReply| numbers(list).into_iter().filter(|w| *w != 0).collect::<Vec<Window>>();
        let (managed, active) = (named(&asked.0.reply()?), named(&asked.1.reply()?).first().copied());
        let (focus, tree) = (focus.reply()?.focus, tree.reply()?.children);
        let now = Now { active, focus, workspace: numbers(&workspace.reply()?).first().copied() };
        let clients = self.clients(&managed, &tree)?;
        let free = managed.is_empty();
        let asked: Vec<_> = tree
            .iter()
            .rev()
            .map(|top| {
                let look = (self.connection.get_window_attributes(*top)?, self.connection.get_geometry(*top)?);
                Ok((*top, look))
            })
            .collect::<Result<_, Fault>>()?;
        let mut seen = Vec::new();
        for (top, (attributes, geometry)) in asked {
            let look = attributes.reply().and_then(|attributes| Ok((attributes, geometry.reply()?)));
            // A window may go away while it is looked at.
            match look
                .map_err(Fault::from)
                .and_then(|look| self.seen_at(top, look, clients.get(&top).copied(), free, now))
            {
                Ok(Some(window)) => seen.push(window),
                Ok(None) | Err(Fault::Refused) => {}
                Err(fault) => return Err(fault),
            }
        }
        seen.sort_by_key(|w| !w.is_shown());
        Ok(seen)
    }

    fn seen_at(
        &self,
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
            return self.describe(top, top, outer, now, popup).map(Some);
        };
        let hidden = || Ok::<_, Fault>(self.is_iconic(client)? || self.elsewhere(client)?.is_some());
        if !viewable && self.states(client)?.1.is_empty() && !hidden()? {
            return Ok(None);
        }
        self.describe(client, top, outer, now, false).map(Some)
    }

    /// Which managed window lies in which child of the root: found upwards, as frames have many parts of their own. All of a
    /// level are asked for together, since each question by itself is a way to the server and back.
    fn clients(&self, managed: &[Window], tops: &[Window]) -> Result<HashMap<Window, Window>, Fault> {
        /// So many windows of its manager may lie around one.
        const DEPTH: usize = 4;
        let mut found = HashMap::new();
        let mut level: Vec<(Window, Window)> = managed.iter().map(|client| (*client, *client)).collect();
        for _ in 0..DEPTH {
            let (there, below): (Vec<_>, Vec<_>) = level.into_iter().partition(|(_, at)| tops.contains(at));
            found.extend(there.into_iter().map(|(client, top)| (top, client)));
            let asked = below.into_iter().map(|(client, at)| Ok((client, self.connection.query_tree(at)?)));
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

    fn describe(&self, id: Window, top: Window, outer: Rect, now: Now, popup: bool) -> Result<Seen, Fault> {
        // Asked for all at once: each answer by itself is a way to the server and back.
        let atoms = &self.atoms;
        let ask = |what: u32, kind: u32| self.connection.get_property(false, id, what, kind, 0, 1024);
        let geometry = self.connection.get_geometry(id)?;
        let place = self.connection.translate_coordinates(id, self.root, 0, 0)?;
        let owner = ask(AtomEnum::WM_TRANSIENT_FOR.into(), AtomEnum::WINDOW.into())?;
        let pid = ask(atoms._NET_WM_PID, AtomEnum::CARDINAL.into())?;
        let titles =
            (ask(atoms._NET_WM_NAME, atoms.UTF8_STRING)?, ask(AtomEnum::WM_NAME.into(), AtomEnum::ANY.into())?);
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
        let menu = popup && types.iter().any(|kind| menus.contains(kind));
        let hidden = states.contains(&atoms._NET_WM_STATE_HIDDEN);
        let iconic = numbers(&iconic.reply()?).first() == Some(&ICONIC);
        let elsewhere = match super::workspaces::elsewhere(&workspace.reply()?, now.workspace) {
            Some(_) if !hidden && !iconic && self.is_in_sight(id)? => None,
            told => told,
        };
        Ok(Seen {
            id,
            top,
            title: titles.iter().map(text).find(|title| !title.is_empty()).unwrap_or_default(),
            pid: pid.unwrap_or(0),
            rect,
            outer,
            owner: owner.filter(|o| *o != self.root && *o != 0),
            focused: now.active.map_or(now.focus == id, |a| a == id),
            minimised: hidden || iconic && elsewhere.is_none(),
            elsewhere,
            popup,
            menu,
            splash: types.contains(&atoms._NET_WM_WINDOW_TYPE_SPLASH),
            modal: states.contains(&atoms._NET_WM_STATE_MODAL),
        })
    }

    /// The names by which a window tells of its program (ICCCM, `WM_CLASS`: instance and class); none where it is gone.
    pub(crate) fn class(&self, window: Window) -> Result<Vec<String>, Fault> {
        let (what, kind) = (AtomEnum::WM_CLASS, AtomEnum::STRING);
        match self.connection.get_property(false, window, what, kind, 0, 256)?.reply().map_err(Fault::from) {
            Ok(reply) => {
                let text = String::from_utf8_lossy(&reply.value).into_owned();
                Ok(text.split('\0').filter(|part| !part.is_empty()).map(str::to_owned).collect())
            }
            Err(Fault::Refused) => Ok(Vec::new()),
            Err(fault) => Err(fault),
        }
    }

    pub(crate) fn numbers(&self, window: Window, atom: u32, kind: u32) -> Result<Vec<u32>, Fault> {
        Ok(numbers(&self.connection.get_property(false, window, atom, kind, 0, 1024)?.reply()?))
    }

    fn window_list(&self, atom: u32) -> Result<Vec<Window>, Fault> {
        let list = self.numbers(self.root, atom, AtomEnum::WINDOW.into())?;
        Ok(list.into_iter().filter(|w| *w != 0).collect())
    }

    /// Whether it is hidden, and all its states.
    fn states(&self, window: Window) -> Result<(bool, Vec<u32>), Fault> {
        let states = self.numbers(window, self.atoms._NET_WM_STATE, AtomEnum::ATOM.into())?;
        Ok((states.contains(&self.atoms._NET_WM_STATE_HIDDEN), states))
    }

    fn is_iconic(&self, window: Window) -> Result<bool, Fault> {
        Ok(self.numbers(window, self.atoms.WM_STATE, self.atoms.WM_STATE)?.first() == Some(&ICONIC))
    }

    /// Whether it is minimised: what is on a workspace that isn't shown is iconic, too.
    fn is_minimised(&self, window: Window) -> Result<bool, Fault> {
        Ok(self.states(window)?.0 || self.is_iconic(window)? && self.elsewhere(window)?.is_none())
    }

    /// Whether someone holds the keyboard, as a lock of the screen does.
    pub(crate) fn is_keyboard_held(&mut self) -> Result<bool, Fault> {
        let now = x11rb::CURRENT_TIME;
        let grab = self.connection.grab_keyboard(false, self.root, now, GrabMode::ASYNC, GrabMode::ASYNC)?.reply()?;
        if grab.status == GrabStatus::SUCCESS {
            self.connection.ungrab_keyboard(now)?.check()?;
        }
        Ok(grab.status != GrabStatus::SUCCESS)
    }

    /// The child of the root that a pointer at `point` would hit.
    pub(crate) fn top_at(&self, point: Point) -> Result<Option<Window>, Fault> {
        let (x, y) = (point.x.round() as i16, point.y.round() as i16);
        let hit = self.connection.translate_coordinates(self.root, self.root, x, y)?.reply()?.child;
        Ok(Some(hit).filter(|w| *w != 0))
    }

    /// Raises a window and gives it the keyboard, on the workspace that it is on; whether it came to that.
    pub(crate) fn activate(&mut self, window: Window) -> Result<bool, Fault> {
        const BY_A_PAGER: u32 = 2;
        let managed = self.window_list(self.atoms._NET_CLIENT_LIST)?.contains(&window);
        if managed {
            self.turn_to_workspace_of(window)?;
            self.ask_manager(window, self.atoms._NET_ACTIVE_WINDOW, [BY_A_PAGER, 0, 0, 0, 0])?;
        } else {
            self.connection.map_window(window)?.check()?;
            let raise = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
            self.connection.configure_window(window, &raise)?.check()?;
            self.connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME)?.check()?;
        }
        self.wait(|side| {
            let focus = side.connection.get_input_focus()?.reply()?.focus;
            let active = side.window_list(side.atoms._NET_ACTIVE_WINDOW)?;
            Ok((!managed || active.first() == Some(&window)) && side.lies_in(focus, window)?)
        })
    }

    /// Whether `inner` is `outer` or lies in it.
    pub(crate) fn lies_in(&self, inner: Window, outer: Window) -> Result<bool, Fault> {
        let mut at = inner;
        for _ in 0..32 {
            if at == outer {
                return Ok(true);
            }
            if at <= 1 || at == self.root {
                return Ok(false);
            }
            at = self.connection.query_tree(at)?.reply()?.parent;
        }
        Ok(false)
    }

    /// Asks a window to close, as its close button does.
    pub(crate) fn close(&mut self, window: Window) -> Result<(), Fault> {
        if self.window_list(self.atoms._NET_CLIENT_LIST)?.contains(&window) {
            return self.ask_manager(window, self.atoms._NET_CLOSE_WINDOW, [x11rb::CURRENT_TIME, 2, 0, 0, 0]);
        }
        let data = [self.atoms.WM_DELETE_WINDOW, x11rb::CURRENT_TIME, 0, 0, 0];
        let event = ClientMessageEvent::new(32, window, self.atoms.WM_PROTOCOLS, data);
        self.connection.send_event(false, window, EventMask::NO_EVENT, event)?.check()?;
        Ok(())
    }

    /// Puts a window somewhere. The window manager may do it in its own way.
    pub(crate) fn arrange(&mut self, window: Window, to: Arrange) -> Result<(), Fault> {
        const REMOVE: u32 = 0;
        const ADD: u32 = 1;
        let before = self.connection.get_geometry(window)?.reply()?;
        let state = |side: &Self, how: u32| {
            let both = [how, side.atoms._NET_WM_STATE_MAXIMIZED_HORZ, side.atoms._NET_WM_STATE_MAXIMIZED_VERT, 2, 0];
            side.ask_manager(window, side.atoms._NET_WM_STATE, both)
        };
        match to {
            Arrange::Minimise => {
                self.ask_manager(window, self.atoms.WM_CHANGE_STATE, [ICONIC, 0, 0, 0, 0])?;
                self.wait(|side| side.is_minimised(window))?;
            }
            Arrange::Maximise => {
                state(self, ADD)?;
                self.wait(|side| Ok(side.connection.get_geometry(window)?.reply()?.width != before.width))?;
            }
            Arrange::Restore => {
                state(self, REMOVE)?;
                self.connection.map_window(window)?.check()?;
                self.wait(|side| Ok(!side.is_minimised(window)?))?;
            }
            Arrange::Move(x, y) => {
                // The client's own corner, X and Y alone, asked for by a person's tool.
                const STATIC: u32 = 10 | 1 << 8 | 1 << 9 | 2 << 12;
                if self.window_list(self.atoms._NET_CLIENT_LIST)?.contains(&window) {
                    let data = [STATIC, x as u32, y as u32, 0, 0];
                    self.ask_manager(window, self.atoms._NET_MOVERESIZE_WINDOW, data)?;
                } else {
                    self.connection.configure_window(window, &ConfigureWindowAux::new().x(x).y(y))?.check()?;
                }
                self.wait(|side| {
                    let now = side.connection.translate_coordinates(window, side.root, 0, 0)?.reply()?;
                    Ok(i32::from(now.dst_x) == x && i32::from(now.dst_y) == y)
                })?;
            }
            Arrange::Resize(width, height) => {
                const STATIC: u32 = 10 | 1 << 10 | 1 << 11 | 2 << 12;
                if self.window_list(self.atoms._NET_CLIENT_LIST)?.contains(&window) {
                    let data = [STATIC, 0, 0, width, height];
                    self.ask_manager(window, self.atoms._NET_MOVERESIZE_WINDOW, data)?;
                } else {
                    let to = ConfigureWindowAux::new().width(width).height(height);
                    self.connection.configure_window(window, &to)?.check()?;
                }
                self.wait(|side| {
                    let now = side.connection.get_geometry(window)?.reply()?;
                    Ok(u32::from(now.width) == width && u32::from(now.height) == height)
                })?;
            }
        }
        self.sync()
    }

    pub(super) fn ask_manager(&self, window: Window, what: u32, data: [u32; 5]) -> Result<(), Fault> {
        let event = ClientMessageEvent::new(32, window, what, data);
        let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.connection.send_event(false, self.root, to, event)?.check()?;
        self.connection.flush()?;
        Ok(())
    }

    /// Looks again and again until something holds; whether it came to that.
    pub(crate) fn wait(&mut self, holds: impl Fn(&Self) -> Result<bool, Fault>) -> Result<bool, Fault> {
        let begun = Instant::now();
        loop {
            if holds(self)? {
                return Ok(true);
            }
            if begun.elapsed() > PATIENCE {
                return Ok(false);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// The size of the screen.
    pub(crate) fn screen(&self) -> Result<Rect, Fault> {
        let geometry = self.connection.get_geometry(self.root)?.reply()?;
        Ok(Rect::new(0.0, 0.0, geometry.width.into(), geometry.height.into()))
    }
}
