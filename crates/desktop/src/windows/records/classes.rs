//! Window classes and styles of Win32's own controls as ARIA roles.

use crate::roles::{Part, Role};

/// A family of controls that share messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Push buttons, check boxes, radio buttons, group boxes.
    Button,
    /// Fields of text, rich ones included.
    Edit,
    /// Fields with a list that drops down.
    Combo,
    /// Lists.
    List,
    /// Labels and pictures.
    Static,
    /// Texts with links.
    Link,
    /// Sliders.
    Track,
    /// Pairs of arrows that count up and down.
    UpDown,
    /// How far something has got.
    Progress,
    /// Lines that tell a state.
    Status,
    /// Scroll bars.
    ScrollBar,
    /// Open menus.
    Menu,
    /// Dialogs.
    Dialog,
    /// Hints.
    Hint,
    /// Lists of rows.
    Rows,
    /// What stands above the columns of one.
    Headings,
    /// Trees.
    Tree,
    /// Tabs.
    Tabs,
    /// Tool bars.
    Tools,
    /// What frames put around a control: it is none itself.
    Frame,
    /// Anything else.
    Other,
}

/// Bits of styles.
pub mod style {
    /// Can't be operated.
    pub const DISABLED: u32 = 0x0800_0000;
    /// Minimised.
    pub const MINIMISED: u32 = 0x2000_0000;
    /// Shown, if what it lies in is.
    pub const VISIBLE: u32 = 0x1000_0000;
    /// The Tab key stops there.
    pub const TAB_STOP: u32 = 0x0001_0000;
    /// Kind of a button.
    pub const BUTTON_KIND: u32 = 0xf;
    /// A check box or radio button that looks like a push button.
    pub const PUSH_LIKE: u32 = 0x1000;
    /// The field hides what it holds.
    pub const PASSWORD: u32 = 0x20;
    /// The field can't be edited.
    pub const READ_ONLY: u32 = 0x800;
    /// The field takes several lines.
    pub const MULTI_LINE: u32 = 0x4;
    /// Kind of a combo box.
    pub const COMBO_KIND: u32 = 0x3;
    /// A combo box whose field can't be typed into.
    pub const COMBO_LIST: u32 = 0x3;
    /// A combo box whose list is always shown.
    pub const COMBO_SIMPLE: u32 = 0x1;
    /// A combo box that draws its items itself.
    pub const COMBO_DRAWN: u32 = 0x30;
    /// It keeps their texts all the same.
    pub const COMBO_STRINGS: u32 = 0x200;
    /// A list that draws its items itself.
    pub const LIST_DRAWN: u32 = 0x30;
    /// It keeps their texts all the same.
    pub const LIST_STRINGS: u32 = 0x40;
    /// A list that takes several choices.
    pub const LIST_MULTIPLE: u32 = 0x808;
    /// A list that can't be chosen from.
    pub const LIST_NO_CHOICE: u32 = 0x4000;
    /// Kind of a static control.
    pub const STATIC_KIND: u32 = 0x1f;
    /// A window that stays out of the task bar.
    pub const EX_TOOL: u32 = 0x80;
    /// One that is in it all the same.
    pub const EX_APP: u32 = 0x4_0000;
    /// One that never takes the keyboard.
    pub const EX_NO_ACTIVATE: u32 = 0x0800_0000;
}

/// Classes by their own names. What frameworks put around them is taken off first.
const FAMILIES: &[(&str, Family)] = &[
    ("button", Family::Button),
    ("edit", Family::Edit),
    ("richedit", Family::Edit),
    ("richedit20a", Family::Edit),
    ("richedit20w", Family::Edit),
    ("richedit50w", Family::Edit),
    ("richeditd2dpt", Family::Edit),
    ("combobox", Family::Combo),
    ("listbox", Family::List),
    ("combolbox", Family::List),
    ("static", Family::Static),
    ("syslink", Family::Link),
    ("msctls_trackbar32", Family::Track),
    ("msctls_updown32", Family::UpDown),
    ("msctls_progress32", Family::Progress),
    ("msctls_statusbar32", Family::Status),
    ("scrollbar", Family::ScrollBar),
    ("#32768", Family::Menu),
    ("#32770", Family::Dialog),
    ("tooltips_class32", Family::Hint),
    ("syslistview32", Family::Rows),
    ("sysheader32", Family::Headings),
    ("systreeview32", Family::Tree),
    ("systabcontrol32", Family::Tabs),
    ("toolbarwindow32", Family::Tools),
    ("comboboxex32", Family::Frame),
    ("rebarwindow32", Family::Frame),
];

/// The family of a class, such as `Edit`, `WindowsForms10.EDIT.app.0.378734a` or `TEdit`.
pub fn family(class: &str) -> Family {
    let lower = class.to_lowercase();
    let bare = match lower.strip_prefix("windowsforms10.") {
        Some(rest) => rest.split(".app.").next().unwrap_or(rest),
        None => &lower,
    };
    let known = |name: &str| FAMILIES.iter().find(|(class, _)| *class == name).map(|(_, family)| *family);
    known(bare).or_else(|| known(bare.strip_prefix('t')?)).unwrap_or(Family::Other)
}

/// What a window of this class and style is to an agent.
pub fn role(class: &str, bits: u32) -> Role {
    use Part::{Holder, Item, Maybe, Operable, Text};
    let (word, kind) = match family(class) {
        Family::Button => return button(bits),
        Family::Edit => ("textbox", Operable),
        Family::Combo => ("combobox", Operable),
        Family::List => ("listbox", Maybe),
        Family::Static => match bits & style::STATIC_KIND {
            0 | 1 | 2 | 0xb | 0xc => ("text", Text),
            3 | 0xd | 0xe | 0xf => ("img", Item),
            _ => ("separator", Holder),
        },
        Family::Link => ("link", Operable),
        Family::Track => ("slider", Operable),
        Family::UpDown => ("spinbutton", Operable),
        Family::Progress => ("progressbar", Item),
        Family::Status => ("status", Item),
        Family::ScrollBar => ("scrollbar", Holder),
        Family::Menu => ("menu", Holder),
        Family::Dialog => ("dialog", Item),
        Family::Hint => ("tooltip", Item),
        Family::Rows => ("grid", Maybe),
        Family::Tree => ("tree", Maybe),
        Family::Tabs => ("tablist", Maybe),
        Family::Tools => ("toolbar", Holder),
        Family::Headings => ("rowgroup", Holder),
        Family::Other if bits & style::TAB_STOP != 0 => ("canvas", Maybe),
        Family::Other | Family::Frame => ("group", Holder),
    };
    Role { word, kind }
}

fn button(bits: u32) -> Role {
    let (word, kind) = match bits & style::BUTTON_KIND {
        2 | 3 | 5 | 6 if bits & style::PUSH_LIKE != 0 => ("togglebutton", Part::Operable),
        2 | 3 | 5 | 6 => ("checkbox", Part::Operable),
        4 | 9 => ("radio", Part::Operable),
        7 => ("group", Part::Item),
        _ => ("button", Part::Operable),
    };
    Role { word, kind }
}

/// A label without what marks its access key: `&Save`, `保存(&S)`, `Fish && Chips`; and without the keys that do the same.
pub fn plain(label: &str) -> String {
    let label = label.split('\t').next().unwrap_or_default();
    let mut out = String::with_capacity(label.len());
    let mut rest = label.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('&', Some('&')) => {
                rest.next();
                out.push('&');
            }
            ('&', Some(_)) => {}
            // In East Asian labels the key stands behind, in brackets of its own.
            ('(', Some('&')) => {
                let ahead: Vec<char> = rest.clone().take(3).collect();
                if let ['&', key, ')'] = ahead[..]
                    && key != '&'
                {
                    for _ in 0..3 {
                        rest.next();
                    }
                } else {
                    out.push('(');
                }
            }
            _ => out.push(c),
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_known_whatever_framework_made_them() {
        let families: Vec<Family> =
            ["Button", "WindowsForms10.EDIT.app.0.378734a", "TEdit", "RICHEDIT50W", "ComboLBox", "#32770", "Scintilla"]
                .map(family)
                .to_vec();
        use Family::{Button, Dialog, Edit, List, Other};
        assert_eq!(families, [Button, Edit, Edit, Edit, List, Dialog, Other]);
    }

    #[test]
    fn roles_are_those_of_class_and_style() {
        let words = |class: &str, bits: &[u32]| bits.iter().map(|b| role(class, *b).word).collect::<Vec<_>>().join(" ");
        assert_eq!(
            words("Button", &[0, 1, 2, 3, 4, 5, 7, 9, 3 | style::PUSH_LIKE]),
            "button button checkbox checkbox radio checkbox group radio togglebutton"
        );
        assert_eq!(words("Static", &[0, 3, 0x10]), "text img separator");
        assert_eq!(words("MyPad", &[0, style::TAB_STOP]), "group canvas");
        assert_eq!(words("ComboBox", &[3]), "combobox");
    }

    #[test]
    fn labels_lose_their_access_keys() {
        let plained =
            ["&Save", "Save &As...\tCtrl+Shift+S", "保存(&S)", "Fish && Chips", "A (&B C)", "x &", " &"].map(plain);
        assert_eq!(plained, ["Save", "Save As...", "保存", "Fish & Chips", "A (B C)", "x &", "&"]);
    }
}
