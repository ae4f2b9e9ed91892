//! A step's command line, taken apart as a shell would, with targets in it.

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
    /// Its number in what `state` printed, as an agent reads it there.
    pub(super) fn number(&self, state: &str) -> Option<String> {
        let mut alike =
            state.lines().filter_map(listed).filter(|one| one.role == self.role && one.is_called(&self.name));
        Some(alike.nth(self.nth.checked_sub(1)?)?.number.to_owned())
    }
}

/// A target in a line such as `  [5] button "" (triangle-1-n) disabled`.
struct Listed<'a> {
    number: &'a str,
    role: &'a str,
    name: &'a str,
    rest: &'a str,
}

impl Listed<'_> {
    /// What has no name is called by its hint, brackets and all.
    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.name.is_empty() && name.starts_with('(') && self.rest.contains(name)
    }
}

fn listed(line: &str) -> Option<Listed<'_>> {
    let (number, rest) = line.trim_start().strip_prefix('[')?.split_once("] ")?;
    let (role, rest) = rest.split_once(" \"")?;
    let mut escaped = false;
    let end = rest.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some(Listed { number, role, name: &rest[..end], rest: rest[end + 1..].trim_start() })
}

/// Names of what a state lists of a role, for those who wonder why one isn't there.
pub(super) fn names(state: &str, role: &str) -> String {
    let names: Vec<&str> =
        state.lines().filter_map(listed).filter(|one| one.role == role).map(|one| one.name).take(12).collect();
    if names.is_empty() { format!("no {role} at all") } else { format!("{role} {names:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let state = concat!(
            "page \"A\" http://a/  4 targets\n[4] link \"Edit\"\n  [5] button \"Edit\" ↓\ntext \"Edit\"\n",
            "[9] button \"Edit\" disabled\n[10] button \"\" (spin-up) aria-hidden\n[11] textbox \"a \\\" b\" focused\n",
        );
        let number = |line: &str| match &words(line).unwrap()[0] {
            Word::Target(named) => named.number(state),
            Word::Text(_) => None,
        };
        assert_eq!(number("[button \"Edit\"]").as_deref(), Some("5"));
        assert_eq!(number("[button \"Edit\" 2]").as_deref(), Some("9"));
        assert_eq!(number("[button \"Edit\" 3]"), None);
        assert_eq!(number("[button \"(spin-up)\"]").as_deref(), Some("10"));
        assert_eq!(number("[button \"\"]").as_deref(), Some("10"));
        assert_eq!(number("[text \"Edit\"]"), None);
        assert_eq!(names(state, "textbox"), r#"textbox ["a \\\" b"]"#);
    }
}
