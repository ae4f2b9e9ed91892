//! Letters that nobody outside can foresee.

use std::hash::{BuildHasher, Hasher, RandomState};

/// 32 hexadecimal digits, other ones each time: they stand around what a page says where a model reads it.
pub fn nonce() -> String {
    let part = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", part(), part())
}
