//! That the clipboard changed since a gesture began, where the page's own events don't tell of it.

use crate::cdp::link::Link;
use handeye_scene::{Cause, Mutation, Stirred};

/// Adds that it changed, if so, and to what kind of thing. Who changed it isn't known: that is no more than something after the
/// gesture.
pub(super) fn note(link: &Link, found: &mut Stirred) {
    let Some(kinds) = link.model().clipboard.changed.clone() else { return };
    match found.mutations.iter_mut().find(|m| m.property == "clipboard") {
        Some(known) if !known.to.is_empty() => {}
        Some(known) => known.to = kinds,
        None => found.mutations.push(Mutation {
            near: None,
            own: false,
            inside: false,
            tag: "body".into(),
            property: "clipboard".into(),
            from: String::new(),
            to: kinds,
            cause: Cause::Later,
        }),
    }
}
