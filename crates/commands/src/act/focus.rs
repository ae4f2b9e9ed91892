//! `focus`: give a target the keyboard focus, or a window.

use crate::core::acting::{act_on, receipt};
use crate::core::args::{ExpectArgs, WordyTargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::Action;
use handeye_engine::observe::outline::quote;
use handeye_scene::{Code, Evidence, Problem, Receipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Give a target the keyboard focus; or raise a window, and look at it from here on
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(override_usage = "handeye focus [OPTIONS] REF\n       handeye focus WINDOW")]
pub struct Focus {
    #[command(flatten)]
    #[serde(flatten)]
    target: WordyTargetArgs,
    /// Part of a window's title or process, or its handle (desktop)
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_name: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
}

impl Command for Focus {
    const NAME: &'static str = "focus";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }

    fn normalize_args(mut self) -> Result<Self, Problem> {
        self.target.locate_by_word()?;
        let mut words = self.target.take_words();
        self.window_name = words.pop();
        if !words.is_empty() || self.window_name.is_some() && !self.target.target.is_empty() {
            return Err(Problem::new(
                Code::BadRequest,
                "one target or one window was expected: put the window's name in quotes",
            )
            .hint("handeye focus REF")
            .hint("handeye focus \"TITLE OF A WINDOW\""));
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let Some(named) = &self.window_name else {
            return act_on(session, &self.target.target, &self.expect, Action::Focus).await;
        };
        if session.surface.as_deref_mut().is_some_and(|s| s.web().is_some()) {
            return Err(Problem::new(
                Code::BadRequest,
                format!("`{named}` is not a target's number: write it as the state shows it, such as 5"),
            )
            .hint("handeye state"));
        }
        let chosen = crate::desktop::windows::choose(session, named).await?;
        let window = session.windows()?.activate(&chosen.id).await?;
        let mut receipt = receipt(format!("focused {}", quote(&window.title, 80)));
        receipt.evidence.push(Evidence::Focused);
        if let Some(workspace) = chosen.workspace {
            receipt.evidence.push(Evidence::Note { text: format!("workspace {workspace} is shown now") });
        }
        Ok(receipt)
    }
}
