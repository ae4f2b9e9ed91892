//! What a session leaves behind, and its removal.

use std::fs;
use std::path::Path;

/// Removes a file or a folder, if it is there.
pub(crate) fn remove(path: &Path) {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir());
    let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// Removes a session's folder. Files that were downloaded are the user's, and stay.
pub(crate) fn remove_own(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let keeps_files = || fs::read_dir(&path).is_ok_and(|mut files| files.next().is_some());
        if entry.file_name() != "downloads" || !keeps_files() {
            remove(&path);
        }
    }
    // Fails, as it should, where downloads are left in it.
    let _ = fs::remove_dir(folder);
}
