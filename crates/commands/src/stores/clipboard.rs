//! `clipboard`: the text on the browser's clipboard, or on the desktop's.

use crate::{Command, Effect, Render, Session};
use handeye_scene::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Show the text on the browser's clipboard, or put one there; the active page must be of https, or of this machine. With the
/// desktop open, it is the desktop's clipboard
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  handeye clipboard set 'a text to paste'")]
pub struct Clipboard {
    #[command(subcommand)]
    #[serde(flatten)]
    action: Action,
}

/// What to do.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Show its text
    Get,
    /// Put a text there
    Set {
        /// The text
        text: String,
    },
}

/// What is on the clipboard.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Clip {
    /// Its text.
    text: String,
}

impl Render for Clip {
    fn render(&self) -> String {
        handeye_engine::wording::shown::whole(&self.text, 100_000)
    }
}

impl Command for Clipboard {
    const NAME: &'static str = "clipboard";
    const EFFECT: Effect = Effect::Acts;
    const VARIES: bool = true;
    type Output = Clip;

    fn effect(&self) -> Effect {
        match self.action {
            Action::Get => Effect::Reads,
            Action::Set { .. } => Effect::Acts,
        }
    }

    async fn run(self, session: &mut Session) -> Result<Clip, Problem> {
        if session.windows().is_ok() {
            return on_desktop(session, self.action).await;
        }
        let scripts = session.scripts()?;
        match self.action {
            Action::Get => Ok(Clip { text: scripts.clipboard().await? }),
            Action::Set { text } => {
                scripts.set_clipboard(&text).await?;
                Ok(Clip { text })
            }
        }
    }
}

async fn on_desktop(session: &mut Session, action: Action) -> Result<Clip, Problem> {
    let windows = session.windows()?;
    if let Action::Set { text } = &action {
        windows.set_clipboard(text).await?;
    }
    // What was put there is read back.
    Ok(Clip { text: windows.clipboard().await? })
}
