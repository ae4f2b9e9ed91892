//! What only web surfaces can do: the port, composed of the features.

use crate::capture::ax::resolve;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::egress::bounds::permit;
use crate::features::address::address;
use crate::features::console::Consoles;
use crate::features::downloads::FileTransfers;
use crate::features::emulation::Emulator;
use crate::features::network::Requests;
use crate::features::scripts::PageScripts;
use crate::features::storage::Storage;
use crate::features::{dialogs, highlight, location, navigation, pdf, screenshot, tabs, trees};
use crate::input::hand::Hand;
use async_trait::async_trait;
use handeye_scene::{
    Code, Console, DocumentId, Emulate, Files, ImageFormat, Mark, Mask, NativeId, Navigation, OpenDialog, Paper,
    Problem, Scripts, ScrollState, Shot, ShotArea, Stores, Tab, Traffic, TreeWant, Trees, Web,
};
use serde_json::json;
use std::time::Duration;

/// The tabs of a browser.
pub(crate) struct Tabs {
    link: Link,
    pub(crate) hand: Hand,
    /// Texts that no picture may show.
    pub(crate) secrets: Vec<String>,
    console: Consoles,
    emulation: Emulator,
    files: FileTransfers,
    requests: Requests,
    scripts: PageScripts,
    storage: Storage,
}

impl Tabs {
    pub(crate) fn new(link: &Link) -> Self {
        Self {
            link: link.clone(),
            hand: Hand::new(link),
            secrets: Vec::new(),
            console: Consoles { link: link.clone() },
            emulation: Emulator { link: link.clone() },
            files: FileTransfers { link: link.clone() },
            requests: Requests { link: link.clone() },
            scripts: PageScripts { link: link.clone() },
            storage: Storage { link: link.clone() },
        }
    }
}

#[async_trait]
impl Web for Tabs {
    async fn navigate(&mut self, url: &str, limit: Duration) -> Result<Navigation, Problem> {
        let url = address(url)?;
        permit(&self.link, &url).await?;
        self.hand.recover().await;
        navigation::go(&self.link, &url, limit).await
    }

    async fn history(&mut self, delta: i32, limit: Duration) -> Result<Navigation, Problem> {
        self.hand.recover().await;
        navigation::history(&self.link, delta, limit).await
    }

    async fn tabs(&mut self) -> Result<Vec<Tab>, Problem> {
        tabs::refresh(&self.link).await?;
        Ok(tabs::list(&self.link))
    }

    async fn new_tab(&mut self, url: Option<&str>, limit: Duration) -> Result<Tab, Problem> {
        let url = url.map(address).transpose()?;
        if let Some(url) = &url {
            permit(&self.link, url).await?;
        }
        tabs::open(&mut self.hand).await?;
        if let Some(url) = url {
            self.link.wait_for_main_document(limit).await?;
            self.hand.recover().await;
            navigation::go(&self.link, &url, limit).await?;
        }
        tabs::active(&self.link)
            .ok_or_else(|| Problem::new(Code::Lost, "the new tab was closed at once").hint("handeye tabs list"))
    }

    async fn switch_tab(&mut self, id: &str) -> Result<Tab, Problem> {
        tabs::switch(&mut self.hand, id).await
    }

    async fn close_tab(&mut self, id: Option<&str>) -> Result<Option<Tab>, Problem> {
        tabs::close(&mut self.hand, id).await
    }

    fn posted_to(&self) -> Option<String> {
        let model = self.link.model();
        let loader = &model.pages.main_frame()?.loader;
        model.pages.documents.posted_to(loader).map(str::to_owned)
    }

    fn dialog(&self) -> Option<OpenDialog> {
        self.link.model().pages.dialog().map(|d| d.1.clone())
    }

    async fn answer_dialog(&mut self, accept: bool, text: Option<&str>) -> Result<OpenDialog, Problem> {
        dialogs::answer(&self.link, accept, text).await
    }

    async fn screenshot(&mut self, area: ShotArea, format: ImageFormat, quality: Option<u8>) -> Result<Shot, Problem> {
        screenshot::shoot(&self.link, &self.secrets, area, format, quality).await
    }

    fn redact(&mut self, secrets: Vec<String>, mask: Mask) {
        self.secrets = secrets;
        self.link.model().policy.mask = mask;
    }

    async fn location(&mut self) -> Result<(String, String), Problem> {
        location::location(&self.link, CALL_LIMIT).await
    }

    async fn html(&mut self, of: Option<NativeId>) -> Result<String, Problem> {
        location::ask_of(&self.link, "html", of).await
    }

    async fn text(&mut self, of: Option<NativeId>) -> Result<String, Problem> {
        location::ask_of(&self.link, "textOf", of).await
    }

    async fn shown_text(&mut self, of: Option<NativeId>) -> Result<String, Problem> {
        location::ask_of(&self.link, "shownOf", of).await
    }

    async fn trees(&mut self, want: TreeWant) -> Result<Trees, Problem> {
        self.hand.recover().await;
        trees::trees(&self.link, want).await
    }

    async fn called(&mut self, document: DocumentId, nodes: &[i64]) -> Result<Vec<Option<NativeId>>, Problem> {
        self.hand.recover().await;
        resolve::numbers_of(&self.link, document, nodes).await
    }

    async fn attribute(&mut self, of: NativeId, name: &str) -> Result<Option<String>, Problem> {
        self.link.page_call_now(of.document(), "attr", &[json!(of.number()), json!(name)], CALL_LIMIT).await
    }

    async fn scrolled(&mut self) -> Result<ScrollState, Problem> {
        location::scrolled(&self.link).await
    }

    fn files(&mut self) -> Option<&mut dyn Files> {
        Some(&mut self.files)
    }

    fn console(&mut self) -> Option<&mut dyn Console> {
        Some(&mut self.console)
    }

    fn traffic(&mut self) -> Option<&mut dyn Traffic> {
        Some(&mut self.requests)
    }

    fn emulate(&mut self) -> Option<&mut dyn Emulate> {
        Some(&mut self.emulation)
    }

    fn scripts(&mut self) -> Option<&mut dyn Scripts> {
        Some(&mut self.scripts)
    }

    async fn print_page(&mut self, paper: &Paper) -> Result<Vec<u8>, Problem> {
        pdf::print(&self.link, &self.secrets, paper).await
    }

    async fn mark(&mut self, marks: &[Mark]) -> Result<Vec<NativeId>, Problem> {
        highlight::draw(&self.link, marks).await
    }

    async fn unmark(&mut self) -> Result<(), Problem> {
        highlight::clear(&self.link).await
    }

    fn stores(&mut self) -> Option<&mut dyn Stores> {
        Some(&mut self.storage)
    }
}
