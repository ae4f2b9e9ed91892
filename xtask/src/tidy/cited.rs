//! Tests that a document cites exist: a promise without its test is none.

use super::finding::{Finding, add};
use super::source::File;

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
