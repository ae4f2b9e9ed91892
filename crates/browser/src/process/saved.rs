//! The folder that files are saved into which pages give.

use std::io;
use std::path::{Path, PathBuf};

/// Where it is, below a session's own folder.
pub(crate) fn folder(of: &Path) -> PathBuf {
    of.join("downloads")
}

/// Makes it. The browser would make it open to others, as far as the folders around it are.
pub(crate) fn make(of: &Path) -> io::Result<()> {
    let mut made = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut made, 0o700);
    made.recursive(true).create(folder(of))
}

/// Removes it and the session's folder where nothing lies in them.
pub(crate) fn clear(of: &Path) {
    let _ = std::fs::remove_dir(folder(of));
    let _ = std::fs::remove_dir(of);
}
