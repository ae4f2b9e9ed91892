//! What an object without a name is called: by what is said inside it.

use crate::quirks::{self, Quirks};
use crate::record::{Record, bit};
use crate::roles::{CELL, HEADERS, Part, TAB, role};

/// How deep names are looked for.
pub(crate) const DEPTH: usize = 5;
/// How many of the things in one are looked at.
pub(crate) const INSIDE: usize = 12;
/// Most texts that a name is made of.
const MOST: usize = 8;
/// Roles of what is called by what it holds: check box, check menu item, list item, menu item, page tab, button, radio button,
/// radio menu item, toggle button, link, row, tree item; and cells and headers.
const NAMED: [u32; 12] = [7, 8, 32, 35, 37, 43, 44, 45, 62, 88, 90, 91];
/// Those of them that say all that is in them: list item, cell, row, tree item. Others are called by the first text alone.
const SAY_ALL: [u32; 4] = [32, CELL, 90, 91];

/// An object with what is in it.
pub(crate) struct Twig {
    pub(crate) record: Record,
    pub(crate) inside: Vec<Twig>,
}

/// What an object says of itself.
pub(crate) fn own(record: &Record, quirks: Quirks) -> String {
    let name = quirks::name(&record.name, quirks);
    // GTK 4 calls all of them so.
    if quirks.class_names && record.role == TAB && name == "Tab" { String::new() } else { name }
}

/// Whether an object has no name, and is called by what it holds.
pub(crate) fn needs_one(record: &Record, quirks: Quirks) -> bool {
    let named = NAMED.contains(&record.role) || HEADERS.contains(&record.role) || record.role == CELL;
    named && own(record, quirks).is_empty()
}

/// Whether an object is a text of which names are made: a text, or a cell of a cell.
pub(crate) fn is_part(record: &Record) -> bool {
    role(record.role).kind == Part::Text || record.role == CELL
}

/// Whether names are looked for in an object that lies in what needs one: controls have their own.
pub(crate) fn is_opened_up(record: &Record) -> bool {
    matches!(role(record.role).kind, Part::Holder | Part::Maybe | Part::Item) && !record.has(bit::EDITABLE)
}

/// The name of an object that has none, and the paths of what it is made of.
pub(crate) fn name(twig: &Twig, quirks: Quirks) -> (String, Vec<String>) {
    let mut parts: Vec<(String, String)> = Vec::new();
    twig.inside.iter().for_each(|inner| gather(inner, quirks, &mut parts));
    let says_all = SAY_ALL.contains(&twig.record.role) && !twig.record.has(bit::EXPANDABLE);
    parts.truncate(if says_all { MOST } else { 1 });
    let (said, paths): (Vec<String>, Vec<String>) = parts.into_iter().unzip();
    (said.join(" "), paths)
}

fn gather(twig: &Twig, quirks: Quirks, parts: &mut Vec<(String, String)>) {
    if parts.len() >= MOST {
        return;
    }
    if is_part(&twig.record) {
        let said = quirks::name(&twig.record.name, quirks);
        if !said.is_empty() {
            parts.push((said, twig.record.path.clone()));
            return;
        }
    }
    if is_opened_up(&twig.record) {
        twig.inside.iter().for_each(|inner| gather(inner, quirks, parts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quirks::quirks;

    fn twig(role: u32, name: &str, inside: Vec<Twig>) -> Twig {
        let record = Record { role, name: name.into(), path: format!("/{role}/{name}"), ..Record::default() };
        Twig { record, inside }
    }

    #[test]
    fn what_has_no_name_is_called_by_what_it_holds() {
        let gtk4 = quirks("GTK", "4.8");
        let label = |text: &str| twig(29, text, Vec::new());
        let row =
            twig(32, "", vec![twig(39, "", vec![label("Anna"), twig(43, "", vec![label("Remove")])]), label("1")]);
        assert!(needs_one(&row.record, gtk4));
        assert_eq!(name(&row, gtk4).0, "Anna 1", "a button in it has a name of its own");
        let button = twig(43, "GtkExpander", vec![twig(39, "", vec![label("More")]), label("Much more")]);
        assert!(needs_one(&button.record, gtk4));
        assert_eq!(name(&button, gtk4), ("More".into(), vec!["/29/More".into()]));
        assert!(needs_one(&twig(37, "Tab", Vec::new()).record, gtk4));
        assert!(!needs_one(&twig(37, "Tab", Vec::new()).record, quirks("gtk", "3.24")));
        assert!(!needs_one(&twig(79, "", Vec::new()).record, gtk4), "a field isn't called by what it holds");
    }
}
