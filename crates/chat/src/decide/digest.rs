//! Hashes: of what is proposed, so that nothing else is approved by it; of tokens, so that none is kept; of the audit log's entries.

use super::call::Side;
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
pub fn proposal((call, side): (&str, Side), tool: &str, arguments: &str, page: Option<&Page>) -> String {
    let address = page.and_then(|page| place(page, side));
    let document = page.and_then(|page| page.document.as_deref());
    let mut parts = vec!["call", call, tool, arguments, address.as_deref().unwrap_or(""), document.unwrap_or("")];
    let arguments = serde_json::from_str(arguments).unwrap_or_default();
    for named in texts(&arguments) {
        let of_page = page.iter().flat_map(|page| &page.elements).filter(|element| element.id == named);
        parts.extend(of_page.flat_map(|element| [element.id.as_str(), element.fingerprint()]));
    }
    digest(&parts)
}

/// The address that a call is held to. What is carried out here does what its arguments say: it isn't another where the page was only
/// scrolled, which may change the fragment. In the browser it may be about the record that the fragment names.
fn place(page: &Page, side: Side) -> Option<String> {
    match side {
        Side::Server => page.places.bare.clone().or_else(|| page.address()),
        Side::Browser | Side::Nowhere => page.places.whole.clone().or_else(|| page.whole_address()),
    }
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
        let call = ("c", Side::Server);
        assert_ne!(proposal(call, "t", "{}", None), proposal(call, "t", "{}", Some(&page)));
        assert_eq!(digest(&[]).len(), 64);
    }
    #[test]
    fn only_a_call_of_the_browser_is_held_to_the_fragment() {
        let hash = |side: Side, url: &str| {
            let page = Page { url: Some(url.into()), ..Page::default() };
            proposal(("c", side), "t", "{}", Some(&page))
        };
        for (one, other, in_browser, here) in [
            ("https://a/#/orders/1", "https://a/#/orders/2", false, true),
            ("https://a/#top", "https://a/", false, true),
            ("https://a/#", "https://a/", true, true),
            ("https://a/?n=1#top", "https://a/?n=2#top", false, false),
        ] {
            let is_same = |side| hash(side, one) == hash(side, other);
            assert_eq!((is_same(Side::Browser), is_same(Side::Server)), (in_browser, here), "{one} {other}");
        }
    }
}
