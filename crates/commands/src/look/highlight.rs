//! `highlight`: marks over targets, for a person who watches or for a picture.

use crate::core::args::TargetArgs;
use crate::core::named::{Named, parse_named};
use crate::core::saved::check_png;
use crate::look::inspect::probe;
use crate::{Command, Effect, Render, Session};
use handeye_engine::matching::shown_now;
use handeye_engine::observe::outline::{notice_line, quote_own};
use handeye_engine::wording::targets::describe;
use handeye_scene::{Aim, Code, Colour, ImageFormat, Mark, NativeId, Notice, Problem, Ref, Shot, ShotArea};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Longest time a mark may stay, seconds: other commands wait for it.
const LONGEST: f64 = 60.0;
/// Targets that are marked at once, at most.
const MOST: usize = 100;
/// The colours that have a name.
const COLOURS: [(&str, Colour); 9] = [
    ("orange", Colour(255, 80, 0)),
    ("red", Colour(220, 0, 0)),
    ("green", Colour(0, 140, 0)),
    ("blue", Colour(0, 80, 220)),
    ("yellow", Colour(255, 210, 0)),
    ("purple", Colour(140, 0, 170)),
    ("pink", Colour(255, 90, 170)),
    ("black", Colour(0, 0, 0)),
    ("white", Colour(255, 255, 255)),
];

/// Mark targets for a while with coloured frames, drawn over the page or the screen; nothing is put into the page, and input passes through
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    override_usage = "handeye highlight [OPTIONS] [REF]...",
    after_help = "Examples:\n  handeye highlight 5 --seconds 3\n  handeye highlight 5 8 --color red,blue --label First,Second\n  handeye highlight 5 --to marked.png --seconds 0"
)]
pub struct Highlight {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    /// More targets: numbers, or locators such as css=#pay
    #[arg(value_name = "REF", value_parser = parse_named)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    more: Vec<Named>,
    /// Colours of the frames, in the order of the targets, separated by commas: orange, red, green, blue, yellow, purple, pink,
    /// black, white or #RRGGBB; the last goes on for the rest [default: orange]
    #[arg(long, alias = "colour", value_name = "COLORS", value_delimiter = ',', value_parser = parse_colour_name)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    color: Vec<String>,
    /// Labels beside the frames, in the order of the targets, separated by commas (desktop)
    #[arg(long, value_name = "TEXTS", value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    label: Vec<String>,
    /// How long, in seconds, up to 60
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = crate::core::value_parsers::real("time in seconds", 0.0..=LONGEST, 3.0))]
    #[serde(default = "two")]
    seconds: f64,
    /// Save a picture with the marks, of the viewport or of the screen: a .png file
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    to: Option<PathBuf>,
}

fn two() -> f64 {
    2.0
}

/// A colour by its name or as `#RRGGBB`.
fn colour(text: &str) -> Option<Colour> {
    if let Some((_, colour)) = COLOURS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Some(*colour);
    }
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let part = |from: usize| u8::from_str_radix(digits.get(from..from + 2)?, 16).ok();
    Some(Colour(part(0)?, part(2)?, part(4)?))
}

fn parse_colour_name(text: &str) -> Result<String, String> {
    match colour(text) {
        Some(_) => Ok(text.to_owned()),
        None => {
            let names: Vec<&str> = COLOURS.iter().map(|(name, _)| *name).collect();
            Err(format!("`{text}` is no colour: write one of {}, or #RRGGBB such as #ff5000", names.join(", ")))
        }
    }
}

/// What `highlight` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Highlighted {
    /// What was marked.
    targets: Vec<String>,
    /// For how long.
    seconds: f64,
    /// Where the picture is.
    path: Option<String>,
    /// What else there is to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Notice>,
}

impl Render for Highlighted {
    fn render(&self) -> String {
        let saved = self.path.as_ref().map(|p| format!("; saved {p}")).unwrap_or_default();
        let mut lines = vec![format!("marked {} for {} s{saved}", self.targets.join(", "), self.seconds)];
        lines.extend(self.notices.iter().map(notice_line));
        lines.join("\n")
    }
}

impl Command for Highlight {
    const NAME: &'static str = "highlight";
    // It scrolls to what it marks.
    const EFFECT: Effect = Effect::Acts;
    type Output = Highlighted;

    fn refs(&self) -> Vec<u32> {
        self.target.refs().into_iter().chain(self.more.iter().filter_map(Named::written)).collect()
    }

    fn resolve_paths(mut self) -> Result<Self, Problem> {
        if let Some(file) = &mut self.to {
            crate::core::args::resolve(file)?;
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Highlighted, Problem> {
        if !(0.0..=LONGEST).contains(&self.seconds) {
            return Err(Problem::new(Code::BadRequest, format!("--seconds {} is not from 0 to 60", self.seconds))
                .hint("handeye highlight REF --seconds 3"));
        }
        if let Some(file) = &self.to {
            check_png(file, "a picture with marks", "handeye highlight REF --to marked.png")?;
        }
        let (targets, marks) = self.marks(session).await?;
        let left_out = show(session, &marks).await?;
        let shot = match &self.to {
            Some(_) => Some(picture(session).await),
            None => None,
        };
        session.clock.clone().sleep(crate::core::session::seconds(self.seconds)).await;
        // They go whatever became of the picture.
        hide(session).await?;
        if let (Some(file), Some(shot)) = (&self.to, shot) {
            crate::core::saved::save_picture(file, &shot?.bytes)?;
        }
        let mut notices = Vec::new();
        let missing: Vec<&str> =
            marks.iter().zip(&targets).filter(|(m, _)| left_out.contains(&m.id)).map(|(_, t)| t.as_str()).collect();
        if !missing.is_empty() {
            let text = format!("{} couldn't be drawn with the others: mark it by itself", missing.join(", "));
            notices.push(Notice::new("not_marked", text));
        }
        if !self.label.is_empty() && session.surface()?.windows().is_none() {
            notices.push(Notice::new("no_labels", "the browser draws frames without labels"));
        }
        let path = self.to.map(|f| f.display().to_string());
        Ok(Highlighted { targets, seconds: self.seconds, path, notices })
    }
}

impl Highlight {
    /// The marks, and what each is over.
    async fn marks(&self, session: &mut Session) -> Result<(Vec<String>, Vec<Mark>), Problem> {
        let colours = self.colours()?;
        let mut named: Vec<TargetArgs> = Vec::new();
        if !self.target.is_empty() || self.more.is_empty() {
            named.push(self.target.clone());
        }
        named.extend(self.more.iter().map(as_target));
        if named.len() > MOST {
            return Err(Problem::new(Code::BadRequest, format!("more than {MOST} targets can't be marked at once"))
                .hint("handeye highlight REF REF"));
        }
        let (surface, memory, _) = session.parts()?;
        let mut probes = Vec::new();
        for (i, target) in named.iter().enumerate() {
            // The first is scrolled to; the others are marked where they are then.
            let aim = Aim { scroll: i == 0, point: false, ..Aim::default() };
            probes.push(probe(surface, memory, target, aim).await?.1);
        }
        let mut marks = Vec::new();
        let mut targets = Vec::new();
        for (i, probe) in probes.into_iter().enumerate() {
            let shown = shown_now(&probe);
            let number: Ref = memory.refs.mention(probe.id, || shown.clone());
            let label = self.label.get(i).filter(|label| !label.is_empty()).cloned();
            let said = label.as_ref().map(|label| format!(" as {}", quote_own(label, 80))).unwrap_or_default();
            targets.push(format!("{}{said}", describe(number, &probe.role, shown.words())));
            let colour = colours.get(i).or(colours.last()).copied().unwrap_or(COLOURS[0].1);
            marks.push(Mark { id: probe.id, rect: probe.rect, colour, label });
        }
        Ok((targets, marks))
    }

    fn colours(&self) -> Result<Vec<Colour>, Problem> {
        let read = |text: &String| {
            let wrong = |why| Problem::new(Code::BadRequest, why).hint("handeye highlight --help");
            parse_colour_name(text).map_err(wrong).map(|text| colour(&text).unwrap_or(COLOURS[0].1))
        };
        self.color.iter().map(read).collect()
    }
}

fn as_target(named: &Named) -> TargetArgs {
    match named {
        Named::Ref(number) => TargetArgs { r#ref: Some(*number), ..TargetArgs::default() },
        Named::By(locator) => TargetArgs { locators: vec![locator.clone()], ..TargetArgs::default() },
    }
}

/// Shows the marks; those that couldn't be drawn with the others.
async fn show(session: &mut Session, marks: &[Mark]) -> Result<Vec<NativeId>, Problem> {
    let surface = session.surface()?;
    if let Some(windows) = surface.windows() {
        return windows.show_marks(marks).await.map(|()| Vec::new());
    }
    session.web()?.mark(marks).await
}

async fn hide(session: &mut Session) -> Result<(), Problem> {
    let surface = session.surface()?;
    match surface.windows() {
        Some(windows) => windows.hide_marks().await,
        None => session.web()?.unmark().await,
    }
}

async fn picture(session: &mut Session) -> Result<Shot, Problem> {
    let surface = session.surface()?;
    match surface.windows() {
        // The marks lie over the windows, not in them.
        Some(windows) => windows.screenshot(ShotArea::FullPage).await,
        None => session.web()?.screenshot(ShotArea::Viewport, ImageFormat::Png, None).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_names_or_numbers() {
        assert_eq!(colour("Red"), Some(Colour(220, 0, 0)));
        assert_eq!(colour("#0a0B0c"), Some(Colour(10, 11, 12)));
        for none in ["", "#12345", "#1234567", "#gggggg", "#ééé", "reddish"] {
            assert_eq!(colour(none), None, "{none}");
        }
    }
}
