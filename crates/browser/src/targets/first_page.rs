//! The first page: getting a browser ready that is connected, up to a page that commands can act on.

use crate::cdp::link::Link;
use crate::egress::bounds::{attaching, inner_targets};
use crate::protocol::Targets;
use handeye_scene::{Code, Problem};
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
    let (owned, below) = {
        let model = link.model();
        (model.browser.owned, model.network.intercept.is_on().then(|| model.network.intercept.below()))
    };
    if let Some((method, params)) = below {
        link.call::<Value>(None, method, params, START_LIMIT).await?;
    }
    if owned {
        let all = link.model().network.intercept.holds_all();
        let kinds: &[&str] = if all { &["page", "service_worker", "shared_worker"] } else { &["page"] };
        let auto = attaching(kinds);
        link.call::<Value>(None, "Target.setAutoAttach", auto, START_LIMIT).await?;
        // By a number of the browser's: under the name that a site gives, it would write over what is there.
        let downloads = json!({
            "behavior": "allowAndName", "downloadPath": folder.join("downloads"), "eventsEnabled": true,
        });
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
    link.wait_for_main_document(START_LIMIT).await?;
    if owned { Ok(()) } else { wait_for_frames(link).await }
}

/// Waits until the documents in the frames of a page that was there before us can be asked.
async fn wait_for_frames(link: &Link) -> Result<(), Problem> {
    let deadline = Instant::now() + FRAMES_LIMIT;
    // Its answer comes behind the news of every frame that has a process of its own.
    let session = link.session()?;
    link.call::<Value>(Some(&session), "Target.setAutoAttach", inner_targets(), START_LIMIT).await?;
    let there = link.shared.wait_until(deadline, || {
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

/// The first page of a browser that runs already; a new one when it has none.
async fn attach_to_page(link: &Link) -> Result<(), Problem> {
    let targets: Targets = link.call(None, "Target.getTargets", json!({}), START_LIMIT).await?;
    let page = targets.target_infos.into_iter().find(|t| t.kind == "page" && !t.url.starts_with("devtools://"));
    let (id, ours) = match page {
        Some(page) => (page.target_id, false),
        None => {
            let made: Value =
                link.call(None, "Target.createTarget", json!({ "url": "about:blank" }), START_LIMIT).await?;
            (made["targetId"].as_str().unwrap_or_default().to_owned(), true)
        }
    };
    link.call::<Value>(None, "Target.attachToTarget", json!({ "targetId": id, "flatten": true }), START_LIMIT).await?;
    if let Some(tab) = link.model().pages.tab_mut(&id) {
        tab.ours = ours;
    }
    Ok(())
}
