//! Where a page is, and what it says of itself as a whole.

use super::tabs;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::page_call::{PageError, gone};
use handeye_scene::{Code, DocumentId, NativeId, Point, Problem, ScrollState};
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

/// Address and title, as the page itself says or, where it can't be asked now, the browser.
pub(crate) async fn location(link: &Link, limit: Duration) -> Result<(String, String), Problem> {
    link.check_page()?;
    let document = {
        let model = link.model();
        model.pages.main_document().filter(|_| model.pages.dialog().is_none())
    };
    let Some(document) = document else {
        // The page can't be asked now; the browser can.
        tabs::refresh(link).await?;
        let model = link.model();
        let tab = model.pages.tab().cloned().unwrap_or_default();
        // The tab's address may be one that is only being asked for, such as behind a beforeunload dialog.
        let url = model.pages.main_frame().map(|f| f.url.clone()).filter(|u| !u.is_empty()).unwrap_or(tab.url);
        return Ok((url, tab.title));
    };
    let known = link.model().pages.document(document).map(|d| (d.session.clone(), d.context.clone()));
    let (session, context) = known.unwrap_or_default();
    let asked = "(({ url, title }) => [url, title])(handeye.about())";
    let params = json!({ "expression": asked, "uniqueContextId": context, "returnByValue": true });
    let pending = link.connection.send(Some(&session), "Runtime.evaluate", params);
    match link.page_reply(pending, limit).await {
        // It goes elsewhere just now, or holds a dialog: what the browser last said of the tab.
        Err(PageError::Gone) => {
            let tab = link.model().pages.tab().cloned().unwrap_or_default();
            Ok((tab.url, tab.title))
        }
        other => other.map_err(gone),
    }
}

pub(crate) async fn ask_of(link: &Link, function: &str, of: Option<NativeId>) -> Result<String, Problem> {
    link.check_dialog()?;
    link.wait_for_main_document(CALL_LIMIT).await?;
    let document = match of {
        Some(id) => id.document(),
        None => main_document(link)?,
    };
    let text: Option<String> =
        link.page_call_now(document, function, &[json!(of.map(NativeId::number))], CALL_LIMIT * 3).await?;
    Ok(text.unwrap_or_default())
}

/// Where a scroller stands, as the page script tells it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Scroller {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    page_width: f64,
    page_height: f64,
}

/// How far the page is scrolled.
pub(crate) async fn scrolled(link: &Link) -> Result<ScrollState, Problem> {
    link.check_dialog()?;
    link.wait_for_main_document(CALL_LIMIT).await?;
    let document = main_document(link)?;
    let told: Scroller = link.page_call_now(document, "scrollState", &[json!(null)], CALL_LIMIT).await?;
    Ok(ScrollState {
        at: Point { x: told.x, y: told.y },
        most: Point { x: (told.page_width - told.width).max(0.0), y: (told.page_height - told.height).max(0.0) },
    })
}

fn main_document(link: &Link) -> Result<DocumentId, Problem> {
    let document = link.model().pages.main_document();
    document.ok_or_else(|| Problem::new(Code::Timeout, "the page isn't ready").hint("handeye wait --idle"))
}
