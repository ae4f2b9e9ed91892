//! What each side proves that it knows the code by, without telling it: a keyed digest (RFC 2104) of a word of its own and of what both
//! sides made up for this meeting.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt::Write;

/// Characters of what a side makes up for a meeting.
const NONCE: usize = 32;

/// Who proves it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Side {
    Handeye,
    Extension,
}

impl Side {
    const fn word(self) -> &'static str {
        match self {
            Side::Handeye => "handeye",
            Side::Extension => "extension",
        }
    }
}

/// What was made up for a meeting.
#[derive(Debug, Clone)]
pub(super) struct Nonces {
    pub(super) handeye: String,
    pub(super) extension: String,
}

/// Whether a text is something made up, as both sides write it.
pub(super) fn is_nonce(text: &str) -> bool {
    text.len() == NONCE && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn keyed(key: &str, side: Side, nonces: &Nonces) -> Hmac<Sha256> {
    // invariant: RFC 2104 takes keys of any length
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("a key of any length is taken");
    mac.update(format!("{} {} {}", side.word(), nonces.handeye, nonces.extension).as_bytes());
    mac
}

/// A side's proof, in hexadecimal digits.
pub(super) fn proof(key: &str, side: Side, nonces: &Nonces) -> String {
    hex(&keyed(key, side, nonces).finalize().into_bytes())
}

/// Whether a side proved it; told in the same time wherever it is wrong.
pub(super) fn proves(key: &str, side: Side, nonces: &Nonces, given: &str) -> bool {
    let bytes: Option<Vec<u8>> =
        given.as_bytes().chunks(2).map(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok()).collect();
    bytes.is_some_and(|bytes| keyed(key, side, nonces).verify_slice(&bytes).is_ok())
}

/// Bytes in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_holds_for_its_key_side_and_meeting_alone() {
        let nonces = Nonces { handeye: "a".repeat(32), extension: "b".repeat(32) };
        let own = proof("KEY", Side::Extension, &nonces);
        assert!(proves("KEY", Side::Extension, &nonces, &own));
        assert!(!proves("KEX", Side::Extension, &nonces, &own));
        assert!(!proves("KEY", Side::Handeye, &nonces, &own));
        let swapped = Nonces { handeye: nonces.extension.clone(), extension: nonces.handeye.clone() };
        assert!(!proves("KEY", Side::Extension, &swapped, &own));
        for odd in ["", "zz", "é", &own[2..], &format!("{own}00")] {
            assert!(!proves("KEY", Side::Extension, &nonces, odd), "{odd}");
        }
        // RFC 4231, test case 2, holds what the library does to the standard.
        let mut mac = Hmac::<Sha256>::new_from_slice(b"Jefe").unwrap();
        mac.update(b"what do ya want for nothing?");
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex(&mac.finalize().into_bytes()), expected);
    }

    #[test]
    fn what_is_made_up_has_one_form() {
        assert!(is_nonce(&"0f".repeat(16)));
        for odd in ["", "0f", &"0F".repeat(16), &"0g".repeat(16), &"0f".repeat(17)] {
            assert!(!is_nonce(odd), "{odd}");
        }
    }
}
