//! The desktop as a surface: what each of its calls goes to, on the thread that looks at windows.

use crate::windows::calls::{self, problem};
use crate::windows::capture::probe;
use crate::windows::capture::trees::Trees;
use crate::windows::capture::window_group;
use crate::windows::desktop::Desktop;
use crate::windows::input::gestures;
use crate::windows::input::hold;
use crate::windows::input::keyboard;
use crate::windows::input::typing;
use crate::windows::records::window_list::Handle;
use crate::windows::settle::settled;
use crate::windows::top_level::current_window::{Chosen, Turned};
use crate::windows::window_commands;
use crate::windows::worker::{self, Worker};
use async_trait::async_trait;
use handeye_scene::{
    Aim, Arrange, Backend, Capture, Code, Delivery, DesktopConfig, DocumentId, Gesture, Guard, InputMethod, NativeId,
    Notice, Point, Probe, Problem, Query, Settled, Shot, ShotArea, Surface, Want, Window, Windows,
};
use std::collections::HashMap;
use std::sync::mpsc;
use std::time::Duration;

/// Windows of one Windows desktop.
struct Screen {
    worker: Worker,
    notices: Vec<Notice>,
    /// Processes of the documents that were shown.
    origins: HashMap<DocumentId, String>,
}

/// Opens the desktop.
pub async fn open(desk: &DesktopConfig) -> Result<Box<dyn Surface>, Problem> {
    let (asked, failsafe) = (desk.backend, desk.failsafe);
    let (told, tells) = mpsc::channel();
    let worker = Worker::start(move || {
        // One that was set before, or a system that has no such thing, changes nothing.
        let _ = calls::be_aware_of_scaling();
        let (tree, notice) = Trees::open(asked);
        // Nobody waits for it once the limit has passed.
        let _ = told.send(notice);
        Desktop::new(tree, failsafe)
    })
    .await?;
    let notices: Vec<Notice> = tells.try_recv().ok().flatten().into_iter().collect();
    if asked == Some(Backend::Uia)
        && let Some(notice) = notices.first()
    {
        return Err(Problem::new(Code::Unavailable, notice.text.clone()).hint("handeye open desktop:"));
    }
    Ok(Box::new(Screen { worker, notices, origins: HashMap::new() }))
}

#[async_trait]
impl Surface for Screen {
    async fn capture(&mut self, want: Want) -> Result<Capture, Problem> {
        let capture = self.worker.run(move |desktop| window_group::look(desktop, want)).await?;
        let processes = capture.documents.iter().map(|d| (d.id, d.origin.clone()));
        self.origins.extend(processes);
        Ok(capture)
    }

    async fn probe(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        self.worker.run(move |desktop| probe::examine(desktop, id, aim)).await
    }

    async fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
        let query = query.clone();
        self.worker.run(move |desktop| window_group::search(desktop, &query)).await
    }

    async fn element_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        self.worker.run(move |desktop| window_group::element_at(desktop, point)).await
    }

    async fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        self.worker.run(window_group::focused).await
    }

    async fn take_keyboard(&mut self) -> Result<bool, Problem> {
        self.worker.run(keyboard::take).await
    }

    async fn input_by(&mut self, method: Option<InputMethod>) -> Result<(), Problem> {
        let put = move |desktop: &mut Desktop| {
            desktop.gesture.input_by = method;
            Ok(())
        };
        self.worker.run(put).await
    }

    async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        let (gesture, guard) = (gesture.clone(), guard.clone());
        let limit = worker::LIMIT + gestures::takes(&gesture);
        self.worker
            .run_within(limit, move |desktop| {
                let delivery = match desktop.check_failsafe() {
                    Ok(()) => gestures::perform(desktop, &gesture, &guard),
                    Err(problem) => Err(problem),
                };
                // What types leaves the pointer where a person has it.
                let is_pointed = gestures::moves_pointer(&gesture) && delivery.is_ok();
                if let (true, Ok(at)) = (is_pointed && desktop.failsafe.is_on(), calls::pointer()) {
                    desktop.failsafe.leave(at);
                }
                desktop.gesture.held_to = None;
                delivery
            })
            .await
    }

    async fn settle(&mut self, limit: Duration) -> Result<Settled, Problem> {
        self.worker.run_within(limit + worker::LIMIT, move |desktop| Ok(settled::settle(desktop, limit))).await
    }

    async fn rest(&mut self) {
        // An app that hangs holds the thread up: nobody waits for that.
        self.worker.tell(|desktop| {
            (desktop.gesture.begun, desktop.gesture.acted_in, desktop.gesture.promises) = (None, None, false);
        });
    }

    async fn changed(&mut self, limit: Duration) -> Result<bool, Problem> {
        self.worker.run_within(limit + worker::LIMIT, move |desktop| Ok(settled::changed(desktop, limit))).await
    }

    fn origin(&self, document: DocumentId) -> Option<String> {
        self.origins.get(&document).map(|process| format!("desktop:{process}"))
    }

    fn notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    async fn picture(&mut self) -> Result<Shot, Problem> {
        Windows::screenshot(self, ShotArea::Viewport).await
    }

    fn turn_to(&mut self, id: NativeId) {
        self.worker.tell(move |desktop| desktop.current.turned = Some(Turned::to(id.document())));
    }

    fn windows(&mut self) -> Option<&mut dyn Windows> {
        Some(self)
    }

    async fn close(&mut self) -> Result<(), Problem> {
        // What was launched lives on, as it would when started by hand: it may hold unsaved work.
        self.worker.run(typing::let_go).await
    }
}

#[async_trait]
impl Windows for Screen {
    async fn list(&mut self) -> Result<Vec<Window>, Problem> {
        self.worker.run(|desktop| Ok(window_commands::list(desktop))).await
    }

    async fn look_by(&mut self, backend: Option<Backend>) -> Result<(), Problem> {
        self.worker.run(move |desktop| desktop.tree.look_by(backend)).await
    }

    fn choose(&mut self, id: Option<&str>) {
        let handle = id.and_then(|id| id.parse::<Handle>().ok());
        self.worker.tell(move |desktop| {
            desktop.current.turned = None;
            desktop.current.chosen = handle.map(Chosen::of);
        });
    }

    fn mark(&mut self) {
        self.worker.tell(|desktop| desktop.current.marked = (desktop.current.chosen.clone(), desktop.current.turned));
    }

    fn go_back(&mut self) {
        self.worker.tell(|desktop| (desktop.current.chosen, desktop.current.turned) = desktop.current.marked.clone());
    }

    async fn leave_lost(&mut self) -> Result<(), Problem> {
        let left = self.worker.run(window_commands::leave_lost).await?;
        self.notices.extend(left.map(|text| Notice::new("other_window", text)));
        Ok(())
    }

    async fn current(&mut self) -> Result<Window, Problem> {
        self.worker.run(|desktop| Ok(window_commands::told(&desktop.current()?))).await
    }

    async fn activate(&mut self, id: &str) -> Result<Window, Problem> {
        let id = id.to_owned();
        self.worker.run(move |desktop| window_commands::activate(desktop, &id)).await
    }

    async fn hold_to(&mut self, id: &str, at: Option<Point>) -> Result<(), Problem> {
        let id = id.to_owned();
        self.worker.run(move |desktop| hold::hold_to(desktop, &id, at)).await
    }

    async fn launch(&mut self, program: &str, args: &[String], limit: Duration) -> Result<Option<Window>, Problem> {
        let (program, args) = (program.to_owned(), args.to_vec());
        let within = limit + worker::LIMIT;
        self.worker.run_within(within, move |desktop| window_commands::launch(desktop, &program, &args, limit)).await
    }

    async fn close_window(&mut self, id: &str, limit: Duration) -> Result<bool, Problem> {
        let id = id.to_owned();
        self.worker.run_within(limit + worker::LIMIT, move |desktop| window_commands::close(desktop, &id, limit)).await
    }

    async fn arrange(&mut self, id: &str, to: Arrange) -> Result<Window, Problem> {
        let id = id.to_owned();
        self.worker.run(move |desktop| window_commands::arrange(desktop, &id, to)).await
    }

    async fn screenshot(&mut self, area: ShotArea) -> Result<Shot, Problem> {
        self.worker.run(move |desktop| window_commands::shoot(desktop, area)).await
    }

    async fn text(&mut self, of: NativeId) -> Result<String, Problem> {
        self.worker.run(move |desktop| window_commands::text(desktop, of)).await
    }

    async fn clipboard(&mut self) -> Result<String, Problem> {
        self.worker.run(|_| calls::clipboard().map_err(problem("read the clipboard"))).await
    }

    async fn set_clipboard(&mut self, text: &str) -> Result<(), Problem> {
        let text = text.to_owned();
        self.worker.run(move |_| calls::set_clipboard(&text).map_err(problem("set the clipboard"))).await
    }
}
