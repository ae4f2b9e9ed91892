//! What can be done to a window: raised, closed, moved, sized.

use crate::linux::windows::window_list::{self, ICONIC};
use crate::linux::windows::workspaces;
use crate::linux::x11::server::{Fault, Server};
use handeye_scene::Arrange;
use x11rb::protocol::xproto::{
    ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, InputFocus, StackMode, Window,
};

/// Raises a window and gives it the keyboard, on the workspace that it is on; whether it came to that.
pub(crate) fn activate(server: &Server, window: Window) -> Result<bool, Fault> {
    const BY_A_PAGER: u32 = 2;
    let managed = server.window_list(server.atoms._NET_CLIENT_LIST)?.contains(&window);
    if managed {
        workspaces::turn_to_workspace_of(server, window)?;
        server.ask_manager(window, server.atoms._NET_ACTIVE_WINDOW, [BY_A_PAGER, 0, 0, 0, 0])?;
    } else {
        server.connection.map_window(window)?.check()?;
        let raise = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
        server.connection.configure_window(window, &raise)?.check()?;
        server.connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME)?.check()?;
    }
    server.wait(|| {
        let focus = server.connection.get_input_focus()?.reply()?.focus;
        let active = server.window_list(server.atoms._NET_ACTIVE_WINDOW)?;
        Ok((!managed || active.first() == Some(&window)) && server.lies_in(focus, window)?)
    })
}

/// Asks a window to close, as its close button does.
pub(crate) fn close(server: &Server, window: Window) -> Result<(), Fault> {
    if server.window_list(server.atoms._NET_CLIENT_LIST)?.contains(&window) {
        return server.ask_manager(window, server.atoms._NET_CLOSE_WINDOW, [x11rb::CURRENT_TIME, 2, 0, 0, 0]);
    }
    let data = [server.atoms.WM_DELETE_WINDOW, x11rb::CURRENT_TIME, 0, 0, 0];
    let event = ClientMessageEvent::new(32, window, server.atoms.WM_PROTOCOLS, data);
    server.connection.send_event(false, window, EventMask::NO_EVENT, event)?.check()?;
    Ok(())
}

/// Puts a window somewhere. The window manager may do it in its own way.
pub(crate) fn arrange(server: &Server, window: Window, to: Arrange) -> Result<(), Fault> {
    const REMOVE: u32 = 0;
    const ADD: u32 = 1;
    let before = server.connection.get_geometry(window)?.reply()?;
    let state = |how: u32| {
        let both = [how, server.atoms._NET_WM_STATE_MAXIMIZED_HORZ, server.atoms._NET_WM_STATE_MAXIMIZED_VERT, 2, 0];
        server.ask_manager(window, server.atoms._NET_WM_STATE, both)
    };
    match to {
        Arrange::Minimise => {
            server.ask_manager(window, server.atoms.WM_CHANGE_STATE, [ICONIC, 0, 0, 0, 0])?;
            server.wait(|| window_list::is_minimised(server, window))?;
        }
        Arrange::Maximise => {
            state(ADD)?;
            server.wait(|| Ok(server.connection.get_geometry(window)?.reply()?.width != before.width))?;
        }
        Arrange::Restore => {
            state(REMOVE)?;
            server.connection.map_window(window)?.check()?;
            server.wait(|| Ok(!window_list::is_minimised(server, window)?))?;
        }
        Arrange::Move(x, y) => {
            // The client's own corner, X and Y alone, asked for by a person's tool.
            const STATIC: u32 = 10 | 1 << 8 | 1 << 9 | 2 << 12;
            if server.window_list(server.atoms._NET_CLIENT_LIST)?.contains(&window) {
                let data = [STATIC, x as u32, y as u32, 0, 0];
                server.ask_manager(window, server.atoms._NET_MOVERESIZE_WINDOW, data)?;
            } else {
                server.connection.configure_window(window, &ConfigureWindowAux::new().x(x).y(y))?.check()?;
            }
            server.wait(|| {
                let now = server.connection.translate_coordinates(window, server.root, 0, 0)?.reply()?;
                Ok(i32::from(now.dst_x) == x && i32::from(now.dst_y) == y)
            })?;
        }
        Arrange::Resize(width, height) => {
            const STATIC: u32 = 10 | 1 << 10 | 1 << 11 | 2 << 12;
            if server.window_list(server.atoms._NET_CLIENT_LIST)?.contains(&window) {
                let data = [STATIC, 0, 0, width, height];
                server.ask_manager(window, server.atoms._NET_MOVERESIZE_WINDOW, data)?;
            } else {
                let to = ConfigureWindowAux::new().width(width).height(height);
                server.connection.configure_window(window, &to)?.check()?;
            }
            server.wait(|| {
                let now = server.connection.get_geometry(window)?.reply()?;
                Ok(u32::from(now.width) == width && u32::from(now.height) == height)
            })?;
        }
    }
    server.sync()
}
