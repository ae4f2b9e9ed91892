//! The frames of the tab, merged over its sessions: the tree of one session leaves out frames of other processes.

use crate::cdp::link::{FRAME_LIMIT, Link};
use crate::protocol::{FrameTree, FrameTreeReply};
use handeye_scene::{DocumentId, Problem};
use serde_json::json;
use std::collections::HashMap;
use tokio::time::Instant;

/// One frame of the tab.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Framed {
    pub(crate) id: String,
    /// Index of its parent in the list.
    pub(crate) parent: Option<usize>,
    /// The session that its document is asked in.
    pub(crate) session: String,
    /// Whether it is the first frame of that session.
    pub(crate) first: bool,
    pub(crate) url: String,
    pub(crate) origin: String,
    pub(crate) document: Option<DocumentId>,
}

/// What one session says of its frames.
pub(crate) struct Told {
    pub(crate) session: String,
    pub(crate) tree: FrameTree,
    /// The parent of its first frame as the browser told it on attaching; the tree itself may not say.
    pub(crate) above: Option<String>,
}

/// The frames of all sessions as one list: parents before children, siblings as they are ranked.
pub(crate) fn merge(main: &str, told: Vec<Told>, rank: impl Fn(&str) -> usize) -> Vec<Framed> {
    let mut by_id: HashMap<String, (Option<String>, Framed)> = HashMap::new();
    for Told { session, tree, above } in told {
        let mut stack = vec![(tree, above, true)];
        while let Some((FrameTree { frame, child_frames }, above, first)) = stack.pop() {
            let framed = Framed {
                id: frame.id.clone(),
                session: session.clone(),
                first,
                url: format!("{}{}", frame.url, frame.url_fragment.unwrap_or_default()),
                origin: match frame.security_origin.as_str() {
                    "" | "://" => "null".into(),
                    origin => origin.into(),
                },
                ..Framed::default()
            };
            stack.extend(child_frames.into_iter().map(|child| (child, Some(frame.id.clone()), false)));
            let parent = frame.parent_id.or(above).filter(|_| frame.id != main);
            // While a frame moves into a process of its own, its own session knows better than the one it leaves.
            let known = by_id.get(&frame.id).is_some_and(|(_, other)| other.first && !first);
            if !known {
                by_id.insert(frame.id, (parent, framed));
            }
        }
    }
    in_order(main, by_id, rank)
}

fn in_order(
    main: &str,
    mut by_id: HashMap<String, (Option<String>, Framed)>,
    rank: impl Fn(&str) -> usize,
) -> Vec<Framed> {
    let mut children: HashMap<String, Vec<String>> = HashMap::new();
    for (id, (parent, _)) in &by_id {
        if let Some(parent) = parent {
            children.entry(parent.clone()).or_default().push(id.clone());
        }
    }
    let mut out = Vec::new();
    let mut stack = vec![(main.to_owned(), None)];
    while let Some((id, parent)) = stack.pop() {
        let Some((_, framed)) = by_id.remove(&id) else { continue };
        let index = out.len();
        out.push(Framed { parent, ..framed });
        let mut below = children.remove(&id).unwrap_or_default();
        below.sort_by_key(|id| (rank(id), id.clone()));
        stack.extend(below.into_iter().rev().map(|id| (id, Some(index))));
    }
    out
}

/// Every frame of the tab; the sessions that don't tell of theirs are named.
pub(crate) async fn frame_list(link: &Link) -> Result<(Vec<Framed>, Vec<String>), Problem> {
    let (main, sessions) = {
        let model = link.model();
        let main = model.pages.active.clone().unwrap_or_default();
        let mut sessions: Vec<(String, String, Option<String>)> = model
            .pages
            .sessions
            .iter()
            .filter(|(_, frame)| model.pages.is_active(frame))
            .map(|(s, frame)| (s.clone(), frame.clone(), model.pages.frames.get(frame).and_then(|f| f.parent.clone())))
            .collect();
        sessions.sort_by_key(|(_, frame, _)| (*frame != main, frame.clone()));
        (main, sessions)
    };
    let asked: Vec<_> = sessions
        .into_iter()
        .map(|(session, frame, above)| {
            let pending = link.connection.send(Some(&session), "Page.getFrameTree", json!({}));
            (session, frame, above, pending)
        })
        .collect();
    let deadline = Instant::now() + FRAME_LIMIT;
    let (mut told, mut silent) = (Vec::new(), Vec::new());
    for (session, frame, above, pending) in asked {
        match link.answer_by::<FrameTreeReply>(pending, deadline, FRAME_LIMIT).await {
            Ok(reply) => told.push(Told { session, tree: reply.frame_tree, above }),
            Err(problem) if frame == main => return Err(problem),
            Err(_) => silent.push(link.model().pages.frames.get(&frame).map(|f| f.url.clone()).unwrap_or_default()),
        }
    }
    let model = link.model();
    let mut list = merge(&main, told, |id| model.pages.frames.get(id).map_or(usize::MAX, |f| f.serial));
    for framed in &mut list {
        framed.document = model.pages.frames.get(&framed.id).and_then(|f| f.document);
    }
    Ok((list, silent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::FrameInfo;

    fn tree(id: &str, children: Vec<FrameTree>) -> FrameTree {
        let frame = FrameInfo { id: id.into(), url: format!("u:{id}"), ..FrameInfo::default() };
        FrameTree { frame, child_frames: children }
    }

    fn told(session: &str, above: Option<&str>, tree: FrameTree) -> Told {
        Told { session: session.into(), tree, above: above.map(str::to_owned) }
    }

    fn lines(told: Vec<Told>, order: &str) -> Vec<String> {
        let list = merge("main", told, |id| order.find(id).unwrap_or(usize::MAX));
        let line = |f: &Framed| {
            let above = f.parent.map_or("-", |p| list[p].id.as_str());
            format!("{} in {above} by {}{}", f.id, f.session, if f.first { " first" } else { "" })
        };
        list.iter().map(line).collect()
    }

    #[test]
    fn frames_of_other_processes_stand_where_they_are_shown() {
        let told = vec![
            told("s1", None, tree("main", vec![tree("b", vec![]), tree("d", vec![])])),
            told("s2", Some("main"), tree("c", vec![tree("e", vec![])])),
            told("s3", Some("e"), tree("f", vec![])),
        ];
        assert_eq!(
            lines(told, "main b c d e f"),
            [
                "main in - by s1 first",
                "b in main by s1",
                "c in main by s2 first",
                "e in c by s2",
                "f in e by s3 first",
                "d in main by s1"
            ]
        );
    }

    #[test]
    fn a_frame_that_two_sessions_tell_of_belongs_to_its_own() {
        for swapped in [false, true] {
            let mut list = vec![
                told("s1", None, tree("main", vec![tree("b", vec![])])),
                told("s2", Some("main"), tree("b", vec![])),
            ];
            if swapped {
                list.reverse();
            }
            assert_eq!(lines(list, "main b"), ["main in - by s1 first", "b in main by s2 first"]);
        }
    }

    #[test]
    fn a_frame_whose_parent_is_unknown_is_left_out_and_a_circle_ends() {
        let told = vec![
            told("s1", None, tree("main", vec![])),
            told("s2", Some("nowhere"), tree("b", vec![])),
            told("s3", Some("c"), tree("c", vec![])),
        ];
        assert_eq!(lines(told, ""), ["main in - by s1 first"]);
    }
}
