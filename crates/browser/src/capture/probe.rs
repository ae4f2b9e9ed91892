//! Facts about one element, and the point at which a pointer hits it.

use super::cover::{Called, as_cover, behind_above, cover_above};
use super::focus;
use super::placement::{self, Placed, chain};
use super::transform::Affine;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::page_call::PageError;
use crate::protocol::Evaluated;
use handeye_scene::model::role::known;
use handeye_scene::{
    Aim, Code, Destination, DocumentId, EditKind, NativeId, OptionItem, Point, PressBy, Pressed, Probe, Problem, Rect,
    RowLabel, Said, State, States, Texts,
};
use serde::Deserialize;
use serde_json::{Value, json};
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
    invalid: Option<String>,
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

/// An aim as the page script takes it.
fn how(aim: Aim) -> serde_json::Value {
    json!({ "scroll": aim.scroll, "at": aim.at.map(|p| [p.x, p.y]) })
}

pub(crate) async fn examine(link: &Link, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
    link.check_dialog()?;
    link.check_page()?;
    let document = id.document();
    link.model().check_readable(document)?;
    let there = {
        let model = link.model();
        model.pages.document(document).is_some_and(|d| d.alive && model.pages.is_active(&d.frame))
    };
    if !there {
        return elsewhere(link, id).await.map_or(Ok(None), Err);
    }
    let aim = match aim.at {
        Some(at) => Aim { at: Some(place_in(link, id, at).await?), ..aim },
        None => aim,
    };
    let number = json!(id.number());
    let edit = link.send_to_page(document, "editKind", std::slice::from_ref(&number));
    let facts = if aim.point || aim.scroll {
        link.page_call::<Option<Facts>>(document, "aim", &[number, how(aim)], CALL_LIMIT).await
    } else {
        link.page_call::<Option<Facts>>(document, "facts", &[number], CALL_LIMIT).await
    };
    let facts = match facts {
        Ok(Some(facts)) => facts,
        Ok(None) | Err(PageError::Gone) => return Ok(None),
        Err(PageError::Problem(problem)) => return Err(problem),
    };
    let edit = match edit {
        Ok(pending) => {
            link.page_reply::<Option<EditKind>>(pending, CALL_LIMIT).await.ok().flatten().unwrap_or_default()
        }
        Err(_) => return Ok(None),
    };
    let places = if link.model().pages.is_main(document) {
        HashMap::new()
    } else {
        placement::places(link, &HashMap::new()).await?
    };
    let mut probe = as_probe(document, facts, edit, places.get(&document));
    if probe.behind.is_none() {
        probe.behind = behind_above(link, document, &places).await?;
    }
    if aim.point && places.contains_key(&document) {
        see_through_frames(link, &mut probe, document, aim, places).await?;
    }
    if !link.model().pages.is_main(document) {
        probe.xpath = format!("{}{}", xpath_prefix(link, document).await, probe.xpath);
        // A document remembers what had its focus; what matters is who has it now.
        if probe.states.has(State::Focused) && focus::focused(link).await? != Some(id) {
            probe.states = probe.states.without(State::Focused);
        }
    }
    Ok(Some(probe))
}

/// A place in an element, as its document has it.
async fn place_in(link: &Link, id: NativeId, at: Point) -> Result<Point, Problem> {
    if link.model().pages.is_main(id.document()) {
        return Ok(at);
    }
    let places = placement::places(link, &HashMap::new()).await?;
    // Where nobody can say, it is looked for there all the same: the guard refuses the press.
    let Some(placed) = places.get(&id.document()) else { return Ok(at) };
    Ok(placement::offset_in_document(link, id, &placed.map, at).await.unwrap_or(at))
}

/// What a press of an element would set off, as the page script's `pressed` tells it.
pub(crate) async fn pressed(link: &Link, id: NativeId, by: PressBy) -> Result<Vec<Pressed>, Problem> {
    let args = [json!(id.number()), json!(by)];
    match link.page_call::<Vec<Pressed>>(id.document(), "pressed", &args, CALL_LIMIT).await {
        Ok(pressed) => Ok(pressed.into_iter().map(|p| Pressed { role: known(&p.role).to_owned(), ..p }).collect()),
        Err(PageError::Gone) => Ok(Vec::new()),
        Err(PageError::Problem(problem)) => Err(problem),
    }
}

fn as_probe(document: DocumentId, facts: Facts, edit: EditKind, placed: Option<&Placed>) -> Probe {
    let map = placed.map_or(Affine::IDENTITY, |p| p.map);
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
        facts: facts.invalid.map(|why| (Probe::INVALID.to_owned(), why)).into_iter().collect(),
    }
}

/// A point in a child document must also be hit through every frame above it; each is brought into view if asked.
async fn see_through_frames(
    link: &Link,
    probe: &mut Probe,
    document: DocumentId,
    aim: Aim,
    mut places: HashMap<DocumentId, Placed>,
) -> Result<(), Problem> {
    let own_point = |probe: &Probe, places: &HashMap<DocumentId, Placed>| {
        probe.point.and_then(|p| places.get(&document).and_then(|d| d.map.invert(p)))
    };
    let Some(local) = own_point(probe, &places) else { return Ok(()) };
    let mut cover = cover_above(link, probe.point, document, &places).await?;
    if cover.is_some() && aim.scroll {
        // Through every frame above at once, those of other processes included; a tall frame is in view in itself.
        if bring_into_view(link, probe.id, aim.at).await {
            for _ in 0..FRAMES_FOLLOW {
                places = placement::places(link, &HashMap::new()).await?;
                let Some(placed) = places.get(&document) else { return Ok(()) };
                probe.point = Some(placed.map.apply(local));
                cover = cover_above(link, probe.point, document, &places).await?;
                if cover.is_none() {
                    break;
                }
                // The frames above follow when their processes have drawn.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        if cover.is_none() {
            return aim_where_it_is(link, probe, document, aim).await;
        }
    }
    if cover.is_some() && aim.scroll {
        for placed in chain(document, &places) {
            if let (Some(parent), Some(owner)) = (placed.parent, placed.owner) {
                let args = [json!(owner), json!({ "scroll": true })];
                let _ = link.page_call::<serde_json::Value>(parent, "aim", &args, CALL_LIMIT).await;
            }
        }
        let again = link
            .page_call::<Option<Facts>>(
                document,
                "aim",
                &[json!(probe.id.number()), how(Aim { scroll: true, ..aim })],
                CALL_LIMIT,
            )
            .await
            .ok()
            .flatten();
        places = placement::places(link, &HashMap::new()).await?;
        let Some(placed) = places.get(&document) else { return Ok(()) };
        let at = again.as_ref().and_then(|f| f.point).map_or(local, Point::from);
        probe.point = Some(placed.map.apply(at));
        if let Some(facts) = again {
            probe.rect = placed.map.rect(Rect::new(facts.x, facts.y, facts.w, facts.h));
        }
        cover = cover_above(link, probe.point, document, &places).await?;
    }
    if let Some(cover) = cover {
        probe.point = None;
        probe.cover = Some(cover);
    }
    Ok(())
}

/// Scrolls an element, or a place in it, into view in its own document and all above. Whether the browser could.
async fn bring_into_view(link: &Link, id: NativeId, at: Option<Point>) -> bool {
    let known = link.model().pages.document(id.document()).map(|d| (d.session.clone(), d.context.clone()));
    let Some((session, context)) = known else { return false };
    let params = json!({ "expression": format!("handeye.element({})", id.number()), "uniqueContextId": context });
    let pending = link.connection.send(Some(&session), "Runtime.evaluate", params);
    let Ok(Evaluated { result, .. }) = link.answer(pending, CALL_LIMIT).await else { return false };
    let Some(object) = result.object_id else { return false };
    let mut params = json!({ "objectId": object });
    if let Some(at) = at {
        params["rect"] = json!({ "x": at.x, "y": at.y, "width": 1, "height": 1 });
    }
    let pending = link.connection.send(Some(&session), "DOM.scrollIntoViewIfNeeded", params);
    let done = link.answer::<serde_json::Value>(pending, CALL_LIMIT).await.is_ok();
    link.connection.notify(Some(&session), "Runtime.releaseObject", json!({ "objectId": object }));
    done
}

/// Looks again at an element that was scrolled to from above: its own document may have scrolled as well.
async fn aim_where_it_is(link: &Link, probe: &mut Probe, document: DocumentId, aim: Aim) -> Result<(), Problem> {
    let args = [json!(probe.id.number()), how(Aim { scroll: false, ..aim })];
    let facts = link.page_call::<Option<Facts>>(document, "aim", &args, CALL_LIMIT).await.ok().flatten();
    let places = placement::places(link, &HashMap::new()).await?;
    let (Some(facts), Some(placed)) = (facts, places.get(&document)) else { return Ok(()) };
    probe.rect = placed.map.rect(Rect::new(facts.x, facts.y, facts.w, facts.h));
    probe.point = facts.point.map(|p| placed.map.apply(p.into()));
    if let Some(cover) = cover_above(link, probe.point, document, &places).await? {
        probe.point = None;
        probe.cover = Some(cover);
    }
    Ok(())
}

/// XPath of a frame's owner, with the prefixes of those above.
async fn xpath_prefix(link: &Link, document: DocumentId) -> String {
    if link.model().pages.is_main(document) {
        return String::new();
    }
    let Ok(places) = placement::places(link, &HashMap::new()).await else { return String::new() };
    let mut parts = Vec::new();
    for placed in chain(document, &places) {
        let (Some(parent), Some(owner)) = (placed.parent, placed.owner) else { continue };
        if let Ok(Some(facts)) = link.page_call::<Option<Facts>>(parent, "facts", &[json!(owner)], CALL_LIMIT).await {
            parts.push(facts.xpath);
        }
    }
    parts.concat()
}

/// Of an element that lives on in another tab than the active one: that it does.
async fn elsewhere(link: &Link, element: NativeId) -> Option<Problem> {
    let (tab, asks) = {
        let model = link.model();
        let document = model.pages.document(element.document()).filter(|d| d.alive)?;
        let target = model.pages.tab_target(&document.session)?;
        let tab = model.pages.tabs.iter().find(|t| t.target == target && !t.closed)?;
        (tab.id.clone(), model.pages.dialogs.contains_key(&target))
    };
    // A page that shows a dialog can't be asked.
    if !asks {
        let number = [json!(element.number())];
        match link.page_call::<Option<Value>>(element.document(), "facts", &number, CALL_LIMIT).await {
            Ok(None) | Err(PageError::Gone) => return None,
            Ok(Some(_)) | Err(PageError::Problem(_)) => {}
        }
    }
    let text = format!("the target is in tab {tab}, and another tab is the active one");
    Some(Problem::new(Code::Stale, text).hint(format!("handeye tabs switch {tab}")))
}
