//! A configuration file's text to settings, with the origin of every value.

use handeye_commands::Settings;
use handeye_scene::{Code, Problem};
use std::collections::BTreeMap;
use std::path::Path;

/// Where a setting comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Built in.
    Default,
    /// The configuration file.
    File,
    /// An environment variable.
    Environment,
}

impl Source {
    /// Its word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Source::Default => "default",
            Source::File => "file",
            Source::Environment => "environment",
        }
    }
}

/// Reads the text of the file at `path`. Unknown keys are refused, naming key, file and line.
pub(crate) fn parse(text: &str, path: &Path, sources: &mut BTreeMap<String, Source>) -> Result<Settings, Problem> {
    let refused = |e: toml::de::Error| {
        let place = match e.span() {
            Some(span) => {
                let line = text.get(..span.start).unwrap_or(text).matches('\n').count() + 1;
                format!("{}:{line}", path.display())
            }
            None => path.display().to_string(),
        };
        // Of a whole table, serde tells the key; of a value, the line does.
        let shown =
            e.span().and_then(|span| text.get(span)).map(str::trim).filter(|s| !s.is_empty() && !s.contains('\n'));
        let message = match shown {
            Some(shown) if !e.message().contains(shown) => format!("{place}: {} (at `{shown}`)", e.message()),
            _ => format!("{place}: {}", e.message()),
        };
        Problem::new(Code::BadRequest, message).hint("handeye config show")
    };
    let settings: Settings = toml::from_str(text).map_err(refused)?;
    let table: toml::Table = toml::from_str(text).map_err(refused)?;
    leaves(&table, "", &mut |key| {
        sources.insert(key, Source::File);
    });
    Ok(settings)
}

/// Lays what a file says, of which it names `keys`, over what holds. A policy can only become stricter by it.
pub(crate) fn lay(base: Settings, over: Settings, keys: &BTreeMap<String, Source>) -> Result<Settings, Problem> {
    let bug = |e: serde_json::Error| Problem::new(Code::Bug, format!("settings can't be joined: {e}"));
    let before = base.policy.clone();
    let mut joined = serde_json::to_value(base).map_err(bug)?;
    let over = serde_json::to_value(over).map_err(bug)?;
    for key in keys.keys() {
        let place = format!("/{}", key.replace('.', "/"));
        if let (Some(to), Some(from)) = (joined.pointer_mut(&place), over.pointer(&place)) {
            *to = from.clone();
        }
    }
    let mut joined: Settings = serde_json::from_value(joined).map_err(bug)?;
    let policy = &mut joined.policy;
    policy.public_only |= before.public_only;
    narrow(&mut policy.allow_origins, before.allow_origins)?;
    let lists = [
        (&mut policy.deny, before.deny),
        (&mut policy.ask, before.ask),
        (&mut policy.deny_origins, before.deny_origins),
    ];
    for (list, before) in lists {
        list.extend(before);
        list.sort();
        list.dedup();
    }
    Ok(joined)
}

/// Of what is allowed already, a file may name less; never none, which would mean everything.
fn narrow(list: &mut Vec<String>, before: Vec<String>) -> Result<(), Problem> {
    if before.is_empty() {
        return Ok(());
    }
    if let Some(more) = list.iter().find(|pattern| !before.contains(pattern)) {
        let what =
            format!("policy.allow_origins of a project folder names `{more}`, which your own file doesn't allow");
        return Err(Problem::new(Code::Denied, what).hint("handeye config show"));
    }
    if list.is_empty() {
        *list = before;
    }
    Ok(())
}

fn leaves(table: &toml::Table, prefix: &str, found: &mut impl FnMut(String)) {
    for (key, value) in table {
        let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            toml::Value::Table(table) => leaves(table, &key, found),
            _ => found(key),
        }
    }
}

/// Every setting's dotted key with its origin, in the order of the settings.
pub(crate) fn all(settings: &Settings, sources: &BTreeMap<String, Source>) -> Vec<(String, String)> {
    let mut keys = Vec::new();
    if let Ok(value) = serde_json::to_value(settings) {
        dotted(&value, "", &mut keys);
    }
    keys.into_iter()
        .map(|key| {
            let source = sources.get(&key).copied().unwrap_or(Source::Default);
            (key, source.word().to_owned())
        })
        .collect()
}

fn dotted(value: &serde_json::Value, prefix: &str, keys: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(members) => {
            for (key, value) in members {
                let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                dotted(value, &key, keys);
            }
        }
        _ => keys.push(prefix.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        parse(text, Path::new("/c/handeye.toml"), &mut BTreeMap::new()).expect_err(text).message
    }

    #[test]
    fn refusals_name_key_file_and_line() {
        for (text, parts) in [
            ("[browser]\npath = \"x\"\n\n[waits]\nlaod = 3\n", &["/c/handeye.toml:5", "laod"][..]),
            ("[brwoser]\npath = \"x\"\n", &["/c/handeye.toml:1", "brwoser"]),
            ("[waits]\nload = \"long\"\n", &["/c/handeye.toml:2", "long"]),
            ("[waits\n", &["/c/handeye.toml:1"]),
        ] {
            let message = problem(text);
            for part in parts {
                assert!(message.contains(part), "{message} lacks {part}");
            }
        }
    }

    #[test]
    fn origins() {
        let mut sources = BTreeMap::new();
        let text = "[waits]\nload = 3\n[browser]\nheaded = true\nviewport = [800, 600]\n";
        let settings = parse(text, Path::new("x"), &mut sources).expect("it is valid");
        let all: BTreeMap<String, String> = super::all(&settings, &sources).into_iter().collect();
        for (key, source) in [
            ("waits.load", "file"),
            ("browser.viewport", "file"),
            ("waits.ready", "default"),
            ("policy.deny", "default"),
        ] {
            assert_eq!(all.get(key).map(String::as_str), Some(source), "{key}");
        }
    }
}
