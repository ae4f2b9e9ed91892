//! A step's command line, taken apart as a shell would, with targets in it.

use serde_json::Value;

/// A part of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    Text(String),
    Target(Named),
}

/// A target as a state shows it: `[role "name"]`, or `[role "name" 2]` for the second of that role and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) role: String,
    pub(super) name: String,
    nth: usize,
}

/// The words of a command line.
pub(super) fn words(line: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (word, after) = if rest.starts_with('[') { target(rest)? } else { text(rest)? };
        words.push(word);
        rest = after.trim_start();
    }
    Ok(words)
}

/// A word that may be quoted, as a whole or in parts.
fn text(line: &str) -> Result<(Word, &str), String> {
    let mut word = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next().filter(|c| !c.is_whitespace()) {
        rest = &rest[c.len_utf8()..];
        if c == '\'' || c == '"' {
            let end = rest.find(c).ok_or_else(|| format!("{c} is never closed"))?;
            word.push_str(&rest[..end]);
            rest = &rest[end + 1..];
        } else {
            word.push(c);
        }
    }
    Ok((Word::Text(word), rest))
}

fn target(line: &str) -> Result<(Word, &str), String> {
    let closed = || "[ is never closed".to_owned();
    let (role, rest) = line[1..].split_once(" \"").ok_or("a target is [role \"name\"]")?;
    let (name, rest) = rest.split_once('"').ok_or_else(closed)?;
    let (nth, rest) = rest.split_once(']').ok_or_else(closed)?;
    let nth = match nth.trim() {
        "" => 1,
        number => number.parse().map_err(|_| format!("`{number}` is no number"))?,
    };
    Ok((Word::Target(Named { role: role.to_owned(), name: name.to_owned(), nth }), rest))
}

impl Named {
    /// Its number in what `state --json` printed.
    pub(super) fn number(&self, state: &Value) -> Option<String> {
        let all = state["targets"].as_array()?.iter();
        let mut alike = all.filter(|t| t["role"] == *self.role && t["name"].as_str().unwrap_or_default() == self.name);
        Some(alike.nth(self.nth.checked_sub(1)?)?["ref"].to_string())
    }
}

/// Names of what a state lists of a role, for those who wonder why one isn't there.
pub(super) fn names(state: &Value, role: &str) -> String {
    let all = state["targets"].as_array().into_iter().flatten();
    let names: Vec<&str> =
        all.filter(|t| t["role"] == role).map(|t| t["name"].as_str().unwrap_or_default()).take(12).collect();
    if names.is_empty() { format!("no {role} at all") } else { format!("{role} {names:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(word: &str) -> Word {
        Word::Text(word.into())
    }

    #[test]
    fn a_command_line_is_taken_apart() {
        let named = |role: &str, name: &str, nth| Word::Target(Named { role: role.into(), name: name.into(), nth });
        assert_eq!(
            words(r#"drag [all item "It's 1"] --to [listitem "" 2] --css 'a[b="c"]' x"y z""#),
            Ok(vec![
                text("drag"),
                named("all item", "It's 1", 1),
                text("--to"),
                named("listitem", "", 2),
                text("--css"),
                text("a[b=\"c\"]"),
                text("xy z"),
            ])
        );
        for bad in ["click [button", "click [button \"a\" x]", "type 'a", "click []"] {
            assert!(words(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_target_is_found_by_role_name_and_place() {
        let state = json!({"targets": [
            {"role": "link", "name": "Edit", "ref": 4}, {"role": "button", "name": "Edit", "ref": 5},
            {"role": "button", "name": "Edit", "ref": 9}, {"role": "textbox", "ref": 11},
        ]});
        let number = |line: &str| match &words(line).unwrap()[0] {
            Word::Target(named) => named.number(&state),
            Word::Text(_) => None,
        };
        assert_eq!(number("[button \"Edit\"]").as_deref(), Some("5"));
        assert_eq!(number("[button \"Edit\" 2]").as_deref(), Some("9"));
        assert_eq!(number("[button \"Edit\" 3]"), None);
        assert_eq!(number("[textbox \"\"]").as_deref(), Some("11"));
        assert_eq!(names(&state, "button"), "button [\"Edit\", \"Edit\"]");
    }
}
