//! What a target is held to: its texts and where it leads, as data that a surface compares with what there is now.
//!
//! The engine decides which spans of a text may change, and compiles the rest into [`HeldText`]; surfaces evaluate it at the
//! last moment and have no rule of their own. That takes one way to normalise text, so it stands here, below both.

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

/// Text as it is compared: NFKC (Unicode Standard Annex 15), full case folding, one space for white space, nothing of no
/// width.
pub fn normalize(text: &str) -> String {
    if text.is_ascii() {
        return spaced(text.chars().map(|c| c.to_ascii_lowercase()));
    }
    let composed: String = text.nfkc().collect();
    spaced(caseless::default_case_fold_str(&composed).nfkc())
}

fn spaced(chars: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    let mut gap = false;
    for c in chars {
        if c.is_whitespace() {
            gap = true;
        } else if !is_widthless(c) {
            if gap && !out.is_empty() {
                out.push(' ');
            }
            gap = false;
            out.push(c);
        }
    }
    out
}

/// Whether a character takes no room: joiners, marks of direction, selectors of variants.
pub fn is_widthless(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// A text that a target is held to: literal pieces, normalised, and between each two of them a pattern that what stands
/// there must match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldText {
    /// The pieces, one more than there are gaps.
    pub pieces: Vec<String>,
    /// Sources of regular expressions, valid both for the `regex` crate and for JavaScript with the flag `u`.
    #[serde(default)]
    pub gaps: Vec<String>,
    /// It was shown shortened: anything may follow the last piece.
    #[serde(default)]
    pub open: bool,
}

impl HeldText {
    /// A text all of which counts.
    pub fn exactly(text: &str) -> Self {
        Self { pieces: vec![normalize(text)], gaps: Vec::new(), open: false }
    }

    /// Whether a text still reads so. What can't be evaluated doesn't.
    pub fn reads(&self, text: &str) -> bool {
        self.reads_normalized(&normalize(text))
    }

    /// The same of a text that is normalised already.
    pub fn reads_normalized(&self, text: &str) -> bool {
        match (&self.pieces[..], self.open) {
            ([piece], false) => text == piece,
            ([piece], true) => text.starts_with(piece.as_str()),
            // Nothing was held: that is no text, not the empty one.
            ([], _) => false,
            _ => {
                let end = if self.open { "" } else { "$" };
                Regex::new(&format!("^{}{end}", self.pattern())).is_ok_and(|pattern| pattern.is_match(text))
            }
        }
    }

    /// One regular expression for the whole, wherever it stands.
    pub fn pattern(&self) -> String {
        let mut pattern = String::new();
        for (i, piece) in self.pieces.iter().enumerate() {
            if i > 0 {
                pattern.push_str("(?:");
                // One gap too few is one that nothing matches.
                pattern.push_str(self.gaps.get(i - 1).map_or("[^\\s\\S]", String::as_str));
                pattern.push(')');
            }
            pattern.push_str(&regex::escape(piece));
        }
        pattern
    }
}

/// Where a target leads, by kind: `link` (origin and scheme, or the whole address where it has no origin), `download`,
/// `form`, `action`, `method`, `target`, `type`, `command`, `popover`, `control`. Nothing: nowhere by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Destination(pub BTreeMap<String, String>);

/// The visible text of an element, beside its name or in place of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// The text.
    pub text: String,
    /// It is only how a longer one begins.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// What the row of a target is held to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldRow {
    /// What one of the texts in it must read.
    pub text: HeldText,
    /// Which, of how many: another one, of as many, is another column. Where there are more or fewer by now, any will do.
    #[serde(default)]
    pub place: Option<(u32, u32)>,
}

impl HeldRow {
    /// Whether a row with these texts is the one.
    pub fn reads(&self, texts: &[String]) -> bool {
        let at = self.place.filter(|(_, count)| texts.len() == *count as usize);
        match at {
            Some((at, _)) => texts.get(at as usize).is_some_and(|text| self.text.reads(text)),
            None => texts.iter().any(|text| self.text.reads(text)),
        }
    }
}

/// What a target must still be, at the last moment before it is acted on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Its role.
    pub role: Option<String>,
    /// Its texts, by field: `name`, `said` (see [`crate::Probe::says`]), `hint`, `text`, `value`, `placeholder`, `title`, `alt`.
    pub texts: Vec<(String, HeldText)>,
    /// What its row must say.
    pub row: Option<HeldRow>,
    /// Where it leads: equal, if anything is given.
    pub leads: Option<Destination>,
    /// The origin of its document: what comes to lead there, a site's own redirector, is as good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<String>,
    /// Options that it must have, label and value.
    #[serde(default)]
    pub choices: Vec<(String, String)>,
}

impl Held {
    /// How its name ends, as far as it is held.
    pub fn name_ends_with(&self, end: &str) -> bool {
        let name = self.texts.iter().find(|(field, _)| field == "name").map(|(_, held)| held);
        name.and_then(|held| held.pieces.last()).is_some_and(|piece| piece.ends_with(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_it_in_the_same_place_while_it_says_as_much() {
        let texts = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let ann = |place| HeldRow { text: HeldText::exactly("Ann"), place };
        for (now, placed, anywhere) in [
            (&["Ann", "Sales", "Zoe"][..], true, true),
            (&["Eve", "Sales", "Ann"], false, true),
            (&["New", "Ann", "Sales", "Zoe"], true, true),
            (&["Ann"], true, true),
            (&["Eve", "Sales", "Zoe"], false, false),
            (&[], false, false),
        ] {
            assert_eq!(ann(Some((0, 3))).reads(&texts(now)), placed, "{now:?}");
            assert_eq!(ann(None).reads(&texts(now)), anywhere, "{now:?}");
        }
    }

    #[test]
    fn a_held_text_reads_so_in_its_pieces_and_gaps_and_nowhere_else() {
        let cart = HeldText { pieces: vec!["cart (".into(), ")".into()], gaps: vec!["[0-9]+".into()], open: false };
        for (text, reads) in [
            ("Cart (2)", true),
            ("ＣＡＲＴ （37）", true),
            ("Cart  (2)\u{200b}", true),
            ("Cart ()", false),
            ("Cart", false),
            ("Cart (2) all", false),
            ("My Cart (2)", false),
        ] {
            assert_eq!(cart.reads(text), reads, "{text}");
        }
        assert!(HeldText { open: true, ..cart.clone() }.reads("Cart (2) of Ann"));
        assert!(!HeldText { gaps: Vec::new(), ..cart.clone() }.reads("Cart (2)"), "a gap is missing");
        assert!(!HeldText { gaps: vec!["(".into()], ..cart }.reads("Cart (2)"), "a pattern that is none");
        assert!(HeldText::exactly("Straße").reads("STRASSE") && !HeldText::exactly("").reads("Delete"));
        assert!(!HeldText::default().reads(""), "nothing was held");
    }
}
