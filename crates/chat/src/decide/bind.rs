//! Which call a result or an approval is about. Without an id it is the conversation's only one that fits; where several do, nothing is
//! done.

use super::call::{Call, Side, Status};
use super::digest::proposal;
use crate::wire::reply::Approval;
use crate::wire::{ChatError, ErrorCode, Page};

/// How ids of calls begin.
pub const OURS: &str = "call_";

/// What a result or an approval comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Bound {
    /// It is about this call, which waits for it.
    Settles(String),
    /// It was said before, and holds.
    Repeats(String),
    /// The call comes to nothing, and why.
    Voids(String, ChatError),
}

fn error(code: ErrorCode, message: impl Into<String>) -> ChatError {
    ChatError::new(code, message)
}

fn over(call: &Call) -> ChatError {
    error(
        ErrorCode::Expired,
        format!("the call `{}` of `{}` came to nothing before: ask again for what is wanted", call.id, call.tool),
    )
}

fn decided(call: &Call) -> ChatError {
    error(ErrorCode::AlreadyDecided, format!("the call `{}` of `{}` was answered otherwise before", call.id, call.tool))
}

fn late(call: &Call) -> Bound {
    let what = format!("the call `{}` of `{}` waited for too long: ask again for what is wanted", call.id, call.tool);
    Bound::Voids(call.id.clone(), error(ErrorCode::Expired, what))
}

/// Binds what a browser tool returned.
pub fn result(calls: &[Call], tool: Option<&str>, id: Option<&str>, text: &str) -> Result<Bound, ChatError> {
    let call = match (id, tool) {
        (Some(id), _) => named(calls, tool, id)?,
        (None, None) => return Err(error(ErrorCode::NoPendingCall, "the result names neither a call nor a tool")),
        (None, Some(tool)) => match unnamed(calls, tool, text)? {
            Some(call) => call,
            None => return Err(error(ErrorCode::NoPendingCall, format!("no call of `{tool}` waits for a result"))),
        },
    };
    match call.status {
        // However late: what was done was done, and the model has to know.
        Status::Offered => Ok(Bound::Settles(call.id.clone())),
        Status::Done if call.result.as_deref() == Some(text) => Ok(Bound::Repeats(call.id.clone())),
        Status::Done | Status::Rejected => Err(decided(call)),
        Status::Void => Err(over(call)),
        Status::Queued | Status::Approved | Status::Running => {
            Err(error(ErrorCode::NoPendingCall, format!("the call `{}` doesn't wait for a result", call.id)))
        }
    }
}

fn named<'a>(calls: &'a [Call], tool: Option<&str>, id: &str) -> Result<&'a Call, ChatError> {
    let Some(call) = calls.iter().find(|call| call.id == id) else {
        let what = format!("the conversation has no call `{}`", id.escape_debug());
        return Err(error(ErrorCode::NoPendingCall, what).at("tool_call_id"));
    };
    if let Some(tool) = tool.filter(|tool| *tool != call.tool) {
        let what = format!("the call `{id}` is one of `{}`, not of `{tool}`", call.tool);
        return Err(error(ErrorCode::NotAsProposed, what).at("tool_call_id"));
    }
    if call.side != Side::Browser {
        let what =
            format!("the call `{id}` of `{}` is carried out by the server: it takes an approval, no result", call.tool);
        return Err(error(ErrorCode::NoPendingCall, what).at("tool_call_id"));
    }
    Ok(call)
}

/// The only call of the tool that waits; else the last one that returned the same.
fn unnamed<'a>(calls: &'a [Call], tool: &str, text: &str) -> Result<Option<&'a Call>, ChatError> {
    let of_tool = || calls.iter().filter(|call| call.tool == tool && call.side == Side::Browser);
    let mut waiting = of_tool().filter(|call| call.status == Status::Offered);
    match (waiting.next(), waiting.next()) {
        (Some(call), None) => Ok(Some(call)),
        (Some(_), Some(_)) => Err(ambiguous(&format!("calls of `{tool}`"), "tool_call_id")),
        (None, _) => {
            let is_done = |call: &&Call| call.side == Side::Browser && call.status == Status::Done;
            let last = calls.iter().filter(is_done).map(|call| call.turn).max();
            Ok(of_tool()
                .filter(|call| Some(call.turn) == last)
                .find(|call| call.status == Status::Done && call.result.as_deref() == Some(text)))
        }
    }
}

fn ambiguous(what: &str, field: &str) -> ChatError {
    error(ErrorCode::AmbiguousCall, format!("several {what} wait: name one by its id in `{field}`")).at(field)
}

/// Binds the person's decision. `page`: the page that it is made on, where it is told; `may_make_up_ids`: whether the client was told
/// no ids, so that it may have made one up. Such a client's decisions have no place for a page, so none is asked of it. `waits`: for how
/// long a call waits.
pub fn approval(
    calls: &[Call],
    approval: &Approval,
    page: Option<&Page>,
    may_make_up_ids: bool,
    (now, waits): (i64, i64),
) -> Result<Bound, ChatError> {
    let call = meant(calls, approval, may_make_up_ids)?;
    match (call.status, approval.approved) {
        (Status::Offered, _) if call.is_late(now, waits) => Ok(late(call)),
        (Status::Offered, true) if call.side != Side::Server => {
            let what = format!(
                "the call `{}` of `{}` is carried out by the browser: it takes a result, no approval",
                call.id, call.tool
            );
            Err(error(ErrorCode::NoPendingCall, what).at("message.toolId"))
        }
        (Status::Offered, true) if approval.hash.as_ref().is_some_and(|hash| *hash != call.hash) => {
            let what = format!("what was approved isn't what the call `{}` of `{}` proposes", call.id, call.tool);
            Err(error(ErrorCode::NotAsProposed, what).at("message.hash"))
        }
        (Status::Offered, true) if (page.is_some() || !may_make_up_ids) && is_elsewhere(call, page) => {
            let why = match page {
                Some(_) => "was proposed on another page, or what it names there is something else now",
                None => "was proposed on a page, and the approval tells of none",
            };
            let what = format!("the call `{}` of `{}` {why}: ask again for what is wanted", call.id, call.tool);
            Ok(Bound::Voids(call.id.clone(), error(ErrorCode::PageChanged, what).at("current_page_info")))
        }
        (Status::Offered, _) => Ok(Bound::Settles(call.id.clone())),
        // The same word again, but of something else.
        (Status::Approved | Status::Running | Status::Done, true) if is_of_another(call, approval) => {
            Err(decided(call))
        }
        (Status::Approved | Status::Running | Status::Done, true) | (Status::Rejected, false) => {
            Ok(Bound::Repeats(call.id.clone()))
        }
        (Status::Approved | Status::Running | Status::Done, false) | (Status::Rejected, true) => Err(decided(call)),
        (Status::Void, _) => Err(over(call)),
        (Status::Queued, _) => Err(nothing_waits()),
    }
}

/// Whether the page, its document or an element that the call names isn't what it was when the call was proposed, or isn't told. A
/// call that was proposed without a page is held to none.
fn is_elsewhere(call: &Call, page: Option<&Page>) -> bool {
    let of = |page| proposal((&*call.id, call.side), &call.tool, &call.arguments, page);
    call.hash != of(page) && call.hash != of(None)
}

/// Whether a decision names other arguments than those that were agreed to.
fn is_of_another(call: &Call, approval: &Approval) -> bool {
    approval.arguments.as_ref().is_some_and(|arguments| arguments.python().replace('\0', "\u{fffd}") != call.arguments)
}

fn nothing_waits() -> ChatError {
    error(ErrorCode::NoPendingCall, "no call waits for a decision")
}

fn meant<'a>(calls: &'a [Call], approval: &Approval, may_make_up_ids: bool) -> Result<&'a Call, ChatError> {
    // The browser asks before it carries a call out; of such calls only a refusal comes this way.
    let waits = |call: &&Call| {
        call.status == Status::Offered
            && (call.side == Side::Server || call.side == Side::Browser && !approval.approved)
    };
    let only = |of: Vec<&'a Call>| match of[..] {
        [call] => Ok(call),
        [] => Err(nothing_waits().at("message.toolId")),
        _ => Err(ambiguous("calls", "message.toolId")),
    };
    let Some(id) = approval.id.as_deref() else { return only(calls.iter().filter(waits).collect()) };
    if let Some(call) = calls.iter().find(|call| call.id == id) {
        return Ok(call);
    }
    // What was decided under the same name before counts only where nothing waits that may be meant: a client that isn't told ids may
    // call each call by its tool, or all of them the same.
    let may_be_any = may_make_up_ids && !id.starts_with(OURS) && calls.iter().all(|call| call.tool != id);
    let meant: Vec<&Call> = calls.iter().filter(waits).filter(|call| may_be_any || call.tool == id).collect();
    if !meant.is_empty() {
        return only(meant);
    }
    let is_named = |call: &&Call| call.client_ref.as_deref() == Some(id) && call.status != Status::Offered;
    if let Some(call) = calls.iter().rev().find(is_named) {
        return Ok(call);
    }
    if may_be_any {
        return Err(nothing_waits().at("message.toolId"));
    }
    let what = format!("the conversation has no call `{}`", id.escape_debug());
    Err(error(ErrorCode::NoPendingCall, what).at("message.toolId"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Element;

    const ARGUMENTS: &str = "{\"to\": [\"e_1\", {\"at\": \"e_2\"}]}";

    /// What calls are proposed on.
    fn page() -> Page {
        let element = |id: &str, desc: &str, print: Option<&str>| Element {
            id: id.into(),
            desc: desc.into(),
            print: print.map(str::to_owned),
        };
        Page {
            url: Some("https://a/#there".into()),
            document: Some("d".into()),
            elements: vec![element("e_1", "x", Some("p")), element("e_2", "y", None), element("e_3", "z", Some("q"))],
            ..Page::default()
        }
    }

    fn call(id: &str, tool: &str, side: Side, status: Status) -> Call {
        let (turn, place) = (1, 0);
        let result = (status == Status::Done).then(|| "r".to_owned());
        let (tool, arguments, id) = (tool.to_owned(), ARGUMENTS.to_owned(), format!("call_{id}"));
        let hash = proposal((&*id, side), &tool, &arguments, Some(&page()));
        let page = Some("https://a/".to_owned());
        Call {
            id,
            turn,
            place,
            tool,
            side,
            arguments,
            hash,
            status,
            page,
            client_ref: None,
            result,
            failed: false,
            expires: 10,
            question: None,
            offered: 1,
        }
    }

    fn word(bound: Result<Bound, ChatError>) -> String {
        match bound {
            Ok(Bound::Settles(id)) => format!("settles {id}"),
            Ok(Bound::Repeats(id)) => format!("repeats {id}"),
            Ok(Bound::Voids(id, error)) => format!("voids {id} {}", error.code.word()),
            Err(error) => error.code.word().to_owned(),
        }
    }

    #[test]
    fn a_result_is_bound_to_the_only_call_that_it_can_be_of() {
        use Side::{Browser, Server};
        use Status::{Done, Offered, Queued, Void};
        let one = [
            call("a", "act", Browser, Offered),
            call("b", "read", Browser, Offered),
            call("s", "act", Server, Offered),
        ];
        let two = [call("a", "act", Browser, Offered), call("b", "act", Browser, Offered)];
        let held = [call("a", "act", Browser, Offered), call("b", "act", Browser, Queued)];
        let done = [call("a", "act", Browser, Done)];
        let void = [call("a", "act", Browser, Void)];
        for (calls, tool, id, text, wanted) in [
            (&one[..], "act", None, "r", "settles call_a"),
            (&one, "read", None, "r", "settles call_b"),
            (&one, "other", None, "r", "no_pending_call"),
            (&one, "act", Some("call_b"), "r", "not_as_proposed"),
            (&one, "act", Some("call_s"), "r", "no_pending_call"),
            (&one, "act", Some("call_x"), "r", "no_pending_call"),
            (&one, "act", None, "r", "settles call_a"),
            (&two, "act", None, "r", "ambiguous_call"),
            (&two, "act", Some("call_b"), "r", "settles call_b"),
            (&held, "act", None, "r", "settles call_a"),
            (&held, "act", Some("call_b"), "r", "no_pending_call"),
            (&done, "act", None, "r", "repeats call_a"),
            (&done, "act", Some("call_a"), "r", "repeats call_a"),
            (&done, "act", None, "other", "no_pending_call"),
            (&done, "act", Some("call_a"), "other", "already_decided"),
            (&void, "act", Some("call_a"), "r", "expired"),
            (&void, "act", None, "r", "no_pending_call"),
            (&[], "act", None, "r", "no_pending_call"),
        ] {
            assert_eq!(word(result(calls, Some(tool), id, text)), wanted, "{tool} {id:?} {text}");
        }
    }

    #[test]
    fn an_approval_is_bound_to_what_was_proposed_once() {
        use Side::{Browser, Server};
        use Status::{Done, Offered, Queued, Rejected, Running, Void};
        let one = [call("a", "search", Server, Offered), call("b", "act", Browser, Offered)];
        let two = [call("a", "search", Server, Offered), call("b", "query", Server, Offered)];
        let mut done = [call("a", "search", Server, Done)];
        done[0].client_ref = Some("tool_1".into());
        let mut next = [call("a", "search", Server, Done), call("b", "search", Server, Offered)];
        next[0].client_ref = Some("search".into());
        let mut made_up = [call("a", "search", Server, Done), call("b", "query", Server, Offered)];
        made_up[0].client_ref = Some("tool_1".into());
        let of = |status| [call("a", "search", Server, status)];
        let (running, rejected, void, queued) = (of(Running), of(Rejected), of(Void), of(Queued));
        let right = call("a", "search", Server, Offered).hash;
        let away = Page { url: Some("https://b/".into()), ..page() };
        let (here, there) = (Some(&page()), Some(&away));
        for (calls, id, approved, hash, page, made_up, now, wanted) in [
            (&one[..], Some("call_a"), true, None, here, false, 0, "settles call_a"),
            (&one, Some("call_a"), true, Some(&*right), here, false, 0, "settles call_a"),
            (&one, Some("call_a"), true, Some("x"), None, false, 0, "not_as_proposed"),
            (&one, Some("call_a"), true, None, there, false, 0, "voids call_a page_changed"),
            (&one, Some("call_a"), true, None, None, false, 0, "voids call_a page_changed"),
            (&one, Some("call_a"), true, Some(&*right), None, false, 0, "voids call_a page_changed"),
            (&one, None, true, None, None, false, 0, "voids call_a page_changed"),
            (&one, Some("call_a"), true, None, None, true, 0, "settles call_a"),
            (&one, Some("call_a"), true, None, there, true, 0, "voids call_a page_changed"),
            (&one, Some("call_a"), false, None, None, false, 0, "settles call_a"),
            (&one, Some("call_a"), false, Some("x"), there, false, 0, "settles call_a"),
            (&one, Some("call_a"), true, None, None, false, 11, "voids call_a expired"),
            // The clock was set back: by little, and by much.
            (&one, Some("call_a"), true, None, here, false, -60_000, "settles call_a"),
            (&one, Some("call_a"), true, None, here, false, -60_001, "voids call_a expired"),
            (&one, Some("call_a"), true, None, here, false, i64::MIN, "voids call_a expired"),
            (&one, None, true, None, here, false, 0, "settles call_a"),
            (&one, None, false, None, None, false, 0, "ambiguous_call"),
            (&one, Some("search"), true, None, here, false, 0, "settles call_a"),
            (&one, Some("tool_xxx"), true, None, None, true, 0, "settles call_a"),
            (&one, Some("tool_xxx"), true, None, None, false, 0, "no_pending_call"),
            (&one, Some("call_x"), true, None, None, true, 0, "no_pending_call"),
            (&one, Some("call_b"), true, None, None, false, 0, "no_pending_call"),
            (&one, Some("call_b"), false, None, None, false, 0, "settles call_b"),
            (&two, None, true, None, None, false, 0, "ambiguous_call"),
            (&two, Some("tool_xxx"), true, None, None, true, 0, "ambiguous_call"),
            (&two, Some("query"), true, None, None, true, 0, "settles call_b"),
            (&next, Some("search"), true, None, here, true, 0, "settles call_b"),
            (&next, Some("search"), false, None, None, true, 0, "settles call_b"),
            (&next, Some("call_a"), true, None, None, true, 0, "repeats call_a"),
            (&made_up, Some("tool_1"), true, None, None, true, 0, "settles call_b"),
            (&made_up, Some("tool_1"), true, None, None, false, 0, "repeats call_a"),
            // A tool's name is no name that was made up.
            (&made_up, Some("search"), true, None, None, true, 0, "no_pending_call"),
            (&done, Some("call_a"), true, None, there, false, 11, "repeats call_a"),
            (&done, Some("tool_1"), true, None, None, true, 0, "repeats call_a"),
            (&done, Some("tool_2"), true, None, None, true, 0, "no_pending_call"),
            (&done, Some("call_a"), false, None, None, false, 0, "already_decided"),
            (&running, Some("call_a"), true, None, None, false, 0, "repeats call_a"),
            (&rejected, Some("call_a"), false, None, None, false, 0, "repeats call_a"),
            (&rejected, Some("call_a"), true, None, None, false, 0, "already_decided"),
            (&void, Some("call_a"), true, None, None, false, 0, "expired"),
            (&queued, Some("call_a"), true, None, None, false, 0, "no_pending_call"),
            (&[], None, true, None, None, true, 0, "no_pending_call"),
        ] {
            let (id, hash) = (id.map(str::to_owned), hash.map(str::to_owned));
            let said = Approval { id: id.clone(), approved, arguments: None, hash, reason: None, grants: false };
            assert_eq!(
                word(approval(calls, &said, page, made_up, (now, 10))),
                wanted,
                "{id:?} {approved} {page:?} {now}"
            );
        }
    }

    /// An approval holds on the page, in the document and for the elements that its call was proposed for.
    #[test]
    fn an_approval_is_void_where_what_the_call_names_has_changed() {
        let (one, said) = (
            [call("a", "search", Side::Server, Status::Offered)],
            Approval {
                id: Some("call_a".into()),
                approved: true,
                arguments: None,
                hash: None,
                reason: None,
                grants: false,
            },
        );
        type Change = fn(&mut Page);
        let changes: [(&str, Change, bool); 13] = [
            ("nothing", |_| (), false),
            ("another fragment", |page| page.url = Some("https://a/#here".into()), false),
            ("no fragment", |page| page.url = Some("https://a/".into()), false),
            ("another title", |page| page.title = Some("x".into()), false),
            ("another selection", |page| page.selected = Some("x".into()), false),
            ("an element that isn't named", |page| page.elements[2].print = Some("x".into()), false),
            ("the order of elements", |page| page.elements.reverse(), false),
            ("another address", |page| page.url = Some("https://a/b".into()), true),
            ("another origin", |page| page.url = Some("http://a/".into()), true),
            ("another document", |page| page.document = Some("e".into()), true),
            ("a fingerprint", |page| page.elements[0].print = Some("x".into()), true),
            ("a description, where that is all that is told", |page| page.elements[1].desc = "x".into(), true),
            ("an element that is gone", |page| drop(page.elements.remove(0)), true),
        ];
        for (what, change, is_void) in changes {
            let mut now = page();
            change(&mut now);
            let wanted = if is_void { "voids call_a page_changed" } else { "settles call_a" };
            assert_eq!(word(approval(&one, &said, Some(&now), false, (0, 10))), wanted, "{what}");
        }
        // A call that was proposed without a page holds on any.
        let mut bare = one;
        bare[0].hash = proposal(("call_a", Side::Server), "search", ARGUMENTS, None);
        assert_eq!(word(approval(&bare, &said, Some(&page()), false, (0, 10))), "settles call_a");
        assert_eq!(word(approval(&bare, &said, None, false, (0, 10))), "settles call_a");
    }

    #[test]
    fn a_client_without_ids_is_told_of_nothing_that_it_could_mix_up() {
        use super::super::offer::{Naming, offers};
        use Side::{Browser, Server};
        use Status::{Done, Offered, Queued};
        let queued = |id, tool, side| call(id, tool, side, Queued);
        let all = [
            queued("a", "act", Browser),
            queued("b", "read", Browser),
            queued("c", "act", Browser),
            queued("d", "x", Server),
        ];
        assert_eq!(offers(&all, Naming::Ids).len(), 4);
        assert_eq!(offers(&all, Naming::Nothing), ["call_a", "call_b"]);
        let next = [
            call("a", "act", Browser, Done),
            call("b", "read", Browser, Offered),
            queued("c", "act", Browser),
            queued("d", "x", Server),
            queued("e", "y", Server),
        ];
        assert_eq!(offers(&next, Naming::Nothing), ["call_c", "call_d"]);
    }
}
