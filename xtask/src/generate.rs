//! `cargo xtask generate`: files that are written from the commands' declarations.
//!
//! The declarations live in the `handeye` binary, so the binary itself says what the files hold, by its hidden command
//! `_docs`.

use crate::run::{self, Fail, Outcome, Program};
use std::{path::Path, process::Command};

pub(crate) const HELP: &str = "\
Write the files that are generated from the commands' and the wires' declarations: the command reference, the schemas, what the
skill for agents has of them, and the types of the extension.

Usage: cargo xtask generate [--check]

Options:
  --check   write nothing; fail when a file is not as it would be written

Files: docs/commands.md, docs/schema.json, skills/handeye/SKILL.md (its table of commands),
skills/handeye/references/commands.md and extension/src/shared/generated.ts (what it knows of our wires). The text comes from the hidden `handeye _docs`.
";

/// What is generated: the file, and what `handeye _docs` calls it.
const FILES: &[(&str, &str)] = &[
    ("docs/commands.md", "commands"),
    ("docs/schema.json", "schema"),
    ("skills/handeye/SKILL.md", "skill"),
    ("skills/handeye/references/commands.md", "skill-commands"),
    ("extension/src/shared/generated.ts", "extension"),
];

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long)]
    check: bool,
}

pub(crate) fn main(options: &Options) -> Outcome {
    generate(options.check)
}

/// Writes the files, or only checks them.
pub(crate) fn generate(check: bool) -> Outcome {
    let binary = run::built_as_tested(Program::Handeye)?;
    let mut files = Vec::new();
    for (path, what) in FILES {
        files.push((*path, run::output(Command::new(&binary).args(["_docs", what]))?));
    }
    let stale = stale(&run::root(), &files);
    if check && !stale.is_empty() {
        return Err(Fail::new(format!("not up to date: {}; run `cargo xtask generate`", stale.join(", "))));
    }
    for (path, text) in files.iter().filter(|(path, _)| stale.contains(path)) {
        let full = run::root().join(path);
        if let Some(folder) = full.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&full, text)?;
        println!("wrote {path}");
    }
    println!("{} generated files, all up to date", files.len());
    Ok(())
}

/// Those of the files that are not as they would be written.
fn stale<'a>(root: &Path, files: &[(&'a str, String)]) -> Vec<&'a str> {
    let differs = |(path, text): &&(&str, String)| std::fs::read_to_string(root.join(path)).ok().as_ref() != Some(text);
    files.iter().filter(differs).map(|(path, _)| *path).collect()
}

#[cfg(test)]
mod tests {
    use super::stale;

    #[test]
    fn a_file_that_differs_or_is_not_there_is_stale() {
        let (folder, _later) = crate::run::scratch("generate").unwrap();
        std::fs::write(folder.join("same.md"), "same\n").unwrap();
        std::fs::write(folder.join("other.md"), "old\n").unwrap();
        let files = ["same.md", "other.md", "none.md"].map(|path| (path, "same\n".to_owned()));
        assert_eq!(stale(&folder, &files), ["other.md", "none.md"]);
    }
}
