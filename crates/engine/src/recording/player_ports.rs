//! What of the ports of pages and windows is played: what is recorded of them.

use super::calls::{POSTED_TO, unrecorded};
use super::player::Player;
use async_trait::async_trait;
use handeye_scene::{
    Arrange, Backend, ImageFormat, Mark, NativeId, Navigation, OpenDialog, Point, Problem, ScrollState, Shot, ShotArea,
    Tab, Web, Window, Windows,
};
use std::time::Duration;

#[async_trait]
impl Web for Player {
    async fn navigate(&mut self, url: &str, _limit: Duration) -> Result<Navigation, Problem> {
        self.ask("navigate", url)
    }
    async fn history(&mut self, delta: i32, _limit: Duration) -> Result<Navigation, Problem> {
        self.ask("history", delta)
    }
    async fn tabs(&mut self) -> Result<Vec<Tab>, Problem> {
        self.ask("tabs", ())
    }
    async fn new_tab(&mut self, url: Option<&str>, _limit: Duration) -> Result<Tab, Problem> {
        self.ask("new_tab", url)
    }
    async fn switch_tab(&mut self, id: &str) -> Result<Tab, Problem> {
        self.ask("switch_tab", id)
    }
    async fn close_tab(&mut self, id: Option<&str>) -> Result<Option<Tab>, Problem> {
        self.ask("close_tab", id)
    }
    fn posted_to(&self) -> Option<String> {
        // Earlier recordings have none.
        if self.tape.holds(POSTED_TO) { self.tell(POSTED_TO, ()) } else { None }
    }
    fn dialog(&self) -> Option<OpenDialog> {
        self.tell("dialog", ())
    }
    async fn answer_dialog(&mut self, accept: bool, text: Option<&str>) -> Result<OpenDialog, Problem> {
        self.ask("answer_dialog", (accept, text))
    }
    async fn screenshot(&mut self, _: ShotArea, _: ImageFormat, _: Option<u8>) -> Result<Shot, Problem> {
        Err(unrecorded("pictures"))
    }
    async fn location(&mut self) -> Result<(String, String), Problem> {
        self.ask("location", ())
    }
    async fn html(&mut self, of: Option<NativeId>) -> Result<String, Problem> {
        self.ask("html", of)
    }
    async fn text(&mut self, of: Option<NativeId>) -> Result<String, Problem> {
        self.ask("text", of)
    }
    async fn shown_text(&mut self, of: Option<NativeId>) -> Result<String, Problem> {
        self.ask("shown_text", of)
    }
    async fn attribute(&mut self, of: NativeId, name: &str) -> Result<Option<String>, Problem> {
        self.ask("attribute", (of, name))
    }
    async fn scrolled(&mut self) -> Result<ScrollState, Problem> {
        self.ask("scrolled", ())
    }
    async fn mark(&mut self, marks: &[Mark]) -> Result<Vec<NativeId>, Problem> {
        self.ask("mark", marks)
    }
    async fn unmark(&mut self) -> Result<(), Problem> {
        self.ask("unmark", ())
    }
}

#[async_trait]
impl Windows for Player {
    async fn look_by(&mut self, backend: Option<Backend>) -> Result<(), Problem> {
        self.ask("look_by", backend)
    }
    async fn list(&mut self) -> Result<Vec<Window>, Problem> {
        self.ask("list", ())
    }
    fn choose(&mut self, _id: Option<&str>) {}
    async fn leave_lost(&mut self) -> Result<(), Problem> {
        self.ask("leave_lost", ())
    }
    async fn current(&mut self) -> Result<Window, Problem> {
        self.ask("current", ())
    }
    async fn activate(&mut self, id: &str) -> Result<Window, Problem> {
        self.ask("activate", id)
    }
    async fn hold_to(&mut self, id: &str, at: Option<Point>) -> Result<(), Problem> {
        self.ask("hold_to", (id, at))
    }
    async fn launch(&mut self, program: &str, args: &[String], _limit: Duration) -> Result<Option<Window>, Problem> {
        self.ask("launch", (program, args))
    }
    async fn close_window(&mut self, id: &str, _limit: Duration) -> Result<bool, Problem> {
        self.ask("close_window", id)
    }
    async fn arrange(&mut self, id: &str, to: Arrange) -> Result<Window, Problem> {
        self.ask("arrange", (id, to))
    }
    async fn screenshot(&mut self, _area: ShotArea) -> Result<Shot, Problem> {
        Err(unrecorded("pictures"))
    }
    async fn text(&mut self, of: NativeId) -> Result<String, Problem> {
        self.ask("window_text", of)
    }
    async fn values(&mut self, of: NativeId) -> Result<Vec<(String, String)>, Problem> {
        self.ask("values", of)
    }
    async fn show_marks(&mut self, marks: &[Mark]) -> Result<(), Problem> {
        self.ask("show_marks", marks)
    }
    async fn hide_marks(&mut self) -> Result<(), Problem> {
        self.ask("hide_marks", ())
    }
    async fn clipboard(&mut self) -> Result<String, Problem> {
        Err(unrecorded("clipboards"))
    }
    async fn set_clipboard(&mut self, _text: &str) -> Result<(), Problem> {
        Err(unrecorded("clipboards"))
    }
}
