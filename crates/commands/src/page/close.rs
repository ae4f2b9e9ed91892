//! `close`: close the tab; with the last one, the session ends. On the desktop, close the current window.

use crate::trace::writer::Ending;
use crate::{Command, Effect, Render, Session};
use handeye_scene::{Code, Hint, Problem, Tab, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Close the active tab, and with the last one the session and the browser it launched; on the desktop, the current window
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
    /// The window that was asked to close, and whether it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<ClosedWindow>,
    /// The trace that was closed with the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Ending>,
}

impl Render for Closed {
    fn render(&self) -> String {
        if let Some(window) = &self.window {
            return window.render();
        }
        match &self.active {
            Some(tab) => {
                format!(
                    "closed the tab; {} is active now: {}",
                    tab.id,
                    handeye_engine::wording::shown::address(&tab.url)
                )
            }
            None if !self.ended => "closed the browser; the session goes on with the desktop".into(),
            None => "closed; the session has ended".into(),
        }
    }

    fn hints(&self) -> Vec<Hint> {
        let stays = self.window.as_ref().is_some_and(|window| !window.gone);
        stays.then(|| "handeye state".into()).into_iter().collect()
    }

    fn verdict(&self) -> Verdict {
        match &self.window {
            Some(window) if !window.gone => Verdict::NoEffect,
            _ => Verdict::Confirmed,
        }
    }
}

/// A window that was asked to close.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClosedWindow {
    /// Its title.
    title: String,
    /// Whether it is gone; if not, it may ask something first.
    gone: bool,
}

impl ClosedWindow {
    fn render(&self) -> String {
        let title = handeye_engine::observe::outline::quote(&self.title, 100);
        match self.gone {
            true => format!("closed {title}"),
            false => format!("asked {title} to close: it is still there, and may ask something"),
        }
    }
}

/// Asks the current window of the desktop to close. The session goes on.
async fn close_window(session: &mut Session) -> Result<Closed, Problem> {
    let limit = session.limit(session.settings().waits.ready);
    let windows = session.windows()?;
    let window = windows.current().await?;
    let gone = windows.close_window(&window.id, limit).await?;
    if gone {
        windows.choose(None);
    }
    Ok(Closed { ended: false, active: None, window: Some(ClosedWindow { title: window.title, gone }), trace: None })
}

impl Command for Close {
    const NAME: &'static str = "close";
    const EFFECT: Effect = Effect::Manages;
    type Output = Closed;
    async fn run(self, session: &mut Session) -> Result<Closed, Problem> {
        if session.surface.as_deref_mut().is_some_and(|s| s.windows().is_some()) {
            return close_window(session).await;
        }
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
            session.drop_surface();
            session.turn_back();
            session.ended = session.surface.is_none();
        }
        Ok(Closed { ended: session.ended, active, window: None, trace: None })
    }
}
