//! `get`: one fact about a target or the page.

use crate::args::TargetArgs;
use crate::inspect::probe;
use crate::{Command, Effect, Render, Session};
use handeye_engine::outline::round;
use handeye_scene::{Aim, Code, NativeId, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Get one fact: text, value, rect, attr, html of a target; url, title, text, html of the page
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Get {
    #[command(subcommand)]
    #[serde(flatten)]
    what: What,
}

/// Which fact.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum What {
    /// Visible text of a target, or of the page
    Text {
        /// The target
        #[command(flatten)]
        #[serde(flatten)]
        target: TargetArgs,
    },
    /// Value of a control
    Value {
        /// The target
        #[command(flatten)]
        #[serde(flatten)]
        target: TargetArgs,
    },
    /// Rectangle of a target: X,Y,WIDTH,HEIGHT in CSS pixels of the main viewport, or pixels of the desktop's screen
    Rect {
        /// The target
        #[command(flatten)]
        #[serde(flatten)]
        target: TargetArgs,
    },
    /// An attribute of a target
    #[command(
        override_usage = "handeye get attr [OPTIONS] REF NAME\n       handeye get attr [OPTIONS] --css SELECTOR NAME"
    )]
    Attr {
        /// The target
        #[command(flatten)]
        #[serde(flatten)]
        target: crate::args::WordyTargetArgs,
        /// Name of the attribute
        #[arg(skip)]
        attribute: String,
    },
    /// Address of the page
    Url,
    /// Title of the page
    Title,
    /// Markup of a target, or of the page
    Html {
        /// The target
        #[command(flatten)]
        #[serde(flatten)]
        target: TargetArgs,
    },
}

/// Characters of a text that are shown.
const LONGEST: usize = 100_000;

/// What `get` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Got {
    /// The fact; null when there is none, such as an attribute that isn't there.
    value: Value,
}

impl Render for Got {
    fn render(&self) -> String {
        match &self.value {
            Value::Null => String::new(),
            Value::String(text) => handeye_engine::shown::whole(text, LONGEST),
            Value::Array(numbers) => {
                let rounded = numbers.iter().filter_map(Value::as_f64).map(|n| round(n).to_string());
                rounded.collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        }
    }
}

impl Command for Get {
    const NAME: &'static str = "get";
    const EFFECT: Effect = Effect::Reads;
    type Output = Got;

    fn tidy(mut self) -> Result<Self, Problem> {
        if let What::Attr { target, attribute } = &mut self.what {
            let mut words = target.take_words();
            match (words.pop(), words.is_empty()) {
                (Some(name), true) => *attribute = name,
                _ => {
                    return Err(Problem::new(Code::BadRequest, "give the target and one attribute's name")
                        .hint("handeye get attr REF NAME"));
                }
            }
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Got, Problem> {
        let value = match self.what {
            What::Url => json!(session.web()?.location().await?.0),
            What::Title => json!(session.web()?.location().await?.1),
            What::Text { target } => {
                let of = element(session, &target).await?;
                json!(text(session, of).await?)
            }
            What::Html { target } => {
                let of = element(session, &target).await?;
                json!(session.web()?.html(of).await?)
            }
            What::Value { target } => {
                let (surface, eye, _) = session.parts()?;
                let probe = probe(surface, eye, &target, Aim::default()).await?.1;
                // Some controls of windows have no value but what they say.
                let said = if surface.windows().is_some() { probe.texts.text } else { String::new() };
                json!(if probe.texts.value.is_empty() { said } else { probe.texts.value })
            }
            What::Rect { target } => {
                let (surface, eye, _) = session.parts()?;
                json!(probe(surface, eye, &target, Aim::default()).await?.1.rect)
            }
            What::Attr { target, attribute } => {
                let (surface, eye, _) = session.parts()?;
                let id = probe(surface, eye, &target.target, Aim::default()).await?.1.id;
                json!(session.web()?.attribute(id, &attribute).await?)
            }
        };
        Ok(Got { value })
    }
}

/// The whole text of an element, or of the page.
async fn text(session: &mut Session, of: Option<NativeId>) -> Result<String, Problem> {
    let surface = session.surface()?;
    match (surface.windows().is_some(), of) {
        (true, Some(of)) => session.windows()?.text(of).await,
        (true, None) => {
            let capture = surface.capture(handeye_scene::Want::default()).await?;
            let said = capture.nodes.iter().flat_map(|n| [Some(n.name.as_str()), n.value.as_deref()]);
            Ok(said.flatten().filter(|t| !t.is_empty()).collect::<Vec<_>>().join("\n"))
        }
        (false, of) => session.web()?.text(of).await,
    }
}

async fn element(session: &mut Session, target: &TargetArgs) -> Result<Option<NativeId>, Problem> {
    if target.is_empty() {
        return Ok(None);
    }
    let (surface, eye, _) = session.parts()?;
    Ok(Some(probe(surface, eye, target, Aim::default()).await?.1.id))
}
