//! The windows of Windows against the contract, by each interface that tells of them: the desktop crate's own small window.
//! `cargo xtask test --windows` runs it.

use handeye_scene::{Backend, DesktopConfig, Problem, Shot, ShotArea, Surface};
use handeye_testkit::contract;
use handeye_testkit::contract::App;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the panel may take for something.
const PATIENCE: Duration = Duration::from_secs(15);
const TITLE: &str = "Panel";

/// The panel, and the desktop that it is on.
struct Window {
    surface: Box<dyn Surface>,
    panel: Child,
    log: PathBuf,
    _folder: tempfile::TempDir,
}

impl Window {
    async fn open(backend: Backend) -> Option<Self> {
        if backend == Backend::Uia && Path::new("C:\\windows\\system32\\winecfg.exe").is_file() {
            eprintln!("not tested here, for want of UI Automation: Wine has none");
            return None;
        }
        let desk = DesktopConfig { backend: Some(backend), ..DesktopConfig::default() };
        let surface = handeye_desktop::open(&desk).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("panel.log");
        let own = std::env::current_exe().unwrap();
        let program = own.parent().unwrap().parent().unwrap().join("examples").join("panel.exe");
        let panel = Command::new(program)
            .args([log.as_os_str(), TITLE.as_ref()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut window = Self { surface, panel, log, _folder: folder };
        window.logged("ready", 1).await;
        window.choose().await;
        Some(window)
    }

    /// Has handeye look at the panel's first window: it has others.
    async fn choose(&mut self) {
        let windows = self.surface.windows().unwrap();
        let list = windows.list().await.unwrap();
        let own = list.iter().find(|w| w.title == TITLE).unwrap_or_else(|| panic!("{list:?}"));
        windows.choose(Some(&own.id));
    }

    fn lines(&self) -> Vec<String> {
        std::fs::read_to_string(&self.log).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn count(&self, line: &str) -> usize {
        self.lines().iter().filter(|l| *l == line).count()
    }

    /// Waits until a line stands in the log so many times.
    async fn logged(&mut self, line: &str, times: usize) {
        let deadline = Instant::now() + PATIENCE;
        while self.count(line) < times {
            assert!(Instant::now() < deadline, "{line}: {:?}", self.lines());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Has the panel change itself, and waits until it did.
    async fn tell(&mut self, line: &str) {
        let did = format!("did {}", line.split(' ').next().unwrap());
        let before = self.count(&did);
        writeln!(self.panel.stdin.as_mut().unwrap(), "{line}").unwrap();
        self.logged(&did, before + 1).await;
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // One that has ended already says so.
        let _ = self.panel.kill();
        let _ = self.panel.wait();
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
        self.tell(&format!("relabel {text}")).await;
    }
    async fn remove(&mut self) {
        self.tell("remove").await;
    }
    async fn log(&mut self) -> Vec<String> {
        let told = |line: &String| ["clicked ", "keep ", "name ", "secret "].iter().any(|w| line.starts_with(w));
        self.lines().into_iter().filter(told).collect()
    }
    async fn end(&mut self) {
        self.panel.kill().unwrap();
        self.panel.wait().unwrap();
    }
}

contract!(win32, Window::open(Backend::Win32));
contract!(automation, Window::open(Backend::Uia));
