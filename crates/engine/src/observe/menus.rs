//! Menus in a capture: their items, and which menu is open.

use handeye_scene::{Capture, Cover, Node, NodeKind, State};

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

/// What an open menu or list is called: by what it dropped down from, else by the first of what it holds.
pub fn called<'a>(capture: &'a Capture, menu: &'a Cover) -> String {
    /// So many tell which one it is.
    const FEW: usize = 3;
    if let Some(name) = open_menu(capture).filter(|name| !name.is_empty()) {
        return crate::wording::targets::called("menu", name);
    }
    let holds = |n: &&Node| menu.id.is_some_and(|id| id.document() == n.document) && !n.name.is_empty();
    let held: Vec<&str> = capture.nodes.iter().filter(holds).map(|n| n.name.as_str()).take(FEW + 1).collect();
    if held.is_empty() {
        return crate::wording::targets::called("menu", &menu.name);
    }
    let more = if held.len() > FEW { ", …" } else { "" };
    let names: Vec<String> = held.iter().take(FEW).map(|name| crate::observe::outline::quote(name, 40)).collect();
    format!("the menu of {}{more}", names.join(", "))
}
