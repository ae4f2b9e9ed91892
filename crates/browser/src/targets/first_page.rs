//! The first page: getting a browser ready that is connected, up to a page that commands can act on.

use crate::cdp::link::Link;
use crate::cdp::transport::CallError;
use crate::egress::bounds::attaching;
use crate::process::saved;
use crate::protocol::{TargetInfo, Targets};
use handeye_scene::{Code, Problem};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

/// How long a browser may take to start.
const START_LIMIT: Duration = Duration::from_secs(20);
/// How long the frames of a page that was there before us may take to be entered.
const FRAMES_LIMIT: Duration = Duration::from_secs(3);

/// Gets ready a browser that is connected: what it is to tell of, and the page that commands act on.
pub(crate) async fn start(link: &Link, folder: &Path) -> Result<(), Problem> {
    let (owned, has_all, below) = {
        let model = link.model();
        (
            model.browser.owned,
            model.browser.has_all_tabs(),
            model.network.intercept.is_on().then(|| model.network.intercept.below()),
        )
    };
    if let Some((method, params)) = below {
        link.call::<Value>(None, method, params, START_LIMIT).await?;
    }
    if owned {
        let all = link.model().network.intercept.holds_all();
        let kinds: &[&str] = if all { &["page", "service_worker", "shared_worker"] } else { &["page"] };
        let auto = attaching(kinds);
        link.call::<Value>(None, "Target.setAutoAttach", auto, START_LIMIT).await?;
    }
    if has_all {
        // By a number of the browser's: under the name that a site gives, it would write over what is there.
        let downloads = link.in_context(json!({
            "behavior": "allowAndName", "downloadPath": saved::folder(folder), "eventsEnabled": true,
        }));
        link.call::<Value>(None, "Browser.setDownloadBehavior", downloads, START_LIMIT).await?;
    }
    link.call::<Value>(None, "Target.setDiscoverTargets", json!({ "discover": true }), START_LIMIT).await?;
    if !owned {
        attach_to_page(link).await?;
    }
    let attached = link.shared.wait_until(Instant::now() + START_LIMIT, || {
        let found = link.model().pages.tabs.iter().find(|t| t.session.is_some()).map(|t| t.target.clone());
        if found.is_none() {
            link.check_lost()?;
        }
        Ok(found)
    });
    let target = attached.await?.ok_or_else(|| Problem::new(Code::Unavailable, "the browser shows no page"))?;
    link.model().pages.active = Some(target);
    link.wait_for_main_document(START_LIMIT).await.map_err(|problem| unready(link, problem))?;
    if owned { Ok(()) } else { wait_for_frames(link).await }
}

/// A page that was there before us and doesn't answer. There is no session yet that could do anything about it.
fn unready(link: &Link, problem: Problem) -> Problem {
    let browser = &link.model().browser;
    if browser.owned || problem.code != Code::Timeout {
        return problem;
    }
    let text = "the page that the browser shows doesn't answer: it is busy, or is being left for one that doesn't come";
    let problem = Problem::new(Code::Timeout, text);
    if browser.lent { problem } else { problem.hint("handeye open URL --cdp http://127.0.0.1:9222 --context") }
}

/// Waits until the documents in the frames of a page that was there before us can be asked.
async fn wait_for_frames(link: &Link) -> Result<(), Problem> {
    let told = link.shared.wait_until(Instant::now() + START_LIMIT, || {
        let is_told = link.model().pages.tab().is_some_and(|tab| tab.frames_told);
        link.check_page().map(|()| is_told.then_some(()))
    });
    // Where nothing is told in all that time, the page is shown as far as it is known.
    told.await?;
    let there = link.shared.wait_until(Instant::now() + FRAMES_LIMIT, || {
        {
            let model = link.model();
            let mut frames = model.pages.frames.iter().filter(|(id, _)| model.pages.is_active(id));
            if model.pages.dialog().is_some() || frames.all(|(_, frame)| frame.document.is_some()) {
                return Ok(Some(()));
            }
        }
        link.check_page().map(|()| None)
    });
    // One that hangs or has crashed doesn't keep the others from being seen.
    there.await.map(drop)
}

/// Makes a browser context of our own in a browser that is attached to. The browser ends it when the connection does, however that
/// comes.
pub(crate) async fn make_context(link: &Link, folder: &Path) -> Result<(), Problem> {
    let method = "Target.createBrowserContext";
    let made: Result<Made, CallError> =
        link.connection.call(None, method, json!({ "disposeOnDetach": true }), START_LIMIT).await;
    let made = made.map_err(|error| match error {
        CallError::Refused { message, .. } => {
            Problem::new(Code::Unsupported, format!("this browser makes no contexts: {message}"))
                .hint("handeye open URL --cdp http://127.0.0.1:9222")
        }
        // No page is there yet of which the problem could be.
        other => Problem::new(Code::Unavailable, other.to_string()).hint("handeye doctor"),
    })?;
    link.model().browser.context = Some(made.browser_context_id);
    saved::make(folder).map_err(|e| {
        Problem::new(Code::File, format!("can't make a folder for downloads in {}: {e}", folder.display()))
            .hint("handeye doctor")
    })
}

/// What `Target.createBrowserContext` answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    browser_context_id: String,
}

/// The first page of a browser that runs already; a new one when it has none, or none of our own context.
async fn attach_to_page(link: &Link) -> Result<(), Problem> {
    let own = link.model().browser.context.is_some();
    let page = if own { None } else { page_there(link).await? };
    let (id, ours) = match page {
        Some(page) => (page, false),
        None => {
            let blank = link.in_context(json!({ "url": "about:blank" }));
            let made: Value = link.call(None, "Target.createTarget", blank, START_LIMIT).await?;
            (made["targetId"].as_str().unwrap_or_default().to_owned(), true)
        }
    };
    if own {
        // Every page of it is attached to as the browser tells of it.
        return Ok(());
    }
    link.call::<Value>(None, "Target.attachToTarget", json!({ "targetId": id, "flatten": true }), START_LIMIT).await?;
    if let Some(tab) = link.model().pages.tab_mut(&id) {
        tab.ours = ours;
    }
    Ok(())
}

/// A page that the browser shows already: one that a person opened before one in a context that a program made.
async fn page_there(link: &Link) -> Result<Option<String>, Problem> {
    let targets: Targets = link.call(None, "Target.getTargets", json!({}), START_LIMIT).await?;
    let contexts: Result<Contexts, CallError> =
        link.connection.call(None, "Target.getBrowserContexts", json!({}), START_LIMIT).await;
    let made = match contexts {
        Ok(contexts) => contexts.browser_context_ids,
        // A tab that is lent is all that there is, and what doesn't know the question has made none.
        Err(CallError::Outside { .. } | CallError::Refused { .. }) => Vec::new(),
        Err(other) => return Err(Problem::new(Code::Unavailable, other.to_string()).hint("handeye doctor")),
    };
    let is_made = |page: &TargetInfo| page.browser_context_id.as_ref().is_some_and(|context| made.contains(context));
    let pages = || targets.target_infos.iter().filter(|t| t.kind == "page" && !t.url.starts_with("devtools://"));
    Ok(pages().find(|page| !is_made(page)).or_else(|| pages().next()).map(|page| page.target_id.clone()))
}

/// What `Target.getBrowserContexts` answers: the contexts that were made, without the browser's first one.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Contexts {
    browser_context_ids: Vec<String>,
}
