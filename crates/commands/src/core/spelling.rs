//! What a word that isn't known may have been meant for.

/// So many letters apart, a word may be meant for another.
const NEAR: usize = 3;

/// The word that is written most like this, where one is.
pub fn nearest<'a>(written: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    let near = |word: &&str| strsim::osa_distance(&written, word);
    // A short word is like any other of its length.
    words.min_by_key(near).filter(|word| near(word) <= NEAR.min(word.chars().count().saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_told_from_another_word() {
        let words = ["load", "ready", "settle", "effect", "acts", "eval"];
        for (written, wanted) in [
            ("laod", Some("load")),
            ("Ready", Some("ready")),
            ("settel", Some("settle")),
            ("act", Some("acts")),
            ("evil", Some("eval")),
            ("timeout_seconds", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, words.into_iter()), wanted, "{written}");
        }
    }
}
