//! Starting programs: in whose surroundings, and which window is theirs.
//!
//! A program shows a splash screen first, hands its work to one that runs already, or ends at once: what counts is the window that
//! stays, the one that answers, or what it said.

use crate::linux::atspi::bus::Unanswered;
use crate::linux::capture::frames::frames;
use crate::linux::desktop::Desktop;
use crate::linux::settle::quiet::{self, QUIET};
use crate::linux::windows::process_tree;
use crate::linux::windows::window_list::{self, Seen, process};
use handeye_scene::{Code, Problem};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long an app may take to show its tree, once its window is there.
const TREE: Duration = Duration::from_secs(4);
/// How often a window is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// How long a window of the very process may take to be preferred to one of the same program.
const PREFERRED: Duration = Duration::from_millis(300);
/// How long one of the same program may take, and an answer of one that runs, to be preferred to what others put up.
const STRANGERS: Duration = Duration::from_millis(1500);
/// What tells a program where its session is: that is the session's to tell, not the caller's, who may be in another.
const OF_THE_SESSION: [&str; 5] =
    ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "AT_SPI_BUS_ADDRESS", "GDK_BACKEND", "QT_QPA_PLATFORM"];
/// How much is kept of what a program complains of, while anyone sees to it.
const COMPLAINTS: u64 = 1 << 20;
/// How much of it is told.
const TOLD: u64 = 2000;
/// How often it is looked after.
const TENDED: Duration = Duration::from_secs(2);

/// A program that was started, and where it writes what it complains of.
struct Started {
    /// None once someone else looks after it.
    child: Option<Child>,
    pid: u32,
    complaints: Option<File>,
}

/// However the search for its window ends, its process is looked after.
impl Drop for Started {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            tend(child, self.complaints.take());
        }
    }
}

/// Looks after a process as whoever starts one has to: without a thread for it the process is a zombie until this one ends.
fn tend(mut child: Child, complaints: Option<File>) {
    let tending = move || {
        while let Ok(None) = child.try_wait() {
            if let Some(file) = complaints.as_ref().filter(|f| f.metadata().is_ok_and(|m| m.len() > COMPLAINTS)) {
                // A program that complains all the time would fill the disk.
                let _ = file.set_len(0);
            }
            std::thread::sleep(TENDED);
        }
    };
    let _ = std::thread::Builder::new().name("reaper".into()).spawn(tending);
}

impl Started {
    /// How it ended, if it has.
    fn ending(&mut self) -> Option<ExitStatus> {
        self.child.as_mut()?.try_wait().ok().flatten()
    }

    /// Ends it.
    fn end(mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// The last that it complained of, in one line.
    fn last_words(&self) -> Option<String> {
        /// Lines of it.
        const LINES: usize = 4;
        let file = self.complaints.as_ref()?;
        let length = file.metadata().ok()?.len();
        let mut bytes = vec![0; usize::try_from(length.min(TOLD)).ok()?];
        file.read_exact_at(&mut bytes, length.saturating_sub(TOLD)).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = lines[lines.len().saturating_sub(LINES)..].join(" | ");
        (!last.is_empty()).then_some(last)
    }

    /// Why no window will come of it.
    fn ended(&self, program: &str, status: ExitStatus) -> Problem {
        let mut what = format!("{program} ended ({status}) before a window came up");
        if let Some(words) = self.last_words() {
            what.push_str(&format!("; it said {words:?}"));
        }
        Problem::new(Code::Unavailable, what).hint("handeye windows")
    }
}

fn is_qt5(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/maps")).is_ok_and(|maps| maps.contains("libQt5Gui"))
}

/// The last part of a path.
fn base(path: &str) -> Option<&str> {
    Path::new(path).file_name().and_then(|name| name.to_str())
}

/// Whether a window is one of a program, by the name of its process or by its class: many are started by a script of their name.
fn is_of(program: &str, process: &str, class: &[String]) -> bool {
    let Some(own) = base(program) else { return false };
    let begins = |class: &String| {
        let rest = class.get(..own.len()).filter(|start| start.eq_ignore_ascii_case(own)).map(|_| &class[own.len()..]);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
    };
    process == own || class.iter().any(begins)
}

/// Whether a title names something: as a word of its own, not as a part of another.
fn names(title: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && title.match_indices(name).any(|(at, _)| {
            let before = title[..at].chars().next_back().is_some_and(is_part);
            let after = title[at + name.len()..].chars().next().is_some_and(is_part);
            !before && !after
        })
}

/// Of the windows that were there before, the one by which a running program answered: it shows what was handed to it, or came to
/// the front.
fn answering<'a>(before: &[Seen], now: &'a [Seen], program: &str, args: &[String]) -> Option<&'a Seen> {
    let named: Vec<&str> = args.iter().filter(|a| !a.starts_with('-')).filter_map(|a| base(a)).collect();
    let is_own = |w: &Seen| base(program).is_some_and(|own| *own == process(w.pid));
    let earlier = |w: &Seen| before.iter().find(|b| b.id == w.id);
    let retitled = |w: &&Seen| {
        let Some(old) = earlier(w).filter(|old| old.title != w.title) else { return false };
        is_own(w) || named.iter().any(|name| names(&w.title, name) && !names(&old.title, name))
    };
    let raised = |w: &&Seen| is_own(w) && w.focused && earlier(w).is_some_and(|b| !b.focused);
    now.iter().filter(|w| !w.popup).find(retitled).or_else(|| now.iter().find(raised))
}

/// Starts a program, and finds the window that it put up, or by which a running one answered.
pub(crate) async fn launch_and_find(
    desktop: &mut Desktop,
    program: &str,
    args: &[String],
    limit: Duration,
) -> Result<Option<Seen>, Problem> {
    let deadline = Instant::now() + limit;
    let left = || deadline.saturating_duration_since(Instant::now());
    for last in [false, false, true] {
        let before = desktop.seen().await?;
        let mut started = start(desktop, program, args)?;
        let pid = started.pid;
        let Some(mut window) = new_window(desktop, &before, (program, args, &mut started), left()).await? else {
            return Ok(None);
        };
        let patience = if last { left() } else { left().min(TREE) };
        let shown = until_shown(desktop, window.pid, patience, deadline).await?;
        // Now and then a Qt 5 app that starts misses that its tree is wanted, and never shows it: no one has used it yet. One
        // that was handed something may have begun to work on it.
        if !shown && !last && args.is_empty() && window.pid == pid && is_qt5(window.pid) {
            started.end();
            continue;
        }
        if shown {
            until_built(desktop, &window, deadline).await;
        }
        while !desktop.seen().await?.iter().any(|w| w.id == window.id) && !left().is_zero() {
            // What is gone by now was to be looked at while the program starts.
            match new_window(desktop, &before, (program, args, &mut started), left()).await? {
                Some(next) => window = next,
                None => break,
            }
            until_built(desktop, &window, deadline).await;
        }
        let now = desktop.seen().await?.into_iter().find(|w| w.id == window.id);
        return Ok(Some(now.unwrap_or(window)));
    }
    Ok(None)
}

fn start(desktop: &Desktop, program: &str, args: &[String]) -> Result<Started, Problem> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null());
    // A pipe would end with the session, and the program with it. What is written goes to its end, wherever that is.
    let complaints = tempfile::Builder::new().append(true).tempfile().ok().map(tempfile::NamedTempFile::into_file);
    let told = complaints.as_ref().and_then(|file| file.try_clone().ok());
    command.stderr(told.map_or_else(Stdio::null, Stdio::from));
    if let Some(environment) = &desktop.surroundings.environment {
        let same = environment.get("DISPLAY") == desktop.config.display.as_ref();
        let is_callers = |name: &str| !OF_THE_SESSION.contains(&name) && (same || name != "XAUTHORITY");
        command.env_clear().envs(environment.iter().filter(|(name, _)| is_callers(name)));
    }
    // It outlives the session, as it would when started by hand.
    command.process_group(0).current_dir(desktop.surroundings.folder.as_deref().unwrap_or(Path::new("/")));
    // Qt 5 shows its tree to those that ask for it at the start.
    command.env("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
    for (name, value) in [("DISPLAY", &desktop.config.display), ("DBUS_SESSION_BUS_ADDRESS", &desktop.config.bus)] {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    let child = command.spawn().map_err(|e| {
        Problem::new(Code::NotFound, format!("{program} can't be started: {e}")).hint("handeye launch APP")
    })?;
    Ok(Started { pid: child.id(), child: Some(child), complaints })
}

/// The window that came up since: of the process or of one that it started, else of the same program, else the one by which a
/// running one answered. Once the process has ended well it may have handed its work to anyone.
async fn new_window(
    desktop: &Desktop,
    before: &[Seen],
    (program, args, started): (&str, &[String], &mut Started),
    limit: Duration,
) -> Result<Option<Seen>, Problem> {
    let deadline = Instant::now() + limit;
    let mut since = None;
    loop {
        let seen = desktop.seen().await?;
        let new = |w: &&Seen| !w.popup && !w.splash && !before.iter().any(|b| b.id == w.id);
        let fresh: Vec<&Seen> = seen.iter().filter(new).collect();
        // A window that doesn't say whose it is may be anyone's.
        if let Some(window) = fresh.iter().find(|w| process_tree::descends(w.pid, started.pid)) {
            return Ok(Some((*window).clone()));
        }
        let ended = started.ending();
        let done = ended.is_some_and(|status| status.success());
        let kin = of_program(desktop, &fresh, program).await?;
        let known = kin.or_else(|| if done { answering(before, &seen, program, args) } else { None });
        let stranger = fresh.iter().find(|w| done || w.pid == 0).copied();
        if known.is_some() || stranger.is_some() || ended.is_some() {
            let waited = since.get_or_insert_with(Instant::now).elapsed();
            if let Some(window) = known.filter(|_| waited >= PREFERRED) {
                return Ok(Some(window.clone()));
            }
            if let Some(window) = stranger.filter(|_| waited >= STRANGERS) {
                return Ok(Some(window.clone()));
            }
            if let Some(status) = ended.filter(|status| !status.success() && waited >= PREFERRED) {
                return Err(started.ended(program, status));
            }
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// The first of some windows that is one of a program.
async fn of_program<'a>(desktop: &Desktop, windows: &[&'a Seen], program: &str) -> Result<Option<&'a Seen>, Problem> {
    for window in windows {
        let id = window.id;
        let class = desktop
            .display
            .run(move |side| window_list::class(&side.server, id))
            .await
            .map_err(|e| e.problem("tell a class"))?;
        if is_of(program, &process(window.pid), &class) {
            return Ok(Some(window));
        }
    }
    Ok(None)
}

/// Waits until a process shows a tree; one that never does is reached by places. One that is busy may take all the time there
/// is: it is about to.
async fn until_shown(desktop: &mut Desktop, pid: u32, limit: Duration, deadline: Instant) -> Result<bool, Problem> {
    let patience = Instant::now() + limit;
    let mut busy = false;
    while Instant::now() < if busy { deadline } else { patience.min(deadline) } {
        let apps = match desktop.apps_of(pid).await {
            Err(problem) if problem.code != Code::Timeout => return Err(problem),
            apps => apps,
        };
        busy = apps.is_err();
        for app in apps.unwrap_or_default() {
            match frames(&desktop.bus, &app).await {
                Ok(frames) if !frames.is_empty() => return Ok(true),
                Err(Unanswered::Late) => busy = true,
                _ => {}
            }
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(false)
}

/// Waits until a window that came up is put together: its app is quiet and answers at once.
async fn until_built(desktop: &mut Desktop, window: &Seen, deadline: Instant) {
    const MOST: Duration = Duration::from_secs(6);
    let left = || deadline.saturating_duration_since(Instant::now()).min(MOST);
    quiet::has_read(&desktop.display, window.id, left()).await;
    desktop.gesture.acted_on =
        desktop.apps_of(window.pid).await.ok().and_then(|apps| apps.first().map(|app| app.root.clone()));
    // One that is never quiet, such as one that plays a film, is there all the same.
    let _ = quiet::wait_until_quiet(&desktop.bus, desktop.gesture.acted_on.as_ref(), QUIET, left()).await;
    desktop.gesture.acted_on = None;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_program_answers_by_what_it_shows_or_by_coming_to_the_front() {
        let window = |id, title: &str, focused| Seen { id, title: title.into(), focused, ..Seen::default() };
        let before = [window(1, "Untitled - Editor", false), window(2, "Clock 10:00", true)];
        let args = ["--new".to_owned(), "/tmp/notes.txt".to_owned()];
        let now = [window(1, "notes.txt - Editor", true), window(2, "Clock 10:01", false)];
        assert_eq!(answering(&before, &now, "editor", &args).map(|w| w.id), Some(1));
        let now = [window(1, "Untitled - Editor", false), window(2, "Clock 10:01", true)];
        assert_eq!(answering(&before, &now, "editor", &args), None);
        // A name that stood there before, or stands in another, is no answer.
        let before = [window(1, "notes.txt - Editor", false)];
        let now = [window(1, "notes.txt* - Editor", false)];
        assert_eq!(answering(&before, &now, "editor", &args), None);
        let before = [window(1, "Editor", false)];
        let now = [window(1, "mynotes.txt - Editor", false)];
        assert_eq!(answering(&before, &now, "editor", &args), None);
    }

    #[test]
    fn a_window_is_of_a_program_by_its_process_or_its_class() {
        let class = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        assert!(is_of("/usr/bin/libreoffice", "soffice.bin", &class(&["libreoffice", "libreoffice-calc"])));
        assert!(is_of("gedit", "python3", &class(&["gedit", "Gedit"])));
        assert!(is_of("mousepad", "mousepad", &[]));
        assert!(!is_of("edit", "gedit", &class(&["gedit", "Gedit"])));
        assert!(!is_of("soft", "x", &class(&["software", "Software"])));
    }
}
