//! Files of a crate that import each other, directly or by way of others: none can be read, tested or moved without all the
//! rest of its circle.

use super::finding::{Finding, add};
use super::source::File;
use std::collections::{BTreeMap, BTreeSet};

/// No files import each other in a circle: sources of a crate, and modules of the page script.
pub(super) fn circles(files: &[File], found: &mut Vec<Finding>) {
    let mut groups: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in files {
        let rust = file.is_crate_source() || file.path.starts_with("xtask/src/") && file.path.ends_with(".rs");
        let root = if rust { file.path.find("/src/").map(|at| at + 5) } else { page(&file.path) };
        if let Some(end) = root.filter(|_| !file.is_for_tests()) {
            groups.entry(&file.path[..end]).or_default().push(file);
        }
    }
    for (root, members) in groups {
        let imports =
            if root.ends_with("/src/") { rust_imports(root, &members) } else { script_imports(root, &members) };
        for circle in circles_of(&imports) {
            let file = members[circle[0]];
            let name = |i: &usize| &members[*i].path[root.len()..];
            let inside = |i: &usize| {
                let targets: Vec<&str> = imports[*i].iter().filter(|to| circle.contains(to)).map(name).collect();
                format!("{} imports {}", name(i), targets.join(", "))
            };
            let ties: Vec<String> = circle.iter().map(inside).collect();
            add(found, file, 1, "circles", format!("{} files import each other: {}", circle.len(), ties.join("; ")));
        }
    }
}

/// How much of a path is the folder of the page script's modules.
fn page(path: &str) -> Option<usize> {
    const FOLDER: &str = "crates/browser/page/";
    (path.starts_with(FOLDER) && path.ends_with(".js")).then_some(FOLDER.len())
}

/// Whom each module imports.
fn script_imports(root: &str, files: &[&File]) -> Vec<BTreeSet<usize>> {
    let at: BTreeMap<&str, usize> = files.iter().enumerate().map(|(i, file)| (&file.path[root.len()..], i)).collect();
    let imported = |(from, line): (&str, &str)| -> Option<usize> {
        let quoted = line.starts_with("import ").then(|| line.split('"').nth(1))??;
        let mut folders: Vec<&str> = from.split('/').collect();
        folders.pop();
        for part in quoted.split('/') {
            match part {
                "." => {}
                ".." => drop(folders.pop()),
                name => folders.push(name),
            }
        }
        at.get(folders.join("/").as_str()).copied()
    };
    let of = |file: &&File| file.text.lines().filter_map(|line| imported((&file.path[root.len()..], line))).collect();
    files.iter().map(of).collect()
}

/// A path of names, such as `crate::bounds::Rule`.
type Names = Vec<String>;

/// Which files each file of a crate imports.
pub(super) fn imports_of(root: &str, files: &[&File]) -> Vec<BTreeSet<usize>> {
    rust_imports(root, files)
}

/// Which files each file's paths lead to.
fn rust_imports(root: &str, files: &[&File]) -> Vec<BTreeSet<usize>> {
    let modules: Vec<Names> = files.iter().map(|file| module(&file.path[root.len()..])).collect();
    let at: BTreeMap<&[String], usize> = modules.iter().enumerate().map(|(i, m)| (m.as_slice(), i)).collect();
    let read: Vec<Read> = files.iter().zip(&modules).map(|(file, module)| Read::new(file, module, &at)).collect();
    let own = |i: usize| {
        let targets = read[i].paths.iter().filter_map(|path| lead(path, &read, &at));
        targets.filter(|target| *target != i).collect()
    };
    (0..files.len()).map(own).collect()
}

/// The module that a file is: `["bounds", "rules"]` for `bounds/rules.rs`, none for the root.
fn module(path: &str) -> Names {
    let mut names: Names = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    let is_folder = names.last().is_some_and(|name| matches!(name.as_str(), "mod" | "lib" | "main"));
    if is_folder {
        names.pop();
    }
    names
}

/// Where a path ends: in the module that it names, or the one that this passes the name on from.
fn lead(path: &[String], read: &[Read], at: &BTreeMap<&[String], usize>) -> Option<usize> {
    let mut path = path.to_vec();
    for _ in 0..8 {
        let length = (0..=path.len()).rev().find(|n| at.contains_key(&path[..*n]))?;
        let file = at[&path[..length]];
        match path.get(length).and_then(|name| read[file].passed_on.get(name)) {
            Some(to) => path = to.iter().cloned().chain(path[length + 1..].iter().cloned()).collect(),
            None => return Some(file),
        }
    }
    None
}

/// What a file says of others.
struct Read {
    /// The paths that it names, from the crate's root.
    paths: Vec<Names>,
    /// What it passes on under a name of its own.
    passed_on: BTreeMap<String, Names>,
}

impl Read {
    fn new(file: &File, module: &[String], at: &BTreeMap<&[String], usize>) -> Self {
        let text: String = file.code_lines().flat_map(|(_, line)| [line, "\n"]).collect();
        let words = words(&text);
        let mut read = Self { paths: Vec::new(), passed_on: BTreeMap::new() };
        let mut i = 0;
        let mut passes = false;
        while i < words.len() {
            if words[i] == "use" {
                passes = words[..i].last().is_some_and(|before| before == "pub" || before == ")");
            } else if words[i] == ";" {
                passes = false;
            }
            let before = if i == 0 { "" } else { words[i - 1].as_str() };
            if before == "::" || words.get(i + 1).is_none_or(|next| next != "::") {
                i += 1;
                continue;
            }
            let mut tree = Vec::new();
            let end = paths(&words, i, &[], &mut tree);
            for path in tree {
                if let Some(path) = from_root(&path, module, at) {
                    if passes && let Some(name) = path.last() {
                        read.passed_on.insert(name.clone(), path.clone());
                    }
                    read.paths.push(path);
                }
            }
            i = end.max(i + 1);
        }
        read
    }
}

/// A path from the crate's root; none where it leads out of the crate.
fn from_root(path: &[String], module: &[String], at: &BTreeMap<&[String], usize>) -> Option<Names> {
    let (first, rest) = path.split_first()?;
    let mut base = module.to_vec();
    let mut rest = rest;
    match first.as_str() {
        "crate" => base.clear(),
        "self" => {}
        "super" => {
            base.pop();
            while let Some((next, more)) = rest.split_first().filter(|(next, _)| *next == "super") {
                debug_assert_eq!(next, "super");
                base.pop();
                rest = more;
            }
        }
        child => {
            base.push(child.to_owned());
            at.get(base.as_slice())?;
        }
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// Reads the paths that begin at a word, `a::{b, c::d}` as two; gives where they end.
fn paths(words: &[String], mut i: usize, before: &[String], into: &mut Vec<Names>) -> usize {
    let mut path = before.to_vec();
    loop {
        match words.get(i).map(String::as_str) {
            Some("{") => {
                i += 1;
                while words.get(i).is_some_and(|word| word != "}") {
                    let next = if words[i] == "," { i + 1 } else { paths(words, i, &path, into) };
                    i = next.max(i + 1);
                }
                return i + 1;
            }
            Some("*") | None => break,
            Some("self") if !path.is_empty() => break,
            Some(word) if is_name(word) => path.push(word.to_owned()),
            Some(_) => break,
        }
        if words.get(i + 1).is_none_or(|next| next != "::") {
            break;
        }
        i += 2;
    }
    into.push(path);
    i + 1
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names, `::`, and single marks.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            words.push(rest[..length].to_owned());
        }
        rest = &rest[length..];
    }
    words
}

/// The circles of a graph: its strongly connected components of more than one node (Tarjan, 1972, by two searches as in
/// Kosaraju's variant).
fn circles_of(to: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let mut from: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); to.len()];
    for (node, targets) in to.iter().enumerate() {
        for target in targets {
            from[*target].insert(node);
        }
    }
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for node in 0..to.len() {
        visit(node, to, &mut seen, &mut order);
    }
    let mut seen = BTreeSet::new();
    let mut circles = Vec::new();
    for node in order.into_iter().rev() {
        let mut circle = Vec::new();
        visit(node, &from, &mut seen, &mut circle);
        if circle.len() > 1 {
            circle.sort_unstable();
            circles.push(circle);
        }
    }
    circles.sort();
    circles
}

/// Adds what is reached from a node and wasn't seen yet, each behind what it leads to.
fn visit(node: usize, to: &[BTreeSet<usize>], seen: &mut BTreeSet<usize>, order: &mut Vec<usize>) {
    if seen.insert(node) {
        for next in &to[node] {
            visit(*next, to, seen, order);
        }
        order.push(node);
    }
}
