//! Starting programs: in whose surroundings, and which window is theirs.
//!
//! A program shows a splash screen first, hands its work to one that runs already, or ends at once: what counts is the window that
//! stays, the one that answers, or what it said.

use super::bus::Unanswered;
use super::surface::Linux;
use super::windows::{Seen, process};
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
/// How long what comes after the end of a process may take to be preferred to what others put up.
const PREFERRED: Duration = Duration::from_millis(300);
/// How much is kept of what a program complains of, while anyone sees to it.
const COMPLAINTS: u64 = 1 << 20;
/// How much of it is told.
const TOLD: u64 = 2000;
/// How often it is looked after.
const TENDED: Duration = Duration::from_secs(2);

/// A program that was started, and where it writes what it complains of.
struct Started {
    child: Child,
    complaints: Option<File>,
}

impl Started {
    /// Looks after it as whoever starts one has to: without a thread for it the process is a zombie until this one ends.
    fn tend(mut self) {
        let tending = move || {
            while let Ok(None) = self.child.try_wait() {
                if let Some(file) =
                    self.complaints.as_ref().filter(|f| f.metadata().is_ok_and(|m| m.len() > COMPLAINTS))
                {
                    // A program that complains all the time would fill the disk.
                    let _ = file.set_len(0);
                }
                std::thread::sleep(TENDED);
            }
        };
        let _ = std::thread::Builder::new().name("reaper".into()).spawn(tending);
    }

    /// Ends it.
    fn end(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
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

/// Of the windows that were there before, the one by which a running program answered: it shows what was handed to it, or came to
/// the front.
fn answering<'a>(before: &[Seen], now: &'a [Seen], program: &str, args: &[String]) -> Option<&'a Seen> {
    let base = |path: &str| Path::new(path).file_name().and_then(|n| n.to_str()).map(str::to_owned);
    let own = base(program);
    let named: Vec<String> = args.iter().filter(|a| !a.starts_with('-')).filter_map(|a| base(a)).collect();
    let is_own = |w: &Seen| own.as_ref().is_some_and(|own| *own == process(w.pid));
    let earlier = |w: &Seen| before.iter().find(|b| b.id == w.id);
    let retitled = |w: &&Seen| {
        let other = earlier(w).is_some_and(|b| b.title != w.title);
        other && (is_own(w) || named.iter().any(|name| w.title.contains(name.as_str())))
    };
    let raised = |w: &&Seen| is_own(w) && w.focused && earlier(w).is_some_and(|b| !b.focused);
    now.iter().filter(|w| !w.popup).find(retitled).or_else(|| now.iter().find(raised))
}

impl Linux {
    /// Starts a program, and finds the window that it put up, or by which a running one answered.
    pub(super) async fn launch_and_find(
        &mut self,
        program: &str,
        args: &[String],
        limit: Duration,
    ) -> Result<Option<Seen>, Problem> {
        let deadline = Instant::now() + limit;
        let left = || deadline.saturating_duration_since(Instant::now());
        for last in [false, false, true] {
            let before = self.seen().await?;
            let mut started = self.start(program, args)?;
            let pid = started.child.id();
            let Some(mut window) = self.new_window(&before, (program, args, &mut started), left()).await? else {
                started.tend();
                return Ok(None);
            };
            let patience = if last { left() } else { left().min(TREE) };
            let shown = self.until_shown(window.pid, patience, deadline).await?;
            // Now and then a Qt 5 app that starts misses that its tree is wanted, and never shows it: no one has used it yet.
            if !shown && !last && window.pid == pid && is_qt5(window.pid) {
                started.end();
                continue;
            }
            if shown {
                self.until_built(&window, deadline).await;
            }
            while !self.seen().await?.iter().any(|w| w.id == window.id) && !left().is_zero() {
                // What is gone by now was to be looked at while the program starts.
                match self.new_window(&before, (program, args, &mut started), left()).await? {
                    Some(next) => window = next,
                    None => break,
                }
                self.until_built(&window, deadline).await;
            }
            started.tend();
            let now = self.seen().await?.into_iter().find(|w| w.id == window.id);
            return Ok(Some(now.unwrap_or(window)));
        }
        Ok(None)
    }

    fn start(&self, program: &str, args: &[String]) -> Result<Started, Problem> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null());
        // A pipe would end with the session, and the program with it.
        let complaints = tempfile::tempfile().ok();
        let told = complaints.as_ref().and_then(|file| file.try_clone().ok());
        command.stderr(told.map_or_else(Stdio::null, Stdio::from));
        if let Some(environment) = &self.surroundings.environment {
            command.env_clear().envs(environment);
        }
        // It outlives the session, as it would when started by hand.
        command.process_group(0).current_dir(self.surroundings.folder.as_deref().unwrap_or(Path::new("/")));
        // Qt 5 shows its tree to those that ask for it at the start.
        command.env("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
        for (name, value) in [("DISPLAY", &self.desk.display), ("DBUS_SESSION_BUS_ADDRESS", &self.desk.bus)] {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        let child = command.spawn().map_err(|e| {
            Problem::new(Code::NotFound, format!("{program} can't be started: {e}")).hint("handeye launch APP")
        })?;
        Ok(Started { child, complaints })
    }

    /// The window that came up since: of the process or of one that it started; once the process has ended, that of whichever it
    /// handed its work to. While it runs, what others put up is none of its own.
    async fn new_window(
        &self,
        before: &[Seen],
        (program, args, started): (&str, &[String], &mut Started),
        limit: Duration,
    ) -> Result<Option<Seen>, Problem> {
        let pid = started.child.id();
        let new = |w: &Seen| !w.popup && !w.splash && !before.iter().any(|b| b.id == w.id);
        // A window that doesn't say whose it is may be anyone's.
        let own = |w: &Seen| new(w) && super::whose::descends(w.pid, pid);
        let deadline = Instant::now() + limit;
        let mut since = None;
        loop {
            let seen = self.seen().await?;
            if let Some(window) = seen.iter().find(|w| own(w)) {
                return Ok(Some(window.clone()));
            }
            let ended = started.child.try_wait().ok().flatten();
            let others = seen.iter().find(|w| new(w) && (ended.is_some() || w.pid == 0));
            let done = ended.is_some_and(|status| status.success());
            let answer = others.or_else(|| if done { answering(before, &seen, program, args) } else { None });
            let failed = ended.filter(|status| !status.success());
            if (answer.is_some() || failed.is_some()) && since.get_or_insert_with(Instant::now).elapsed() >= PREFERRED {
                return match (failed, answer) {
                    (Some(status), _) => Err(started.ended(program, status)),
                    (None, answer) => Ok(answer.cloned()),
                };
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until a process shows a tree; one that never does is reached by places. One that is busy may take all the time there
    /// is: it is about to.
    async fn until_shown(&mut self, pid: u32, limit: Duration, deadline: Instant) -> Result<bool, Problem> {
        let patience = Instant::now() + limit;
        let mut busy = false;
        while Instant::now() < if busy { deadline } else { patience.min(deadline) } {
            let apps = match self.apps_of(pid).await {
                Err(problem) if problem.code != Code::Timeout => return Err(problem),
                apps => apps,
            };
            busy = apps.is_err();
            for app in apps.unwrap_or_default() {
                match super::apps::frames(&self.bus, &app).await {
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
    async fn until_built(&mut self, window: &Seen, deadline: Instant) {
        const MOST: Duration = Duration::from_secs(6);
        let left = || deadline.saturating_duration_since(Instant::now()).min(MOST);
        self.has_read(window.id, left()).await;
        self.acted_on = self.apps_of(window.pid).await.ok().and_then(|apps| apps.first().map(|app| app.root.clone()));
        // One that is never quiet, such as one that plays a film, is there all the same.
        let _ = self.wait_until_quiet(left()).await;
        self.acted_on = None;
    }
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
    }
}
