//! What of the ports of pages and windows is noted. Stores, files, consoles, requests, scripts, pictures, clipboards and the
//! browser's own trees are not: they hold what is private to others or large, and a command that reaches for them is left out.

use super::calls::POSTED_TO;
use super::recorder::Recording;
use async_trait::async_trait;
use handeye_scene::{
    Arrange, Backend, Code, Console, DocumentId, Emulate, Files, ImageFormat, Mark, Mask, NativeId, Navigation,
    OpenDialog, Paper, Point, Problem, Scripts, ScrollState, Shot, ShotArea, Stores, Surface, Surroundings, Tab,
    Traffic, TreeWant, Trees, Web, Window, Windows,
};
use std::time::Duration;

impl<S: Surface + ?Sized> Recording<S> {
    fn pages(&mut self) -> Result<&mut dyn Web, Problem> {
        self.inner.get_mut().web().ok_or_else(gone)
    }

    fn desktop(&mut self) -> Result<&mut dyn Windows, Problem> {
        self.inner.get_mut().windows().ok_or_else(gone)
    }

    /// The port of pages for something that isn't recorded.
    fn unrecorded(&mut self) -> Option<&mut dyn Web> {
        self.log.leave_out();
        self.inner.get_mut().web()
    }
}

/// A surface that had a port keeps it.
fn gone() -> Problem {
    Problem::new(Code::Unsupported, "the surface that is recorded can't do this any more").hint("handeye state")
}

#[async_trait]
impl<S: Surface + ?Sized> Web for Recording<S> {
    async fn navigate(&mut self, url: &str, limit: Duration) -> Result<Navigation, Problem> {
        let answer = self.pages()?.navigate(url, limit).await;
        self.note("navigate", url, answer)
    }
    async fn history(&mut self, delta: i32, limit: Duration) -> Result<Navigation, Problem> {
        let answer = self.pages()?.history(delta, limit).await;
        self.note("history", delta, answer)
    }
    async fn tabs(&mut self) -> Result<Vec<Tab>, Problem> {
        let answer = self.pages()?.tabs().await;
        self.note("tabs", (), answer)
    }
    async fn new_tab(&mut self, url: Option<&str>, limit: Duration) -> Result<Tab, Problem> {
        let answer = self.pages()?.new_tab(url, limit).await;
        self.note("new_tab", url, answer)
    }
    async fn switch_tab(&mut self, id: &str) -> Result<Tab, Problem> {
        let answer = self.pages()?.switch_tab(id).await;
        self.note("switch_tab", id, answer)
    }
    async fn close_tab(&mut self, id: Option<&str>) -> Result<Option<Tab>, Problem> {
        let answer = self.pages()?.close_tab(id).await;
        self.note("close_tab", id, answer)
    }
    fn posted_to(&self) -> Option<String> {
        let address = self.inner.borrow_mut().web().and_then(|web| web.posted_to());
        self.note(POSTED_TO, (), address)
    }
    fn dialog(&self) -> Option<OpenDialog> {
        let open = self.inner.borrow_mut().web().and_then(|web| web.dialog());
        self.note("dialog", (), open)
    }
    async fn answer_dialog(&mut self, accept: bool, text: Option<&str>) -> Result<OpenDialog, Problem> {
        let answer = self.pages()?.answer_dialog(accept, text).await;
        self.note("answer_dialog", (accept, text), answer)
    }
    async fn screenshot(&mut self, area: ShotArea, format: ImageFormat, quality: Option<u8>) -> Result<Shot, Problem> {
        self.unrecorded().ok_or_else(gone)?.screenshot(area, format, quality).await
    }
    fn redact(&mut self, secrets: Vec<String>, mask: Mask) {
        if let Some(web) = self.inner.get_mut().web() {
            web.redact(secrets, mask);
        }
    }
    async fn location(&mut self) -> Result<(String, String), Problem> {
        let answer = self.pages()?.location().await;
        self.note("location", (), answer)
    }
    async fn html(&mut self, of: Option<NativeId>) -> Result<String, Problem> {
        let answer = self.pages()?.html(of).await;
        self.note("html", of, answer)
    }
    async fn text(&mut self, of: Option<NativeId>) -> Result<String, Problem> {
        let answer = self.pages()?.text(of).await;
        self.note("text", of, answer)
    }
    async fn shown_text(&mut self, of: Option<NativeId>) -> Result<String, Problem> {
        let answer = self.pages()?.shown_text(of).await;
        self.note("shown_text", of, answer)
    }
    async fn attribute(&mut self, of: NativeId, name: &str) -> Result<Option<String>, Problem> {
        let answer = self.pages()?.attribute(of, name).await;
        self.note("attribute", (of, name), answer)
    }
    async fn scrolled(&mut self) -> Result<ScrollState, Problem> {
        let answer = self.pages()?.scrolled().await;
        self.note("scrolled", (), answer)
    }
    fn files(&mut self) -> Option<&mut dyn Files> {
        self.unrecorded()?.files()
    }
    fn console(&mut self) -> Option<&mut dyn Console> {
        self.unrecorded()?.console()
    }
    fn traffic(&mut self) -> Option<&mut dyn Traffic> {
        self.unrecorded()?.traffic()
    }
    fn emulate(&mut self) -> Option<&mut dyn Emulate> {
        self.unrecorded()?.emulate()
    }
    fn scripts(&mut self) -> Option<&mut dyn Scripts> {
        self.unrecorded()?.scripts()
    }
    async fn print_page(&mut self, paper: &Paper) -> Result<Vec<u8>, Problem> {
        self.unrecorded().ok_or_else(gone)?.print_page(paper).await
    }
    async fn mark(&mut self, marks: &[Mark]) -> Result<Vec<NativeId>, Problem> {
        let answer = self.pages()?.mark(marks).await;
        self.note("mark", marks, answer)
    }
    async fn unmark(&mut self) -> Result<(), Problem> {
        let answer = self.pages()?.unmark().await;
        self.note("unmark", (), answer)
    }
    fn stores(&mut self) -> Option<&mut dyn Stores> {
        self.unrecorded()?.stores()
    }
    async fn trees(&mut self, want: TreeWant) -> Result<Trees, Problem> {
        self.unrecorded().ok_or_else(gone)?.trees(want).await
    }
    async fn called(&mut self, document: DocumentId, nodes: &[i64]) -> Result<Vec<Option<NativeId>>, Problem> {
        self.unrecorded().ok_or_else(gone)?.called(document, nodes).await
    }
}

#[async_trait]
impl<S: Surface + ?Sized> Windows for Recording<S> {
    async fn look_by(&mut self, backend: Option<Backend>) -> Result<(), Problem> {
        let answer = self.desktop()?.look_by(backend).await;
        self.note("look_by", backend, answer)
    }
    async fn list(&mut self) -> Result<Vec<Window>, Problem> {
        let answer = self.desktop()?.list().await;
        self.note("list", (), answer)
    }
    fn choose(&mut self, id: Option<&str>) {
        if let Some(windows) = self.inner.get_mut().windows() {
            windows.choose(id);
        }
    }
    fn mark(&mut self) {
        if let Some(windows) = self.inner.get_mut().windows() {
            windows.mark();
        }
    }
    fn go_back(&mut self) {
        if let Some(windows) = self.inner.get_mut().windows() {
            windows.go_back();
        }
    }
    async fn leave_lost(&mut self) -> Result<(), Problem> {
        let answer = self.desktop()?.leave_lost().await;
        self.note("leave_lost", (), answer)
    }
    async fn current(&mut self) -> Result<Window, Problem> {
        let answer = self.desktop()?.current().await;
        self.note("current", (), answer)
    }
    async fn activate(&mut self, id: &str) -> Result<Window, Problem> {
        let answer = self.desktop()?.activate(id).await;
        self.note("activate", id, answer)
    }
    async fn hold_to(&mut self, id: &str, at: Option<Point>) -> Result<(), Problem> {
        let answer = self.desktop()?.hold_to(id, at).await;
        self.note("hold_to", (id, at), answer)
    }
    fn start_in(&mut self, surroundings: Surroundings) {
        if let Some(windows) = self.inner.get_mut().windows() {
            windows.start_in(surroundings);
        }
    }
    async fn launch(&mut self, program: &str, args: &[String], limit: Duration) -> Result<Option<Window>, Problem> {
        let answer = self.desktop()?.launch(program, args, limit).await;
        self.note("launch", (program, args), answer)
    }
    async fn close_window(&mut self, id: &str, limit: Duration) -> Result<bool, Problem> {
        let answer = self.desktop()?.close_window(id, limit).await;
        self.note("close_window", id, answer)
    }
    async fn arrange(&mut self, id: &str, to: Arrange) -> Result<Window, Problem> {
        let answer = self.desktop()?.arrange(id, to).await;
        self.note("arrange", (id, to), answer)
    }
    async fn screenshot(&mut self, area: ShotArea) -> Result<Shot, Problem> {
        self.log.leave_out();
        self.desktop()?.screenshot(area).await
    }
    async fn text(&mut self, of: NativeId) -> Result<String, Problem> {
        let answer = self.desktop()?.text(of).await;
        self.note("window_text", of, answer)
    }
    async fn values(&mut self, of: NativeId) -> Result<Vec<(String, String)>, Problem> {
        let answer = self.desktop()?.values(of).await;
        self.note("values", of, answer)
    }
    async fn show_marks(&mut self, marks: &[Mark]) -> Result<(), Problem> {
        let answer = self.desktop()?.show_marks(marks).await;
        self.note("show_marks", marks, answer)
    }
    async fn hide_marks(&mut self) -> Result<(), Problem> {
        let answer = self.desktop()?.hide_marks().await;
        self.note("hide_marks", (), answer)
    }
    async fn clipboard(&mut self) -> Result<String, Problem> {
        self.log.leave_out();
        self.desktop()?.clipboard().await
    }
    async fn set_clipboard(&mut self, text: &str) -> Result<(), Problem> {
        self.log.leave_out();
        self.desktop()?.set_clipboard(text).await
    }
}
