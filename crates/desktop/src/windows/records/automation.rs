//! Raw records of UI Automation, and the elements they become.

use crate::roles::{Part, Role};
use crate::windows::records::element::{Element, masked};
use handeye_scene::{EditKind, OptionItem, Rect, State, States};

/// Control types by number, as `UIAutomationClient.h` has them.
pub mod kind {
    /// A push button.
    pub const BUTTON: i32 = 50000;
    /// A check box.
    pub const CHECK_BOX: i32 = 50002;
    /// A field with a list.
    pub const COMBO_BOX: i32 = 50003;
    /// A field of text.
    pub const EDIT: i32 = 50004;
    /// A link.
    pub const HYPERLINK: i32 = 50005;
    /// An item of a list.
    pub const LIST_ITEM: i32 = 50007;
    /// A list.
    pub const LIST: i32 = 50008;
    /// An item of a menu.
    pub const MENU_ITEM: i32 = 50011;
    /// How far something has got.
    pub const PROGRESS_BAR: i32 = 50012;
    /// A radio button.
    pub const RADIO_BUTTON: i32 = 50013;
    /// A slider.
    pub const SLIDER: i32 = 50015;
    /// A field that counts.
    pub const SPINNER: i32 = 50016;
    /// A tab.
    pub const TAB_ITEM: i32 = 50019;
    /// A text.
    pub const TEXT: i32 = 50020;
    /// An item of a tree.
    pub const TREE_ITEM: i32 = 50024;
    /// Something of a program's own.
    pub const CUSTOM: i32 = 50025;
    /// A group.
    pub const GROUP: i32 = 50026;
    /// A row.
    pub const DATA_ITEM: i32 = 50029;
    /// A document.
    pub const DOCUMENT: i32 = 50030;
    /// A button with a list.
    pub const SPLIT_BUTTON: i32 = 50031;
    /// A window.
    pub const WINDOW: i32 = 50032;
    /// A part of a window.
    pub const PANE: i32 = 50033;
}

/// What can be done with an element, besides looking at it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Patterns {
    /// It can be invoked.
    pub invoke: bool,
    /// It can be toggled.
    pub toggle: bool,
    /// It can be chosen.
    pub selection_item: bool,
    /// It opens and closes.
    pub expand_collapse: bool,
    /// It has a text that can be asked for.
    pub value: bool,
    /// It has a number.
    pub range_value: bool,
    /// It has text with ranges.
    pub text: bool,
    /// It can be scrolled into view.
    pub scroll_item: bool,
    /// It scrolls.
    pub scroll: bool,
    /// It is a window.
    pub window: bool,
}

impl Patterns {
    /// Names of those that there are.
    pub fn names(self) -> Vec<&'static str> {
        [
            (self.invoke, "Invoke"),
            (self.toggle, "Toggle"),
            (self.selection_item, "SelectionItem"),
            (self.expand_collapse, "ExpandCollapse"),
            (self.value, "Value"),
            (self.range_value, "RangeValue"),
            (self.text, "Text"),
            (self.scroll_item, "ScrollItem"),
            (self.scroll, "Scroll"),
            (self.window, "Window"),
        ]
        .into_iter()
        .filter_map(|(is, name)| is.then_some(name))
        .collect()
    }
}

/// One element as UI Automation tells of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// Its control type.
    pub kind: i32,
    /// Its name.
    pub name: String,
    /// The id that its program gave it.
    pub automation_id: String,
    /// Its class.
    pub class: String,
    /// What a hint says of it.
    pub help: String,
    /// Where it is on the screen; nothing where it has no place.
    pub rect: Option<Rect>,
    /// Whether it can be operated.
    pub enabled: bool,
    /// Whether it is out of sight.
    pub offscreen: bool,
    /// Whether it has the keyboard.
    pub focused: bool,
    /// Whether it takes the keyboard.
    pub focusable: bool,
    /// Whether it hides what it holds.
    pub password: bool,
    /// What can be done with it.
    pub patterns: Patterns,
    /// Its text.
    pub value: Option<String>,
    /// Whether that can't be set.
    pub read_only: bool,
    /// 0 off, 1 on, 2 between.
    pub toggle: Option<i32>,
    /// 0 closed, 1 open, 2 partly, 3 there is nothing to open.
    pub expanded: Option<i32>,
    /// Where it stands, and between what.
    pub range: Option<(f64, f64, f64)>,
    /// Whether it is chosen.
    pub selected: Option<bool>,
    /// Whether several of its items can be chosen.
    pub multiple: bool,
    /// Whether other windows wait for it.
    pub modal: bool,
    /// What the older interface holds as its value.
    pub legacy_value: Option<String>,
    /// What the older interface does by default.
    pub legacy_action: String,
    /// The items that can be chosen in it.
    pub items: Vec<(String, bool)>,
}

/// What a control type is to an agent. Unknown ones are groups.
pub fn role(kind: i32) -> Role {
    use Part::{Holder, Item, Maybe, Operable, Text};
    let (word, kind) = match kind {
        50000 => ("button", Operable),
        50001 => ("grid", Holder),
        50002 => ("checkbox", Operable),
        50003 => ("combobox", Operable),
        50004 => ("textbox", Operable),
        50005 => ("link", Operable),
        50006 => ("img", Maybe),
        50007 => ("option", Operable),
        50008 => ("listbox", Maybe),
        50009 => ("menu", Holder),
        50010 => ("menubar", Holder),
        50011 => ("menuitem", Operable),
        50012 => ("progressbar", Item),
        50013 => ("radio", Operable),
        50014 => ("scrollbar", Holder),
        50015 => ("slider", Operable),
        50016 => ("spinbutton", Operable),
        50017 => ("status", Item),
        50018 => ("tablist", Holder),
        50019 => ("tab", Operable),
        50020 => ("text", Text),
        50021 => ("toolbar", Holder),
        50022 => ("tooltip", Item),
        50023 => ("tree", Holder),
        50024 => ("treeitem", Operable),
        50025 => ("canvas", Maybe),
        50028 => ("grid", Holder),
        50029 => ("row", Maybe),
        50030 => ("document", Maybe),
        50031 => ("button", Operable),
        50032 => ("window", Item),
        50034 => ("rowgroup", Holder),
        50035 => ("columnheader", Maybe),
        50036 => ("grid", Holder),
        50037 => ("banner", Holder),
        50038 => ("separator", Holder),
        _ => ("group", Holder),
    };
    Role { word, kind }
}

/// How far an element shows what lies in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Within its own rectangle.
    Inside,
    /// Outside of it too, as an item of a tree does.
    Around,
    /// Wherever it opens: a menu, or the list of a field, lies outside of the window even.
    Anywhere,
}

/// How far an element shows what lies in it.
pub fn shows(record: &Record) -> Shows {
    const MENU: [i32; 2] = [50009, 50010];
    match record.kind {
        kind::COMBO_BOX | kind::MENU_ITEM => Shows::Anywhere,
        other if MENU.contains(&other) => Shows::Anywhere,
        kind::PANE | kind::WINDOW | kind::DOCUMENT | kind::LIST => Shows::Inside,
        _ if record.patterns.scroll => Shows::Inside,
        _ => Shows::Around,
    }
}

/// What of an element's own stands for a click, by the pattern that does it.
pub fn activation(record: &Record) -> Option<&'static str> {
    let can = record.patterns;
    match record.kind {
        kind::CHECK_BOX if can.toggle => Some("TogglePattern"),
        kind::RADIO_BUTTON | kind::TAB_ITEM | kind::LIST_ITEM if can.selection_item => Some("SelectionItemPattern"),
        kind::BUTTON | kind::SPLIT_BUTTON | kind::HYPERLINK | kind::MENU_ITEM if can.invoke => Some("InvokePattern"),
        kind::BUTTON if can.toggle => Some("TogglePattern"),
        _ => None,
    }
}

/// A record as an element.
pub fn element(record: &Record) -> Element {
    let what = told_role(record);
    let value = told_value(record);
    let name = record.name.trim().to_owned();
    let empty = what.kind == Part::Text && name.is_empty();
    let name = if empty { value.clone().unwrap_or_default().trim().to_owned() } else { name };
    Element {
        role: what.word,
        part: what.kind,
        active: record.focusable || record.patterns.invoke || record.patterns.selection_item,
        value: if empty { None } else { value },
        title: Some(record.help.trim().to_owned()).filter(|h| !h.is_empty() && *h != name),
        name,
        states: states(record, what),
        rect: record.rect,
        shows: record.rect.is_some() || !record.offscreen,
        enabled: record.enabled,
        edit: edit(record),
        checked: checked(record),
        password: record.password,
        activation: activation(record),
        expands: matches!(record.expanded, Some(0..=2)) && record.patterns.expand_collapse,
        options: record.items.iter().enumerate().map(option).collect(),
        automation_id: Some(record.automation_id.clone()).filter(|id| !id.is_empty()),
        class: record.class.clone(),
        facts: facts(record),
    }
}

fn told_role(record: &Record) -> Role {
    match record.kind {
        kind::BUTTON if record.patterns.toggle => Role { word: "togglebutton", kind: Part::Operable },
        kind::MENU_ITEM if record.patterns.toggle => Role { word: "menuitemcheckbox", kind: Part::Operable },
        // Editors of text call themselves documents.
        kind::DOCUMENT if record.patterns.value && !record.read_only => Role { word: "textbox", kind: Part::Operable },
        kind::DOCUMENT if record.patterns.text && record.class.to_lowercase().contains("edit") => {
            Role { word: "textbox", kind: Part::Operable }
        }
        other => role(other),
    }
}

fn told_value(record: &Record) -> Option<String> {
    if record.password {
        return record.value.as_ref().map(|v| masked(v.chars().count()));
    }
    let number = record.range.map(|(at, ..)| at.to_string());
    let legacy = || record.legacy_value.clone().filter(|_| matches!(record.kind, kind::EDIT | kind::COMBO_BOX));
    let told = record.value.clone().or(number).or_else(legacy)?;
    Some(told.replace("\r\n", "\n").replace('\r', "\n")).filter(|v| !v.is_empty())
}

fn option((index, (label, selected)): (usize, &(String, bool))) -> OptionItem {
    OptionItem { index, label: label.trim().to_owned(), value: label.clone(), selected: *selected, disabled: false }
}

fn edit(record: &Record) -> EditKind {
    let text = matches!(record.kind, kind::EDIT | kind::DOCUMENT) && told_role(record).word == "textbox";
    match record.kind {
        _ if text => EditKind::Text,
        kind::COMBO_BOX | kind::LIST if !record.items.is_empty() => EditKind::Select,
        kind::COMBO_BOX if record.patterns.value && !record.read_only => EditKind::Text,
        kind::SLIDER | kind::SPINNER if record.patterns.range_value => EditKind::Set,
        _ => EditKind::None,
    }
}

fn checked(record: &Record) -> Option<bool> {
    match record.kind {
        kind::RADIO_BUTTON => record.selected,
        _ if record.patterns.toggle => record.toggle.map(|t| t == 1),
        _ => None,
    }
}

fn states(record: &Record, what: Role) -> States {
    use State as S;
    let mut states = States::default();
    let mut add = |state, is: bool| {
        if is {
            states = states.with(state);
        }
    };
    let button = what.word == "togglebutton";
    add(S::Disabled, what.kind != Part::Holder && !record.enabled);
    add(S::Focused, record.focused);
    add(S::Offscreen, record.offscreen);
    add(S::Modal, record.modal);
    add(S::Pressed, button && record.toggle == Some(1));
    add(
        S::Checked,
        !button && (record.toggle == Some(1) || record.kind == kind::RADIO_BUTTON && record.selected == Some(true)),
    );
    add(S::Mixed, record.toggle == Some(2));
    add(S::Selected, record.kind != kind::RADIO_BUTTON && record.selected == Some(true));
    add(S::Expanded, matches!(record.expanded, Some(1 | 2)));
    add(S::Collapsed, record.expanded == Some(0));
    add(S::Haspopup, record.kind == kind::MENU_ITEM && record.patterns.expand_collapse);
    add(S::Readonly, edit(record) == EditKind::Text && record.read_only);
    add(S::Multiple, record.multiple);
    states
}

fn facts(record: &Record) -> Vec<(String, String)> {
    let patterns = record.patterns.names().join(", ");
    let legacy = record.legacy_value.clone().filter(|_| !record.password).unwrap_or_default();
    let told = [
        ("control type", record.kind.to_string()),
        ("patterns", patterns),
        ("legacy value", legacy),
        ("legacy action", record.legacy_action.clone()),
    ];
    told.into_iter().filter(|(_, text)| !text.is_empty()).map(|(what, text)| (what.to_owned(), text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: i32, name: &str) -> Record {
        let rect = Some(Rect::new(-1800.0, 40.0, 80.0, 20.0));
        Record { kind, name: name.into(), enabled: true, focusable: true, rect, ..Record::default() }
    }

    fn shown(record: &Record) -> String {
        crate::windows::records::element::shown(&element(record))
    }

    fn can(set: impl Fn(&mut Patterns)) -> Patterns {
        let mut patterns = Patterns::default();
        set(&mut patterns);
        patterns
    }

    #[test]
    fn what_lies_in_a_pane_shows_in_it_and_what_a_field_drops_down_anywhere() {
        let of = |kind: i32| shows(&record(kind, ""));
        assert_eq!([of(kind::PANE), of(kind::LIST)], [Shows::Inside, Shows::Inside]);
        // An item of a tree has a rectangle of its own row; those in it lie below.
        assert_eq!([of(50024), of(kind::GROUP)], [Shows::Around, Shows::Around]);
        assert_eq!([of(kind::COMBO_BOX), of(50009), of(kind::MENU_ITEM)], [Shows::Anywhere; 3]);
        let patterns = Patterns { scroll: true, ..Patterns::default() };
        assert_eq!(shows(&Record { patterns, ..record(kind::CUSTOM, "") }), Shows::Inside);
    }

    #[test]
    fn every_control_type_of_the_default_list_has_a_role() {
        let words: Vec<&str> = (50000..=50038).map(|n| role(n).word).collect();
        assert_eq!(
            words.join(" "),
            "button grid checkbox combobox textbox link img option listbox menu menubar menuitem progressbar radio \
             scrollbar slider spinbutton status tablist tab text toolbar tooltip tree treeitem canvas group group grid \
             row document button window group rowgroup columnheader grid banner separator"
        );
        assert_eq!(role(59999).word, "group");
    }

    #[test]
    fn records_become_elements() {
        let save = Record { patterns: can(|p| p.invoke = true), ..record(kind::BUTTON, " Save ") };
        assert_eq!(shown(&save), r#"Operable button "Save" None None InvokePattern "#);
        let off = Record { enabled: false, ..save.clone() };
        assert_eq!(shown(&off), r#"Operable button "Save" None None InvokePattern disabled"#);
        let bold = Record { patterns: can(|p| p.toggle = true), toggle: Some(1), ..record(kind::BUTTON, "Bold") };
        assert_eq!(shown(&bold), r#"Operable togglebutton "Bold" None None TogglePattern pressed"#);
        let keep = Record { patterns: can(|p| p.toggle = true), toggle: Some(2), ..record(kind::CHECK_BOX, "Keep") };
        assert_eq!(shown(&keep), r#"Operable checkbox "Keep" None None TogglePattern mixed"#);
        assert_eq!(element(&keep).checked, Some(false));
        let a4 = Record {
            patterns: can(|p| p.selection_item = true),
            selected: Some(true),
            ..record(kind::RADIO_BUTTON, "A4")
        };
        assert_eq!(shown(&a4), r#"Operable radio "A4" None None SelectionItemPattern checked"#);
        let name = Record {
            patterns: can(|p| p.value = true),
            value: Some("王\r\n小明".into()),
            focused: true,
            ..record(kind::EDIT, "Name")
        };
        assert_eq!(shown(&name), "Operable textbox \"Name\" Some(\"王\\n小明\") Text - focused");
        let fixed = Record { read_only: true, ..name.clone() };
        assert!(shown(&fixed).ends_with("Text - readonly focused"), "{}", shown(&fixed));
        let secret = Record { password: true, value: Some("abc".into()), ..name };
        assert!(shown(&secret).contains("•••"), "{}", shown(&secret));
        assert_eq!(shown(&record(kind::TEXT, "Ready")), r#"Text text "Ready" None None - "#);
        assert_eq!(shown(&record(kind::PANE, "Pane")), "nothing");
        let page = Record {
            patterns: can(|p| p.value = true),
            value: Some("x".into()),
            ..record(kind::DOCUMENT, "Text Editor")
        };
        assert_eq!(shown(&page), r#"Operable textbox "Text Editor" Some("x") Text - "#);
    }

    #[test]
    fn what_opens_ranges_and_lists_keep_their_states() {
        let size = Record {
            patterns: can(|p| (p.expand_collapse, p.value) = (true, true)),
            expanded: Some(0),
            value: Some("Large".into()),
            items: vec![("Small".into(), false), ("Large".into(), true)],
            ..record(kind::COMBO_BOX, "Size")
        };
        assert_eq!(shown(&size), r#"Operable combobox "Size" Some("Large") Select - collapsed"#);
        assert!(element(&size).expands);
        let leaf = Record {
            expanded: Some(3),
            patterns: can(|p| p.expand_collapse = true),
            ..record(kind::TREE_ITEM, "leaf")
        };
        assert!(!element(&leaf).expands);
        assert_eq!(shown(&leaf), r#"Operable treeitem "leaf" None None - "#);
        let level = Record {
            patterns: can(|p| p.range_value = true),
            range: Some((40.0, 0.0, 100.0)),
            ..record(kind::SLIDER, "Level")
        };
        assert_eq!(shown(&level), r#"Operable slider "Level" Some("40") Set - "#);
        let told: Vec<(String, String)> = element(&size).facts;
        assert!(told.contains(&("patterns".into(), "ExpandCollapse, Value".into())), "{told:?}");
    }

    #[test]
    fn what_has_no_place_is_not_shown() {
        let gone = Record { rect: None, offscreen: true, ..record(kind::BUTTON, "Hidden") };
        assert!(!element(&gone).shows);
        let far = Record { offscreen: true, ..record(kind::BUTTON, "Below") };
        assert!(element(&far).shows && element(&far).states.has(State::Offscreen));
    }
}
