//! Whether nothing at all hears a press at an element: then what changes after one isn't its effect.

use super::listeners::{Asking, Unanswered};
use super::stops::ARM_LIMIT;
use crate::cdp::link::Link;
use crate::protocol::Listener;
use handeye_scene::NativeId;

/// The group of the objects by which it is asked.
const GROUP: &str = "handeye-deaf";
/// Events that a press at an element brings about, there or where the focus was.
const HEARD: [&str; 16] = [
    "pointerdown",
    "mousedown",
    "pointerup",
    "mouseup",
    "click",
    "dblclick",
    "auxclick",
    "contextmenu",
    "touchstart",
    "touchend",
    "focus",
    "focusin",
    "blur",
    "focusout",
    "change",
    "selectionchange",
];

/// Whether neither the element nor anything that its events pass through listens for a press, nor acts by itself; none: the page
/// didn't say so in time. What is gone isn't deaf.
pub(crate) async fn is_deaf(link: &Link, target: NativeId) -> Option<bool> {
    let Some(asking) = Asking::of(link, target.document(), GROUP, ARM_LIMIT) else { return Some(false) };
    let heard = async {
        let script = asking.script().await?;
        let listeners = asking.listeners(&format!("handeye.pressPath({})", target.number())).await?;
        let is_heard = |l: &Listener| HEARD.contains(&l.kind.as_str()) && l.script_id != script;
        Ok::<bool, Unanswered>(listeners.is_none_or(|listeners| listeners.iter().any(is_heard)))
    };
    let heard = heard.await;
    asking.end();
    heard.ok().map(|heard| !heard)
}
