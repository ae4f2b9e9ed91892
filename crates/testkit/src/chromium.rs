//! A browser with the extension in it, by the bare protocol: what the product itself uses to drive browsers stays out of this.

use futures_util::{SinkExt, StreamExt, stream::SplitSink};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_tungstenite::tungstenite::{Message, protocol::WebSocketConfig};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// What anything may take in these tests: the machine may be busy.
pub const LIMIT: Duration = Duration::from_secs(40);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;
type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Value>>>>;

/// A browser; it ends with the test, however that ends.
pub struct Browser {
    group: Pid,
    _profile: tempfile::TempDir,
    out: tokio::sync::Mutex<(u64, SplitSink<Socket, Message>)>,
    waiting: Waiting,
    contexts: Arc<Mutex<Vec<Value>>>,
}

impl Browser {
    /// Starts this program without a display, speaking a language such as `en-US`.
    pub async fn launch(binary: &Path, language: &str, more: &[&str]) -> Arc<Self> {
        Self::start(binary, language, &[&["--headless=new"], more].concat(), &[]).await
    }

    /// The same with windows, on a display that these variables name, which has room for them.
    pub async fn launch_shown(binary: &Path, language: &str, display: &[(&str, String)]) -> Arc<Self> {
        let more = ["--force-renderer-accessibility", "--password-store=basic", "--window-size=1200,900"];
        Self::start(binary, language, &more, display).await
    }

    async fn start(binary: &Path, language: &str, more: &[&str], variables: &[(&str, String)]) -> Arc<Self> {
        let profile = tempfile::Builder::new().prefix("hx").tempdir().unwrap();
        let mut command = tokio::process::Command::new(binary);
        command.args(["--remote-debugging-port=0", "--enable-unsafe-extension-debugging"]);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command.args(["--no-first-run", "--no-default-browser-check", "--disable-background-networking"]);
        command.args(["--disable-component-update", "--disable-sync", "--disable-quic", "--disable-gpu"]);
        command.args(["--site-per-process", "--window-size=1300,900"]).args(more);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command.arg(format!("--lang={language}")).env("LANGUAGE", language);
        if nix::unistd::geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        command.arg("about:blank").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let child = command.spawn().unwrap();
        let group = Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap());
        let address = address(profile.path()).await;
        // Pictures and captures are larger than the usual limits.
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let (socket, _) = connect_async_with_config(address, Some(config), true).await.unwrap();
        let (out, mut answers) = socket.split();
        let waiting = Waiting::default();
        let told = waiting.clone();
        let contexts: Arc<Mutex<Vec<Value>>> = Arc::default();
        let noted = contexts.clone();
        tokio::spawn(async move {
            while let Some(Ok(message)) = answers.next().await {
                let Message::Text(text) = message else { continue };
                let answer: Value = serde_json::from_str(&text).unwrap();
                if answer["method"] == "Runtime.executionContextCreated" {
                    noted.lock().unwrap().push(answer["params"]["context"].clone());
                }
                let asked = answer["id"].as_u64().and_then(|id| told.lock().unwrap().remove(&id));
                // Who no longer waits has failed already.
                let _ = asked.map(|asked| asked.send(answer));
            }
        });
        Arc::new(Self { group, _profile: profile, out: tokio::sync::Mutex::new((0, out)), waiting, contexts })
    }

    /// One call: its result, or the browser's complaint.
    pub async fn call(&self, session: &str, method: &str, params: Value) -> Result<Value, String> {
        let (sender, answer) = oneshot::channel();
        {
            let mut out = self.out.lock().await;
            out.0 += 1;
            let mut message = json!({"id": out.0, "method": method, "params": params});
            if !session.is_empty() {
                message["sessionId"] = session.into();
            }
            self.waiting.lock().unwrap().insert(out.0, sender);
            out.1.send(Message::text(message.to_string())).await.unwrap();
        }
        let mut answer =
            tokio::time::timeout(LIMIT, answer).await.map_err(|_| format!("{method}: no answer"))?.unwrap();
        match answer.get("error") {
            Some(error) => Err(format!("{method}: {error}")),
            None => Ok(answer["result"].take()),
        }
    }

    /// Loads an extension; its id.
    pub async fn load(&self, folder: &Path) -> String {
        let path = folder.to_str().unwrap();
        self.call("", "Extensions.loadUnpacked", json!({"path": path})).await.unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Presses the extension's button in the toolbar, which opens the panel and lets it see the page.
    pub async fn open_panel(self: &Arc<Self>, extension: &str) -> Page {
        self.press_button(extension, "", &[]).await
    }

    /// The same at a tab whose address holds a part, in a window that has no panel yet.
    pub async fn open_panel_at(self: &Arc<Self>, extension: &str, part: &str) -> Page {
        let others = self.targets("page").await;
        self.press_button(extension, part, &others).await
    }

    /// The panel beside the tab; it is none of some others.
    async fn press_button(self: &Arc<Self>, extension: &str, part: &str, others: &[Value]) -> Page {
        let tabs = self.targets("tab").await;
        let is_meant = |url: &str| !url.starts_with("chrome-extension:") && url.contains(part);
        let tab = tabs.iter().find(|t| is_meant(t["url"].as_str().unwrap())).unwrap();
        let params = json!({"id": extension, "targetId": tab["targetId"]});
        let address = format!("{extension}/panel.html");
        let is_panel = |target: &Value| {
            target["url"].as_str().unwrap().contains(&address)
                && others.iter().all(|other| other["targetId"] != target["targetId"])
        };
        let mut opened = None;
        // A press that comes before the extension has started is lost, to a person as well.
        for _ in 0..10 {
            self.call("", "Extensions.triggerAction", params.clone()).await.unwrap();
            opened = self.find_target(is_panel, Duration::from_secs(4)).await;
            if opened.is_some() {
                break;
            }
        }
        let panel = opened.expect("the panel doesn't open");
        panel.until("document.body?.dataset.ready === 'true'").await;
        panel
    }

    /// Opens a page in a window of its own.
    pub async fn open_window(self: &Arc<Self>, url: &str) -> Page {
        let params = json!({"url": url, "newWindow": true});
        let id = self.call("", "Target.createTarget", params).await.unwrap()["targetId"].take();
        let page = self.find_target(|target| target["targetId"] == id, LIMIT).await.unwrap();
        page.until("document.readyState === 'complete'").await;
        page
    }

    /// Every target of a type.
    pub async fn targets(&self, kind: &str) -> Vec<Value> {
        let all = self.call("", "Target.getTargets", json!({"filter": [{}]})).await.unwrap();
        all["targetInfos"].as_array().unwrap().iter().filter(|t| t["type"] == kind).cloned().collect()
    }

    /// The page whose address holds a part, if there is one within a time.
    pub async fn find_page(self: &Arc<Self>, part: &str, limit: Duration) -> Option<Page> {
        self.find_target(|target| target["url"].as_str().unwrap().contains(part), limit).await
    }

    /// The page that is meant, if there is one within a time.
    async fn find_target(self: &Arc<Self>, is_meant: impl Fn(&Value) -> bool, limit: Duration) -> Option<Page> {
        let began = Instant::now();
        loop {
            let found = self.targets("page").await;
            if let Some(target) = found.iter().find(|target| is_meant(target)) {
                let params = json!({"targetId": target["targetId"], "flatten": true});
                let attached = self.call("", "Target.attachToTarget", params).await.unwrap();
                let session = attached["sessionId"].as_str().unwrap().to_owned();
                return Some(Page { browser: self.clone(), session });
            }
            if began.elapsed() > limit {
                return None;
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// The same, where there must be one.
    pub async fn page(self: &Arc<Self>, part: &str) -> Page {
        self.find_page(part, LIMIT).await.unwrap_or_else(|| panic!("no page {part}"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ = killpg(self.group, Signal::SIGKILL);
        let began = Instant::now();
        // Its processes still write into the profile until they are gone.
        while killpg(self.group, None).is_ok() && began.elapsed() < Duration::from_secs(3) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Where the browser listens, as it writes into its profile.
async fn address(profile: &Path) -> String {
    let began = Instant::now();
    loop {
        let text = std::fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
        let mut lines = text.lines();
        if let (Some(port), Some(path)) = (lines.next(), lines.next()) {
            return format!("ws://127.0.0.1:{port}{path}");
        }
        assert!(began.elapsed() < LIMIT, "the browser doesn't start");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A page of it, or the side panel.
#[derive(Clone)]
pub struct Page {
    pub browser: Arc<Browser>,
    session: String,
}

impl Page {
    pub async fn call(&self, method: &str, params: Value) -> Value {
        self.browser.call(&self.session, method, params).await.unwrap()
    }

    /// Value of an expression; promises are waited for.
    pub async fn eval(&self, expression: &str) -> Value {
        match self.try_eval(expression, json!({})).await {
            Ok(value) => value,
            Err(why) => panic!("{expression}\n{why}"),
        }
    }

    /// The same in another world, or why it has none.
    pub async fn try_eval(&self, expression: &str, more: Value) -> Result<Value, String> {
        let mut params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut result = self.browser.call(&self.session, "Runtime.evaluate", params).await?;
        match result.get("exceptionDetails") {
            Some(thrown) => Err(thrown.to_string()),
            None => Ok(result["result"]["value"].take()),
        }
    }

    /// The number of the world that a content script of an extension has in this page.
    pub async fn content_world(&self, extension: &str) -> Value {
        self.call("Runtime.enable", json!({})).await;
        let origin = format!("chrome-extension://{extension}");
        let began = Instant::now();
        loop {
            let all = self.browser.contexts.lock().unwrap().clone();
            let found = all.iter().rev().find(|c| c["origin"] == origin.as_str() && c["auxData"]["type"] == "isolated");
            if let Some(world) = found {
                return world["id"].clone();
            }
            assert!(began.elapsed() < LIMIT, "no content script: {all:?}");
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Waits until an expression is true.
    pub async fn until(&self, expression: &str) {
        let began = Instant::now();
        // While a page is loaded there is nobody to ask.
        while !self.try_eval(expression, json!({})).await.is_ok_and(|value| value == true) {
            if began.elapsed() > LIMIT {
                let text = self.try_eval("document.body.innerText", json!({})).await;
                panic!("never: {expression}\n{}", text.unwrap_or_default());
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    pub async fn open(&self, url: &str) {
        self.call("Page.navigate", json!({"url": url})).await;
        self.until(&format!("location.href === {} && document.readyState === 'complete'", json!(url))).await;
    }

    /// A person's click in the middle of what a selector finds.
    pub async fn click(&self, css: &str) {
        let place = format!(
            "(() => {{ const el = document.querySelector({}); el.scrollIntoView({{ block: 'center' }});
               const r = el.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()",
            json!(css)
        );
        let at = self.eval(&place).await;
        for (kind, buttons) in [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let params =
                json!({"type": kind, "x": at[0], "y": at[1], "button": button, "buttons": buttons, "clickCount": 1});
            self.call("Input.dispatchMouseEvent", params).await;
        }
    }

    /// A person's text where the focus is.
    pub async fn insert(&self, text: &str) {
        self.call("Input.insertText", json!({"text": text})).await;
    }

    /// A person's key.
    pub async fn key(&self, key: &str, code: u32) {
        self.key_with(key, code, 0).await;
    }

    /// The same with the shift key held down.
    pub async fn shift_key(&self, key: &str, code: u32) {
        self.key_with(key, code, 8).await;
    }

    async fn key_with(&self, key: &str, code: u32, held: u32) {
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            let mut params =
                json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
            params["modifiers"] = held.into();
            self.call("Input.dispatchKeyEvent", params).await;
        }
    }
}

/// What `cargo xtask extension` has built, beside the folder of this test.
pub fn built() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(3).unwrap().join("extension");
    assert!(folder.join("content.js").is_file(), "no extension in {}: run `cargo xtask extension`", folder.display());
    folder
}
