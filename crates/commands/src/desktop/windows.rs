//! `windows`, `launch`, `window`: what only a desktop has.

use crate::core::acting::receipt;
use crate::{Command, Effect, Render, Session};
use handeye_engine::locate::window::{line, pick};
use handeye_engine::observe::outline::quote;
use handeye_scene::{Arrange, Code, Evidence, Point, Problem, Receipt, Surroundings, Verdict, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Raises the window that `--window` names, if it does, and refuses places where others lie; its handle.
pub(crate) async fn raise_named(session: &mut Session, places: &[Option<Point>]) -> Result<Option<String>, Problem> {
    if session.call.flags.window.is_none() {
        return Ok(None);
    }
    let windows = session.windows()?;
    let named = windows.current().await?.id;
    windows.activate(&named).await?;
    for place in places {
        windows.hold_to(&named, *place).await?;
    }
    Ok(Some(named))
}

/// List the windows of the desktop, the topmost first
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Windows {}

/// The windows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WindowList {
    /// Every window, the topmost first.
    windows: Vec<Window>,
}

impl Render for WindowList {
    fn render(&self) -> String {
        if self.windows.is_empty() {
            return "no window is open".into();
        }
        self.windows.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl Command for Windows {
    const NAME: &'static str = "windows";
    const EFFECT: Effect = Effect::Reads;
    type Output = WindowList;
    async fn run(self, session: &mut Session) -> Result<WindowList, Problem> {
        Ok(WindowList { windows: session.windows()?.list().await? })
    }
}

/// Start a program, and wait for its window
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Launch {
    /// The program: a name on PATH, or a path
    #[arg(value_name = "APP")]
    program: String,
    /// Its arguments
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    #[serde(default)]
    args: Vec<String>,
    /// The caller's working folder.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<PathBuf>,
    /// The caller's environment.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    environment: Option<BTreeMap<String, String>>,
}

impl Command for Launch {
    const NAME: &'static str = "launch";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn resolve_paths(mut self) -> Result<Self, Problem> {
        if self.program.contains('/') {
            let path = std::path::absolute(&self.program)
                .map_err(|e| Problem::new(Code::File, format!("{}: {e}", self.program)))?;
            self.program = path.display().to_string();
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let limit = session.limit(session.settings().waits.load);
        let windows = session.windows()?;
        let before = windows.list().await?;
        windows.start_in(Surroundings { folder: self.folder, environment: self.environment });
        let opened = windows.launch(&self.program, &self.args, limit).await?;
        let mut receipt = receipt(format!("launched {}", self.program));
        match opened {
            Some(window) => {
                windows.choose(Some(&window.id));
                receipt.evidence.push(match before.iter().find(|w| w.id == window.id) {
                    None => Evidence::WindowOpened { title: window.title },
                    // A program that runs already answers by a window of its own.
                    Some(before) if before.title != window.title => property("title", &before.title, &window.title),
                    Some(_) => property("focused", &false, &true),
                });
            }
            None => {
                receipt.verdict = Verdict::Unverifiable;
                receipt.reason =
                    Some(format!("it was started, and no window of its came up within {:.0} s", limit.as_secs_f64()));
                receipt.hints = vec!["handeye windows".into()];
            }
        }
        Ok(receipt)
    }
}

/// Put the current window somewhere, or the one that --window names
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    #[command(subcommand)]
    #[serde(flatten)]
    action: Placing,
}

/// What to do.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Placing {
    /// Minimise it
    #[command(alias = "minimize")]
    #[serde(alias = "minimize")]
    Minimise,
    /// Let it fill the screen
    #[command(alias = "maximize")]
    #[serde(alias = "maximize")]
    Maximise,
    /// Bring it back to its own size and place
    Restore,
    /// Put its top left corner at a place of the screen
    Move {
        /// From the left edge of the screen
        #[arg(allow_negative_numbers = true, value_parser = crate::core::value_parsers::whole("place on the screen", .., 100_i32))]
        x: i32,
        /// From the top edge of the screen
        #[arg(allow_negative_numbers = true, value_parser = crate::core::value_parsers::whole("place on the screen", .., 100_i32))]
        y: i32,
    },
    /// Give it another size
    Resize {
        /// Pixels
        #[arg(value_parser = crate::core::value_parsers::whole("size in pixels", 1_u32..=32_767, 800))]
        width: u32,
        /// Pixels
        #[arg(value_parser = crate::core::value_parsers::whole("size in pixels", 1_u32..=32_767, 800))]
        height: u32,
    },
}

impl Placing {
    fn arrange(&self) -> (Arrange, &'static str) {
        match *self {
            Placing::Minimise => (Arrange::Minimise, "minimised"),
            Placing::Maximise => (Arrange::Maximise, "maximised"),
            Placing::Restore => (Arrange::Restore, "restored"),
            Placing::Move { x, y } => (Arrange::Move(x, y), "moved"),
            Placing::Resize { width, height } => (Arrange::Resize(width, height), "resized"),
        }
    }

    /// How the window is instead of as it was asked for: its manager has the last word.
    fn otherwise(&self, now: &Window) -> Option<String> {
        let Window { rect, minimised, .. } = now;
        let differs = |want: f64, is: f64| (want - is).abs() >= 1.0;
        match *self {
            // One that isn't shown is nowhere.
            Placing::Move { .. } | Placing::Resize { .. } if *minimised => None,
            Placing::Move { x, y } if differs(x.into(), rect.x) || differs(y.into(), rect.y) => {
                Some(format!("the window is at {},{}, not at {x},{y}", rect.x, rect.y))
            }
            Placing::Resize { width, height }
                if differs(width.into(), rect.width) || differs(height.into(), rect.height) =>
            {
                Some(format!("the window is {}×{}, not {width}×{height}", rect.width, rect.height))
            }
            Placing::Minimise if !minimised => Some("the window isn't minimised".into()),
            Placing::Restore if *minimised => Some("the window is still minimised".into()),
            _ => None,
        }
    }
}

impl Command for Place {
    const NAME: &'static str = "window";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let windows = session.windows()?;
        let before = windows.current().await?;
        let (to, past) = self.action.arrange();
        let after = windows.arrange(&before.id, to).await?;
        let mut receipt = receipt(format!("{past} {}", quote(&before.title, 80)));
        if before.minimised != after.minimised {
            receipt.evidence.push(property("minimised", &before.minimised, &after.minimised));
        }
        let words = |w: &Window| format!("{},{},{},{}", w.rect.x, w.rect.y, w.rect.width, w.rect.height);
        // A window that isn't shown is nowhere.
        if before.rect != after.rect && !after.minimised && !before.minimised {
            receipt.evidence.push(property("rect", &words(&before), &words(&after)));
        }
        if let Some(otherwise) = self.action.otherwise(&after) {
            receipt.verdict = Verdict::Contradicted;
            receipt.reason = Some(otherwise);
        } else if receipt.evidence.is_empty() {
            receipt.verdict = Verdict::NoEffect;
            receipt.reason = Some(format!("the window is where it was: {}", words(&after)));
        }
        Ok(receipt)
    }
}

fn property(name: &str, from: &dyn std::fmt::Display, to: &dyn std::fmt::Display) -> Evidence {
    Evidence::Property { property: name.into(), from: from.to_string(), to: to.to_string() }
}

/// Makes the window that is named the one that commands look at from here on.
pub async fn choose(session: &mut Session, named: &str) -> Result<Window, Problem> {
    let mask = session.memory.mask.clone();
    let windows = session.windows()?;
    let list = windows.list().await?;
    let window = pick(&list, named, &mask)?;
    windows.choose(Some(&window.id));
    Ok(window.clone())
}
