//! Where no browser can be launched yet: the pipe that it is reached by needs descriptors 3 and 4, which Unix alone passes on. One
//! that runs already can be attached to.

use crate::cdp::wire::Wire;
use handeye_scene::{Code, Launch, Problem};
use std::path::Path;

/// A browser process that is ours: there is none.
pub(crate) enum Process {}

/// Tells that it can't be done here, and what can.
pub(crate) fn start(browser: &Path, _: &Launch, _: &Path) -> Result<(Process, Wire), Problem> {
    let what = format!(
        "launching {} isn't supported on this system yet; start it with --remote-debugging-port=9222 and a --user-data-dir of its own, and attach to it",
        browser.display()
    );
    Err(Problem::new(Code::Unsupported, what).hint("handeye open --cdp http://127.0.0.1:9222"))
}

/// Whether we run with all rights, where Chromium's sandbox can't start: on Unix alone.
pub(crate) fn is_root() -> bool {
    false
}

/// Nothing was launched, so nothing is left.
pub fn reap_orphans(_: &Path) {}

impl Process {
    pub(crate) fn complaint(&self) -> String {
        match *self {}
    }

    pub(crate) async fn end(self) {
        match self {}
    }
}
