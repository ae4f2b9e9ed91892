//! Answering script dialogs.

use crate::cdp::link::{CALL_LIMIT, Link};
use crate::input::settle;
use handeye_scene::{Code, OpenDialog, Problem};
use serde_json::{Value, json};

pub(crate) async fn answer(link: &Link, accept: bool, text: Option<&str>) -> Result<OpenDialog, Problem> {
    link.check_page()?;
    let open = link.model().pages.dialog().cloned();
    let Some((session, dialog)) = open else {
        return Err(match link.model().pages.dialog_elsewhere() {
            Some((tab, _)) => {
                Problem::new(Code::NotFound, format!("no dialog is open in this tab; tab {tab} shows one"))
                    .hint(format!("handeye tabs switch {tab}"))
            }
            None => Problem::new(Code::NotFound, "no dialog is open").hint("handeye state"),
        });
    };
    if text.is_some() && dialog.kind != "prompt" {
        return Err(Problem::new(
            Code::BadRequest,
            format!("the open dialog is of kind {}, which takes no text", dialog.kind),
        )
        .hint("handeye dialog accept"));
    }
    drop(settle::begin(link));
    // Gone before it is answered: what opens meanwhile is another one, even where it says the same.
    let target = link.model().pages.active.clone().unwrap_or_default();
    link.model().pages.dialogs.remove(&target);
    let mut params = json!({ "accept": accept });
    if let Some(text) = text.or((dialog.kind == "prompt").then_some(dialog.default.as_str())) {
        params["promptText"] = json!(text);
    }
    let answered = link.call::<Value>(Some(&session), "Page.handleJavaScriptDialog", params, CALL_LIMIT).await;
    if let Err(problem) = answered {
        link.model().pages.dialogs.entry(target).or_insert((session, dialog));
        return Err(problem);
    }
    Ok(dialog)
}
