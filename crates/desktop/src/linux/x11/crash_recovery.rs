//! What sessions have changed on the display for the time being, noted on its root: which of them, by a window that goes with
//! its connection, and what. A session that ended without taking it back is known by its window's absence.

use crate::linux::x11::server::{Fault, Server};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, PropMode, Window, WindowClass};
use x11rb::wrapper::ConnectionExt as _;

/// Makes the window that stands for this session. It may have the number of one that stood for a session before: what that
/// left is taken first.
pub(crate) fn begin(server: &mut Server) -> Result<(), Fault> {
    let window = server.connection.generate_id()?;
    let none = CreateWindowAux::new();
    server
        .connection
        .create_window(0, window, server.root, -10, -10, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &none)?
        .check()?;
    // Numbers of windows are given out again: it is marked, so that another client's isn't taken for it.
    let (mark, kind) = (server.atoms._HANDEYE_SESSION, AtomEnum::CARDINAL);
    server.connection.change_property32(PropMode::REPLACE, window, mark, kind, &[std::process::id()])?.check()?;
    server.stands_for_us = window;
    Ok(())
}

/// Notes what this session has changed, in place of what it noted before.
pub(crate) fn note(server: &Server, note: Atom, changed: &[u32]) -> Result<(), Fault> {
    let us = server.stands_for_us;
    server.held_still(|| {
        let others = noted(server, note)?.into_iter().filter(|(whose, _)| *whose != us);
        let all: Vec<u32> = others.chain(changed.iter().map(|what| (us, *what))).flat_map(|(w, c)| [w, c]).collect();
        write(server, note, &all)
    })
}

/// Takes what sessions noted that are gone.
pub(crate) fn take_left_over(server: &Server, note: Atom) -> Result<Vec<u32>, Fault> {
    server.held_still(|| {
        let mut left = Vec::new();
        let mut kept = Vec::new();
        for (whose, what) in noted(server, note)? {
            if is_there(server, whose)? { kept.extend([whose, what]) } else { left.push(what) }
        }
        if !left.is_empty() {
            write(server, note, &kept)?;
        }
        Ok(left)
    })
}

fn noted(server: &Server, note: Atom) -> Result<Vec<(Window, u32)>, Fault> {
    let numbers = server.numbers(server.root, note, AtomEnum::CARDINAL.into())?;
    Ok(numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

fn write(server: &Server, note: Atom, numbers: &[u32]) -> Result<(), Fault> {
    if numbers.is_empty() {
        server.connection.delete_property(server.root, note)?.check()?;
    } else {
        let kind = AtomEnum::CARDINAL;
        server.connection.change_property32(PropMode::REPLACE, server.root, note, kind, numbers)?.check()?;
    }
    Ok(())
}

fn is_there(server: &Server, window: Window) -> Result<bool, Fault> {
    match server.numbers(window, server.atoms._HANDEYE_SESSION, AtomEnum::CARDINAL.into()) {
        Ok(mark) => Ok(!mark.is_empty()),
        Err(Fault::Refused) => Ok(false),
        Err(fault) => Err(fault),
    }
}
