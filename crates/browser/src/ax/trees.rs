//! All trees of the tab, put together.

use super::frames::Framed;
use crate::protocol::{Evaluated, FrameOwner};
use crate::surface::{Browser, CALL_LIMIT, FRAME_LIMIT};
use handeye_scene::{Code, DocumentId, DocumentTree, NativeId, Notice, Problem, TreeWant, Trees, Web};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long the trees of a page may take: on 6,000 controls the browser takes 3 s for one.
const TREES_LIMIT: Duration = Duration::from_secs(30);

/// `DOM.describeNode`, of which only the node's number is wanted.
#[derive(Deserialize)]
struct Described {
    node: DescribedNode,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DescribedNode {
    backend_node_id: i64,
}

impl Browser {
    pub(crate) async fn browser_trees(&mut self, want: TreeWant) -> Result<Trees, Problem> {
        self.check_dialog()?;
        self.wait_for_main_document(CALL_LIMIT).await?;
        // What lies in closed roots is to be found by its path afterwards.
        let documents = self.shared.world().readable_documents();
        let busy = self.find_hidden(&documents).await?;
        let answering: Vec<DocumentId> = documents.iter().map(|d| d.1).filter(|d| !busy.contains(d)).collect();
        let (frames, silent) = self.frame_list().await?;
        let (url, title) = self.location().await?;
        let mut trees = Trees { url, title, ..Trees::default() };
        trees.notices.extend(self.shared.world().left_out());
        for url in silent {
            trees.notices.push(partial(&format!("the document {url} doesn't answer")));
        }
        let focus = match want.focus {
            Some(id) => Some(self.focus_of(id, &frames).await?),
            None => None,
        };
        let sessions = self.sessions_of(&frames, want, &mut trees).await?;
        let before = self.revealed(&answering).await;
        // While it is on, what is computed for one document serves the next; it costs the page, so not for longer.
        self.accessibility(&frames, "Accessibility.enable");
        let read = self.read_documents(&frames, focus.map(|f| f.0), &mut trees).await;
        self.accessibility(&frames, "Accessibility.disable");
        read?;
        let after = self.revealed(&answering).await;
        hide_passwords(&mut trees, before, after);
        for (document, framed) in trees.documents.iter_mut().zip(&frames) {
            document.session = sessions.get(framed.session.as_str()).copied();
        }
        trees.focus = focus;
        Ok(trees)
    }

    fn accessibility(&self, frames: &[Framed], method: &'static str) {
        for framed in frames.iter().filter(|f| f.first) {
            self.connection.tell(Some(&framed.session), method, json!({}));
        }
    }

    /// The DOM of every session; gives where each stands.
    async fn sessions_of<'a>(
        &self,
        frames: &'a [Framed],
        want: TreeWant,
        trees: &mut Trees,
    ) -> Result<HashMap<&'a str, usize>, Problem> {
        let mut out = HashMap::new();
        let firsts: Vec<&Framed> = frames.iter().filter(|f| f.first).collect();
        let mut asked = Vec::new();
        for framed in &firsts {
            let limit = if framed.parent.is_none() { TREES_LIMIT } else { CALL_LIMIT };
            asked.push(self.session_dom(&framed.session, want.pierce, limit));
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
    async fn read_documents(&self, frames: &[Framed], only: Option<usize>, trees: &mut Trees) -> Result<(), Problem> {
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
                    self.connection.send(Some(session), "DOM.getFrameOwner", json!({ "frameId": framed.id }))
                });
                let unread = self.shared.world().unread(&framed.id).is_some();
                (framed, owner, (is_wanted(i) && !unread).then(|| self.ask_ax_tree(framed)))
            })
            .collect();
        for (framed, owner, ticket) in asked {
            let limit = if framed.parent.is_none() { TREES_LIMIT } else { CALL_LIMIT };
            let owner = match owner {
                Some(ticket) => self.answer_by::<FrameOwner>(ticket, began + FRAME_LIMIT, FRAME_LIMIT).await.ok(),
                None => None,
            };
            let nodes = match ticket {
                Some(ticket) => self.ax_tree(framed, ticket, began + limit, limit).await,
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
                url: self.shared.world().unread(&framed.id).unwrap_or_else(|| framed.url.clone()),
                origin: framed.origin.clone(),
                session: None,
                nodes,
            });
        }
        Ok(())
    }

    /// Where an element stands in the trees: index of its document, backend node.
    pub(super) async fn focus_of(&self, id: NativeId, frames: &[Framed]) -> Result<(usize, i64), Problem> {
        let gone = || Problem::new(Code::Stale, "the element to focus on is gone").hint("handeye state");
        let at = frames.iter().position(|f| f.document == Some(id.document())).ok_or_else(gone)?;
        let context = self.shared.world().document(id.document()).map(|d| d.context.clone()).ok_or_else(gone)?;
        let session = Some(frames[at].session.as_str());
        let params = json!({ "expression": format!("handeye.element({})", id.number()), "uniqueContextId": context });
        let evaluated: Evaluated =
            self.answer(self.connection.send(session, "Runtime.evaluate", params), CALL_LIMIT).await?;
        let object = evaluated.result.object_id.ok_or_else(gone)?;
        let params = json!({ "objectId": object });
        let described =
            self.answer::<Described>(self.connection.send(session, "DOM.describeNode", params), CALL_LIMIT).await;
        self.connection.tell(session, "Runtime.releaseObject", json!({ "objectId": object }));
        Ok((at, described?.node.backend_node_id))
    }
}

/// What a document may have told of its password fields before its tree was read, and after.
type Revealed = (Vec<String>, Vec<DocumentId>);

/// Masks what password fields show, and leaves out the tree of a document that doesn't say what they do.
fn hide_passwords(trees: &mut Trees, before: Revealed, after: Revealed) {
    let mut passwords = [before.0, after.0].concat();
    passwords.sort_by_key(|password| std::cmp::Reverse(password.len()));
    crate::conceal::mask(trees, &passwords);
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
