//! What must hold inside the events, compiled into data that a surface evaluates.

use super::same::{TEXT_ROLE, held_row, held_said, held_text, is_called_by_text, is_mute, same_as_shown, shown_now};
use super::volatile::held;
use handeye_scene::{Held, HeldText, Probe, Shown};

/// What an element is held to: to what was shown of it where it still is that, else to what it was just found to be.
pub fn hold(shown: Option<&Shown>, probe: &Probe) -> Held {
    let now = shown_now(probe);
    let shown = match shown {
        Some(shown) if same_as_shown(shown, probe) => Shown { leads: now.leads, ..shown.clone() },
        Some(other) => Shown { row: other.row.clone(), told_by_time: other.told_by_time, ..now },
        None => now,
    };
    let mut texts = Vec::new();
    // What a value is shown by changes with it, in the press itself.
    if probe.said.is_some()
        && !(is_mute(probe) && is_called_by_text(&shown))
        && (shown.said.is_some() || shown.role == TEXT_ROLE)
    {
        texts.push(("said".to_owned(), held_said(&shown)));
    }
    if shown.role != TEXT_ROLE {
        texts.insert(0, held_name(&shown, !texts.is_empty()));
    }
    texts.extend(shown.hint.iter().map(|hint| ("hint".to_owned(), held(hint, false))));
    Held {
        role: Some(probe.role.clone()),
        texts,
        row: shown.row.as_ref().map(held_row),
        leads: shown.leads,
        own: None,
        choices: Vec::new(),
    }
}

/// The name that an element is held to. One that has none, and says something, may come to be named so: a list box is labelled by
/// its option once it was opened.
fn held_name(shown: &Shown, tells: bool) -> (String, HeldText) {
    match tells && is_called_by_text(shown) {
        true => ("called".to_owned(), held_said(shown)),
        false => ("name".to_owned(), held_text(shown, &shown.name)),
    }
}

/// Holds an element to the fields, too, in which an expected text was found.
pub fn hold_fields(held_to: &mut Held, fields: Vec<(String, String)>) {
    held_to.texts.extend(fields.into_iter().map(|(field, text)| {
        let held = held(&text, false);
        (field, held)
    }));
}
