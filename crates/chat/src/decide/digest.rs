//! Hashes: of what is proposed, so that nothing else is approved by it; of tokens, so that none is kept; of the audit log's entries.

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

/// What is proposed: the call, its tool, its arguments, and the page that it is proposed on.
pub fn proposal(call: &str, tool: &str, arguments: &str, page: Option<&str>) -> String {
    digest(&["call", call, tool, arguments, page.unwrap_or("")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart() {
        assert_ne!(digest(&["a", "bc"]), digest(&["ab", "c"]));
        assert_ne!(proposal("c", "t", "{}", None), proposal("c", "t", "{}", Some("https://a")));
        assert_eq!(digest(&[]).len(), 64);
    }
}
