//! What only a desktop can do: its windows, programs, pictures and clipboard.

use super::bus::Unanswered;
use super::ids::Tree;
use super::names::named;
use super::surface::Linux;
use super::tree;
use super::windows::{Seen, process};
use async_trait::async_trait;
use handeye_scene::{Arrange, Code, NativeId, Notice, Point, Problem, Shot, ShotArea, Window, Windows};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long an app may take to show its tree, once its window is there.
const TREE: Duration = Duration::from_secs(4);
/// How often a window is looked for.
const LOOK: Duration = Duration::from_millis(50);

fn told(seen: &Seen) -> Window {
    Window {
        id: seen.handle(),
        title: seen.title.clone(),
        process: process(seen.pid),
        pid: seen.pid,
        rect: seen.rect,
        focused: seen.focused,
        minimised: seen.minimised,
        workspace: seen.elsewhere,
    }
}

impl Linux {
    async fn by_handle(&self, id: &str) -> Result<Seen, Problem> {
        let seen = self.seen().await?;
        seen.into_iter()
            .find(|w| w.handle() == id)
            .ok_or_else(|| Problem::new(Code::NotFound, format!("there is no window {id}")).hint("handeye windows"))
    }

    /// Looks until something holds of the windows; the last look.
    async fn until(&self, limit: Duration, holds: impl Fn(&[Seen]) -> bool) -> Result<(bool, Vec<Seen>), Problem> {
        let deadline = Instant::now() + limit;
        loop {
            let seen = self.seen().await?;
            if holds(&seen) {
                return Ok((true, seen));
            }
            if Instant::now() >= deadline {
                return Ok((false, seen));
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

#[async_trait]
impl Windows for Linux {
    async fn list(&mut self) -> Result<Vec<Window>, Problem> {
        Ok(self.seen().await?.iter().filter(|w| !w.popup).map(told).collect())
    }

    fn choose(&mut self, id: Option<&str>) {
        self.turned = None;
        let number = id.and_then(|id| u32::from_str_radix(id.trim_start_matches("0x"), 16).ok());
        self.chosen = number.map(|n| (n, n));
    }

    fn mark(&mut self) {
        self.marked = (self.chosen, self.turned);
    }

    fn go_back(&mut self) {
        (self.chosen, self.turned) = self.marked;
    }

    async fn leave_lost(&mut self) -> Result<(), Problem> {
        let seen = self.seen().await?;
        let Err(lost) = self.current_of(&seen) else { return Ok(()) };
        if lost.code != Code::Lost {
            return Ok(());
        }
        (self.chosen, self.turned) = (None, None);
        let now = self.current_of(&seen)?;
        let text = format!("{}: this is another one, {:?} ({})", lost.message, now.title, process(now.pid));
        self.notices.push(Notice::new("other_window", text));
        Ok(())
    }

    async fn current(&mut self) -> Result<Window, Problem> {
        let seen = self.seen().await?;
        let current = self.current_of(&seen)?.clone();
        if let Some((window, owner)) = &mut self.chosen
            && *window == current.id
        {
            // A dialog that is closed leaves what it belonged to.
            *owner = super::sight::root_of(&seen, &current);
        }
        Ok(told(&current))
    }

    async fn activate(&mut self, id: &str) -> Result<Window, Problem> {
        let window = self.by_handle(id).await?.id;
        let active =
            self.display.run(move |side| side.activate(window)).await.map_err(|e| e.problem("raise a window"))?;
        let now = self.by_handle(id).await?;
        if active || now.focused {
            return Ok(told(&now));
        }
        Err(Problem::new(Code::Blocked, format!("the window manager didn't give {:?} the keyboard", now.title))
            .hint("handeye windows"))
    }

    async fn hold_to(&mut self, id: &str, at: Option<Point>) -> Result<(), Problem> {
        let fault = |e: super::display::Fault| e.problem("tell what is there");
        let (window, seen) = (self.by_handle(id).await?, self.seen().await?);
        let owners = |w: &Seen| {
            let above = |at: &u32| seen.iter().find(|o| o.id == *at).and_then(|o| o.owner);
            std::iter::successors(Some(w.id), above).take(16).any(|at| at == window.id)
        };
        let group = super::sight::group(&seen, &window);
        self.held_to = group.into_iter().filter(|w| w.popup || owners(w)).map(|w| w.top).collect();
        let (at, top) = self
            .display
            .run(move |side| {
                let at = at.map_or_else(|| side.pointer(), Ok)?;
                Ok((at, side.top_at(at)?))
            })
            .await
            .map_err(fault)?;
        if top.is_some_and(|top| self.held_to.contains(&top)) {
            return Ok(());
        }
        self.held_to.clear();
        let there = top.and_then(|top| seen.iter().find(|w| w.top == top));
        Err(handeye_scene::not_there(at, there.map_or("nothing", |w| &w.title)))
    }

    async fn launch(&mut self, program: &str, args: &[String], limit: Duration) -> Result<Option<Window>, Problem> {
        let deadline = Instant::now() + limit;
        for last in [false, false, true] {
            let before = self.seen().await?;
            let mut child = self.start(program, args)?;
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(window) = self.new_window(&before, (program, &mut child), left).await? else {
                wait_for(child);
                return Ok(None);
            };
            let left = deadline.saturating_duration_since(Instant::now());
            let patience = if last { left } else { left.min(TREE) };
            let shown = self.until_shown(window.pid, patience, deadline).await?;
            // Now and then a Qt 5 app that starts misses that its tree is wanted, and never shows it: no one has used it yet.
            if shown || last || window.pid != child.id() || !is_qt5(window.pid) {
                wait_for(child);
                if shown {
                    self.until_built(&window, deadline).await;
                }
                let now = self.by_handle(&window.handle()).await.unwrap_or(window);
                return Ok(Some(told(&now)));
            }
            end(child);
        }
        Ok(None)
    }

    async fn close_window(&mut self, id: &str, limit: Duration) -> Result<bool, Problem> {
        let window = self.by_handle(id).await?.id;
        self.display.run(move |side| side.close(window)).await.map_err(|e| e.problem("close a window"))?;
        let gone = |seen: &[Seen]| !seen.iter().any(|w| w.id == window);
        let asks = |seen: &[Seen]| seen.iter().any(|w| w.owner == Some(window) && !w.popup);
        let (_, seen) = self.until(limit, |seen| gone(seen) || asks(seen)).await?;
        Ok(gone(&seen))
    }

    async fn arrange(&mut self, id: &str, to: Arrange) -> Result<Window, Problem> {
        let window = self.by_handle(id).await?.id;
        self.display.run(move |side| side.arrange(window, to)).await.map_err(|e| e.problem("place a window"))?;
        // Window managers take a moment.
        tokio::time::sleep(LOOK).await;
        Ok(told(&self.by_handle(id).await?))
    }

    async fn screenshot(&mut self, area: ShotArea) -> Result<Shot, Problem> {
        let shot = match area {
            ShotArea::Viewport => {
                let seen = self.seen().await?;
                let window = self.current_of(&seen)?.clone();
                if window.minimised {
                    return Err(Problem::new(Code::Blocked, format!("the window {:?} is minimised", window.title))
                        .hint("handeye window restore"));
                }
                if let Some(workspace) = window.elsewhere {
                    let text = format!("the window {:?} is on workspace {workspace}, which isn't shown", window.title);
                    return Err(Problem::new(Code::Blocked, text).hint(format!("handeye focus {}", window.handle())));
                }
                self.display.run(move |side| side.shoot_window(window.id, window.rect)).await
            }
            ShotArea::FullPage => {
                self.display
                    .run(|side| {
                        let screen = side.screen()?;
                        side.shoot_screen(screen)
                    })
                    .await
            }
            ShotArea::Clip(rect) => self.display.run(move |side| side.shoot_screen(rect)).await,
        };
        shot.map_err(|e| e.problem("give a picture"))
    }

    async fn text(&mut self, of: NativeId) -> Result<String, Problem> {
        let gone = || Problem::new(Code::Stale, "it is gone").hint("handeye state");
        let known = self.ids.get(of).cloned().ok_or_else(gone)?;
        let Tree { pid, quirks, .. } = self.tree_of(of)?;
        let place = super::cells::resolve(&self.bus, &known.place).await.map_err(|e| self.unanswered(e, pid))?;
        let named = named(&self.bus, &place, quirks).await.map_err(|e| self.unanswered(e, pid))?;
        let whole = tree::value(&self.bus, &place, &named.itself(), -1).await;
        let record = named.record;
        if record.role == crate::roles::PASSWORD {
            return Ok("•".repeat(whole.map_or(0, |text| text.chars().count())));
        }
        Ok(whole.unwrap_or_else(|| record.name.trim().to_owned()))
    }

    async fn clipboard(&mut self) -> Result<String, Problem> {
        self.display.run(|side| side.read_clip()).await.map_err(|e| e.problem("read the clipboard"))
    }

    async fn set_clipboard(&mut self, text: &str) -> Result<(), Problem> {
        let text = text.to_owned();
        self.display.run(move |side| side.set_clip(text)).await.map_err(|e| e.problem("set the clipboard"))
    }
}

/// Waits for the end of a process, as whoever starts one has to.
fn wait_for(mut child: Child) {
    // Without a thread for it the process is a zombie until this one ends, and nothing worse.
    let _ = std::thread::Builder::new().name("reaper".into()).spawn(move || child.wait());
}

/// Ends a process that was just started.
fn end(mut child: Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn is_qt5(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/maps")).is_ok_and(|maps| maps.contains("libQt5Gui"))
}

impl Linux {
    fn start(&self, program: &str, args: &[String]) -> Result<Child, Problem> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // It outlives the session, as it would when started by hand.
        command.process_group(0).current_dir("/");
        // Qt 5 shows its tree to those that ask for it at the start.
        command.env("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
        for (name, value) in [("DISPLAY", &self.desk.display), ("DBUS_SESSION_BUS_ADDRESS", &self.desk.bus)] {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command.spawn().map_err(|e| {
            Problem::new(Code::NotFound, format!("{program} can't be started: {e}")).hint("handeye launch APP")
        })
    }

    /// The window that came up since: of the process or of one that it started; once the process has ended, that of whichever it
    /// handed its work to. While it runs, what others put up is none of its own.
    async fn new_window(
        &self,
        before: &[Seen],
        (program, child): (&str, &mut Child),
        limit: Duration,
    ) -> Result<Option<Seen>, Problem> {
        /// How long what comes after the end of the process may take to be preferred to what others put up.
        const PREFERRED: Duration = Duration::from_millis(300);
        let pid = child.id();
        let new = |w: &Seen| !w.popup && !before.iter().any(|b| b.id == w.id);
        // A window that doesn't say whose it is may be anyone's.
        let own = |w: &Seen| new(w) && super::whose::descends(w.pid, pid);
        let deadline = Instant::now() + limit;
        let mut since = None;
        loop {
            let seen = self.seen().await?;
            if let Some(window) = seen.iter().find(|w| own(w)) {
                return Ok(Some(window.clone()));
            }
            let ended = child.try_wait().ok().flatten();
            if let Some(status) = ended.filter(|status| !status.success())
                && since.get_or_insert_with(Instant::now).elapsed() >= PREFERRED
            {
                return Err(Problem::new(
                    Code::Unavailable,
                    format!("{program} ended ({status}) before a window came up"),
                )
                .hint("handeye windows"));
            }
            let ended = ended.is_some();
            let others = seen.iter().find(|w| new(w) && (ended || w.pid == 0));
            if let Some(window) = others
                && since.get_or_insert_with(Instant::now).elapsed() >= PREFERRED
            {
                return Ok(Some(window.clone()));
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

    /// Sum of what the scroll bars of a window stand at, across and down; none where it has none.
    pub(crate) async fn scrolled(&mut self, window: &Seen) -> Option<(f64, f64)> {
        let apps = self.apps_of(window.pid).await.ok()?;
        let mut sum: Option<(f64, f64)> = None;
        for app in apps {
            let frames = super::apps::frames(&self.bus, &app).await.ok()?;
            let cache = if app.quirks.cache { super::bulk::cache(&self.bus, &app.root).await.ok()? } else { None };
            let (pairs, _) = super::apps::pair(&[window], frames);
            for (_, frame) in pairs {
                let bars = tree::bars(&self.bus, &frame.place, cache.as_ref(), app.quirks).await.ok()?;
                for (down, value) in bars {
                    let at = sum.get_or_insert((0.0, 0.0));
                    if down { at.1 += value } else { at.0 += value }
                }
            }
        }
        sum
    }
}
