//! What a session needs from the machine: browsers, windows and time.

use async_trait::async_trait;
use handeye_scene::{Clock, DesktopConfig, Launch, Opener, Problem, Surface};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Opens every kind of surface there is. Whatever a browser keeps for the session lies in `folder`.
pub(crate) struct Surfaces {
    /// The session's own folder.
    pub(crate) folder: PathBuf,
}

#[async_trait]
impl Opener for Surfaces {
    async fn browser(&self, launch: &Launch) -> Result<Box<dyn Surface>, Problem> {
        handeye_browser::Chromium::new(&self.folder).browser(launch).await
    }

    async fn desktop(&self, desk: &DesktopConfig) -> Result<Box<dyn Surface>, Problem> {
        handeye_desktop::open(desk).await
    }
}

/// The machine's time.
pub(crate) struct MachineClock {
    start: Instant,
}

impl MachineClock {
    /// A clock that starts now.
    pub(crate) fn new() -> Self {
        Self { start: Instant::now() }
    }
}

#[async_trait]
impl Clock for MachineClock {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn timestamp(&self) -> String {
        // Both steps fail for years beyond 9999 alone.
        let now = OffsetDateTime::now_utc();
        now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339).unwrap_or_default()
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// Ends the browsers that a dead daemon launched and kept in `folder`.
pub(crate) fn reap(folder: &Path) {
    handeye_browser::reap_orphans(folder);
}

/// The browser that would be launched.
pub(crate) fn find_browser(named: Option<&Path>) -> Result<PathBuf, Problem> {
    handeye_browser::find(named)
}
