//! Surfaces, clock and opener that note what is asked of them, and what they answer.

use super::calls::{ANSWERED, BROWSER, CAPTURE, DESKTOP, ELAPSED, FOCUSED, NOTICES, PERFORM, PROBE, TAKE_KEYBOARD};
use super::log::Log;
use async_trait::async_trait;
use handeye_scene::{
    Aim, Capture, Clock, Delivery, DenyRules, DesktopConfig, DocumentId, Gesture, Guard, InputMethod, Launch, NativeId,
    Notice, Opener, Point, PressBy, Pressed, Probe, Problem, Query, Rect, Settled, Shot, Stirred, Surface, Want, Web,
    Whence, Windows,
};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// A surface of which every call is noted, with its answer.
pub struct Recording<S: ?Sized> {
    pub(super) log: Log,
    /// Its number in the recording.
    pub(super) on: u32,
    /// In a cell for the one question that a shared borrow asks of a port: [`Web::dialog`].
    pub(super) inner: RefCell<Box<S>>,
}

impl<S: ?Sized> Recording<S> {
    /// Notes a call, and hands its answer on.
    pub(super) fn note<T: Serialize>(&self, name: &str, args: impl Serialize, answer: T) -> T {
        self.log.note(self.on, name, args, &answer);
        answer
    }
}

#[async_trait]
impl<S: Surface + ?Sized> Surface for Recording<S> {
    async fn capture(&mut self, want: Want) -> Result<Capture, Problem> {
        let answer = self.inner.get_mut().capture(want).await;
        self.note(CAPTURE, want, answer)
    }
    async fn add_rows(&mut self, capture: &mut Capture, of: &[NativeId]) -> Result<bool, Problem> {
        let told = self.inner.get_mut().add_rows(capture, of).await;
        // What it wrote into the capture is a part of the answer.
        let rows = told.map(|told| {
            let rows = capture.nodes.iter().map(|node| node.extra.row.clone()).collect::<Vec<_>>();
            (told, capture.rows_left, rows)
        });
        self.note("add_rows", of, rows).map(|(told, ..)| told)
    }
    async fn probe(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        let answer = self.inner.get_mut().probe(id, aim).await;
        self.note(PROBE, (id, aim), answer)
    }
    async fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
        let answer = self.inner.get_mut().search(query).await;
        self.note("search", query, answer)
    }
    async fn element_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        let answer = self.inner.get_mut().element_at(point).await;
        self.note("element_at", point, answer)
    }
    async fn elements_at(&mut self, points: &[Point]) -> Result<Vec<Option<NativeId>>, Problem> {
        let answer = self.inner.get_mut().elements_at(points).await;
        self.note("elements_at", points, answer)
    }
    async fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        let answer = self.inner.get_mut().focused().await;
        self.note(FOCUSED, (), answer)
    }
    async fn take_keyboard(&mut self) -> Result<bool, Problem> {
        let answer = self.inner.get_mut().take_keyboard().await;
        if self.inner.get_mut().windows().is_some() { self.note(TAKE_KEYBOARD, (), answer) } else { answer }
    }
    async fn is_deaf(&mut self, id: NativeId) -> Option<bool> {
        let answer = self.inner.get_mut().is_deaf(id).await;
        self.note("is_deaf", id, answer)
    }
    async fn whence(&mut self, target: Option<NativeId>) -> Whence {
        let answer = self.inner.get_mut().whence(target).await;
        self.note("whence", target, answer)
    }
    async fn pressed(&mut self, id: NativeId, by: PressBy) -> Result<Vec<Pressed>, Problem> {
        let answer = self.inner.get_mut().pressed(id, by).await;
        self.note("pressed", (id, by), answer)
    }
    fn allow(&mut self, limit: Option<Duration>) {
        self.inner.get_mut().allow(limit);
    }
    async fn input_by(&mut self, method: Option<InputMethod>) -> Result<(), Problem> {
        let answer = self.inner.get_mut().input_by(method).await;
        // That text is put in as usual is said before each and not noted.
        if method.is_none() { answer } else { self.note("input_by", method, answer) }
    }
    async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        let answer = self.inner.get_mut().perform(gesture, guard).await;
        self.note(PERFORM, (gesture, guard), answer)
    }
    async fn settle(&mut self, limit: Duration) -> Result<Settled, Problem> {
        let answer = self.inner.get_mut().settle(limit).await;
        self.note("settle", (), answer)
    }
    async fn answered(&mut self) -> Option<Settled> {
        let answer = self.inner.get_mut().answered().await;
        if self.inner.get_mut().web().is_some() { self.note(ANSWERED, (), answer) } else { answer }
    }
    async fn calm(&mut self, rest: Duration) -> Option<Settled> {
        let answer = self.inner.get_mut().calm(rest).await;
        self.note("calm", (), answer)
    }
    async fn rest(&mut self) {
        self.inner.get_mut().rest().await;
    }
    async fn idle(&mut self, limit: Duration) -> Result<bool, Problem> {
        let answer = self.inner.get_mut().idle(limit).await;
        self.note("idle", (), answer)
    }
    async fn changed(&mut self, limit: Duration) -> Result<bool, Problem> {
        let answer = self.inner.get_mut().changed(limit).await;
        self.note("changed", (), answer)
    }
    fn origin(&self, document: DocumentId) -> Option<String> {
        self.note("origin", document, self.inner.borrow().origin(document))
    }
    async fn stirred(&mut self) -> Stirred {
        let answer = self.inner.get_mut().stirred().await;
        self.note("stirred", (), answer)
    }
    async fn unsure(&mut self) -> HashSet<NativeId> {
        let answer = self.inner.get_mut().unsure().await;
        self.note("unsure", (), answer)
    }
    async fn pixels(&mut self, area: Rect) -> Option<u64> {
        let answer = self.inner.get_mut().pixels(area).await;
        self.note("pixels", area, answer)
    }
    async fn picture(&mut self) -> Result<Shot, Problem> {
        self.log.leave_out();
        self.inner.get_mut().picture().await
    }
    fn is_opaque(&self, document: DocumentId) -> bool {
        self.note("is_opaque", document, self.inner.borrow().is_opaque(document))
    }
    fn notices(&mut self) -> Vec<Notice> {
        let answer = self.inner.get_mut().notices();
        self.note(NOTICES, (), answer)
    }
    fn turn_to(&mut self, id: NativeId) {
        self.inner.get_mut().turn_to(id);
    }
    fn deny(&mut self, rules: DenyRules) {
        self.inner.get_mut().deny(rules);
    }
    fn web(&mut self) -> Option<&mut dyn Web> {
        self.inner.get_mut().web().is_some().then_some(self)
    }
    fn windows(&mut self) -> Option<&mut dyn Windows> {
        self.inner.get_mut().windows().is_some().then_some(self)
    }
    async fn close(&mut self) -> Result<(), Problem> {
        let answer = self.inner.get_mut().close().await;
        self.note("close", (), answer)
    }
}

/// An opener whose surfaces are recorded, and a clock that is.
#[derive(Clone)]
pub struct Recordings {
    /// Where to.
    pub log: Log,
    /// Makes surfaces.
    pub opener: Arc<dyn Opener>,
    /// Tells and passes time.
    pub clock: Arc<dyn Clock>,
}

impl Recordings {
    /// Notes that a surface was opened, or why not.
    fn opened(&self, how: &str, surface: Result<Box<dyn Surface>, Problem>) -> Result<Box<dyn Surface>, Problem> {
        let number = surface.map(|inner| (self.log.next_surface(), inner));
        self.log.note(0, how, (), &number.as_ref().map(|(on, _)| *on));
        let (on, inner) = number?;
        Ok(Box::new(Recording { log: self.log.clone(), on, inner: RefCell::new(inner) }))
    }
}

#[async_trait]
impl Opener for Recordings {
    async fn browser(&self, launch: &Launch) -> Result<Box<dyn Surface>, Problem> {
        self.opened(BROWSER, self.opener.browser(launch).await)
    }
    async fn desktop(&self, desk: &DesktopConfig) -> Result<Box<dyn Surface>, Problem> {
        self.opened(DESKTOP, self.opener.desktop(desk).await)
    }
}

#[async_trait]
impl Clock for Recordings {
    fn elapsed(&self) -> Duration {
        let now = self.clock.elapsed();
        self.log.note(0, ELAPSED, (), &u64::try_from(now.as_nanos()).unwrap_or(u64::MAX));
        now
    }
    fn timestamp(&self) -> String {
        let now = self.clock.timestamp();
        self.log.note(0, "timestamp", (), &now);
        now
    }
    async fn sleep(&self, time: Duration) {
        self.clock.sleep(time).await;
    }
}
