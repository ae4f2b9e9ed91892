//! Hashes: of what is proposed, so that nothing else is approved by it; of tokens, so that none is kept; of the audit log's entries.

use crate::wire::Page;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A hash over parts, none of which can be taken for a part of its neighbour.
pub fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// What is proposed: the call, its tool, its arguments, the page and document that it is proposed on, and the fingerprint of each
/// element that the arguments name. On any other page, or where such an element is something else by then, it is another.
pub fn proposal(call: &str, tool: &str, arguments: &str, page: Option<&Page>) -> String {
    let address = page.and_then(|page| page.place.clone().or_else(|| page.whole_address()));
    let document = page.and_then(|page| page.document.as_deref());
    let mut parts = vec!["call", call, tool, arguments, address.as_deref().unwrap_or(""), document.unwrap_or("")];
    let arguments = serde_json::from_str(arguments).unwrap_or_default();
    for named in texts(&arguments) {
        let of_page = page.iter().flat_map(|page| &page.elements).filter(|element| element.id == named);
        parts.extend(of_page.flat_map(|element| [element.id.as_str(), element.fingerprint()]));
    }
    digest(&parts)
}

/// All texts of a value, in order: an element may be named in any.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart() {
        assert_ne!(digest(&["a", "bc"]), digest(&["ab", "c"]));
        let page = Page { url: Some("https://a".into()), ..Page::default() };
        assert_ne!(proposal("c", "t", "{}", None), proposal("c", "t", "{}", Some(&page)));
        assert_eq!(digest(&[]).len(), 64);
    }
}
