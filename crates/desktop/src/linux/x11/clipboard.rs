//! The clipboard: text is handed out for as long as no one else claims it.

use crate::linux::x11::server::{Fault, Server};
use handeye_scene::{Code, Problem};
use std::time::{Duration, Instant};
use x11rb::COPY_DEPTH_FROM_PARENT;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xfixes::SelectionNotifyEvent as OwnerChanged;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, Property, SELECTION_NOTIFY_EVENT,
    SelectionNotifyEvent, SelectionRequestEvent, Window, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

/// How long the owner of the clipboard may take for its answer, or for the next part of it.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How long all parts may take, which is less than a call to the display may.
const ALL: Duration = Duration::from_millis(4000);
/// Most bytes that are read.
const MOST: usize = 64 << 20;

/// How many of those that got the clipboard are kept.
const OWNERS: usize = 64;

/// What is on the clipboard by us.
#[derive(Default)]
pub(crate) struct Clip {
    window: Option<Window>,
    text: Option<String>,
    /// Whose windows it was given to since a gesture began.
    pub(super) given_to: Vec<Window>,
}

fn late() -> Fault {
    Fault::Problem(
        Problem::new(Code::Timeout, "the app that owns the clipboard doesn't answer").hint("handeye windows"),
    )
}

/// A text in the characters of Latin 1, as those ask for it that know no others.
fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}

pub(super) fn own_window(server: &Server, clip: &mut Clip) -> Result<Window, Fault> {
    if let Some(window) = clip.window {
        return Ok(window);
    }
    let window = server.connection.generate_id()?;
    let told = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    server
        .connection
        .create_window(
            COPY_DEPTH_FROM_PARENT,
            window,
            server.root,
            -10,
            -10,
            1,
            1,
            0,
            WindowClass::INPUT_OUTPUT,
            0,
            &told,
        )?
        .check()?;
    clip.window = Some(window);
    Ok(window)
}

/// Puts text on the clipboard.
pub(crate) fn set_text(server: &Server, clip: &mut Clip, text: String) -> Result<(), Fault> {
    let window = own_window(server, clip)?;
    clip.text = Some(text);
    server.connection.set_selection_owner(window, server.atoms.CLIPBOARD, x11rb::CURRENT_TIME)?.check()?;
    Ok(())
}

/// The text on the clipboard; empty when there is none.
pub(crate) fn text(server: &Server, clip: &mut Clip) -> Result<String, Fault> {
    let window = own_window(server, clip)?;
    let owner = server.connection.get_selection_owner(server.atoms.CLIPBOARD)?.reply()?.owner;
    if owner == window {
        return Ok(clip.text.clone().unwrap_or_default());
    }
    if owner == 0 {
        return Ok(String::new());
    }
    let atoms = server.atoms;
    server
        .connection
        .convert_selection(window, atoms.CLIPBOARD, atoms.UTF8_STRING, atoms._HANDEYE_CLIP, x11rb::CURRENT_TIME)?
        .check()?;
    let Some((kind, bytes)) = asked_for(server, clip, PATIENCE)? else { return Ok(String::new()) };
    let bytes = if kind == server.atoms.INCR { parts(server, clip, window)? } else { bytes };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Waits for what the owner of the clipboard was asked for; none where there is no such.
pub(super) fn asked_for(server: &Server, clip: &mut Clip, patience: Duration) -> Result<Option<(u32, Vec<u8>)>, Fault> {
    let window = own_window(server, clip)?;
    let begun = Instant::now();
    while begun.elapsed() < patience {
        match server.connection.poll_for_event()? {
            Some(Event::SelectionNotify(told)) if told.property == 0 => return Ok(None),
            Some(Event::SelectionNotify(_)) => return take(server, window).map(Some),
            Some(event) => answer(server, clip, &event),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    Err(late())
}

/// What was put where the clipboard's content is handed over, and its type. Whoever put it there sees that it was taken.
fn take(server: &Server, window: Window) -> Result<(u32, Vec<u8>), Fault> {
    let place = server.atoms._HANDEYE_CLIP;
    let most = (MOST / 4) as u32;
    let reply = server.connection.get_property(true, window, place, AtomEnum::ANY, 0, most)?.reply()?;
    Ok((reply.type_, reply.value))
}

/// What is too long to be handed over at once, part by part; the last one is empty.
fn parts(server: &Server, clip: &mut Clip, window: Window) -> Result<Vec<u8>, Fault> {
    let mut all = Vec::new();
    let (begun, mut last) = (Instant::now(), Instant::now());
    while last.elapsed() < PATIENCE && begun.elapsed() < ALL {
        match server.connection.poll_for_event()? {
            Some(Event::PropertyNotify(told))
                if told.window == window
                    && told.atom == server.atoms._HANDEYE_CLIP
                    && told.state == Property::NEW_VALUE =>
            {
                let (_, part) = take(server, window)?;
                if part.is_empty() {
                    return Ok(all);
                }
                all.extend(part);
                if all.len() > MOST {
                    let what = format!("the clipboard holds more than {} MB", MOST >> 20);
                    return Err(Fault::Problem(Problem::new(Code::Unsupported, what)));
                }
                last = Instant::now();
            }
            Some(event) => answer(server, clip, &event),
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    Err(late())
}

/// Hands the text out to who asks for it.
pub(crate) fn answer(server: &Server, clip: &mut Clip, event: &Event) {
    match event {
        Event::SelectionRequest(request) => {
            // Who asked and went away gets nothing.
            let _ = hand_out(server, clip, request);
        }
        Event::SelectionClear(_) => clip.text = None,
        Event::XfixesSelectionNotify(told) => note(server, clip, told),
        _ => {}
    }
}

/// Takes note of who got the clipboard.
fn note(server: &Server, clip: &mut Clip, told: &OwnerChanged) {
    let is_other = told.owner != 0 && Some(told.owner) != clip.window;
    if is_other && told.selection == server.atoms.CLIPBOARD && clip.given_to.len() < OWNERS {
        clip.given_to.push(told.owner);
    }
}

fn hand_out(server: &Server, clip: &Clip, request: &SelectionRequestEvent) -> Result<(), Fault> {
    let atoms = &server.atoms;
    let property = if request.property == 0 { request.target } else { request.property };
    let text = clip.text.as_deref().unwrap_or_default();
    let taken = if request.target == atoms.TARGETS {
        let targets = [atoms.TARGETS, atoms.UTF8_STRING, AtomEnum::STRING.into()];
        server.connection.change_property32(
            PropMode::REPLACE,
            request.requestor,
            property,
            AtomEnum::ATOM,
            &targets,
        )?;
        true
    } else if request.target == atoms.UTF8_STRING || request.target == u32::from(AtomEnum::STRING) {
        let bytes = if request.target == atoms.UTF8_STRING { text.as_bytes().to_vec() } else { latin(text) };
        // What is longer than the display takes at once is refused, not left without an answer.
        server
            .connection
            .change_property8(PropMode::REPLACE, request.requestor, property, request.target, &bytes)
            .is_ok()
    } else {
        false
    };
    let told = SelectionNotifyEvent {
        response_type: SELECTION_NOTIFY_EVENT,
        sequence: 0,
        time: request.time,
        requestor: request.requestor,
        selection: request.selection,
        target: request.target,
        property: if taken { property } else { 0 },
    };
    server.connection.send_event(false, request.requestor, EventMask::NO_EVENT, told)?;
    server.connection.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lose_what_latin_1_lacks() {
        assert_eq!(latin("aé中😀"), b"a\xe9??");
    }
}
