//! Which object a number means: identities that survive being listed anew.

use crate::linux::atspi::bus::Place;
use crate::quirks::Quirks;
use crate::roles::{CELL, MENUS};
use handeye_scene::{DocumentId, NativeId};
use std::collections::HashMap;
use x11rb::protocol::xproto::Window;

/// One top-level window's tree.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) frame: Place,
    /// The window of the display that shows it, where it was found.
    pub(crate) window: Option<Window>,
    pub(crate) pid: u32,
    pub(crate) quirks: Quirks,
}

/// One object that was numbered: where it is, and what must be so for it to be the same.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) place: Place,
    pub(crate) role: u32,
    pub(crate) parent: String,
}

/// Every object that was numbered.
#[derive(Default)]
pub(crate) struct Ids {
    trees: Vec<Tree>,
    known: Vec<Vec<Known>>,
    numbers: HashMap<(u32, String), u32>,
}

impl Ids {
    /// The document of a window's tree: its own if it has one. A path that another window took over is another document.
    pub(crate) fn document(&mut self, tree: Tree) -> DocumentId {
        let same = |t: &Tree| t.frame == tree.frame && t.window == tree.window;
        if let Some(at) = self.trees.iter().position(same) {
            return DocumentId(at as u32 + 1);
        }
        self.trees.push(tree);
        self.known.push(Vec::new());
        DocumentId(self.trees.len() as u32)
    }

    pub(crate) fn tree(&self, document: DocumentId) -> Option<&Tree> {
        self.trees.get((document.0 as usize).checked_sub(1)?)
    }

    /// The document that a window shows, if that was looked at.
    pub(crate) fn shown_in(&self, window: Window) -> Option<DocumentId> {
        let at = self.trees.iter().rposition(|t| t.window == Some(window))?;
        Some(DocumentId(at as u32 + 1))
    }

    /// The id of an object: its own if it has one and is still of that role and at that place of the tree, else a new one.
    pub(crate) fn number(&mut self, document: DocumentId, path: &str, role: u32, parent: &str) -> NativeId {
        let key = (document.0, path.to_owned());
        let Some(tree) = self.tree(document) else { return NativeId::new(document, 0) };
        let place = tree.frame.at(path);
        let list = &mut self.known[document.0 as usize - 1];
        if let Some(number) = self.numbers.get(&key).copied()
            && list.get(number as usize - 1).is_some_and(|k| k.role == role && k.parent == parent)
        {
            return NativeId::new(document, number);
        }
        list.push(Known { place, role, parent: parent.to_owned() });
        let number = list.len() as u32;
        self.numbers.insert(key, number);
        NativeId::new(document, number)
    }

    /// The ids of an object: as many as there are windows that show it.
    pub(crate) fn at_path<'a>(&'a self, bus: &'a str, path: &'a str) -> impl Iterator<Item = NativeId> + 'a {
        let documents = self.trees.iter().enumerate().filter(move |(_, tree)| &*tree.frame.bus == bus);
        documents.filter_map(move |(at, _)| {
            let document = DocumentId(at as u32 + 1);
            let number = self.numbers.get(&(document.0, path.to_owned()))?;
            Some(NativeId::new(document, *number))
        })
    }

    /// All that lies in menus of a document.
    pub(crate) fn in_menus(&self, document: DocumentId) -> impl Iterator<Item = NativeId> {
        /// How far up a menu is looked for.
        const MOST: usize = 16;
        let last = self.known.get((document.0 as usize).wrapping_sub(1)).map_or(0, Vec::len) as u32;
        let around = move |id: &NativeId| {
            let number = self.numbers.get(&(document.0, self.get(*id)?.parent.clone()))?;
            Some(NativeId::new(document, *number))
        };
        let is_menu = |id: NativeId| self.get(id).is_some_and(|known| MENUS.contains(&known.role));
        let all = (1..=last).map(move |number| NativeId::new(document, number));
        all.filter(move |id| std::iter::successors(Some(*id), around).skip(1).take(MOST).any(is_menu))
    }

    /// What an object lay in when it was listed. Some toolkits say of it otherwise: LibreOffice of what GTK draws in its windows.
    pub(crate) fn parent_of(&self, at: &Place) -> Option<&str> {
        let known = self.at_path(&at.bus, &at.path).last()?;
        self.get(known).map(|known| known.parent.as_str()).filter(|parent| !parent.is_empty())
    }

    /// The ids of what lies right in an object.
    pub(crate) fn right_in<'a>(&'a self, bus: &'a str, path: &'a str) -> impl Iterator<Item = NativeId> + 'a {
        let documents = self.trees.iter().enumerate().filter(move |(_, tree)| &*tree.frame.bus == bus);
        documents.flat_map(move |(at, _)| {
            let held = self.known[at].iter().enumerate().filter(move |(_, known)| known.parent == path);
            held.map(move |(number, _)| NativeId::new(DocumentId(at as u32 + 1), number as u32 + 1))
        })
    }

    /// The ids of bars that may move without a word of their toolkit's: a progress bar, a level bar.
    pub(crate) fn untold_bars(&self) -> impl Iterator<Item = NativeId> {
        const BARS: [u32; 2] = [42, 103];
        let documents = self.trees.iter().enumerate().filter(|(_, tree)| tree.quirks.numbers_untold);
        documents.flat_map(|(at, _)| {
            let bars = self.known[at].iter().enumerate().filter(|(_, known)| BARS.contains(&known.role));
            bars.map(move |(number, _)| NativeId::new(DocumentId(at as u32 + 1), number as u32 + 1))
        })
    }

    /// All cells of a table that were numbered.
    pub(crate) fn cells_of<'a>(&'a self, table: &'a Place) -> impl Iterator<Item = &'a Place> {
        let all = self.known.iter().flatten();
        all.filter(|k| k.role == CELL && *k.parent == *table.path && k.place.bus == table.bus).map(|k| &k.place)
    }

    pub(crate) fn get(&self, id: NativeId) -> Option<&Known> {
        let document = id.document();
        let list = self.known.get((document.0 as usize).checked_sub(1)?)?;
        let known = list.get((id.number() as usize).checked_sub(1)?)?;
        // A number that the path has outgrown means nothing any more.
        let newest = self.numbers.get(&(document.0, known.place.path.to_string()));
        (newest == Some(&id.number())).then_some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quirks::quirks;

    #[test]
    fn a_number_stays_with_its_object_and_never_passes_to_another() {
        let mut ids = Ids::default();
        let tree = |window| Tree { frame: Place::new(":1.5", "/w"), window, pid: 7, quirks: quirks("gtk", "3") };
        let document = ids.document(tree(Some(9)));
        assert_eq!(ids.document(tree(Some(9))), document);
        let a = ids.number(document, "/a", 43, "/w");
        assert_eq!(ids.number(document, "/a", 43, "/w"), a);
        let b = ids.number(document, "/a", 7, "/w");
        assert_ne!(a, b, "another role is another object");
        assert!(ids.get(a).is_none(), "the old number means nothing");
        assert_eq!(ids.get(b).map(|k| k.role), Some(7));
        let c = ids.number(document, "/a", 7, "/elsewhere");
        assert_ne!(b, c, "another ancestry is another object");
        assert_ne!(ids.document(tree(Some(10))), document, "another window is another document");
        assert!(ids.get(NativeId::new(DocumentId(9), 1)).is_none());
    }
}
