//! What a field without a name is called: by the label that its toolkit ties to it, else by the nearest one before it.

use crate::linux::capture::content_names::own;
use crate::quirks::Quirks;
use crate::record::Record;
use crate::roles::{CELL, COMBO_BOX, FRAME, MENUS, PASSWORD, Part, TABLES, role};
use handeye_scene::Rect;

/// How many of those that a field lies in are looked at.
pub(crate) const LEVELS: usize = 8;
/// How many of what is shown in one of them are.
pub(crate) const MOST_BESIDE: usize = 120;
/// In so many of them a label is looked for; a group further out may still have a name.
const NEAR: usize = 4;
/// How far above a field its label may end, how far beside it, and how far beside a button: pixels.
const ABOVE: f64 = 24.0;
const BESIDE: f64 = 320.0;
const BESIDE_A_BUTTON: f64 = 32.0;
/// How far before its field a label above it may begin: one that begins further away is that of the field below it there.
const OUTDENT: f64 = 24.0;
/// Parts overlap by their borders.
const BORDER: f64 = 3.0;
/// Roles of fields: combo box, date, password, slider, spin button, text, paragraph, editor, entry.
const FIELDS: [u32; 9] = [COMBO_BOX, 12, PASSWORD, 51, 52, 61, 73, 77, 79];
/// Roles of buttons, which drop something down where they are all that is seen of a field.
const BUTTONS: [u32; 2] = [43, 62];
/// What nothing beyond is looked at: an alert, a dialog, a file chooser, a list item, a tab's page, a window, a document, a row,
/// an item of a tree.
const ENDS: [u32; 13] = [2, 16, 19, 32, 37, 69, 82, 90, 91, 92, 93, 94, 95];
/// What groups fields by a name of its own: a group, a panel.
const GROUPS: [u32; 2] = [98, 39];

/// One of those that a field lies in, and what else is shown in it.
pub(crate) struct Level<'a> {
    pub(crate) holder: &'a Record,
    pub(crate) others: Vec<&'a Record>,
}

/// Whether an object has no name, and is called by its label.
pub(crate) fn takes_one(record: &Record, quirks: Quirks) -> bool {
    let labelled = FIELDS.contains(&record.role) || BUTTONS.contains(&record.role);
    labelled && (own(record, quirks).is_empty() || says_choice(record, quirks))
}

/// Whether what an object tells as its name is what was chosen in it.
pub(crate) fn says_choice(record: &Record, quirks: Quirks) -> bool {
    record.role == COMBO_BOX && quirks.choice_as_name
}

/// Whether labels are looked for beyond what an object is.
pub(crate) fn is_end(record: &Record) -> bool {
    let number = record.role;
    number == FRAME || number == CELL || ENDS.contains(&number) || TABLES.contains(&number) || MENUS.contains(&number)
}

/// The name of a field that has none, and the paths of what it is made of: of what it lies in, the innermost comes first.
pub(crate) fn label(field: &Record, levels: &[Level], quirks: Quirks) -> (String, Vec<String>) {
    if !field.labels.is_empty() {
        let (paths, said): (Vec<String>, Vec<&str>) = field.labels.iter().map(|(p, s)| (p.clone(), s.trim())).unzip();
        return (said.join(" "), paths);
    }
    let Some(rect) = field.rect else { return Default::default() };
    let is_button = BUTTONS.contains(&field.role);
    let mut blocks: Vec<Rect> = Vec::new();
    for (depth, level) in levels.iter().enumerate() {
        let is_text = |r: &&&Record| role(r.role).kind == Part::Text;
        let controls = level.others.iter().filter(|r| matches!(role(r.role).kind, Part::Operable | Part::Maybe));
        blocks.extend(controls.filter_map(|r| r.rect));
        let texts = level.others.iter().filter(is_text).filter(|r| !own(r, quirks).is_empty());
        // What stands beside a button is seldom its name: only what announces something is.
        let texts = texts.filter(|r| !is_button || announces(&own(r, quirks)));
        let placed: Vec<(&Record, Rect)> = texts.filter_map(|r| Some((*r, r.rect?))).collect();
        if depth < NEAR
            && let Some(text) = nearest_of(rect, is_button, &placed, &blocks, quirks)
        {
            return (own(text, quirks), vec![text.path.clone()]);
        }
        let name = own(level.holder, quirks);
        let is_first = !blocks.iter().any(|b| before(rect, *b).is_some() || b.y + b.height <= rect.y + BORDER);
        if GROUPS.contains(&level.holder.role) && !name.is_empty() && is_first && !is_button {
            return (name, vec![level.holder.path.clone()]);
        }
    }
    Default::default()
}

/// The label of a field at `rect`: the nearest one beside it, else the nearest above it.
fn nearest_of<'a>(
    rect: Rect,
    is_button: bool,
    texts: &[(&'a Record, Rect)],
    blocks: &[Rect],
    quirks: Quirks,
) -> Option<&'a Record> {
    // Where texts are written from the right, a label stands to the right of its field: all is mirrored.
    for rightward in [false, true] {
        let side = |at: Rect| if rightward { mirrored(at) } else { at };
        let rect = side(rect);
        let blocks: Vec<Rect> = blocks.iter().map(|b| side(*b)).collect();
        let texts = texts.iter().filter(|(r, _)| is_right_to_left(&own(r, quirks)) == rightward);
        let texts: Vec<(&Record, Rect)> = texts.map(|(r, at)| (*r, side(*at))).collect();
        let most = if is_button { BESIDE_A_BUTTON } else { BESIDE };
        // What directly follows another control is its unit, unless it announces the next one.
        let leading: Vec<(&Record, Rect)> = texts
            .iter()
            .filter(|(r, at)| announces(&own(r, quirks)) || !follows(*at, rect, &blocks))
            .copied()
            .collect();
        let beside = |at| before(rect, at).filter(|gap| *gap <= most);
        let over = |at| above(rect, at).filter(|_| !is_button);
        let found = nearest(&leading, &blocks, beside).or_else(|| nearest(&texts, &blocks, over));
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Whether a text says that something follows.
fn announces(text: &str) -> bool {
    text.trim_end().ends_with([':', '：'])
}

/// Whether a text begins with a letter of a script that is written from the right: Hebrew to Arabic Extended-A, and the
/// presentation forms of the two.
fn is_right_to_left(text: &str) -> bool {
    let first = text.chars().find(|c| c.is_alphabetic());
    first.is_some_and(|c| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'))
}

/// A rectangle as it is seen in a mirror.
fn mirrored(rect: Rect) -> Rect {
    Rect { x: -(rect.x + rect.width), ..rect }
}

/// Whether a text stands nearer to a control before it than to the field after it.
fn follows(text: Rect, field: Rect, blocks: &[Rect]) -> bool {
    let gap = field.x - (text.x + text.width);
    blocks.iter().filter_map(|block| before(text, *block)).any(|before| before < gap)
}

/// Of texts the nearest by `gap`, if no control is nearer.
fn nearest<'a>(texts: &[(&'a Record, Rect)], blocks: &[Rect], gap: impl Fn(Rect) -> Option<f64>) -> Option<&'a Record> {
    let found = texts.iter().filter_map(|(text, at)| Some((*text, gap(*at)?))).min_by(|a, b| a.1.total_cmp(&b.1));
    let (text, near) = found?;
    let is_nearer = |block: &Rect| gap(*block).is_some_and(|gap| gap <= near);
    (!blocks.iter().any(is_nearer)).then_some(text)
}

/// How far a text ends before a field, on the line of its first line.
fn before(field: Rect, text: Rect) -> Option<f64> {
    let middle = text.y + text.height / 2.0;
    // A label beside a field of several lines stands at its top, or is as high.
    let level =
        middle >= field.y && middle <= field.y + field.height || overlap(text.y, text.height, field.y, field.height);
    let gap = field.x - (text.x + text.width);
    (level && gap >= -BORDER).then_some(gap.max(0.0))
}

/// How far a text ends above a field, if it begins over it.
fn above(field: Rect, text: Rect) -> Option<f64> {
    let gap = field.y - (text.y + text.height);
    let over = overlap(text.x, text.width, field.x, field.width) && text.x >= field.x - OUTDENT;
    (over && (-BORDER..=ABOVE).contains(&gap)).then_some(gap.max(0.0))
}

/// Whether two stretches share half of the shorter one.
fn overlap(a: f64, a_length: f64, b: f64, b_length: f64) -> bool {
    (a + a_length).min(b + b_length) - a.max(b) >= a_length.min(b_length) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quirks::quirks;

    fn record(role: u32, name: &str, rect: (f64, f64, f64, f64)) -> Record {
        let rect = Rect::new(rect.0, rect.1, rect.2, rect.3);
        Record { role, name: name.into(), path: format!("/{name}"), rect: Some(rect), ..Record::default() }
    }

    fn named(field: &Record, levels: &[(&Record, Vec<&Record>)]) -> String {
        let levels: Vec<Level> =
            levels.iter().map(|(holder, others)| Level { holder, others: others.clone() }).collect();
        label(field, &levels, quirks("gtk", "3.24")).0
    }

    #[test]
    fn a_field_is_called_by_the_label_before_it() {
        let panel = record(39, "", (0.0, 0.0, 300.0, 200.0));
        let (host, port) = (record(29, "Host:", (0.0, 0.0, 40.0, 34.0)), record(29, "Port:", (0.0, 40.0, 40.0, 34.0)));
        let first = record(61, "", (50.0, 0.0, 160.0, 34.0));
        let second = record(61, "", (50.0, 40.0, 160.0, 34.0));
        // Whatever their order in the tree.
        assert_eq!(named(&first, &[(&panel, vec![&second, &port, &host])]), "Host:");
        assert_eq!(named(&second, &[(&panel, vec![&port, &first, &host])]), "Port:");
        // What has a label of its own before it takes none from further away.
        let beside = record(61, "", (220.0, 0.0, 60.0, 34.0));
        assert_eq!(named(&beside, &[(&panel, vec![&first, &second, &host, &port])]), "");
        let tied = Record { labels: vec![("/x".into(), "Tied ".into())], ..beside };
        assert_eq!(named(&tied, &[(&panel, vec![&first, &host])]), "Tied");
    }

    #[test]
    fn a_label_above_is_that_of_the_first_field_below_it() {
        let panel = record(39, "", (0.0, 0.0, 300.0, 200.0));
        let caption = record(29, "Caption", (0.0, 0.0, 300.0, 17.0));
        let (first, last) = (record(61, "", (0.0, 17.0, 300.0, 34.0)), record(61, "", (0.0, 51.0, 300.0, 34.0)));
        assert_eq!(named(&first, &[(&panel, vec![&caption, &last])]), "Caption");
        assert_eq!(named(&last, &[(&panel, vec![&caption, &first])]), "");
    }

    #[test]
    fn a_text_after_a_field_is_its_unit_and_no_label_of_the_next() {
        let panel = record(39, "", (0.0, 0.0, 600.0, 40.0));
        let width = record(29, "Width:", (0.0, 5.0, 50.0, 20.0));
        let (first, unit) = (record(52, "", (60.0, 0.0, 80.0, 30.0)), record(29, "px", (146.0, 5.0, 20.0, 20.0)));
        let second = record(52, "", (200.0, 0.0, 80.0, 30.0));
        assert_eq!(named(&second, &[(&panel, vec![&width, &first, &unit])]), "");
        assert_eq!(named(&first, &[(&panel, vec![&width, &unit, &second])]), "Width:");
        // What announces something belongs to what follows.
        let height = record(29, "Height:", (146.0, 5.0, 50.0, 20.0));
        assert_eq!(named(&second, &[(&panel, vec![&width, &first, &height])]), "Height:");
        let far = record(61, "", (900.0, 0.0, 80.0, 30.0));
        assert_eq!(named(&far, &[(&panel, vec![&width])]), "");
    }

    #[test]
    fn a_label_that_is_written_from_the_right_stands_to_the_right() {
        let panel = record(39, "", (0.0, 0.0, 300.0, 200.0));
        let (field, label) = (record(61, "", (0.0, 0.0, 200.0, 30.0)), record(29, "שם:", (210.0, 5.0, 40.0, 20.0)));
        assert_eq!(named(&field, &[(&panel, vec![&label])]), "שם:");
        let other = record(61, "", (260.0, 0.0, 40.0, 30.0));
        assert_eq!(named(&other, &[(&panel, vec![&label, &field])]), "");
    }

    #[test]
    fn a_caption_over_two_fields_is_that_of_the_first() {
        let panel = record(39, "", (0.0, 0.0, 400.0, 200.0));
        let caption = record(29, "Name", (0.0, 0.0, 400.0, 17.0));
        let (first, second) = (record(61, "", (0.0, 20.0, 190.0, 30.0)), record(61, "", (200.0, 20.0, 190.0, 30.0)));
        assert_eq!(named(&first, &[(&panel, vec![&caption, &second])]), "Name");
        assert_eq!(named(&second, &[(&panel, vec![&caption, &first])]), "");
    }

    #[test]
    fn a_button_is_called_by_what_announces_it_alone() {
        let panel = record(39, "", (0.0, 0.0, 300.0, 200.0));
        let button = record(43, "", (60.0, 0.0, 30.0, 30.0));
        let (said, ink) = (record(29, "3 files", (0.0, 5.0, 50.0, 20.0)), record(29, "Ink:", (0.0, 5.0, 50.0, 20.0)));
        assert_eq!(named(&button, &[(&panel, vec![&said])]), "");
        assert_eq!(named(&button, &[(&panel, vec![&ink])]), "Ink:");
    }

    #[test]
    fn a_label_may_stand_beside_what_a_field_lies_in() {
        let inner = record(20, "", (77.0, 0.0, 578.0, 34.0));
        let drop = record(62, "", (619.0, 0.0, 36.0, 34.0));
        let outer = record(39, "", (0.0, 0.0, 660.0, 85.0));
        let find = record(29, "Find:", (0.0, 2.0, 65.0, 17.0));
        let field = record(61, "", (77.0, 0.0, 542.0, 34.0));
        assert_eq!(named(&field, &[(&inner, vec![&drop]), (&outer, vec![&find])]), "Find:");
        assert_eq!(named(&drop, &[(&inner, vec![&field]), (&outer, vec![&find])]), "");
        // The name of a group is that of its first field.
        let group = record(39, "Font Name", (0.0, 0.0, 660.0, 85.0));
        assert_eq!(named(&field, &[(&inner, vec![&drop]), (&group, vec![])]), "Font Name");
        assert_eq!(named(&drop, &[(&inner, vec![&field]), (&group, vec![])]), "");
    }
}
