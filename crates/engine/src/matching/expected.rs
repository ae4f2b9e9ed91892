//! Expected text: whether an element that shows one text is the one that another names (seed 2, made strict).

use super::volatile::held_to_times;
use super::words::{is_unspaced, is_wordy};
use handeye_scene::normalize;
use regex::Regex;

/// Whether an element that shows `actual` is one that shows `expected`: whole words of it, and whole numbers. Counters in
/// brackets and ages may differ, as they may in a text that was shown.
pub fn contains(actual: &str, expected: &str) -> bool {
    let (actual, expected) = (plain(actual), plain(expected));
    if expected.is_empty() {
        return true;
    }
    if needs_equality(&expected) {
        return actual == expected || stands_alone(&actual, &expected);
    }
    let held = held_to_times(&expected, false);
    let found = if held.gaps.is_empty() {
        finds(&actual, |from| actual[from..].find(&expected).map(|at| (from + at, from + at + expected.len())))
    } else {
        let Ok(pattern) = Regex::new(&held.pattern()) else { return false };
        finds(&actual, |from| pattern.find_at(&actual, from).map(|m| (m.start(), m.end())))
    };
    found || matches_around_ellipsis(&actual, &expected)
}

/// Whether two texts are the same to a reader: all of them, but for case, width, white space and characters that nobody sees.
pub fn equals(actual: &str, expected: &str) -> bool {
    plain(actual) == plain(expected)
}

/// A text with apostrophes and hyphens of one kind: which one a label has can't be told from how it reads. NFKC has made `‐` of
/// the hyphen that doesn't break. Dashes and the sign for minus stay what they are.
fn plain(text: &str) -> String {
    normalize(text).replace('’', "'").replace('\u{2010}', "-")
}

fn needs_equality(expected: &str) -> bool {
    let count = expected.chars().count();
    count == 1 || (count == 2 && expected.chars().all(|c| c.is_alphabetic() && !is_unspaced(c)))
}

/// Whether a single character of a script without spaces stands by itself in a text, as `赞` does in `赞 (3)`.
fn stands_alone(text: &str, expected: &str) -> bool {
    let parts = || text.split(|c: char| !c.is_alphanumeric());
    expected.chars().all(is_unspaced) && parts().any(|part| part == expected)
}

/// Whether one of the places that `next` finds, each from a byte on, begins and ends at the edges of words and numbers.
fn finds(text: &str, next: impl Fn(usize) -> Option<(usize, usize)>) -> bool {
    let mut from = 0;
    while let Some((start, end)) = text.get(from..).and_then(|_| next(from)) {
        if !is_glued_before(text, start) && !is_glued_after(text, end) {
            return true;
        }
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// Whether a word or a number that a part of a text begins with has begun before it.
fn is_glued_before(text: &str, at: usize) -> bool {
    let Some(first) = text[at..].chars().next() else { return false };
    let mut before = text[..at].chars().rev();
    let Some(last) = before.next() else { return false };
    is_wordy(first) && is_wordy(last)
        || first.is_numeric() && is_separator(last) && before.next().is_some_and(char::is_numeric)
}

/// Whether a word or a number that a part of a text ends with goes on after it: `10` in `10.50`, `10 000`, `10%` and `10万`.
fn is_glued_after(text: &str, end: usize) -> bool {
    let Some(last) = text[..end].chars().next_back() else { return false };
    let mut after = text[end..].chars();
    let Some(first) = after.next() else { return false };
    if is_wordy(last) && is_wordy(first) {
        return true;
    }
    if !last.is_numeric() {
        return false;
    }
    let rest: Vec<char> = after.take(4).collect();
    let digits = rest.iter().take_while(|c| c.is_numeric()).count();
    is_separator(first) && digits > 0
        || first == ' ' && digits == 3
        || matches!(first, '%' | '百' | '千' | '万' | '萬' | '亿' | '億')
}

const fn is_separator(c: char) -> bool {
    matches!(c, '.' | ',' | ':' | '\'' | '’')
}

/// A text cut off where an ellipsis stands: its parts must come in order. The cut may fall inside a word.
fn matches_around_ellipsis(actual: &str, expected: &str) -> bool {
    // NFKC has made three full stops of `…`.
    if !expected.contains("...") {
        return false;
    }
    let parts: Vec<&str> = expected.split("...").collect();
    let known: usize = parts.iter().map(|p| p.trim().chars().count()).sum();
    if known < 3 {
        return false;
    }
    let mut from = 0;
    for (i, part) in parts.iter().enumerate() {
        let part = part.trim();
        if part.is_empty() {
            continue;
        }
        let is_last = i + 1 == parts.len();
        // Another occurrence may stand by itself where the first is part of a word.
        let stands = |at: &usize| {
            !(i == 0 && is_glued_before(actual, *at) || is_last && is_glued_after(actual, at + part.len()))
        };
        let Some(at) = actual[from..].match_indices(part).map(|(k, _)| k + from).find(stands) else { return false };
        from = at + part.len();
    }
    true
}
