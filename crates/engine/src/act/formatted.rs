//! Whether a field shows what was put in, written in its own way: a phone number with its brackets, an amount with its
//! currency, a date with other signs between its parts, capitals for small letters.

/// What a field made of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// All characters stand there in their order.
    Otherwise,
    /// All stand there, and more that may make something else of it: a point that moves the value, letters that multiply it,
    /// brackets that make it negative. What is meant can't be told.
    AsMaybeAnother,
    /// Some are missing, or others.
    Wrong,
}

/// Signs that stand between the parts of a number or a date; another one may take their place.
const BETWEEN: [char; 9] = ['.', ',', '-', '/', ' ', '(', ')', ':', '_'];
/// Longest word that a field puts before or behind a number, such as a currency's or a unit's.
const UNIT: usize = 4;
/// Those that leave the number what it is, beside codes of currencies (ISO 4217: three capitals).
const UNITS: [&str; 30] = [
    "kg", "g", "mg", "lb", "oz", "km", "cm", "mm", "mi", "ft", "in", "l", "ml", "ha", "px", "pt", "em", "rem", "vh",
    "vw", "s", "ms", "min", "h", "kr", "rs", "zł", "kč", "元", "円",
];
/// Signs around a number that leave it what it is.
const SIGNS: &str = "$€£¥₹₩₽₺₫₴₪₱฿%°+";

/// How a field shows a text.
pub(super) fn written(text: &str, shown: &str) -> Written {
    let (text, shown) = (text.trim(), shown.trim());
    if text.is_empty() || shown.is_empty() {
        return Written::Wrong;
    }
    let is_number =
        text.chars().all(|c| c.is_ascii_digit() || BETWEEN.contains(&c) || matches!(c, '+' | '$' | '€' | '£'))
            && text.contains(|c: char| c.is_ascii_digit());
    match is_number {
        true => of_number(text, shown),
        false => of_letters(text, shown),
    }
}

/// Letters in their order, of either case, with white space squeezed: what isn't a letter or a digit must be what it was, but
/// may have come between.
fn of_letters(text: &str, shown: &str) -> Written {
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let (text, shown) = (squeezed(text), squeezed(shown));
    let mut wanted = text.chars().peekable();
    let mut is_plain = true;
    for c in shown.chars() {
        match wanted.peek() {
            Some(next) if *next == c => drop(wanted.next()),
            // A blank may go where another sign comes.
            Some(' ') if BETWEEN.contains(&c) => drop(wanted.next()),
            _ if c.is_alphanumeric() => return Written::Wrong,
            _ => is_plain &= BETWEEN.contains(&c),
        }
    }
    match wanted.next() {
        None if is_plain => Written::Otherwise,
        None => Written::AsMaybeAnother,
        Some(_) => Written::Wrong,
    }
}

/// Digits in their order, with the same gaps where a sign stood between them.
fn of_number(text: &str, shown: &str) -> Written {
    let Some(around) = Around::of(shown) else { return Written::Wrong };
    let (wanted, found) = (Parts::of(text), Parts::of(shown));
    if wanted.signed != found.signed || wanted.plus && !found.plus {
        return Written::Wrong;
    }
    let found_digits = match found.digits.strip_prefix(wanted.digits.as_str()) {
        Some("") => found.digits.as_str(),
        // 5 is 5.00.
        Some(zeros) if zeros.chars().all(|c| c == '0') && found.gap(wanted.digits.len()).is_some_and(is_point) => {
            wanted.digits.as_str()
        }
        Some(zeros)
            if zeros == "0" && wanted.ends_in_tenths() && found.gap(wanted.digits.len() - 1).is_some_and(is_point) =>
        {
            wanted.digits.as_str()
        }
        // A country's number was put before it.
        None if found.plus
            && !wanted.plus
            && found.digits.ends_with(&wanted.digits)
            && found.digits.len() <= wanted.digits.len() + 3 =>
        {
            return Written::Otherwise;
        }
        _ => return Written::Wrong,
    };
    let mut maybe = !around.is_plain(text);
    for at in 1..found_digits.len() {
        match (wanted.gap(at), found.gap(at)) {
            (Some(was), Some(now)) => maybe |= is_point(was) && is_point(now) && was != now,
            // Blanks between digits group them, and so do the commas that come before three more.
            (Some(was), None) if was != " " && !wanted.groups(at) => return Written::Wrong,
            // Several points are a date's, or group digits; so does one before three more where none was put in.
            (None, Some(now)) => {
                let is_alone = found.gaps.iter().filter(|gap| gap.1 == now).count() == 1;
                let groups = found.groups(at) || found.run(at) == 3 && !wanted.gaps.iter().any(|gap| is_point(&gap.1));
                maybe |= is_point(now) && is_alone && !groups;
            }
            _ => {}
        }
    }
    if maybe { Written::AsMaybeAnother } else { Written::Otherwise }
}

/// What is shown before and behind a number.
struct Around<'a> {
    before: &'a str,
    after: &'a str,
}

impl<'a> Around<'a> {
    /// None where there are other words than those that tell its kind.
    fn of(shown: &'a str) -> Option<Self> {
        let first = shown.find(|c: char| c.is_ascii_digit())?;
        let last = shown.rfind(|c: char| c.is_ascii_digit())? + 1;
        let is_unit = |part: &str| {
            part.chars().filter(|c| c.is_alphabetic()).count() <= UNIT && !part.contains(|c: char| c.is_numeric())
        };
        let inside_has_letters = shown[first..last].chars().any(char::is_alphabetic);
        let (before, after) = (&shown[..first], &shown[last..]);
        (is_unit(before) && is_unit(after) && !inside_has_letters).then_some(Self { before, after })
    }

    /// Whether it leaves the number what it is. Signs that were put in are what they were.
    fn is_plain(&self, text: &str) -> bool {
        let is_negative = self.before.contains('(') && self.after.contains(')') && !text.contains('(');
        let is_known = |c: char| c.is_whitespace() || SIGNS.contains(c) || BETWEEN.contains(&c) || text.contains(c);
        let signs_fit = |part: &str| part.chars().filter(|c| !c.is_alphabetic()).all(is_known);
        let trails = self.after.contains(['-', '−']) && !text.ends_with('-');
        let words_fit = |part: &str| part.split(|c: char| !c.is_alphabetic()).all(is_unit);
        !is_negative && !trails && [self.before, self.after].into_iter().all(|part| signs_fit(part) && words_fit(part))
    }
}

/// Whether a word beside a number leaves it what it is; one of no letters is none.
fn is_unit(word: &str) -> bool {
    let is_currency = word.len() == 3 && word.chars().all(|c| c.is_ascii_uppercase());
    word.is_empty() || is_currency || UNITS.contains(&word.to_lowercase().as_str())
}

fn is_point(gap: &str) -> bool {
    matches!(gap, "." | ",")
}

/// The digits of a number, and what stands between them.
struct Parts {
    digits: String,
    /// Before which digit something stands, and what.
    gaps: Vec<(usize, String)>,
    /// Whether a minus stands before it.
    signed: bool,
    plus: bool,
}

impl Parts {
    fn of(text: &str) -> Self {
        let start = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
        let before = &text[..start];
        let mut parts = Self {
            digits: String::new(),
            gaps: Vec::new(),
            signed: before.contains(['-', '−']),
            plus: before.contains('+'),
        };
        let mut gap = String::new();
        for c in text[start..].chars() {
            if c.is_ascii_digit() {
                if !gap.is_empty() {
                    parts.gaps.push((parts.digits.len(), std::mem::take(&mut gap)));
                }
                parts.digits.push(c);
            } else {
                gap.push(c);
            }
        }
        parts
    }

    fn gap(&self, at: usize) -> Option<&str> {
        self.gaps.iter().find(|gap| gap.0 == at).map(|gap| gap.1.as_str())
    }

    /// How many digits come after what stands there, until something stands between them again.
    fn run(&self, at: usize) -> usize {
        self.gaps.iter().find(|gap| gap.0 > at).map_or(self.digits.len(), |gap| gap.0) - at
    }

    /// Whether what stands there may be no more than what groups digits by three.
    fn groups(&self, at: usize) -> bool {
        let after: Vec<_> = self.gaps.iter().filter(|gap| gap.0 > at).collect();
        let again = self.gaps.iter().filter(|gap| gap.0 != at).any(|gap| Some(gap.1.as_str()) == self.gap(at));
        let is_group = self.gap(at).is_none_or(|gap| !is_point(gap));
        self.run(at) == 3 && (again || is_group || after.iter().any(|gap| is_point(&gap.1)))
    }

    fn ends_in_tenths(&self) -> bool {
        self.gaps.last().is_some_and(|gap| is_point(&gap.1) && gap.0 + 1 == self.digits.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_may_write_a_text_in_its_own_way_but_not_another_one() {
        use Written::{AsMaybeAnother, Otherwise, Wrong};
        for (text, shown, is) in [
            ("5551234567", "(555) 123-4567", Otherwise),
            ("5551234567", "+1 (555) 123-4567", Otherwise),
            ("555-123-4567", "(555) 123-4567", Otherwise),
            ("5551234567", "(555) 123-456", Wrong),
            ("5551234567", "(555) 123-4576", Wrong),
            ("15551234567", "(555) 123-4567", Wrong),
            ("+491234567", "491234567", Wrong),
            ("1234", "$1,234", Otherwise),
            ("1234", "1,234.00", Otherwise),
            ("1234.5", "$1,234.50", Otherwise),
            ("1234.56", "1,234.56 USD", Otherwise),
            ("1234567", "$12,345.67", AsMaybeAnother),
            ("1000", "1,000", Otherwise),
            ("1000", "1.000", Otherwise),
            ("1000", "10.00", AsMaybeAnother),
            ("1000000", "1,000,000", Otherwise),
            ("100", "1.00", AsMaybeAnother),
            ("100", "1,00", AsMaybeAnother),
            ("100", "10.0", AsMaybeAnother),
            ("100", "€1.00", AsMaybeAnother),
            ("100", "100k", AsMaybeAnother),
            ("100", "100 M", AsMaybeAnother),
            ("100", "(100)", AsMaybeAnother),
            ("100", "100-", AsMaybeAnother),
            ("100", ">100", AsMaybeAnother),
            ("100", "X100", AsMaybeAnother),
            ("100", "No 100", AsMaybeAnother),
            ("100", "Not 100", AsMaybeAnother),
            ("100", "CHF 100.00", Otherwise),
            ("100", "100 kr", Otherwise),
            ("100", "¥100", Otherwise),
            ("100", "100元", Otherwise),
            ("(100)", "(100)", Otherwise),
            ("14032026", "14.03.2026", Otherwise),
            ("0612345678", "06 12 34 56 78", Otherwise),
            ("1230", "12.30", AsMaybeAnother),
            ("x", "x!", AsMaybeAnother),
            ("x", "not x", Wrong),
            ("12.50", "$1,250", Wrong),
            ("12.50", "12,50", AsMaybeAnother),
            ("12.5", "13", Wrong),
            ("1", "10", Wrong),
            ("5", "5.00", Otherwise),
            ("5", "500", Wrong),
            ("-5", "5", Wrong),
            ("5", "-5", Wrong),
            ("-5", "-5.00", Otherwise),
            ("100", "10", Wrong),
            ("20260314", "2026-03-14", Otherwise),
            ("2026-03-14", "2026/03/14", Otherwise),
            ("03142026", "03/14/2026", Otherwise),
            ("2026-03-14", "14.03.2026", Wrong),
            ("4111111111111111", "4111 1111 1111 1111", Otherwise),
            ("4111 1111 1111 1111", "4111111111111111", Otherwise),
            ("4111111111111111", "4111 1111 1111 111", Wrong),
            ("1230", "12:30", Otherwise),
            ("hello", "HELLO", Otherwise),
            ("  padded ", "padded", Otherwise),
            ("ab12cd", "AB-12-CD", Otherwise),
            ("de89 3704 0044", "DE89 3704 0044", Otherwise),
            ("de8937040044", "DE89 3704 0044", Otherwise),
            ("hello", "hell", Wrong),
            ("hello", "hello world", Wrong),
            ("New", "New York", Wrong),
            ("hello", "olleh", Wrong),
            ("a.b", "ab", Wrong),
            ("My Title", "my-title", Otherwise),
            ("50%", "50", Wrong),
            ("50", "50%", Otherwise),
            ("50", "50 kg", Otherwise),
            ("50", "50 pieces left", Wrong),
            ("", "x", Wrong),
            ("x", "", Wrong),
        ] {
            assert_eq!(written(text, shown), is, "{text} shown as {shown}");
        }
    }
}
