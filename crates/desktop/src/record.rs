//! Raw records of the accessibility interface, and the nodes they become: pure, and compiled on every platform.

use crate::quirks::Quirks;
use crate::roles::{self, MENUS, Part, role};
use handeye_scene::{DocumentId, Extra, NativeId, Node, NodeKind, Rect, State, States};

/// Bits of an AT-SPI state set.
pub mod bit {
    /// The window has the keyboard.
    pub const ACTIVE: u64 = 1 << 1;
    /// Being updated.
    pub const BUSY: u64 = 1 << 3;
    /// On.
    pub const CHECKED: u64 = 1 << 4;
    /// The object is no more.
    pub const DEFUNCT: u64 = 1 << 6;
    /// Text that can be edited.
    pub const EDITABLE: u64 = 1 << 7;
    /// Can be operated.
    pub const ENABLED: u64 = 1 << 8;
    /// Can expand.
    pub const EXPANDABLE: u64 = 1 << 9;
    /// Shows what it opens.
    pub const EXPANDED: u64 = 1 << 10;
    /// Takes the keyboard.
    pub const FOCUSABLE: u64 = 1 << 11;
    /// Has the keyboard.
    pub const FOCUSED: u64 = 1 << 12;
    /// Other windows wait for it.
    pub const MODAL: u64 = 1 << 16;
    /// Text of several lines.
    pub const MULTI_LINE: u64 = 1 << 17;
    /// Takes several choices.
    pub const MULTISELECTABLE: u64 = 1 << 18;
    /// Down.
    pub const PRESSED: u64 = 1 << 20;
    /// Can be chosen.
    pub const SELECTABLE: u64 = 1 << 22;
    /// Chosen.
    pub const SELECTED: u64 = 1 << 23;
    /// Reacts.
    pub const SENSITIVE: u64 = 1 << 24;
    /// It and all it lies in are shown.
    pub const SHOWING: u64 = 1 << 25;
    /// It is shown, if what it lies in is.
    pub const VISIBLE: u64 = 1 << 30;
    /// Its children must not be listed.
    pub const MANAGES_DESCENDANTS: u64 = 1 << 31;
    /// Partly on.
    pub const INDETERMINATE: u64 = 1 << 32;
    /// Must be filled in.
    pub const REQUIRED: u64 = 1 << 33;
    /// Fails validation.
    pub const INVALID_ENTRY: u64 = 1 << 36;
    /// Can be on or off.
    pub const CHECKABLE: u64 = 1 << 41;
    /// Opens a menu or a dialog.
    pub const HAS_POPUP: u64 = 1 << 42;
    /// Can't be edited.
    pub const READ_ONLY: u64 = 1 << 43;
}

/// Interfaces that an object has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interfaces(u8);

impl Interfaces {
    /// Actions.
    pub const ACTION: u8 = 1;
    /// A place on the screen.
    pub const COMPONENT: u8 = 2;
    /// Text.
    pub const TEXT: u8 = 4;
    /// Text that can be set.
    pub const EDITABLE_TEXT: u8 = 8;
    /// A number.
    pub const VALUE: u8 = 16;
    /// Children that can be chosen.
    pub const SELECTION: u8 = 32;
    /// Rows and columns.
    pub const TABLE: u8 = 64;

    /// Those named, such as `org.a11y.atspi.Action`.
    pub fn named<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        Self(names.fold(0, |set, name| {
            set | match name.rsplit('.').next().unwrap_or_default() {
                "Action" => Self::ACTION,
                "Component" => Self::COMPONENT,
                "Text" => Self::TEXT,
                "EditableText" => Self::EDITABLE_TEXT,
                "Value" => Self::VALUE,
                "Selection" => Self::SELECTION,
                "Table" => Self::TABLE,
                _ => 0,
            }
        }))
    }

    /// Whether it is among them.
    pub const fn has(self, interface: u8) -> bool {
        self.0 & interface != 0
    }
}

/// One object as the interface tells of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// Its path.
    pub path: String,
    /// Index of its parent among the records.
    pub parent: Option<usize>,
    /// Number of its role.
    pub role: u32,
    /// Its name, as told.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its states.
    pub states: u64,
    /// Its interfaces.
    pub interfaces: Interfaces,
    /// Where it is on the screen, where that is known.
    pub rect: Option<Rect>,
    /// Its text or number.
    pub value: Option<String>,
    /// What labels it, where its toolkit says so: path and text of each.
    pub labels: Vec<(String, String)>,
}

impl Record {
    /// Whether it has the state.
    pub const fn has(&self, bit: u64) -> bool {
        self.states & bit != 0
    }

    /// Whether it can be seen, apart from where it is.
    pub fn shows(&self, quirks: Quirks) -> bool {
        if self.is_shell() {
            return true;
        }
        if quirks.showing_missing { self.has(bit::VISIBLE) } else { self.has(bit::SHOWING) }
    }

    /// Whether it says that it is no more, and holds what is there all the same: so LibreOffice tells of the line in which a cell's
    /// formula is edited.
    const fn is_shell(&self) -> bool {
        self.role == roles::PANEL && self.has(bit::DEFUNCT)
    }

    /// Whether its children must not be listed, since they may be any number: those of tables, whose cells are asked for by
    /// row and column. Other lists say so of themselves, too, and tell of their children in no other way.
    pub fn hides_children(&self) -> bool {
        self.has(bit::MANAGES_DESCENDANTS) && self.interfaces.has(Interfaces::TABLE)
    }

    /// Whether it is on or off: some cells of tables are, too.
    pub fn is_switch(&self) -> bool {
        let turns = self.has(bit::CHECKABLE) || self.has(bit::CHECKED);
        // Some toolkits say of a menu's item that it is on, and not by its role.
        roles::SWITCHES.contains(&self.role) || turns && (self.role == roles::CELL || self.role == roles::MENU_ITEM)
    }

    /// Whether it can be operated now.
    pub const fn enabled(&self, quirks: Quirks) -> bool {
        // GTK 4 tells neither of its own widgets.
        self.has(bit::ENABLED) || self.has(bit::SENSITIVE) || quirks.showing_missing
    }

    /// Takes the keyboard of a tab for its being chosen, which it means in some toolkits (`Quirks::tabs_focused`). The bar of tabs
    /// tells who has the keyboard.
    pub fn take_for_chosen(&mut self, bar_has_keyboard: bool) {
        if self.has(bit::FOCUSED) {
            self.states |= bit::SELECTED;
            if !bar_has_keyboard {
                self.states &= !bit::FOCUSED;
            }
        }
    }

    /// Whether a person can act on it, by what it says of itself.
    pub const fn is_active(&self) -> bool {
        self.has(bit::FOCUSABLE) || self.has(bit::SELECTABLE) || self.has(bit::EDITABLE)
    }
}

/// States as the scene names them.
pub fn states(record: &Record, quirks: Quirks) -> States {
    use State as S;
    let mut states = States::default();
    let mut add = |state, is: bool| {
        if is {
            states = states.with(state);
        }
    };
    let has = |bit| record.has(bit);
    let switch = record.is_switch();
    let operable = role(record.role).kind != Part::Holder;
    add(S::Disabled, operable && !record.enabled(quirks));
    add(S::Checked, switch && record.role != 62 && has(bit::CHECKED));
    add(S::Pressed, record.role == 62 && (has(bit::PRESSED) || has(bit::CHECKED)));
    add(S::Mixed, has(bit::INDETERMINATE) && switch);
    add(S::Selected, has(bit::SELECTED) && !MENUS.contains(&record.role) && record.role != 35);
    add(S::Expanded, has(bit::EXPANDABLE) && has(bit::EXPANDED));
    add(S::Collapsed, has(bit::EXPANDABLE) && !has(bit::EXPANDED));
    add(S::Required, has(bit::REQUIRED));
    add(S::Readonly, has(bit::READ_ONLY) || is_text(record) && !has(bit::EDITABLE));
    add(S::Invalid, has(bit::INVALID_ENTRY));
    add(S::Focused, has(bit::FOCUSED));
    add(S::Busy, has(bit::BUSY));
    add(S::Multiple, has(bit::MULTISELECTABLE));
    add(S::Haspopup, has(bit::HAS_POPUP));
    add(S::Modal, has(bit::MODAL));
    states
}

/// Whether it is a field of text.
pub fn is_text(record: &Record) -> bool {
    role(record.role).word == "textbox"
}

/// A record as a node; none where it says nothing to an agent.
pub fn node(
    record: &Record,
    id: NativeId,
    document: DocumentId,
    parent: Option<usize>,
    quirks: Quirks,
) -> Option<Node> {
    let what = role(record.role);
    let kind = what.kind.node(record.is_active());
    let mut name = crate::quirks::name(&record.name, quirks);
    let mut value = record.value.clone().filter(|v| !v.is_empty());
    if kind != NodeKind::Operable && name.is_empty() {
        // A text without a name says what it holds.
        name = value.take().unwrap_or_default().trim().to_owned();
    }
    // A cell of a list is called what it holds; one of a spreadsheet is called by its place.
    value = value.filter(|v| v.trim() != name);
    let description = record.description.trim();
    let said_nothing = name.is_empty() && kind != NodeKind::Operable;
    if said_nothing || what.kind == Part::Holder && what.word == "group" {
        return None;
    }
    if record.role == roles::PASSWORD {
        value = value.map(|v| "•".repeat(v.chars().count()));
    }
    if name.is_empty() {
        name = description.to_owned();
    }
    // Qt has frames within windows, such as a calculator's display.
    let word = if record.role == roles::FRAME && record.parent.is_some() { "region" } else { what.word };
    let extra = Extra {
        title: Some(description.to_owned()).filter(|d| !d.is_empty() && *d != name),
        kind: (record.role == roles::PASSWORD).then(|| "password".to_owned()),
        ..Extra::default()
    };
    Some(Node {
        id: Some(id),
        document,
        parent,
        kind,
        role: word.to_owned(),
        name,
        value,
        states: states(record, quirks),
        rect: record.rect.unwrap_or_default(),
        extra,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quirks::quirks;
    use handeye_scene::DocumentId;

    fn shown(record: &Record) -> String {
        let id = NativeId::new(DocumentId(1), 1);
        match node(record, id, DocumentId(1), None, quirks("gtk", "3.24")) {
            Some(n) => {
                let words: Vec<&str> = n.states.iter().map(State::word).collect();
                format!("{:?} {} {:?} {:?} {}", n.kind, n.role, n.name, n.value, words.join(" "))
            }
            None => "nothing".into(),
        }
    }

    #[test]
    fn records_become_nodes() {
        let on = bit::ENABLED | bit::SENSITIVE | bit::SHOWING;
        let record = |role, name: &str, states| Record { role, name: name.into(), states, ..Record::default() };
        assert_eq!(shown(&record(43, "Save      ", on)), "Operable button \"Save\" None ");
        assert_eq!(shown(&record(43, "Save", bit::SHOWING)), "Operable button \"Save\" None disabled");
        assert_eq!(shown(&record(7, "Keep", on | bit::CHECKED)), "Operable checkbox \"Keep\" None checked");
        assert_eq!(shown(&record(39, "", on)), "nothing");
        assert_eq!(shown(&record(29, "Name:", on)), "Text text \"Name:\" None ");
        assert_eq!(shown(&record(23, "Notes", on)), "Item window \"Notes\" None ");
        let field = Record { value: Some("hi".into()), ..record(79, "", on | bit::EDITABLE) };
        assert_eq!(shown(&field), "Operable textbox \"\" Some(\"hi\") ");
        let password = Record { role: roles::PASSWORD, ..field.clone() };
        assert_eq!(shown(&password), "Operable textbox \"\" Some(\"••\") ");
        let read_only = Record { states: on, ..field };
        assert_eq!(shown(&read_only), "Operable textbox \"\" Some(\"hi\") readonly");
    }

    #[test]
    fn interfaces_are_known_by_name() {
        let set = Interfaces::named(["org.a11y.atspi.Action", "org.a11y.atspi.Text", "org.a11y.atspi.Odd"].into_iter());
        assert!(set.has(Interfaces::ACTION) && set.has(Interfaces::TEXT) && !set.has(Interfaces::VALUE));
    }
}
