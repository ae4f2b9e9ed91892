//! Texts as they are shown. What the caller asks for is looked for in these: in what is masked it would be found out, part by part.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// How a text is shown: as it stands, unless something in it is told to nobody.
#[derive(Clone, Default)]
pub struct Mask(Option<Arc<Masking>>, usize);

/// A text without what is told to nobody.
type Masking = dyn Fn(&str) -> String + Send + Sync;

/// Lengths at which the page script cuts texts off, UTF-16 units: what begins shortly before can't be told for what it is.
pub const CUTS: [usize; 5] = [200, 500, 600, 2000, 10_001];

impl Mask {
    /// One that shows texts as `masking` says, which hides nothing longer than so many characters.
    pub fn new(masking: impl Fn(&str) -> String + Send + Sync + 'static, longest: usize) -> Self {
        Self(Some(Arc::new(masking)), longest)
    }

    /// A text as it is shown. Whole texts are masked, and cut after that.
    pub fn of<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(masking) = &self.0 else { return Cow::Borrowed(text) };
        let is_cut = text.len() >= CUTS[0] && CUTS.contains(&text.encode_utf16().count());
        masking(if is_cut { self.start(text) } else { text }).into()
    }

    /// What is left of the start of a longer text without its last characters, which may be a part of what is hidden.
    pub fn start<'a>(&self, text: &'a str) -> &'a str {
        match self.0.as_ref().and_then(|_| self.longest().checked_sub(1)?.checked_sub(1)) {
            None => text,
            Some(back) => text.char_indices().nth_back(back).map_or("", |(end, _)| &text[..end]),
        }
    }

    /// What is left of the end of a longer text, likewise.
    pub fn end<'a>(&self, text: &'a str) -> &'a str {
        let skipped = if self.0.is_some() { self.longest().saturating_sub(1) } else { 0 };
        text.char_indices().nth(skipped).map_or("", |(start, _)| &text[start..])
    }

    fn longest(&self) -> usize {
        self.1
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Mask(…)" } else { "Mask" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_cut_off_is_left_out_whatever_it_is() {
        let mask = Mask::new(|text| text.replace("secret", "••••"), 6);
        assert_eq!((mask.of("a secret"), mask.start("a secre"), mask.end("ecret a")), ("a ••••".into(), "a ", " a"));
        let cut = format!("{}secre", "x".repeat(CUTS[0] - 5));
        assert_eq!(mask.of(&cut), "x".repeat(CUTS[0] - 5));
        assert_eq!((Mask::default().start("abc"), Mask::default().end("abc")), ("abc", "abc"));
    }
}
