//! Tests and paths that documents cite exist: a promise without its test is none.

use super::finding::{Finding, add};
use super::source::{File, has_word};

/// Documents that name tests, as ``[`a_test`](crates/app/tests/file.rs)``.
const CITING: &[&str] = &["SECURITY.md"];

/// Every cited test stands in the file that the citation leads to.
pub(super) fn cited(files: &[File], found: &mut Vec<Finding>) {
    for file in files.iter().filter(|file| CITING.contains(&file.path.as_str())) {
        for (number, line) in file.text_lines() {
            for (test, path) in citations(line) {
                let Some(cited) = files.iter().find(|other| other.path == path) else {
                    add(found, file, number, "cited", format!("`{path}` doesn't exist"));
                    continue;
                };
                let declared = format!("fn {test}(");
                if !cited.text.contains(&declared) {
                    add(found, file, number, "cited", format!("`{path}` has no test `{test}`"));
                }
            }
        }
    }
}

/// Names of tests in a line, and the files that they are said to stand in.
fn citations(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.match_indices("[`").filter_map(|(at, mark)| {
        let (test, rest) = line[at + mark.len()..].split_once("`](")?;
        let (path, _) = rest.split_once(')')?;
        path.ends_with(".rs").then_some((test, path))
    })
}

/// Documents whose paths must lead somewhere.
const NAMING: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md"];
/// Endings of source files. Such a file may be named by the end of its path alone.
const SOURCES: &[&str] = &[".rs", ".js", ".mjs", ".ts"];
/// Folders that paths begin with; those of the crates are named without `crates/`.
const TOPS: &[&str] = &["crates/", "docs/", "eval/", "fixtures/", "xtask/"];

/// Every path of the repository that these documents name exists.
pub(super) fn named(files: &[File], found: &mut Vec<Finding>) {
    let crates: Vec<&str> = files.iter().filter_map(File::crate_name).collect();
    let exists = |path: &str| {
        let folder = format!("{}/", path.trim_end_matches('/'));
        files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
    };
    for file in files.iter().filter(|file| NAMING.contains(&file.path.as_str())) {
        for (number, line) in file.text_lines() {
            // Every second part stands between backquotes.
            for path in line.split('`').skip(1).step_by(2) {
                let first = path.split('/').next().unwrap_or_default();
                let of_a_crate = crates.contains(&first) && path.contains("/src/") || path.starts_with("browser/page/");
                let whole = if of_a_crate { format!("crates/{path}") } else { path.to_owned() };
                let is_path = of_a_crate || TOPS.iter().any(|top| path.starts_with(top));
                let is_plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
                if path.contains("NAME") {
                    continue;
                }
                if is_path && is_plain && !exists(&whole) {
                    add(found, file, number, "cited", format!("`{path}` doesn't exist"));
                } else if !is_path
                    && is_plain
                    && SOURCES.iter().any(|end| path.ends_with(end))
                    && !ends_one(files, path)
                {
                    add(found, file, number, "cited", format!("no file is called `{path}`"));
                } else if let Some(gone) = path.split_once("::").filter(|of| !is_declared(files, *of)) {
                    add(found, file, number, "cited", format!("no `{}` has a `{}`", gone.0, gone.1));
                }
            }
        }
    }
}

/// Whether a path is the end of a file's.
fn ends_one(files: &[File], path: &str) -> bool {
    files
        .iter()
        .any(|file| file.path.strip_suffix(path).is_some_and(|before| before.is_empty() || before.ends_with('/')))
}

/// Whether a crate declares a type, and says somewhere what stands behind it. What begins with a small letter is no type.
fn is_declared(files: &[File], (name, member): (&str, &str)) -> bool {
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !name.starts_with(|c: char| c.is_ascii_uppercase()) || !is_plain(name) || !is_plain(member) {
        return true;
    }
    let declares = |file: &&File| {
        let is_one =
            |line: &str| ["struct ", "enum ", "trait "].iter().any(|kind| has_word(line, &format!("{kind}{name}")));
        file.code_lines().any(|(_, line)| is_one(line))
    };
    let says = |of: Option<&str>| {
        let own = files.iter().filter(|file| file.crate_name() == of);
        own.flat_map(File::code_lines).any(|(_, line)| has_word(line, member))
    };
    files.iter().filter(declares).any(|file| says(file.crate_name()))
}
