//! How windows belong together: dialogs and popups to their window, and what keeps a person from it.

use crate::linux::windows::window_list::{Seen, process};
use handeye_scene::Cover;
use x11rb::protocol::xproto::Window;

/// The window at the end of the chain of owners.
pub(crate) fn root_of(seen: &[Seen], window: &Seen) -> Window {
    let mut at = window;
    for _ in 0..16 {
        match at.owner.and_then(|o| seen.iter().find(|w| w.id == o)) {
            Some(owner) => at = owner,
            None => break,
        }
    }
    at.id
}

/// The window that a popup came up for: what it belongs to. Of one that tells of no owner, as GTK 4's, it is the one of its app that
/// has the keyboard, else the topmost; of one that tells of no app either, what has the keyboard.
pub(crate) fn came_up_for<'a>(seen: &'a [Seen], popup: &Seen) -> Option<&'a Seen> {
    if !popup.popup {
        return None;
    }
    let root = root_of(seen, popup);
    if root != popup.id {
        return seen.iter().find(|w| w.id == root);
    }
    let of_it = || seen.iter().filter(|w| !w.popup && (w.pid == popup.pid || popup.pid == 0 && w.focused));
    of_it().find(|w| w.focused).or_else(|| of_it().find(|w| w.is_shown()))
}

/// The modal dialog that keeps a person from a window, if one does: its own, or one that stands alone in its program.
pub(crate) fn barring<'a>(seen: &'a [Seen], window: &Seen) -> Option<&'a Seen> {
    let owned_by = |owned: &Seen, owner: Window| {
        let above = |at: &Window| seen.iter().find(|w| w.id == *at).and_then(|w| w.owner);
        std::iter::successors(owned.owner, above).take(16).any(|at| at == owner)
    };
    let is_above = |dialog: &&Seen| match dialog.owner {
        _ if dialog.id == window.id || owned_by(window, dialog.id) => false,
        Some(_) if window.modal => owned_by(dialog, window.id),
        Some(_) => root_of(seen, dialog) == root_of(seen, window),
        None => !window.modal && !window.popup && window.pid != 0 && dialog.pid == window.pid,
    };
    seen.iter().filter(|w| w.modal).find(is_above)
}

/// The window, its dialogs and popups, the topmost first.
pub(crate) fn group<'a>(seen: &'a [Seen], window: &Seen) -> Vec<&'a Seen> {
    let root = root_of(seen, window);
    let ours = |w: &&Seen| root_of(seen, w) == root || w.popup && (w.pid == window.pid || w.pid == 0 && window.focused);
    seen.iter().filter(ours).collect()
}

/// A window as what covers.
pub(crate) fn as_cover(window: &Seen) -> Cover {
    let name = if window.title.is_empty() { process(window.pid) } else { window.title.clone() };
    Cover { id: None, role: if window.popup { "popup".into() } else { "window".into() }, name }
}
