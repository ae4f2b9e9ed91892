//! The clipboard: text is handed out for as long as no one else claims it.

use super::display::{Fault, Side};
use handeye_scene::{Code, Problem};
use std::time::{Duration, Instant};
use x11rb::COPY_DEPTH_FROM_PARENT;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, SELECTION_NOTIFY_EVENT, SelectionNotifyEvent,
    SelectionRequestEvent, Window, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

/// How long the owner of the clipboard may take.
const PATIENCE: Duration = Duration::from_millis(1500);

/// What is on the clipboard by us.
#[derive(Default)]
pub(crate) struct Clip {
    window: Option<Window>,
    text: Option<String>,
}

impl Side {
    fn clip_window(&mut self) -> Result<Window, Fault> {
        if let Some(window) = self.clip.window {
            return Ok(window);
        }
        let window = self.connection.generate_id()?;
        let none = CreateWindowAux::new();
        self.connection
            .create_window(
                COPY_DEPTH_FROM_PARENT,
                window,
                self.root,
                -10,
                -10,
                1,
                1,
                0,
                WindowClass::INPUT_OUTPUT,
                0,
                &none,
            )?
            .check()?;
        self.clip.window = Some(window);
        Ok(window)
    }

    /// Puts text on the clipboard.
    pub(crate) fn set_clip(&mut self, text: String) -> Result<(), Fault> {
        let window = self.clip_window()?;
        self.clip.text = Some(text);
        self.connection.set_selection_owner(window, self.atoms.CLIPBOARD, x11rb::CURRENT_TIME)?.check()?;
        Ok(())
    }

    /// The text on the clipboard; empty when there is none.
    pub(crate) fn read_clip(&mut self) -> Result<String, Fault> {
        let window = self.clip_window()?;
        let owner = self.connection.get_selection_owner(self.atoms.CLIPBOARD)?.reply()?.owner;
        if owner == window {
            return Ok(self.clip.text.clone().unwrap_or_default());
        }
        if owner == 0 {
            return Ok(String::new());
        }
        let atoms = self.atoms;
        self.connection
            .convert_selection(window, atoms.CLIPBOARD, atoms.UTF8_STRING, atoms._HANDEYE_CLIP, x11rb::CURRENT_TIME)?
            .check()?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            match self.connection.poll_for_event()? {
                Some(Event::SelectionNotify(told)) if told.property == 0 => return Ok(String::new()),
                Some(Event::SelectionNotify(_)) => {
                    let reply = self
                        .connection
                        .get_property(true, window, atoms._HANDEYE_CLIP, AtomEnum::ANY, 0, 4_000_000)?
                        .reply()?;
                    return Ok(String::from_utf8_lossy(&reply.value).into_owned());
                }
                Some(event) => self.answer_for_clip(&event),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        Err(Fault::Problem(Problem::new(Code::Timeout, "the app that owns the clipboard doesn't answer")))
    }

    /// Hands the text out to who asks for it.
    pub(crate) fn answer_for_clip(&mut self, event: &Event) {
        match event {
            Event::SelectionRequest(request) => {
                // Who asked and went away gets nothing.
                let _ = self.hand_out(request);
            }
            Event::SelectionClear(_) => self.clip.text = None,
            _ => {}
        }
    }

    fn hand_out(&self, request: &SelectionRequestEvent) -> Result<(), Fault> {
        let atoms = &self.atoms;
        let property = if request.property == 0 { request.target } else { request.property };
        let text = self.clip.text.as_deref().unwrap_or_default();
        let taken = if request.target == atoms.TARGETS {
            let targets = [atoms.TARGETS, atoms.UTF8_STRING, AtomEnum::STRING.into()];
            self.connection.change_property32(
                PropMode::REPLACE,
                request.requestor,
                property,
                AtomEnum::ATOM,
                &targets,
            )?;
            true
        } else if request.target == atoms.UTF8_STRING || request.target == u32::from(AtomEnum::STRING) {
            let bytes = text.as_bytes();
            self.connection.change_property8(PropMode::REPLACE, request.requestor, property, request.target, bytes)?;
            true
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
        self.connection.send_event(false, request.requestor, EventMask::NO_EVENT, told)?;
        self.connection.flush()?;
        Ok(())
    }
}
