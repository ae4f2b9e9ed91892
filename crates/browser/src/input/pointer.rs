//! Pointer gestures: clicks, drags, scrolling.

use super::hand::{Hand, held_by_dialog};
use super::keys::{button, button_bit, modifier_bits};
use super::mode::Mode;
use super::stops;
use crate::capture::search;
use crate::cdp::link::CALL_LIMIT;
use handeye_scene::{Button, Code, Delivery, DocumentId, Guard, Modifiers, MouseStep, NativeId, Point, Problem};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// Steps of a drag's move: pages that watch the pointer need some.
const DRAG_STEPS: u32 = 12;

/// From where to where a drag goes, and the document of the element that it is to end on.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) from: Point,
    pub(super) to: Point,
    pub(super) end: Option<DocumentId>,
}

pub(super) async fn click(
    hand: &mut Hand,
    at: Point,
    which: Button,
    count: u8,
    modifiers: Modifiers,
) -> Result<(), Problem> {
    let session = hand.link.session()?;
    let bits = modifier_bits(modifiers) | hand.held.1;
    let send = |hand: &Hand, kind: &str, buttons: u8, clicks: u8| {
        let params = json!({
            "type": kind, "x": at.x, "y": at.y, "modifiers": bits, "button": if kind == "mouseMoved" { "none" } else { button(which) },
            "buttons": buttons, "clickCount": clicks, "pointerType": "mouse",
        });
        hand.link.connection.send(Some(&session), "Input.dispatchMouseEvent", params)
    };
    let mut steps = vec![("mouseMoved", hand.held.0, 0)];
    for click in 1..=count.clamp(1, 3) {
        steps.push(("mousePressed", button_bit(which), click));
        steps.push(("mouseReleased", 0, click));
    }
    hand.pointer = at;
    let _sending = stops::sending(&hand.link).await;
    let mut all_pending = Vec::new();
    for (kind, buttons, clicks) in steps {
        let pending = send(hand, kind, buttons, clicks);
        if stops::stops_at_listeners(&hand.link, count <= 1) {
            hand.link.wait_for_all(vec![pending]).await?;
        } else {
            // All in one go: the less time between the check of the place and the press, the fewer are withheld.
            all_pending.push(pending);
        }
    }
    hand.link.wait_for_all(all_pending).await
}

pub(super) async fn drag(
    hand: &mut Hand,
    way: Way,
    which: Button,
    time: Duration,
    modifiers: Modifiers,
) -> Result<(), Problem> {
    let session = hand.link.session()?;
    hand.link.call::<Value>(Some(&session), "Input.setInterceptDrags", json!({ "enabled": true }), CALL_LIMIT).await?;
    let outcome = drag_steps(hand, &session, way, which, time, modifiers).await;
    if outcome.is_err() && hand.held.0 & button_bit(which) != 0 {
        // The button doesn't stay down; where it comes up, the guard lets nothing through.
        hand.held.0 &= !button_bit(which);
        let up = json!({
            "type": "mouseReleased", "x": way.from.x, "y": way.from.y, "button": button(which), "buttons": hand.held.0,
            "clickCount": 0,
        });
        let _sending = stops::sending(&hand.link).await;
        hand.link.connection.notify(Some(&session), "Input.dispatchMouseEvent", up);
    }
    hand.link.connection.notify(Some(&session), "Input.setInterceptDrags", json!({ "enabled": false }));
    outcome
}

async fn drag_steps(
    hand: &mut Hand,
    session: &str,
    Way { from, to, end }: Way,
    which: Button,
    time: Duration,
    modifiers: Modifiers,
) -> Result<(), Problem> {
    hand.step(MouseStep::Move(from), modifiers).await?;
    hand.step(MouseStep::Down(which), modifiers).await?;
    if is_astray(hand) {
        // What had the press before it was stopped isn't dragged.
        return hand.step(MouseStep::Up(which), modifiers).await;
    }
    let mut carried = None;
    for i in 1..=DRAG_STEPS {
        tokio::time::sleep(time / DRAG_STEPS).await;
        let part = f64::from(i) / f64::from(DRAG_STEPS);
        let at = Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
        match &carried {
            None => {
                hand.step(MouseStep::Move(at), modifiers).await?;
                // The page has begun a drag of its own (HTML drag and drop): from here on it gets that one's events.
                carried = hand.link.model().gesture.drag.take();
                if let Some(data) = &carried {
                    drag_event(hand, session, "dragEnter", at, data).await?;
                }
            }
            Some(data) => drag_event(hand, session, "dragOver", at, data).await?,
        }
    }
    if let Some(data) = &carried {
        drag_event(hand, session, "dragOver", to, data).await?;
    }
    if let Some(end) = end
        && must_not_end(hand, end).await
    {
        // Taken back: the button is let go where it went down, and the page is told of no drop.
        match &carried {
            Some(data) => drag_event(hand, session, "dragCancel", to, data).await?,
            None => hand.step(MouseStep::Move(from), modifiers).await?,
        }
    } else if let Some(data) = &carried {
        drag_event(hand, session, "drop", to, data).await?;
    }
    hand.step(MouseStep::Up(which), modifiers).await
}

/// Whether the guard has stopped the press as it came to another place, as far as is known.
fn is_astray(hand: &Hand) -> bool {
    let is_it = |reason: &Option<String>| matches!(reason.as_deref(), Some("misplaced" | "shifted"));
    hand.link.model().guard.signals.iter().any(|signal| is_it(&signal.reason))
}

/// Whether a drag isn't where it is to end, as the document there last saw it.
async fn must_not_end(hand: &Hand, end: DocumentId) -> bool {
    matches!(hand.link.page_call::<bool>(end, "dragEnd", &[], CALL_LIMIT).await, Ok(true))
}

async fn drag_event(hand: &Hand, session: &str, kind: &str, at: Point, data: &Value) -> Result<(), Problem> {
    let params = json!({ "type": kind, "x": at.x, "y": at.y, "data": data });
    let _sending = stops::sending(&hand.link).await;
    let pending = hand.link.connection.send(Some(session), "Input.dispatchDragEvent", params);
    hand.link.wait_for_all(vec![pending]).await.or_else(held_by_dialog)
}

pub(super) async fn scroll(
    hand: &mut Hand,
    guard: &Guard,
    at: Option<Point>,
    dx: f64,
    dy: f64,
) -> Result<Delivery, Problem> {
    #[derive(Deserialize)]
    struct Moved {
        moved: (f64, f64),
        ended: bool,
    }
    // What scrolls of an element that shows a document is that document.
    let inner = match guard.target {
        Some(target) => search::document_inside(&hand.link, target).await,
        None => None,
    };
    if let Some(inner) = inner {
        hand.link.model().check_readable(inner)?;
        hand.link.model().check_acts_in(inner, "scroll")?;
    }
    let target = guard.target.filter(|_| inner.is_none());
    let document = match inner.or(target.map(NativeId::document)) {
        Some(document) => document,
        None => hand
            .link
            .shared
            .model()
            .pages
            .main_document()
            .ok_or_else(|| Problem::new(Code::Timeout, "the page isn't ready").hint("handeye wait --idle"))?,
    };
    let args = [json!(target.map(NativeId::number)), json!(dx), json!(dy)];
    let Moved { moved, ended } = hand.link.page_call_now(document, "scrollBy", &args, CALL_LIMIT).await?;
    if moved != (0.0, 0.0) {
        return Ok(Delivery::Delivered { holds: None, moved: Some(moved), by: None });
    }
    if let Some(at) = at.filter(|_| !ended && inner.is_none()) {
        // What doesn't scroll may still listen to the wheel.
        return hand
            .guarded(guard, Mode::Wheel, async |b: &mut Hand| {
                b.step(MouseStep::Move(at), Modifiers::default()).await?;
                b.step(MouseStep::Wheel { dx, dy }, Modifiers::default()).await
            })
            .await;
    }
    Ok(Delivery::Delivered { holds: None, moved: Some(moved), by: None })
}
