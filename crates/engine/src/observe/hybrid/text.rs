//! Text as an outline shows it.

/// Text on one line: without private-use characters (glyphs of icon fonts), every kind of white space one space.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        match c {
            '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}' => {}
            '\u{200B}' | '\u{FEFF}' | '\u{2060}' | '\u{00AD}' => {}
            c if c.is_whitespace() || c.is_control() => gap = true,
            c => {
                if gap && !out.is_empty() {
                    out.push(' ');
                }
                gap = false;
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn text_is_cleaned() {
        for (given, wanted) in [
            ("", ""),
            (" \n\t ", ""),
            ("a\u{a0}\u{2003}b", "a b"),
            ("\u{e001}Save\u{f8ff}", "Save"),
            ("Next \u{e0b0}", "Next"),
            ("a\r\n[0-1] button: x", "a [0-1] button: x"),
            ("zero\u{200b}width\u{feff}", "zerowidth"),
            ("下一页　→", "下一页 →"),
            ("👩‍👩‍👧 família", "👩‍👩‍👧 família"),
            ("line\u{2028}line\u{85}line\u{0}x", "line line line x"),
        ] {
            assert_eq!(clean(given), wanted, "{given:?}");
        }
    }
}
