//! `input`: replace the content of a field, and read it back.

use crate::acting::act_on;
use crate::args::{ExpectArgs, WordyTargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::Deed;
use handeye_scene::{Chord, Code, Gesture, Guard, Modifiers, Problem, Receipt, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Replace the content of a field (text, rich text, date, colour, range), and read it back
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(override_usage = "handeye input [OPTIONS] REF TEXT\n       handeye input [OPTIONS] --css SELECTOR TEXT")]
pub struct Input {
    #[command(flatten)]
    #[serde(flatten)]
    target: WordyTargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
    /// The new content
    #[arg(skip)]
    text: String,
    /// Press Enter afterwards
    #[arg(long)]
    #[serde(default)]
    enter: bool,
}

impl Command for Input {
    const NAME: &'static str = "input";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn tidy(mut self) -> Result<Self, Problem> {
        let mut words = self.target.take_words();
        match (words.pop(), words.is_empty()) {
            (Some(text), true) => self.text = text,
            (None, _) => {
                return Err(
                    Problem::new(Code::BadRequest, "the text to put in is missing").hint("handeye input REF TEXT")
                );
            }
            _ => {
                return Err(Problem::new(Code::BadRequest, "more than one text was given: put it in quotes")
                    .hint("handeye input REF \"SEVERAL WORDS\""));
            }
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let enter = self.enter || session.settings().typing.enter;
        let mut receipt = act_on(session, &self.target.target, &self.expect, Deed::Input(self.text)).await?;
        if enter && receipt.verdict == Verdict::Confirmed {
            let settle = crate::session::seconds(session.settings().waits.settle);
            let surface = session.surface()?;
            let chord = Chord { modifiers: Modifiers::default(), key: "Enter".into() };
            let guard = Guard { target: receipt.target.as_ref().and_then(|t| t.native), ..Guard::default() };
            surface.perform(&Gesture::Keys(vec![chord]), &guard).await?;
            let settled = surface.settle(settle).await?;
            receipt.evidence.extend(settled.events.iter().filter_map(handeye_engine::judge::seen));
        }
        Ok(receipt)
    }
}
