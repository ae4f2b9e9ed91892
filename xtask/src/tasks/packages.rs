//! What the pages load, installed once by npm at the versions that the set names.

use crate::{
    install,
    run::{self, Fail, Outcome},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The folder of the installed packages.
pub(super) fn install(set: &Path, target: &Path) -> Outcome<PathBuf> {
    let wanted = fs::read_to_string(set.join("package.json"))?;
    let (modules, stamp) = (target.join("node_modules"), target.join("installed.json"));
    if modules.is_dir() && fs::read_to_string(&stamp).is_ok_and(|text| text == wanted) {
        return Ok(modules);
    }
    println!("installing the libraries of the task set, once (npm)");
    fs::write(target.join("package.json"), &wanted)?;
    let npm = install::npm().ok_or_else(|| Fail::usage("npm is missing: cargo xtask test --only install"))?;
    // Every version that a page loads is named in the set, and no script of a package is run. No lock file: what the
    // packages ask for besides (servers, compilers) is loaded by no page.
    let words = ["install", "--no-package-lock", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];
    run::checked(Command::new(npm).args(words).arg("--loglevel=error").current_dir(target))?;
    fs::write(stamp, wanted)?;
    Ok(modules)
}
