//! Contexts of scripts: the world that our own script runs in, of each document.

use super::sessions::release;
use super::thaw;
use crate::cdp::link::Link;
use crate::page::WORLD;
use crate::protocol::ContextCreated;
use serde_json::json;

pub(super) fn created(link: &Link, session: &str, created: ContextCreated) {
    let context = created.context;
    let frame_id = context.aux_data.frame_id;
    if frame_id.is_empty() {
        return;
    }
    let mut model = link.model();
    if context.aux_data.is_default {
        let frame = model.pages.frame(&frame_id, session);
        frame.main_context = Some(context.unique_id);
        frame.main_context_id = context.id;
        frame.opaque = matches!(context.origin.as_str(), "" | "null" | "://");
        return;
    }
    if context.name != WORLD {
        return;
    }
    model.pages.enter(&frame_id, session, &context.unique_id, context.id);
    // A document of ours starts denying; while a gesture is under way it goes on doing so.
    if model.browser.owned && !model.guard.is_armed {
        release(&link.connection, session, &context.unique_id);
    }
    if model.guard.is_armed && !model.browser.owned {
        let params =
            json!({ "functionDeclaration": "() => globalThis.handeye?.deny()", "uniqueContextId": context.unique_id });
        link.connection.notify(Some(session), "Runtime.callFunctionOn", params);
    }
    if model.gesture.recording {
        let watch = json!({ "functionDeclaration": "() => globalThis.handeye?.watch(true)", "uniqueContextId": context.unique_id });
        link.connection.notify(Some(session), "Runtime.callFunctionOn", watch);
    }
    model.touch();
    drop(model);
    thaw::came(link, session, &frame_id, &context.unique_id);
}
