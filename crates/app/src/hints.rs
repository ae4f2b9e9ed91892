//! Every command that the sources tell to run next is one, with options that it has.

use crate::cli;
use crate::help;
use handeye_commands::dispatch::find;
use handeye_scene::Hint;
use handeye_scene::model::hint::Arg;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// What a line's placeholders are taken to stand for, where their own letters won't do.
const STANDING: [(&str, &str); 8] = [
    ("REF", "1"),
    ("X,Y", "1,2"),
    ("X", "1"),
    ("Y", "2"),
    ("N", "1"),
    ("URL", "https://example.com"),
    ("FILE", FILE),
    ("NAME=file:PATH", concat!("NAME=file:", env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")),
];
/// A file that is there, since some are read with the command line.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
/// What begins as a command line does and is none.
const OTHERS: [&str; 1] = ["handeye bounds"];

/// Why a line is no command that can be run; `cut`: a part of it is known only when it is said.
fn fault(hint: &Hint, cut: bool) -> Option<String> {
    let name = hint.name()?;
    let is_front = help::FRONTS.iter().any(|(front, _)| *front == name);
    if find(name).is_none() && !is_front && name != "help" {
        return Some(format!("there is no command `{name}`"));
    }
    if cut {
        return None;
    }
    let stands = |arg: &Arg| STANDING.iter().find(|(from, _)| *from == arg.text()).map(|(_, to)| (*to).to_owned());
    let args = hint.args().iter().map(|arg| stands(arg).unwrap_or_else(|| arg.text().to_owned()));
    match cli::parse(std::iter::once(name.to_owned()).chain(args).map(OsString::from).collect()) {
        Ok(_) => None,
        Err(refused) => Some(refused.problem.message),
    }
}

/// The texts in a source that begin as a command line does, and whether something is filled into them.
fn lines(source: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for (at, begin) in source.match_indices("\"handeye ") {
        let mut text = String::new();
        let mut letters = source.get(at + 1..).unwrap_or_default().chars();
        let is_whole = loop {
            match letters.next() {
                Some('"') => break true,
                Some('\\') => match letters.next() {
                    Some('n') => text.push('\n'),
                    Some(letter) => text.push(letter),
                    None => break false,
                },
                Some(letter) => text.push(letter),
                None => break false,
            }
        };
        // A form of a usage line stands for many, and what quotes commands is about them.
        if is_whole && !text.contains(['[', '`']) && text.len() > begin.len() && !OTHERS.contains(&text.as_str()) {
            let cut = text.contains('{') || letters.as_str().starts_with(").arg(");
            found.push((text, cut));
        }
    }
    for (at, begin) in source.match_indices("Hint::command(\"") {
        let rest = source.get(at + begin.len()..).unwrap_or_default();
        found.extend(rest.split('"').next().map(|name| (format!("handeye {name}"), true)));
    }
    found
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|end| end == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn every_command_to_run_next_is_one() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for one in fs::read_dir(&crates).expect("the folder is there").flatten() {
        let of_tests = ["testkit"].iter().any(|name| one.file_name() == *name);
        if !of_tests && one.path().join("src").is_dir() {
            sources(&one.path().join("src"), &mut files);
        }
    }
    // This file and that of the type are about lines that are none.
    files.retain(|path| !path.ends_with("app/src/hints.rs") && !path.ends_with("model/hint.rs"));
    let mut checked = 0;
    let mut faults = Vec::new();
    for path in &files {
        let source = fs::read_to_string(path).expect("it is text");
        // Tests tell of commands that there never were.
        let own = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (line, cut) in lines(own) {
            checked += 1;
            faults
                .extend(fault(&Hint::from(line.as_str()), cut).map(|why| format!("{}: {line}: {why}", path.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 300, "{checked} of {} files", files.len());
}

#[test]
fn what_is_no_command_is_found() {
    for (line, is_one) in [
        ("handeye state --all", true),
        ("handeye input REF TEXT", true),
        ("handeye mcp --http 127.0.0.1:8931", true),
        ("handeye help", true),
        ("handeye stat", false),
        ("handeye state --nonsense", false),
        ("handeye tabs turn", false),
    ] {
        assert_eq!(fault(&Hint::from(line), false).is_none(), is_one, "{line}");
    }
    let source = r#"x.hint("handeye state"); y(format!("handeye tabs switch {id}")); Hint::command("open").arg(url)"#;
    let wanted = [("handeye state", false), ("handeye tabs switch {id}", true), ("handeye open", true)];
    assert_eq!(lines(source), wanted.map(|(line, cut)| (line.to_owned(), cut)));
}
