//! Texts as they are read when something is to be hidden in them.

use unicode_normalization::UnicodeNormalization;

/// A text as it is compared with others when something is to be hidden in it: compatible forms and cases of letters alike,
/// without what has no width; and where each part of it stands in the text itself.
#[derive(Debug, Clone, Default)]
pub struct Read {
    text: String,
    /// For each byte, the bytes that it was read from; nothing where they are the same.
    from: Vec<(u32, u32)>,
}

impl Read {
    /// A text as it stands.
    pub fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self { text: text.to_ascii_lowercase(), from: Vec::new() };
        }
        Self::of_chars(text.char_indices().map(|(at, c)| (c, at, at + c.len_utf8())))
    }

    /// The text that stands in an address: each byte itself or escaped (URL Standard, percent-encode sets).
    pub fn of_address(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut plain, mut from, mut at) = (Vec::with_capacity(bytes.len()), Vec::with_capacity(bytes.len()), 0);
        while let Some(byte) = bytes.get(at) {
            let digits = bytes.get(at + 1..at + 3).filter(|d| *byte == b'%' && d.iter().all(u8::is_ascii_hexdigit));
            let escaped = digits.and_then(|d| u8::from_str_radix(std::str::from_utf8(d).ok()?, 16).ok());
            let end = if escaped.is_some() { at + 3 } else { at + 1 };
            plain.push(escaped.unwrap_or(*byte));
            from.push((at, end));
            at = end;
        }
        let mut chars = Vec::with_capacity(plain.len());
        let mut start = 0;
        for chunk in plain.utf8_chunks() {
            for (at, c) in chunk.valid().char_indices() {
                let (first, last) = (start + at, start + at + c.len_utf8() - 1);
                chars.push((c, from[first].0, from[last].1));
            }
            start += chunk.valid().len();
            for _ in chunk.invalid() {
                chars.push((char::REPLACEMENT_CHARACTER, from[start].0, from[start].1));
                start += 1;
            }
        }
        Self::of_chars(chars.into_iter())
    }

    fn of_chars(chars: impl Iterator<Item = (char, usize, usize)>) -> Self {
        let mut out = Self::default();
        for (c, start, end) in chars {
            if c.is_ascii() {
                out.push(c.to_ascii_lowercase(), start, end);
            } else if !handeye_scene::is_widthless(c) {
                // Decomposed, lest it matter how an accent was written.
                let plain: String = std::iter::once(c).nfkd().collect();
                caseless::default_case_fold_str(&plain).nfkd().for_each(|c| out.push(c, start, end));
            }
        }
        out
    }

    fn push(&mut self, c: char, start: usize, end: usize) {
        self.text.push(c);
        let place = (u32::try_from(start).unwrap_or(u32::MAX), u32::try_from(end).unwrap_or(u32::MAX));
        self.from.resize(self.text.len(), place);
    }

    /// Whether nothing is left of it.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Where another text stands in it, as places in the text itself.
    pub fn find<'a>(&'a self, wanted: &'a Read) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
        let found = (!wanted.text.is_empty()).then(|| self.text.match_indices(wanted.text.as_str()));
        found.into_iter().flatten().map(|(at, part)| {
            let last = at + part.len() - 1;
            match (self.from.get(at), self.from.get(last)) {
                (Some(first), Some(last)) => first.0 as usize..last.1 as usize,
                _ => at..last + 1,
            }
        })
    }
}
