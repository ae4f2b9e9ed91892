//! Roles of AT-SPI as ARIA roles, and what they are to an agent.

use handeye_scene::NodeKind;

/// What a role stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// The ARIA role, or the nearest word where ARIA has none.
    pub word: &'static str,
    /// What it is to an agent, when it is enabled or not.
    pub kind: Part,
}

/// What a role is to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A person can operate it.
    Operable,
    /// Operable where it takes the focus or has an action; else a thing to read.
    Maybe,
    /// Something to read.
    Item,
    /// Plain text.
    Text,
    /// Holds others: shown only by its name, if at all.
    Holder,
}

impl Part {
    /// The node it becomes.
    pub fn node(self, active: bool) -> NodeKind {
        match self {
            Part::Operable => NodeKind::Operable,
            Part::Maybe if active => NodeKind::Operable,
            Part::Text => NodeKind::Text,
            Part::Maybe | Part::Item | Part::Holder => NodeKind::Item,
        }
    }
}

/// A menu: what drops it down, and what it holds.
pub const MENU: u32 = 33;
/// An item of a menu.
pub const MENU_ITEM: u32 = 35;
/// What is chosen in a menu: an item, one that is on or off, one of several.
pub const MENU_ITEMS: [u32; 4] = [MENU_ITEM, 8, 45, 59];
/// A bar of menus.
pub const MENU_BAR: u32 = 34;
/// The menu roles' numbers, whose subtree lies in windows of its own while it is open.
pub const MENUS: [u32; 2] = [MENU, 41];
/// A sheet of cells that fills a document.
pub const SPREADSHEET: u32 = 92;
/// A frame: the top of an ordinary window.
pub const FRAME: u32 = 23;
/// Roles whose text is their value.
pub const TEXTS: [u32; 11] = [40, 60, 61, 77, 79, 73, 94, 95, 96, 12, CELL];
/// Roles of what holds cells or items, of which many may be: list, table, tree, tree table, list box.
pub const TABLES: [u32; 5] = [31, 55, 65, 66, 98];
/// Roles of headers of columns and rows.
pub const HEADERS: [u32; 4] = [10, 47, 57, 58];
/// What holds two panes, with something between that moves both.
pub const SPLIT_PANE: u32 = 53;
/// A scroll bar.
pub const SCROLL_BAR: u32 = 48;
/// What holds others.
pub const PANEL: u32 = 39;
/// A cell of a table.
pub const CELL: u32 = 56;
/// A tab.
pub const TAB: u32 = 37;
/// A password field.
pub const PASSWORD: u32 = 40;
/// Roles that have a number as their value.
pub const NUMBERS: [u32; 6] = [15, 42, 48, 51, 52, 103];
/// A box that drops a list of options down, of which it takes one.
pub const COMBO_BOX: u32 = 11;
/// Roles that hold options.
pub const CHOICES: [u32; 3] = [COMBO_BOX, 31, 98];
/// Roles of controls that act when the button of the pointer is released on them: check box, push button, radio button,
/// toggle button.
pub const ON_RELEASE: [u32; 4] = [7, 43, 44, 62];
/// Roles of what opens when it is pressed, and may take the release for a choice of what it opened: combo box, menu, menu bar.
pub const ON_PRESS: [u32; 3] = [COMBO_BOX, MENU, MENU_BAR];
/// Roles that are on or off.
pub const SWITCHES: [u32; 5] = [7, 8, 44, 45, 62];

/// The role numbered `number` (AtspiRole of at-spi2-core). Unknown ones are groups.
pub fn role(number: u32) -> Role {
    use Part::{Holder, Item, Maybe, Operable, Text};
    let (word, kind) = match number {
        2 => ("alert", Item),
        5 => ("grid", Holder),
        6 | 18 => ("canvas", Maybe),
        7 => ("checkbox", Operable),
        8 => ("menuitemcheckbox", Operable),
        10 | 57 => ("columnheader", Maybe),
        47 | 58 => ("rowheader", Maybe),
        11 => ("combobox", Operable),
        12 => ("date", Operable),
        13 | 26 => ("icon", Maybe),
        15 => ("slider", Operable),
        16 | 9 | 19 | 22 => ("dialog", Item),
        23 | 69 => ("window", Item),
        27 => ("img", Maybe),
        29 | 81 | 116 => ("text", Text),
        31 | 98 => ("listbox", Maybe),
        32 => ("option", Operable),
        33 => ("menuitem", Operable),
        34 => ("menubar", Holder),
        35 | 59 => ("menuitem", Operable),
        37 => ("tab", Operable),
        38 => ("tablist", Holder),
        40 | 60 | 61 | 77 | 79 => ("textbox", Operable),
        41 => ("menu", Holder),
        42 => ("progressbar", Item),
        43 | 129 => ("button", Operable),
        44 => ("radio", Operable),
        45 => ("menuitemradio", Operable),
        48 => ("scrollbar", Holder),
        50 => ("separator", Holder),
        51 => ("slider", Operable),
        52 => ("spinbutton", Operable),
        54 => ("status", Holder),
        55 | 66 => ("grid", Holder),
        56 => ("gridcell", Maybe),
        62 => ("togglebutton", Operable),
        63 => ("toolbar", Holder),
        64 => ("tooltip", Item),
        65 => ("tree", Holder),
        73 => ("paragraph", Maybe),
        83 => ("heading", Item),
        88 => ("link", Operable),
        90 => ("row", Maybe),
        91 => ("treeitem", Operable),
        82 | 92..=96 => ("document", Maybe),
        101 | 102 => ("alert", Holder),
        103 => ("meter", Item),
        109 => ("article", Holder),
        110 => ("region", Holder),
        _ => ("group", Holder),
    };
    Role { word, kind }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_those_of_aria() {
        let words: Vec<&str> = [43, 79, 61, 7, 44, 35, 33, 11, 37, 56, 29, 9999].map(|n| role(n).word).to_vec();
        assert_eq!(
            words,
            [
                "button", "textbox", "textbox", "checkbox", "radio", "menuitem", "menuitem", "combobox", "tab",
                "gridcell", "text", "group"
            ]
        );
        assert_eq!(role(56).kind.node(false), NodeKind::Item);
        assert_eq!(role(56).kind.node(true), NodeKind::Operable);
    }
}
