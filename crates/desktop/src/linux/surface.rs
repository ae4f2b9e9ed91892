//! The desktop as a surface: what each of its calls goes to.

use crate::linux::capture::probe;
use crate::linux::capture::window_group;
use crate::linux::desktop::Desktop;
use crate::linux::input::gestures;
use crate::linux::input::keyboard;
use crate::linux::settle::settled;
use crate::linux::settle::stirred;
use crate::linux::window_commands;
use crate::linux::windows::current_window::Turned;
use crate::linux::windows::window_list::process;
use crate::linux::x11::server::Fault;
use async_trait::async_trait;
use handeye_scene::{
    Aim, Capture, Code, Delivery, DesktopConfig, DocumentId, Gesture, Guard, InputMethod, NativeId, Notice, Point,
    Probe, Problem, Query, QueryBy, Rect, Settled, Shot, ShotArea, Stirred, Surface, Want, Windows,
};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Opens the desktop.
pub async fn open(desk: &DesktopConfig) -> Result<Box<dyn Surface>, Problem> {
    Ok(Box::new(Desktop::open(desk).await?))
}

#[async_trait]
impl Surface for Desktop {
    async fn capture(&mut self, want: Want) -> Result<Capture, Problem> {
        window_group::look(self, want).await
    }

    async fn probe(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        probe::examine(self, id, aim).await
    }

    async fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
        match query.by {
            QueryBy::TestId | QueryBy::AutomationId => window_group::by_accessible_id(self, &query.text).await,
            QueryBy::Class => window_group::by_class(self, &query.text).await,
            QueryBy::Xpath | QueryBy::Css => Err(Problem::new(
                Code::Unsupported,
                format!("`{}` can't be looked up: windows have neither XPaths nor CSS", query.text),
            )
            .hint("handeye find --role button --name NAME")),
        }
    }

    async fn element_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        window_group::innermost_at(self, point).await
    }

    async fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        window_group::has_keyboard(self).await
    }

    async fn take_keyboard(&mut self) -> Result<bool, Problem> {
        keyboard::take(self).await
    }

    async fn input_by(&mut self, method: Option<InputMethod>) -> Result<(), Problem> {
        self.gesture.input_by = method;
        Ok(())
    }

    async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        let checked = match self.config.failsafe {
            true => self.display.run(|side| side.server.check_failsafe()).await,
            false => Ok(()),
        };
        let delivery = match checked {
            Ok(()) => gestures::perform(self, gesture, guard).await,
            Err(fault) => Err(fault.problem("send input")),
        };
        self.gesture.held_to.clear();
        self.bus.change_log(|log| log.made(Instant::now()));
        delivery
    }

    async fn settle(&mut self, limit: Duration) -> Result<Settled, Problem> {
        let settled = settled::settle(self, limit).await;
        self.gesture.heard = self.bus.events().0;
        settled
    }

    async fn stirred(&mut self) -> Stirred {
        stirred::stirred(self).await
    }

    async fn unsure(&mut self) -> HashSet<NativeId> {
        stirred::unsure(self).await
    }

    async fn rest(&mut self) {
        self.bus.change_log(|log| log.judged(Instant::now()));
        (self.gesture.begun, self.gesture.acted_in, self.gesture.acted_on, self.gesture.promises) =
            (None, None, None, false);
    }

    async fn changed(&mut self, limit: Duration) -> Result<bool, Problem> {
        // What came while a look was taken may not be in it.
        let came = self.bus.event_after(self.gesture.heard, limit).await;
        self.gesture.heard = self.bus.events().0;
        Ok(came || stirred::has_copied(self).await)
    }

    fn origin(&self, document: DocumentId) -> Option<String> {
        self.ids.tree(document).map(|tree| format!("desktop:{}", process(tree.pid)))
    }

    fn notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    async fn pixels(&mut self, area: Rect) -> Option<u64> {
        window_commands::pixels(self, area).await
    }

    async fn picture(&mut self) -> Result<Shot, Problem> {
        Windows::screenshot(self, ShotArea::Viewport).await
    }

    fn turn_to(&mut self, id: NativeId) {
        self.current.turned = self.ids.tree(id.document()).and_then(|t| t.window).map(Turned::to);
    }

    fn windows(&mut self) -> Option<&mut dyn Windows> {
        Some(self)
    }

    async fn close(&mut self) -> Result<(), Problem> {
        // What was launched lives on, as it would when started by hand: it may hold unsaved work.
        match self.display.run(|side| side.put_back()).await {
            Ok(()) | Err(Fault::Lost) => Ok(()),
            Err(fault) => Err(fault.problem("restore the keyboard")),
        }
    }
}
