//! `state`: the page as a numbered list.

use crate::screenshot::save;
use crate::{Command, Effect, Render, Reply, Session};
use handeye_engine::diff::Digest;
use handeye_engine::outline::{self, Style};
use handeye_engine::{Show, View, see};
use handeye_scene::{Change, Code, Generation, ImageFormat, Problem, Ref, ShotArea, Snapshot, Want};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::PathBuf;

/// Show the page as a numbered list of targets, with the text between them
#[derive(Debug, Default, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct State {
    /// Number every named element, static text and list items too
    #[arg(long)]
    all: bool,
    /// Show rectangles, XPaths and link addresses too
    #[arg(long)]
    verbose: bool,
    /// Indent by nesting
    #[arg(long)]
    tree: bool,
    /// Show only what lies inside this target
    #[arg(long, value_name = "REF", value_parser = crate::args::parse_ref)]
    within: Option<u32>,
    /// Show only what lies in the viewport
    #[arg(long)]
    visible: bool,
    /// Save a screenshot with it, here
    #[arg(long, value_name = "PATH")]
    screenshot: Option<PathBuf>,
}

/// A state, as text and as JSON.
pub struct Stated {
    view: View,
    style: Style,
}

impl Serialize for Stated {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.view.snapshot.serialize(serializer)
    }
}

impl JsonSchema for Stated {
    fn schema_name() -> Cow<'static, str> {
        Snapshot::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Snapshot::json_schema(generator)
    }
}

impl Render for Stated {
    fn render(&self) -> String {
        outline::view(&self.view, self.style)
    }
}

impl Command for State {
    const NAME: &'static str = "state";
    const EFFECT: Effect = Effect::Reads;
    type Output = Stated;

    fn tidy(mut self) -> Result<Self, Problem> {
        if let Some(path) = &mut self.screenshot {
            *path = std::path::absolute(&*path)
                .map_err(|e| Problem::new(Code::File, format!("{}: {e}", path.display())))?;
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Stated, Problem> {
        let scope = match self.within {
            Some(n) => {
                let known = session.eye.book.get(Ref(n));
                Some(
                    known
                        .ok_or_else(|| {
                            Problem::new(Code::NotFound, format!("there is no target [{n}]")).hint("handeye state")
                        })?
                        .clone(),
                )
            }
            None => None,
        };
        let text = session.settings().limits.text;
        // XPaths cost time on large pages: only who sees them pays for them.
        let detail = self.verbose || session.flags.json;
        let want = Want { scope: scope.as_ref().map(|k| k.native), all: self.all, detail, ..Want::default() };
        // Before anything counts as shown: a picture that can't be saved leaves nothing but an error.
        if let Some(path) = &self.screenshot {
            let shot = session.web()?.screenshot(ShotArea::Viewport, ImageFormat::Png, None).await?;
            save(path, &shot.bytes)?;
        }
        let (surface, eye, clock) = session.parts()?;
        let capture = surface.capture(want).await?;
        if let Some(known) = &scope
            && capture.nodes.is_empty()
            && surface.probe(known.native, handeye_scene::Aim::default()).await?.is_none()
        {
            let whole = surface.capture(Want::default()).await?;
            return Err(handeye_engine::locate::stale(
                eye,
                eye.book.number(known.native),
                &known.shown.clone(),
                &whole,
            ));
        }
        let generation = eye.advance();
        let show = Show { all: self.all, visible: self.visible };
        let mut view = see::see(&capture, eye, show, generation, clock.timestamp());
        view.snapshot.notices.extend(surface.notices());
        if scope.is_none() {
            let digest = Digest::of(&capture);
            eye.baseline = Some(digest.clone());
            eye.look(digest);
        }
        view.snapshot.screenshot = self.screenshot.as_ref().map(|p| p.display().to_string());
        Ok(Stated { view, style: Style { verbose: self.verbose, tree: self.tree, text } })
    }
}

/// The change since the state last shown.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Changed {
    /// Counts the snapshots of the session.
    generation: Generation,
    /// The state it is a change to; none when no state was shown yet on this page.
    url: String,
    /// Title of the page.
    title: String,
    /// The changes.
    changes: Vec<Change>,
}

impl Render for Changed {
    fn render(&self) -> String {
        let mut out = format!(
            "page {} {}  {} changes since the state last shown",
            outline::quote(&self.title, 200),
            self.url,
            self.changes.len()
        );
        for change in &self.changes {
            out.push('\n');
            out.push_str(&outline::change_line(change, Style::default()));
        }
        out
    }
}

/// The state that `--return-state` asks for: whole, or as the change since the state last shown (whole when there is none,
/// or when the page is another one).
pub async fn returned(session: &mut Session, full: bool) -> Result<Reply, Problem> {
    let detail = session.flags.json;
    let (surface, eye, _) = session.parts()?;
    let capture = surface.capture(Want { detail, ..Want::default() }).await?;
    let digest = Digest::of(&capture);
    let earlier = eye.baseline.take().filter(|b| !full && b.same_page(&digest));
    let Some(earlier) = earlier else {
        return Reply::of(&State::default().run(session).await?);
    };
    let differences = earlier.differences(&digest);
    let (changes, _) = differences.show(&earlier, &digest, &mut eye.book, usize::MAX);
    let generation = eye.advance();
    eye.baseline = Some(digest);
    Reply::of(&Changed { generation, url: capture.url, title: capture.title, changes })
}
