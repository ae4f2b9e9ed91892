//! `cargo xtask extension`: the browser extension as a folder that can be loaded, and as a zip.
//!
//! Its modules are compiled by tsc and used as they are. Its content script is a classic script: the page script and the
//! extension's own part, joined by the example `page_script` of crates/browser, so that there is one page script.

use crate::{
    install::{self, Need},
    run::{self, Fail, Outcome, Program},
    zip::Zip,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const HELP: &str = "\
Build the browser extension.

Usage: cargo xtask extension

Writes, in the target folder: extension/ (load it as an unpacked extension) and handeye-extension.zip.
";

/// What is taken over as it is.
const ASSETS: &[&str] = &["panel.html", "panel.css", "_locales", "icons"];
/// What the content script begins with, among the compiled modules.
const CONTENT: &str = "content/main.js";

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {}

pub(crate) fn main() -> Outcome {
    install::ensure(&[Need::Node])?;
    let folder = build()?;
    println!("built {}\nand   {}", folder.display(), folder.with_file_name("handeye-extension.zip").display());
    Ok(())
}

/// Builds it; says where the folder is.
pub(crate) fn build() -> Outcome<PathBuf> {
    let target = run::target_dir()?;
    let (compiled, folder) = (target.join("extension-js"), target.join("extension"));
    for old in [&compiled, &folder] {
        if old.exists() {
            std::fs::remove_dir_all(old)?;
        }
    }
    let source = run::root().join("extension");
    run::checked(install::tsc()?.arg("-p").arg(&source).arg("--outDir").arg(&compiled))?;
    for asset in ASSETS {
        copy(&source.join(asset), &folder.join(asset))?;
    }
    for part in ["background", "panel", "shared"] {
        copy(&compiled.join(part), &folder.join(part))?;
    }
    let manifest = std::fs::read_to_string(source.join("manifest.json"))?;
    std::fs::write(folder.join("manifest.json"), versioned(&manifest, env!("CARGO_PKG_VERSION"))?)?;
    std::fs::write(folder.join("content.js"), content_script(&compiled)?)?;
    std::fs::write(target.join("handeye-extension.zip"), zipped(&folder)?)?;
    Ok(folder)
}

/// The page script, and behind it what the extension adds to it.
fn content_script(compiled: &Path) -> Outcome<String> {
    if let Some(name) = declared_twice(&joined(compiled, CONTENT)?) {
        return Err(Fail::new(format!("two modules of the content script declare `{name}`: they share one scope")));
    }
    let print = run::built_as_tested(Program::PageScript)?;
    run::output(Command::new(print).arg(compiled).arg(CONTENT).current_dir(run::root()))
}

/// The texts of a module and of all that it imports, by the modules' paths.
fn joined(folder: &Path, entry: &str) -> Outcome<BTreeMap<PathBuf, String>> {
    let (mut modules, mut wanted) = (BTreeMap::new(), vec![folder.join(entry).canonicalize()?]);
    while let Some(path) = wanted.pop() {
        if modules.contains_key(&path) {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        for line in text.lines().filter(|l| l.starts_with("import ")) {
            if let Some(to) = line.split('"').nth(1) {
                wanted.push(path.with_file_name(to).canonicalize()?);
            }
        }
        modules.insert(path, text);
    }
    Ok(modules)
}

/// A name that two modules declare at their top: joined, one would silently stand for both, or a browser refuses the script.
fn declared_twice(modules: &BTreeMap<PathBuf, String>) -> Option<String> {
    const KINDS: &[&str] = &["const ", "let ", "var ", "class ", "function ", "function* ", "async function "];
    let mut declared = BTreeSet::new();
    for line in modules.values().flat_map(|text| text.lines()) {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let Some(rest) = KINDS.iter().find_map(|kind| line.strip_prefix(kind)) else { continue };
        // Several are taken out of one object or list.
        let names = rest.split('=').next().unwrap_or(rest).trim_start_matches(['[', '{', ' ']);
        let several = rest.starts_with(['[', '{']);
        for name in names.split([',', ']', '}']).take(if several { usize::MAX } else { 1 }) {
            let name: String = name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !name.is_empty() && !declared.insert(name.clone()) {
                return Some(name);
            }
        }
    }
    None
}

/// The manifest with the version of the workspace.
fn versioned(manifest: &str, version: &str) -> Outcome<String> {
    let mut manifest: serde_json::Value =
        serde_json::from_str(manifest).map_err(|e| Fail::new(format!("extension/manifest.json: {e}")))?;
    manifest["version"] = version.into();
    Ok(format!("{manifest:#}\n"))
}

/// Copies a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Outcome {
    let fail = |e| Fail::new(format!("{}: {e}", from.display()));
    if !from.is_dir() {
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder)?;
        }
        return std::fs::copy(from, to).map(drop).map_err(fail);
    }
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).map_err(fail)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// All files of a folder, in the order of their names.
fn zipped(folder: &Path) -> Outcome<Vec<u8>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(inside) = folders.pop() {
        for entry in std::fs::read_dir(inside)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let mut zip = Zip::new();
    for file in files {
        let name =
            file.strip_prefix(folder).map_err(|e| Fail::new(e.to_string()))?.to_string_lossy().replace('\\', "/");
        zip.add(&name, &std::fs::read(&file)?)?;
    }
    zip.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_two_joined_modules_declare_is_found() {
        let (folder, _gone) = run::scratch("joined").unwrap();
        std::fs::create_dir_all(folder.join("content")).unwrap();
        std::fs::create_dir_all(folder.join("shared")).unwrap();
        let put = |at: &str, text: &str| std::fs::write(folder.join(at), text).unwrap();
        let found = || declared_twice(&joined(&folder, "content/main.js").unwrap());
        put(
            "content/main.js",
            "import { c } from \"./one.js\";\nconst [A, B] = [1, 2];\nfunction f() {\n  const x = 1;\n}",
        );
        put("content/one.js", "import \"../shared/two.js\";\nimport \"./main.js\";\nlet x = 1;\nexport const c = 2;");
        put("shared/other.js", "const A = 1;");
        for fine in ["", "const d = 1;", "  const A = 1;"] {
            put("shared/two.js", fine);
            assert_eq!(found(), None, "{fine}");
        }
        for more in ["export async function f() {", "const B = 1;", "class x {", "var c = 1;", "import \"./other.js\";"]
        {
            put("shared/two.js", more);
            assert!(found().is_some(), "{more}");
        }
    }

    #[test]
    fn the_manifest_gets_the_version_of_the_workspace() {
        let manifest = versioned(r#"{"name": "x", "version": "0"}"#, "1.2.3").unwrap();
        assert!(manifest.contains(r#""version": "1.2.3""#));
        assert_eq!(versioned("{", "1").unwrap_err().code, 1);
    }
}
