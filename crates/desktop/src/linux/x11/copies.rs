//! What apps put on the clipboard: that they did, and what kind of thing it is. What it says isn't asked for.

use crate::linux::x11::clipboard::{Clip, answer, asked_for, own_window};
use crate::linux::x11::pending_windows::is_of_one;
use crate::linux::x11::server::{Fault, Server};
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::xfixes::{ConnectionExt as _, SelectionEventMask};
use x11rb::protocol::xproto::{ConnectionExt as _, Window};

/// How long an app may take to say what kind of thing it put there.
const PATIENCE: Duration = Duration::from_millis(500);
/// So many of its kinds are asked for their names.
const KINDS: usize = 48;

/// That something was put on the clipboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Copied {
    /// What kinds of things it can be taken as.
    pub(crate) kinds: String,
}

/// Asks to be told of each that gets the clipboard. A server that can't tell is asked for nothing.
pub(crate) fn listen(server: &Server) -> Result<(), Fault> {
    if !server.tells_copies {
        return Ok(());
    }
    server.connection.xfixes_query_version(5, 0)?.reply()?;
    let mask = SelectionEventMask::SET_SELECTION_OWNER;
    server.connection.xfixes_select_selection_input(server.root, server.atoms.CLIPBOARD, mask)?;
    server.sync()
}

/// What came before a gesture is none of its doing.
pub(crate) fn forget_copies(server: &Server, clip: &mut Clip) -> Result<(), Fault> {
    take_events(server, clip)?;
    clip.given_to.clear();
    Ok(())
}

/// Whether the app of a window put something on the clipboard since a gesture began: the same again, too.
pub(crate) fn has_copied(server: &Server, clip: &mut Clip, window: Window) -> Result<bool, Fault> {
    take_events(server, clip)?;
    Ok(clip.given_to.iter().any(|owner| is_of_one(server, *owner, window)))
}

/// What it put there, if anything.
pub(crate) fn copied(server: &Server, clip: &mut Clip, window: Window) -> Result<Option<Copied>, Fault> {
    if !has_copied(server, clip, window)? {
        return Ok(None);
    }
    // One that can't say what it is has put something there all the same.
    Ok(Some(Copied { kinds: kinds(server, clip).unwrap_or_else(|_| "something".into()) }))
}

fn take_events(server: &Server, clip: &mut Clip) -> Result<(), Fault> {
    server.sync()?;
    while let Some(event) = server.connection.poll_for_event()? {
        answer(server, clip, &event);
    }
    Ok(())
}

/// What the thing on the clipboard can be taken as.
fn kinds(server: &Server, clip: &mut Clip) -> Result<String, Fault> {
    let (window, atoms) = (own_window(server, clip)?, server.atoms);
    let now = x11rb::CURRENT_TIME;
    server.connection.convert_selection(window, atoms.CLIPBOARD, atoms.TARGETS, atoms._HANDEYE_CLIP, now)?.check()?;
    let (_, bytes) = asked_for(server, clip, PATIENCE)?.ok_or(Fault::Refused)?;
    let atoms = bytes.chunks_exact(4).filter_map(|four| Some(u32::from_ne_bytes(four.try_into().ok()?)));
    let asked = atoms.take(KINDS).map(|atom| server.connection.get_atom_name(atom));
    let asked = asked.collect::<Result<Vec<_>, _>>()?;
    let names =
        asked.into_iter().filter_map(|name| Some(String::from_utf8_lossy(&name.reply().ok()?.name).into_owned()));
    Ok(called(&names.collect::<Vec<_>>()).to_owned())
}

/// What a thing of these types is called.
fn called(types: &[String]) -> &'static str {
    let any = |is: &dyn Fn(&str) -> bool| types.iter().any(|name| is(name));
    let is_text = any(&|name| matches!(name, "UTF8_STRING" | "STRING" | "TEXT") || name.starts_with("text/plain"));
    let is_files = any(&|name| name == "text/uri-list" || name.ends_with("-copied-files"));
    let is_picture = any(&|name| name.starts_with("image/"));
    match (is_files, is_text, is_picture) {
        (true, ..) => "files",
        (_, true, true) => "text, picture",
        (_, true, false) => "text",
        (_, false, true) => "picture",
        (false, false, false) => "data",
    }
}

#[cfg(test)]
mod tests {
    use super::called;

    #[test]
    fn what_is_copied_is_called_by_its_types() {
        for (types, kind) in [
            (vec!["TIMESTAMP", "TARGETS", "UTF8_STRING", "TEXT"], "text"),
            (vec!["text/plain;charset=utf-8"], "text"),
            (vec!["image/png", "TARGETS"], "picture"),
            (vec!["UTF8_STRING", "image/png"], "text, picture"),
            (vec!["x-special/gnome-copied-files", "text/uri-list", "UTF8_STRING"], "files"),
            (vec!["application/x-own"], "data"),
        ] {
            let types: Vec<String> = types.into_iter().map(str::to_owned).collect();
            assert_eq!(called(&types), kind, "{types:?}");
        }
    }
}
