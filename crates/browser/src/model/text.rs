//! Texts that are cut off.

/// A text, cut off at `limit` characters with an ellipsis: one that may hold a secret is masked before.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(limit).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}
