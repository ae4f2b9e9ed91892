//! Launching a browser of our own, and ending it with everything it left.
//!
//! It is reached by a pipe, so no port is open to others, and it ends by itself when we do.

use super::saved;
use crate::cdp::wire::Wire;
use handeye_scene::{Code, Launch, Problem};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

/// How long a browser may take to end when asked to.
const END_LIMIT: Duration = Duration::from_secs(3);
/// Note of a running browser, in its folder.
const NOTE: &str = "browser.json";
/// The browser's own settings, in the folder of each of its users.
const PREFERENCES: &str = "Preferences";
/// Asks for no page before it is wanted: 2 is never. Such requests pass us by, and what they brought is shown without another.
const AHEAD: Setting = ("net", "network_prediction_options", || json!(2));
/// Calls between pages look for no way of their own.
const CALLS: Setting = ("webrtc", "ip_handling_policy", || json!("disable_non_proxied_udp"));
/// Longest part of the browser's own complaints that goes into a problem, characters.
const COMPLAINT: usize = 600;

/// One of the browser's own settings: group, name and value.
type Setting = (&'static str, &'static str, fn() -> Value);

/// Arguments that keep a browser to itself.
const QUIET: [&str; 14] = [
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-default-apps",
    "--disable-breakpad",
    "--disable-search-engine-choice-screen",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--password-store=basic",
    "--use-mock-keychain",
];

const OFF: &str = "--disable-features=";

/// Its switches for features. The browser takes the last one of each kind, so that the caller's are joined to ours.
const FEATURES: [(&str, &str); 2] = [
    // A sandboxed document in a process of its own would run before its requests are held, and before our script is there.
    (
        OFF,
        "Translate,OptimizationHints,MediaRouter,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,IsolateSandboxedIframes",
    ),
    ("--enable-features=", "BackForwardCache"),
];

/// What draws the list below the address bar: two pages of the browser's own, loaded at its start, which take as much
/// processor time as all the rest of a start. Without a window there is no address bar.
const ADDRESS_BAR: &str = "WebUIOmniboxPopup,WebUIOmniboxAimPopup";

/// What turns features off and on, and the caller's other arguments.
fn arguments(given: &[String], headed: bool) -> Vec<String> {
    let is_of = |arg: &String| FEATURES.iter().any(|(switch, _)| arg.starts_with(switch));
    let joined = FEATURES.iter().map(|(switch, ours)| {
        let theirs = given.iter().filter_map(|arg| arg.strip_prefix(switch)).filter(|list| !list.is_empty());
        let unseen = (!headed && *switch == OFF).then_some(ADDRESS_BAR);
        let lists: Vec<&str> = std::iter::once(*ours).chain(unseen).chain(theirs).collect();
        format!("{switch}{}", lists.join(","))
    });
    joined.chain(given.iter().filter(|arg| !is_of(arg)).cloned()).collect()
}

/// A browser process that is ours.
pub(crate) struct Process {
    child: Child,
    group: Option<Pid>,
    folder: PathBuf,
    /// A profile of our own, deleted with the browser.
    temporary: Option<PathBuf>,
    /// Where it puts its temporary files, deleted with it.
    scratch: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Note {
    pid: i32,
    /// Start time as the kernel counts it, so that a reused process id isn't taken for the browser.
    started: u64,
    temporary: Option<PathBuf>,
    #[serde(default)]
    scratch: Option<PathBuf>,
}

/// Bytes that a path of the browser's temporary folder may have: it makes a socket in a folder of its own there, and a socket's
/// path holds 107 bytes.
const SCRATCH_MAX: usize = 107 - "/org.chromium.Chromium.XXXXXX/SingletonSocket".len() - 8;

/// A folder for the browser's temporary files: in its own folder, or, where that one's path is too long, in the system's.
fn scratch(folder: &Path) -> std::io::Result<PathBuf> {
    let own = folder.join("tmp");
    if own.as_os_str().len() <= SCRATCH_MAX {
        std::fs::create_dir_all(&own)?;
        return Ok(own);
    }
    Ok(tempfile::Builder::new().prefix("handeye-").tempdir_in("/tmp")?.keep())
}

/// What a browser with bounds is set to, in its own profile.
fn settings(launch: &Launch) -> Vec<Setting> {
    let Some(bounds) = &launch.bounds else { return Vec::new() };
    // A person's profile is to make calls again without bounds; the argument that says the same ends with the browser.
    let calls = (bounds.holds_all() && launch.profile.is_none()).then_some(CALLS);
    [AHEAD].into_iter().chain(calls).collect()
}

/// Writes settings into a profile. One that is kept goes on so.
fn set_up(profile: &Path, settings: &[Setting]) -> std::io::Result<()> {
    let mut folders = vec![profile.join("Default")];
    for entry in std::fs::read_dir(profile)? {
        let folder = entry?.path();
        if folder.join(PREFERENCES).is_file() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    for folder in folders {
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(PREFERENCES);
        let mut all = match std::fs::read(&path) {
            // The browser begins anew, too, where it can't read them.
            Ok(text) => serde_json::from_slice::<Map<String, Value>>(&text).unwrap_or_default(),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Map::new(),
            Err(e) => return Err(e),
        };
        for (group, name, value) in settings {
            let group = all.entry(*group).or_insert_with(|| json!({}));
            match group.as_object_mut() {
                Some(group) => group.insert((*name).into(), value()),
                None => Some(std::mem::replace(group, json!({ *name: value() }))),
            };
        }
        let mut partial = tempfile::NamedTempFile::new_in(&folder)?;
        serde_json::to_writer(&mut partial, &all)?;
        partial.persist(&path).map_err(|e| e.error)?;
    }
    Ok(())
}

/// Whether we run with all rights, where Chromium's sandbox can't start.
pub(crate) fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// Starts `browser`; what it keeps lies in `folder`.
pub(crate) fn start(browser: &Path, launch: &Launch, folder: &Path) -> Result<(Process, Wire), Problem> {
    let failed =
        |what: &str, e: std::io::Error| Problem::new(Code::File, format!("can't {what}: {e}")).hint("handeye doctor");
    std::fs::create_dir_all(folder).map_err(|e| failed(&format!("make the folder {}", folder.display()), e))?;
    saved::make(folder).map_err(|e| failed("make the folder for downloads", e))?;
    let (profile, temporary) = match &launch.profile {
        Some(profile) => (profile.clone(), None),
        None => {
            let made = tempfile::Builder::new().prefix("profile-").tempdir_in(folder);
            let made = made.map_err(|e| failed(&format!("make a profile in {}", folder.display()), e))?.keep();
            (made.clone(), Some(made))
        }
    };
    std::fs::create_dir_all(&profile).map_err(|e| failed(&format!("make the profile {}", profile.display()), e))?;
    let settings = settings(launch);
    if !settings.is_empty() {
        set_up(&profile, &settings).map_err(|e| failed("set up the profile", e))?;
    }
    let scratch = scratch(folder).map_err(|e| failed("make a folder for temporary files", e))?;
    let complaints =
        std::fs::File::create(folder.join("browser.log")).map_err(|e| failed("write the browser's log", e))?;
    let mut user_data = std::ffi::OsString::from("--user-data-dir=");
    user_data.push(&profile);
    let (width, height) = launch.viewport.unwrap_or(super::viewport::VIEWPORT);
    // The shell puts our pipe where the browser looks for it: descriptors 3 and 4.
    let mut command = Command::new("/bin/sh");
    command.args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#]).arg(browser).args(QUIET).arg(user_data);
    command.arg("--remote-debugging-pipe").arg(format!("--window-size={width},{height}"));
    if !launch.headed {
        command.args(["--headless=new", "--hide-scrollbars", "--mute-audio"]);
    }
    if is_root() {
        command.arg("--no-sandbox");
    }
    if let Some(proxy) = &launch.proxy {
        command.arg(format!("--proxy-server={proxy}"));
    }
    if launch.ignore_tls_errors {
        command.arg("--ignore-certificate-errors");
    }
    command.args(arguments(&launch.args, launch.headed)).arg("about:blank");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(complaints)
        .env("TMPDIR", &scratch)
        .process_group(0)
        .kill_on_drop(true);
    let mut child = command.spawn().map_err(|e| failed(&format!("start {}", browser.display()), e))?;
    let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Problem::new(Code::Bug, "the browser's pipe wasn't made"));
    };
    if let Some(pid) = group {
        let note = Note {
            pid: pid.as_raw(),
            started: started(pid.as_raw()).unwrap_or(0),
            temporary: temporary.clone(),
            scratch: Some(scratch.clone()),
        };
        let text = serde_json::to_string(&note).unwrap_or_default();
        std::fs::write(folder.join(NOTE), text).map_err(|e| failed("note the browser", e))?;
    }
    let process = Process { child, group, folder: folder.to_owned(), temporary, scratch };
    Ok((process, Wire::pipe(input, output)))
}

impl Process {
    /// What the browser last complained of.
    pub(crate) fn complaint(&self) -> String {
        let log = std::fs::read(self.folder.join("browser.log")).unwrap_or_default();
        let text = String::from_utf8_lossy(&log);
        let telling: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
        let tail = telling[telling.len().saturating_sub(5)..].join("; ");
        tail.chars().take(COMPLAINT).collect()
    }

    /// Ends it: waits for it to go by itself, then ends its whole group, and deletes what it left.
    pub(crate) async fn end(mut self) {
        let _ = tokio::time::timeout(END_LIMIT, self.child.wait()).await;
        self.sweep();
    }

    fn sweep(&mut self) {
        if let Some(group) = self.group.take() {
            // None left is what we want.
            let _ = killpg(group, Signal::SIGKILL);
        }
        clear(&self.folder, self.temporary.take().into_iter().chain([self.scratch.clone()]));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.sweep();
    }
}

fn clear(folder: &Path, temporary: impl IntoIterator<Item = PathBuf>) {
    for left in temporary {
        // Processes that are just ending may still write: a few tries.
        for _ in 0..20 {
            if std::fs::remove_dir_all(&left).is_ok() || !left.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
    }
    for name in [NOTE, "browser.log"] {
        let _ = std::fs::remove_file(folder.join(name));
    }
    saved::clear(folder);
}

/// Field 22 of `/proc/PID/stat` (proc(5)): start time in clock ticks since boot. None when there is no such process.
fn started(pid: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// Ends the browser that a daemon which is dead by now launched and kept in `folder`, and deletes what it left.
pub fn reap_orphans(folder: &Path) {
    let Ok(text) = std::fs::read_to_string(folder.join(NOTE)) else { return };
    let Ok(note) = serde_json::from_str::<Note>(&text) else { return };
    if note.pid > 1 && started(note.pid) == Some(note.started) {
        let _ = killpg(Pid::from_raw(note.pid), Signal::SIGKILL);
    }
    clear(folder, note.temporary.into_iter().chain(note.scratch));
}
