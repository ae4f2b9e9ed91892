//! What the tests and the demo need beside Rust, and how to get it.
//!
//! On Debian and its kin it is installed with apt, as root or with a `sudo` that asks nothing. Elsewhere the person
//! is told exactly what to install, and the exit status is 2.

use crate::run::{self, Fail, Outcome, Program};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Names under which Chromium and its kin are installed, first choice first.
const BROWSERS: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "brave-browser",
];

const BROWSERS_MAC: &[&str] = &[
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/// Version of cargo-deny that `cargo xtask test` runs.
const DENY: &str = "0.20.2";
/// Version of cargo-nextest, which runs the tests.
const NEXTEST: &str = "0.9.151";
/// The oldest one that reads `.config/nextest.toml`: where a newer one is installed, none is built.
const NEXTEST_FROM: &str = "0.9.143";
/// Version of the TypeScript compiler that checks the types of the page script.
const TYPESCRIPT: &str = "5.9.3";
/// Versions of the official clients of the Model Context Protocol that its tests drive, from npm and from PyPI.
const MCP_NPM: &str = "1.32.2";
const MCP_PYPI: &str = "2.3.0";
/// Version of the official client of AG-UI that the tests of the chat drive, from npm.
const AGUI_NPM: &str = "1.0.0";
/// Version of Playwright's test runner, which runs what traces are exported to: the last that runs on Debian's Node.js 18.
const PLAYWRIGHT: &str = "1.61.1";
/// Where Debian has the versions of PostgreSQL.
const POSTGRES: &str = "/usr/lib/postgresql";
/// Where Debian has Python.
const PYTHON: &str = "/usr/bin/python3";

/// Something that has to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// A browser of the Chromium family.
    Browser,
    /// A font with Latin letters.
    LatinFont,
    /// A font with Chinese characters, which the pages of the demo and the tests show.
    ChineseFont,
    /// Node.js with npm, for the TypeScript compiler.
    Node,
    /// Python with what makes an environment of its own, for a client of the Model Context Protocol.
    Python,
    /// A desktop of its own for each test, and the apps that are driven on it (Linux).
    Desktop,
    /// What builds for Windows, and runs it (Linux).
    Wine,
    /// A database server, which the tests of the chat start for themselves (Linux).
    Postgres,
    /// What makes a certificate that nobody vouches for, and a server that shows it.
    OpenSsl,
    /// Python with pip, which fetches the weights of the text models.
    Pip,
}

/// What the tests of the desktop run.
const DESKTOP: &[&str] =
    &["Xvfb", "dbus-daemon", "openbox", "mousepad", "gnome-text-editor", "kcalc", "localc", "thunar"];
/// What the tests' own small apps are written with, as Debian's Python sees it: GTK's bindings, and Qt's.
const BINDINGS: &[&str] =
    &["/usr/lib/python3/dist-packages/gi/__init__.py", "/usr/lib/python3/dist-packages/PyQt5/QtWidgets.abi3.so"];
/// What the versions of GTK are described by to them, in a folder of the machine's architecture below this one.
const LIBRARIES: &str = "/usr/lib";
const TYPELIBS: &[&str] = &["girepository-1.0/Gtk-3.0.typelib", "girepository-1.0/Gtk-4.0.typelib"];

/// What builds for Windows and runs it, each where Debian has it.
const WINE: &[&str] = &[
    "/usr/bin/cargo",
    "/usr/bin/cargo-clippy",
    "/usr/lib/rustlib/src/rust/library/std/Cargo.toml",
    "/usr/bin/x86_64-w64-mingw32-gcc",
    "/usr/bin/wine",
    "/usr/bin/wineserver",
    "/usr/bin/Xvfb",
];

impl Need {
    fn met(self) -> bool {
        match self {
            Need::Browser => browser().is_some(),
            Need::LatinFont => !cfg!(target_os = "linux") || has_font(&["liberation", "dejavu", "arimo", "notosans-"]),
            Need::ChineseFont => {
                !cfg!(target_os = "linux")
                    || has_font(&["wqy", "notosanscjk", "notoserifcjk", "sourcehan", "notosanssc"])
            }
            Need::Wine => WINE.iter().all(|path| Path::new(path).is_file()),
            Need::OpenSsl => run::on_path(&["openssl"]).is_some(),
            Need::Postgres => {
                let installed = std::fs::read_dir(POSTGRES).into_iter().flatten().flatten();
                !cfg!(target_os = "linux")
                    || run::on_path(&["initdb"]).is_some()
                    || installed.map(|version| version.path().join("bin/initdb")).any(|path| path.is_file())
            }
            Need::Pip => run::output(Command::new("python3").args(["-m", "pip", "--version"])).is_ok(),
            Need::Node => run::on_path(&["node"]).is_some() && npm().is_some(),
            Need::Python => run::output(Command::new(python_3()).args(["-c", "import ensurepip, venv"])).is_ok(),
            Need::Desktop => {
                let launcher = ["/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher"];
                !cfg!(target_os = "linux")
                    || DESKTOP.iter().all(|program| run::on_path(&[*program]).is_some())
                        && launcher.iter().any(|path| Path::new(path).is_file())
                        && BINDINGS.iter().all(|path| Path::new(path).is_file())
                        && TYPELIBS.iter().all(|path| is_library(path))
            }
        }
    }

    fn packages(self) -> &'static [&'static str] {
        match self {
            Need::Browser => &["chromium"],
            Need::LatinFont => &["fonts-liberation"],
            Need::ChineseFont => &["fonts-wqy-zenhei"],
            Need::Node => &["nodejs", "npm"],
            Need::Python => &["python3", "python3-venv"],
            Need::OpenSsl => &["openssl"],
            Need::Postgres => &["postgresql"],
            Need::Pip => &["python3-pip"],
            Need::Wine => &[
                "rustc-web",
                "cargo-web",
                "rust-web-clippy",
                "rust-web-src",
                "gcc-mingw-w64-x86-64",
                "wine",
                "wine64",
                "xvfb",
            ],
            Need::Desktop => &[
                "xvfb",
                "dbus",
                "at-spi2-core",
                "openbox",
                "mousepad",
                "gnome-text-editor",
                "kcalc",
                "libreoffice-calc",
                "libreoffice-gtk3",
                "thunar",
                "python3-gi",
                "gir1.2-gtk-3.0",
                "gir1.2-gtk-4.0",
                "python3-pyqt5",
            ],
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Need::Browser => {
                "Chromium, Google Chrome, Microsoft Edge or Brave; one that PATH does not show is named by HANDEYE_BROWSER"
            }
            Need::LatinFont => "a font with Latin letters, such as Liberation or DejaVu",
            Need::ChineseFont => "a font with Chinese characters, such as Noto Sans CJK or WenQuanYi Zen Hei",
            Need::OpenSsl => "OpenSSL's command line (openssl on PATH)",
            Need::Postgres => "PostgreSQL 13 or later (initdb and postgres on PATH)",
            Need::Pip => "Python 3 with pip (python3 -m pip)",
            Need::Node => "Node.js 18 or later with npm (node and npm on PATH)",
            Need::Python => "Python 3.10 or later with venv and pip (python3 on PATH)",
            Need::Wine => {
                "Debian's rustc-web, cargo-web, rust-web-clippy and rust-web-src, MinGW-w64, Wine 8 or later, and Xvfb"
            }
            Need::Desktop => {
                "Xvfb, D-Bus, at-spi2-core, openbox, mousepad, gnome-text-editor, kcalc, LibreOffice Calc, Thunar, and GTK 3, GTK 4 and Qt 5 for Python"
            }
        }
    }
}

/// The installed browser, if there is one.
pub(crate) fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("HANDEYE_BROWSER").map(PathBuf::from).filter(|p| p.is_file()) {
        return Some(named);
    }
    let mac = BROWSERS_MAC.iter().map(PathBuf::from).find(|p| cfg!(target_os = "macos") && p.is_file());
    run::on_path(BROWSERS).or(mac)
}

/// Installs those of `needs` that are missing.
pub(crate) fn ensure(needs: &[Need]) -> Outcome {
    let missing: Vec<Need> = needs.iter().copied().filter(|need| !need.met()).collect();
    if missing.is_empty() {
        println!("nothing is missing");
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().flat_map(|need| need.packages()).copied().collect();
    let tell = |why: &str| {
        let mut text = format!("{why}. Install these and run it again:");
        for need in missing.iter().filter(|need| !need.met()) {
            text.push_str(&format!("\n  - {}", need.advice()));
        }
        Fail::usage(text)
    };
    if !is_debian() {
        return Err(tell("something is missing, and only on Debian and its kin is it installed for you"));
    }
    let Some(prefix) = become_root() else {
        let mut fail = tell("something is missing, and installing it needs root");
        fail.message.push_str(&format!("\nor run: sudo apt-get install {}", packages.join(" ")));
        return Err(fail);
    };
    println!("installing with apt: {}", packages.join(" "));
    apt(prefix, &["update", "-qq"])?;
    let mut words = vec!["-o", "DPkg::Lock::Timeout=600", "install", "-y", "-qq", "--no-install-recommends"];
    words.extend(&packages);
    apt(prefix, &words)?;
    if missing.iter().any(|need| !need.met()) {
        return Err(tell("apt installed its packages, and still something is missing"));
    }
    Ok(())
}

/// cargo-deny, built once into the target folder and kept there.
pub(crate) fn cargo_deny() -> Outcome<PathBuf> {
    // Full optimization takes three times as long to build and saves nothing that matters here.
    cargo_tool("cargo-deny", DENY, DENY, "1", &[])
}

/// cargo-nextest, built once into the target folder and kept there; without what updates it by itself.
pub(crate) fn cargo_nextest() -> Outcome<PathBuf> {
    cargo_tool("cargo-nextest", NEXTEST, NEXTEST_FROM, "0", &["--no-default-features"])
}

/// A command of Cargo: the one on PATH if it is of the wanted series and no older than `from`, else the wanted one, built into
/// the target folder.
fn cargo_tool(name: &str, wanted: &str, from: &str, optimization: &str, features: &[&str]) -> Outcome<PathBuf> {
    let tools = run::target_dir()?.join("tools");
    let binary = tools.join("bin").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    let fits = |path: &Path| {
        let said = run::output(Command::new(path).arg("--version")).unwrap_or_default();
        said.lines().next().is_some_and(|line| line.split_whitespace().any(|word| is_from(word, from, wanted)))
    };
    if let Some(found) = run::on_path(&[name]).filter(|path| fits(path)) {
        return Ok(found);
    }
    if !fits(&binary) {
        println!("building {name} {wanted} once (about two minutes on two cores)");
        let mut build = run::cargo();
        build.args(["install", name, "--locked", "--debug", "--force", "--quiet", "--version", wanted, "--root"]);
        build.arg(&tools).args(features);
        build.env("CARGO_PROFILE_DEV_OPT_LEVEL", optimization);
        run::checked(build.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_PROFILE_DEV_INCREMENTAL", "false"))?;
    }
    Ok(binary)
}

/// Whether a word is a version of the series of `wanted` (major and minor), and no older than `from`.
fn is_from(word: &str, from: &str, wanted: &str) -> bool {
    let numbers = |version: &str| version.split('.').map(str::parse).collect::<Result<Vec<u64>, _>>().ok();
    match (numbers(word), numbers(from), numbers(wanted)) {
        (Some(has), Some(from), Some(wanted)) if has.len() == 3 => has.get(..2) == wanted.get(..2) && has >= from,
        _ => false,
    }
}

/// The weights of the text models, checked, in the target folder: installed there once as `handeye models install` does it.
pub(crate) fn text_models() -> Outcome<PathBuf> {
    let folder = run::target_dir()?.join("models");
    run::checked(Command::new(run::built_as_tested(Program::Weights)?).arg(&folder).current_dir(run::root()))?;
    Ok(folder)
}

/// The TypeScript compiler, installed once into the target folder: the command that runs it.
pub(crate) fn tsc() -> Outcome<Command> {
    let modules = npm_package("typescript", "typescript", TYPESCRIPT)?;
    let mut command = Command::new("node");
    command.arg(modules.join("typescript").join("bin").join("tsc")).current_dir(run::root());
    Ok(command)
}

/// The official clients of the Model Context Protocol, installed once into the target folder, where the tests look for them.
pub(crate) fn mcp_clients() -> Outcome {
    npm_package("mcp-npm", "@modelcontextprotocol/sdk", MCP_NPM)?;
    let folder = run::target_dir()?.join("tools").join("mcp-pypi");
    let python = folder.join("bin").join("python");
    let version = "from importlib.metadata import version; print(version('mcp'))";
    let installed = run::output(Command::new(&python).args(["-c", version])).unwrap_or_default();
    if installed.trim() != MCP_PYPI {
        println!("installing mcp {MCP_PYPI} from PyPI once");
        run::checked(Command::new(python_3()).args(["-m", "venv", "--clear"]).arg(&folder))?;
        let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run::checked(Command::new(&python).args(words).arg(format!("mcp=={MCP_PYPI}")))?;
    }
    Ok(())
}

/// The official client of AG-UI, installed once into the target folder, where the tests look for it.
pub(crate) fn agui_client() -> Outcome {
    npm_package("agui-npm", "@ag-ui/client", AGUI_NPM).map(drop)
}

/// The test runner of Playwright, without browsers of its own, where the tests look for it.
pub(crate) fn playwright() -> Outcome {
    npm_package("playwright", "@playwright/test", PLAYWRIGHT).map(drop)
}

/// A package of npm in exactly this version, installed once into a folder of the target folder: where its modules are.
fn npm_package(folder: &str, name: &str, version: &str) -> Outcome<PathBuf> {
    let folder = run::target_dir()?.join("tools").join(folder);
    let modules = folder.join("node_modules");
    let installed = std::fs::read_to_string(modules.join(name).join("package.json")).unwrap_or_default();
    if !installed.contains(&format!("\"version\": \"{version}\"")) {
        println!("installing {name} {version} once");
        std::fs::create_dir_all(&folder)?;
        // Its own manifest, so that npm does not look for one in the folders above.
        std::fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
        let npm = npm().ok_or_else(|| Fail::usage("npm is missing"))?;
        run::checked(
            Command::new(npm)
                .args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"])
                .arg(format!("{name}@{version}"))
                .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
                .current_dir(&folder),
        )?;
    }
    Ok(modules)
}

/// Python: the system's, of which the packages say what it can, where there is one.
fn python_3() -> &'static str {
    if Path::new(PYTHON).is_file() { PYTHON } else { "python3" }
}

pub(crate) fn npm() -> Option<PathBuf> {
    run::on_path(&["npm"]).or_else(|| run::on_path(&["npm.cmd"]))
}

/// The first version of Node.js that tools of others run with, to measure beside or by them.
const RECENT_NODE: u32 = 20;

/// Says what to do where `node` is too old for `who`, which ends at once then, as with Debian 12's.
pub(crate) fn recent_node(who: &str) -> Outcome {
    let version = run::output(Command::new("node").arg("--version"))?;
    match is_too_old(&version) {
        false => Ok(()),
        true => Err(Fail::usage(format!(
            "{who} needs Node.js {RECENT_NODE} or newer, and `node` is {}: put a newer one first in PATH",
            version.trim()
        ))),
    }
}

fn is_too_old(version: &str) -> bool {
    let major = version.trim().trim_start_matches('v').split('.').next();
    major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major < RECENT_NODE)
}

/// The words before `apt-get` that make it run as root: none, or `sudo -n`.
pub(crate) fn become_root() -> Option<&'static [&'static str]> {
    let quiet = |command: &mut Command| {
        command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok().filter(|out| out.status.success())
    };
    let id = quiet(Command::new("id").arg("-u"))?;
    if String::from_utf8_lossy(&id.stdout).trim() == "0" {
        return Some(&[]);
    }
    quiet(Command::new("sudo").args(["-n", "true"])).map(|_| &["sudo", "-n"][..])
}

/// Whether apt installs things here.
pub(crate) fn is_debian() -> bool {
    std::fs::read_to_string("/etc/os-release").is_ok_and(|text| names_debian(&text))
        && run::on_path(&["apt-get"]).is_some()
}

fn names_debian(os_release: &str) -> bool {
    os_release.lines().filter_map(|line| line.split_once('=')).any(|(key, value)| {
        matches!(key, "ID" | "ID_LIKE")
            && value.trim_matches('"').split(' ').any(|id| matches!(id, "debian" | "ubuntu"))
    })
}

fn apt(prefix: &[&str], words: &[&str]) -> Outcome {
    let mut all = prefix.to_vec();
    all.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    all.extend(words);
    // apt's chatter is only of interest when it fails.
    run::output(Command::new(all[0]).args(&all[1..])).map(drop)
}

/// Whether a file is there, in the folder of libraries or in one of an architecture below it.
fn is_library(path: &str) -> bool {
    let folders = std::fs::read_dir(LIBRARIES).into_iter().flatten().flatten().map(|entry| entry.path());
    std::iter::once(PathBuf::from(LIBRARIES)).chain(folders).any(|folder| folder.join(path).is_file())
}

fn has_font(stems: &[&str]) -> bool {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let folders = [
        "/usr/share/fonts".into(),
        "/usr/local/share/fonts".into(),
        home.join(".fonts"),
        home.join(".local/share/fonts"),
    ];
    folders.iter().any(|folder| holds_font(folder, stems, 5))
}

fn holds_font(folder: &Path, stems: &[&str], depth: usize) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let is_font = [".ttf", ".ttc", ".otf"].iter().any(|end| name.ends_with(end));
        if is_font {
            return stems.iter().any(|stem| name.contains(stem));
        }
        depth > 0 && entry.path().is_dir() && holds_font(&entry.path(), stems, depth - 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_and_its_kin_are_known() {
        assert!(names_debian("PRETTY_NAME=\"Debian\"\nID=debian\n"));
        assert!(names_debian("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"));
        assert!(!names_debian("ID=fedora\nID_LIKE=\"rhel\"\nNAME=debian\n"));
    }

    #[test]
    fn newer_tools_of_the_same_series_serve_as_well() {
        for (word, fits) in [
            ("0.9.143", true),
            ("0.9.151", true),
            ("0.9.200", true),
            ("0.9.142", false),
            ("0.10.0", false),
            ("1.9.150", false),
            ("0.9", false),
            ("0.9.150-rc.1", false),
            ("cargo-nextest", false),
        ] {
            assert_eq!(is_from(word, "0.9.143", "0.9.151"), fits, "{word}");
        }
    }

    #[test]
    fn a_node_that_is_too_old_is_told_by_its_version() {
        for (version, wanted) in [("v18.20.4\n", true), ("v20.19.0\n", false), ("v22.12.0", false), ("", false)] {
            assert_eq!(is_too_old(version), wanted, "{version}");
        }
    }

    #[test]
    fn fonts_are_found_by_file_name() {
        let (folder, _later) = run::scratch("fonts").unwrap();
        std::fs::create_dir_all(folder.join("truetype/wqy")).unwrap();
        assert!(!holds_font(&folder, &["wqy"], 5), "a folder is no font");
        std::fs::write(folder.join("truetype/wqy/wqy-zenhei.ttc"), "").unwrap();
        assert!(holds_font(&folder, &["wqy"], 5));
        assert!(!holds_font(&folder, &["liberation"], 5));
    }
}
