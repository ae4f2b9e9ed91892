//! `snapshot`: the browser's own trees of the page as one outline.

use crate::core::render::count;
use crate::look::state::LEAST_BUDGET;
use crate::{Command, Effect, Render, Session};
use handeye_engine::observe::hybrid::{
    HybridDocument, hybrid,
    outline::{page, with_descriptions, with_refs},
};
use handeye_engine::observe::outline::quote;
use handeye_engine::observe::view::shown;
use handeye_engine::wording::shown::address;
use handeye_scene::{Code, Hint, NativeId, Notice, Page, Problem, Query, QueryBy, Ref, Shown, Surface, TreeWant, Want};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// Show the browser's accessibility trees of all documents as one outline, with ids, XPaths and addresses
#[derive(Debug, Default, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Snapshot {
    /// Begin at this element: a CSS selector or an XPath; both may lead through iframes (`iframe >> button`, `//iframe[1]//a`)
    #[arg(long, value_name = "SELECTOR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    focus: Option<String>,
    /// Leave out what stands in shadow roots
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    no_pierce: bool,
    /// Show this page of the outline, from 1
    #[arg(long, value_name = "N", value_parser = crate::core::value_parsers::whole("page", 1_u32.., 2))]
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    /// Characters of a page of the outline; `none` shows all of it [default: 6000; with --json none]
    #[arg(long, value_name = "CHARACTERS", value_parser = crate::look::state::parse_budget)]
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<usize>,
}

/// The trees of all documents, merged. Ids are `DOCUMENT-NODE`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Snapped {
    /// Address of the main document.
    url: String,
    /// Title of the main document.
    title: String,
    /// When it was taken, RFC 3339 in UTC.
    timestamp: String,
    /// Every document, with its origin.
    documents: Vec<HybridDocument>,
    /// One line a node: `[id] role: name`.
    outline: String,
    /// Which page of the outline this is, where it is cut into pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<Page>,
    /// Absolute XPaths of every node of the documents by id, whether a line shows it or not; they lead through iframes, and by `#shadow` into shadow roots.
    xpath_map: BTreeMap<String, String>,
    /// Where links and documents lead, by id.
    url_map: BTreeMap<String, String>,
    /// Accessible descriptions, by id.
    description_map: BTreeMap<String, String>,
    /// Numbers of what can be operated, by id.
    ref_map: BTreeMap<String, Ref>,
    /// What else the agent should know.
    notices: Vec<Notice>,
}

impl Render for Snapped {
    fn hints(&self) -> Vec<Hint> {
        let next = self.page.filter(|page| page.number < page.of).map(|page| page.number + 1);
        next.map(|number| Hint::from(format!("handeye snapshot --page {number}"))).into_iter().collect()
    }

    fn render(&self) -> String {
        let lines = count(self.outline.lines().count(), "line");
        let mut out = format!("page {} {}  {lines}", quote(&self.title, 200), address(&self.url));
        for notice in &self.notices {
            let _ = write!(out, "\n{}", handeye_engine::observe::outline::notice_line(notice));
        }
        if self.documents.len() > 1 {
            for document in &self.documents {
                let _ = write!(
                    out,
                    "\ndocument {} {} {}",
                    document.ordinal,
                    address(&document.origin),
                    address(&document.url)
                );
                if let Some(owner) = &document.owner {
                    let _ = write!(out, " in [{owner}]");
                }
            }
        }
        let _ = write!(out, "\n{}", with_refs(&with_descriptions(&self.outline, &self.description_map), &self.ref_map));
        if let Some(Page { number, of }) = self.page.filter(|page| page.of > 1) {
            let _ = write!(out, "\n… page {number} of {of}");
        }
        out
    }
}

impl Command for Snapshot {
    const NAME: &'static str = "snapshot";
    const EFFECT: Effect = Effect::Reads;
    type Output = Snapped;

    async fn run(self, session: &mut Session) -> Result<Snapped, Problem> {
        session.web()?;
        let (json, usual) = (session.call.flags.json, session.settings().limits.budget);
        let (surface, memory, clock) = session.parts()?;
        let mut notices = Vec::new();
        let focus = match &self.focus {
            Some(selector) => Some(focused(surface, selector, &mut notices).await?),
            None => None,
        };
        let pierce = !self.no_pierce;
        let trees = web(surface)?.trees(TreeWant { pierce, focus }).await?;
        let mut merged = hybrid(&trees, pierce)?;
        let mut nodes: HashMap<_, Vec<usize>> = HashMap::new();
        for (i, operable) in merged.operable.iter().enumerate() {
            nodes.entry(operable.document).or_default().push(i);
        }
        let mut called: Vec<Option<NativeId>> = vec![None; merged.operable.len()];
        for (document, own) in nodes {
            let backends: Vec<i64> = own.iter().map(|i| merged.operable[*i].backend).collect();
            let found = web(surface)?.called(document, &backends).await?;
            own.into_iter().zip(found).for_each(|(i, native)| called[i] = native);
        }
        // What tells like ones apart isn't in the trees.
        let told = surface.capture(Want { rows: true, ..Want::default() }).await?;
        let all: HashMap<NativeId, Shown> =
            told.nodes.iter().enumerate().filter_map(|(i, n)| Some((n.id?, shown(&told, i)))).collect();
        let named = merged.operable.iter().zip(called).filter_map(|(o, native)| Some((o, native?)));
        let ref_map = named
            .map(|(o, native)| {
                let told = all.get(&native).cloned().unwrap_or_default();
                let shown = Shown { role: o.role.clone(), name: o.name.clone(), ..told };
                (o.id.clone(), memory.refs.show_as(native, shown))
            })
            .collect::<BTreeMap<_, _>>();
        let (outline, page) = self.cut(&merged.outline, json, usual)?;
        notices.append(&mut merged.notices);
        notices.extend(surface.notices());
        Ok(Snapped {
            url: trees.url,
            title: trees.title,
            timestamp: clock.timestamp(),
            documents: merged.documents,
            outline,
            page,
            xpath_map: merged.xpaths,
            url_map: merged.urls,
            description_map: merged.descriptions,
            ref_map,
            notices,
        })
    }
}

impl Snapshot {
    /// The part of an outline that was asked for. Programs get all of it, unless they ask for a part.
    fn cut(&self, outline: &str, json: bool, usual: usize) -> Result<(String, Option<Page>), Problem> {
        let budget = match self.budget.unwrap_or(if json { 0 } else { usual }) {
            // A page must be of some size.
            0 if self.page.is_some() => usual.max(LEAST_BUDGET),
            0 => return Ok((outline.to_owned(), None)),
            budget => budget,
        };
        let number = self.page.map_or(1, |number| number as usize);
        match page(outline, number, budget) {
            Some((part, of)) => Ok((part, Some(Page { number, of }))),
            None => Err(Problem::new(Code::BadRequest, format!("the outline has no page {number}"))
                .hint("handeye snapshot --page 1")),
        }
    }
}

fn web(surface: &mut dyn Surface) -> Result<&mut dyn handeye_scene::Web, Problem> {
    surface.web().ok_or_else(|| Problem::new(Code::Unsupported, "only web pages can do this").hint("handeye open URL"))
}

/// The first element that a selector matches.
async fn focused(surface: &mut dyn Surface, selector: &str, notices: &mut Vec<Notice>) -> Result<NativeId, Problem> {
    let query = query(selector)?;
    let found = surface.search(&query).await?;
    let [first, rest @ ..] = found.as_slice() else {
        return Err(Problem::new(Code::NotFound, format!("nothing matches {}", quote(selector, 200)))
            .hint("handeye snapshot")
            .hint("handeye state"));
    };
    if !rest.is_empty() {
        let text = format!("{} elements match {}; this is the first", found.len(), quote(selector, 200));
        notices.push(Notice::new("focus", text));
    }
    Ok(*first)
}

/// A selector as the query that it means: `xpath=` and `css=` say so, else what begins as a path is an XPath.
fn query(selector: &str) -> Result<Query, Problem> {
    let text = selector.trim();
    let (by, text) = match (text.strip_prefix("xpath="), text.strip_prefix("css=")) {
        (Some(path), _) => (QueryBy::Xpath, path),
        (_, Some(css)) => (QueryBy::Css, css),
        _ if text.starts_with(['/', '(']) => (QueryBy::Xpath, text),
        _ => (QueryBy::Css, text),
    };
    if text.trim().is_empty() {
        return Err(Problem::new(Code::BadRequest, "--focus is empty").hint("handeye snapshot --focus main"));
    }
    Ok(Query { by, text: text.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_says_what_kind_it_is() {
        for (given, by, text) in [
            ("main", QueryBy::Css, "main"),
            (" css=#a > b ", QueryBy::Css, "#a > b"),
            ("//a", QueryBy::Xpath, "//a"),
            ("(//a)[2]", QueryBy::Xpath, "(//a)[2]"),
            ("xpath=/html[1]", QueryBy::Xpath, "/html[1]"),
            ("iframe >> button", QueryBy::Css, "iframe >> button"),
        ] {
            assert_eq!(query(given).unwrap(), Query { by, text: text.into() });
        }
        for empty in ["", "  ", "xpath=", "css= "] {
            assert_eq!(query(empty).unwrap_err().code, Code::BadRequest);
        }
    }
}
