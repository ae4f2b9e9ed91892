//! `tabs`: list, open, switch to and close tabs.

use crate::core::read_policy::ReadPolicy;
use crate::core::tab_id::TabId;
use crate::{Command, Effect, Render, Session};
use handeye_scene::{Code, Problem, Tab};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List, open, switch to and close tabs
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Tabs {
    #[command(subcommand)]
    #[serde(flatten)]
    action: Action,
}

/// What to do.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Show every tab of the session
    List,
    /// Open a tab and make it the active one
    New {
        /// Address of its page
        #[serde(default)]
        url: Option<String>,
    },
    /// Make a tab the active one
    Switch {
        /// Its id or number, such as t2
        id: TabId,
    },
    /// Close a tab
    Close {
        /// Its id or number, such as t2; the active tab when left out
        #[serde(default)]
        id: Option<TabId>,
    },
}

/// The tabs, after what was done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TabList {
    /// Every tab.
    tabs: Vec<Tab>,
}

impl Render for TabList {
    fn render(&self) -> String {
        let line = |t: &Tab| {
            let opener = t.opener.as_ref().map(|o| format!(" opened by {o}")).unwrap_or_default();
            let dialog = t.dialog.as_ref().map(|d| format!(" [{d} dialog is open]")).unwrap_or_default();
            format!(
                "{} {} {} {}{opener}{dialog}",
                if t.active { "*" } else { " " },
                t.id,
                handeye_engine::observe::outline::quote(&t.title, 100),
                handeye_engine::wording::shown::address(&t.url)
            )
        };
        self.tabs.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl Command for Tabs {
    const NAME: &'static str = "tabs";
    const EFFECT: Effect = Effect::Manages;
    type Output = TabList;
    async fn run(self, session: &mut Session) -> Result<TabList, Problem> {
        let limit = session.limit(session.settings().waits.load);
        match self.action {
            Action::List => {}
            Action::New { url } => {
                session.web()?.new_tab(url.as_deref(), limit).await?;
            }
            Action::Switch { id } => {
                session.web()?.switch_tab(&id).await?;
            }
            Action::Close { id } => {
                let active = session.web()?.close_tab(id.as_deref()).await?;
                if active.is_none() && !session.web()?.tabs().await?.is_empty() {
                    let text = "the last tab stays open: with it, the session would end";
                    return Err(Problem::new(Code::BadRequest, text).hint("handeye close"));
                }
            }
        }
        let readable = ReadPolicy::of(session)?;
        let mut tabs = session.web()?.tabs().await?;
        for tab in tabs.iter_mut().filter(|tab| readable.denies(&tab.url)) {
            tab.title = crate::core::read_policy::WITHHELD.into();
        }
        Ok(TabList { tabs })
    }
}
