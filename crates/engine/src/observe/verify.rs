//! What is claimed of a page, and whether what is found holds up to it.

use crate::matching::{contains, equals, normalize};
use crate::observe::wait::url_matches;

/// How a text is compared with the one that is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// It is in it, as an expectation is: whole words and numbers.
    Contains,
    /// It is all of it.
    Equals,
}

impl Comparison {
    /// Whether a text that was found is as wanted. An empty one is wanted to be empty.
    pub fn holds(self, found: &str, wanted: &str) -> bool {
        match self {
            Comparison::Contains if !normalize(wanted).is_empty() => contains(found, wanted),
            _ => equals(found, wanted),
        }
    }

    /// The same of addresses, which are compared letter by letter; a part of one may have `*` for anything.
    pub fn holds_of_address(self, found: &str, wanted: &str) -> bool {
        match self {
            Comparison::Contains if !wanted.is_empty() => url_matches(found, wanted),
            _ => found == wanted,
        }
    }
}

/// How many there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    least: u64,
    most: u64,
}

impl Amount {
    /// So many, no more and no fewer.
    pub const fn exactly(number: u64) -> Self {
        Self { least: number, most: number }
    }

    /// `3`, `=3`, `>2`, `>=3`, `<5`, `<=4`, `2..4` with both ends; none of anything else, or of what no number is.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |digits: &str| digits.trim().parse::<u64>().ok();
        let text = text.trim();
        let some = |least, most| (least <= most).then_some(Self { least, most });
        if let Some((least, most)) = text.split_once("..") {
            return some(number(least)?, number(most)?);
        }
        if let Some(least) = text.strip_prefix(">=") {
            return some(number(least)?, u64::MAX);
        }
        if let Some(most) = text.strip_prefix("<=") {
            return some(0, number(most)?);
        }
        if let Some(below) = text.strip_prefix('>') {
            return some(number(below)?.checked_add(1)?, u64::MAX);
        }
        if let Some(above) = text.strip_prefix('<') {
            return some(0, number(above)?.checked_sub(1)?);
        }
        number(text.trim_start_matches('=')).map(Self::exactly)
    }

    /// Whether it may be so many.
    pub const fn holds(self, number: u64) -> bool {
        self.least <= number && number <= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_contained_or_equal_as_a_reader_has_them() {
        for (found, wanted, contains, equals) in [
            ("Total: 12 pears", "12 pears", true, false),
            ("Total: 120 pears", "Total: 12", false, false),
            ("Ｔｏｔａｌ\u{a0} 12", "total 12", true, true),
            ("立即登录", "登录", true, false),
            ("Cafe\u{301}", "CAFÉ", true, true),
            ("Don’t", "don't", true, true),
            ("full", "", false, false),
            (" \u{200b}", "", true, true),
        ] {
            let got = (Comparison::Contains.holds(found, wanted), Comparison::Equals.holds(found, wanted));
            assert_eq!(got, (contains, equals), "{wanted:?} of {found:?}");
        }
    }

    #[test]
    fn addresses_keep_their_letters() {
        for (found, wanted, contains, equals) in [
            ("http://a/Orders?page=2", "/Orders", true, false),
            ("http://a/Orders?page=2", "/orders", false, false),
            ("http://a/orders/7", "http://*/orders/*", true, false),
            ("http://a/", "http://a/", true, true),
        ] {
            let got = (
                Comparison::Contains.holds_of_address(found, wanted),
                Comparison::Equals.holds_of_address(found, wanted),
            );
            assert_eq!(got, (contains, equals), "{wanted:?} of {found:?}");
        }
    }

    #[test]
    fn amounts_are_written_as_people_compare() {
        let held =
            |text: &str| Amount::parse(text).map(|amount| (0..6).filter(|n| amount.holds(*n)).collect::<Vec<_>>());
        for (text, held_by) in [
            ("3", &[3][..]),
            ("=0", &[0]),
            ("==2", &[2]),
            (">3", &[4, 5]),
            (">= 3", &[3, 4, 5]),
            ("<2", &[0, 1]),
            ("<=1", &[0, 1]),
            ("2..4", &[2, 3, 4]),
        ] {
            assert_eq!(held(text).as_deref(), Some(held_by), "{text}");
        }
        for wrong in ["", "x", "-1", "1.5", ">", "<0", "4..2", "..", "3 pears", "99999999999999999999"] {
            assert_eq!(Amount::parse(wrong), None, "{wrong}");
        }
    }
}
