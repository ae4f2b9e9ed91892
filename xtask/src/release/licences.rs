//! The licences of everything that is linked into the program, each text once.

use crate::run::{self, Fail, Outcome};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// How files that hold a licence begin.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// A list of the packages, with their licences, and the texts.
pub(super) fn gathered(target: &str) -> Outcome<String> {
    let words = ["metadata", "--format-version", "1", "--locked", "--filter-platform", target];
    let told = run::output(run::cargo().args(words))?;
    let told: Value = serde_json::from_str(&told).map_err(|e| Fail::new(format!("cargo metadata: {e}")))?;
    let all = packages(&told)?;
    let mut out = String::from("# Third parties\n\nWhat is linked into handeye, and under which licences.\n\n");
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in &all {
        let text = |name: &str| package[name].as_str().unwrap_or_default().to_owned();
        let (name, licence) = (format!("{} {}", text("name"), text("version")), text("license"));
        let folder = Path::new(package["manifest_path"].as_str().unwrap_or_default()).parent();
        let found = folder.map(files).transpose()?.unwrap_or_default();
        if found.is_empty() && licence.is_empty() {
            return Err(Fail::new(format!("{name} names no licence and holds none")));
        }
        let _ = writeln!(out, "- {name}: {licence}, {}", text("repository"));
        for text in found {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    for (text, of) in texts {
        let _ = write!(out, "\n## {}\n\n```\n{}\n```\n", of.join(", "), text.replace("```", "'''"));
    }
    Ok(out)
}

/// Packages of others that the program is made of, by their names: not what only builds or tests it.
fn packages(told: &Value) -> Outcome<Vec<&Value>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let nodes: BTreeMap<String, Value> = list(&told["resolve"]["nodes"])
        .into_iter()
        .filter_map(|node| Some((node["id"].as_str()?.to_owned(), node)))
        .collect();
    let packages = told["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let root = packages.iter().find(|package| package["name"] == "handeye").and_then(|package| package["id"].as_str());
    let root = root.ok_or_else(|| Fail::new("cargo metadata names no package handeye"))?;
    let (mut reached, mut next) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(id) = next.pop() {
        if !reached.insert(id.clone()) {
            continue;
        }
        for dependency in nodes.get(&id).map(|node| list(&node["deps"])).unwrap_or_default() {
            let is_linked = list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            if let Some(id) = dependency["pkg"].as_str().filter(|_| is_linked) {
                next.push(id.to_owned());
            }
        }
    }
    let is_theirs = |package: &&Value| {
        !package["source"].is_null() && package["id"].as_str().is_some_and(|id| reached.contains(id))
    };
    let mut out: Vec<&Value> = packages.iter().filter(is_theirs).collect();
    out.sort_by_key(|package| (package["name"].as_str(), package["version"].as_str()));
    Ok(out)
}

/// The texts of a package's licences, line ends made alike.
fn files(folder: &Path) -> Outcome<Vec<String>> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default();
        if path.is_file() && NAMES.iter().any(|begin| name.starts_with(begin)) {
            let text = String::from_utf8_lossy(&std::fs::read(&path)?).replace("\r\n", "\n");
            out.push(text.trim().to_owned());
        }
    }
    out.sort();
    Ok(out)
}
