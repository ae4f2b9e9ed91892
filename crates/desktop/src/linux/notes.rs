//! What sessions have changed on the display for the time being, noted on its root: which of them, by a window that goes with
//! its connection, and what. A session that ended without taking it back is known by its window's absence.

use super::display::{Fault, Side};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, PropMode, Window, WindowClass};
use x11rb::wrapper::ConnectionExt as _;

impl Side {
    /// Makes the window that stands for this session. It may have the number of one that stood for a session before: what that
    /// left is taken first.
    pub(crate) fn begin_notes(&mut self) -> Result<(), Fault> {
        let window = self.connection.generate_id()?;
        let none = CreateWindowAux::new();
        self.connection
            .create_window(0, window, self.root, -10, -10, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &none)?
            .check()?;
        // Numbers of windows are given out again: it is marked, so that another client's isn't taken for it.
        let (mark, kind) = (self.atoms._HANDEYE_SESSION, AtomEnum::CARDINAL);
        self.connection.change_property32(PropMode::REPLACE, window, mark, kind, &[std::process::id()])?.check()?;
        self.stands_for_us = window;
        Ok(())
    }

    /// Notes what this session has changed, in place of what it noted before.
    pub(crate) fn note(&mut self, note: Atom, changed: &[u32]) -> Result<(), Fault> {
        let us = self.stands_for_us;
        self.held_still(|side| {
            let others = side.noted(note)?.into_iter().filter(|(whose, _)| *whose != us);
            let all: Vec<u32> =
                others.chain(changed.iter().map(|what| (us, *what))).flat_map(|(w, c)| [w, c]).collect();
            side.write(note, &all)
        })
    }

    /// Takes what sessions noted that are gone.
    pub(crate) fn take_left_over(&mut self, note: Atom) -> Result<Vec<u32>, Fault> {
        self.held_still(|side| {
            let mut left = Vec::new();
            let mut kept = Vec::new();
            for (whose, what) in side.noted(note)? {
                if side.is_there(whose)? { kept.extend([whose, what]) } else { left.push(what) }
            }
            if !left.is_empty() {
                side.write(note, &kept)?;
            }
            Ok(left)
        })
    }

    fn noted(&self, note: Atom) -> Result<Vec<(Window, u32)>, Fault> {
        let numbers = self.numbers(self.root, note, AtomEnum::CARDINAL.into())?;
        Ok(numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
    }

    fn write(&self, note: Atom, numbers: &[u32]) -> Result<(), Fault> {
        if numbers.is_empty() {
            self.connection.delete_property(self.root, note)?.check()?;
        } else {
            let kind = AtomEnum::CARDINAL;
            self.connection.change_property32(PropMode::REPLACE, self.root, note, kind, numbers)?.check()?;
        }
        Ok(())
    }

    fn is_there(&self, window: Window) -> Result<bool, Fault> {
        match self.numbers(window, self.atoms._HANDEYE_SESSION, AtomEnum::CARDINAL.into()) {
            Ok(mark) => Ok(!mark.is_empty()),
            Err(Fault::Refused) => Ok(false),
            Err(fault) => Err(fault),
        }
    }
}
