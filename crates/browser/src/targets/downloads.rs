//! Downloads and file choosers, as the browser tells of them.

use super::file_names::named;
use crate::model::{ChooserState, DownloadState, Model};
use crate::protocol::{Chosen, Download};
use handeye_scene::{Event, Notice};

pub(super) fn began(model: &mut Model, download: Download) {
    // A browser that isn't ours tells of everybody's downloads. That of a tab that was opened for it may come before we are attached to
    // the tab, and after it was closed.
    let of = &download.frame_id;
    let is_known = model.pages.frames.contains_key(of) || model.pages.tabs.iter().any(|tab| &tab.target == of);
    if !model.browser.owned && !is_known {
        return;
    }
    // The document that was asked for is the file: that says it better than the request does.
    model.network.document = None;
    model.gesture.events.retain(|event| !matches!(event, Event::Requested { url, .. } if *url == download.url));
    model.reports.notices.push(Notice::new("download", format!("a download began: {}", download.suggested_filename)));
    model.files.downloads.push(DownloadState {
        guid: download.guid,
        name: download.suggested_filename.clone(),
        url: download.url.clone(),
        ..DownloadState::default()
    });
    model.happened(Event::Download { name: download.suggested_filename, url: download.url });
    model.touch();
}

pub(super) fn went_on(model: &mut Model, download: Download) {
    let is_saved_here = model.browser.has_all_tabs() && download.state == "completed";
    let Some(known) = model.files.downloads.iter_mut().find(|d| d.guid == download.guid) else { return };
    let path = download.file_path.unwrap_or_default();
    let path = if is_saved_here { named(path, &known.name) } else { path };
    known.state = download.state.clone();
    known.path = path.clone();
    if download.state == "completed" {
        model.reports.notices.push(Notice::new("download", format!("a download is complete: {path}")));
    }
    if download.state == "canceled" {
        broken(model, &download.guid);
    }
    model.touch();
}

/// A download came to nothing: what it was begun by hasn't done what it was for.
fn broken(model: &mut Model, guid: &str) {
    let Some(name) = model.files.downloads.iter().find(|d| d.guid == guid).map(|d| d.name.clone()) else { return };
    let text = format!("a download was broken off, and there is no file: {name}: handeye network list --failed");
    model.reports.notices.push(Notice::new("download_failed", text));
    model.happened(Event::DownloadBroken { name });
}

/// A page has opened a file chooser.
pub(super) fn chooser_opened(model: &mut Model, session: &str, chosen: &Chosen) {
    model.files.chooser = Some(ChooserState {
        session: session.to_owned(),
        input: chosen.backend_node_id,
        multiple: chosen.mode == "selectMultiple",
    });
}
