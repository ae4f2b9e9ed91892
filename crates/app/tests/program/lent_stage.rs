//! A person's browser with the extension in it, a page in front, and the command line beside it, as an agent on the same machine has it.

use super::panel_stage::Pages;
use handeye_testkit::chromium::{Browser, Page, built};
use handeye_testkit::home::{Home, Ran};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::task::JoinHandle;

pub(super) struct Lent {
    pub(super) browser: Arc<Browser>,
    pub(super) page: Page,
    pub(super) panel: Page,
    pub(super) pages: Pages,
    pub(super) home: Arc<Home>,
}

impl Lent {
    /// With `body` as the page in front; nothing is lent yet.
    pub(super) async fn on(body: &str) -> Self {
        Self::with(Home::new(), body).await
    }

    /// The same in a home with settings.
    pub(super) async fn with(home: Home, body: &str) -> Self {
        Self::in_browser(Browser::launch(&handeye_browser::find(None).unwrap(), "en-US", &[]).await, home, body).await
    }

    /// The same in a browser of the test's own.
    pub(super) async fn in_browser(browser: Arc<Browser>, home: Home, body: &str) -> Self {
        let pages = Pages::new();
        let url = pages.put("/", body);
        let extension = browser.load(&built()).await;
        let page = browser.page("about:blank").await;
        page.open(&url).await;
        let panel = browser.open_panel(&extension).await;
        Self { browser, page, panel, pages, home: Arc::new(home) }
    }

    /// The same, lent to the session `default`.
    pub(super) async fn lent(body: &str) -> Self {
        let stage = Self::on(body).await;
        let code = stage.code().await;
        stage.run(&format!("open {code} --json")).await.exit(0);
        stage.state("lent").await;
        stage
    }

    /// A person's press on the button that lends the tab in front; the address that the panel shows.
    pub(super) async fn code(&self) -> String {
        self.panel.click("#lend").await;
        self.state("offered").await;
        let shown = self.panel.eval("document.getElementById('lent-code').textContent").await;
        shown.as_str().unwrap().strip_prefix("handeye open ").unwrap().to_owned()
    }

    /// Waits until the panel's notice is in a state; what it says.
    pub(super) async fn state(&self, state: &str) -> String {
        self.panel.until(&format!("document.getElementById('lent').dataset.state === {}", json!(state))).await;
        self.panel.eval("document.getElementById('lent-text').textContent").await.as_str().unwrap().to_owned()
    }

    /// A person's one press that takes the tab back.
    pub(super) async fn take_back(&self) {
        self.panel.click("#take-back").await;
    }

    /// Runs a command line beside the test.
    pub(super) fn begin(&self, line: &str) -> JoinHandle<Ran> {
        let (home, line) = (self.home.clone(), line.to_owned());
        tokio::task::spawn_blocking(move || home.run(&line))
    }

    pub(super) async fn run(&self, line: &str) -> Ran {
        self.begin(line).await.unwrap()
    }

    /// What `state` tells, and the ref of the target of a name.
    pub(super) async fn see(&self, name: &str) -> u64 {
        let state = self.run("state --json").await.exit(0).json();
        let all = state["targets"].as_array().unwrap_or_else(|| panic!("{state}"));
        let found: Vec<&Value> = all.iter().filter(|target| target["name"] == name).collect();
        assert_eq!(found.len(), 1, "{name}: {state}");
        found[0]["ref"].as_u64().unwrap()
    }

    /// Whether the debugger is attached to the tab by the extension: another may be by the test itself.
    pub(super) async fn is_attached(&self) -> bool {
        let probe = "(async () => {
            const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
            try { await chrome.debugger.sendCommand({ tabId: tab.id }, 'Runtime.evaluate', { expression: '1' }); return true; } catch { return false; }
        })()";
        self.panel.eval(probe).await == true
    }
}
