//! Facts about one element, and the point at which a pointer hits it.

use crate::capture::Placed;
use crate::protocol::Evaluated;
use crate::surface::{Browser, CALL_LIMIT, PageError};
use handeye_scene::role::known;
use handeye_scene::{
    Aim, Cover, Destination, DocumentId, EditKind, NativeId, OptionItem, Point, Probe, Problem, Rect, RowLabel, Said,
    State, States, Texts,
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
    said: Option<Said>,
    #[serde(default)]
    rest: Option<Rest>,
    #[serde(default)]
    hint: Option<String>,
    #[serde(default)]
    leads: Option<Destination>,
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
    behind: Option<Called>,
    #[serde(default)]
    still: Option<bool>,
    #[serde(default)]
    row: Option<RowLabel>,
    #[serde(default, rename = "rowTexts")]
    row_texts: Vec<String>,
}

/// What an element says without what shows only while it is pointed to.
#[derive(Debug, Clone, Deserialize)]
struct Rest {
    name: String,
    said: Option<Said>,
}

/// An element as the page script names it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Called {
    n: u32,
    role: String,
    name: String,
}

pub(crate) fn as_cover(document: DocumentId, called: Called) -> Cover {
    let id = (called.n > 0).then(|| NativeId::new(document, called.n));
    Cover { id, role: known(&called.role).to_owned(), name: called.name }
}

/// An aim as the page script takes it.
fn how(aim: Aim) -> serde_json::Value {
    json!({ "scroll": aim.scroll, "at": aim.at.map(|p| [p.x, p.y]) })
}

impl Browser {
    pub(crate) async fn examine(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        self.check_dialog()?;
        self.check_page()?;
        let document = id.document();
        self.check_readable(document)?;
        let there = {
            let world = self.shared.world();
            world.document(document).is_some_and(|d| d.alive && world.is_active(&d.frame))
        };
        if !there {
            return self.elsewhere(id).await.map_or(Ok(None), Err);
        }
        let number = json!(id.number());
        let edit = self.ask(document, "editKind", std::slice::from_ref(&number));
        let facts = if aim.point || aim.scroll {
            self.page::<Option<Facts>>(document, "aim", &[number, how(aim)], CALL_LIMIT).await
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
        if probe.behind.is_none() {
            probe.behind = self.behind_above(document, &places).await?;
        }
        if aim.point && places.contains_key(&document) {
            self.see_through_frames(&mut probe, document, aim, places).await?;
        }
        if !self.is_main(document) {
            probe.xpath = format!("{}{}", self.xpath_prefix(document).await, probe.xpath);
            // A document remembers what had its focus; what matters is who has it now.
            if probe.states.has(State::Focused) && self.focus_now().await? != Some(id) {
                probe.states = probe.states.without(State::Focused);
            }
        }
        Ok(Some(probe))
    }

    pub(crate) fn is_main(&self, document: DocumentId) -> bool {
        self.shared.world().main_document() == Some(document)
    }

    fn as_probe(&self, document: DocumentId, facts: Facts, edit: EditKind, placed: Option<&Placed>) -> Probe {
        let map = placed.map_or(crate::place::Affine::IDENTITY, |p| p.map);
        let said = facts.said.unwrap_or_else(|| Said { text: facts.name.clone(), cut: false });
        Probe {
            id: NativeId::new(document, facts.n),
            document,
            role: known(&facts.role).to_owned(),
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
            cover: facts.cover.map(|c| as_cover(document, c)),
            behind: facts.behind.map(|c| as_cover(document, c)),
            still: facts.still.unwrap_or(true),
            row: facts.row,
            row_texts: facts.row_texts,
            activation: None,
            expands: false,
            said: Some(said),
            at_rest: facts.rest.map(|rest| {
                let said = rest.said.unwrap_or_else(|| Said { text: rest.name.clone(), cut: false });
                (rest.name, said)
            }),
            hint: facts.hint,
            caret: None,
            leads: Some(facts.leads.unwrap_or_default()),
            facts: Vec::new(),
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
            if self.bring_into_view(probe.id, aim.at).await {
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
                return self.aim_where_it_is(probe, document, aim).await;
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
                    &[json!(probe.id.number()), how(Aim { scroll: true, ..aim })],
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

    /// Scrolls an element, or a place in it, into view in its own document and all above. Whether the browser could.
    async fn bring_into_view(&self, id: NativeId, at: Option<Point>) -> bool {
        let known = self.shared.world().document(id.document()).map(|d| (d.session.clone(), d.context.clone()));
        let Some((session, context)) = known else { return false };
        let params = json!({ "expression": format!("handeye.element({})", id.number()), "uniqueContextId": context });
        let ticket = self.connection.send(Some(&session), "Runtime.evaluate", params);
        let Ok(Evaluated { result, .. }) = self.answer(ticket, CALL_LIMIT).await else { return false };
        let Some(object) = result.object_id else { return false };
        let mut params = json!({ "objectId": object });
        if let Some(at) = at {
            params["rect"] = json!({ "x": at.x, "y": at.y, "width": 1, "height": 1 });
        }
        let ticket = self.connection.send(Some(&session), "DOM.scrollIntoViewIfNeeded", params);
        let done = self.answer::<serde_json::Value>(ticket, CALL_LIMIT).await.is_ok();
        self.connection.tell(Some(&session), "Runtime.releaseObject", json!({ "objectId": object }));
        done
    }

    /// Looks again at an element that was scrolled to from above: its own document may have scrolled as well.
    async fn aim_where_it_is(&self, probe: &mut Probe, document: DocumentId, aim: Aim) -> Result<(), Problem> {
        let args = [json!(probe.id.number()), how(Aim { scroll: false, ..aim })];
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
                |c| Cover { id: Some(NativeId::new(parent, c.n)), role: known(&c.role).to_owned(), name: c.name },
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

    /// The element that has the keyboard focus, through the frames that have it.
    pub(crate) async fn focus_now(&self) -> Result<Option<NativeId>, Problem> {
        self.check_dialog()?;
        self.wait_for_main_document(CALL_LIMIT).await?;
        let Some(mut document) = self.shared.world().main_document() else { return Ok(None) };
        let mut places = None;
        for _ in 0..64 {
            let Some(n) = self.page_now::<Option<u32>>(document, "focused", &[], CALL_LIMIT).await? else {
                return Ok(None);
            };
            if self.shared.world().active_documents().len() < 2 {
                return Ok(Some(NativeId::new(document, n)));
            }
            if places.is_none() {
                places = Some(self.places(&HashMap::new()).await?);
            }
            let inner =
                places.iter().flatten().map(|(_, p)| p).find(|p| p.parent == Some(document) && p.owner == Some(n));
            match inner {
                Some(inner) => document = inner.document,
                None => return Ok(Some(NativeId::new(document, n))),
            }
        }
        Ok(None)
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
pub(crate) fn chain(document: DocumentId, places: &HashMap<DocumentId, Placed>) -> Vec<Placed> {
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
