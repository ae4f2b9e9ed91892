//! The tables and the rules.

use super::circles::circles;
use super::cited::{cited, named};
use super::finding::{Finding, add};
use super::rooms::rooms;
use super::sizes::sizes;
use super::source::{File, has_word};
use std::collections::BTreeSet;

/// Which crates of ours a crate may name. A new crate gets a line here and its place in ARCHITECTURE.md.
const ORDER: &[(&str, &[&str])] = &[
    ("testkit", &["scene", "engine", "browser", "desktop", "commands"]),
    ("scene", &[]),
    ("engine", &["scene"]),
    ("models", &["scene"]),
    ("vision", &["scene"]),
    ("browser", &["scene"]),
    ("desktop", &["scene"]),
    ("commands", &["scene", "engine"]),
    ("agent", &["scene", "engine", "commands", "models"]),
    ("server", &["scene", "engine", "commands", "models", "agent"]),
    ("chat", &["scene", "engine", "commands", "models", "agent"]),
    ("app", &["scene", "engine", "browser", "desktop", "models", "vision", "commands", "agent", "server", "chat"]),
];

/// What a crate's tests may name beside. Where no daemon can run, a surface's live tests go through the act loop itself.
const FOR_TESTS: &[(&str, &[&str])] = &[
    ("engine", &["testkit"]),
    ("models", &["testkit"]),
    ("vision", &["testkit"]),
    ("browser", &["testkit"]),
    ("desktop", &["engine", "testkit"]),
    ("commands", &["testkit"]),
    ("agent", &["testkit"]),
    ("server", &["testkit"]),
    ("chat", &["testkit"]),
    ("app", &["testkit"]),
];

/// Dependencies that a crate must never have: crate, packages, why.
const NEVER_DEPENDS: &[(&str, &[&str], &str)] = &[
    ("scene", &["tokio", "clap", "nix", "socket2", "tokio-tungstenite"], "scene holds nouns and ports, no I/O"),
    ("engine", &["tokio", "clap", "nix", "time", "tempfile"], "engine is pure: time and I/O come through ports"),
    ("vision", &["tokio", "reqwest"], "vision works on pictures in memory; pip fetches its weights"),
    ("chat", &["clap", "nix"], "command lines and processes are the app's"),
    ("agent", &["clap", "reqwest", "nix"], "the agent reaches the world through its ports"),
    ("commands", &["tokio-tungstenite", "nix"], "commands reach the world through the session's ports"),
];

/// Code that must never appear: where, words, why.
const NEVER_SAYS: &[(Where, &[&str], &str)] = &[
    (Where::Crate("scene"), &["std::net", "unix::net", "std::fs", "std::process"], "scene holds no I/O"),
    (
        Where::Crate("engine"),
        &["Instant", "SystemTime", "std::fs", "std::env", "std::net", "std::process", "thread::sleep"],
        "engine is pure: clocks, files and environment come through ports",
    ),
    (
        Where::AllBut(&["crates/app/src/config.rs", "crates/app/src/config/", "crates/testkit/"]),
        &["env::var", "env::var_os", "env::vars", "env::vars_os"],
        "the environment is read in the app's config module alone",
    ),
    (
        Where::AllBut(&["crates/app/", "crates/testkit/"]),
        &["println!", "eprintln!", "print!", "eprint!", "dbg!"],
        "only app prints; data goes back as values, logs through the log",
    ),
];

/// Longest file, in lines, where no line below says otherwise.
const LIMIT: usize = 500;
/// Files that may be longer: path, limit, why it is better in one piece.
const LONGER: &[(&str, usize, &str)] = &[];

/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &["utils", "util", "common", "manager", "managers", "helpers", "helper", "misc"];
/// Endings of type names that say nothing either.
const EMPTY_ENDINGS: &[&str] = &["Manager", "Helper", "Helpers", "Util", "Utils"];

/// Marks of work left to do.
const UNFINISHED: &[&str] = &["TODO", "FIXME", "todo!", "unimplemented!", "#[ignore"];
/// What alone may leave a test out of the normal run.
const LONG_TEST: &str = "#[ignore = \"long: runs with cargo xtask test --full\"]";
/// Folders at the top of a file system that exist on one machine, or for one person.
const MACHINE_FOLDERS: &[&str] = &["work", "root"];
/// Where the commands are listed, generated from their declarations.
const COMMAND_REFERENCE: &str = "docs/commands.md";
/// The rules' own words and examples.
const OWN_WORDS: &str = "xtask/src/tidy/";

/// Where a rule about words holds, among the sources of the crates.
enum Where {
    Crate(&'static str),
    AllBut(&'static [&'static str]),
}

impl Where {
    fn holds(&self, file: &File) -> bool {
        match self {
            Where::Crate(name) => file.crate_name() == Some(name),
            Where::AllBut(paths) => !paths.iter().any(|path| file.path.starts_with(path)),
        }
    }
}

/// Every rule on every file.
pub(crate) fn all(files: &[File]) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in files {
        manifest(file, &mut found);
        words(file, &mut found);
        unwraps(file, &mut found);
        docs(file, &mut found);
        length(file, &mut found);
        names(file, &mut found);
        marks(file, &mut found);
    }
    circles(files, &mut found);
    rooms(files, &mut found);
    sizes(files, &mut found);
    tested(files, &mut found);
    cited(files, &mut found);
    named(files, &mut found);
    found.sort();
    found
}

/// Order of the crates, and dependencies they must never have.
fn manifest(file: &File, found: &mut Vec<Finding>) {
    let Some(name) = file.path.strip_prefix("crates/").and_then(|rest| rest.strip_suffix("/Cargo.toml")) else {
        return;
    };
    let Some((_, may)) = ORDER.iter().find(|(crate_name, _)| *crate_name == name) else {
        add(found, file, 1, "order", format!("crate `{name}` has no place in the order (xtask/src/tidy/rules.rs)"));
        return;
    };
    for Dependency { line, package, for_tests } in dependencies(file) {
        if let Some(ours) = package.strip_prefix("handeye-") {
            let in_tests = |(of, also): &(&str, &[&str])| *of == name && also.contains(&ours);
            if !(may.contains(&ours) || for_tests && FOR_TESTS.iter().any(in_tests)) {
                add(found, file, line, "order", format!("{name} must not depend on {ours}; it may name {may:?}"));
            }
        } else if package == "handeye" {
            add(found, file, line, "order", format!("{name} must not depend on app: nothing does"));
        }
        for (_, never, why) in NEVER_DEPENDS.iter().filter(|(crate_name, ..)| *crate_name == name) {
            if never.contains(&package) && !for_tests {
                add(found, file, line, "never", format!("{name} must not depend on {package}: {why}"));
            }
        }
    }
}

/// One line of a dependency table.
struct Dependency<'a> {
    line: usize,
    package: &'a str,
    for_tests: bool,
}

/// What the dependency tables of a manifest name.
fn dependencies(file: &File) -> Vec<Dependency<'_>> {
    let mut found = Vec::new();
    let mut inside = false;
    let mut for_tests = false;
    for (line, text) in file.text_lines() {
        let text = text.trim();
        if let Some(table) = text.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            inside = table.ends_with("dependencies");
            for_tests = table.contains("dev-dependencies");
            if let Some((head, package)) = table.rsplit_once('.')
                && head.ends_with("dependencies")
            {
                found.push(Dependency { line, package, for_tests });
            }
        } else if inside && !text.starts_with('#') {
            let end = text.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').unwrap_or(text.len());
            if end > 0 {
                found.push(Dependency { line, package: &text[..end], for_tests });
            }
        }
    }
    found
}

/// Code that must never appear in a crate.
fn words(file: &File, found: &mut Vec<Finding>) {
    if !file.is_crate_source() {
        return;
    }
    for (_, never, why) in NEVER_SAYS.iter().filter(|(place, ..)| place.holds(file)) {
        for (number, line) in file.code_lines() {
            if let Some(word) = never.iter().find(|word| has_word(line, word)) {
                add(found, file, number, "never", format!("`{word}`: {why}"));
            }
        }
    }
}

/// No unwrap outside tests; expect only under a comment that says why it holds.
fn unwraps(file: &File, found: &mut Vec<Finding>) {
    if !file.is_crate_source() || file.crate_name() == Some("testkit") {
        return;
    }
    for (number, line) in file.code_lines() {
        if line.contains(".unwrap()") || line.contains(".unwrap_unchecked()") {
            add(
                found,
                file,
                number,
                "unwrap",
                "unwrap() outside tests: return a problem, or expect() under `// invariant: why`",
            );
        }
        if line.contains(".expect(\"") && !explained(file, number) {
            add(
                found,
                file,
                number,
                "unwrap",
                "expect() outside tests needs `// invariant: why it holds` above the statement",
            );
        }
    }
}

/// Whether the statement that holds line `number` stands under an `invariant:` comment.
fn explained(file: &File, number: usize) -> bool {
    let lines: Vec<&str> = file.text.lines().collect();
    let mut at = number - 1;
    // Up to the first line of a chain that was broken over lines, then through the comment above it.
    while at > 0 && (lines[at].trim_start().starts_with(['.', ')', '}', '|', '&', '?']) || continues(lines[at - 1])) {
        at -= 1;
    }
    lines[at].contains("// invariant:")
        || (0..at)
            .rev()
            .map(|above| lines[above].trim_start())
            .take_while(|line| line.starts_with("//"))
            .any(|line| line.contains("// invariant:"))
}

/// Whether the statement goes on after this line.
fn continues(line: &str) -> bool {
    let code = line.trim_end();
    !code.trim_start().starts_with("//") && code.ends_with(['=', '(', ',', '|', '&', '+', '.'])
}

/// Every Rust file opens with what it is.
fn docs(file: &File, found: &mut Vec<Finding>) {
    let of_ours = file.is_crate_source() || (file.path.starts_with("xtask/src/") && file.path.ends_with(".rs"));
    if of_ours && !file.text.trim_start().starts_with("//! ") {
        add(
            found,
            file,
            1,
            "docs",
            "opens without module docs (`//!`): what it is, what it must not hold, where to start",
        );
    }
}

/// No file grows past its limit.
fn length(file: &File, found: &mut Vec<Finding>) {
    let page =
        file.path.starts_with("crates/browser/page/") && (file.path.ends_with(".js") || file.path.ends_with(".mjs"));
    let rust = file.path.ends_with(".rs") && (file.path.starts_with("crates/") || file.path.starts_with("xtask/"));
    if !(rust || page) {
        return;
    }
    let limit = LONGER.iter().find(|(path, ..)| *path == file.path).map_or(LIMIT, |(_, limit, _)| *limit);
    let lines = file.text.lines().count();
    if lines > limit {
        add(found, file, limit, "length", format!("{lines} lines, more than {limit}: split it by what it is about"));
    }
}

/// Nothing has a name that says nothing.
fn names(file: &File, found: &mut Vec<Finding>) {
    let ours = ["crates/", "xtask/", "fixtures/", "eval/"].iter().any(|folder| file.path.starts_with(folder));
    if !ours {
        return;
    }
    let folders = file.path.rsplit_once('/').map_or("", |(folders, _)| folders).split('/');
    for name in folders.chain([file.stem()]) {
        if EMPTY_NAMES.contains(&name.to_lowercase().as_str()) {
            add(found, file, 1, "names", format!("`{name}` says nothing: name it after what is inside"));
        }
    }
    for (number, line) in file.code_lines() {
        let mut tokens = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|token| !token.is_empty());
        while let Some(token) = tokens.next() {
            let empty = |name: &str| match token {
                "mod" => EMPTY_NAMES.contains(&name),
                "struct" | "enum" | "trait" | "type" => EMPTY_ENDINGS.iter().any(|end| name.ends_with(end)),
                _ => false,
            };
            if matches!(token, "mod" | "struct" | "enum" | "trait" | "type")
                && let Some(name) = tokens.next().filter(|name| empty(name))
            {
                add(found, file, number, "names", format!("`{name}` says nothing: name it after what it does"));
            }
        }
    }
}

/// Marks of unfinished work, and paths of one machine.
fn marks(file: &File, found: &mut Vec<Finding>) {
    if file.path.starts_with(OWN_WORDS) || file.path == "Cargo.lock" {
        return;
    }
    for (number, line) in file.text_lines() {
        if let Some(mark) = UNFINISHED.iter().find(|mark| has_word(line, mark)) {
            // Named in prose, between backquotes, it is no mark.
            let long = file.path.contains("/tests/") && line.trim() == LONG_TEST;
            if !long && !line.contains(&format!("`{mark}")) {
                add(found, file, number, "unfinished", format!("`{mark}`: do it, or say in an issue what is open"));
            }
        }
        for folder in MACHINE_FOLDERS {
            let path = format!("/{folder}/");
            let alone = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-}$~*".contains(c));
            if line.match_indices(path.as_str()).any(|(at, _)| alone(at)) {
                add(found, file, number, "paths", format!("`{path}` exists on one machine only"));
            }
        }
    }
}

/// Every command has a live test that names it.
fn tested(files: &[File], found: &mut Vec<Finding>) {
    let tests: Vec<&File> = files.iter().filter(|file| file.path.starts_with("crates/app/tests/")).collect();
    let mut seen = BTreeSet::new();
    for file in files {
        let source = file.path.starts_with("crates/commands/src/") && file.is_crate_source();
        let reference = file.path == COMMAND_REFERENCE;
        if !source && !reference {
            continue;
        }
        for (number, line) in file.text_lines() {
            // What is blank in the code but not in the text is a comment or a string. A name that a macro makes stands
            // in the reference alone.
            let is_code = || file.code.get(number - 1).is_some_and(|code| code.contains("const NAME"));
            let name = if reference { line.strip_prefix("### ") } else { command_name(line).filter(|_| is_code()) };
            let Some(name) = name.filter(|name| seen.insert(*name)) else { continue };
            if !tests.iter().any(|test| test.text_lines().any(|(_, line)| names_command(line, name))) {
                let what = format!("command `{name}` has no live test in crates/app/tests that names it");
                add(found, file, number, "tested", what);
            }
        }
    }
}

/// The name in `const NAME: &'static str = "click";`.
fn command_name(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("const NAME:")?;
    rest.split_once('"')?.1.split_once('"').map(|(name, _)| name)
}

/// Whether a string in the line has the command as a word of its own.
fn names_command(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        let quoted = line[..at].contains('"');
        quoted && matches!(before, Some('"' | ' ')) && matches!(after, Some('"' | ' '))
    })
}
