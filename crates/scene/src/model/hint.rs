//! What to do next: a command and its arguments. Each front end writes it in its own way: as a line for a shell, as a call of
//! a tool. On the wire and in JSON it is the line.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// The program's name, as lines begin.
const PROGRAM: &str = "handeye";
/// The options that may stand before a command.
const SESSION: &str = "--session";
const CONFIG: &str = "--config";

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint(Next);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Next {
    /// A command of handeye's.
    Command { session: Option<String>, config: Option<String>, name: String, args: Vec<Arg> },
    /// What no command does, in words for a person.
    Words(String),
}

/// One word after a command's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    /// As it is to be given.
    Value(String),
    /// What stands for a value that only the caller knows: `URL`, `REF`, `X,Y`.
    Placeholder(String),
}

impl Arg {
    /// Its letters.
    pub fn text(&self) -> &str {
        match self {
            Self::Value(text) | Self::Placeholder(text) => text,
        }
    }
}

impl Hint {
    /// A command, to which arguments are added.
    pub fn command(name: impl Into<String>) -> Self {
        Self(Next::Command { session: None, config: None, name: name.into(), args: Vec::new() })
    }

    /// Adds an argument: whatever its letters, a value and one word.
    #[must_use]
    pub fn arg(mut self, value: impl Into<String>) -> Self {
        if let Next::Command { args, .. } = &mut self.0 {
            args.push(Arg::Value(value.into()));
        }
        self
    }

    /// Names the session that the command is for.
    #[must_use]
    pub fn in_session(mut self, name: &str) -> Self {
        if let Next::Command { session, .. } = &mut self.0 {
            *session = Some(name.to_owned());
        }
        self
    }

    /// Names the configuration file that the command is to read.
    #[must_use]
    pub fn with_config(mut self, file: &str) -> Self {
        if let Next::Command { config, .. } = &mut self.0 {
            *config = Some(file.to_owned());
        }
        self
    }

    /// The command's name; none where it is none.
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Next::Command { name, .. } => Some(name),
            Next::Words(_) => None,
        }
    }

    /// The words after the command's name.
    pub fn args(&self) -> &[Arg] {
        match &self.0 {
            Next::Command { args, .. } => args,
            Next::Words(_) => &[],
        }
    }

    /// The command line without the program's name and what stands before the command's; none where it is no command.
    pub fn argv(&self) -> Option<Vec<String>> {
        let name = self.name()?.to_owned();
        Some(std::iter::once(name).chain(self.args().iter().map(|arg| arg.text().to_owned())).collect())
    }

    /// Whether it only asks what a command takes.
    pub fn asks_for_help(&self) -> bool {
        self.args().iter().any(|arg| arg.text() == "--help")
    }

    /// Writes the texts in it anew, such as without what isn't to be shown.
    pub fn rewrite(&mut self, mut anew: impl FnMut(&str) -> String) {
        match &mut self.0 {
            Next::Words(words) => *words = anew(words),
            Next::Command { args, .. } => args.iter_mut().for_each(|arg| match arg {
                Arg::Value(text) | Arg::Placeholder(text) => *text = anew(text),
            }),
        }
    }
}

/// Reads a line as a shell does. What isn't a whole command of the program is taken as words.
impl From<&str> for Hint {
    fn from(line: &str) -> Self {
        read(line).unwrap_or_else(|| Self(Next::Words(line.to_owned())))
    }
}

impl From<String> for Hint {
    fn from(line: String) -> Self {
        Self::from(line.as_str())
    }
}

fn read(line: &str) -> Option<Hint> {
    let mut words = split(line.strip_prefix(PROGRAM)?.strip_prefix(' ')?)?.into_iter();
    let (mut session, mut config) = (None, None);
    let mut name = words.next()?;
    loop {
        let option = match name.text() {
            SESSION => &mut session,
            CONFIG => &mut config,
            _ => break,
        };
        *option = Some(words.next()?.text().to_owned());
        name = words.next()?;
    }
    let is_name = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase());
    let name = name.text().to_owned();
    is_name(&name).then(|| Hint(Next::Command { session, config, name, args: words.collect() }))
}

/// A line's words, as a shell reads them; none where a quote isn't closed.
fn split(line: &str) -> Option<Vec<Arg>> {
    let mut words = Vec::new();
    // The word that is being read, and whether a part of it is quoted.
    let mut word: Option<(String, bool)> = None;
    let mut letters = line.chars();
    let end = |word: Option<(String, bool)>| {
        word.map(|(text, quoted)| if !quoted && stands_for(&text) { Arg::Placeholder(text) } else { Arg::Value(text) })
    };
    while let Some(letter) = letters.next() {
        match letter {
            ' ' => words.extend(end(word.take())),
            '\'' | '"' => {
                let (inside, quoted) = word.get_or_insert_default();
                *quoted = true;
                loop {
                    match letters.next()? {
                        '\\' if letter == '"' => inside.push(letters.next()?),
                        end if end == letter => break,
                        other => inside.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_default().0.push(letters.next()?),
            other => word.get_or_insert_default().0.push(other),
        }
    }
    words.extend(end(word));
    Some(words)
}

/// Whether a word that isn't quoted stands for a value: it is in capitals.
fn stands_for(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, ',' | '_'))
}

/// As a line for a shell.
impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Next::Words(words) => f.write_str(words),
            Next::Command { session, config, name, args } => {
                f.write_str(PROGRAM)?;
                for (option, value) in [(SESSION, session), (CONFIG, config)] {
                    if let Some(value) = value {
                        write!(f, " {option} {}", quoted(value))?;
                    }
                }
                write!(f, " {name}")?;
                args.iter().try_for_each(|arg| match arg {
                    Arg::Placeholder(text) => write!(f, " {text}"),
                    Arg::Value(text) => write!(f, " {}", quoted(text)),
                })
            }
        }
    }
}

/// A value so that a shell reads it as one word, and nobody as a placeholder.
fn quoted(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,@+%^".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) && !stands_for(text) {
        return Cow::Borrowed(text);
    }
    // What a shell looks for inside these quotes isn't there.
    if !text.contains(['"', '\\', '$', '`', '!']) {
        return Cow::Owned(format!("\"{text}\""));
    }
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
}

/// Whether it is what that line says.
impl PartialEq<str> for Hint {
    fn eq(&self, line: &str) -> bool {
        match (read(line), &self.0) {
            (Some(said), own) => said.0 == *own,
            (None, Next::Words(words)) => words == line,
            (None, Next::Command { .. }) => false,
        }
    }
}

impl PartialEq<&str> for Hint {
    fn eq(&self, line: &&str) -> bool {
        *self == **line
    }
}

impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl JsonSchema for Hint {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Hint".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Arg {
        Arg::Value(text.to_owned())
    }

    fn placeholder(text: &str) -> Arg {
        Arg::Placeholder(text.to_owned())
    }

    #[test]
    fn a_line_is_read_as_a_shell_reads_it() {
        let cases: [(&str, &str, Vec<Arg>); 8] = [
            ("handeye state", "state", vec![]),
            ("handeye state --within 3", "state", vec![value("--within"), value("3")]),
            ("handeye input REF \"SEVERAL WORDS\"", "input", vec![placeholder("REF"), value("SEVERAL WORDS")]),
            ("handeye drag 3 --to X,Y", "drag", vec![value("3"), value("--to"), placeholder("X,Y")]),
            ("handeye find 'it'\\''s' ''", "find", vec![value("it's"), value("")]),
            (r#"handeye find "Sign \"in\"""#, "find", vec![value("Sign \"in\"")]),
            ("handeye find \"OK\"", "find", vec![value("OK")]),
            ("handeye  screenshot NEW.png", "screenshot", vec![value("NEW.png")]),
        ];
        for (line, name, args) in cases {
            let hint = Hint::from(line);
            assert_eq!((hint.name(), hint.args()), (Some(name), args.as_slice()), "{line}");
        }
        let session = Hint::from("handeye --session other state --all");
        assert_eq!(session, Hint::from("handeye state --all").in_session("other"));
    }

    #[test]
    fn what_is_no_whole_command_is_words() {
        for words in [
            "start handeye as administrator",
            "HANDEYE_RUNTIME_DIR=/tmp/he handeye …",
            "handeye",
            "handeye --help",
            "handeye find \"open",
            "handeyes state",
            "",
        ] {
            let hint = Hint::from(words);
            assert_eq!((hint.name(), hint.argv(), hint.to_string()), (None, None, words.to_owned()), "{words}");
            assert_eq!(hint.in_session("other"), words, "{words}");
        }
    }

    #[test]
    fn what_is_written_is_read_the_same() {
        for text in
            ["", "a", "OK", "two words", "it's", "\"so\"", "$HOME", "`x`", "a\\b", "a'b\"c", "*", "下一页", "-x"]
        {
            let hint = Hint::command("find").arg(text).arg("--name").arg(text);
            assert_eq!(Hint::from(hint.to_string()), hint, "{hint}");
            let named = hint.clone().in_session(if text.is_empty() { "x" } else { text });
            assert_eq!(Hint::from(named.to_string()), named, "{named}");
            let both = named.with_config(text);
            assert_eq!(Hint::from(both.to_string()), both, "{both}");
            let json = serde_json::to_string(&hint).expect("a line is text");
            assert_eq!(serde_json::from_str::<Hint>(&json).expect("it was one"), hint, "{json}");
        }
    }

    #[test]
    fn a_line_needs_no_more_quotes_than_it_has_to() {
        let cases = [
            (Hint::command("open").arg("https://example.com/a-b_c"), "handeye open https://example.com/a-b_c"),
            (
                Hint::command("open").arg("https://example.com/?a=1&b=2"),
                "handeye open \"https://example.com/?a=1&b=2\"",
            ),
            (Hint::command("find").arg("OK"), "handeye find \"OK\""),
            (Hint::command("find").arg("Sign \"in\""), "handeye find 'Sign \"in\"'"),
            (Hint::from("handeye input REF TEXT").in_session("two"), "handeye --session two input REF TEXT"),
            (
                Hint::from("handeye models list").with_config("my own.toml"),
                "handeye --config \"my own.toml\" models list",
            ),
            (
                Hint::from("handeye --config a.toml state").in_session("two"),
                "handeye --session two --config a.toml state",
            ),
        ];
        for (hint, line) in cases {
            assert_eq!(hint.to_string(), line);
        }
    }

    #[test]
    fn texts_can_be_written_anew() {
        let mut hint = Hint::from("handeye find secret --name TEXT");
        hint.rewrite(|text| text.replace("secret", "***"));
        assert_eq!(hint.to_string(), "handeye find \"***\" --name TEXT");
        let mut words = Hint::from("ask for the secret");
        words.rewrite(|text| text.replace("secret", "***"));
        assert_eq!(words, "ask for the ***");
    }
}
