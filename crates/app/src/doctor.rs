//! Looks at everything handeye needs; each finding with its cause and what to do about it.

use crate::config::{self, Config};
use crate::open::Surfaces;
use handeye_commands::{Check, Policy};
use handeye_scene::{Launch, Opener, Problem};
use handeye_server::Place;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// How long a browser may take to tell its version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);
/// How long a browser may take to show a blank page.
const LAUNCH_LIMIT: Duration = Duration::from_secs(20);
/// Shared memory below which browsers crash on large pages.
#[cfg(unix)]
const SHARED_MEMORY_MIN: u128 = 128 * 1024 * 1024;

/// Every check, in the order in which things are needed.
pub(crate) fn checks(config: &Config, broken: Option<&Problem>) -> Vec<Check> {
    let mut checks = vec![configuration(config, broken), folder()];
    let mut desktop = Vec::new();
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => {
            let browser = runtime.block_on(browser(config));
            let found = browser.ok;
            checks.push(browser);
            if found {
                checks.push(runtime.block_on(launch(config)));
            }
            desktop = runtime.block_on(handeye_desktop::examine(&config.settings.desktop));
        }
        Err(e) => checks.push(bad(
            "runtime",
            format!("can't be started: {e}"),
            "free some file descriptors and threads (ulimit -n, ulimit -u)",
        )),
    }
    if config.settings.browser.cdp.is_none() {
        checks.extend(around());
    }
    checks.extend(desktop.into_iter().map(|f| Check {
        name: f.name.to_owned(),
        ok: f.remedy.is_none(),
        found: f.found,
        remedy: f.remedy,
    }));
    checks
}

fn good(name: &str, found: impl Into<String>) -> Check {
    Check { name: name.to_owned(), ok: true, found: found.into(), remedy: None }
}

fn bad(name: &str, found: impl Into<String>, remedy: impl Into<String>) -> Check {
    Check { name: name.to_owned(), ok: false, found: found.into(), remedy: Some(remedy.into()) }
}

/// A problem as a finding: its message, and its hints as the remedy.
fn of(name: &str, problem: &Problem, otherwise: &str) -> Check {
    let hints = problem.hints.iter().filter(|hint| **hint != "handeye doctor");
    let hints: Vec<String> = hints.map(ToString::to_string).collect();
    bad(name, problem.message.clone(), if hints.is_empty() { otherwise.to_owned() } else { hints.join("; or ") })
}

fn configuration(config: &Config, broken: Option<&Problem>) -> Check {
    // Rules are read by the session, which refuses each call under wrong ones.
    let rules = Policy::parse(&config.settings.policy).err();
    match (broken.or(rules.as_ref()), &config.files[..]) {
        (Some(problem), _) => bad(
            "configuration",
            problem.message.clone(),
            "mend the place that is named; the other checks go by defaults",
        ),
        (None, []) => good("configuration", "no file; defaults and environment hold"),
        (None, files) => {
            let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
            good("configuration", names.join(", "))
        }
    }
}

fn folder() -> Check {
    let folder = config::runtime_folder();
    let name = "sockets";
    match Place::open(&folder).and_then(|place| place.check_endpoint().map(|()| place)) {
        Ok(place) => good(name, format!("{}, closed to others, sockets work", place.folder().display())),
        Err(problem) => {
            of(name, &problem, "set HANDEYE_RUNTIME_DIR to a folder of your own with permissions 0700, on a local disk")
        }
    }
}

async fn browser(config: &Config) -> Check {
    let name = "browser";
    if let Some(url) = &config.settings.browser.cdp {
        return good(name, format!("attached to at {url}"));
    }
    let path = match crate::open::find_browser(config.settings.browser.path.as_deref()) {
        Ok(path) => path,
        Err(problem) => {
            return of(name, &problem, "install Chromium, or set HANDEYE_BROWSER to a browser of its family");
        }
    };
    let shown = path.display();
    let run = tokio::process::Command::new(&path).arg("--version").stdin(Stdio::null()).kill_on_drop(true).output();
    match tokio::time::timeout(VERSION_LIMIT, run).await {
        Err(_) => bad(
            name,
            format!("{shown} --version said nothing for {} s", VERSION_LIMIT.as_secs()),
            "reinstall the browser, or set HANDEYE_BROWSER to another",
        ),
        Ok(Err(e)) => bad(name, format!("{shown} can't be run: {e}"), "set HANDEYE_BROWSER to a program you may run"),
        Ok(Ok(output)) if !output.status.success() => {
            let words = String::from_utf8_lossy(&output.stderr).trim().chars().take(300).collect::<String>();
            bad(
                name,
                format!("{shown} --version failed ({}): {words}", output.status),
                "reinstall the browser, or set HANDEYE_BROWSER to another",
            )
        }
        Ok(Ok(output)) => good(name, format!("{shown}, {}", String::from_utf8_lossy(&output.stdout).trim())),
    }
}

/// Opens a browser as `open` would, without a window, and ends it.
async fn launch(config: &Config) -> Check {
    let name = "launch";
    let settings = &config.settings.browser;
    let folder: PathBuf = config::runtime_folder().join(format!("doctor-{}", std::process::id()));
    // A profile that is kept may be in use; the launch is tried with one of its own.
    let launch = Launch {
        browser: settings.path.clone(),
        headed: false,
        cdp: settings.cdp.clone(),
        profile: None,
        viewport: settings.viewport,
        args: settings.args.clone(),
        proxy: None,
        ignore_tls_errors: false,
        ..Launch::default()
    };
    let start = Instant::now();
    let opener = Surfaces { folder: folder.clone() };
    let tried = tokio::time::timeout(LAUNCH_LIMIT, async {
        let mut surface = opener.browser(&launch).await?;
        surface.close().await
    })
    .await;
    let _ = std::fs::remove_dir_all(&folder);
    let remedy = "run the browser by hand with --headless to see why, or set HANDEYE_BROWSER to another";
    match tried {
        Ok(Ok(())) => good(name, format!("a blank page came up and went in {:.1} s", start.elapsed().as_secs_f64())),
        Ok(Err(problem)) => of(name, &problem, remedy),
        Err(_) => bad(name, format!("no page came up within {} s", LAUNCH_LIMIT.as_secs()), remedy),
    }
}

/// What else a launched browser depends on.
#[cfg(unix)]
fn around() -> Vec<Check> {
    [user(), shared_memory(), Some(fonts())].into_iter().flatten().collect()
}

/// Fonts and memory come with the system.
#[cfg(windows)]
fn around() -> Vec<Check> {
    Vec::new()
}

#[cfg(unix)]
fn user() -> Option<Check> {
    nix::unistd::geteuid()
        .is_root()
        .then(|| good("user", "root: browsers are launched with --no-sandbox, so open trusted pages only"))
}

#[cfg(unix)]
fn shared_memory() -> Option<Check> {
    let folder = std::path::Path::new("/dev/shm");
    let facts = nix::sys::statvfs::statvfs(folder).ok()?;
    // The types differ between systems; both fit here.
    let bytes = u128::from(facts.blocks()) * u128::from(facts.fragment_size());
    let found = format!("/dev/shm has {} MB", bytes / (1024 * 1024));
    Some(if bytes >= SHARED_MEMORY_MIN {
        good("shared memory", found)
    } else {
        bad(
            "shared memory",
            format!("{found}; browsers crash on large pages with less than {} MB", SHARED_MEMORY_MIN / (1024 * 1024)),
            "mount -o remount,size=512m /dev/shm; or docker run --shm-size=512m",
        )
    })
}

#[cfg(unix)]
fn fonts() -> Check {
    let name = "fonts";
    let install = "apt-get install fontconfig fonts-noto-cjk";
    match std::process::Command::new("fc-list")
        .args([":lang=zh", "family"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
    {
        Err(e) => bad(name, format!("fc-list can't be run ({e}), so there may be no fonts"), install),
        Ok(output) => match String::from_utf8_lossy(&output.stdout).lines().next() {
            Some(font) => good(name, format!("Chinese, Japanese and Korean text is drawn, by {font} for one")),
            None => bad(name, "no font has Chinese characters: screenshots show boxes", install),
        },
    }
}
