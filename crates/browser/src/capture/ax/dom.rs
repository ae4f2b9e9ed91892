//! The DOM of a session: as a whole where the browser can describe it so, else in parts that are put together.

use super::reader::{Read, in_order, read};
use crate::cdp::link::Link;
use crate::cdp::transport::CallError;
use handeye_scene::{Code, DomKind, Problem, SessionTree};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// Depths to ask for, one after the other: a description that nests too deep is refused as a whole.
const DEPTHS: [i32; 10] = [-1, 256, 128, 64, 32, 16, 8, 4, 2, 1];
/// How the browser words that refusal.
const TOO_DEEP: &str = "CBOR: stack limit exceeded";
/// How many nodes are asked about at once.
const AT_ONCE: usize = 16;

/// The DOM of a session, and whether all of it is there.
pub(crate) struct SessionDom {
    pub(crate) tree: SessionTree,
    pub(crate) whole: bool,
}

/// One call's place and limit.
#[derive(Clone, Copy)]
struct Place<'a> {
    session: &'a str,
    pierce: bool,
    deadline: Instant,
    limit: Duration,
}

/// The DOM of a session with the documents of its own frames, and with `pierce` its shadow roots.
pub(crate) async fn session_dom(
    link: &Link,
    session: &str,
    pierce: bool,
    limit: Duration,
) -> Result<SessionDom, Problem> {
    let place = Place { session, pierce, deadline: Instant::now() + limit, limit };
    // White space counts where a text's place among its siblings is told.
    link.connection.notify(Some(session), "DOM.enable", json!({ "includeWhitespace": "all" }));
    let read = whole_dom(link, place).await;
    // While it is on, the browser tells of every change, which slows pages that change a lot.
    link.connection.notify(Some(session), "DOM.disable", json!({}));
    read
}

async fn whole_dom(link: &Link, place: Place<'_>) -> Result<SessionDom, Problem> {
    let raw = described(link, place, "DOM.getDocument", json!({})).await?;
    let mut list = Vec::new();
    read(raw.get(), "root", None, &mut list).map_err(|e| unreadable("DOM.getDocument", &e))?;
    let whole = hydrate(link, place, &mut list).await?;
    if !place.pierce {
        list.iter_mut().filter(|r| is_root(r)).for_each(|r| r.dead = true);
    }
    Ok(SessionDom { tree: SessionTree { nodes: in_order(&list) }, whole })
}

/// Asks for a description, less deep each time the browser says that it nests too deep; any other refusal is final.
async fn described(
    link: &Link,
    place: Place<'_>,
    method: &'static str,
    mut params: Value,
) -> Result<Box<RawValue>, Problem> {
    params["pierce"] = json!(place.pierce);
    let mut last = None;
    for depth in DEPTHS {
        params["depth"] = json!(depth);
        let pending = link.connection.send(Some(place.session), method, &params);
        match link.reply_by(pending, place.deadline, place.limit).await? {
            Ok(raw) => return Ok(raw),
            Err(CallError::Refused { message, .. }) if message.contains(TOO_DEEP) => last = Some(message),
            Err(other) => return Err(link.problem(other)),
        }
    }
    let why = last.unwrap_or_default();
    Err(Problem::new(Code::Unsupported, format!("the browser can't describe the page: {why}")).hint("handeye state"))
}

/// Fills in the nodes of which fewer children were told than they have; false when some are left.
async fn hydrate(link: &Link, place: Place<'_>, list: &mut Vec<Read>) -> Result<bool, Problem> {
    let mut whole = true;
    loop {
        let short = short_of(list, place.pierce);
        if short.is_empty() {
            return Ok(whole);
        }
        if Instant::now() >= place.deadline {
            return Ok(false);
        }
        let short: Vec<(usize, Vec<usize>)> = short.into_iter().collect();
        for some in short.chunks(AT_ONCE) {
            let mut asked = Vec::new();
            for (at, _) in some {
                let params = json!({ "backendNodeId": list[*at].node.backend });
                asked.push(described(link, place, "DOM.describeNode", params));
            }
            let answers = futures_util::future::join_all(asked).await;
            for ((at, inside), answer) in some.iter().zip(answers) {
                whole &= match answer {
                    Ok(raw) => fill(list, *at, inside, raw.get()),
                    Err(problem) if matches!(problem.code, Code::Lost | Code::Blocked) => return Err(problem),
                    // Gone meanwhile, or out of time.
                    Err(_) => give_up(list, *at),
                };
            }
        }
    }
}

fn is_root(read: &Read) -> bool {
    matches!(read.node.kind, DomKind::Root | DomKind::AgentRoot)
}

/// The nodes that are short of children, with what was told to be in them.
fn short_of(list: &[Read], pierce: bool) -> HashMap<usize, Vec<usize>> {
    let is_short = |r: &Read| !r.dead && r.told < r.declared && (pierce || !is_root(r));
    let mut short: HashMap<usize, Vec<usize>> =
        list.iter().enumerate().filter(|(_, r)| is_short(r)).map(|(i, _)| (i, Vec::new())).collect();
    if !short.is_empty() {
        for (i, read) in list.iter().enumerate() {
            if let Some(inside) = read.node.parent.and_then(|p| short.get_mut(&p)) {
                inside.push(i);
            }
        }
    }
    short
}

/// Puts what a fuller description says in the place of what was told; whether it could be read.
fn fill(list: &mut Vec<Read>, at: usize, inside: &[usize], text: &str) -> bool {
    let Ok(fuller) = read(text, "node", None, list) else { return give_up(list, at) };
    for old in inside {
        list[*old].dead = true;
    }
    for new in list.iter_mut().skip(fuller + 1).filter(|new| new.node.parent == Some(fuller)) {
        new.node.parent = Some(at);
    }
    list[fuller].dead = true;
    let told = list[fuller].told;
    // The page may have changed meanwhile: what is there now is all there is.
    (list[at].told, list[at].declared) = (told, told);
    true
}

fn give_up(list: &mut [Read], at: usize) -> bool {
    list[at].declared = list[at].told;
    false
}

pub(crate) fn unreadable(method: &str, error: &serde_json::Error) -> Problem {
    Problem::new(Code::Bug, format!("the answer to {method} can't be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_off_node_is_filled_in_and_what_is_cut_off_in_it_is_found_next() {
        let mut list = Vec::new();
        let root = r#"{"root":{"backendNodeId":1,"nodeType":9,"childNodeCount":1,"children":[
            {"backendNodeId":2,"nodeType":1,"localName":"html","childNodeCount":2,"shadowRoots":[{"backendNodeId":3,"nodeType":11}]}]}}"#;
        read(root, "root", None, &mut list).unwrap();
        let short = short_of(&list, true);
        assert_eq!(short.keys().collect::<Vec<_>>(), [&1]);
        let fuller = r#"{"node":{"backendNodeId":2,"nodeType":1,"localName":"html","childNodeCount":2,
            "shadowRoots":[{"backendNodeId":3,"nodeType":11,"childNodeCount":1}],
            "children":[{"backendNodeId":4,"nodeType":1,"localName":"head"},{"backendNodeId":5,"nodeType":1,"localName":"body","childNodeCount":9}]}}"#;
        assert!(fill(&mut list, 1, &short[&1], fuller));
        let backends: Vec<i64> = in_order(&list).iter().map(|n| n.backend).collect();
        assert_eq!(backends, [1, 2, 3, 4, 5]);
        let mut next: Vec<i64> = short_of(&list, true).keys().map(|i| list[*i].node.backend).collect();
        next.sort_unstable();
        assert_eq!(next, [3, 5]);
        let next: Vec<i64> = short_of(&list, false).keys().map(|i| list[*i].node.backend).collect();
        assert_eq!(next, [5]);
        for at in short_of(&list, true).into_keys() {
            assert!(!fill(&mut list, at, &[], "not JSON"));
        }
        assert!(short_of(&list, true).is_empty());
    }
}
