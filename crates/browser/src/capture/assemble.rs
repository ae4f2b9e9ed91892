//! Puts the looks at single documents together, in reading order and in one coordinate space.

use super::leads::leads_of;
use super::placement::{self, Placed};
use super::raw::Look;
use super::transform::Affine;
use crate::cdp::link::Link;
use crate::cdp::page_call::PageError;
use handeye_scene::{
    Capture, Document, DocumentId, NativeId, Node, NodeKind, Notice, Problem, Rect, State, States, Want,
};
use std::collections::HashMap;

struct Asked {
    placed: Placed,
    look: Result<Look, PageError>,
}

/// Everything looked at, in one space.
pub(super) async fn placed(
    link: &Link,
    looks: Vec<(String, DocumentId, Result<Look, PageError>)>,
    want: Want,
) -> Result<Capture, Problem> {
    let sizes = looks.iter().filter_map(|(_, d, l)| l.as_ref().ok().map(|l| (*d, (l.width, l.height)))).collect();
    let places = placement::places(link, &sizes).await?;
    let mut asked = Vec::new();
    for (frame, document, look) in looks {
        match places.get(&document) {
            Some(placed) => asked.push(Asked { placed: placed.clone(), look }),
            None if want.scope.is_some() || is_unseen(link, &frame, document) => {}
            None => {
                let placed = Placed { frame, document, parent: None, owner: None, map: Affine::IDENTITY };
                asked.push(Asked { placed, look: Err(PageError::Gone) });
            }
        }
    }
    Ok(put_together(link, asked, want))
}

/// Whether a document without a place is still there: then what shows it is not rendered, and nothing of it can be seen.
fn is_unseen(link: &Link, frame: &str, document: DocumentId) -> bool {
    let model = link.model();
    let alive = model.pages.document(document).is_some_and(|d| d.alive);
    alive && model.pages.frames.get(frame).is_some_and(|f| f.shown_by.is_some())
}

fn put_together(link: &Link, asked: Vec<Asked>, want: Want) -> Capture {
    let mut capture = Capture { surface: "web".into(), process: "chromium".into(), ..Capture::default() };
    {
        let model = link.model();
        let tab = model.pages.tab().cloned().unwrap_or_default();
        capture.window = tab.id;
        capture.url = tab.url;
        for asked in &asked {
            let placed = &asked.placed;
            let Some(frame) = model.pages.frames.get(&placed.frame) else { continue };
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
        splice(&mut capture, &mut parts, placed, look, None, "", want);
    }
    capture
}

#[allow(clippy::too_many_arguments, reason = "one recursive step of putting documents together")]
fn splice(
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
            role: handeye_scene::model::role::known(&row.role).to_owned(),
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
                splice(capture, parts, inner, look, Some(index), xpath.as_deref().unwrap_or(""), want);
                // It is what is in it that has the focus.
                let frame = &mut capture.nodes[index];
                frame.states = frame.states.without(State::Focused);
            }
        }
    }
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
