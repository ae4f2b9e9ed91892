//! Downloads and file choosers.

use crate::cdp::link::{CALL_LIMIT, Link};
use crate::egress::bounds::permit;
use crate::model::ChooserState;
use crate::protocol::{Loaded, Piece, Resolved};
use crate::targets::file_names::{safe_name, suggested};
use crate::targets::second_session;
use async_trait::async_trait;
use base64::Engine as _;
use handeye_scene::{Code, Download, FileChooser, Files, Hint, Problem};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;
use url::Url;

/// Bytes read from the browser at a time.
const PIECE: usize = 1 << 20;
/// How long a download is waited for while a dialog is open, which mostly comes in its place.
const BEHIND_DIALOG: Duration = Duration::from_secs(1);
/// Files that pages give and take.
pub(crate) struct FileTransfers {
    pub(crate) link: Link,
}

async fn intercept_choosers(link: &Link, on: bool) -> Result<(), Problem> {
    // In a browser of ours they always are.
    if link.model().browser.owned {
        return Ok(());
    }
    let session = link.session()?;
    let params = json!({ "enabled": on });
    link.call::<Value>(Some(&session), "Page.setInterceptFileChooserDialog", params, CALL_LIMIT).await.map(drop)
}

async fn attribute_of(link: &Link, session: &str, node: i64, name: &str) -> Result<String, Problem> {
    let resolved: Resolved =
        link.call(Some(session), "DOM.resolveNode", json!({ "backendNodeId": node }), CALL_LIMIT).await?;
    let object = resolved.object.object_id.unwrap_or_default();
    let params = json!({
        "functionDeclaration": "function (name) { return Element.prototype.getAttribute.call(this, name) ?? '' }",
        "objectId": object, "arguments": [{ "value": name }], "returnByValue": true,
    });
    let pending = link.connection.send(Some(session), "Runtime.callFunctionOn", params);
    Ok(link.page_reply(pending, CALL_LIMIT).await.unwrap_or_default())
}

async fn read_stream(link: &Link, session: &str, stream: &str, to: &Path, deadline: Instant) -> Result<(), Problem> {
    let failed = |e: std::io::Error| Problem::new(Code::File, format!("can't write {}: {e}", to.display()));
    let mut file = tokio::fs::File::create(to).await.map_err(failed)?;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let params = json!({ "handle": stream, "size": PIECE });
        let piece: Piece = link.call(Some(session), "IO.read", params, left).await?;
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

#[async_trait]
impl Files for FileTransfers {
    async fn downloads(&mut self) -> Result<usize, Problem> {
        if !self.link.model().browser.has_all_tabs() {
            // Where a person's downloads go is theirs to say; here they are only heard of.
            let params = json!({ "behavior": "default", "eventsEnabled": true });
            self.link.call::<Value>(None, "Browser.setDownloadBehavior", params, CALL_LIMIT).await?;
        }
        Ok(self.link.model().files.downloads.len())
    }

    async fn downloaded(&mut self, before: usize, begin: Duration, limit: Duration) -> Result<Download, Problem> {
        let start = Instant::now();
        loop {
            let mut watch = self.link.watch();
            let (download, ours) = {
                let model = self.link.model();
                (model.files.downloads.get(before).cloned(), model.browser.has_all_tabs())
            };
            let until = match download {
                None if self.link.model().pages.dialog().is_some() => start + begin.min(limit).min(BEHIND_DIALOG),
                None => start + begin.min(limit),
                Some(d) if d.state == "completed" => {
                    self.link.model().reports.notices.retain(|n| n.kind != "download");
                    return Ok(Download { name: safe_name(&d.name), url: d.url, path: d.path.into(), ours });
                }
                Some(d) if d.state == "canceled" => {
                    return Err(Problem::new(Code::Unreachable, format!("the download of {} was broken off", d.name))
                        .hint("handeye state"));
                }
                Some(_) => start + limit,
            };
            self.link.check_page()?;
            if tokio::time::timeout_at(until, watch.changed()).await.is_err() {
                let begun = self.link.model().files.downloads.get(before).map(|d| d.name.clone());
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
        self.link.session()?;
        let (frame, base) = {
            let model = self.link.model();
            (
                model.pages.active.clone().unwrap_or_default(),
                model.pages.main_frame().map(|f| f.url.clone()).unwrap_or_default(),
            )
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
        permit(&self.link, address.as_str()).await?;
        // The browser follows redirects here by itself, and tells nobody before it does.
        if self.link.model().network.intercept.bounds.is_some() {
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
                .hint(Hint::command("download").arg(address.as_str()).arg("--timeout").arg("300"))
                .hint("handeye set credentials USER --password-env VARIABLE"),
            _ => problem,
        };
        // What waits for a password there keeps the pointer from the page until its session ends.
        let mut second = second_session::open(&self.link, &frame).await?;
        let loaded: Loaded = self
            .link
            .call(Some(&second.session), "Network.loadNetworkResource", params, limit)
            .await
            .map_err(|p| late(p, "gave nothing, or waits for a password, after"))?;
        let resource = loaded.resource;
        second.stream = resource.stream.clone();
        let refused = |why: String| {
            Problem::new(Code::Unreachable, format!("{address} can't be downloaded: {why}")).hint("handeye open URL")
        };
        if let Some(status) = resource.http_status_code.filter(|s| *s >= 400) {
            return Err(refused(format!("HTTP {status}")));
        }
        let Some(stream) = resource.stream.filter(|_| resource.success) else {
            return Err(refused(resource.net_error_name.unwrap_or_else(|| "it gave nothing".into())));
        };
        let read = read_stream(&self.link, &second.session, &stream, to, deadline).await;
        read.map_err(|p| late(p, "wasn't loaded whole within"))?;
        Ok((suggested(&resource.headers.unwrap_or_default(), &address), address.into()))
    }

    async fn catch_chooser(&mut self) -> Result<(), Problem> {
        self.link.model().files.chooser = None;
        intercept_choosers(&self.link, true).await
    }

    async fn chooser(&mut self, limit: Duration) -> Result<Option<FileChooser>, Problem> {
        let caught = self.link.shared.wait_until(Instant::now() + limit, || {
            let chooser = self.link.model().files.chooser.clone();
            if chooser.is_none() {
                self.link.check_page()?;
            }
            Ok(chooser)
        });
        let Some(caught) = caught.await? else {
            intercept_choosers(&self.link, false).await?;
            return Ok(None);
        };
        let accept = match caught.input {
            Some(node) => attribute_of(&self.link, &caught.session, node, "accept").await?,
            None => String::new(),
        };
        Ok(Some(FileChooser { multiple: caught.multiple, accept }))
    }

    async fn choose_files(&mut self, paths: &[String]) -> Result<(), Problem> {
        let caught = self.link.model().files.chooser.take();
        intercept_choosers(&self.link, false).await?;
        let Some(ChooserState { session, input: Some(node), .. }) = caught else {
            return Err(Problem::new(
                Code::Unsupported,
                "the page asked for files without a file input, which takes none from outside",
            )
            .hint("handeye state --all"));
        };
        let params = json!({ "files": paths, "backendNodeId": node });
        let pending = self.link.connection.send(Some(&session), "DOM.setFileInputFiles", params);
        match self.link.answer::<Value>(pending, CALL_LIMIT).await {
            // A dialog that the page's own handler opened: the files are there.
            Err(problem) if problem.code == Code::Blocked => Ok(()),
            other => other.map(drop),
        }
    }
}
