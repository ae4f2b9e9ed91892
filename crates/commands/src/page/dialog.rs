//! `dialog`: answer the open script dialog.

use crate::{Command, Effect, Render, Session};
use handeye_scene::{OpenDialog, Pressed, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Answer the open alert, confirm, prompt or beforeunload dialog
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Dialog {
    #[command(subcommand)]
    #[serde(flatten)]
    action: Action,
}

/// How to answer.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Press OK
    Accept {
        /// Text for a prompt
        #[serde(default)]
        text: Option<String>,
    },
    /// Press Cancel
    Dismiss,
}

/// The dialog that was answered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answered {
    /// It.
    dialog: OpenDialog,
    /// Whether OK was pressed.
    accepted: bool,
}

impl Render for Answered {
    fn render(&self) -> String {
        let verb = if self.accepted { "accepted" } else { "dismissed" };
        format!(
            "{verb} the {} dialog {}",
            self.dialog.kind,
            handeye_engine::observe::outline::quote(&self.dialog.message, 200)
        )
    }
}

impl Command for Dialog {
    const NAME: &'static str = "dialog";
    const EFFECT: Effect = Effect::Acts;
    type Output = Answered;
    async fn run(self, session: &mut Session) -> Result<Answered, Problem> {
        let settle = crate::core::session::seconds(session.settings().waits.settle);
        let (accepted, text) = match self.action {
            Action::Accept { text } => (true, text),
            Action::Dismiss => (false, None),
        };
        if accepted && let Some(open) = session.web()?.dialog() {
            let pressed = Pressed { role: "dialog".into(), words: vec![open.message] };
            crate::core::permission::permit_pressed(session, &[pressed]).await?;
        }
        if session.web()?.dialog().is_some() {
            session.call.progress.begin_doing();
        }
        let dialog = session.web()?.answer_dialog(accepted, text.as_deref()).await?;
        let surface = session.surface()?;
        let settled = surface.settle(settle).await;
        surface.rest().await;
        settled?;
        Ok(Answered { dialog, accepted })
    }
}
