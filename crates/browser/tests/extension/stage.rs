//! A browser with the extension, a page of the test's in front, and the side panel beside it.

use crate::chromium::{Browser, Page, built};
use crate::server::Server;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) struct Stage {
    pub(crate) browser: Arc<Browser>,
    pub(crate) server: Server,
    pub(crate) page: Page,
    pub(crate) panel: Page,
    pub(crate) extension: String,
}

/// In the panel: what it does with a call that was approved, by its own modules.
const PANEL: &str = r#"
globalThis.test = {
  load: (name) => import(chrome.runtime.getURL(name)),
  async channel() {
    const channel = await (await this.load("panel/channel.js")).currentPage();
    if (typeof channel === "string") throw new Error(channel);
    return channel;
  },
  async ask(request) { return (await this.channel()).ask(request); },
  async value(request) {
    const reply = await this.ask(request);
    if (!reply.ok) throw new Error(reply.refusal);
    return reply.value;
  },
  async plan(tool, args) {
    const call = (await this.load("shared/tools.js")).checkCall(tool, args);
    const channel = await this.channel();
    const reply = await channel.ask({ ask: "preview", call });
    return { call, channel, preview: reply.value };
  },
  async carryOut({ call, channel, preview }) {
    return (await (await this.load("panel/run.js")).carryOut(channel, call, preview.ticket, new AbortController().signal)).result;
  },
  async run(tool, args) { return this.carryOut(await this.plan(tool, args)); },
};
true"#;

impl Stage {
    /// With `body` as the page, in English.
    pub(crate) async fn on(body: &str) -> Self {
        Self::speaking("en-US", body, &[]).await
    }

    pub(crate) async fn speaking(language: &str, body: &str, more: &[&str]) -> Self {
        let server = Server::new().await;
        let url = server.put("/", body);
        let browser = Browser::launch(&handeye_browser::find(None).unwrap(), language, more).await;
        let extension = browser.load(&built()).await;
        let page = browser.page("about:blank").await;
        page.open(&url).await;
        let mut stage = Self { panel: page.clone(), browser, server, page, extension };
        stage.panel = stage.press_button().await;
        stage
    }

    /// Presses the extension's button in the toolbar, which opens the panel and lets it see the page.
    pub(crate) async fn press_button(&self) -> Page {
        let panel = self.browser.open_panel(&self.extension).await;
        panel.eval(PANEL).await;
        // The panel, and the bars that the browser shows, take room from the page: it has its size once that is unchanged.
        self.page
            .until(
                "(globalThis.__sizes ??= []).unshift(innerWidth + ' ' + innerHeight), __sizes.length > 9 && new Set(__sizes.slice(0, 9)).size === 1",
            )
            .await;
        panel
    }

    /// Shows another body at the same address.
    pub(crate) async fn show(&self, body: &str) {
        let url = self.server.put("/", body);
        self.page.eval("window.before = true").await;
        self.page.call("Page.navigate", json!({"url": url})).await;
        self.page.until("window.before !== true && document.readyState === 'complete'").await;
    }

    /// What the page shows, as it is told to the server.
    pub(crate) async fn info(&self, about: &str) -> Value {
        self.panel.eval(&format!("test.value({})", json!({"ask": "info", "about": about}))).await
    }

    /// The id of the one element whose description begins so.
    #[track_caller]
    pub(crate) fn id<'a>(&self, info: &'a Value, desc: &str) -> &'a str {
        let elements = info["elements"].as_array().unwrap();
        let found: Vec<_> = elements.iter().filter(|e| e["desc"].as_str().unwrap().starts_with(desc)).collect();
        assert_eq!(found.len(), 1, "{desc}: {info}");
        found[0]["id"].as_str().unwrap()
    }

    /// A tool, approved and carried out by the panel's own code.
    pub(crate) async fn tool(&self, tool: &str, args: Value) -> Value {
        self.panel.eval(&format!("test.run({}, {args})", json!(tool))).await
    }

    /// A batch of actions.
    pub(crate) async fn act(&self, actions: Value) -> Value {
        self.tool("page_action", json!({ "actions": actions })).await
    }

    /// One action that must succeed: its message.
    #[track_caller]
    pub(crate) fn done(result: &Value) -> &str {
        assert_eq!(result["success"], true, "{result}");
        assert_eq!(result["summary"], "执行了 1 个操作，成功 1 个，失败 0 个", "{result}");
        result["results"][0]["message"].as_str().unwrap()
    }

    /// One action that must fail: its message.
    #[track_caller]
    pub(crate) fn failed(result: &Value) -> &str {
        assert_eq!(result["success"], false, "{result}");
        assert_eq!(result["summary"], "执行了 1 个操作，成功 0 个，失败 1 个", "{result}");
        assert_eq!(result["error"], result["results"][0]["message"]);
        result["error"].as_str().unwrap()
    }
}
