//! Texts as they are shown. What the caller asks for is looked for in these: in what is masked it would be found out, part by part.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// How a text is shown: as it stands, unless something in it is told to nobody.
#[derive(Clone, Default)]
pub struct Mask(Option<Arc<Masking>>);

/// A text without what is told to nobody.
type Masking = dyn Fn(&str) -> String + Send + Sync;

impl Mask {
    /// One that shows texts as `masking` says.
    pub fn new(masking: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(masking)))
    }

    /// A text as it is shown.
    pub fn of<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.0.as_ref().map_or(Cow::Borrowed(text), |masking| masking(text).into())
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Mask(…)" } else { "Mask" })
    }
}
