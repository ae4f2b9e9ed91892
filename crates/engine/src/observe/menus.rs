//! Menus in a capture: their items, and which menu is open.

use handeye_scene::{Capture, NodeKind, State};

/// What may be an item of a menu, or drop one down.
pub fn items(capture: &Capture) -> impl Iterator<Item = usize> + '_ {
    (0..capture.nodes.len()).filter(|i| {
        let node = &capture.nodes[*i];
        node.kind == NodeKind::Operable && (node.role.starts_with("menuitem") || node.role == "button")
    })
}

/// The item of a menu that this one lies in.
pub fn menu_of(capture: &Capture, index: usize) -> Option<usize> {
    std::iter::successors(capture.nodes[index].parent, |up| capture.nodes[*up].parent)
        .find(|up| capture.nodes[*up].role.starts_with("menuitem"))
}

/// The menu that is open in a window, by the name of what it dropped down from.
pub fn open_menu(capture: &Capture) -> Option<&str> {
    let shown = items(capture).filter(|i| !capture.nodes[*i].states.has(State::Offscreen));
    shown.filter_map(|i| menu_of(capture, i)).map(|menu| capture.nodes[menu].name.as_str()).next()
}
