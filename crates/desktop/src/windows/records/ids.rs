//! Which element a number means: identities that survive being listed anew.

use crate::windows::records::window_list::{Handle, Seen};
use handeye_scene::{DocumentId, NativeId};
use std::collections::HashMap;

/// Where an element is found again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// A window or control of its own.
    Window(Handle),
    /// An item of a list by the number that it keeps (`slots`).
    Item(Handle, u32),
    /// A part of a compound control.
    Part(Handle, PartId),
    /// An item of a menu by the numbers on the way: of a window's bar, or of an open menu.
    Menu(Handle, Vec<u32>),
    /// An element of UI Automation by its runtime id.
    Automation(Vec<i32>),
}

/// How a part of a compound control is found again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PartId {
    /// A row of a list.
    Row(RowId),
    /// A cell of a row, by its column.
    Cell(RowId, u32),
    /// An item of a tree by the tree's own number for it.
    Branch(u64),
    /// A tab by the number that it keeps.
    Tab(u32),
    /// A button of a tool bar by its command.
    Tool(u32),
    /// A heading by the number that it keeps.
    Heading(u32),
    /// A part of a status bar, counted from the first.
    Text(u32),
}

/// How a row is found again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RowId {
    /// By the number that it keeps.
    Slot(u32),
    /// In a list too long to be read whole: where it stands, and what its first column says there.
    At(u32, String),
}

/// An element: where it is found, and what must be so for it to be the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Where.
    pub place: Place,
    /// Class, ids and process: a handle that went to another control means another one.
    pub check: String,
}

/// One top-level window that was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    handle: Handle,
    check: String,
    process: String,
}

/// Every element that was numbered.
#[derive(Debug, Default)]
pub struct Ids {
    documents: Vec<Known>,
    keys: Vec<Vec<Key>>,
    numbers: HashMap<(u32, Place), u32>,
}

impl Ids {
    /// The document of a window: its own if it has one. A handle that another window took over is another document.
    pub fn document(&mut self, window: &Seen) -> DocumentId {
        let known = Known { handle: window.handle, check: window.check(), process: window.process().to_owned() };
        if let Some(at) = self.documents.iter().rposition(|k| k.handle == known.handle && k.check == known.check) {
            return DocumentId(at as u32 + 1);
        }
        self.documents.push(known);
        self.keys.push(Vec::new());
        DocumentId(self.documents.len() as u32)
    }

    fn known(&self, document: DocumentId) -> Option<&Known> {
        self.documents.get((document.0 as usize).checked_sub(1)?)
    }

    /// The window of a document.
    pub fn window(&self, document: DocumentId) -> Option<Handle> {
        self.known(document).map(|k| k.handle)
    }

    /// Name of the process that a document is of.
    pub fn process(&self, document: DocumentId) -> Option<&str> {
        self.known(document).map(|k| k.process.as_str())
    }

    /// The window of a document among those that are there now.
    pub fn seen<'a>(&self, document: DocumentId, seen: &'a [Seen]) -> Option<&'a Seen> {
        let known = self.known(document)?;
        seen.iter().find(|w| w.handle == known.handle && w.check() == known.check)
    }

    /// The id of an element: its own if it has one and is still the same, else a new one.
    pub fn number(&mut self, document: DocumentId, key: &Key) -> NativeId {
        let Some(list) = (document.0 as usize).checked_sub(1).and_then(|at| self.keys.get_mut(at)) else {
            return NativeId::new(document, 0);
        };
        let place = (document.0, key.place.clone());
        if let Some(number) = self.numbers.get(&place).copied()
            && list.get(number as usize - 1).is_some_and(|k| k.check == key.check)
        {
            return NativeId::new(document, number);
        }
        list.push(key.clone());
        let number = list.len() as u32;
        self.numbers.insert(place, number);
        NativeId::new(document, number)
    }

    /// Where a numbered element is found; none once its place has gone to another one.
    pub fn get(&self, id: NativeId) -> Option<&Key> {
        let list = self.keys.get((id.document().0 as usize).checked_sub(1)?)?;
        let key = list.get((id.number() as usize).checked_sub(1)?)?;
        let newest = self.numbers.get(&(id.document().0, key.place.clone()));
        (newest == Some(&id.number())).then_some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(handle: u64, check: &str) -> Key {
        Key { place: Place::Window(Handle(handle)), check: check.into() }
    }

    #[test]
    fn a_number_stays_with_its_element_and_never_passes_to_another() {
        let mut ids = Ids::default();
        let window = |pid| Seen { handle: Handle(9), class: "Panel".into(), pid, thread: 3, ..Seen::default() };
        let document = ids.document(&window(7));
        assert_eq!(ids.document(&window(7)), document);
        let a = ids.number(document, &key(1, "Button 101"));
        assert_eq!(ids.number(document, &key(1, "Button 101")), a);
        let b = ids.number(document, &key(1, "Edit 101"));
        assert_ne!(a, b, "a handle that went to another control is another element");
        assert!(ids.get(a).is_none(), "the old number means nothing");
        assert_eq!(ids.get(b).map(|k| k.check.as_str()), Some("Edit 101"));
        let other = ids.document(&window(8));
        assert_ne!(other, document, "a handle that went to another process is another document");
        assert!(ids.seen(document, &[window(8)]).is_none());
        assert!(ids.seen(other, &[window(8)]).is_some());
        assert!(ids.get(NativeId::new(DocumentId(9), 1)).is_none());
    }

    #[test]
    fn a_row_of_a_long_list_is_another_once_its_place_says_something_else() {
        let mut ids = Ids::default();
        let document = ids.document(&Seen::default());
        let row = |id| Key { place: Place::Part(Handle(4), PartId::Row(id)), check: "SysListView32".into() };
        let third = ids.number(document, &row(RowId::At(3, "c".into())));
        assert_ne!(third, ids.number(document, &row(RowId::At(3, "d".into()))));
        assert_ne!(third, ids.number(document, &row(RowId::Slot(3))));
        assert_eq!(third, ids.number(document, &row(RowId::At(3, "c".into()))));
    }
}
