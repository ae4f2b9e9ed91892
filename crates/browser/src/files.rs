//! Downloads and file choosers.

use crate::protocol::{self, Chosen, Loaded, Piece, Resolved};
use crate::surface::{Browser, CALL_LIMIT};
use crate::world::World;
use async_trait::async_trait;
use base64::Engine as _;
use handeye_scene::text::is_hidden;
use handeye_scene::{Code, Download, Event, FileChooser, Files, Notice, Problem};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;
use url::Url;

/// Bytes read from the browser at a time.
const PIECE: usize = 1 << 20;
/// How long a download is waited for while a dialog is open, which mostly comes in its place.
const BEHIND_DIALOG: Duration = Duration::from_secs(1);
/// Longest name of a file that a site may suggest, characters.
const NAME: usize = 120;

/// A download, as far as it has come.
#[derive(Debug, Clone, Default)]
pub(crate) struct DownloadState {
    pub(crate) guid: String,
    pub(crate) name: String,
    pub(crate) url: String,
    /// `completed`, `canceled`, or still under way.
    pub(crate) state: String,
    pub(crate) path: String,
}

/// A file chooser that was caught: its session and input.
#[derive(Debug, Clone)]
pub(crate) struct ChooserState {
    pub(crate) session: String,
    /// None for a chooser that a script opened without an input.
    pub(crate) input: Option<i64>,
    pub(crate) multiple: bool,
}

impl World {
    pub(crate) fn download_began(&mut self, download: protocol::Download) {
        self.notices.push(Notice::new("download", format!("a download began: {}", download.suggested_filename)));
        self.downloads.push(DownloadState {
            guid: download.guid,
            name: download.suggested_filename.clone(),
            url: download.url.clone(),
            ..DownloadState::default()
        });
        self.happened(Event::Download { name: download.suggested_filename, url: download.url });
        self.touch();
    }

    pub(crate) fn download_went_on(&mut self, download: protocol::Download) {
        let mut path = download.file_path.unwrap_or_default();
        if self.owned && download.state == "completed" {
            let name = self.downloads.iter().find(|d| d.guid == download.guid).map(|d| d.name.clone());
            path = named(path, &name.unwrap_or_default());
        }
        if let Some(known) = self.downloads.iter_mut().find(|d| d.guid == download.guid) {
            known.state = download.state.clone();
            known.path = path.clone();
        }
        if download.state == "completed" {
            self.notices.push(Notice::new("download", format!("a download is complete: {path}")));
        }
        self.touch();
    }
}

impl Browser {
    async fn intercept_choosers(&self, on: bool) -> Result<(), Problem> {
        // In a browser of ours they always are.
        if self.shared.world().owned {
            return Ok(());
        }
        let session = self.session()?;
        let params = json!({ "enabled": on });
        self.call::<Value>(Some(&session), "Page.setInterceptFileChooserDialog", params, CALL_LIMIT).await.map(drop)
    }

    async fn attribute_of(&self, session: &str, node: i64, name: &str) -> Result<String, Problem> {
        let resolved: Resolved =
            self.call(Some(session), "DOM.resolveNode", json!({ "backendNodeId": node }), CALL_LIMIT).await?;
        let object = resolved.object.object_id.unwrap_or_default();
        let params = json!({
            "functionDeclaration": "function (name) { return Element.prototype.getAttribute.call(this, name) ?? '' }",
            "objectId": object, "arguments": [{ "value": name }], "returnByValue": true,
        });
        let ticket = self.connection.send(Some(session), "Runtime.callFunctionOn", params);
        Ok(self.told(ticket, CALL_LIMIT).await.unwrap_or_default())
    }

    async fn read_stream(&self, session: &str, stream: &str, to: &Path, deadline: Instant) -> Result<(), Problem> {
        let failed = |e: std::io::Error| Problem::new(Code::File, format!("can't write {}: {e}", to.display()));
        let mut file = tokio::fs::File::create(to).await.map_err(failed)?;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let params = json!({ "handle": stream, "size": PIECE });
            let piece: Piece = self.call(Some(session), "IO.read", params, left).await?;
            let bytes = match piece.base64_encoded {
                true => base64::engine::general_purpose::STANDARD
                    .decode(&piece.data)
                    .map_err(|e| Problem::new(Code::Bug, format!("what was loaded can't be read: {e}")))?,
                false => piece.data.into_bytes(),
            };
            file.write_all(&bytes).await.map_err(failed)?;
            if piece.eof {
                return file.flush().await.map_err(failed);
            }
        }
    }
}

#[async_trait]
impl Files for Browser {
    async fn downloads(&mut self) -> Result<usize, Problem> {
        if !self.shared.world().owned {
            // Where a person's downloads go is theirs to say; here they are only heard of.
            let params = json!({ "behavior": "default", "eventsEnabled": true });
            self.call::<Value>(None, "Browser.setDownloadBehavior", params, CALL_LIMIT).await?;
        }
        Ok(self.shared.world().downloads.len())
    }

    async fn downloaded(&mut self, before: usize, begin: Duration, limit: Duration) -> Result<Download, Problem> {
        let start = Instant::now();
        loop {
            let mut watch = self.shared.watch();
            let (download, ours) = {
                let world = self.shared.world();
                (world.downloads.get(before).cloned(), world.owned)
            };
            let until = match download {
                None if self.shared.world().dialog().is_some() => start + begin.min(limit).min(BEHIND_DIALOG),
                None => start + begin.min(limit),
                Some(d) if d.state == "completed" => {
                    self.shared.world().notices.retain(|n| n.kind != "download");
                    return Ok(Download { name: safe_name(&d.name), url: d.url, path: d.path.into(), ours });
                }
                Some(d) if d.state == "canceled" => {
                    return Err(Problem::new(Code::Unreachable, format!("the download of {} was broken off", d.name))
                        .hint("handeye state"));
                }
                Some(_) => start + limit,
            };
            self.check_page()?;
            if tokio::time::timeout_at(until, watch.changed()).await.is_err() {
                let begun = self.shared.world().downloads.get(before).map(|d| d.name.clone());
                return Err(match begun {
                    None => Problem::new(
                        Code::Timeout,
                        format!("no download began within {:.1} s", (until - start).as_secs_f64()),
                    )
                    .hint("handeye state"),
                    Some(name) => Problem::new(
                        Code::Timeout,
                        format!("the download of {name} wasn't complete within {:.1} s", limit.as_secs_f64()),
                    )
                    .hint("handeye download REF --timeout 300"),
                });
            }
        }
    }

    async fn load_file(&mut self, url: &str, to: &Path, limit: Duration) -> Result<(String, String), Problem> {
        self.session()?;
        let (frame, base) = {
            let world = self.shared.world();
            (world.active.clone().unwrap_or_default(), world.main_frame().map(|f| f.url.clone()).unwrap_or_default())
        };
        let wrong = |why: String| {
            Problem::new(Code::BadRequest, format!("`{url}` is no address of a file: {why}"))
                .hint("handeye download https://example.com/report.pdf")
        };
        let address = match Url::parse(url) {
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                Url::parse(&base).and_then(|base| base.join(url)).map_err(|e| wrong(e.to_string()))?
            }
            other => other.map_err(|e| wrong(e.to_string()))?,
        };
        if !matches!(address.scheme(), "http" | "https") {
            return Err(wrong(format!("{} is neither http nor https", address.scheme())));
        }
        self.permit(address.as_str()).await?;
        // The browser follows redirects here by itself, and tells nobody before it does.
        if self.shared.world().intercept.bounds.is_some() {
            let what =
                "this session has bounds, and where an address leads can't be held to them when it is saved directly";
            return Err(Problem::new(Code::Denied, what).hint("handeye download REF"));
        }
        let deadline = Instant::now() + limit;
        let params = json!({
            "frameId": frame, "url": address.as_str(), "options": { "disableCache": false, "includeCredentials": true },
        });
        // The page is not asked: when nothing comes in time it is the site that is slow, or waits for a password.
        let late = |problem: Problem, what: &str| match problem.code {
            Code::Timeout => Problem::new(Code::Timeout, format!("{address} {what} {:.1} s", limit.as_secs_f64()))
                .hint(format!("handeye download {address} --timeout 300"))
                .hint("handeye set credentials USER --password-env VARIABLE"),
            _ => problem,
        };
        // What waits for a password there keeps the pointer from the page until its session ends.
        let mut besides = self.besides(&frame).await?;
        let loaded: Loaded = self
            .call(Some(&besides.session), "Network.loadNetworkResource", params, limit)
            .await
            .map_err(|p| late(p, "gave nothing, or waits for a password, after"))?;
        let resource = loaded.resource;
        besides.stream = resource.stream.clone();
        let refused = |why: String| {
            Problem::new(Code::Unreachable, format!("{address} can't be downloaded: {why}")).hint("handeye open URL")
        };
        if let Some(status) = resource.http_status_code.filter(|s| *s >= 400) {
            return Err(refused(format!("HTTP {status}")));
        }
        let Some(stream) = resource.stream.filter(|_| resource.success) else {
            return Err(refused(resource.net_error_name.unwrap_or_else(|| "it gave nothing".into())));
        };
        let read = self.read_stream(&besides.session, &stream, to, deadline).await;
        read.map_err(|p| late(p, "wasn't loaded whole within"))?;
        Ok((suggested(&resource.headers.unwrap_or_default(), &address), address.into()))
    }

    async fn catch_chooser(&mut self) -> Result<(), Problem> {
        self.shared.world().chooser = None;
        self.intercept_choosers(true).await
    }

    async fn chooser(&mut self, limit: Duration) -> Result<Option<FileChooser>, Problem> {
        let deadline = Instant::now() + limit;
        let caught = loop {
            let mut watch = self.shared.watch();
            if let Some(chooser) = self.shared.world().chooser.clone() {
                break chooser;
            }
            self.check_page()?;
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                self.intercept_choosers(false).await?;
                return Ok(None);
            }
        };
        let accept = match caught.input {
            Some(node) => self.attribute_of(&caught.session, node, "accept").await?,
            None => String::new(),
        };
        Ok(Some(FileChooser { multiple: caught.multiple, accept }))
    }

    async fn choose_files(&mut self, paths: &[String]) -> Result<(), Problem> {
        let caught = self.shared.world().chooser.take();
        self.intercept_choosers(false).await?;
        let Some(ChooserState { session, input: Some(node), .. }) = caught else {
            return Err(Problem::new(
                Code::Unsupported,
                "the page asked for files without a file input, which takes none from outside",
            )
            .hint("handeye state --all"));
        };
        let params = json!({ "files": paths, "backendNodeId": node });
        let ticket = self.connection.send(Some(&session), "DOM.setFileInputFiles", params);
        match self.answer::<Value>(ticket, CALL_LIMIT).await {
            // A dialog that the page's own handler opened: the files are there.
            Err(problem) if problem.code == Code::Blocked => Ok(()),
            other => other.map(drop),
        }
    }
}

impl Browser {
    /// A page has opened a file chooser.
    pub(crate) fn note_chooser(world: &mut crate::world::World, session: &str, chosen: &Chosen) {
        world.chooser = Some(ChooserState {
            session: session.to_owned(),
            input: chosen.backend_node_id,
            multiple: chosen.mode == "selectMultiple",
        });
    }
}

/// So many files of one name are told apart.
const SAME_NAME: usize = 1000;

/// Gives a file that the browser saved under a number of its own the name that the site suggests, or the next one that is
/// free; never that of a configuration of ours, which commands that run in its folder would go by.
fn named(path: String, name: &str) -> String {
    let mut name = safe_name(name);
    if name.eq_ignore_ascii_case("handeye.toml") {
        name.push_str(".download");
    }
    let (stem, ending) = match name.rfind('.').filter(|at| *at > 0) {
        Some(at) => name.split_at(at),
        None => (name.as_str(), ""),
    };
    let saved = Path::new(&path);
    let names = (0..SAME_NAME).map(|i| if i == 0 { name.clone() } else { format!("{stem} ({i}){ending}") });
    for to in names.map(|name| saved.with_file_name(name)) {
        match moved(saved, &to) {
            Ok(()) => return to.to_string_lossy().into_owned(),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(_) => break,
        }
    }
    path
}

/// Gives a file a name that nothing has: by a second link, which is refused where something comes to have it in that moment.
fn moved(from: &Path, to: &Path) -> std::io::Result<()> {
    match std::fs::hard_link(from, to) {
        Ok(()) => std::fs::remove_file(from),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // Not every file system has links.
        Err(_) if std::fs::symlink_metadata(to).is_ok() => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => std::fs::rename(from, to),
    }
}

/// The start of a name that has no more bytes than file systems take, with its ending.
fn shortened(name: &str) -> String {
    /// Of 255, with room for a number.
    const MOST: usize = 200;
    const ENDING: usize = 40;
    let at = name.rfind('.').filter(|at| *at > 0 && name.len() - at <= ENDING).unwrap_or(name.len());
    let (stem, ending) = name.split_at(at);
    let mut end = stem.len().min(MOST - ending.len());
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{ending}", &stem[..end])
}

/// The name that a server suggests for what it sends.
fn suggested(headers: &BTreeMap<String, Value>, url: &Url) -> String {
    let disposition = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-disposition"));
    let told = disposition.and_then(|(_, value)| value.as_str()).and_then(disposed);
    let last = url.path_segments().and_then(|mut s| s.next_back().map(str::to_owned)).map(|s| percent(&s));
    safe_name(&told.or(last).unwrap_or_default())
}

/// `filename*=UTF-8''…` of a Content-Disposition, else `filename=…`.
fn disposed(value: &str) -> Option<String> {
    let members = || value.split(';').filter_map(|part| part.trim().split_once('='));
    let encoded = members().find(|(key, _)| key.trim().eq_ignore_ascii_case("filename*"));
    let utf8 = encoded.and_then(|(_, v)| {
        let (charset, rest) = v.trim().split_once('\'')?;
        charset.eq_ignore_ascii_case("utf-8").then(|| percent(rest.split_once('\'').map_or(rest, |(_, name)| name)))
    });
    let plain = members().find(|(key, _)| key.trim().eq_ignore_ascii_case("filename"));
    utf8.or_else(|| plain.map(|(_, v)| v.trim().trim_matches('"').to_owned()))
}

fn percent(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|h| std::str::from_utf8(h).ok()).and_then(|h| u8::from_str_radix(h, 16).ok());
        match hex.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One component of a path, whatever a site says: no folders, no hidden file, nothing that a terminal would obey.
fn safe_name(name: &str) -> String {
    let kept: String =
        name.chars().map(|c| if c.is_control() || is_hidden(c) || "/\\:".contains(c) { '_' } else { c }).collect();
    let kept: String = kept.trim().trim_start_matches('.').chars().take(NAME).collect();
    if kept.is_empty() { "download".into() } else { shortened(&kept) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_from_the_head_then_the_address_and_are_one_component() {
        let check = |disposition: &str, url: &str, want: &str| {
            let headers = [("Content-Disposition".to_owned(), json!(disposition))].into_iter().collect();
            assert_eq!(suggested(&headers, &Url::parse(url).unwrap()), want, "{disposition} {url}");
        };
        check("attachment; filename=report.pdf", "http://x/a", "report.pdf");
        check("attachment; filename=\"a b.pdf\"; size=3", "http://x/a", "a b.pdf");
        check("attachment; filename=x; filename*=UTF-8''%E9%A1%B5.pdf", "http://x/a", "页.pdf");
        check("inline", "http://x/b/%E9%A1%B5.csv?q=1", "页.csv");
        check("attachment; filename=\"../../.bashrc\"", "http://x/a", "_.._.bashrc");
        check("", "http://x/", "download");
        // File systems count bytes.
        let long = "页".repeat(110);
        let kept = format!("{}.pdf", "页".repeat(65));
        check(&format!("attachment; filename*=UTF-8''{long}.pdf"), "http://x/a", &kept);
    }

    #[test]
    fn files_of_one_name_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_string_lossy().into_owned()
        };
        let last = |path: String| Path::new(&path).file_name().unwrap().to_string_lossy().into_owned();
        file("report.pdf", "there before");
        assert_eq!(last(named(file("guid-1", "one"), "report.pdf")), "report (1).pdf");
        assert_eq!(last(named(file("guid-2", "two"), "report.pdf")), "report (2).pdf");
        assert_eq!(last(named(file("guid-3", "three"), "handeye.toml")), "handeye.toml.download");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((read("report.pdf"), read("report (1).pdf")), ("there before".into(), "one".into()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
