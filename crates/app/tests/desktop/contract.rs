//! The surfaces that this platform has against the contract: a page in Chromium, a GTK 3 window under Xvfb.

use handeye_browser::Chromium;
use handeye_scene::{ImageFormat, Launch, Opener, Problem, Shot, ShotArea, Surface};
use handeye_testkit::contract;
use handeye_testkit::contract::App;
use handeye_testkit::desk::{Desk, Panel};
use handeye_testkit::home;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(20);

/// The same controls as the panel's.
const PAGE: &str = "<!doctype html><meta charset=utf-8><title>Panel</title>
<p><button id=go onclick='log.push(`clicked ${this.textContent}`)'>Approve</button>
<p><label><input type=checkbox onchange='log.push(`keep ${this.checked}`)'> Keep a copy</label>
<p><label>Name <input oninput='log.push(`name ${this.value}`)'></label>
<p><label>Secret <input type=password oninput='log.push(`secret ${this.value.length}`)'></label>
<script>const log = []</script>";

/// A page.
struct Page {
    surface: Box<dyn Surface>,
    folder: tempfile::TempDir,
}

impl Page {
    async fn open() -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("he-contract").tempdir().unwrap();
        let file = folder.path().join("panel.html");
        std::fs::write(&file, PAGE).unwrap();
        let mut surface = Chromium::new(&folder.path().join("browser")).browser(&Launch::default()).await.unwrap();
        let url = format!("file://{}", file.display());
        surface.web().unwrap().navigate(&url, LIMIT).await.unwrap();
        Some(Self { surface, folder })
    }

    async fn run(&mut self, script: &str) -> serde_json::Value {
        let scripts = self.surface.web().unwrap().scripts().unwrap();
        scripts.evaluate(script, LIMIT).await.unwrap()
    }
}

#[async_trait::async_trait]
impl App for Page {
    fn surface(&mut self) -> &mut dyn Surface {
        self.surface.as_mut()
    }
    async fn picture(&mut self) -> Result<Shot, Problem> {
        self.surface.web().unwrap().screenshot(ShotArea::Viewport, ImageFormat::Png, None).await
    }
    async fn relabel(&mut self, text: &str) {
        self.run(&format!("void (go.textContent = {text:?})")).await;
    }
    async fn remove(&mut self) {
        self.run("go.remove()").await;
    }
    async fn log(&mut self) -> Vec<String> {
        serde_json::from_value(self.run("log").await).unwrap()
    }
    async fn end(&mut self) {
        // Every process of this browser names its folder.
        for pid in home::naming(self.folder.path()) {
            home::kill(pid, "KILL");
        }
    }
}

/// A window.
struct Window {
    surface: Box<dyn Surface>,
    panel: Panel,
    _desk: Desk,
}

impl Window {
    async fn open() -> Option<Self> {
        let desk = Desk::with(&[])?;
        let surface = handeye_desktop::open(&desk.address()).await.unwrap();
        let panel = desk.panel_unseen("Panel");
        Some(Self { surface, panel, _desk: desk })
    }
}

#[async_trait::async_trait]
impl App for Window {
    fn surface(&mut self) -> &mut dyn Surface {
        self.surface.as_mut()
    }
    async fn picture(&mut self) -> Result<Shot, Problem> {
        self.surface.windows().unwrap().screenshot(ShotArea::Viewport).await
    }
    async fn relabel(&mut self, text: &str) {
        self.panel.tell(&format!("relabel {text}"));
    }
    async fn remove(&mut self) {
        self.panel.tell("remove");
    }
    async fn log(&mut self) -> Vec<String> {
        let own = |line: &&str| !(line.starts_with("done ") || *line == "ready");
        self.panel.log().lines().filter(own).map(|l| l.replace("True", "true").replace("False", "false")).collect()
    }
    async fn end(&mut self) {
        home::kill(self.panel.pid(), "KILL");
    }
}

contract!(page, Page::open());
contract!(window, Window::open());
