//! `get`: one fact about a target or the page.

use crate::core::args::TargetArgs;
use crate::look::inspect::probe;
use crate::{Command, Effect, Render, Session};
use handeye_engine::act::place_of;
use handeye_engine::observe::outline::round;
use handeye_scene::{Aim, Code, NativeId, Probe, Problem, Ref};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Get one fact: text, value, rect, attr, html of a target; url, title, scroll, text, html of the page
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
        target: crate::core::args::WordyTargetArgs,
        /// Name of the attribute
        #[arg(skip)]
        attribute: String,
    },
    /// Address of the page
    Url,
    /// Title of the page
    Title,
    /// How far the page is scrolled: X,Y,MOST_X,MOST_Y in CSS pixels, the last two how far it can be
    Scroll,
    /// Markup of a target, or of the page
    Html {
        /// The target
        #[command(flatten)]
        #[serde(flatten)]
        target: TargetArgs,
    },
}

/// What a surface calls the value that MSAA tells.
const LEGACY_VALUE: &str = "legacy value";
/// Characters of a text that are shown.
const LONGEST: usize = 100_000;

/// What `get` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Got {
    /// The fact; null when there is none, such as an attribute that isn't there.
    value: Value,
    /// What told it, where that isn't the control's own value: `legacy value`, `accessible value`, `accessible text`,
    /// `selection`, `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

impl Render for Got {
    fn render(&self) -> String {
        match &self.value {
            Value::Null => String::new(),
            Value::String(text) => handeye_engine::wording::shown::whole(text, LONGEST),
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

    fn refs(&self) -> Vec<u32> {
        match &self.what {
            What::Text { target } | What::Value { target } | What::Rect { target } | What::Html { target } => {
                target.refs()
            }
            What::Attr { target, .. } => target.refs(),
            What::Url | What::Title | What::Scroll => Vec::new(),
        }
    }

    fn normalize_args(mut self) -> Result<Self, Problem> {
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
            What::Scroll => {
                let scrolled = session.web()?.scrolled().await?;
                json!([scrolled.at.x, scrolled.at.y, scrolled.most.x, scrolled.most.y])
            }
            What::Text { target } => {
                let of = element(session, &target).await?;
                json!(text(session, of).await?)
            }
            What::Html { target } => {
                let of = element(session, &target).await?;
                json!(session.web()?.html(of).await?)
            }
            What::Value { target } => return value(session, &target).await,
            What::Rect { target } => {
                let (surface, memory, clock) = session.parts()?;
                match target.r#ref.map(Ref).filter(|number| memory.refs.region(*number).is_some()) {
                    Some(region) => json!(place_of(surface, clock.as_ref(), memory, region).await?),
                    None => json!(probe(surface, memory, &target, Aim::default()).await?.1.rect),
                }
            }
            What::Attr { target, attribute } => {
                let (surface, memory, _) = session.parts()?;
                let id = probe(surface, memory, &target.target, Aim::default()).await?.1.id;
                json!(session.web()?.attribute(id, &attribute).await?)
            }
        };
        Ok(Got { value, by: None })
    }
}

async fn value(session: &mut Session, target: &TargetArgs) -> Result<Got, Problem> {
    let (surface, memory, _) = session.parts()?;
    let probe = probe(surface, memory, target, Aim::default()).await?.1;
    let (value, by) = held(session, &probe).await?;
    Ok(Got { value: json!(value), by })
}

/// What a control holds, and what told it. In a window, every interface that may tell it is asked, the most direct first, and
/// what it says comes last: some controls have no other value.
pub(crate) async fn held(session: &mut Session, probe: &Probe) -> Result<(String, Option<String>), Problem> {
    let Some(windows) = session.surface()?.windows().filter(|_| probe.texts.value.is_empty()) else {
        return Ok((probe.texts.value.clone(), None));
    };
    let mut told: Vec<(String, String)> =
        probe.facts.iter().filter(|(name, _)| name == LEGACY_VALUE).cloned().collect();
    told.extend(windows.values(probe.id).await?);
    told.push(("text".to_owned(), probe.texts.text.clone()));
    let held = told.into_iter().find(|(_, value)| !value.trim().is_empty());
    Ok(held.map_or_else(Default::default, |(by, value)| (value, Some(by))))
}

/// The whole text of an element, or of the page.
pub(crate) async fn text(session: &mut Session, of: Option<NativeId>) -> Result<String, Problem> {
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
    let (surface, memory, _) = session.parts()?;
    Ok(Some(probe(surface, memory, target, Aim::default()).await?.1.id))
}
