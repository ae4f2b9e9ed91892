//! Facts about one element, and the point at which a pointer hits it.

use crate::capture::Placed;
use crate::protocol::Evaluated;
use crate::surface::{Browser, CALL_LIMIT, PageError};
use handeye_scene::{
    Aim, Cover, DocumentId, EditKind, NativeId, OptionItem, Point, Probe, Problem, Query, QueryBy, Rect, RowLabel,
    States, Texts,
};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;

/// How often to look whether the frames above have scrolled.
const FRAMES_FOLLOW: usize = 10;

/// `facts` and `aim` of the page script.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Facts {
    n: u32,
    role: String,
    name: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    value: Option<String>,
    #[serde(default)]
    placeholder: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    alt: Option<String>,
    #[serde(default)]
    tag: String,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    href: Option<String>,
    #[serde(default)]
    testid: Option<String>,
    #[serde(default)]
    xpath: String,
    states: u32,
    x: f64,
    y: f64,
    w: f64,
    h: f64,
    visible: bool,
    enabled: bool,
    #[serde(default)]
    checked: Option<bool>,
    #[serde(default)]
    options: Option<Vec<OptionItem>>,
    #[serde(default)]
    point: Option<[f64; 2]>,
    #[serde(default)]
    cover: Option<Called>,
    #[serde(default)]
    still: Option<bool>,
    #[serde(default)]
    row: Option<RowLabel>,
    #[serde(default, rename = "rowTexts")]
    row_texts: Vec<String>,
}

/// An element as the page script names it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Called {
    n: u32,
    role: String,
    name: String,
}

impl Browser {
    pub(crate) async fn examine(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        self.check_dialog()?;
        self.check_page()?;
        let document = id.document();
        let there = {
            let world = self.shared.world();
            world.document(document).is_some_and(|d| d.alive && world.is_active(&d.frame))
        };
        if !there {
            return Ok(None);
        }
        let number = json!(id.number());
        let edit = self.ask(document, "editKind", std::slice::from_ref(&number));
        let facts = if aim.point || aim.scroll {
            self.page::<Option<Facts>>(document, "aim", &[number, json!({ "scroll": aim.scroll })], CALL_LIMIT).await
        } else {
            self.page::<Option<Facts>>(document, "facts", &[number], CALL_LIMIT).await
        };
        let facts = match facts {
            Ok(Some(facts)) => facts,
            Ok(None) | Err(PageError::Gone) => return Ok(None),
            Err(PageError::Problem(problem)) => return Err(problem),
        };
        let edit = match edit {
            Ok(ticket) => self.told::<Option<EditKind>>(ticket, CALL_LIMIT).await.ok().flatten().unwrap_or_default(),
            Err(_) => return Ok(None),
        };
        let places = if self.is_main(document) { HashMap::new() } else { self.places(&HashMap::new()).await? };
        let mut probe = self.as_probe(document, facts, edit, places.get(&document));
        if aim.point && places.contains_key(&document) {
            self.see_through_frames(&mut probe, document, aim, places).await?;
        }
        if !self.is_main(document) {
            probe.xpath = format!("{}{}", self.xpath_prefix(document).await, probe.xpath);
        }
        Ok(Some(probe))
    }

    pub(crate) fn is_main(&self, document: DocumentId) -> bool {
        self.shared.world().main_document() == Some(document)
    }

    fn as_probe(&self, document: DocumentId, facts: Facts, edit: EditKind, placed: Option<&Placed>) -> Probe {
        let map = placed.map_or(crate::place::Affine::IDENTITY, |p| p.map);
        let native = |n: u32| (n > 0).then(|| NativeId::new(document, n));
        Probe {
            id: NativeId::new(document, facts.n),
            document,
            role: facts.role,
            name: facts.name,
            texts: Texts {
                text: facts.text.unwrap_or_default(),
                value: facts.value.unwrap_or_default(),
                placeholder: facts.placeholder.unwrap_or_default(),
                title: facts.title.unwrap_or_default(),
                alt: facts.alt.unwrap_or_default(),
            },
            tag: facts.tag,
            kind: facts.kind,
            href: facts.href,
            testid: facts.testid,
            xpath: facts.xpath,
            states: States(facts.states),
            rect: map.rect(Rect::new(facts.x, facts.y, facts.w, facts.h)),
            visible: facts.visible,
            enabled: facts.enabled,
            edit,
            checked: facts.checked,
            options: facts.options.unwrap_or_default(),
            point: facts.point.map(|p| map.apply(p.into())),
            cover: facts.cover.map(|c| Cover { id: native(c.n), role: c.role, name: c.name }),
            still: facts.still.unwrap_or(true),
            row: facts.row,
            row_texts: facts.row_texts,
        }
    }

    /// A point in a child document must also be hit through every frame above it; each is brought into view if asked.
    async fn see_through_frames(
        &self,
        probe: &mut Probe,
        document: DocumentId,
        aim: Aim,
        mut places: HashMap<DocumentId, Placed>,
    ) -> Result<(), Problem> {
        let own_point = |probe: &Probe, places: &HashMap<DocumentId, Placed>| {
            probe.point.and_then(|p| places.get(&document).and_then(|d| d.map.invert(p)))
        };
        let Some(local) = own_point(probe, &places) else { return Ok(()) };
        let mut cover = self.cover_above(probe.point, document, &places).await?;
        if cover.is_some() && aim.scroll {
            // Through every frame above at once, those of other processes included; a tall frame is in view in itself.
            if self.bring_into_view(probe.id).await {
                for _ in 0..FRAMES_FOLLOW {
                    places = self.places(&HashMap::new()).await?;
                    let Some(placed) = places.get(&document) else { return Ok(()) };
                    probe.point = Some(placed.map.apply(local));
                    cover = self.cover_above(probe.point, document, &places).await?;
                    if cover.is_none() {
                        break;
                    }
                    // The frames above follow when their processes have drawn.
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
            if cover.is_none() {
                return self.aim_where_it_is(probe, document).await;
            }
        }
        if cover.is_some() && aim.scroll {
            for placed in chain(document, &places) {
                if let (Some(parent), Some(owner)) = (placed.parent, placed.owner) {
                    let args = [json!(owner), json!({ "scroll": true })];
                    let _ = self.page::<serde_json::Value>(parent, "aim", &args, CALL_LIMIT).await;
                }
            }
            let again = self
                .page::<Option<Facts>>(
                    document,
                    "aim",
                    &[json!(probe.id.number()), json!({ "scroll": true })],
                    CALL_LIMIT,
                )
                .await
                .ok()
                .flatten();
            places = self.places(&HashMap::new()).await?;
            let Some(placed) = places.get(&document) else { return Ok(()) };
            let at = again.as_ref().and_then(|f| f.point).map_or(local, Point::from);
            probe.point = Some(placed.map.apply(at));
            if let Some(facts) = again {
                probe.rect = placed.map.rect(Rect::new(facts.x, facts.y, facts.w, facts.h));
            }
            cover = self.cover_above(probe.point, document, &places).await?;
        }
        if let Some(cover) = cover {
            probe.point = None;
            probe.cover = Some(cover);
        }
        Ok(())
    }

    /// Scrolls an element into view in its own document and all above. Whether the browser could.
    async fn bring_into_view(&self, id: NativeId) -> bool {
        let known = self.shared.world().document(id.document()).map(|d| (d.session.clone(), d.context.clone()));
        let Some((session, context)) = known else { return false };
        let params = json!({ "expression": format!("handeye.element({})", id.number()), "uniqueContextId": context });
        let ticket = self.connection.send(Some(&session), "Runtime.evaluate", params);
        let Ok(Evaluated { result, .. }) = self.answer(ticket, CALL_LIMIT).await else { return false };
        let Some(object) = result.object_id else { return false };
        let params = json!({ "objectId": object });
        let ticket = self.connection.send(Some(&session), "DOM.scrollIntoViewIfNeeded", params);
        let done = self.answer::<serde_json::Value>(ticket, CALL_LIMIT).await.is_ok();
        self.connection.tell(Some(&session), "Runtime.releaseObject", json!({ "objectId": object }));
        done
    }

    /// Looks again at an element that was scrolled to from above: its own document may have scrolled as well.
    async fn aim_where_it_is(&self, probe: &mut Probe, document: DocumentId) -> Result<(), Problem> {
        let args = [json!(probe.id.number()), json!({ "scroll": false })];
        let facts = self.page::<Option<Facts>>(document, "aim", &args, CALL_LIMIT).await.ok().flatten();
        let places = self.places(&HashMap::new()).await?;
        let (Some(facts), Some(placed)) = (facts, places.get(&document)) else { return Ok(()) };
        probe.rect = placed.map.rect(Rect::new(facts.x, facts.y, facts.w, facts.h));
        probe.point = facts.point.map(|p| placed.map.apply(p.into()));
        if let Some(cover) = self.cover_above(probe.point, document, &places).await? {
            probe.point = None;
            probe.cover = Some(cover);
        }
        Ok(())
    }

    /// What lies over a point in one of the documents above, if anything does.
    async fn cover_above(
        &self,
        point: Option<Point>,
        document: DocumentId,
        places: &HashMap<DocumentId, Placed>,
    ) -> Result<Option<Cover>, Problem> {
        let Some(point) = point else { return Ok(None) };
        for placed in chain(document, places) {
            let (Some(parent), Some(owner)) = (placed.parent, placed.owner) else { continue };
            let Some(at) = places.get(&parent).and_then(|p| p.map.invert(point)) else { continue };
            let passes =
                self.page::<bool>(parent, "framePass", &[json!(owner), json!(at.x), json!(at.y)], CALL_LIMIT).await;
            if passes.unwrap_or(false) {
                continue;
            }
            let over = self.page::<Option<Called>>(parent, "hitAt", &[json!(at.x), json!(at.y)], CALL_LIMIT).await;
            let over = over.ok().flatten();
            return Ok(Some(over.map_or_else(
                || Cover { id: None, role: "document".into(), name: "the part of the page that is out of view".into() },
                |c| Cover { id: Some(NativeId::new(parent, c.n)), role: c.role, name: c.name },
            )));
        }
        Ok(None)
    }

    pub(crate) async fn hit(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        self.check_dialog()?;
        self.wait_for_main_document(CALL_LIMIT).await?;
        let places = self.places(&HashMap::new()).await?;
        let Some(mut document) = self.shared.world().main_document() else { return Ok(None) };
        for _ in 0..64 {
            let map = places.get(&document).map_or(crate::place::Affine::IDENTITY, |p| p.map);
            let Some(at) = map.invert(point) else { return Ok(None) };
            let hit: Option<Called> = self.page_now(document, "hitAt", &[json!(at.x), json!(at.y)], CALL_LIMIT).await?;
            let Some(hit) = hit else { return Ok(None) };
            match places.values().find(|p| p.parent == Some(document) && p.owner == Some(hit.n)) {
                Some(inner) => document = inner.document,
                None => return Ok(Some(NativeId::new(document, hit.n))),
            }
        }
        Ok(None)
    }

    pub(crate) async fn matches(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
        self.check_dialog()?;
        self.wait_for_main_document(CALL_LIMIT).await?;
        let documents = self.shared.world().active_documents();
        if query.by == QueryBy::Xpath {
            return self.by_xpath(&query.text, &documents).await;
        }
        let by = if query.by == QueryBy::Css { "css" } else { "testid" };
        let mut out = Vec::new();
        for (_, document) in documents {
            match self
                .page::<Vec<u32>>(document, "search", &[json!({ "by": by, "query": query.text })], CALL_LIMIT)
                .await
            {
                Ok(found) => out.extend(found.into_iter().map(|n| NativeId::new(document, n))),
                Err(PageError::Gone) => {}
                Err(PageError::Problem(problem)) => return Err(bad_query(problem, query)),
            }
        }
        Ok(out)
    }

    /// An absolute XPath leads through frames: `/html[1]/body[1]/iframe[1]/html[1]/…`.
    async fn by_xpath(&self, xpath: &str, documents: &[(String, DocumentId)]) -> Result<Vec<NativeId>, Problem> {
        let xpath = xpath.trim().strip_prefix("xpath=").unwrap_or(xpath.trim());
        let parts = split_at_documents(xpath);
        let query = Query { by: QueryBy::Xpath, text: xpath.to_owned() };
        let search = async |document, part: &str| match self
            .page::<Vec<u32>>(document, "search", &[json!({ "by": "xpath", "query": part })], CALL_LIMIT)
            .await
        {
            Ok(found) => Ok(found),
            Err(PageError::Gone) => Ok(Vec::new()),
            Err(PageError::Problem(problem)) => Err(bad_query(problem, &query)),
        };
        let Some((last, frames)) = parts.split_last() else { return Ok(Vec::new()) };
        if frames.is_empty() {
            // Not tied to a document: every one is searched, the main one alone for absolute paths.
            let absolute = last.starts_with("/html") || last.starts_with("/svg");
            let mut out = Vec::new();
            for (_, document) in documents.iter().take(if absolute { 1 } else { usize::MAX }) {
                out.extend(search(*document, last).await?.into_iter().map(|n| NativeId::new(*document, n)));
            }
            return Ok(out);
        }
        let places = self.places(&HashMap::new()).await?;
        let Some(mut document) = documents.first().map(|d| d.1) else { return Ok(Vec::new()) };
        for part in frames {
            let owners = search(document, part).await?;
            let inner =
                places.values().find(|p| p.parent == Some(document) && p.owner.is_some_and(|o| owners.contains(&o)));
            match inner {
                Some(inner) => document = inner.document,
                None => return Ok(Vec::new()),
            }
        }
        Ok(search(document, last).await?.into_iter().map(|n| NativeId::new(document, n)).collect())
    }

    /// XPath of a frame's owner, with the prefixes of those above.
    pub(crate) async fn xpath_prefix(&self, document: DocumentId) -> String {
        if self.is_main(document) {
            return String::new();
        }
        let Ok(places) = self.places(&HashMap::new()).await else { return String::new() };
        let mut parts = Vec::new();
        for placed in chain(document, &places) {
            let (Some(parent), Some(owner)) = (placed.parent, placed.owner) else { continue };
            if let Ok(Some(facts)) = self.page::<Option<Facts>>(parent, "facts", &[json!(owner)], CALL_LIMIT).await {
                parts.push(facts.xpath);
            }
        }
        parts.concat()
    }
}

/// The documents from the main one's child down to `document`.
fn chain(document: DocumentId, places: &HashMap<DocumentId, Placed>) -> Vec<Placed> {
    let mut out = Vec::new();
    let mut at = Some(document);
    while let Some(placed) = at.and_then(|d| places.get(&d)) {
        if placed.parent.is_none() || out.len() > 64 {
            break;
        }
        out.push(placed.clone());
        at = placed.parent;
    }
    out.reverse();
    out
}

/// Parts of an absolute XPath, one a document: a path that goes on with `/html` after a frame enters it.
fn split_at_documents(xpath: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = xpath;
    while rest.starts_with('/') && !rest.starts_with("//") {
        let Some(at) = rest[1..]
            .match_indices("/html")
            .map(|(i, _)| i + 1)
            .find(|i| matches!(rest.as_bytes().get(i + 5), None | Some(b'[' | b'/')))
        else {
            break;
        };
        parts.push(rest[..at].to_owned());
        rest = &rest[at..];
    }
    parts.push(rest.to_owned());
    parts
}

/// A query that the page's engine refuses is the caller's mistake.
fn bad_query(problem: Problem, query: &Query) -> Problem {
    if problem.code != handeye_scene::Code::Bug {
        return problem;
    }
    let kind = if query.by == QueryBy::Xpath { "XPath" } else { "CSS selector" };
    Problem::new(handeye_scene::Code::BadRequest, format!("`{}` is no valid {kind}", query.text))
        .hint("handeye state --verbose")
}

#[cfg(test)]
mod tests {
    use super::split_at_documents;

    #[test]
    fn absolute_paths_are_split_where_they_enter_a_document() {
        assert_eq!(split_at_documents("/html[1]/body[1]/a[1]"), ["/html[1]/body[1]/a[1]"]);
        assert_eq!(
            split_at_documents("/html[1]/body[1]/iframe[2]/html[1]/body[1]/iframe[1]/html[1]/body[1]/p[1]"),
            ["/html[1]/body[1]/iframe[2]", "/html[1]/body[1]/iframe[1]", "/html[1]/body[1]/p[1]"]
        );
        assert_eq!(split_at_documents("//iframe/html"), ["//iframe/html"]);
        assert_eq!(split_at_documents("/html/body/htmlx"), ["/html/body/htmlx"]);
    }
}
