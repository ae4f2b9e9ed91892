//! `state`: the page as a numbered list.

use crate::core::named::Named;
use crate::core::render::count;
use crate::core::saved::{self, check_png, save_picture};
use crate::look::annotate::{self, MOST_MARKS, annotate};
use crate::look::perceive::{PerceiveArgs, Perceived, perceive};
use crate::{Command, Effect, Render, Reply, Session};
use handeye_engine::observe::came_up::MEANWHILE;
use handeye_engine::observe::diff::Fingerprint;
use handeye_engine::observe::outline::{self, Style};
use handeye_engine::observe::refs::Known;
use handeye_engine::observe::snapshot;
use handeye_engine::perceive::regions;
use handeye_engine::wording::shown::address;
use handeye_engine::{Memory, Show, View};
use handeye_scene::{
    Capture, Change, Code, Generation, ImageFormat, Problem, Rect, Ref, ShotArea, Snapshot, Surface, Via, Want,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Write;
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
    /// Show only what lies inside this target, or open this fold
    #[arg(long, value_name = "REF", value_parser = crate::core::named::parse_named)]
    within: Option<Named>,
    /// Show this page of the list, from 1, with nothing folded
    #[arg(long, value_name = "N", value_parser = crate::core::value_parsers::whole("page", 1_u32.., 2))]
    page: Option<u32>,
    /// Collapse lists to stay within this many characters; `none` collapses nothing [default: 6000; with --json none]
    #[arg(long, value_name = "CHARACTERS", value_parser = parse_budget)]
    budget: Option<usize>,
    /// Show only what changed since the state of this generation (JSON output numbers them, and the last 4 are kept)
    #[arg(long, value_name = "GENERATION", value_parser = crate::core::value_parsers::whole("generation", 1_u64.., 3), conflicts_with_all = ["within", "page", "visible", "all", "tree", "verbose", "budget", "screenshot", "via", "annotated", "infer", "ax", "ocr", "vision"])]
    since: Option<u64>,
    /// Show only what lies in the viewport, on the desktop on the screen
    #[arg(long)]
    visible: bool,
    /// Save a screenshot to this path too
    #[arg(long, value_name = "PATH")]
    screenshot: Option<PathBuf>,
    /// Save a picture with a numbered box around every target in view that is listed, and list no others
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "", value_parser = annotate::parse_path)]
    #[serde(skip_serializing_if = "Option::is_none")]
    annotated: Option<PathBuf>,
    /// Mark at most so many targets [default: 200]
    #[arg(long, value_name = "N", requires = "annotated", value_parser = crate::core::value_parsers::whole("number of marks", 1_usize..=5_000, 50))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_marks: Option<usize>,
    /// Put the annotated picture into the JSON output too, as PNG in base64
    #[arg(long, requires = "annotated")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    base64: bool,
    #[command(flatten)]
    #[serde(flatten)]
    more: PerceiveArgs,
    /// Read the page by handeye's own script, or by the browser's accessibility tree (ax)
    #[arg(long, value_name = "script|ax", value_parser = crate::core::args::parse_via, default_value = "script", hide_default_value = true)]
    #[serde(default, skip_serializing_if = "crate::core::args::is_usual")]
    via: Via,
}

/// Least that can be asked for: room for the first line, a few targets and the folds.
pub(crate) const LEAST_BUDGET: usize = 500;

/// Characters; 0 stands for no budget.
pub(crate) fn parse_budget(text: &str) -> Result<usize, String> {
    match text.parse() {
        _ if text == "none" => Ok(0),
        Ok(n) if n >= LEAST_BUDGET => Ok(n),
        _ => Err(format!("`{text}` is no budget: give characters, {LEAST_BUDGET} or more, or `none`")),
    }
}

/// A state, as text and as JSON; or what changed since an earlier one.
pub enum Stated {
    /// All of it.
    Whole(Box<Whole>),
    /// The change.
    Change(Changed),
}

/// A whole state.
pub struct Whole {
    view: View,
    style: Style,
}

impl Serialize for Stated {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Whole(whole) => whole.view.snapshot.serialize(serializer),
            Self::Change(change) => change.serialize(serializer),
        }
    }
}

/// What `state` returns.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "only its schema is used: the state itself writes its snapshot")]
enum Written {
    Whole(Box<Snapshot>),
    Change(Changed),
}

impl JsonSchema for Stated {
    fn schema_name() -> Cow<'static, str> {
        "State".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Written::json_schema(generator)
    }
}

impl Render for Stated {
    fn render(&self) -> String {
        match self {
            Self::Whole(whole) => {
                let mut out = outline::view(&whole.view, whole.style);
                let snapshot = &whole.view.snapshot;
                if let (Some(path), Some(annotation)) = (&snapshot.annotated_screenshot, &snapshot.annotation) {
                    out.push('\n');
                    out.push_str(&annotate::words(path, annotation, &snapshot.folds));
                }
                out
            }
            Self::Change(change) => change.render(),
        }
    }
}

impl Command for State {
    const NAME: &'static str = "state";
    const EFFECT: Effect = Effect::Reads;
    type Output = Stated;

    fn asks_models(&self) -> bool {
        self.more.asks_models()
    }

    fn refs(&self) -> Vec<u32> {
        self.within.iter().filter_map(Named::written).collect()
    }

    fn resolve_paths(mut self) -> Result<Self, Problem> {
        if let Some(path) = &mut self.screenshot {
            crate::core::args::resolve(path)?;
        }
        self.annotated = self.annotated.as_deref().map(annotate::absolute).transpose()?;
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Stated, Problem> {
        if let Some(since) = self.since {
            return change_since(session, Generation(since)).await.map(Stated::Change);
        }
        let within = match &self.within {
            Some(named) => Some(named.number(session).await?),
            None => None,
        };
        let scope = within.map(|number| session.memory.refs.known(number).cloned()).transpose()?;
        let text = session.settings().limits.text;
        // XPaths cost time on large pages: only who sees them pays for them.
        let detail = self.verbose || session.call.flags.json || self.more.infer.is_some();
        // A fold is a stretch of the whole list; of what was looked at before there is no need to look at that part anew.
        let stretch = self.via == Via::Script && scope.as_ref().is_some_and(|k| k.until.is_some());
        let inside = scope.as_ref().filter(|_| !stretch);
        let want = Want {
            scope: inside.map(|k| k.native),
            until: inside.and_then(|k| k.until),
            rows: true,
            detail,
            via: self.via,
            ..Want::default()
        };
        if let Some(path) = &self.annotated {
            check_png(path, "an annotated picture", "handeye state --annotated page.png")?;
        }
        // Before anything counts as shown: a picture that can't be saved leaves nothing but an error.
        if let Some(path) = &self.screenshot {
            let format = match saved::named(path) {
                saved::Named::As(format) => format,
                _ => {
                    check_png(path, "a screenshot", "handeye state --screenshot page.png").map(|()| ImageFormat::Png)?
                }
            };
            let shot = crate::look::screenshot::shoot(session, ShotArea::Viewport, format, None).await?;
            save_picture(path, &shot.bytes)?;
        }
        let mut show = self.show(session, scope.as_ref());
        // What is folded needs no row.
        let want = Want { rows: show.budget.is_none() || show.all || !self.more.is_none(), ..want };
        let (surface, memory, _) = session.parts()?;
        if self.within.is_none()
            && let Some(windows) = surface.windows()
        {
            windows.leave_lost().await?;
        }
        let mut capture = surface.capture(want).await?;
        // Notices count as part of what is shown, and of how long it may be.
        capture.notices.extend(surface.notices());
        if let Some(known) = &scope
            && capture.nodes.is_empty()
        {
            check_scope(surface, memory, within.unwrap_or(Ref(0)), known).await?;
        }
        // Changes are told between looks of one kind, whatever is seen besides.
        let is_whole = scope.is_none() && self.via == Via::Script;
        let mut fingerprint = (is_whole || !self.more.is_none()).then(|| Fingerprint::of(&capture));
        if let Some(now) = fingerprint.as_ref().filter(|_| is_whole) {
            memory.note_came_up(now);
            capture.notices.extend(memory.take_came_up());
        }
        let Perceived { mut capture, picture, mut claims } = if self.more.is_none() && self.annotated.is_none() {
            Perceived { capture, picture: None, claims: Vec::new() }
        } else {
            perceive(session, self.more, (want, capture), self.annotated.is_some()).await?
        };
        // A picture comes with a look of its own moment.
        fingerprint = fingerprint.filter(|_| !self.more.is_none() || self.annotated.is_none());
        let (most, taken) = regions::room(&claims, show.budget, text);
        show.budget = show.budget.map(|budget| budget.saturating_sub(taken).max(LEAST_BUDGET));
        let (surface, memory, clock) = session.parts()?;
        let unlisted: Vec<Rect> = claims.drain(most.min(claims.len())..).map(|claim| claim.rect).collect();
        let left = unlisted.len();
        let hits = regions::hits(surface, &claims).await;
        let mut draft = None;
        if capture.rows_left {
            // What isn't returned must not count as shown.
            let mut look = memory.clone();
            let view = snapshot::see(&capture, &mut look, show, memory.generation, clock.timestamp())?;
            let lacking = snapshot::lacking_rows(&capture, view.snapshot.targets.iter().filter_map(|t| t.native));
            if lacking.is_empty() {
                *memory = look;
                draft = Some(view);
            } else {
                if !surface.add_rows(&mut capture, &lacking).await? {
                    let notices = std::mem::take(&mut capture.notices);
                    capture = surface.capture(Want { rows: true, ..want }).await?;
                    capture.notices.splice(0..0, notices.into_iter().filter(|notice| notice.kind == MEANWHILE));
                }
                fingerprint = None;
            }
        }
        let mut view = match draft {
            Some(view) => view,
            None => snapshot::see(&capture, memory, show, memory.generation, clock.timestamp())?,
        };
        view.snapshot.generation = memory.advance();
        view.snapshot.notices.extend(surface.notices());
        if !claims.is_empty() {
            regions::list(&mut view, memory, (&capture, picture.as_ref()), (claims, hits, left));
        }
        if is_whole {
            memory.keep(fingerprint.unwrap_or_else(|| Fingerprint::of(&capture)));
        }
        if let (Some(path), Some(picture)) = (&self.annotated, picture) {
            let how = (path.as_path(), self.max_marks.unwrap_or(MOST_MARKS), self.base64);
            // Of what lies outside of a part, its labels hide nothing, either.
            let around = if inside.is_some() { session.surface()?.capture(Want::default()).await? } else { capture };
            let annotated = annotate(session, (picture, &around), (&view.snapshot.targets, &unlisted), how)?;
            view.snapshot.annotated_screenshot = Some(annotated.path.display().to_string());
            view.snapshot.annotation = Some(annotated.annotation);
        }
        view.snapshot.screenshot = self.screenshot.as_ref().map(|p| p.display().to_string());
        let style = Style { verbose: self.verbose, tree: self.tree, text, ..Style::default() };
        Ok(Stated::Whole(Box::new(Whole { view, style })))
    }
}

impl State {
    fn show(&self, session: &Session, scope: Option<&Known>) -> Show {
        let limits = &session.settings().limits;
        let usual = if session.call.flags.json { 0 } else { limits.budget };
        let stretch = scope.and_then(|k| Some((k.native, k.until?)));
        // What is long by itself is opened a page at a time.
        let page = self.page.map(|n| n as usize).or(stretch.map(|_| 1));
        let budget = match self.budget.unwrap_or(usual) {
            // A page must be of some size.
            0 if self.page.is_some() => Some(limits.budget.max(LEAST_BUDGET)),
            0 => None,
            n => Some(n),
        };
        let part = scope.is_some() || page.is_some() || self.budget == Some(0);
        let visible = self.visible || self.annotated.is_some();
        Show { all: self.all, visible, part, stretch, budget, page, text: limits.text }
    }
}

/// Why nothing is inside what was asked for: it is gone, unless it is only empty.
async fn check_scope(
    surface: &mut dyn Surface,
    memory: &mut Memory,
    number: Ref,
    known: &Known,
) -> Result<(), Problem> {
    if known.until.is_some() {
        return Err(snapshot::gone(number, &known.shown.name));
    }
    if surface.probe(known.native, handeye_scene::Aim::default()).await?.is_some() {
        return Ok(());
    }
    let whole = surface.capture(Want::default()).await?;
    Err(handeye_engine::locate::stale(memory, Some(number), &known.shown, &whole))
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
    /// Iframes that show another document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moved: Vec<MovedDocument>,
}

/// An iframe that shows another document than it did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MovedDocument {
    /// The iframe.
    #[serde(rename = "ref")]
    number: Option<Ref>,
    /// Address of the document that it showed.
    from: String,
    /// Address of the one that it shows.
    to: String,
}

impl Render for Changed {
    fn render(&self) -> String {
        let mut out = format!(
            "page {} {}  {} since the state last shown",
            outline::quote(&self.title, 200),
            address(&self.url),
            count(self.changes.len() + self.moved.len(), "change")
        );
        for MovedDocument { number, from, to } in &self.moved {
            let iframe = number.map_or_else(|| "an iframe".to_owned(), |n| n.to_string());
            let _ = write!(out, "\n~ {iframe} document {} → {}", address(from), address(to));
        }
        for line in outline::change_lines(&self.changes, Style::default()) {
            out.push('\n');
            out.push_str(&line);
        }
        out
    }
}

/// The state that `--return-state` asks for: whole, or as the change since the state last shown (whole when there is none,
/// or when the page is another one).
pub async fn returned(session: &mut Session, full: bool) -> Result<Reply, Problem> {
    let detail = session.call.flags.json;
    let (surface, memory, _) = session.parts()?;
    let capture = surface.capture(Want { detail, rows: true, ..Want::default() }).await?;
    let fingerprint = Fingerprint::of(&capture);
    let earlier = memory.last_shown().filter(|b| !full && b.same_page(&fingerprint));
    let Some(earlier) = earlier else {
        return Reply::of(&State::default().run(session).await?);
    };
    Reply::of(&Changed::between(&earlier, fingerprint, capture, memory))
}

/// What changed since the state of a generation.
async fn change_since(session: &mut Session, since: Generation) -> Result<Changed, Problem> {
    let detail = session.call.flags.json;
    let (surface, memory, _) = session.parts()?;
    let Some(earlier) = memory.shown_at(since) else {
        let kept: Vec<String> = memory.kept().map(|g| g.0.to_string()).collect();
        let kept = if kept.is_empty() { "none yet".to_owned() } else { kept.join(", ") };
        return Err(Problem::new(
            Code::NotFound,
            format!("the state of generation {} is not kept; kept are: {kept}", since.0),
        )
        .hint("handeye state"));
    };
    let capture = surface.capture(Want { detail, rows: true, ..Want::default() }).await?;
    Ok(Changed::between(&earlier, Fingerprint::of(&capture), capture, memory))
}

impl Changed {
    fn between(earlier: &Fingerprint, fingerprint: Fingerprint, capture: Capture, memory: &mut Memory) -> Self {
        let (mut changes, _) =
            earlier.differences(&fingerprint).show(earlier, &fingerprint, &mut memory.refs, usize::MAX);
        let moved = earlier.moved(&fingerprint).into_iter().map(|(owner, from, to)| MovedDocument {
            number: memory.refs.number(owner),
            from: from.to_owned(),
            to: to.to_owned(),
        });
        let moved: Vec<_> = moved.collect();
        // The address of an iframe's document is told with the document.
        changes.retain(|change| {
            !matches!(change, Change::Changed { r#ref, property, .. } if property == "href" && moved.iter().any(|m| m.number == Some(*r#ref)))
        });
        let generation = memory.advance();
        memory.keep(fingerprint);
        // It is among the changes.
        memory.take_came_up();
        Self { generation, url: capture.url, title: capture.title, changes, moved }
    }
}
