//! All trees of the tab, put together.

use super::{location, redaction};
use crate::capture::ax::frames::Framed;
use crate::capture::ax::{dom, frames, resolve, tree};
use crate::capture::closed_roots;
use crate::cdp::link::{CALL_LIMIT, FRAME_LIMIT, Link};
use crate::protocol::FrameOwner;
use handeye_scene::{Code, DocumentId, DocumentTree, Notice, Problem, TreeWant, Trees};
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long the trees of a page may take: on 6,000 controls the browser takes 3 s for one.
const TREES_LIMIT: Duration = Duration::from_secs(30);

pub(crate) async fn trees(link: &Link, want: TreeWant) -> Result<Trees, Problem> {
    link.check_dialog()?;
    link.wait_for_main_document(CALL_LIMIT).await?;
    // What lies in closed roots is to be found by its path afterwards.
    let documents = link.model().readable_documents();
    let busy = closed_roots::find(link, &documents).await?;
    let answering: Vec<DocumentId> = documents.iter().map(|d| d.1).filter(|d| !busy.contains(d)).collect();
    let (frames, silent) = frames::frame_list(link).await?;
    let (url, title) = location::location(link, CALL_LIMIT).await?;
    let mut trees = Trees { url, title, ..Trees::default() };
    trees.notices.extend(link.model().left_out());
    for url in silent {
        trees.notices.push(partial(&format!("the document {url} doesn't answer")));
    }
    let focus = match want.focus {
        Some(id) => Some(resolve::focus_of(link, id, &frames).await?),
        None => None,
    };
    let sessions = sessions_of(link, &frames, want, &mut trees).await?;
    let before = redaction::revealed(link, &answering).await;
    // While it is on, what is computed for one document serves the next; it costs the page, so not for longer.
    accessibility(link, &frames, "Accessibility.enable");
    let read = read_documents(link, &frames, focus.map(|f| f.0), &mut trees).await;
    accessibility(link, &frames, "Accessibility.disable");
    read?;
    let after = redaction::revealed(link, &answering).await;
    hide_passwords(&mut trees, before, after);
    for (document, framed) in trees.documents.iter_mut().zip(&frames) {
        document.session = sessions.get(framed.session.as_str()).copied();
    }
    trees.focus = focus;
    Ok(trees)
}

fn accessibility(link: &Link, frames: &[Framed], method: &'static str) {
    for framed in frames.iter().filter(|f| f.first) {
        link.connection.notify(Some(&framed.session), method, json!({}));
    }
}

/// The DOM of every session; gives where each stands.
async fn sessions_of<'a>(
    link: &Link,
    frames: &'a [Framed],
    want: TreeWant,
    trees: &mut Trees,
) -> Result<HashMap<&'a str, usize>, Problem> {
    let mut out = HashMap::new();
    let firsts: Vec<&Framed> = frames.iter().filter(|f| f.first).collect();
    let mut asked = Vec::new();
    for framed in &firsts {
        let limit = if framed.parent.is_none() { TREES_LIMIT } else { CALL_LIMIT };
        asked.push(dom::session_dom(link, &framed.session, want.pierce, limit));
    }
    let doms = futures_util::future::join_all(asked).await;
    for (framed, dom) in firsts.into_iter().zip(doms) {
        match dom {
            Ok(dom) => {
                if !dom.whole {
                    trees.notices.push(partial(&format!("the DOM of {} couldn't be read as a whole", framed.url)));
                }
                out.insert(framed.session.as_str(), trees.sessions.len());
                trees.sessions.push(dom.tree);
            }
            Err(problem) if framed.parent.is_none() || is_final(&problem) => return Err(problem),
            Err(problem) => trees.notices.push(partial(&format!("the DOM of {}: {}", framed.url, problem.message))),
        }
    }
    Ok(out)
}

/// The accessibility tree and the owner of every document; of those at or below `only` if it is given.
async fn read_documents(link: &Link, frames: &[Framed], only: Option<usize>, trees: &mut Trees) -> Result<(), Problem> {
    let began = Instant::now();
    let is_wanted = |mut at: usize| loop {
        match (only, frames[at].parent) {
            (None, _) => return true,
            (Some(only), _) if only == at => return true,
            (_, Some(parent)) => at = parent,
            _ => return false,
        }
    };
    let asked: Vec<_> = frames
        .iter()
        .enumerate()
        .map(|(i, framed)| {
            let owner = framed.parent.map(|parent| {
                let session = &frames[parent].session;
                link.connection.send(Some(session), "DOM.getFrameOwner", json!({ "frameId": framed.id }))
            });
            let unread = link.model().read_denied(&framed.id).is_some();
            (framed, owner, (is_wanted(i) && !unread).then(|| tree::ask_ax_tree(link, framed)))
        })
        .collect();
    for (framed, owner, pending) in asked {
        let limit = if framed.parent.is_none() { TREES_LIMIT } else { CALL_LIMIT };
        let owner = match owner {
            Some(pending) => link.answer_by::<FrameOwner>(pending, began + FRAME_LIMIT, FRAME_LIMIT).await.ok(),
            None => None,
        };
        let nodes = match pending {
            Some(pending) => tree::ax_tree(link, framed, pending, began + limit, limit).await,
            None => Ok(Vec::new()),
        };
        let nodes = match nodes {
            Ok(nodes) => nodes,
            Err(problem) if framed.parent.is_none() || is_final(&problem) => return Err(problem),
            Err(problem) => {
                trees.notices.push(partial(&format!("the document {}: {}", framed.url, problem.message)));
                Vec::new()
            }
        };
        trees.documents.push(DocumentTree {
            frame: framed.id.clone(),
            id: framed.document,
            parent: framed.parent,
            owner: owner.map(|o| o.backend_node_id).filter(|b| *b > 0),
            // Where it went to is its own affair.
            url: link.model().read_denied(&framed.id).unwrap_or_else(|| framed.url.clone()),
            origin: framed.origin.clone(),
            session: None,
            nodes,
        });
    }
    Ok(())
}

/// What a document may have told of its password fields before its tree was read, and after.
type Revealed = (Vec<String>, Vec<DocumentId>);

/// Masks what password fields show, and leaves out the tree of a document that doesn't say what they do.
fn hide_passwords(trees: &mut Trees, before: Revealed, after: Revealed) {
    let mut passwords = [before.0, after.0].concat();
    passwords.sort_by_key(|password| std::cmp::Reverse(password.len()));
    redaction::mask(trees, &passwords);
    let silent = [before.1, after.1].concat();
    for document in &mut trees.documents {
        if !document.nodes.is_empty() && document.id.is_some_and(|id| silent.contains(&id)) {
            document.nodes.clear();
            let text = format!("the document {} doesn't say which of its texts are passwords", document.url);
            trees.notices.push(partial(&text));
        }
    }
}

fn is_final(problem: &Problem) -> bool {
    matches!(problem.code, Code::Lost | Code::Blocked)
}

fn partial(text: &str) -> Notice {
    Notice::new("partial", text)
}
