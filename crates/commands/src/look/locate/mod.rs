//! `locate`: a target from a description, by having a model look at pictures of the page.

mod explain;
pub mod result;

use crate::core::acting::act_on;
use crate::core::args::{ExpectArgs, TargetArgs};
use crate::core::named::Named;
use crate::{Command, Effect, Session};
use handeye_engine::locate::sight::asking::Asker;
use handeye_engine::locate::sight::{self, Sighted, Sought};
use handeye_engine::{Action, ClickBy};
use handeye_scene::{Button, Code, Hint, ModelKeys, Modifiers, Problem};
use result::{Came, LocatorResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What to do to what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Click it
    Click,
    /// Double-click it
    Dblclick,
    /// Click it with the secondary button
    Rightclick,
    /// Put the pointer on it
    Hover,
    /// Give it the keyboard
    Focus,
    /// Replace its content by --text
    Input,
    /// Switch it on
    Check,
    /// Switch it off
    Uncheck,
}

/// Find a target by a description, asking a vision model about screenshots; scrolls to what isn't in view
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "A crosshair or a few numbered boxes are drawn on a screenshot, never in the page, and the model says where the element lies.\nIts answers are evidence: what is returned is as probable as --confidence says, and nothing is returned below that.\nWhich models are asked: handeye models list\n\nExamples:\n  handeye locate \"the blue submit button\"\n  handeye locate 蓝色的提交按钮 --act click --expect 提交\n  handeye locate \"the search field\" --act input --text weather --role textbox\n  handeye locate \"the red ball\" --pixels --precision 40"
)]
pub struct Locate {
    /// The element in words, in English or Chinese
    #[arg(value_name = "DESCRIPTION")]
    description: String,
    /// Do this to what was found, as the command of that name would
    #[arg(long, value_name = "ACTION")]
    #[serde(default)]
    act: Option<Act>,
    /// The new content, for --act input
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    text: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
    /// Only targets of this ARIA role
    #[arg(long, value_name = "ROLE")]
    #[serde(default)]
    role: Option<String>,
    /// Only what lies inside this target (its number, or a locator such as css=main), or in this fold
    #[arg(long, value_name = "REF", value_parser = crate::core::named::parse_named)]
    #[serde(default)]
    within: Option<Named>,
    /// Only what is in view: nothing is scrolled
    #[arg(long)]
    #[serde(default)]
    visible: bool,
    /// Search the picture itself, as is done anyway where there are no targets
    #[arg(long, conflicts_with_all = ["role", "within"])]
    #[serde(default)]
    pixels: bool,
    /// Questions to the model at most
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = crate::core::value_parsers::whole("number of questions", 1_usize..=100, 15))]
    #[serde(default = "fifteen")]
    max_steps: usize,
    /// How closely edges are searched for where there are no targets, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 100.0, value_parser = crate::core::value_parsers::real("distance in pixels", 1.0..=10_000.0, 40.0))]
    #[serde(default = "hundred")]
    precision: f64,
    /// How probable it must be that it is the right one
    #[arg(long, value_name = "P", default_value_t = 0.99, value_parser = crate::core::value_parsers::real("confidence", 0.5..=0.9999, 0.95))]
    #[serde(default = "sure")]
    confidence: f64,
    /// Write a page into this folder that shows each step: picture, question, answer, and what was believed then
    #[arg(long, value_name = "DIR")]
    #[serde(default)]
    explain: Option<PathBuf>,
}

fn fifteen() -> usize {
    15
}

fn hundred() -> f64 {
    100.0
}

fn sure() -> f64 {
    0.99
}

/// How long a search may take where no limit is given, in seconds.
const LONGEST: f64 = 600.0;

impl Command for Locate {
    const NAME: &'static str = "locate";
    // It scrolls.
    const EFFECT: Effect = Effect::Acts;
    const VARIES: bool = true;
    type Output = LocatorResult;

    fn effect(&self) -> Effect {
        if self.act.is_none() && self.visible { Effect::Reads } else { Effect::Acts }
    }

    fn asks_models(&self) -> bool {
        true
    }

    fn refs(&self) -> Vec<u32> {
        self.within.iter().filter_map(Named::written).collect()
    }

    fn resolve_paths(mut self) -> Result<Self, Problem> {
        if let Some(folder) = &mut self.explain {
            crate::core::args::resolve(folder)?;
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<LocatorResult, Problem> {
        let action = self.action()?;
        let sought = self.sought(session).await?;
        sight::check(&sought)?;
        let (models, access) = session.models()?;
        // What shows the page goes to a model: it must be one that may be read.
        crate::core::permission::permit_reading(session, Self::NAME).await?;
        if let Some(folder) = &self.explain {
            explain::prepare(folder)?;
        }
        let (surface, memory, clock) = session.parts()?;
        let asker = Asker::new(models.as_ref(), &access);
        let sighted = sight::seek(surface, memory, clock.as_ref(), asker, &sought).await?;
        let mut came = Came::default();
        match self.finish(session, &access.keys, &sighted, action, &mut came).await {
            // With the session all else is lost.
            Err(problem) if problem.code == Code::Lost => return Err(problem),
            ended => came.problem = ended.err(),
        }
        Ok(LocatorResult::of(sighted, came, &sought))
    }
}

impl Locate {
    /// What is to be done, if anything is.
    fn action(&self) -> Result<Option<Action>, Problem> {
        let wrong = |what: &str| {
            let text = self.text.as_deref().map(|text| ["--act", "input", "--text", text]);
            let hint = text.into_iter().flatten().fold(Hint::command("locate"), Hint::arg);
            Problem::new(Code::BadRequest, what).hint(match &self.text {
                Some(_) if !self.description.starts_with('-') => hint.arg(&self.description),
                _ => Hint::from("handeye locate --help"),
            })
        };
        let Some(act) = self.act else {
            if self.text.is_some() {
                return Err(wrong("--text is for --act input"));
            }
            if self.expect != ExpectArgs::default() {
                return Err(wrong("an expectation is about what is done: add --act, or leave it out"));
            }
            return Ok(None);
        };
        if (act == Act::Input) != self.text.is_some() {
            return Err(wrong("--act input needs --text, which is for it alone"));
        }
        let click = |button, count| Action::Click {
            button,
            count,
            modifiers: Modifiers::default(),
            by: if count == 1 && button == Button::Left { ClickBy::Best } else { ClickBy::Pointer },
            offset: None,
        };
        Ok(Some(match act {
            Act::Click => click(Button::Left, 1),
            Act::Dblclick => click(Button::Left, 2),
            Act::Rightclick => click(Button::Right, 1),
            Act::Hover => Action::Hover,
            Act::Focus => Action::Focus,
            Act::Input => Action::Input(self.text.clone().unwrap_or_default()),
            Act::Check => Action::Check(true),
            Act::Uncheck => Action::Check(false),
        }))
    }

    async fn sought(&self, session: &mut Session) -> Result<Sought, Problem> {
        let within = match &self.within {
            Some(named) => {
                let number = named.number(session).await?;
                let known = session.memory.refs.known(number)?;
                Some((known.native, known.until))
            }
            None => None,
        };
        let models = &session.settings().models;
        Ok(Sought {
            description: self.description.clone(),
            role: self.role.clone(),
            within,
            visible: self.visible,
            pixels: self.pixels,
            max_steps: self.max_steps.clamp(1, 100),
            precision: if self.precision.is_finite() { self.precision.clamp(1.0, 10_000.0) } else { hundred() },
            confidence: self.confidence,
            error: models.error,
            image: models.image.clamp(64, 16_384),
            limit: session.limit(LONGEST),
            keeps_pictures: self.explain.is_some(),
            nonce: crate::core::nonce::nonce(),
        })
    }

    /// Writes the page about the search, and does what is to be done. What it comes to stands beside the search, problems included.
    async fn finish(
        &self,
        session: &mut Session,
        keys: &ModelKeys,
        sighted: &Sighted,
        action: Option<Action>,
        came: &mut Came,
    ) -> Result<(), Problem> {
        if let Some(folder) = &self.explain {
            let page = explain::write(folder, session, keys, &self.description, sighted)?;
            came.explained = Some(page.display().to_string());
        }
        if let (Some(found), Some(action)) = (&sighted.found, action) {
            let target = TargetArgs { r#ref: Some(found.r#ref.0), locators: Vec::new() };
            came.receipt = Some(act_on(session, &target, &self.expect, action).await?);
        }
        Ok(())
    }
}
