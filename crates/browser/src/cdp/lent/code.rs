//! The code that the panel shows: the port at which the extension looks for us, and what both sides prove that they know.

use handeye_scene::{Code, Problem, TAB};

/// What keys are written with: no letter looks like a digit.
const LETTERS: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Characters of a key: 80 bits, so that what is proven by it tells nobody the key.
const KEY: usize = 16;
/// Ports below belong to services.
const LEAST_PORT: u16 = 1024;

/// A code, read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PairingCode {
    pub(super) port: u16,
    pub(super) key: String,
}

impl PairingCode {
    /// Reads `tab:PORT-XXXX-XXXX-XXXX-XXXX`, as a person may write it.
    pub(super) fn read(address: &str) -> Result<Self, Problem> {
        let text = address.strip_prefix(TAB).unwrap_or(address).trim();
        let read = || {
            let (port, key) = text.split_once('-')?;
            let port = port.parse().ok().filter(|port| *port >= LEAST_PORT)?;
            let key: String = key.chars().filter(|c| *c != '-' && *c != ' ').map(|c| c.to_ascii_uppercase()).collect();
            (key.chars().count() == KEY && key.chars().all(|c| LETTERS.contains(c))).then_some(Self { port, key })
        };
        read().ok_or_else(|| {
            let what = "a tab is lent by a code: press `Lend tab` in the side panel of the extension, at the tab that is meant";
            Problem::new(Code::BadRequest, what).hint("handeye open tab:CODE")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_a_person_writes_it_and_nothing_else_is_one() {
        let key = "0123456789ABCDEF".to_owned();
        let read = PairingCode { port: 41234, key };
        for text in [
            "tab:41234-0123-4567-89AB-CDEF",
            "tab:41234-0123456789abcdef",
            "tab: 41234-0123 4567 89ab cdef ",
            "41234-0123-4567-89ab-cdef",
        ] {
            assert_eq!(PairingCode::read(text).as_ref(), Ok(&read), "{text}");
        }
        for text in [
            "tab:",
            "tab:41234",
            "tab:41234-",
            "tab:41234-0123-4567-89AB-CDE",
            "tab:41234-0123-4567-89AB-CDEF0",
            "tab:41234-0123-4567-89AB-CDEO",
            "tab:41234-0123-4567-89AB-CDÉF",
            "tab:80-0123-4567-89AB-CDEF",
            "tab:70000-0123-4567-89AB-CDEF",
            "tab:-1-0123-4567-89AB-CDEF",
            "tab://41234-0123-4567-89AB-CDEF",
        ] {
            assert_eq!(PairingCode::read(text).map_err(|p| p.code), Err(Code::BadRequest), "{text}");
        }
    }
}
