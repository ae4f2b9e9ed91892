//! `cargo xtask release`: the archive that people download, with what belongs to the program, and its digest. The same sources and
//! the same toolchain give the same bytes, wherever they lie.

mod licences;
mod tar;

use crate::run::{self, Fail, Outcome};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tar::Tar;

pub(crate) const HELP: &str = "\
Make the archive of a release: the binary, licences (ours and those of what is linked), README, CHANGELOG, completions, man pages
and the skill for agents; beside it SHA256SUMS.

Usage: cargo xtask release [--out FOLDER] [--binary FILE]

Options:
  --out FOLDER    where to [default: dist in the target folder]
  --binary FILE   pack this one, and build none

The build knows neither the folder of the sources nor that of cargo, and files bear the time of the last commit.
";

/// Shells that there are completions for, and what their files are called.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "handeye.bash"),
    ("elvish", "handeye.elv"),
    ("fish", "handeye.fish"),
    ("powershell", "_handeye.ps1"),
    ("zsh", "_handeye"),
];
/// What is taken as it stands.
const TEXTS: [&str; 6] = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT"];
/// The skill.
const SKILL: &str = "skills/handeye";

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long)]
    out: Option<PathBuf>,
    #[arg(long)]
    binary: Option<PathBuf>,
}

pub(crate) fn main(options: &Options) -> Outcome {
    let (target, version) = (target()?, version()?);
    let binary = match &options.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => build(&target)?,
    };
    let out = match &options.out {
        Some(out) => std::path::absolute(out)?,
        None => run::target_dir()?.join("dist"),
    };
    std::fs::create_dir_all(&out)?;
    let name = format!("handeye-{version}-{target}");
    let archive = out.join(format!("{name}.tar.gz"));
    let bytes = pack(&name, &binary, &licences::gathered(&target)?)?;
    std::fs::write(&archive, &bytes)?;
    sums(&out)?;
    println!("wrote {} ({} bytes)\nwrote {}", archive.display(), bytes.len(), out.join("SHA256SUMS").display());
    Ok(())
}

/// The target that is built for, as rustc names it.
fn target() -> Outcome<String> {
    let said = run::output(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Fail::new("rustc doesn't say what it builds for"))
}

/// The version of the workspace.
fn version() -> Outcome<String> {
    let text = std::fs::read_to_string(run::root().join("Cargo.toml"))?;
    let manifest: toml::Table = text.parse().map_err(|e| Fail::new(format!("Cargo.toml: {e}")))?;
    let version = manifest.get("workspace").and_then(|w| w.get("package")?.get("version")?.as_str());
    version.map(str::to_owned).ok_or_else(|| Fail::new("Cargo.toml has no version"))
}

/// When the last commit was made, in seconds since 1970: the time that everything bears.
fn time() -> Outcome<u64> {
    let said = run::output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(run::root()))?;
    said.trim().parse().map_err(|_| Fail::new("git doesn't say when the last commit was made"))
}

/// Builds the program without the names of this machine's folders in it.
fn build(target: &str) -> Outcome<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let remaps = [Some((run::root(), "/handeye")), home.map(|home| (home, "/cargo"))];
    let flags: Vec<String> = remaps
        .into_iter()
        .flatten()
        .map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()))
        .collect();
    let mut cargo = run::cargo();
    // A folder of its own: other flags would build everything anew there and here.
    let folder = run::target_dir()?.join("release-build");
    cargo.args(["build", "--release", "--locked", "--package", "handeye", "--target", target, "--target-dir"]);
    cargo.arg(&folder).env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    run::checked(cargo.env("SOURCE_DATE_EPOCH", time()?.to_string()).env("CARGO_INCREMENTAL", "0"))?;
    Ok(folder.join(target).join("release").join("handeye").with_extension(std::env::consts::EXE_EXTENSION))
}

/// The archive's bytes.
fn pack(name: &str, binary: &Path, licences: &str) -> Outcome<Vec<u8>> {
    let (scratch, _later) = run::scratch("release")?;
    let mut tar = Tar::new(time()?);
    let mut files: Vec<(String, Vec<u8>, bool)> = Vec::new();
    let program = format!("handeye{}", std::env::consts::EXE_SUFFIX);
    let read = |path: &Path| std::fs::read(path).map_err(|e| Fail::usage(format!("{}: {e}", path.display())));
    files.push((program, read(binary)?, true));
    for text in TEXTS {
        files.push((text.to_owned(), read(&run::root().join(text))?, false));
    }
    files.push(("THIRD-PARTY.md".to_owned(), licences.as_bytes().to_vec(), false));
    for (shell, file) in SHELLS {
        let script = run::output(Command::new(binary).args(["completions", shell]))?;
        files.push((format!("completions/{file}"), script.into_bytes(), false));
    }
    run::output(Command::new(binary).args(["_docs", "man"]).arg(&scratch))?;
    for (path, bytes) in inside(&scratch)? {
        files.push((format!("man/man1/{path}"), bytes, false));
    }
    for (path, bytes) in inside(&run::root().join(SKILL))? {
        files.push((format!("{SKILL}/{path}"), bytes, false));
    }
    files.sort();
    for (path, bytes, runs) in &files {
        tar.add(&format!("{name}/{path}"), bytes, *runs)?;
    }
    // Without a name and a time of its own.
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    gzip.write_all(&tar.end())?;
    Ok(gzip.finish()?)
}

/// The files below a folder, by their paths with slashes.
fn inside(folder: &Path) -> Outcome<Vec<(String, Vec<u8>)>> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            out.extend(inside(&path)?.into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            out.push((name, std::fs::read(&path)?));
        }
    }
    Ok(out)
}

/// Writes the digests of all archives of a folder, as `sha256sum` does.
fn sums(folder: &Path) -> Outcome {
    let mut archives: Vec<(String, Vec<u8>)> =
        inside(folder)?.into_iter().filter(|(name, _)| name.ends_with(".tar.gz") && !name.contains('/')).collect();
    archives.sort();
    let mut text = String::new();
    for (name, bytes) in archives {
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(text, "{digest}  {name}");
    }
    Ok(std::fs::write(folder.join("SHA256SUMS"), text)?)
}
