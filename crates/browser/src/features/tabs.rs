//! Tabs: which there are, which one commands act on.

use crate::cdp::link::{CALL_LIMIT, Link};
use crate::input::hand::Hand;
use crate::model::pages::TabState;
use crate::protocol::Targets;
use handeye_scene::{Code, Problem, Tab};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// How many tabs are named where another was asked for.
const TABS_TOLD: usize = 10;

/// Asks for every tab's address and title: events tell of new titles late, or not at all.
pub(crate) async fn refresh(link: &Link) -> Result<(), Problem> {
    let targets: Targets = link.call(None, "Target.getTargets", json!({}), CALL_LIMIT).await?;
    for info in targets.target_infos {
        if let Some(tab) = link.model().pages.tab_mut(&info.target_id) {
            (tab.url, tab.title) = (info.url, info.title);
        }
    }
    Ok(())
}

pub(crate) fn list(link: &Link) -> Vec<Tab> {
    let model = link.model();
    let show = |t: &TabState| Tab {
        id: t.id.clone(),
        url: t.url.clone(),
        title: t.title.clone(),
        active: model.pages.active.as_deref() == Some(t.target.as_str()),
        opener: t.opener.clone(),
        dialog: model.pages.dialogs.get(&t.target).map(|(_, dialog)| dialog.kind.clone()),
    };
    model.pages.tabs.iter().filter(|t| !t.closed).map(show).collect()
}

fn target_of(link: &Link, id: &str) -> Result<String, Problem> {
    let model = link.model();
    let found = model.pages.tabs.iter().find(|t| t.id == id && !t.closed).map(|t| t.target.clone());
    found.ok_or_else(|| {
        let known = model.pages.tabs.iter().filter(|t| !t.closed).map(|t| t.id.as_str());
        let all = known.take(TABS_TOLD).collect::<Vec<_>>().join(", ");
        Problem::new(Code::NotFound, format!("there is no tab {id}; there are {all}")).hint("handeye tabs list")
    })
}

pub(crate) async fn open(hand: &mut Hand) -> Result<(), Problem> {
    let blank = hand.link.in_context(json!({ "url": "about:blank" }));
    let made: Value = hand.link.call(None, "Target.createTarget", blank, CALL_LIMIT).await?;
    let target = made["targetId"].as_str().unwrap_or_default().to_owned();
    if !hand.link.model().browser.has_all_tabs() {
        hand.link
            .call::<Value>(None, "Target.attachToTarget", json!({ "targetId": target, "flatten": true }), CALL_LIMIT)
            .await?;
    }
    wait_for(&hand.link, CALL_LIMIT, |link| {
        link.model().pages.tab_mut(&target).is_some_and(|t| {
            t.ours = true;
            t.session.is_some()
        })
    })
    .await?;
    activate(hand, target).await
}

async fn activate(hand: &mut Hand, target: String) -> Result<(), Problem> {
    hand.recover().await;
    hand.link.model().pages.active = Some(target.clone());
    // Headed, the window shows it; headless, it is what has the focus.
    let _ = hand.link.call::<Value>(None, "Target.activateTarget", json!({ "targetId": target }), CALL_LIMIT).await;
    Ok(())
}

pub(crate) async fn switch(hand: &mut Hand, id: &str) -> Result<Tab, Problem> {
    let target = target_of(&hand.link, id)?;
    activate(hand, target).await?;
    active(&hand.link).ok_or_else(|| Problem::new(Code::Lost, format!("tab {id} was closed")).hint("handeye tabs list"))
}

pub(crate) fn active(link: &Link) -> Option<Tab> {
    list(link).into_iter().find(|t| t.active)
}

pub(crate) async fn close(hand: &mut Hand, id: Option<&str>) -> Result<Option<Tab>, Problem> {
    let target = match id {
        Some(id) => target_of(&hand.link, id)?,
        None => {
            check_lost_only(&hand.link)?;
            let active = hand.link.model().pages.tab().map(|t| t.target.clone());
            match active {
                Some(target) => target,
                None => return Ok(next_tab(hand).await),
            }
        }
    };
    let was_active = hand.link.model().pages.active.as_deref() == Some(target.as_str());
    // With the last tab goes the browser: the caller ends it, or refuses.
    if list(&hand.link).len() == 1 {
        return Ok(None);
    }
    // A dialog of the tab would hold it open.
    let asks = hand.link.model().pages.dialog().is_some() && was_active;
    if asks {
        return Err(hand.link.check_dialog().err().unwrap_or_else(|| Problem::new(Code::Blocked, "a dialog is open")));
    }
    hand.link.call::<Value>(None, "Target.closeTarget", json!({ "targetId": target }), CALL_LIMIT).await?;
    let asks =
        |link: &Link| link.model().pages.dialogs.get(&target).is_some_and(|(_, dialog)| dialog.kind == "beforeunload");
    wait_for(&hand.link, CALL_LIMIT, |link| link.model().pages.tab_mut(&target).is_none() || asks(link)).await?;
    hand.link.check_dialog()?;
    if asks(&hand.link) {
        let id = hand.link.model().pages.tab_mut(&target).map(|t| t.id.clone()).unwrap_or_default();
        let text = format!("tab {id} shows a dialog and stays open until that is answered");
        return Err(Problem::new(Code::Blocked, text).hint(format!("handeye tabs switch {id}")));
    }
    if was_active {
        return Ok(next_tab(hand).await);
    }
    Ok(active(&hand.link))
}

async fn next_tab(hand: &mut Hand) -> Option<Tab> {
    let next = hand.link.model().pages.tabs.iter().rev().find(|t| !t.closed).map(|t| t.target.clone())?;
    activate(hand, next).await.ok()?;
    active(&hand.link)
}

fn check_lost_only(link: &Link) -> Result<(), Problem> {
    match link.check_page() {
        Err(problem) if link.model().browser.lost.is_some() => Err(problem),
        _ => Ok(()),
    }
}

async fn wait_for(link: &Link, limit: Duration, done: impl Fn(&Link) -> bool) -> Result<(), Problem> {
    let is_done = link.shared.wait_until(Instant::now() + limit, || match done(link) {
        true => Ok(Some(())),
        false => check_lost_only(link).map(|()| None),
    });
    is_done.await?.ok_or_else(|| {
        Problem::new(Code::Timeout, "the browser didn't open or close the tab in time").hint("handeye tabs list")
    })
}
