//! What toolkits do differently, in one table keyed by toolkit and version.

use crate::roles::CELL;

/// How a toolkit's screen extents are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extents {
    /// They are of the screen.
    Screen,
    /// They are of the window's surface, shadow left out: the screen's are the window's origin, plus half of what the window
    /// is larger than its frame.
    Surface,
}

/// How an app tells what lies at a place of its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hits {
    /// As its pointer would find it.
    Picks,
    /// The first in the tree of what overlaps, while what comes later in the tree lies above.
    First,
    /// Not in a way that is known.
    Untold,
}

/// What is peculiar about a toolkit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quirks {
    /// Whether `Cache.GetItems` answers with the tree. Qt 5 and Chromium answer with nothing.
    pub cache: bool,
    /// How extents are to be read.
    pub extents: Extents,
    /// How it tells what lies at a place.
    pub hits: Hits,
    /// Whether lists and tables keep quiet about their scroll bars.
    pub hides_bars: bool,
    /// Descendants lack the state `showing`: `visible` and a size count instead.
    pub showing_missing: bool,
    /// Names of classes stand where a name is missing.
    pub class_names: bool,
    /// An action that opens a modal dialog keeps the app from answering anything until the dialog is closed: the pointer is
    /// used where it can be. (In Qt only the action's own answer waits.)
    pub actions_block: bool,
    /// The action of a button only begins a click, which comes about a quarter of a second later: what it says by then was
    /// never looked at. The pointer is used where it can be.
    pub acts_late: bool,
    /// Whether it tells of everything that changes, so that what was read of it can be used again until it does.
    pub tells_changes: bool,
    /// Whether it tells names while the display serves nobody else: what it says then is the last word.
    pub answers_held: bool,
    /// Whether it tells places while the display serves nobody else.
    pub places_held: bool,
    /// Whether it asks the display at once when it is told that a window's state has changed: while the display serves nobody else,
    /// it stands still then.
    pub stands_still: bool,
    /// Whether the chosen tab says that it has the keyboard, and nothing else of being chosen.
    pub tabs_focused: bool,
    /// Whether a field whose text is set by its accessible interface doesn't tell its app that someone edited it: it is typed
    /// into.
    pub edits_untold: bool,
    /// Whether it tells nothing of numbers that change, as bars of progress do.
    pub numbers_untold: bool,
    /// Whether what drops a list down tells what was chosen as its name.
    pub choice_as_name: bool,
    /// Whether what drops a list down can't be set by an interface: it is opened and walked through.
    pub walks_lists: bool,
    /// Whether the object of a table's cell stays that cell's while rows come and go before it.
    pub keeps_cells: bool,
    /// Whether a list that takes several options says so.
    pub tells_several: bool,
    /// Roles of what a press can't be taken back from. Some act when the button is let go, wherever that is (cells, texts, options);
    /// others may be dragged to where it is let go (icons, items of lists and trees).
    pub keeps: &'static [u32],
    /// Whether that goes for all that opens something, too.
    pub keeps_openers: bool,
}

const PLAIN: Quirks = Quirks {
    cache: true,
    extents: Extents::Screen,
    hits: Hits::Untold,
    hides_bars: false,
    showing_missing: false,
    class_names: false,
    actions_block: false,
    acts_late: false,
    tells_changes: false,
    answers_held: false,
    places_held: false,
    stands_still: false,
    tabs_focused: false,
    edits_untold: false,
    numbers_untold: false,
    choice_as_name: false,
    walks_lists: false,
    keeps_cells: false,
    tells_several: false,
    keeps: &[],
    keeps_openers: false,
};

/// Toolkit, major versions, what is peculiar about it. The first line that fits holds.
const TABLE: &[(&str, std::ops::RangeInclusive<u32>, Quirks)] = &[
    (
        "gtk",
        4..=4,
        Quirks {
            extents: Extents::Surface,
            hits: Hits::Picks,
            showing_missing: true,
            class_names: true,
            acts_late: true,
            places_held: true,
            stands_still: true,
            numbers_untold: true,
            walks_lists: true,
            keeps: &[29, 32, CELL, 90, 116],
            keeps_openers: true,
            ..PLAIN
        },
    ),
    (
        "gtk",
        0..=3,
        Quirks {
            hits: Hits::First,
            actions_block: true,
            tells_changes: true,
            answers_held: true,
            stands_still: true,
            choice_as_name: true,
            keeps_cells: true,
            keeps: &[26, 29, CELL, 116],
            ..PLAIN
        },
    ),
    (
        "qt",
        0..=u32::MAX,
        Quirks {
            keeps: &[29, 32, 91, 116],
            cache: false,
            hits: Hits::First,
            hides_bars: true,
            acts_late: true,
            places_held: true,
            stands_still: true,
            tabs_focused: true,
            edits_untold: true,
            choice_as_name: true,
            walks_lists: true,
            ..PLAIN
        },
    ),
    ("chromium", 0..=u32::MAX, Quirks { cache: false, tells_several: true, ..PLAIN }),
    ("gecko", 0..=u32::MAX, Quirks { cache: false, tells_several: true, ..PLAIN }),
];

/// The quirks of a toolkit as it names itself, such as `GTK` and `4.8.3`.
pub fn quirks(toolkit: &str, version: &str) -> Quirks {
    let toolkit = toolkit.to_ascii_lowercase();
    let major = version.split('.').next().and_then(|n| n.trim().parse().ok()).unwrap_or(0);
    TABLE.iter().find(|(name, majors, _)| *name == toolkit && majors.contains(&major)).map_or(PLAIN, |(.., q)| *q)
}

/// A name as a person would read it: without the padding that menus add, once where it is told with and without its mnemonic,
/// and none where it is a class's name.
pub fn name(raw: &str, quirks: Quirks) -> String {
    let trimmed = raw.trim();
    match quirks.class_names {
        true if is_class(trimmed) => String::new(),
        true => once(trimmed).to_owned(),
        false => trimmed.to_owned(),
    }
}

/// GTK 4.8 calls a button with a mnemonic by what it was given, and again by what its label shows: `_Save Save`.
fn once(name: &str) -> &str {
    let shown_again = |(at, _): (usize, &str)| {
        let (given, shown) = (&name[..at], &name[at + 1..]);
        (given.contains('_') && without_mnemonic(given) == shown).then_some(shown)
    };
    name.match_indices(' ').find_map(shown_again).unwrap_or(name)
}

/// A label as it is shown: `_` marks the letter that follows, and two of them are one.
fn without_mnemonic(label: &str) -> String {
    let mut shown = String::new();
    let mut letters = label.chars();
    while let Some(letter) = letters.next() {
        shown.extend(if letter == '_' { letters.next() } else { Some(letter) });
    }
    shown
}

/// `GtkMenuButton`, `AdwTabBar`: a known prefix, then words run together.
fn is_class(name: &str) -> bool {
    const PREFIXES: [&str; 7] = ["Gtk", "Adw", "Gsk", "Gdk", "Editor", "Panel", "Vte"];
    name.chars().all(|c| c.is_ascii_alphanumeric())
        && PREFIXES
            .iter()
            .any(|p| name.strip_prefix(p).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolkits_are_told_apart_by_name_and_version() {
        assert_eq!(quirks("GTK", "4.8.3").extents, Extents::Surface);
        assert!(quirks("gtk", "3.24.38").actions_block);
        assert!(!quirks("Qt", "5.15.8").cache);
        assert_eq!(quirks("something", "odd"), PLAIN);
    }

    #[test]
    fn names_lose_padding_and_class_names() {
        let gtk4 = quirks("GTK", "4.8.3");
        assert_eq!(name("GtkMenuButton", gtk4), "");
        assert_eq!(name("EditorPage", gtk4), "");
        assert_eq!(name("Editor", gtk4), "Editor");
        assert_eq!(name("Gtk is fun", gtk4), "Gtk is fun");
        assert_eq!(name("_Discard Discard", gtk4), "Discard");
        assert_eq!(name("Save _As… Save As…", gtk4), "Save As…");
        assert_eq!(name("a__b _x a_b x", gtk4), "a_b x");
        assert_eq!(name("_Discard Discarded", gtk4), "_Discard Discarded");
        assert_eq!(name("bye bye", gtk4), "bye bye");
        assert_eq!(name("Save As...      ", quirks("gtk", "3.24")), "Save As...");
        assert_eq!(name("GtkMenuButton", quirks("gtk", "3.24")), "GtkMenuButton");
    }
}
