//! The surface, the opener and the clock that answer from a recording.

use super::calls::{ANSWERED, BROWSER, CAPTURE, DESKTOP, FOCUSED, NOTICES, PERFORM, PROBE, TAKE_KEYBOARD, unrecorded};
use super::tape::Tape;
use async_trait::async_trait;
use handeye_scene::{
    Aim, Capture, Clock, Delivery, DesktopConfig, DocumentId, Gesture, Guard, InputMethod, Launch, NativeId, Notice,
    Opener, Point, PressBy, Pressed, Probe, Problem, Query, Rect, RowLabel, Settled, Shot, Stirred, Surface, Want, Web,
    Whence, Windows,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// Plays a tape: an opener and a clock, and each surface that was opened.
#[derive(Debug, Clone)]
pub struct Player {
    pub(super) tape: Arc<Tape>,
    /// The surface's number; 0 for the opener.
    on: u32,
    is_desktop: bool,
}

impl Player {
    /// The opener and the clock of this tape.
    pub fn new(tape: Arc<Tape>) -> Self {
        Self { tape, on: 0, is_desktop: false }
    }

    pub(super) fn ask<T: DeserializeOwned>(&self, name: &str, args: impl Serialize) -> Result<T, Problem> {
        // What the call itself answered, a problem included, stands within what the tape answers.
        self.tape.answer::<Result<T, Problem>>(self.on, name, args)?
    }

    /// The same of a call that can't fail: where the tape doesn't tell, nothing.
    pub(super) fn tell<T: DeserializeOwned + Default>(&self, name: &str, args: impl Serialize) -> T {
        self.tape.answer(self.on, name, args).unwrap_or_default()
    }
}

#[async_trait]
impl Surface for Player {
    async fn capture(&mut self, want: Want) -> Result<Capture, Problem> {
        self.ask(CAPTURE, want)
    }
    async fn add_rows(&mut self, capture: &mut Capture, of: &[NativeId]) -> Result<bool, Problem> {
        let (told, left, rows): (bool, bool, Vec<Option<RowLabel>>) = self.ask("add_rows", of)?;
        capture.rows_left = left;
        for (node, row) in capture.nodes.iter_mut().zip(rows) {
            node.extra.row = row;
        }
        Ok(told)
    }
    async fn probe(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        self.ask(PROBE, (id, aim))
    }
    async fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
        self.ask("search", query)
    }
    async fn element_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        self.ask("element_at", point)
    }
    async fn elements_at(&mut self, points: &[Point]) -> Result<Vec<Option<NativeId>>, Problem> {
        self.ask("elements_at", points)
    }
    async fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        self.ask(FOCUSED, ())
    }
    async fn take_keyboard(&mut self) -> Result<bool, Problem> {
        // Earlier recordings of desktops have none.
        if self.tape.holds(TAKE_KEYBOARD) { self.ask(TAKE_KEYBOARD, ()) } else { Ok(true) }
    }
    async fn is_deaf(&mut self, id: NativeId) -> Option<bool> {
        self.tell("is_deaf", id)
    }
    async fn whence(&mut self, target: Option<NativeId>) -> Whence {
        self.tell("whence", target)
    }
    async fn pressed(&mut self, id: NativeId, by: PressBy) -> Result<Vec<Pressed>, Problem> {
        self.ask("pressed", (id, by))
    }
    async fn input_by(&mut self, method: Option<InputMethod>) -> Result<(), Problem> {
        if method.is_none() { Ok(()) } else { self.ask("input_by", method) }
    }
    async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        self.ask(PERFORM, (gesture, guard))
    }
    async fn settle(&mut self, _limit: Duration) -> Result<Settled, Problem> {
        self.ask("settle", ())
    }
    async fn answered(&mut self) -> Option<Settled> {
        // Earlier recordings of pages have none.
        if self.tape.holds(ANSWERED) { self.tell(ANSWERED, ()) } else { None }
    }
    async fn calm(&mut self, _rest: Duration) -> Option<Settled> {
        self.tell("calm", ())
    }
    async fn idle(&mut self, _limit: Duration) -> Result<bool, Problem> {
        self.ask("idle", ())
    }
    async fn changed(&mut self, _limit: Duration) -> Result<bool, Problem> {
        self.ask("changed", ())
    }
    fn origin(&self, document: DocumentId) -> Option<String> {
        self.tell("origin", document)
    }
    async fn stirred(&mut self) -> Stirred {
        self.tell("stirred", ())
    }
    async fn unsure(&mut self) -> HashSet<NativeId> {
        self.tell("unsure", ())
    }
    async fn pixels(&mut self, area: Rect) -> Option<u64> {
        self.tell("pixels", area)
    }
    async fn picture(&mut self) -> Result<Shot, Problem> {
        Err(unrecorded("pictures"))
    }
    fn is_opaque(&self, document: DocumentId) -> bool {
        self.tell("is_opaque", document)
    }
    fn notices(&mut self) -> Vec<Notice> {
        // Earlier recordings have none of what was refused.
        if self.tape.holds(NOTICES) { self.tell(NOTICES, ()) } else { Vec::new() }
    }
    fn web(&mut self) -> Option<&mut dyn Web> {
        (!self.is_desktop).then_some(self)
    }
    fn windows(&mut self) -> Option<&mut dyn Windows> {
        self.is_desktop.then_some(self)
    }
    async fn close(&mut self) -> Result<(), Problem> {
        self.ask("close", ())
    }
}

impl Player {
    fn opened(&self, how: &str) -> Result<Box<dyn Surface>, Problem> {
        let on = self.ask(how, ())?;
        Ok(Box::new(Self { tape: self.tape.clone(), on, is_desktop: how == DESKTOP }))
    }
}

#[async_trait]
impl Opener for Player {
    async fn browser(&self, _launch: &Launch) -> Result<Box<dyn Surface>, Problem> {
        self.opened(BROWSER)
    }
    async fn desktop(&self, _desk: &DesktopConfig) -> Result<Box<dyn Surface>, Problem> {
        self.opened(DESKTOP)
    }
}

#[async_trait]
impl Clock for Player {
    fn elapsed(&self) -> Duration {
        self.tape.elapsed()
    }
    fn timestamp(&self) -> String {
        self.tell("timestamp", ())
    }
    async fn sleep(&self, _time: Duration) {}
}
