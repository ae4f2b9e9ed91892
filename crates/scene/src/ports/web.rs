//! The port of what only web surfaces can do.

use crate::{Bounds, Code, DocumentId, Files, Mark, Mask, NativeId, Point, Problem, Rect, Stores, TreeWant, Trees};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How the address of a tab begins that a person lends by the browser extension.
pub const TAB: &str = "tab:";

/// How to get a browser.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Launch {
    /// Path of a Chromium-family browser; found on the machine when absent.
    pub browser: Option<PathBuf>,
    /// Show a window.
    pub headed: bool,
    /// Attach to this endpoint (`http://`, `https://`, `ws://`, `wss://`), or to a tab that a person lends ([`TAB`]), and launch nothing.
    pub cdp: Option<String>,
    /// In the browser that is attached to, work in a browser context of the session's own, which ends with it.
    pub context: bool,
    /// Keep the profile in this folder; otherwise one that dies with the session.
    pub profile: Option<PathBuf>,
    /// Viewport in CSS pixels, width and height.
    pub viewport: Option<(u32, u32)>,
    /// More arguments for the browser.
    pub args: Vec<String>,
    /// Proxy that pages are loaded through.
    pub proxy: Option<String>,
    /// Load pages whose certificates can't be trusted.
    pub ignore_tls_errors: bool,
    /// Where it may go; anywhere, when absent.
    #[serde(skip)]
    pub bounds: Option<Arc<dyn Bounds>>,
}

impl Launch {
    /// Whether it is one tab, which a person lends.
    pub fn is_lent(&self) -> bool {
        self.cdp.as_deref().is_some_and(|endpoint| endpoint.starts_with(TAB))
    }
}

/// Where a navigation ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Navigation {
    /// Address after redirects.
    pub url: String,
    /// Title, once known.
    pub title: String,
    /// HTTP status of the main document, where there was one.
    pub status: Option<u16>,
    /// Whether the load event came within the limit; the page is usable if not.
    pub loaded: bool,
    /// Whether the address gave no page, as that of a download, so that the page that was open stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stayed: bool,
}

/// One tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tab {
    /// Its id in this session: `t1`, `t2`, never reused.
    pub id: String,
    /// Address.
    pub url: String,
    /// Title.
    pub title: String,
    /// Whether commands act on it.
    pub active: bool,
    /// The tab that opened it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opener: Option<String>,
    /// The kind of dialog that it shows and that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<String>,
}

/// An open script dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenDialog {
    /// `alert`, `confirm`, `prompt`, `beforeunload`.
    pub kind: String,
    /// Its text.
    pub message: String,
    /// What a prompt suggests.
    pub default: String,
}

/// Picture formats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImageFormat {
    /// Lossless.
    #[default]
    Png,
    /// Lossy.
    Jpeg,
    /// Either.
    Webp,
}

/// What part of the page a screenshot shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShotArea {
    /// The viewport.
    #[default]
    Viewport,
    /// The whole page.
    FullPage,
    /// A rectangle, in main viewport coordinates.
    Clip(Rect),
}

/// A screenshot, encoded, with the mapping of its pixels to the surface: `surface = offset + pixel / scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    /// Encoded picture.
    pub bytes: Vec<u8>,
    /// Picture pixels per CSS pixel.
    pub scale: f64,
    /// Surface coordinates of the picture's top left corner, and its size in surface units.
    pub area: Rect,
}

/// How far a page is scrolled, CSS pixels. Of a page that is read from right to left, across is counted below zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScrollState {
    /// How far it is scrolled.
    pub at: Point,
    /// How far it can be scrolled, away from where it begins.
    pub most: Point,
}

/// How a page is put on paper.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Paper {
    /// Width and height, millimetres.
    pub size: (f64, f64),
    /// Long side across.
    pub landscape: bool,
    /// With backgrounds.
    pub background: bool,
    /// Which pages, such as `1-3,5`.
    pub pages: Option<String>,
    /// Size of what is printed.
    pub scale: f64,
}

/// What only a web surface can do; what it keeps, logs and emulates has ports of its own. Limits are upper bounds on the wait.
#[async_trait]
pub trait Web: Send {
    /// Loads `url` in the active tab.
    async fn navigate(&mut self, url: &str, limit: Duration) -> Result<Navigation, Problem>;
    /// Goes through the history: -1 back, 1 forward, 0 reloads.
    async fn history(&mut self, delta: i32, limit: Duration) -> Result<Navigation, Problem>;
    /// Where a form was sent, as POST, if loading the active tab's page again would send it once more.
    fn posted_to(&self) -> Option<String>;
    /// Every tab of the session.
    async fn tabs(&mut self) -> Result<Vec<Tab>, Problem>;
    /// Opens a tab and makes it active.
    async fn new_tab(&mut self, url: Option<&str>, limit: Duration) -> Result<Tab, Problem>;
    /// Makes a tab active.
    async fn switch_tab(&mut self, id: &str) -> Result<Tab, Problem>;
    /// Closes a tab; the active one when none is named. Returns the tab that is active then.
    async fn close_tab(&mut self, id: Option<&str>) -> Result<Option<Tab>, Problem>;
    /// The open script dialog, if one is.
    fn dialog(&self) -> Option<OpenDialog>;
    /// Answers the open dialog.
    async fn answer_dialog(&mut self, accept: bool, text: Option<&str>) -> Result<OpenDialog, Problem>;
    /// Takes a picture.
    async fn screenshot(&mut self, area: ShotArea, format: ImageFormat, quality: Option<u8>) -> Result<Shot, Problem>;
    /// Keeps these texts out of every picture, as it does passwords, and out of what it cuts off by this mask.
    fn redact(&mut self, _secrets: Vec<String>, _mask: Mask) {}
    /// Address and title of the main document.
    async fn location(&mut self) -> Result<(String, String), Problem>;
    /// Markup of an element, or of the main document.
    async fn html(&mut self, of: Option<NativeId>) -> Result<String, Problem>;
    /// Visible text of an element, or of the main document.
    async fn text(&mut self, of: Option<NativeId>) -> Result<String, Problem>;
    /// The text that an element or the page shows: without what has no size, or is cut away.
    async fn shown_text(&mut self, of: Option<NativeId>) -> Result<String, Problem>;
    /// An attribute of an element.
    async fn attribute(&mut self, of: NativeId, name: &str) -> Result<Option<String>, Problem>;
    /// How far the main document is scrolled.
    async fn scrolled(&mut self) -> Result<ScrollState, Problem>;
    /// Downloads and file choosers, where the surface has them.
    fn files(&mut self) -> Option<&mut dyn Files> {
        None
    }
    /// What consoles say, where the surface has them.
    fn console(&mut self) -> Option<&mut dyn crate::Console> {
        None
    }
    /// Requests, where the surface has them.
    fn traffic(&mut self) -> Option<&mut dyn crate::Traffic> {
        None
    }
    /// Emulation, where the surface can.
    fn emulate(&mut self) -> Option<&mut dyn crate::Emulate> {
        None
    }
    /// Scripts in the page's own world, where the surface can.
    fn scripts(&mut self) -> Option<&mut dyn crate::Scripts> {
        None
    }
    /// The page as a PDF.
    async fn print_page(&mut self, _paper: &Paper) -> Result<Vec<u8>, Problem> {
        Err(Problem::new(Code::Unsupported, "this surface can't print").hint("handeye screenshot page.png"))
    }
    /// Marks elements over the page; nothing is put into it. Gives those that it can't draw at once with the others.
    async fn mark(&mut self, _marks: &[Mark]) -> Result<Vec<NativeId>, Problem> {
        Err(Problem::new(Code::Unsupported, "this surface can't mark").hint("handeye screenshot page.png"))
    }
    /// Takes marks away.
    async fn unmark(&mut self) -> Result<(), Problem> {
        Ok(())
    }
    /// Cookies and web storage, where the surface has them.
    fn stores(&mut self) -> Option<&mut dyn Stores> {
        None
    }
    /// The browser's own trees of the page.
    async fn trees(&mut self, _want: TreeWant) -> Result<Trees, Problem> {
        Err(no_trees())
    }
    /// What elements of a document, by backend node, are called; none for those that are gone.
    async fn called(&mut self, _document: DocumentId, _nodes: &[i64]) -> Result<Vec<Option<NativeId>>, Problem> {
        Err(no_trees())
    }
}

fn no_trees() -> Problem {
    Problem::new(Code::Unsupported, "this surface keeps no trees of its own").hint("handeye state")
}
