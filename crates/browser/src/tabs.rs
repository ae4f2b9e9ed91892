//! Tabs: which there are, which one commands act on.

use crate::protocol::Targets;
use crate::surface::{Browser, CALL_LIMIT, PageError};
use crate::world::TabState;
use handeye_scene::{Code, NativeId, Problem, Tab};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// So many tabs are named where another was asked for.
const TABS_TOLD: usize = 10;

impl Browser {
    /// Asks for every tab's address and title: events tell of new titles late, or not at all.
    pub(crate) async fn refresh_tabs(&self) -> Result<(), Problem> {
        let targets: Targets = self.call(None, "Target.getTargets", json!({}), CALL_LIMIT).await?;
        for info in targets.target_infos {
            if let Some(tab) = self.shared.world().tab_mut(&info.target_id) {
                (tab.url, tab.title) = (info.url, info.title);
            }
        }
        Ok(())
    }

    pub(crate) fn tab_list(&self) -> Vec<Tab> {
        let world = self.shared.world();
        let show = |t: &TabState| Tab {
            id: t.id.clone(),
            url: t.url.clone(),
            title: t.title.clone(),
            active: world.active.as_deref() == Some(t.target.as_str()),
            opener: t.opener.clone(),
            dialog: world.dialogs.get(&t.target).map(|(_, dialog)| dialog.kind.clone()),
        };
        world.tabs.iter().filter(|t| !t.closed).map(show).collect()
    }

    /// Of an element that lives on in another tab than the active one: that it does.
    pub(crate) async fn elsewhere(&self, element: NativeId) -> Option<Problem> {
        let (tab, asks) = {
            let world = self.shared.world();
            let document = world.document(element.document()).filter(|d| d.alive)?;
            let target = world.tab_target(&document.session)?;
            let tab = world.tabs.iter().find(|t| t.target == target && !t.closed)?;
            (tab.id.clone(), world.dialogs.contains_key(&target))
        };
        // A page that shows a dialog can't be asked.
        if !asks {
            let number = [json!(element.number())];
            match self.page::<Option<Value>>(element.document(), "facts", &number, CALL_LIMIT).await {
                Ok(None) | Err(PageError::Gone) => return None,
                Ok(Some(_)) | Err(PageError::Problem(_)) => {}
            }
        }
        let text = format!("the target is in tab {tab}, and another tab is the active one");
        Some(Problem::new(Code::Stale, text).hint(format!("handeye tabs switch {tab}")))
    }

    fn target_of(&self, id: &str) -> Result<String, Problem> {
        let world = self.shared.world();
        let found = world.tabs.iter().find(|t| t.id == id && !t.closed).map(|t| t.target.clone());
        found.ok_or_else(|| {
            let known = world.tabs.iter().filter(|t| !t.closed).map(|t| t.id.as_str());
            let all = known.take(TABS_TOLD).collect::<Vec<_>>().join(", ");
            Problem::new(Code::NotFound, format!("there is no tab {id}; there are {all}")).hint("handeye tabs list")
        })
    }

    pub(crate) async fn make_tab(&mut self) -> Result<(), Problem> {
        let made: Value = self.call(None, "Target.createTarget", json!({ "url": "about:blank" }), CALL_LIMIT).await?;
        let target = made["targetId"].as_str().unwrap_or_default().to_owned();
        if !self.shared.world().owned {
            self.call::<Value>(
                None,
                "Target.attachToTarget",
                json!({ "targetId": target, "flatten": true }),
                CALL_LIMIT,
            )
            .await?;
        }
        self.wait_for(CALL_LIMIT, |b| {
            b.shared.world().tab_mut(&target).is_some_and(|t| {
                t.ours = true;
                t.session.is_some()
            })
        })
        .await?;
        self.activate(target).await
    }

    async fn activate(&mut self, target: String) -> Result<(), Problem> {
        self.recover().await;
        self.shared.world().active = Some(target.clone());
        // Headed, the window shows it; headless, it is what has the focus.
        let _ = self.call::<Value>(None, "Target.activateTarget", json!({ "targetId": target }), CALL_LIMIT).await;
        Ok(())
    }

    pub(crate) async fn activate_tab(&mut self, id: &str) -> Result<Tab, Problem> {
        let target = self.target_of(id)?;
        self.activate(target).await?;
        self.active_tab()
            .ok_or_else(|| Problem::new(Code::Lost, format!("tab {id} was closed")).hint("handeye tabs list"))
    }

    pub(crate) fn active_tab(&self) -> Option<Tab> {
        self.tab_list().into_iter().find(|t| t.active)
    }

    pub(crate) async fn drop_tab(&mut self, id: Option<&str>) -> Result<Option<Tab>, Problem> {
        let target = match id {
            Some(id) => self.target_of(id)?,
            None => {
                self.check_lost_only()?;
                let active = self.shared.world().tab().map(|t| t.target.clone());
                match active {
                    Some(target) => target,
                    None => return Ok(self.next_tab().await),
                }
            }
        };
        let was_active = self.shared.world().active.as_deref() == Some(target.as_str());
        // With the last tab goes the browser: the caller ends it, or refuses.
        if self.tab_list().len() == 1 {
            return Ok(None);
        }
        // A dialog of the tab would hold it open.
        let asks = self.shared.world().dialog().is_some() && was_active;
        if asks {
            return Err(self.check_dialog().err().unwrap_or_else(|| Problem::new(Code::Blocked, "a dialog is open")));
        }
        self.call::<Value>(None, "Target.closeTarget", json!({ "targetId": target }), CALL_LIMIT).await?;
        let asks =
            |b: &Self| b.shared.world().dialogs.get(&target).is_some_and(|(_, dialog)| dialog.kind == "beforeunload");
        self.wait_for(CALL_LIMIT, |b| b.shared.world().tab_mut(&target).is_none() || asks(b)).await?;
        self.check_dialog()?;
        if asks(self) {
            let id = self.shared.world().tab_mut(&target).map(|t| t.id.clone()).unwrap_or_default();
            let text = format!("tab {id} shows a dialog and stays open until that is answered");
            return Err(Problem::new(Code::Blocked, text).hint(format!("handeye tabs switch {id}")));
        }
        if was_active {
            return Ok(self.next_tab().await);
        }
        Ok(self.active_tab())
    }

    async fn next_tab(&mut self) -> Option<Tab> {
        let next = self.shared.world().tabs.iter().rev().find(|t| !t.closed).map(|t| t.target.clone())?;
        self.activate(next).await.ok()?;
        self.active_tab()
    }

    fn check_lost_only(&self) -> Result<(), Problem> {
        match self.check_page() {
            Err(problem) if self.shared.world().lost.is_some() => Err(problem),
            _ => Ok(()),
        }
    }

    async fn wait_for(&self, limit: Duration, done: impl Fn(&Self) -> bool) -> Result<(), Problem> {
        let deadline = Instant::now() + limit;
        loop {
            let mut watch = self.shared.watch();
            if done(self) {
                return Ok(());
            }
            self.check_lost_only()?;
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                return Err(Problem::new(Code::Timeout, "the browser didn't open or close the tab in time")
                    .hint("handeye tabs list"));
            }
        }
    }
}
