//! The order of the folders inside a crate: what stands lower knows nothing of what stands above it.

use super::circles::imports_of;
use super::finding::{Finding, add};
use super::source::File;
use std::collections::{BTreeMap, BTreeSet};

/// Folders of each crate, the lowest first. A file of one may import files of its own folder and of those before it; files
/// beside the folders compose on top of all.
const ROOMS: &[(&str, &[&str])] = &[
    ("crates/scene/src/", &["model", "ports"]),
    ("crates/engine/src/", &["wording", "matching", "observe", "policy", "perceive", "locate", "act", "recording"]),
    ("crates/agent/src/", &["collect", "question", "job"]),
    ("crates/vision/src/", &["weights", "ocr", "shapes"]),
    ("crates/desktop/src/linux/", &["x11", "atspi", "windows", "capture", "settle", "input"]),
    ("crates/desktop/src/windows/", &["records", "calls", "top_level", "capture", "settle", "input"]),
    (
        "crates/commands/src/",
        &[
            "trace", "core", "host", "desktop", "keyboard", "stores", "network", "page", "point", "look", "act",
            "flow", "dispatch",
        ],
    ),
    ("crates/desktop/src/", &["linux", "windows"]),
    ("crates/testkit/src/", &["home", "models", "stage", "board", "desk", "kinds", "live"]),
    ("crates/chat/src/", &["wire", "prompt", "decide", "store", "tools", "run", "http"]),
    ("crates/server/src/", &["transport", "process", "session"]),
    (
        "crates/browser/src/",
        &["protocol", "model", "cdp", "process", "egress", "capture", "targets", "input", "features"],
    ),
];

/// No file imports one of a folder above its own, and every crate with folders has an order of them.
pub(super) fn rooms(files: &[File], found: &mut Vec<Finding>) {
    unordered(files, found);
    for (root, order) in ROOMS {
        let members: Vec<&File> =
            files.iter().filter(|f| f.path.starts_with(root) && f.is_crate_source() && !f.is_for_tests()).collect();
        let place: BTreeMap<&str, usize> = order.iter().enumerate().map(|(at, folder)| (*folder, at)).collect();
        let folder = |file: &File| file.path[root.len()..].split_once('/').map(|(folder, _)| folder.to_owned());
        for (file, imports) in members.iter().zip(imports_of(root, &members)) {
            let Some(own) = folder(file) else { continue };
            let Some(at) = place.get(own.as_str()) else {
                let what = format!("folder `{own}` has no place in the crate's order (xtask/src/tidy/rooms.rs)");
                add(found, file, 1, "rooms", what);
                continue;
            };
            for import in imports {
                let above = folder(members[import]).and_then(|other| place.get(other.as_str()).map(|at| (other, *at)));
                if let Some((other, _)) = above.filter(|(_, other)| other > at) {
                    let what =
                        format!("imports {}: `{own}` stands below `{other}`", &members[import].path[root.len()..]);
                    add(found, file, 1, "rooms", what);
                }
            }
        }
    }
}

/// Crates with several folders that have no place in the table.
fn unordered(files: &[File], found: &mut Vec<Finding>) {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files.iter().filter(|f| f.path.ends_with(".rs") && f.is_crate_source()) {
        let Some(end) = file.path.find("/src/").map(|at| at + 5) else { continue };
        if let Some((folder, _)) = file.path[end..].split_once('/') {
            folders.entry(&file.path[..end]).or_default().insert(folder);
        }
    }
    for (root, folders) in folders {
        let is_ordered = folders.len() < 2 || ROOMS.iter().any(|(ordered, _)| *ordered == root);
        if let Some(file) = files.iter().find(|f| !is_ordered && f.path.starts_with(root)) {
            let what = "the crate's folders have no order (xtask/src/tidy/rooms.rs)".to_owned();
            add(found, file, 1, "rooms", what);
        }
    }
}
