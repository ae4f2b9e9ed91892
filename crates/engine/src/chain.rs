//! A chain of lines of JSON: each holds a digest over the line before it and over its own bytes, so that a line that was changed,
//! taken out, put in or moved is found, and named.
//!
//! A line is an object that begins with its number, `n`, and ends with its digest, `hash`: SHA-256 over the digest of the line
//! before it, a line feed, and the line without its `hash`. Whoever writes all lines anew from some line on can't be found out by
//! the chain alone, but by the last digest, where somebody noted it.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// What stands for the digest of the line before the first.
const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// What a line's digest stands behind.
const HASH: &str = ",\"hash\":\"";
/// What a line's number stands behind.
const NUMBER: &str = "{\"n\":";
/// Hexadecimal digits of a digest.
const DIGITS: usize = 64;

/// SHA-256 as hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a text can be a digest.
pub fn is_digest(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// A chain that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    lines: u64,
    last: String,
}

impl Default for Chain {
    fn default() -> Self {
        Self { lines: 0, last: START.to_owned() }
    }
}

impl Chain {
    /// The next line, without a line feed, for what it is to say. Members `n` and `hash` are the chain's own.
    pub fn line(&mut self, mut says: Map<String, Value>) -> String {
        says.remove("n");
        says.remove("hash");
        self.lines += 1;
        let mut line = format!("{NUMBER}{}", self.lines);
        for (name, value) in says {
            line.push_str(&format!(",{}:{value}", Value::from(name)));
        }
        let hash = linked(&self.last, &line);
        line.push_str(&format!("{HASH}{hash}\"}}"));
        self.last = hash;
        line
    }

    /// How many lines it has.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// The digest of its last line.
    pub fn last(&self) -> &str {
        &self.last
    }
}

fn linked(before: &str, body: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update("\n");
    hasher.update(body);
    hasher.update("}");
    hex(&hasher.finalize())
}

/// What is wrong with a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// In which line, from 1.
    pub line: usize,
    /// What.
    pub kind: FaultKind,
}

/// What can be wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// It is no line of a chain.
    Unreadable,
    /// It is the last, and ends before its end.
    CutOff,
    /// Its bytes aren't those that its digest is of.
    Edited,
    /// How many lines before it are gone.
    Missing(u64),
    /// It stands elsewhere than it was written, or twice.
    Moved,
}

/// A line of a chain, taken apart.
struct Link<'a> {
    number: u64,
    body: &'a str,
    hash: &'a str,
}

fn take_apart(line: &str) -> Option<Link<'_>> {
    let inner = line.strip_suffix("\"}")?;
    let (body, hash) = inner.split_at_checked(inner.len().checked_sub(DIGITS)?)?;
    let body = body.strip_suffix(HASH)?;
    let digits = body.strip_prefix(NUMBER)?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number: u64 = digits.get(..end)?.parse().ok()?;
    (is_digest(hash) && number > 0).then_some(Link { number, body, hash })
}

/// Every line that is wrong, in order. Lines come without line feeds. What follows on a wrong line is held to it as it stands, so
/// that only what was changed is named.
pub fn faults(lines: &[&str]) -> Vec<Fault> {
    let links: Vec<Option<Link<'_>>> = lines.iter().map(|line| take_apart(line)).collect();
    // What each line says of itself, to tell one that was moved from one that was changed.
    let hashes: HashMap<u64, &str> = links.iter().flatten().map(|link| (link.number, link.hash)).collect();
    let mut found = Vec::new();
    // The digest of the line before, as it stands there and as its bytes have it; none behind what can't be read.
    let (mut before, mut highest) = (Some([START.to_owned(), START.to_owned()]), 0_u64);
    for (at, link) in links.iter().enumerate() {
        let line = at + 1;
        let Some(link) = link else {
            let is_last = line == lines.len();
            let is_cut = is_last && lines.get(at).is_some_and(|line| is_cut(line));
            found.push(Fault { line, kind: if is_cut { FaultKind::CutOff } else { FaultKind::Unreadable } });
            (before, highest) = (None, highest.saturating_add(1));
            continue;
        };
        let follows = |before: &[String; 2]| before.iter().any(|before| linked(before, link.body) == link.hash);
        if !before.as_ref().is_some_and(follows) {
            let next = links.get(line).and_then(Option::as_ref);
            let kind = fault_of((link, next), highest.saturating_add(1), before.is_some(), &hashes);
            found.extend(kind.map(|kind| Fault { line, kind }));
        }
        let computed = before.map_or_else(|| link.hash.to_owned(), |[before, _]| linked(&before, link.body));
        before = Some([link.hash.to_owned(), computed]);
        // A number that was changed says nothing of the next.
        let next = highest.saturating_add(1);
        let is_gap =
            found.last().is_some_and(|fault| fault.line == line && matches!(fault.kind, FaultKind::Missing(_)));
        let is_believed = link.number <= next || is_gap || is_own(link, &hashes);
        highest = highest.max(if is_believed { link.number } else { next });
    }
    found
}

/// Whether a line's bytes are those that its digest is of, wherever it stands.
fn is_own(link: &Link<'_>, hashes: &HashMap<u64, &str>) -> bool {
    let before = if link.number == 1 { Some(START) } else { hashes.get(&(link.number - 1)).copied() };
    before.is_some_and(|before| linked(before, link.body) == link.hash)
}

/// What is wrong with a line that doesn't follow on the one before it; none where only that one is wrong.
fn fault_of(
    (link, next): (&Link<'_>, Option<&Link<'_>>),
    expected: u64,
    is_told: bool,
    hashes: &HashMap<u64, &str>,
) -> Option<FaultKind> {
    let own = link.number;
    if is_own(link, hashes) {
        return (own != expected).then_some(FaultKind::Moved);
    }
    let goes_on =
        |next: &Link<'_>| Some(next.number) == expected.checked_add(1) && linked(link.hash, next.body) == next.hash;
    if own > expected && !hashes.contains_key(&(own - 1)) && !next.is_some_and(goes_on) {
        return Some(FaultKind::Missing(own - expected));
    }
    // Behind what can't be read, nothing tells whether this is as it was.
    (is_told || own != expected).then_some(FaultKind::Edited)
}

/// Whether a line ends within its JSON.
fn is_cut(line: &str) -> bool {
    serde_json::from_str::<Value>(line).is_err_and(|e| e.is_eof())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn written(count: u64) -> Vec<String> {
        let mut chain = Chain::default();
        let says = |n: u64| json!({ "says": format!("行 {n}"), "n": 99 }).as_object().cloned().unwrap_or_default();
        let lines = (1..=count).map(|n| chain.line(says(n))).collect();
        assert_eq!(chain.lines(), count);
        lines
    }

    fn found(lines: &[String]) -> Vec<(usize, FaultKind)> {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        faults(&lines).into_iter().map(|fault| (fault.line, fault.kind)).collect()
    }

    #[test]
    fn lines_are_json_with_number_and_digest() {
        let lines = written(3);
        for (at, line) in lines.iter().enumerate() {
            let value: Value = serde_json::from_str(line).expect("it is JSON");
            assert_eq!((value["n"].as_u64(), value["says"].as_str().is_some()), (Some(at as u64 + 1), true));
            assert!(value["hash"].as_str().is_some_and(is_digest));
        }
        assert_eq!(found(&lines), []);
        assert_eq!(found(&[]), []);
    }

    #[test]
    fn what_was_done_to_a_line_is_named_and_nothing_else() {
        use FaultKind::{CutOff, Edited, Missing, Moved, Unreadable};
        let with = |change: &dyn Fn(&mut Vec<String>)| {
            let mut lines = written(6);
            change(&mut lines);
            found(&lines)
        };
        assert_eq!(with(&|l| l[2] = l[2].replace("行 3", "行 4")), [(3, Edited)]);
        assert_eq!(with(&|l| l[0] = l[0].replace("行", "列")), [(1, Edited)]);
        assert_eq!(with(&|l| l[5] = l[5].replace("行", "列")), [(6, Edited)]);
        assert_eq!(with(&|l| l[2] = l[2].replace("\"n\":3", "\"n\":4")), [(3, Edited)]);
        assert_eq!(with(&|l| l[2] = l[2].replace("\"n\":3", "\"n\":30")), [(3, Edited)]);
        assert_eq!(with(&|l| drop(l.remove(2))), [(3, Missing(1))]);
        assert_eq!(with(&|l| drop(l.drain(1..4))), [(2, Missing(3))]);
        assert_eq!(with(&|l| drop(l.remove(0))), [(1, Missing(1))]);
        assert_eq!(with(&|l| l.swap(2, 3)), [(3, Moved), (4, Moved)]);
        assert_eq!(with(&|l| l.swap(0, 1)), [(1, Moved), (2, Moved)]);
        assert_eq!(with(&|l| l.push(l[2].clone())), [(7, Moved)]);
        assert_eq!(with(&|l| l[3] = "not a line".into()), [(4, Unreadable)]);
        assert_eq!(with(&|l| l[5].truncate(30)), [(6, CutOff)]);
        assert_eq!(with(&|l| l[2] = "{\"n\":3,\"says\":".into()), [(3, Unreadable)]);
        // A tail that is gone leaves a chain that is whole: what must stand at its end is for others to say.
        assert_eq!(with(&|l| l.truncate(4)), []);
        let hash = |l: &mut Vec<String>| {
            let at = l[2].len() - 10;
            let other = if &l[2][at..=at] == "0" { "1" } else { "0" };
            l[2].replace_range(at..=at, other);
        };
        assert_eq!(with(&hash), [(3, Edited)]);
    }

    #[test]
    fn no_bytes_make_it_fail() {
        for text in ["", "{", "\"}", "{\"n\":,\"hash\":\"\"}", "{\"n\":99999999999999999999999,\"hash\":\"", "é\"}"] {
            let lines = vec![text.to_owned(), format!("{text}{}\"}}", START), written(1).remove(0)];
            assert!(found(&lines).len() >= 2, "{text}");
        }
        let largest = format!("{{\"n\":{},\"hash\":\"{START}\"}}", u64::MAX);
        assert!(!found(&[largest.clone(), largest]).is_empty());
    }
}
