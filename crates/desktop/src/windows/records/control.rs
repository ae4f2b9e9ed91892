//! Raw records of Win32's windows, their items and menus, and the elements they become.

use crate::roles::{Part, Role};
use crate::windows::records::classes::{Family, family, plain, role, style};
use crate::windows::records::element::{Element, masked};
use handeye_scene::{EditKind, OptionItem, Rect, State, States};

/// One item of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// What it says.
    pub text: String,
    /// Whether it is chosen.
    pub chosen: bool,
}

/// What only some controls tell.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Detail {
    /// Nothing more.
    #[default]
    Plain,
    /// A check box or radio button: 0 off, 1 on, 2 between.
    Check(u32),
    /// A field that hides what it holds: how many characters.
    Hidden(usize),
    /// What can be chosen in it, and whether its list is dropped down.
    Choices(Vec<Entry>, bool),
    /// Where it stands between two ends.
    Range(i32, i32, i32),
    /// An item of a list, and whether it is chosen.
    Item(bool),
    /// An item of a menu.
    MenuItem(MenuItem),
    /// A part of a compound control: a row, a tab, an item of a tree.
    Part(PartOf),
}

/// What is told of a part of a compound control.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartOf {
    /// Its ARIA role.
    pub role: &'static str,
    /// Whether it is chosen.
    pub chosen: bool,
    /// Whether it is open; nothing where it holds none.
    pub open: Option<bool>,
    /// Whether it is pressed; nothing where it doesn't stay so.
    pub pressed: Option<bool>,
    /// The message that stands for a click.
    pub activation: Option<&'static str>,
    /// Row and column, counted from 1.
    pub place: Option<(u32, u32)>,
}

impl PartOf {
    /// One of this role, of which nothing more is told.
    pub fn of(role: &'static str) -> Self {
        Self { role, ..Self::default() }
    }
}

/// What is told of an item of a menu.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MenuItem {
    /// Whether it opens another menu.
    pub opens: bool,
    /// Whether it has a tick.
    pub ticked: bool,
    /// Whether the tick is a dot: one of several.
    pub radio: bool,
    /// Whether it is the one that Enter would choose.
    pub lit: bool,
}

/// One window, item or menu's item as the system tells of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Control {
    /// Its class; of an item, the class of what holds it.
    pub class: String,
    /// Its style.
    pub style: u32,
    /// The id that its program gave it.
    pub id: i32,
    /// Its text.
    pub text: String,
    /// The text of the label before it.
    pub label: String,
    /// Whether it and all it lies in are shown.
    pub shows: bool,
    /// Whether it and its window take input.
    pub enabled: bool,
    /// Whether it has the keyboard.
    pub focused: bool,
    /// Whether it is a top-level window.
    pub top: bool,
    /// Whether other controls lie in it.
    pub holds: bool,
    /// Whether it keeps the window that it belongs to from being used.
    pub modal: bool,
    /// Where it is on the screen.
    pub rect: Option<Rect>,
    /// What only some tell.
    pub detail: Detail,
}

/// Message that stands for a click on a button.
pub const CLICK: &str = "BM_CLICK";
/// Messages that choose an item of a list.
pub const CHOOSE: &str = "LB_SETCURSEL";

/// Whether a list's items have texts that can be asked for.
pub fn keeps_texts(class: &str, bits: u32) -> bool {
    match family(class) {
        Family::Combo => bits & style::COMBO_DRAWN == 0 || bits & style::COMBO_STRINGS != 0,
        Family::List => bits & style::LIST_DRAWN == 0 || bits & style::LIST_STRINGS != 0,
        _ => false,
    }
}

/// Whether one label may say what a control is for.
pub fn wants_label(class: &str) -> bool {
    use Family::{Combo, Edit, Frame, List, Progress, Rows, Track, Tree, UpDown};
    matches!(family(class), Edit | Combo | Frame | List | Rows | Tree | Track | UpDown | Progress)
}

/// Whether what names such a control is the label before it, whatever it holds.
pub fn is_named_by_label(class: &str) -> bool {
    matches!(family(class), Family::Edit | Family::Combo | Family::List | Family::Rows | Family::Tree)
}

/// Whether it is a label.
pub fn is_label(control: &Control) -> bool {
    family(&control.class) == Family::Static && role(&control.class, control.style).part_is_text()
}

impl Role {
    fn part_is_text(self) -> bool {
        self.kind == Part::Text
    }
}

/// The text of the label that stands before a control: the sibling just before it, else one at its left or above it.
pub fn label_of(at: usize, siblings: &[Control]) -> &str {
    const NEAR: f64 = 160.0;
    let before = at.checked_sub(1).and_then(|i| siblings.get(i));
    if let Some(label) = before.filter(|c| is_label(c) && c.shows && !c.text.trim().is_empty()) {
        return &label.text;
    }
    let Some(own) = siblings.get(at).and_then(|c| c.rect) else { return "" };
    let gap = |label: &Control| {
        let rect = label.rect?;
        let level = rect.y < own.y + own.height && own.y < rect.y + rect.height;
        let aligned = rect.x < own.x + own.width && own.x < rect.x + rect.width;
        let left = own.x - (rect.x + rect.width);
        let above = own.y - (rect.y + rect.height);
        match (level, aligned) {
            (true, _) if (-2.0..NEAR).contains(&left) => Some(left),
            (_, true) if (-2.0..24.0).contains(&above) => Some(above + 1.0),
            _ => None,
        }
    };
    // A label that stands right before another control is that one's.
    let taken = |i: usize| siblings.get(i + 1).is_some_and(|next| i + 1 != at && wants_label(&next.class));
    let labels = siblings.iter().enumerate().filter(|(i, c)| is_label(c) && c.shows && !taken(*i));
    let nearest = labels.filter_map(|(_, c)| Some((gap(c)?, c))).min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map_or("", |(_, c)| c.text.as_str())
}

/// A control as an element.
pub fn element(control: &Control) -> Element {
    let what = told_role(control);
    let text = plain(&control.text);
    let label = plain(&control.label).trim_end_matches([':', '：', ' ']).to_owned();
    let operable = what.kind != Part::Holder && what.kind != Part::Text;
    let (name, value) = match family(&control.class) {
        _ if matches!(control.detail, Detail::Item(_) | Detail::Part(_)) => (control.text.trim().to_owned(), None),
        Family::Edit => (label, Some(held(control))),
        Family::Combo => (label, Some(control.text.clone())),
        Family::Track | Family::UpDown | Family::Progress => (first(label, text), number(control)),
        Family::List | Family::Rows | Family::Tree | Family::Tabs => (label, None),
        _ => (text, None),
    };
    Element {
        role: what.word,
        part: what.kind,
        active: active(control),
        name,
        value: value.filter(|v| !v.is_empty()),
        states: states(control, what),
        rect: control.rect,
        shows: control.shows,
        enabled: control.enabled,
        edit: edit(control),
        checked: checked(control, what),
        password: matches!(control.detail, Detail::Hidden(_)),
        activation: if operable { activation(control, what) } else { None },
        expands: expands(control),
        options: options(control),
        automation_id: (control.id > 0 && !control.top && !matches!(control.detail, Detail::Part(_)))
            .then(|| control.id.to_string()),
        class: control.class.clone(),
        facts: place_facts(control),
        ..Element::default()
    }
}

fn place_facts(control: &Control) -> Vec<(String, String)> {
    let Detail::Part(PartOf { place: Some((row, column)), .. }) = control.detail else { return Vec::new() };
    vec![("row".to_owned(), row.to_string()), ("column".to_owned(), column.to_string())]
}

fn expands(control: &Control) -> bool {
    match &control.detail {
        Detail::Part(part) => part.open.is_some(),
        _ => family(&control.class) == Family::Combo && control.style & style::COMBO_KIND != style::COMBO_SIMPLE,
    }
}

fn told_role(control: &Control) -> Role {
    match &control.detail {
        Detail::Item(_) => Role { word: "option", kind: Part::Operable },
        Detail::Part(part) => {
            let kind = match part.role {
                "text" => Part::Text,
                "cell" => Part::Item,
                _ => Part::Operable,
            };
            Role { word: part.role, kind }
        }
        Detail::MenuItem(item) => {
            let word = match (item.ticked, item.radio) {
                (true, true) => "menuitemradio",
                (true, false) => "menuitemcheckbox",
                _ => "menuitem",
            };
            Role { word, kind: Part::Operable }
        }
        _ if control.top && family(&control.class) != Family::Dialog && family(&control.class) != Family::Menu => {
            Role { word: "window", kind: Part::Item }
        }
        // What holds others is no place to act on by itself.
        _ if control.holds => role(&control.class, control.style & !style::TAB_STOP),
        _ => role(&control.class, control.style),
    }
}

fn first(one: String, other: String) -> String {
    if one.is_empty() { other } else { one }
}

/// What a field holds, with one character for the end of a line.
fn held(control: &Control) -> String {
    match control.detail {
        Detail::Hidden(count) => masked(count),
        _ => control.text.replace("\r\n", "\n"),
    }
}

fn number(control: &Control) -> Option<String> {
    match control.detail {
        Detail::Range(at, ..) => Some(at.to_string()),
        _ => None,
    }
}

fn active(control: &Control) -> bool {
    control.enabled
        && match family(&control.class) {
            Family::List => control.style & style::LIST_NO_CHOICE == 0,
            Family::Rows | Family::Tree | Family::Tabs => true,
            _ => control.style & style::TAB_STOP != 0,
        }
}

fn edit(control: &Control) -> EditKind {
    match (&control.detail, family(&control.class)) {
        (Detail::Item(_) | Detail::MenuItem(_) | Detail::Part(_), _) => EditKind::None,
        (_, Family::Edit) => EditKind::Text,
        (_, Family::Combo | Family::List) if matches!(control.detail, Detail::Choices(..)) => EditKind::Select,
        (Detail::Range(..), Family::Track | Family::UpDown) => EditKind::Set,
        _ => EditKind::None,
    }
}

fn checked(control: &Control, what: Role) -> Option<bool> {
    match &control.detail {
        Detail::Check(mark) if matches!(what.word, "checkbox" | "radio" | "togglebutton") => Some(*mark == 1),
        Detail::MenuItem(item) if item.ticked => Some(true),
        _ => None,
    }
}

fn activation(control: &Control, what: Role) -> Option<&'static str> {
    match (&control.detail, what.word) {
        (Detail::Item(_), _) => Some(CHOOSE),
        (Detail::Part(part), _) => part.activation,
        (Detail::MenuItem(_), _) => None,
        (_, "button" | "checkbox" | "radio" | "togglebutton") if family(&control.class) == Family::Button => {
            Some(CLICK)
        }
        _ => None,
    }
}

fn options(control: &Control) -> Vec<OptionItem> {
    let Detail::Choices(entries, _) = &control.detail else { return Vec::new() };
    let option = |(index, entry): (usize, &Entry)| OptionItem {
        index,
        label: entry.text.trim().to_owned(),
        value: entry.text.clone(),
        selected: entry.chosen,
        disabled: false,
    };
    entries.iter().enumerate().map(option).collect()
}

fn states(control: &Control, what: Role) -> States {
    use State as S;
    let mut states = States::default();
    let mut add = |state, is: bool| {
        if is {
            states = states.with(state);
        }
    };
    let kind = family(&control.class);
    let item = matches!(control.detail, Detail::Item(_) | Detail::MenuItem(_) | Detail::Part(_));
    add(S::Disabled, what.kind != Part::Holder && !control.enabled);
    add(S::Focused, control.focused);
    add(S::Modal, control.modal);
    match &control.detail {
        Detail::Check(1) if what.word == "togglebutton" => add(S::Pressed, true),
        Detail::Check(1) => add(S::Checked, true),
        Detail::Check(2) => add(S::Mixed, true),
        Detail::Item(chosen) => add(S::Selected, *chosen),
        Detail::Part(part) => {
            add(S::Selected, part.chosen);
            add(S::Pressed, part.pressed == Some(true));
            add(S::Expanded, part.open == Some(true));
            add(S::Collapsed, part.open == Some(false));
        }
        Detail::MenuItem(told) => {
            add(S::Haspopup, told.opens);
            add(S::Checked, told.ticked);
        }
        Detail::Choices(_, open) if kind == Family::Combo => {
            let drops = control.style & style::COMBO_KIND != style::COMBO_SIMPLE;
            add(S::Expanded, drops && *open);
            add(S::Collapsed, drops && !*open);
        }
        _ => {}
    }
    add(S::Readonly, !item && kind == Family::Edit && control.style & style::READ_ONLY != 0);
    add(S::Multiple, !item && kind == Family::List && control.style & style::LIST_MULTIPLE != 0);
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(class: &str, bits: u32, text: &str) -> Control {
        Control {
            class: class.into(),
            style: bits | style::TAB_STOP,
            text: text.into(),
            shows: true,
            enabled: true,
            rect: Some(Rect::new(10.0, 10.0, 80.0, 20.0)),
            ..Control::default()
        }
    }

    fn shown(control: &Control) -> String {
        crate::windows::records::element::shown(&element(control))
    }

    #[test]
    fn records_become_elements() {
        assert_eq!(shown(&control("Button", 0, "&Approve")), r#"Operable button "Approve" None None BM_CLICK "#);
        let off = Control { enabled: false, ..control("Button", 0, "Approve") };
        assert_eq!(shown(&off), r#"Operable button "Approve" None None BM_CLICK disabled"#);
        let keep = Control { detail: Detail::Check(1), ..control("Button", 3, "Keep a &copy") };
        assert_eq!(shown(&keep), r#"Operable checkbox "Keep a copy" None None BM_CLICK checked"#);
        assert_eq!(element(&keep).checked, Some(true));
        let between = Control { detail: Detail::Check(2), ..control("Button", 6, "All") };
        assert_eq!(shown(&between), r#"Operable checkbox "All" None None BM_CLICK mixed"#);
        let name = Control { label: "&Name:".into(), focused: true, ..control("Edit", 0, "王\r\n小明") };
        assert_eq!(shown(&name), "Operable textbox \"Name\" Some(\"王\\n小明\") Text - focused");
        let fixed = Control { style: style::READ_ONLY, ..control("Edit", 0, "as is") };
        assert_eq!(shown(&fixed), r#"Operable textbox "" Some("as is") Text - readonly"#);
        let secret = Control { detail: Detail::Hidden(3), ..control("Edit", style::PASSWORD, "") };
        assert_eq!(shown(&secret), r#"Operable textbox "" Some("•••") Text - "#);
        assert_eq!(shown(&control("Static", 0, "Ready")), r#"Text text "Ready" None None - "#);
        assert_eq!(shown(&control("Static", 0x10, "")), "nothing");
        assert_eq!(shown(&control("Afx:400", 0, "")), r#"Operable canvas "" None None - "#);
        let inner = Control { style: 0, ..control("Afx:400", 0, "") };
        assert_eq!(shown(&inner), "nothing");
        let around = Control { holds: true, ..control("SHELLDLL_DefView", 0, "") };
        assert_eq!(shown(&around), "nothing");
        let top = Control { top: true, ..control("Notepad", 0, "Untitled") };
        assert_eq!(shown(&top), r#"Item window "Untitled" None None - "#);
    }

    #[test]
    fn parts_of_compound_controls_are_told_by_their_kind() {
        let part = |class: &str, text: &str, part| Control { detail: Detail::Part(part), ..control(class, 0, text) };
        let chosen =
            PartOf { chosen: true, activation: Some("LVM_SETITEMSTATE"), place: Some((2, 1)), ..PartOf::of("row") };
        let row = part("SysListView32", "读我.txt & co", chosen);
        assert_eq!(shown(&row), r#"Operable row "读我.txt & co" None None LVM_SETITEMSTATE selected"#);
        assert_eq!(element(&row).facts, [("row".into(), "2".into()), ("column".into(), "1".into())]);
        let cell = part("SysListView32", "12 KB", PartOf { place: Some((2, 2)), ..PartOf::of("cell") });
        assert_eq!(shown(&cell), r#"Item cell "12 KB" None None - "#);
        let open = PartOf { open: Some(false), activation: Some("TVM_SELECTITEM"), ..PartOf::of("treeitem") };
        let branch = part("SysTreeView32", "Work", open);
        assert_eq!(shown(&branch), r#"Operable treeitem "Work" None None TVM_SELECTITEM collapsed"#);
        assert!(element(&branch).expands);
        let bold = part("ToolbarWindow32", "Bold", PartOf { pressed: Some(true), ..PartOf::of("togglebutton") });
        assert_eq!(shown(&bold), r#"Operable togglebutton "Bold" None None - pressed"#);
        assert_eq!(shown(&part("msctls_statusbar32", "Ln 1", PartOf::of("text"))), r#"Text text "Ln 1" None None - "#);
    }

    #[test]
    fn lists_hold_options_and_items_can_be_chosen() {
        let entries = ["Small", "Large"].map(|t| Entry { text: t.into(), chosen: t == "Large" }).to_vec();
        let size = Control {
            label: "Size:".into(),
            detail: Detail::Choices(entries, false),
            ..control("ComboBox", style::COMBO_LIST, "Large")
        };
        assert_eq!(shown(&size), r#"Operable combobox "Size" Some("Large") Select - collapsed"#);
        let options: Vec<(String, bool)> = element(&size).options.into_iter().map(|o| (o.label, o.selected)).collect();
        assert_eq!(options, [("Small".into(), false), ("Large".into(), true)]);
        let row = Control { detail: Detail::Item(true), ..control("ListBox", 0, "row & 2") };
        assert_eq!(shown(&row), r#"Operable option "row & 2" None None LB_SETCURSEL selected"#);
        let item = MenuItem { ticked: true, ..MenuItem::default() };
        let wrap = Control { detail: Detail::MenuItem(item), ..control("#32768", 0, "&Word wrap\tF5") };
        assert_eq!(shown(&wrap), r#"Operable menuitemcheckbox "Word wrap" None None - checked"#);
    }

    #[test]
    fn a_label_belongs_to_what_follows_it() {
        let at = |c: Control, x: f64, y: f64| Control { rect: Some(Rect::new(x, y, 80.0, 20.0)), ..c };
        let rows = [
            at(control("Static", 0, "First:"), 0.0, 0.0),
            at(control("Edit", 0, ""), 100.0, 0.0),
            at(control("Edit", 0, ""), 100.0, 60.0),
            at(control("Button", 0, "Go"), 300.0, 60.0),
            at(control("Static", 0, "Second:"), 0.0, 60.0),
            at(control("Button", 0, "Stop"), 0.0, 300.0),
        ];
        assert_eq!(label_of(1, &rows), "First:");
        assert_eq!(label_of(2, &rows), "Second:", "by its place, though another control stands before it");
        assert_eq!(label_of(0, &rows[1..]), "", "a label far below is another one's");
    }

    #[test]
    fn owner_drawn_lists_have_no_texts() {
        assert!(keeps_texts("ListBox", 0));
        assert!(!keeps_texts("ListBox", 0x10));
        assert!(keeps_texts("ListBox", 0x10 | style::LIST_STRINGS));
        assert!(!keeps_texts("ComboBox", 0x20));
        assert!(!keeps_texts("Button", 0));
    }
}
