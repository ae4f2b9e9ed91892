//! Whether an element still is what was shown of it.

use super::volatile::{held, held_to_times};
use handeye_scene::{HeldRow, HeldText, Node, NodeKind, Probe, RowLabel, Said, Shown, normalize};

/// Role under which runs of plain text are shown; the element that holds one has another.
pub(crate) const TEXT_ROLE: &str = "text";

/// What is shown of a node. What a target shows is its name unless the surface tells otherwise. Of one that has no name and
/// says nothing by itself, the first text inside it is given.
pub fn shown_of(node: &Node, first_inside: Option<&str>) -> Shown {
    let extra = &node.extra;
    let tells = node.kind != NodeKind::Item;
    let told = extra.said.clone().or_else(|| match first_inside.filter(|t| node.name.is_empty() && !t.is_empty()) {
        Some(text) => Some(Said { text: text.to_owned(), cut: !tells }),
        None => tells.then(|| Said { text: node.name.clone(), cut: false }),
    });
    let said = told.filter(|said| tells || !said.text.is_empty());
    let is_mute = node.name.is_empty() && said.as_ref().is_none_or(|said| said.text.is_empty());
    Shown {
        role: node.role.clone(),
        name: node.name.clone(),
        said,
        hint: extra.hint.clone().filter(|_| is_mute && extra.icon),
        self_changing: extra.self_changing,
        told_by_time: false,
        leads: extra.leads.clone(),
        choices: extra.choices.clone(),
        row: extra.row.clone(),
    }
}

/// What an element is found to be by a probe, as if it were shown now.
pub fn shown_now(probe: &Probe) -> Shown {
    Shown {
        role: probe.role.clone(),
        name: probe.name.clone(),
        said: probe.said.clone(),
        hint: probe.hint.clone().filter(|_| is_mute(probe)),
        self_changing: false,
        told_by_time: false,
        leads: probe.leads.clone(),
        // As far as they are told one after the other, so that places among them are places among all.
        choices: probe
            .options
            .iter()
            .enumerate()
            .take_while(|(at, o)| *at == o.index)
            .map(|(_, o)| (o.label.clone(), o.value.clone()))
            .collect(),
        row: probe.row.clone(),
    }
}

/// Whether an element has the role and says what was last shown of it.
pub fn same_as_shown(shown: &Shown, probe: &Probe) -> bool {
    if shown.role == TEXT_ROLE {
        return if probe.said.is_some() { held_said(shown).reads(probe.says()) } else { says_inside(shown, probe) };
    }
    if (probe.said.is_none() || is_mute(probe)) && shown.name.is_empty() && !shown.words().is_empty() {
        return shown.role == probe.role && probe.name.is_empty() && says_inside(shown, probe);
    }
    let hint = |hint: &Option<String>| hint.as_deref().map(normalize).unwrap_or_default();
    let same_words = || shown.role == probe.role && is_called_by_text(shown) && held_said(shown).reads(&probe.name);
    (same_name(shown, &probe.role, &probe.name) || same_words())
        && (shown.said.is_none() || probe.said.is_none() || held_said(shown).reads(probe.says()))
        && (shown.hint.is_none() || hint(&shown.hint) == hint(&probe.hint))
}

/// Whether an element says nothing by itself: of one that holds a value, such as a slider, the text inside it was shown.
pub(super) fn is_mute(probe: &Probe) -> bool {
    probe.name.is_empty() && probe.says().is_empty()
}

/// Whether the text that was shown inside an element is still there, where the surface doesn't tell what it says.
fn says_inside(shown: &Shown, probe: &Probe) -> bool {
    let dense = |text: &str| normalize(text).replace(' ', "");
    let text = if probe.texts.text.is_empty() { &probe.name } else { &probe.texts.text };
    let was = shown.said.as_ref().map_or(&shown.name, |said| &said.text);
    dense(text).contains(&dense(was))
}

/// Whether role and name are the ones last shown.
pub fn same_name(shown: &Shown, role: &str, name: &str) -> bool {
    shown.role == role && held_text(shown, &shown.name).reads(name)
}

/// Whether what was shown had no name, and is called by what it says.
pub(crate) fn is_called_by_text(shown: &Shown) -> bool {
    shown.name.is_empty() && shown.said.as_ref().is_some_and(|said| !normalize(&said.text).is_empty())
}

/// The text that was shown of an element, as it is held: what it said itself, where that wasn't its name.
pub(crate) fn held_said(shown: &Shown) -> HeldText {
    match &shown.said {
        Some(said) => HeldText { open: said.cut, ..held_text(shown, &said.text) },
        None => held_text(shown, &shown.name),
    }
}

/// A text of what was shown, as it is held.
pub(crate) fn held_text(shown: &Shown, text: &str) -> HeldText {
    if shown.told_by_time { held_to_times(text, shown.self_changing) } else { held(text, shown.self_changing) }
}

/// What a row was about, as it is held. Of one that only digits tell from the next, all of them count.
pub fn held_row(row: &RowLabel) -> HeldRow {
    let text = if row.exact { HeldText::exactly(&row.text) } else { held(&row.text, row.self_changing) };
    HeldRow { text, place: row.place }
}

/// Whether a text in an element's row is what the row was about.
pub fn same_row(shown: &RowLabel, text: &str) -> bool {
    held_row(shown).text.reads(text)
}

/// Whether the row of an element still says what it was last shown to be about.
pub fn is_in_row(shown: Option<&Shown>, probe: &Probe) -> bool {
    let row = shown.and_then(|s| s.row.as_ref()).map(held_row);
    row.is_none_or(|row| row.reads(&probe.row_texts))
}
