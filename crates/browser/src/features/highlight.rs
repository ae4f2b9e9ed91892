//! Marks drawn over the page.

use crate::cdp::link::{CALL_LIMIT, Link};
use handeye_scene::{Code, Colour, DocumentId, Mark, NativeId, Problem};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Draws frames over elements, by the browser's own inspector; nothing is put into the page. Gives those that it can't draw
/// with the others: of what has no box of its own, such as a link within a line, it draws those of one colour in one document.
pub(crate) async fn draw(link: &Link, marks: &[Mark]) -> Result<Vec<NativeId>, Problem> {
    link.check_dialog()?;
    let mut boxed: HashMap<String, Vec<Value>> = HashMap::new();
    let mut lit: HashMap<String, Lit> = HashMap::new();
    let mut left_out = Vec::new();
    for mark in marks {
        let (session, found) = markable(link, mark.id).await?;
        let first = lit.get(&session);
        let fits = first.is_none_or(|lit| lit.colour == mark.colour && lit.document == mark.id.document());
        if found.has_box && marks.len() > 1 {
            let border = json!({ "color": colour(mark.colour, 1.0), "pattern": "dashed" });
            let config =
                json!({ "containerBorder": border, "descendantBorder": { "color": colour(mark.colour, 0.0) } });
            // Numbers are given out once the document was asked for; asked for again, it takes back the earlier ones.
            if !boxed.contains_key(&session) {
                let shallow = json!({ "depth": 1 });
                link.call::<Value>(Some(&session), "DOM.getDocument", shallow, CALL_LIMIT).await?;
            }
            let node = node_of(link, &session, &found.element).await?;
            boxed
                .entry(session)
                .or_default()
                .push(json!({ "nodeId": node, "containerQueryContainerHighlightConfig": config }));
        } else if fits && (first.is_none() || found.selector.is_some()) {
            let own =
                || Lit { colour: mark.colour, document: mark.id.document(), element: found.element, selectors: vec![] };
            lit.entry(session).or_insert_with(own).selectors.extend(found.selector);
        } else {
            left_out.push(mark.id);
        }
    }
    for (session, configs) in boxed {
        let params = json!({ "containerQueryHighlightConfigs": configs });
        link.call::<Value>(Some(&session), "Overlay.setShowContainerQueryOverlays", params, CALL_LIMIT).await?;
    }
    for (session, lit) in lit {
        let config = json!({
            "showInfo": false, "contentColor": colour(lit.colour, 0.25), "paddingColor": colour(lit.colour, 0.25),
            "borderColor": colour(lit.colour, 0.9),
        });
        let mut params = json!({ "highlightConfig": config, "objectId": lit.element });
        if lit.selectors.len() > 1 {
            params["selector"] = json!(lit.selectors.join(", "));
        }
        link.call::<Value>(Some(&session), "Overlay.highlightNode", params, CALL_LIMIT).await?;
    }
    Ok(left_out)
}

/// An element as the inspector takes it, and its session.
async fn markable(link: &Link, id: NativeId) -> Result<(String, Markable), Problem> {
    let gone = || Problem::new(Code::Stale, "the element is gone").hint("handeye state");
    let known = link.model().pages.document(id.document()).map(|d| (d.session.clone(), d.context.clone()));
    let (session, context) = known.ok_or_else(gone)?;
    let ask = async |expression: String, by_value: bool| {
        let params = json!({ "expression": expression, "uniqueContextId": context, "returnByValue": by_value });
        let ticket = link.connection.send(Some(&session), "Runtime.evaluate", params);
        link.answer::<Value>(ticket, CALL_LIMIT).await.map(|answer| answer["result"].clone())
    };
    let found = format!("handeye.element({})", id.number());
    let element = ask(found.clone(), false).await?["objectId"].as_str().map(str::to_owned).ok_or_else(gone)?;
    let told = ask(format!("({MARKABLE})({found})"), true).await?["value"].clone();
    for method in ["DOM.enable", "Overlay.enable"] {
        link.call::<Value>(Some(&session), method, json!({}), CALL_LIMIT).await?;
    }
    let has_box = told["box"].as_bool().unwrap_or_default();
    let selector = told["selector"].as_str().map(str::to_owned);
    Ok((session, Markable { element, has_box, selector }))
}

/// The number that the inspector has for an element.
async fn node_of(link: &Link, session: &str, element: &str) -> Result<i64, Problem> {
    let asked = json!({ "objectId": element });
    let told = link.call::<Value>(Some(session), "DOM.requestNode", asked, CALL_LIMIT).await?;
    told["nodeId"].as_i64().filter(|node| *node > 0).ok_or_else(|| Problem::new(Code::Stale, "the element is gone"))
}

/// Takes the marks away.
pub(crate) async fn clear(link: &Link) -> Result<(), Problem> {
    link.call_everywhere(&[("Overlay.hideHighlight", json!({})), ("Overlay.disable", json!({}))]).await
}

/// Whether an element has a box of its own, and a selector that leads to it alone, where one does: not into a shadow root.
const MARKABLE: &str = "el => {
  const box = !['inline', 'contents', 'none'].includes(getComputedStyle(el).display) || ['IMG', 'VIDEO', 'CANVAS', 'IFRAME'].includes(el.tagName);
  if (el.getRootNode() !== document) return { box };
  const steps = [];
  for (let at = el; at instanceof Element; at = at.parentElement) {
    let n = 1;
    for (let before = at.previousElementSibling; before; before = before.previousElementSibling) n++;
    steps.unshift(`:nth-child(${n})`);
  }
  return { box, selector: ':root' + steps.slice(1).map(step => ` > ${step}`).join('') };
}";

/// An element that is to be marked.
struct Markable {
    /// As the protocol names it.
    element: String,
    has_box: bool,
    selector: Option<String>,
}

/// Elements of one document that are drawn in one colour.
struct Lit {
    colour: Colour,
    document: DocumentId,
    /// The first of them.
    element: String,
    selectors: Vec<String>,
}

fn colour(Colour(r, g, b): Colour, opacity: f64) -> Value {
    json!({ "r": r, "g": g, "b": b, "a": opacity })
}
