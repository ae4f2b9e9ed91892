//! One look at every document of the tab.

use super::ax::look as look_by_tree;
use super::cache::{self, CachedLook, Work};
use super::codec::Answer;
use super::raw::Look;
use super::rows::take_rows;
use super::{assemble, closed_roots};
use crate::cdp::link::{FRAME_LIMIT, Link};
use crate::cdp::page_call::PageError;
use crate::cdp::transport::PendingReply;
use crate::cdp::unanswered::unanswering;
use handeye_scene::{Capture, DocumentId, NativeId, Notice, Problem, Via, Want};
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long one document may take to be captured.
const CAPTURE_LIMIT: Duration = Duration::from_secs(10);

/// Looks at the active tab, and keeps what was told of each document, where it can be relied on.
pub(crate) struct Looks {
    link: Link,
    cache: HashMap<DocumentId, CachedLook>,
}

impl Looks {
    pub(crate) fn new(link: &Link) -> Self {
        Self { link: link.clone(), cache: HashMap::new() }
    }

    pub(crate) async fn look(&mut self, want: Want) -> Result<Capture, Problem> {
        if self.link.model().pages.dialog().is_some() {
            return Ok(behind_dialog(&self.link));
        }
        // A page that goes elsewhere while it is looked at is looked at again, where it has got to.
        let deadline = Instant::now() + CAPTURE_LIMIT;
        loop {
            self.link.check_page()?;
            self.link.wait_for_main_document(CAPTURE_LIMIT).await?;
            let mut watch = self.link.watch();
            let looked = match self.look_once(want).await {
                // What was asked of it on the way was asked of a document that has gone.
                Err(problem) if problem.code == handeye_scene::Code::Stale && want.scope.is_none() => None,
                looked => looked?,
            };
            match looked {
                Some(mut capture) if want.via == Via::Ax => {
                    // The trees don't say what tells rows apart.
                    let script = Want { via: Via::Script, rows: true, ..want };
                    if let Some(told) = self.look_once(script).await? {
                        take_rows(&mut capture, &told);
                    }
                    return Ok(without_barred(&self.link, capture));
                }
                Some(capture) => return Ok(without_barred(&self.link, capture)),
                None if Instant::now() < deadline => {
                    // A moment for the events that tell of the new document.
                    let _ = tokio::time::timeout(Duration::from_millis(50), watch.changed()).await;
                }
                None => {
                    return Err(Problem::new(handeye_scene::Code::Timeout, "the page keeps going to other addresses")
                        .hint("handeye wait --idle"));
                }
            }
        }
    }

    /// One attempt; none when the main document went away under it.
    async fn look_once(&mut self, want: Want) -> Result<Option<Capture>, Problem> {
        let documents = self.link.model().readable_documents();
        let documents: Vec<(String, DocumentId)> = match want.scope {
            Some(scope) => inside_document(&self.link, documents, scope.document()),
            None => documents,
        };
        let silent = closed_roots::find(&self.link, &documents).await?;
        if want.via == Via::Ax {
            return self.look_by_trees(documents, &silent, want).await;
        }
        // What is asked of one session is answered in this order.
        let answering: Vec<_> = documents.iter().filter(|(_, d)| !silent.contains(d)).cloned().collect();
        let before = cache::ask_work(&self.link, &answering);
        let all_pending: Vec<(String, DocumentId, Result<PendingReply, PageError>)> = documents
            .iter()
            .map(|(frame, document)| {
                let silent = silent.contains(document);
                let asked = if silent {
                    Err(unanswering(&self.link).into())
                } else {
                    ask_look(&self.link, *document, want, self.cached_look(*document, want))
                };
                (frame.clone(), *document, asked)
            })
            .collect();
        let after = cache::ask_work(&self.link, &answering);
        let mut texts = Vec::new();
        let began = Instant::now();
        for (frame, document, pending) in all_pending {
            let limit = if self.link.model().pages.is_main(document) { CAPTURE_LIMIT } else { FRAME_LIMIT };
            texts.push((frame, document, limit, read_text(&self.link, pending, began + limit).await));
        }
        {
            let model = self.link.model();
            self.cache.retain(|document, _| model.pages.document(*document).is_some_and(|d| d.alive));
        }
        let work = (cache::read_work(&self.link, before).await, cache::read_work(&self.link, after).await);
        let mut looks = Vec::new();
        for (frame, document, limit, text) in texts {
            let look = self.look_in(document, want, text, &work, limit).await;
            let look = match look {
                Ok(look)
                    if !look.hosts.is_empty()
                        && closed_roots::find_of(&self.link, document, &look.hosts, true).await? =>
                {
                    let text =
                        read_text(&self.link, ask_look(&self.link, document, want, None), Instant::now() + limit).await;
                    text.and_then(|text| read_look(&text))
                }
                other => other,
            };
            note_look(&self.link, document, look.is_err());
            if let Err(PageError::Problem(problem)) = &look {
                // A page that can't be looked at because of a dialog or its end has nothing to show in part.
                if self.link.model().pages.dialog().is_some() {
                    return Ok(Some(behind_dialog(&self.link)));
                }
                if problem.code == handeye_scene::Code::Lost || looks.is_empty() {
                    return Err(problem.clone());
                }
            }
            if looks.is_empty() && want.scope.is_none() && matches!(look, Err(PageError::Gone)) {
                return Ok(None);
            }
            looks.push((frame, document, look));
        }
        assemble::placed(&self.link, looks, want).await.map(Some)
    }

    /// As [`Looks::look_once`], by the browser's trees.
    async fn look_by_trees(
        &self,
        documents: Vec<(String, DocumentId)>,
        silent: &[DocumentId],
        want: Want,
    ) -> Result<Option<Capture>, Problem> {
        let mut looks = Vec::new();
        for (frame, document) in documents {
            let look = if silent.contains(&document) {
                Err(unanswering(&self.link).into())
            } else {
                look_by_tree::look(&self.link, &frame, document, want).await
            };
            match &look {
                Err(PageError::Problem(_)) if self.link.model().pages.dialog().is_some() => {
                    return Ok(Some(behind_dialog(&self.link)));
                }
                Err(PageError::Problem(problem)) if problem.code == handeye_scene::Code::Lost || looks.is_empty() => {
                    return Err(problem.clone());
                }
                Err(PageError::Gone) if looks.is_empty() && want.scope.is_none() => return Ok(None),
                _ => {}
            }
            looks.push((frame, document, look));
        }
        assemble::placed(&self.link, looks, want).await.map(Some)
    }

    /// What was told of a document, or what was told before and holds still. `work`: before and behind the telling.
    async fn look_in(
        &mut self,
        document: DocumentId,
        want: Want,
        text: Result<String, PageError>,
        work: &(HashMap<String, Work>, HashMap<String, Work>),
        limit: Duration,
    ) -> Result<Look, PageError> {
        let text = text?;
        if want.scope.is_some_and(|s| s.document() == document) {
            return read_look(&text);
        }
        let earlier = self.cache.remove(&document);
        let session = self.link.model().pages.document(document).map(|d| d.session.clone()).unwrap_or_default();
        let (before, after) = (work.0.get(&session), work.1.get(&session));
        let told = match Answer::read(&text).map_err(unreadable)? {
            Answer::Told(told) => told,
            Answer::Kept(token) => {
                if let Some(kept) = earlier.filter(|k| k.token == token && k.work.is_some() && k.work.as_ref() == after)
                {
                    let look = kept.look.clone();
                    self.cache.insert(document, kept);
                    return Ok(look);
                }
                // Something was laid out anew after all.
                let text =
                    read_text(&self.link, ask_look(&self.link, document, want, None), Instant::now() + limit).await?;
                return read_look(&text);
            }
        };
        let token = told.token;
        let base = earlier.filter(|k| k.token == told.base);
        let look = told.look(base.as_ref().map_or(&[], |k| &k.look.nodes)).map_err(unreadable)?;
        if token > 0 {
            let work = after.filter(|after| Some(*after) == before).copied();
            self.cache.insert(document, CachedLook { token, want: shown(want), work, look: look.clone() });
        }
        Ok(look)
    }

    /// The look that was kept of a document, if it is of this kind.
    fn cached_look(&self, document: DocumentId, want: Want) -> Option<&CachedLook> {
        self.cache.get(&document).filter(|k| k.want == shown(want))
    }
}

/// What a look shows doesn't depend on what it is for.
fn shown(want: Want) -> Want {
    Want { compared: false, ..want }
}

/// Says what was left out.
fn without_barred(link: &Link, mut capture: Capture) -> Capture {
    capture.notices.extend(link.model().left_out());
    capture
}

/// A document and those inside it.
fn inside_document(link: &Link, documents: Vec<(String, DocumentId)>, first: DocumentId) -> Vec<(String, DocumentId)> {
    let model = link.model();
    let inside = |frame: &String| {
        let mut at = Some(frame);
        while let Some(entry) = at.and_then(|f| model.pages.frames.get(f)) {
            if entry.document == Some(first) {
                return true;
            }
            at = entry.parent.as_ref();
        }
        false
    };
    documents.into_iter().filter(|(frame, _)| inside(frame)).collect()
}

fn ask_look(
    link: &Link,
    document: DocumentId,
    want: Want,
    kept: Option<&CachedLook>,
) -> Result<PendingReply, PageError> {
    let number = |id: Option<NativeId>| id.filter(|s| s.document() == document).map(NativeId::number);
    let (scope, until) = (number(want.scope), number(want.until));
    let (token, whole) = kept.map_or((0, false), |k| (k.token, k.work.is_some()));
    let asked = json!({
        "detail": want.detail, "rows": want.rows, "scope": scope, "until": until, "kept": token, "whole": whole,
        "compared": want.compared,
    });
    link.send_to_page(document, "capture", &[asked])
}

async fn read_text(
    link: &Link,
    pending: Result<PendingReply, PageError>,
    deadline: Instant,
) -> Result<String, PageError> {
    link.page_reply_by(pending?, deadline, CAPTURE_LIMIT).await
}

/// A page behind a dialog can't be looked at.
fn behind_dialog(link: &Link) -> Capture {
    let model = link.model();
    let tab = model.pages.tab().cloned().unwrap_or_default();
    let mut notices = Vec::new();
    if let Some((_, dialog)) = model.pages.dialog() {
        let message = model.cut(&dialog.message, 200);
        let notice = Notice::new("dialog", format!("{} {message:?} is open and holds the page", dialog.kind));
        notices.push(notice.hint("handeye dialog accept").hint("handeye dialog dismiss"));
    }
    Capture {
        surface: "web".into(),
        window: tab.id,
        process: "chromium".into(),
        url: tab.url,
        title: tab.title,
        notices,
        ..Capture::default()
    }
}

/// A look told of a document, or left it out. From the last look before a gesture on, one that does is enough.
fn note_look(link: &Link, document: DocumentId, missed: bool) {
    let mut model = link.model();
    let recording = model.gesture.recording;
    if let Some(document) = model.pages.document_mut(document) {
        document.missed = missed || recording && document.missed;
    }
}

/// A look that is told whole.
fn read_look(text: &str) -> Result<Look, PageError> {
    match Answer::read(text).map_err(unreadable)? {
        Answer::Told(told) => Ok(told.look(&[]).map_err(unreadable)?),
        Answer::Kept(_) => Err(unreadable("it tells of a look that it wasn't asked for").into()),
    }
}

fn unreadable(error: impl std::fmt::Display) -> Problem {
    Problem::new(handeye_scene::Code::Bug, format!("the page script's capture can't be read: {error}"))
}
