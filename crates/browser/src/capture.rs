//! One look at every document of the tab, put together in reading order and in one coordinate space.

use crate::kept::{Kept, Work};
use crate::leads::leads_of;
use crate::limits::busy;
use crate::packed::Answer;
use crate::place::Affine;
use crate::protocol::{BoxModelReply, FrameOwner, Resolved};
use crate::rows::take_rows;
use crate::surface::{Browser, FRAME_LIMIT, PageError};
use crate::transport::Ticket;
use handeye_scene::{
    Capture, Document, DocumentId, Extra, NativeId, Node, NodeKind, Notice, Problem, Rect, State, States, Via, Want,
};
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long one document may take to be captured.
const CAPTURE_LIMIT: Duration = Duration::from_secs(10);

/// A document as it was found.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Pixels of the device to one CSS pixel.
    pub(crate) scale: f64,
    pub(crate) hosts: Vec<u32>,
    pub(crate) rows_left: bool,
    pub(crate) nodes: Vec<Row>,
}

/// One node of it.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// The element's number; 0 for text.
    pub(crate) n: u32,
    /// Its place among the nodes before.
    pub(crate) parent: Option<usize>,
    pub(crate) kind: NodeKind,
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) value: Option<String>,
    pub(crate) states: u32,
    pub(crate) rect: Rect,
    /// In a box: most have none, and there may be thousands.
    pub(crate) extra: Option<Box<Extra>>,
}

/// A frame as a part of the tab.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) frame: String,
    pub(crate) document: DocumentId,
    pub(crate) parent: Option<DocumentId>,
    /// Number of the element that shows it, in its parent.
    pub(crate) owner: Option<u32>,
    /// From its own viewport to the main one.
    pub(crate) map: Affine,
}

struct Asked {
    placed: Placed,
    look: Result<Look, PageError>,
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

/// Why documents are missing, each reason once: a page may have a thousand of them.
fn missing(reasons: &[String]) -> Vec<Notice> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for reason in reasons {
        match counts.iter_mut().find(|(known, _)| known == reason) {
            Some((_, count)) => *count += 1,
            None => counts.push((reason, 1)),
        }
    }
    let words = |(reason, count): (&str, usize)| match count {
        1 => format!("a document {reason}"),
        _ => format!("{count} documents {reason}"),
    };
    counts.into_iter().map(|counted| Notice::new("partial", words(counted))).collect()
}

impl Browser {
    pub(crate) async fn look(&mut self, want: Want) -> Result<Capture, Problem> {
        if self.shared.world().dialog().is_some() {
            return Ok(self.behind_dialog());
        }
        // A page that goes elsewhere while it is looked at is looked at again, where it has got to.
        let deadline = Instant::now() + CAPTURE_LIMIT;
        loop {
            self.check_page()?;
            self.wait_for_main_document(CAPTURE_LIMIT).await?;
            let mut watch = self.shared.watch();
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
                    return Ok(self.without_barred(capture));
                }
                Some(capture) => return Ok(self.without_barred(capture)),
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

    /// Says what was left out.
    fn without_barred(&self, mut capture: Capture) -> Capture {
        capture.notices.extend(self.shared.world().left_out());
        capture
    }

    /// One attempt; none when the main document went away under it.
    async fn look_once(&mut self, want: Want) -> Result<Option<Capture>, Problem> {
        let documents = self.shared.world().readable_documents();
        let documents: Vec<(String, DocumentId)> = match want.scope {
            Some(scope) => self.inside_document(documents, scope.document()),
            None => documents,
        };
        let silent = self.find_hidden(&documents).await?;
        if want.via == Via::Ax {
            return self.look_by_trees(documents, &silent, want).await;
        }
        // What is asked of one session is answered in this order.
        let answering: Vec<_> = documents.iter().filter(|(_, d)| !silent.contains(d)).cloned().collect();
        let before = self.ask_work(&answering);
        let tickets: Vec<(String, DocumentId, Result<Ticket, PageError>)> = documents
            .iter()
            .map(|(frame, document)| {
                let silent = silent.contains(document);
                let asked = if silent {
                    Err(busy("the page is busy: it doesn't answer").into())
                } else {
                    self.ask_look(*document, want, self.kept_look(*document, want))
                };
                (frame.clone(), *document, asked)
            })
            .collect();
        let after = self.ask_work(&answering);
        let mut texts = Vec::new();
        let began = Instant::now();
        for (frame, document, ticket) in tickets {
            let limit = if self.is_main(document) { CAPTURE_LIMIT } else { FRAME_LIMIT };
            texts.push((frame, document, limit, self.read_text(ticket, began + limit).await));
        }
        {
            let world = self.shared.world();
            self.kept.retain(|document, _| world.document(*document).is_some_and(|d| d.alive));
        }
        let work = (self.read_work(before).await, self.read_work(after).await);
        let mut looks = Vec::new();
        for (frame, document, limit, text) in texts {
            let look = self.look_in(document, want, text, &work, limit).await;
            let look = match look {
                Ok(look) if !look.hosts.is_empty() && self.find_roots_of(document, &look.hosts, true).await? => {
                    let text = self.read_text(self.ask_look(document, want, None), Instant::now() + limit).await;
                    text.and_then(|text| read_look(&text))
                }
                other => other,
            };
            self.note_look(document, look.is_err());
            if let Err(PageError::Problem(problem)) = &look {
                // A page that can't be looked at because of a dialog or its end has nothing to show in part.
                if self.shared.world().dialog().is_some() {
                    return Ok(Some(self.behind_dialog()));
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
        self.placed(looks, want).await.map(Some)
    }

    /// Everything looked at, in one space.
    async fn placed(
        &self,
        looks: Vec<(String, DocumentId, Result<Look, PageError>)>,
        want: Want,
    ) -> Result<Capture, Problem> {
        let sizes = looks.iter().filter_map(|(_, d, l)| l.as_ref().ok().map(|l| (*d, (l.width, l.height)))).collect();
        let places = self.places(&sizes).await?;
        let mut asked = Vec::new();
        for (frame, document, look) in looks {
            match places.get(&document) {
                Some(placed) => asked.push(Asked { placed: placed.clone(), look }),
                None if want.scope.is_some() || self.is_unseen(&frame, document) => {}
                None => {
                    let placed = Placed { frame, document, parent: None, owner: None, map: Affine::IDENTITY };
                    asked.push(Asked { placed, look: Err(PageError::Gone) });
                }
            }
        }
        Ok(self.put_together(asked, want))
    }

    /// Whether a document without a place is still there: then what shows it is not rendered, and nothing of it can be seen.
    fn is_unseen(&self, frame: &str, document: DocumentId) -> bool {
        let world = self.shared.world();
        let alive = world.document(document).is_some_and(|d| d.alive);
        alive && world.frames.get(frame).is_some_and(|f| f.shown_by.is_some())
    }

    /// As [`Browser::look_once`], by the browser's trees.
    async fn look_by_trees(
        &self,
        documents: Vec<(String, DocumentId)>,
        silent: &[DocumentId],
        want: Want,
    ) -> Result<Option<Capture>, Problem> {
        let mut looks = Vec::new();
        for (frame, document) in documents {
            let look = if silent.contains(&document) {
                Err(busy("the page is busy: it doesn't answer").into())
            } else {
                self.tree_look(&frame, document, want).await
            };
            match &look {
                Err(PageError::Problem(_)) if self.shared.world().dialog().is_some() => {
                    return Ok(Some(self.behind_dialog()));
                }
                Err(PageError::Problem(problem)) if problem.code == handeye_scene::Code::Lost || looks.is_empty() => {
                    return Err(problem.clone());
                }
                Err(PageError::Gone) if looks.is_empty() && want.scope.is_none() => return Ok(None),
                _ => {}
            }
            looks.push((frame, document, look));
        }
        self.placed(looks, want).await.map(Some)
    }

    /// A document and those inside it.
    fn inside_document(&self, documents: Vec<(String, DocumentId)>, first: DocumentId) -> Vec<(String, DocumentId)> {
        let world = self.shared.world();
        let inside = |frame: &String| {
            let mut at = Some(frame);
            while let Some(entry) = at.and_then(|f| world.frames.get(f)) {
                if entry.document == Some(first) {
                    return true;
                }
                at = entry.parent.as_ref();
            }
            false
        };
        documents.into_iter().filter(|(frame, _)| inside(frame)).collect()
    }

    fn ask_look(&self, document: DocumentId, want: Want, kept: Option<&Kept>) -> Result<Ticket, PageError> {
        let number = |id: Option<NativeId>| id.filter(|s| s.document() == document).map(NativeId::number);
        let (scope, until) = (number(want.scope), number(want.until));
        let (token, whole) = kept.map_or((0, false), |k| (k.token, k.work.is_some()));
        let asked = json!({
            "detail": want.detail, "rows": want.rows, "scope": scope, "until": until, "kept": token, "whole": whole,
        });
        self.ask(document, "capture", &[asked])
    }

    async fn read_text(&self, ticket: Result<Ticket, PageError>, deadline: Instant) -> Result<String, PageError> {
        self.told_by(ticket?, deadline, CAPTURE_LIMIT).await
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
        let earlier = self.kept.remove(&document);
        let session = self.shared.world().document(document).map(|d| d.session.clone()).unwrap_or_default();
        let (before, after) = (work.0.get(&session), work.1.get(&session));
        let told = match Answer::read(&text).map_err(unreadable)? {
            Answer::Told(told) => told,
            Answer::Kept(token) => {
                if let Some(kept) = earlier.filter(|k| k.token == token && k.work.is_some() && k.work.as_ref() == after)
                {
                    let look = kept.look.clone();
                    self.kept.insert(document, kept);
                    return Ok(look);
                }
                // Something was laid out anew after all.
                let text = self.read_text(self.ask_look(document, want, None), Instant::now() + limit).await?;
                return read_look(&text);
            }
        };
        let token = told.token;
        let base = earlier.filter(|k| k.token == told.base);
        let look = told.look(base.as_ref().map_or(&[], |k| &k.look.nodes)).map_err(unreadable)?;
        if token > 0 {
            let work = after.filter(|after| Some(*after) == before).copied();
            self.kept.insert(document, Kept { token, want, work, look: look.clone() });
        }
        Ok(look)
    }

    /// The look that was kept of a document, if it is of this kind.
    fn kept_look(&self, document: DocumentId, want: Want) -> Option<&Kept> {
        self.kept.get(&document).filter(|k| k.want == want)
    }

    /// A page behind a dialog can't be looked at.
    fn behind_dialog(&self) -> Capture {
        let world = self.shared.world();
        let tab = world.tab().cloned().unwrap_or_default();
        let mut notices = Vec::new();
        if let Some((_, dialog)) = world.dialog() {
            let message = world.cut(&dialog.message, 200);
            let text = format!(
                "{} {message:?} is open and holds the page: handeye dialog accept, or handeye dialog dismiss",
                dialog.kind
            );
            notices.push(Notice::new("dialog", text));
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

    /// Where every document of the tab is; those whose owner can't be found are left out.
    pub(crate) async fn places(
        &self,
        sizes: &HashMap<DocumentId, (f64, f64)>,
    ) -> Result<HashMap<DocumentId, Placed>, Problem> {
        let documents = self.shared.world().active_documents();
        let mut out: HashMap<DocumentId, Placed> = HashMap::new();
        let mut quads = HashMap::new();
        // All owners are asked for at once; a tab of many frames costs one trip.
        let mut waiting = Vec::new();
        // Their sizes are known from a look; without one they are asked for too.
        let unknown = if sizes.is_empty() { documents.as_slice() } else { &[] };
        let asking: Vec<_> = unknown.iter().map(|(_, d)| (*d, self.ask_size(*d))).collect();
        for (frame, document) in documents.iter().skip(1) {
            let Some((parent, owner)) = self.owner_of(frame).await else { continue };
            if self.is_silent(parent) {
                continue;
            }
            let Some(session) = self.shared.world().document(parent).map(|d| d.session.clone()) else { continue };
            let ticket = self.connection.send(Some(&session), "DOM.getBoxModel", json!({ "backendNodeId": owner.1 }));
            waiting.push((*document, parent, owner.0, ticket));
        }
        let deadline = Instant::now() + FRAME_LIMIT;
        for (document, parent, owner, ticket) in waiting {
            // An owner that isn't rendered has no box: its document can't be seen.
            if let Ok(reply) = self.answer_by::<BoxModelReply>(ticket, deadline, FRAME_LIMIT).await {
                quads.insert(document, (parent, owner, reply.model.content));
            }
        }
        let mut sizes = sizes.clone();
        for (document, ticket) in asking {
            let Some(ticket) = ticket else { continue };
            let deadline = deadline.min(Instant::now() + self.frame_limit(document));
            if let Ok(size) = self.told_by::<(f64, f64)>(ticket, deadline, FRAME_LIMIT).await {
                sizes.insert(document, size);
            }
        }
        for (i, (frame, document)) in documents.into_iter().enumerate() {
            if i == 0 {
                out.insert(document, Placed { frame, document, parent: None, owner: None, map: Affine::IDENTITY });
                continue;
            }
            let Some((parent, owner, quad)) = quads.get(&document) else { continue };
            let Some(root) = self.root_map(*parent, &out) else { continue };
            let size = sizes.get(&document).copied().unwrap_or((quad[2] - quad[0], quad[7] - quad[1]));
            let map = Affine::from_quad(quad, size.0, size.1).then(&root);
            out.insert(document, Placed { frame, document, parent: Some(*parent), owner: Some(*owner), map });
        }
        Ok(out)
    }

    /// Quads are relative to the root of their session: where that is.
    fn root_map(&self, parent: DocumentId, placed: &HashMap<DocumentId, Placed>) -> Option<Affine> {
        let world = self.shared.world();
        let session = world.document(parent)?.session.clone();
        let root = world.sessions.get(&session)?;
        let document = world.frames.get(root)?.document?;
        placed.get(&document).map(|p| p.map)
    }

    pub(crate) fn ask_size(&self, document: DocumentId) -> Option<Ticket> {
        let (session, context) = {
            let world = self.shared.world();
            let document = world.document(document)?;
            (document.session.clone(), document.context.clone())
        };
        let params =
            json!({ "expression": "[innerWidth, innerHeight]", "uniqueContextId": context, "returnByValue": true });
        Some(self.connection.send(Some(&session), "Runtime.evaluate", params))
    }

    /// The element that shows a frame: parent document, its number there, its backend node.
    pub(crate) async fn owner_of(&self, frame: &str) -> Option<(DocumentId, (u32, i64))> {
        let (session, parent, context, known) = {
            let world = self.shared.world();
            let entry = world.frames.get(frame)?;
            let parent = world.frames.get(entry.parent.as_deref()?)?.document?;
            let document = world.document(parent)?;
            (document.session.clone(), parent, document.context_id, entry.owner)
        };
        if let Some((document, number, backend)) = known
            && document == parent
        {
            return Some((parent, (number, backend)));
        }
        // One that hangs doesn't tell, and would be waited for once for each frame in it.
        if self.is_silent(parent) {
            return None;
        }
        let owner: FrameOwner =
            self.call(Some(&session), "DOM.getFrameOwner", json!({ "frameId": frame }), FRAME_LIMIT).await.ok()?;
        let backend = owner.backend_node_id;
        let params = json!({ "backendNodeId": backend, "executionContextId": context });
        let resolved: Resolved = self.call(Some(&session), "DOM.resolveNode", params, FRAME_LIMIT).await.ok()?;
        let params = json!({
            "functionDeclaration": "function () { return handeye.number(this); }",
            "objectId": resolved.object.object_id?, "returnByValue": true,
        });
        let ticket = self.connection.send(Some(&session), "Runtime.callFunctionOn", params);
        let number: u32 = self.told(ticket, FRAME_LIMIT).await.ok()?;
        if let Some(entry) = self.shared.world().frames.get_mut(frame) {
            entry.owner = Some((parent, number, backend));
            entry.shown_by = Some(NativeId::new(parent, number));
        }
        Some((parent, (number, backend)))
    }

    fn put_together(&self, asked: Vec<Asked>, want: Want) -> Capture {
        let mut capture = Capture { surface: "web".into(), process: "chromium".into(), ..Capture::default() };
        {
            let world = self.shared.world();
            let tab = world.tab().cloned().unwrap_or_default();
            capture.window = tab.id;
            capture.url = tab.url;
            for asked in &asked {
                let placed = &asked.placed;
                let Some(frame) = world.frames.get(&placed.frame) else { continue };
                let url = asked.look.as_ref().map_or_else(|_| frame.url.clone(), |l| l.url.clone());
                let origin = if frame.origin.is_empty() { "null".into() } else { frame.origin.clone() };
                let owner = placed.parent.zip(placed.owner).map(|(p, n)| NativeId::new(p, n));
                capture.documents.push(Document { id: placed.document, url, origin, owner });
            }
        }
        let mut parts: HashMap<Option<NativeId>, Vec<(Placed, Look)>> = HashMap::new();
        let mut missed = Vec::new();
        for asked in asked {
            match asked.look {
                Ok(look) => {
                    if asked.placed.parent.is_none() {
                        capture.viewport = Rect::new(0.0, 0.0, look.width, look.height);
                        capture.scale = Some(look.scale);
                        capture.title = look.title.clone();
                        capture.url = look.url.clone();
                    }
                    capture.rows_left |= look.rows_left;
                    let owner = asked.placed.parent.zip(asked.placed.owner).map(|(p, n)| NativeId::new(p, n));
                    // A scoped capture begins in the document of its scope, wherever that is.
                    let owner = owner.filter(|_| want.scope.is_none_or(|s| s.document() != asked.placed.document));
                    parts.entry(owner).or_default().push((asked.placed, look));
                }
                Err(PageError::Gone) => {
                    missed.push("went away while it was looked at".to_owned());
                }
                Err(PageError::Problem(problem)) => {
                    missed.push(format!("couldn't be looked at: {}", problem.message));
                }
            }
        }
        capture.notices.extend(missing(&missed));
        for (placed, look) in parts.remove(&None).unwrap_or_default() {
            self.splice(&mut capture, &mut parts, placed, look, None, "", want);
        }
        capture
    }

    #[allow(clippy::too_many_arguments, reason = "one recursive step of putting documents together")]
    fn splice(
        &self,
        capture: &mut Capture,
        parts: &mut HashMap<Option<NativeId>, Vec<(Placed, Look)>>,
        placed: Placed,
        look: Look,
        owner: Option<usize>,
        prefix: &str,
        want: Want,
    ) {
        let mut places = Vec::with_capacity(look.nodes.len());
        let has_focus = owner.is_none_or(|owner| capture.nodes[owner].states.has(State::Focused));
        for row in look.nodes {
            let parent = row.parent.and_then(|p| places.get(p).copied()).or(owner);
            let index = capture.nodes.len();
            places.push(index);
            let mut extra = row.extra.map(|e| *e).unwrap_or_default();
            if want.detail
                && let Some(xpath) = &mut extra.xpath
            {
                *xpath = format!("{prefix}{xpath}");
            }
            if row.kind == NodeKind::Operable {
                extra.leads = Some(leads_of(extra.leads.take(), extra.href.as_deref()));
            }
            let id = (row.n > 0).then(|| NativeId::new(placed.document, row.n));
            let xpath = extra.xpath.clone();
            capture.nodes.push(Node {
                id,
                document: placed.document,
                parent,
                kind: row.kind,
                role: handeye_scene::role::known(&row.role).to_owned(),
                name: row.name,
                value: row.value,
                states: States(row.states),
                rect: placed.map.rect(row.rect),
                extra,
            });
            // In view in its own document, and yet not: the frame itself is scrolled away.
            let view = capture.viewport;
            let node = &mut capture.nodes[index];
            if owner.is_some() && view.width > 0.0 && !node.rect.intersects(&view) {
                node.states = node.states.with(State::Offscreen);
            }
            // A document remembers what had its focus; what matters is who has it now.
            if !has_focus {
                let node = &mut capture.nodes[index];
                node.states = node.states.without(State::Focused);
            }
            if row.kind == NodeKind::Frame && id.is_some() {
                for (inner, look) in parts.remove(&id).unwrap_or_default() {
                    capture.nodes[index].extra.href = Some(look.url.clone());
                    self.splice(capture, parts, inner, look, Some(index), xpath.as_deref().unwrap_or(""), want);
                    // It is what is in it that has the focus.
                    let frame = &mut capture.nodes[index];
                    frame.states = frame.states.without(State::Focused);
                }
            }
        }
    }
}
