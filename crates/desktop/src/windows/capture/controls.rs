//! Win32's own controls, as the system and their programs tell of them by messages.

use crate::windows::calls::{self, Fault};
use crate::windows::records::classes::{Family, family, style};
use crate::windows::records::control::{Control, Detail, Entry, is_label, keeps_texts, label_of, wants_label};
use crate::windows::records::window_list::{Handle, Seen};

/// Items of one list that are listed.
pub(crate) const ITEMS: usize = 200;
/// Characters of one text that are read with the rest.
pub(crate) const TEXT: usize = 20_000;

/// What must stay so for a handle to mean the same control.
pub(crate) fn check(told: &calls::Traits) -> String {
    let parent = told.parent.unwrap_or_default();
    format!("{} {} {} {} {parent}", told.class, told.id, told.pid, told.thread)
}

pub(crate) fn is_own(window: &Seen, told: &calls::Traits) -> bool {
    told.thread == window.thread || told.pid == window.pid
}

/// A control as the system tells of it, its program not asked yet.
pub(crate) fn bare(window: &Seen, of: Handle, told: &calls::Traits) -> Control {
    Control {
        class: told.class.clone(),
        style: told.style,
        id: told.id,
        shows: told.shows,
        enabled: told.enabled && window.enabled,
        top: of == window.handle,
        rect: Some(told.rect),
        ..Control::default()
    }
}

/// Asks a control's program for the rest.
pub(crate) fn fill(control: &mut Control, of: Handle) -> Result<(), Fault> {
    let kind = family(&control.class);
    let hides = kind == Family::Edit && control.style & style::PASSWORD != 0;
    if hides {
        control.detail = Detail::Hidden(calls::text_length(of)?);
        return Ok(());
    }
    if kind != Family::List {
        control.text = calls::text(of, TEXT)?;
    }
    control.detail = match kind {
        Family::Button if matches!(control.style & style::BUTTON_KIND, 2..=6 | 9) => {
            Detail::Check(calls::check_mark(of)?)
        }
        Family::Combo if keeps_texts(&control.class, control.style) => {
            let (entries, _) = calls::entries(of, true, false, ITEMS)?;
            if control.style & style::COMBO_KIND == style::COMBO_LIST {
                control.text = entries.iter().find(|e| e.chosen).map(|e| e.text.clone()).unwrap_or_default();
            }
            Detail::Choices(entries, calls::is_dropped(of)?)
        }
        Family::List if keeps_texts(&control.class, control.style) => {
            let multiple = control.style & style::LIST_MULTIPLE != 0;
            let (entries, _) = calls::entries(of, false, multiple, ITEMS)?;
            Detail::Choices(entries, false)
        }
        Family::Track | Family::UpDown | Family::Progress => match calls::range(of, &control.class)? {
            Some((at, low, high)) => Detail::Range(at, low, high),
            None => Detail::Plain,
        },
        _ => Detail::Plain,
    };
    Ok(())
}

/// The text of the label before a control. What lies in a combo box, or in what frames one, has that one's label if none of its own.
pub(crate) fn label(window: &Seen, of: Handle, told: &calls::Traits) -> String {
    let Some(parent) = told.parent.filter(|_| wants_label(&told.class)) else { return String::new() };
    let around = calls::siblings(parent).into_iter().filter_map(|h| Some((h, calls::traits(h)?)));
    let siblings: Vec<(Handle, Control)> =
        around.filter(|(_, t)| t.shows).map(|(h, t)| (h, captioned(window, h, &t))).collect();
    let controls: Vec<Control> = siblings.iter().map(|(_, control)| control.clone()).collect();
    let at = siblings.iter().position(|(h, _)| *h == of);
    let own = at.map_or_else(String::new, |at| label_of(at, &controls).to_owned());
    if !own.is_empty() {
        return own;
    }
    let holder = calls::traits(parent).filter(|t| lends_label(&t.class));
    holder.map_or_else(String::new, |around| label(window, parent, &around))
}

/// Whether what lies in such a control has its label.
pub(crate) fn lends_label(class: &str) -> bool {
    matches!(family(class), Family::Combo | Family::Frame)
}

/// A control with its text, if it may be a label: as the system keeps it, so that no program is asked.
pub(crate) fn captioned(window: &Seen, of: Handle, told: &calls::Traits) -> Control {
    let mut control = bare(window, of, told);
    if is_label(&control) {
        control.text = calls::caption(of);
    }
    control
}

pub(crate) fn item(list: &Control, of: Handle, index: usize, entry: &Entry) -> Result<Control, Fault> {
    Ok(Control {
        text: entry.text.clone(),
        rect: calls::entry_rect(of, index)?,
        focused: false,
        top: false,
        detail: Detail::Item(entry.chosen),
        ..list.clone()
    })
}

pub(crate) fn menu_item(window: &Seen, told: calls::Told) -> Control {
    Control {
        class: window.class.clone(),
        text: told.text,
        shows: true,
        enabled: told.enabled && window.enabled,
        focused: told.item.lit && window.popup,
        rect: told.rect,
        detail: Detail::MenuItem(told.item),
        ..Control::default()
    }
}

/// The items of a window's bar, or of an open menu.
pub(crate) fn menu_items(window: &Seen) -> Result<Vec<calls::Told>, Fault> {
    if family(&window.class) == Family::Menu {
        calls::open_items(window.handle)
    } else {
        Ok(calls::bar_items(window.handle))
    }
}

/// Labels of the controls that lie in one window.
pub(crate) fn labels(list: &[(Handle, Control)]) -> Vec<(Handle, String)> {
    let controls: Vec<Control> = list.iter().map(|(_, c)| c.clone()).collect();
    let wants = list.iter().enumerate().filter(|(_, (_, c))| wants_label(&c.class));
    wants.map(|(at, (handle, _))| (*handle, label_of(at, &controls).to_owned())).collect()
}
