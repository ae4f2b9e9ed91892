//! `find`: targets by what they are and say.

use crate::core::args::parse_point;
use crate::core::named::Named;
use crate::{Command, Effect, Render, Session};
use handeye_engine::Mask;
use handeye_engine::locate::find::Filter;
use handeye_engine::observe::outline::{Style, notice_line, quote, quote_own, target_line};
use handeye_engine::observe::refs::Known;
use handeye_engine::observe::snapshot::lacking_rows;
use handeye_engine::observe::view::{said, shown, target};
use handeye_engine::wording::roles;
use handeye_scene::{
    Capture, Code, Extra, NativeId, NodeKind, Notice, Problem, Query, QueryBy, Rect, Target, Via, Want,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Find targets by what they say and are; every condition given must hold
#[derive(Debug, Default, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Find {
    /// Text in the name, value, placeholder or title: whole words in any case; … at its end stands for the rest
    text: Option<String>,
    /// ARIA role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Accessible name; for an element without one, its whole text
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Label of a form control
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,
    /// Placeholder
    #[arg(long, value_name = "TEXT")]
    placeholder: Option<String>,
    /// Test id (data-testid)
    #[arg(long, value_name = "ID")]
    testid: Option<String>,
    /// Automation id of a window's element (on Linux its accessible id)
    #[arg(long, value_name = "ID")]
    automation_id: Option<String>,
    /// Class of a window's element, as inspect shows it
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// CSS selector, through shadow roots
    #[arg(long, value_name = "SELECTOR")]
    css: Option<String>,
    /// Only targets whose centre is in this rectangle: X,Y,W,H in CSS pixels of the main viewport, or pixels of the desktop's screen
    #[arg(long = "in", value_name = "X,Y,W,H", value_parser = parse_rect, allow_hyphen_values = true)]
    r#in: Option<Rect>,
    /// The nearest to this target first: its number, or a locator such as css=#pay
    #[arg(long, value_name = "REF", value_parser = crate::core::named::parse_named)]
    near: Option<Named>,
    /// Read the page by handeye's own script, or by the browser's accessibility tree (ax)
    #[arg(long, value_name = "script|ax", value_parser = crate::core::args::parse_via, default_value = "script", hide_default_value = true)]
    #[serde(default, skip_serializing_if = "crate::core::args::is_usual")]
    via: Via,
}

fn parse_rect(text: &str) -> Result<Rect, String> {
    let wrong = || format!("`{text}` is no rectangle: write it as X,Y,WIDTH,HEIGHT in pixels");
    let (head, tail) = text.match_indices(',').nth(1).map(|(i, _)| (&text[..i], &text[i + 1..])).ok_or_else(wrong)?;
    let (place, size) = (parse_point(head).map_err(|_| wrong())?, parse_point(tail).map_err(|_| wrong())?);
    if size.x < 0.0 || size.y < 0.0 {
        return Err(wrong());
    }
    Ok(Rect::new(place.x, place.y, size.x, size.y))
}

/// How many are listed by nearness.
const NEAR_MANY: usize = 12;
/// How many are listed as text, whatever there is; JSON has all that a state would list.
const LISTED_MANY: usize = 100;
/// How many that no state lists are told of: each is asked for by itself.
const PROBED_MANY: usize = 50;

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Found {
    /// The targets, in reading order.
    targets: Vec<Target>,
    /// What was left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Notice>,
    #[serde(skip)]
    #[schemars(skip)]
    extras: Vec<Extra>,
    /// How many more there are than are listed.
    #[serde(default, skip_serializing_if = "is_none")]
    more: usize,
}

impl Render for Found {
    fn render(&self) -> String {
        let lines: Vec<String> = self
            .targets
            .iter()
            .zip(&self.extras)
            .map(|(t, e)| {
                let row = e.row.as_ref().map(|r| format!(" in row {}", quote(&r.text, 40))).unwrap_or_default();
                format!("{}{row}", target_line(t, e, Style { verbose: false, ..Style::default() }))
            })
            .chain(
                (self.more > 0)
                    .then(|| format!("… {} more: narrow it by --near REF or --in X,Y,WIDTH,HEIGHT", self.more)),
            )
            .chain(self.notices.iter().map(notice_line))
            .collect();
        lines.join("\n")
    }
}

impl Find {
    fn filter(&self) -> Filter {
        Filter {
            text: self.text.clone(),
            role: self.role.clone(),
            name: self.name.clone(),
            label: self.label.clone(),
            placeholder: self.placeholder.clone(),
            within: self.r#in,
        }
    }

    fn words(&self) -> String {
        let named = [
            ("text", &self.text),
            ("role", &self.role),
            ("name", &self.name),
            ("label", &self.label),
            ("placeholder", &self.placeholder),
            ("test id", &self.testid),
            ("automation id", &self.automation_id),
            ("class", &self.class),
            ("selector", &self.css),
        ];
        let mut parts: Vec<String> =
            named.iter().filter_map(|(k, v)| v.as_ref().map(|v| format!("{k} {}", quote_own(v, 80)))).collect();
        if let Some(r) = self.r#in {
            parts.push(format!("in {},{},{},{}", r.x, r.y, r.width, r.height));
        }
        parts.join(" and ")
    }

    /// Whether this is all about nearness.
    fn says_nothing(&self) -> bool {
        self.near.is_none() && self.words().is_empty()
    }
}

/// Indices of the nodes that are sought, of the allowed elements if only some are.
fn among(
    capture: &Capture,
    filter: &Filter,
    allowed: Option<&[NativeId]>,
    near: Option<&Known>,
    mask: &Mask,
) -> Result<Vec<usize>, Problem> {
    let mut found: Vec<usize> = match allowed {
        Some(allowed) => (0..capture.nodes.len())
            .filter(|i| {
                let node = &capture.nodes[*i];
                // What a selector matches is an element, not the text in it.
                node.kind != NodeKind::Text
                    && node.id.is_some_and(|id| allowed.contains(&id))
                    && filter.holds(node, mask)
            })
            .collect(),
        None => filter.find(capture, mask),
    };
    if let Some(near) = near {
        nearest_first(capture, &mut found, near)?;
        found.truncate(NEAR_MANY);
    }
    Ok(found)
}

/// Nodes in order of the distance of their middle from the middle of an element.
fn nearest_first(capture: &Capture, found: &mut Vec<usize>, near: &Known) -> Result<(), Problem> {
    let Some(from) = capture.nodes.iter().find(|n| n.id == Some(near.native)) else {
        return Err(Problem::new(
            Code::Stale,
            format!("{} {} is not in the page now", near.shown.role, quote(near.shown.words(), 80)),
        )
        .hint("handeye state"));
    };
    let middle = from.rect.center();
    let distance = |i: usize| {
        let other = capture.nodes[i].rect.center();
        (other.x - middle.x).hypot(other.y - middle.y)
    };
    found.retain(|i| capture.nodes[*i].id != Some(near.native));
    found.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)));
    Ok(())
}

impl Command for Find {
    const NAME: &'static str = "find";
    const EFFECT: Effect = Effect::Reads;
    type Output = Found;

    fn refs(&self) -> Vec<u32> {
        self.near.iter().filter_map(Named::written).collect()
    }
    async fn run(self, session: &mut Session) -> Result<Found, Problem> {
        if self.says_nothing() {
            return Err(Problem::new(Code::BadRequest, "nothing to look for was given")
                .hint("handeye find TEXT")
                .hint("handeye find --role button"));
        }
        let near = match &self.near {
            Some(near) => {
                let number = near.number(session).await?;
                Some(session.memory.refs.element(number)?.clone())
            }
            None => None,
        };
        let detail = session.call.flags.json;
        let (surface, memory, _) = session.parts()?;
        let mut allowed: Option<Vec<NativeId>> = None;
        for (by, text) in [
            (QueryBy::Css, &self.css),
            (QueryBy::TestId, &self.testid),
            (QueryBy::AutomationId, &self.automation_id),
            (QueryBy::Class, &self.class),
        ] {
            let Some(text) = text else { continue };
            let found = surface.search(&Query { by, text: text.clone() }).await?;
            allowed = Some(match allowed {
                Some(before) => before.into_iter().filter(|id| found.contains(id)).collect(),
                None => found,
            });
        }
        let searched = allowed.is_some();
        let mut want = Want { detail, rows: self.via == Via::Ax, via: self.via, ..Want::default() };
        let mut capture = surface.capture(want).await?;
        let filter = self.filter();
        let left_out: Vec<Notice> = capture
            .notices
            .iter()
            .filter(|n| n.kind == "denied" || n.kind == "partial" && !searched)
            .cloned()
            .collect();
        let mut found = among(&capture, &filter, allowed.as_deref(), near.as_ref(), &memory.mask)?;
        if found.is_empty() && surface.windows().is_some() {
            // A table of a window tells of the rows in sight, unless all are asked for.
            want.away = true;
            capture = surface.capture(want).await?;
            found = among(&capture, &filter, allowed.as_deref(), near.as_ref(), &memory.mask)?;
        }
        // Only of what is found it matters what its row is about.
        let lacking = lacking_rows(&capture, found.iter().filter_map(|i| capture.nodes[*i].id));
        if !lacking.is_empty() && !surface.add_rows(&mut capture, &lacking).await? {
            capture = surface.capture(Want { rows: true, ..want }).await?;
            found = among(&capture, &filter, allowed.as_deref(), near.as_ref(), &memory.mask)?;
        }
        // An element may hold several runs of text.
        let mut listed = HashSet::new();
        found.retain(|i| capture.nodes[*i].id.is_some_and(|id| listed.insert(id)));
        let more = if detail { 0 } else { found.len().saturating_sub(LISTED_MANY) };
        found.truncate(found.len() - more);
        // A selector may match what isn't in the state: say what it is all the same.
        let unlisted = allowed.into_iter().flatten().filter(|id| filter == Filter::default() && !listed.contains(id));
        let mut probes = Vec::new();
        let unlisted: Vec<NativeId> = unlisted.collect();
        let more = more + unlisted.len().saturating_sub(PROBED_MANY);
        for id in unlisted.into_iter().take(PROBED_MANY) {
            probes.extend(surface.probe(id, handeye_scene::Aim::default()).await?);
        }
        // From here on nothing can fail: what is noted as shown is shown.
        let mut out = Found { targets: Vec::new(), notices: left_out, extras: Vec::new(), more };
        if searched {
            out.notices.extend(surface.notices());
        }
        for index in found {
            let node = &capture.nodes[index];
            let Some(id) = node.id else { continue };
            out.targets.push(target(node, id, memory.refs.show_as(id, shown(&capture, index))));
            let says = Some(said(&capture, index)).filter(|text| node.name.is_empty() && !text.is_empty());
            out.extras.push(Extra { says, ..node.extra.clone() });
        }
        for probe in probes {
            out.targets.push(crate::look::inspect::as_target(&probe, memory));
            out.extras.push(Extra::default());
        }
        if out.targets.is_empty() {
            let why = self.role.as_deref().and_then(roles::unknown);
            let left_out: String =
                out.notices.iter().map(|n| n.text.clone()).chain(why).map(|why| format!("; {why}")).collect();
            return Err(Problem::new(Code::NotFound, format!("nothing has {}{left_out}", self.words()))
                .hint("handeye state --all"));
        }
        Ok(out)
    }
}
