//! What words are made of, in any script.

use handeye_scene::normalize;

/// A normalised text with every run of digits (and the separators inside it) made one mark: for telling noise apart, never
/// for telling whether an element is the same.
pub fn without_digits(text: &str) -> String {
    let mut out = String::new();
    let folded: Vec<char> = normalize(text).chars().collect();
    let mut i = 0;
    while i < folded.len() {
        if !folded[i].is_numeric() {
            out.push(folded[i]);
            i += 1;
            continue;
        }
        out.push('#');
        while i < folded.len() {
            let separator = matches!(folded[i], '.' | ',' | ':') && folded.get(i + 1).is_some_and(|c| c.is_numeric());
            if !folded[i].is_numeric() && !separator {
                break;
            }
            i += 1;
        }
    }
    out
}

/// Scripts written without spaces between words: a match needn't end at a word's edge there.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

pub(super) fn is_wordy(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c)
}
