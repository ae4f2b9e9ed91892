//! Reading JSON that came from a page.

use serde::de::DeserializeOwned;

/// Reads JSON that came from a page: half characters (lone surrogates), which pages may hold, become U+FFFD.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match mend(text) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    })
}

/// Replaces escapes of lone surrogates; none when there are none.
pub(crate) fn mend(text: &str) -> Option<String> {
    let surrogate = |at: usize| {
        let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(hex, 16).ok().filter(|c| (0xD800..0xE000).contains(c))
    };
    let bytes = text.as_bytes();
    let (mut out, mut kept, mut at) = (String::new(), 0, 0);
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match surrogate(at) {
            Some(high) if high < 0xDC00 && surrogate(at + 6).is_some_and(|low| low >= 0xDC00) => at += 12,
            Some(_) => {
                out.push_str(&text[kept..at]);
                out.push_str("\\ufffd");
                at += 6;
                kept = at;
            }
            None => at += 2,
        }
    }
    if kept == 0 {
        return None;
    }
    out.push_str(text.get(kept..)?);
    Some(out)
}
