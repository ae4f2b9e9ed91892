//! A configuration file's text to settings, with the origin of every value.

use handeye_commands::Settings;
use handeye_commands::core::policy::Policy;
use handeye_commands::core::spelling::nearest;
use handeye_scene::{Code, Problem};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Largest configuration file that is read, in bytes.
const LARGEST: u64 = 1 << 18;

/// Stack of the parser, in bytes: several times what the deepest text that it accepts needs without optimisation.
const PARSER_STACK: usize = 16 << 20;

/// What a file that was found in a folder may set, as keys or whole tables: nothing of it decides what is started, connected to,
/// clicked or typed by, or kept, and rules only become stricter by it.
const HARMLESS: [&str; 9] = [
    "browser.viewport",
    "limits",
    "policy.allow_origins",
    "policy.ask",
    "policy.deny",
    "policy.deny_origins",
    "policy.public_only",
    "typing.pace_ms",
    "waits",
];

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

/// The text of a configuration file. What isn't a plain file is not read at all: a pipe would be waited for. One that was found, and
/// is a link, could show what it leads to by being refused.
pub(crate) fn text_of(path: &Path, found: bool) -> Result<String, Problem> {
    let refused =
        |why: &str| Problem::new(Code::File, format!("the configuration file {} can't be read: {why}", path.display()));
    let failed = |e: io::Error| refused(&e.to_string());
    let facts = if found { path.symlink_metadata() } else { path.metadata() }.map_err(failed)?;
    if facts.is_symlink() {
        return Err(refused("it is a link, which is followed only in your own settings folder"));
    }
    if !facts.is_file() {
        return Err(refused("it is not a plain file"));
    }
    let file = open(path, found).map_err(failed)?;
    // It may have been replaced meanwhile.
    let facts = file.metadata().map_err(failed)?;
    if !facts.is_file() {
        return Err(refused("it is not a plain file"));
    }
    if facts.len() > LARGEST {
        return Err(refused(&format!("it has {} bytes, and {LARGEST} are the most", facts.len())));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(refused(&format!("it has more than {LARGEST} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| refused("it isn't valid UTF-8"))
}

/// Opens without waiting for anything.
#[cfg(unix)]
fn open(path: &Path, found: bool) -> io::Result<File> {
    use nix::fcntl::OFlag;
    use std::os::unix::fs::OpenOptionsExt;
    let plain = OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let flags = if found { plain | OFlag::O_NOFOLLOW } else { plain };
    File::options().read(true).custom_flags(flags.bits()).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path, _found: bool) -> io::Result<File> {
    File::open(path)
}

/// Refuses what a file that was found in a folder may not set, naming the first such key.
pub(crate) fn check_project(
    keys: &BTreeMap<String, Source>,
    path: &Path,
    own: &Option<PathBuf>,
) -> Result<(), Problem> {
    let may =
        |key: &str| HARMLESS.iter().any(|h| key.strip_prefix(h).is_some_and(|r| r.is_empty() || r.starts_with('.')));
    let Some(key) = keys.keys().find(|key| !may(key)) else { return Ok(()) };
    let own = own.as_ref().map_or_else(|| "~/.config/handeye/handeye.toml".to_owned(), |own| own.display().to_string());
    let what = format!(
        "the configuration file {} sets {key}, and a file in a project folder may set only {}: set it in {own}, or remove it there",
        path.display(),
        HARMLESS.join(", ")
    );
    // No command that would follow the file is named: whoever reads this may run what is.
    Err(Problem::new(Code::Denied, what))
}

/// The longest wait that a file may ask for, seconds: a day.
const LONGEST_WAIT: f64 = 86_400.0;

/// Reads the text of the file at `path`. Unknown keys are refused, naming key, file and line.
pub(crate) fn parse(text: &str, path: &Path, sources: &mut BTreeMap<String, Source>) -> Result<Settings, Problem> {
    let refused = |Refused { error: e, meant }: Refused| {
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
        let meant = meant.map(|key| format!("; did you mean `{key}`?")).unwrap_or_default();
        // No command that reads the file is named: it would end with the same.
        Problem::new(Code::BadRequest, message + &meant)
    };
    let (settings, table) = read_toml(text)?.map_err(refused)?;
    let seconds = table.get("waits").and_then(toml::Value::as_table).into_iter().flatten();
    for (key, value) in seconds {
        // Integers are seconds too; what isn't a number was refused above.
        let given = value.as_float().or(value.as_integer().map(|whole| whole as f64)).unwrap_or_default();
        if !(0.0..=LONGEST_WAIT).contains(&given) {
            let what =
                format!("{}: waits.{key} is {given}: it must be seconds from 0 to {LONGEST_WAIT}", path.display());
            return Err(Problem::new(Code::BadRequest, what));
        }
    }
    // Settings are joined as JSON, which has no such numbers.
    if let Some(what) = table.iter().find_map(|(key, value)| not_finite(key, value)) {
        let what = format!("{}: {what}: it takes a finite number", path.display());
        return Err(Problem::new(Code::BadRequest, what));
    }
    if let Some(key) = table.iter().find_map(|(key, value)| misnamed(key, value)) {
        let what = format!(
            "{}: {key} is to name an environment variable, in letters, digits and `_`, and holds what can't be one or looks like a key itself; put a key into a variable, and name that",
            path.display()
        );
        return Err(Problem::new(Code::BadRequest, what));
    }
    leaves(&table, "", &mut |key| {
        sources.insert(key, Source::File);
    });
    Ok(settings)
}

/// The key that the first one which isn't known may be meant for: one of its own table, else one of another.
fn meant_key(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    let known = serde_json::to_value(Settings::default()).ok()?;
    unknown(&toml::Value::Table(table), &known, "", &known)
}

fn unknown(written: &toml::Value, known: &serde_json::Value, prefix: &str, all: &serde_json::Value) -> Option<String> {
    let (written, members) = (written.as_table()?, known.as_object().filter(|members| !members.is_empty())?);
    let path = |key: &str| if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
    for (key, value) in written {
        let Some(known) = members.get(key) else {
            return nearest(key, members.keys().map(String::as_str)).map(path).or_else(|| elsewhere(key, all));
        };
        if let Some(meant) = unknown(value, known, &path(key), all) {
            return Some(meant);
        }
    }
    None
}

/// A key of any table that is called just so.
fn elsewhere(key: &str, all: &serde_json::Value) -> Option<String> {
    let mut keys = Vec::new();
    dotted(all, "", &mut keys);
    keys.into_iter().find(|known| known.rsplit('.').next() == Some(key))
}

/// The first number within that is none, or has no end: its key and what it is.
fn not_finite(key: &str, value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::Float(number) if !number.is_finite() => Some(format!("{key} is {number}")),
        toml::Value::Array(items) => items.iter().find_map(|item| not_finite(key, item)),
        toml::Value::Table(table) => table.iter().find_map(|(name, value)| not_finite(&format!("{key}.{name}"), value)),
        _ => None,
    }
}

/// Why a text is refused, and the key that was meant by one that isn't known.
struct Refused {
    error: toml::de::Error,
    meant: Option<String>,
}

/// Reads TOML on a thread with a stack of its own: the parser is recursive, and bounds its depth by more than what a small stack holds
/// (`ulimit -s`, threads of a test).
fn read_toml(text: &str) -> Result<Result<(Settings, toml::Table), Refused>, Problem> {
    let read = || {
        let both = || Ok((toml::from_str(text)?, toml::from_str(text)?));
        both().map_err(|error| Refused { error, meant: meant_key(text) })
    };
    let bug = |what: &str| Problem::new(Code::Bug, format!("the configuration can't be read: {what}"));
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(PARSER_STACK).spawn_scoped(scope, read);
        let reader = reader.map_err(|e| bug(&e.to_string()))?;
        reader.join().map_err(|_| bug("its reader panicked"))
    })
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
        return Err(Problem::new(Code::Denied, what));
    }
    if list.is_empty() {
        *list = before;
    }
    Ok(())
}

/// Refuses rules that mean nothing, naming the file that they stand in.
pub(crate) fn check_rules(settings: &Settings, files: &[PathBuf]) -> Result<(), Problem> {
    let Err(mut problem) = Policy::parse(&settings.policy) else { return Ok(()) };
    let is_in = |path: &&PathBuf| {
        let read = text_of(path, false).and_then(|text| parse(&text, path, &mut BTreeMap::new()));
        read.is_ok_and(|read| Policy::parse(&read.policy).is_err())
    };
    if let Some(path) = files.iter().find(is_in) {
        problem.message = format!("{}: {}", path.display(), problem.message);
    }
    Err(problem)
}

/// The first setting within that is to name an environment variable and doesn't. Its value may be what the variable should hold, so
/// nothing repeats it.
fn misnamed(key: &str, value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(name) => {
            (key.ends_with("_env") && (!is_variable(name) || is_key(name))).then(|| key.to_owned())
        }
        toml::Value::Array(items) => items.iter().find_map(|item| misnamed(key, item)),
        toml::Value::Table(table) => table.iter().find_map(|(name, value)| misnamed(&format!("{key}.{name}"), value)),
        _ => None,
    }
}

/// Whether an environment variable may be called so.
fn is_variable(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(is_part) && name.starts_with(|c: char| !c.is_ascii_digit())
}

/// How keys begin that could be names of variables, and how many letters and digits without a `_` they have after that at least.
const KEYS: [&str; 5] = ["sk_", "gsk_", "hf_", "r8_", "ghp_"];
const REST: usize = 12;
/// So many letters and digits without a `_`, with several digits among them, are no word.
const RUN: usize = 20;

/// Whether a text looks like a key more than like the name of a variable.
fn is_key(text: &str) -> bool {
    let is_run = |part: &str| part.len() >= RUN && part.bytes().filter(u8::is_ascii_digit).count() > 2;
    let is_rest = |rest: &str| rest.len() >= REST && !rest.contains('_');
    KEYS.iter().any(|begin| text.strip_prefix(begin).is_some_and(is_rest)) || text.split('_').any(is_run)
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
            ("[waits]\nlaod = 3\n", &["did you mean `waits.load`?"]),
            ("[brwoser]\npath = \"x\"\n", &["did you mean `browser`?"]),
            ("[policy]\ndney = [\"acts\"]\n", &["dney", "did you mean `policy.deny`?"]),
            ("deny = [\"acts\"]\n", &["did you mean `policy.deny`?"]),
            ("[models.jugde]\nurl = \"x\"\n", &["did you mean `models.judge`?"]),
            ("[waits\n", &["/c/handeye.toml:1"]),
            ("[waits]\nready = inf\n", &["waits.ready is inf", "seconds"]),
            ("[waits]\nload = -5.0\n", &["waits.load is -5"]),
        ] {
            let message = problem(text);
            for part in parts {
                assert!(message.contains(part), "{message} lacks {part}");
            }
        }
    }

    #[test]
    fn what_names_a_variable_is_a_name_and_no_key_and_a_key_is_not_repeated() {
        for (name, is_one) in [
            ("OPENAI_API_KEY", true),
            ("_key2", true),
            ("openai_api_key_of_project_2", true),
            ("MYCOMPANYSOPENAIKEY2", true),
            ("hf_token", true),
            ("sk_key_of_project", true),
            ("sk-abc123456789", false),
            ("sk_abc123456789", false),
            ("hf_abcdefghijklmnop", false),
            ("a1b2c3d4e5f60718293a4b5c6d7e8f90", false),
            ("2KEY", false),
            ("A=B", false),
            ("SCHLÜSSEL", false),
            ("", false),
        ] {
            for (table, key) in [
                ("[models]\nkey_env", "models.key_env"),
                ("[models.judge]\nkey_env", "models.judge.key_env"),
                ("[[chat.models]]\nname = \"m\"\nkey_env", "chat.models.key_env"),
                ("[[chat.mcp]]\nname = \"m\"\ntoken_env", "chat.mcp.token_env"),
                ("[chat.query]\nurl_env", "chat.query.url_env"),
            ] {
                let text = format!("{table} = \"{name}\"\n");
                let read = parse(&text, Path::new("/c/handeye.toml"), &mut BTreeMap::new());
                assert_eq!(
                    read.as_ref().map(|_| ()).map_err(|problem| problem.code),
                    if is_one { Ok(()) } else { Err(Code::BadRequest) },
                    "{text}"
                );
                if let Err(problem) = read {
                    let is_told = !name.is_empty() && problem.message.contains(name);
                    assert!(problem.message.contains(key) && !is_told, "{problem}");
                }
            }
        }
    }

    #[test]
    fn depth_is_refused_whatever_the_stack() {
        let path = vec!["a"; 70].join(".");
        let deep = [
            format!("[policy]\ndeny = {}{}\n", "[".repeat(5000), "]".repeat(5000)),
            format!("[policy]\ndeny = {}{}\n", "[".repeat(70), "]".repeat(70)),
            format!("{}x = 1{}\n", format!("{path} = {{").repeat(70), "}".repeat(70)),
            format!("[policy]\ndeny = [{{{}\n", format!("{path} = [{{").repeat(35)),
        ];
        let small = std::thread::Builder::new().stack_size(256 << 10);
        let told = small.spawn(move || deep.map(|text| problem(&text))).expect("a thread starts").join();
        assert!(told.expect("no panic").iter().all(|message| message.contains("/c/handeye.toml:")));
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
