//! What is seen besides the tree: perceivers chosen by flags, asked within one look, and merged with it.

use crate::Session;
use crate::core::nonce::nonce;
use handeye_engine::perceive::ax::{self, AxTree};
use handeye_engine::perceive::by_model::Asking;
use handeye_engine::perceive::by_model::inferred::Inferred;
use handeye_engine::perceive::by_model::vision::Vision;
use handeye_engine::perceive::fuse::{Thresholds, fuse};
use handeye_engine::perceive::moment::pictured;
use handeye_engine::perceive::scope;
use handeye_engine::perceive::sources;
use handeye_engine::perceive::structure::Structure;
use handeye_engine::perceive::text::Text;
use handeye_scene::{Aim, Capture, Claim, Notice, Perceiver, Picture, Problem, Rect, Sight, Surface, Via, Want, Wants};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What infers handles from the places of targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Infer {
    /// Rules
    Rules,
    /// Rules, and a language model that reads the list of targets
    Model,
}

/// Which perceivers are asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::Args)]
#[serde(default)]
pub struct PerceiveArgs {
    /// Add handles told from the places of targets: borders, splitters, parts of scroll bars; =model asks a language model too
    #[arg(long, value_name = "rules|model", value_enum, help_heading = "More to see", num_args = 0..=1, require_equals = true, default_missing_value = "rules", hide_possible_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub infer: Option<Infer>,
    /// Add what only the browser's accessibility tree tells of, such as parts of controls that the browser draws itself
    #[arg(long, help_heading = "More to see", conflicts_with = "via")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ax: bool,
    /// Add text and controls read from a screenshot on this machine
    #[arg(long, help_heading = "More to see")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ocr: bool,
    /// Add what a vision model sees in a screenshot
    #[arg(long, help_heading = "More to see")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vision: bool,
}

impl PerceiveArgs {
    /// The perceivers, in the order in which they are asked. A new one is a flag above and a line here.
    fn chosen<'a>(self, text: Option<Text<'a>>, models: Option<Asked<'a>>) -> Vec<Box<dyn Perceiver + 'a>> {
        let mut all: Vec<Box<dyn Perceiver + 'a>> = Vec::new();
        if self.ax {
            all.push(Box::new(AxTree));
        }
        if self.infer.is_some() {
            all.push(Box::new(Structure));
        }
        if let Some(text) = text {
            all.push(Box::new(text));
        }
        if let Some(Asked { asking, longest }) = models {
            if self.infer == Some(Infer::Model) {
                all.push(Box::new(Inferred { asking, nonce: nonce() }));
            }
            if self.vision {
                all.push(Box::new(Vision { asking, longest }));
            }
        }
        all
    }

    /// Whether models are asked, so that what shows the page goes to them.
    pub fn asks_models(self) -> bool {
        self.vision || self.infer == Some(Infer::Model)
    }

    /// Whether nothing but the tree is asked.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// The models to ask, and the longest side of a picture that they are shown, in pixels.
struct Asked<'a> {
    asking: Asking<'a>,
    longest: u32,
}

/// How long reading may take where no limit is given, in seconds.
const READING: f64 = 10.0;
/// How long a model may take where no limit is given, in seconds: the settings' limit on one answer is the usual one.
const LONGEST: f64 = 600.0;

/// A look with all that perceivers add to it.
pub struct Perceived {
    /// The tree, with what is told of by element added.
    pub capture: Capture,
    /// What it looks like, where that was needed and could be had.
    pub picture: Option<Picture>,
    /// What has no element.
    pub claims: Vec<Claim>,
}

/// Asks the perceivers about what was just looked at. `must_picture`: no picture is a problem, and not only a notice.
pub async fn perceive(
    session: &mut Session,
    asked: PerceiveArgs,
    (want, capture): (Want, Capture),
    must_picture: bool,
) -> Result<Perceived, Problem> {
    let models = match asked.asks_models() {
        true => {
            // What shows the page goes to a model: it must be one that may be read.
            crate::core::permission::permit_reading(session, "state").await?;
            Some(session.models()?)
        }
        false => None,
    };
    let (limit, longest) = (session.limit(LONGEST), session.settings().models.image.clamp(64, 16_384));
    let models = models
        .as_ref()
        .map(|(models, access)| Asked { asking: Asking { models: models.as_ref(), access, limit }, longest });
    let reader = if asked.ocr { Some(session.means.reader()?) } else { None };
    let config = session.settings().models.clone();
    let text = reader.as_deref().map(|reader| Text { reader, config: &config, limit: session.limit(READING) });
    let perceivers = asked.chosen(text, models);
    let perceivers: Vec<&dyn Perceiver> = perceivers.iter().map(|perceiver| perceiver.as_ref()).collect();
    let wants = perceivers.iter().fold(Wants::default(), |all, perceiver| all.and(perceiver.wants()));
    let surface = session.surface()?;
    // Of a part, too, the whole tells what has an element.
    let is_part = want.scope.is_some() && !asked.is_none();
    let whole = if is_part { Want { scope: None, until: None, ..want } } else { want };
    let capture = match is_part {
        true => Capture { notices: capture.notices, ..surface.capture(whole).await? },
        false => capture,
    };
    let (mut capture, picture) = looked_at(surface, (whole, capture), must_picture).await?;
    let part = if is_part { Some(part_of(surface, want).await?) } else { None };
    let tree = if wants.ax { ax_tree(surface, want, &mut capture).await } else { None };
    let sight = Sight { capture: &capture, picture: picture.as_ref(), ax: tree.as_ref() };
    let (claims, notices) = sources::claims(&sight, &perceivers).await;
    let thresholds = Thresholds::default();
    let mut fused = fuse(&capture, claims, thresholds);
    if let Some((part, place)) = part {
        fused = scope::cut(fused, &capture, (&part, place));
        capture = Capture { notices: std::mem::take(&mut capture.notices), ..part };
    }
    capture.notices.extend(notices);
    capture.notices.extend(fused.unsure.iter().map(|(source, count)| {
        let plural = if *count == 1 { "" } else { "s" };
        let text = format!(
            "{}: {count} claim{plural} below a confidence of {} left out",
            source.word(),
            thresholds.confidence
        );
        Notice::new("unsure", text)
    }));
    for (at, text) in fused.reads {
        capture.nodes[at].extra.reads = Some(text);
    }
    let (elements, claims): (Vec<Claim>, Vec<Claim>) = fused.claims.into_iter().partition(|c| c.element.is_some());
    if let Some(tree) = &tree {
        ax::add(&mut capture, tree, &elements);
    }
    Ok(Perceived { capture, picture, claims })
}

/// What was just looked at, with its picture where one can be had.
async fn looked_at(
    surface: &mut dyn Surface,
    (want, mut capture): (Want, Capture),
    must_picture: bool,
) -> Result<(Capture, Option<Picture>), Problem> {
    match pictured(surface, want, capture.clone()).await {
        Ok(moment) => {
            let mut capture = moment.capture;
            capture.notices.extend(moment.notice);
            Ok((capture, Some(moment.picture)))
        }
        Err(problem) if must_picture => Err(problem),
        // Elements tell where they are without one.
        Err(problem) => {
            let text = format!("there is no picture, so that nothing seen in it is told: {}", problem.message);
            capture.notices.push(Notice::new("perceiver", text));
            Ok((capture, None))
        }
    }
}

/// The part that is wanted, and the place of the element that it is, where it is one.
async fn part_of(surface: &mut dyn Surface, want: Want) -> Result<(Capture, Option<Rect>), Problem> {
    let part = surface.capture(want).await?;
    let place = match want.scope.filter(|_| want.until.is_none()) {
        Some(id) => surface.probe(id, Aim::default()).await?.map(|probe| probe.rect),
        None => None,
    };
    Ok((part, place))
}

/// The browser's accessibility tree; a notice where it can't be had.
async fn ax_tree(surface: &mut dyn Surface, want: Want, capture: &mut Capture) -> Option<Capture> {
    if surface.web().is_none() {
        let text = "ax saw nothing: only pages have a second tree";
        capture.notices.push(Notice::new("perceiver", text));
        return None;
    }
    match surface.capture(Want { via: Via::Ax, ..want }).await {
        Ok(tree) => Some(tree),
        Err(problem) => {
            capture.notices.push(Notice::new("perceiver", format!("ax saw nothing: {}", problem.message)));
            None
        }
    }
}
