//! Whether nothing at all hears a press at an element: then what changes after one isn't its effect.

use super::listeners::Asking;
use super::stops::ARM_LIMIT;
use crate::cdp::link::Link;
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

/// Whether neither the element nor anything that its events pass through listens for a press, nor acts by itself. What can't be
/// told isn't deaf.
pub(crate) async fn is_deaf(link: &Link, target: NativeId) -> bool {
    let Some(asking) = Asking::of(link, target.document(), GROUP, ARM_LIMIT) else { return false };
    let heard = async {
        let script = asking.script().await.ok()?;
        let listeners = asking.listeners(&format!("handeye.pressPath({})", target.number())).await.ok()??;
        Some(listeners.iter().any(|l| HEARD.contains(&l.kind.as_str()) && l.script_id != script))
    };
    let is_deaf = heard.await == Some(false);
    asking.end();
    is_deaf
}
