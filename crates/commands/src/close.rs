//! `close`: close the tab; with the last one, the session ends.

use crate::{Command, Effect, Render, Session};
use handeye_scene::{Code, Problem, Tab};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Close the active tab; with the last one, end the session and the browser it launched
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Close {}

/// What `close` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Closed {
    /// Whether the session has ended.
    ended: bool,
    /// The tab that is active now.
    active: Option<Tab>,
}

impl Render for Closed {
    fn render(&self) -> String {
        match &self.active {
            Some(tab) => format!("closed the tab; {} is active now: {}", tab.id, tab.url),
            None => "closed; the session has ended".into(),
        }
    }
}

impl Command for Close {
    const NAME: &'static str = "close";
    const EFFECT: Effect = Effect::Manages;
    type Output = Closed;
    async fn run(self, session: &mut Session) -> Result<Closed, Problem> {
        let active = match session.surface.is_some() {
            true => match session.web()?.close_tab(None).await {
                // What is lost is closed.
                Err(problem) if problem.code == Code::Lost => None,
                other => other?,
            },
            false => None,
        };
        if active.is_none() {
            if let Some(mut surface) = session.surface.take() {
                surface.close().await?;
            }
            session.ended = true;
        }
        Ok(Closed { ended: session.ended, active })
    }
}
