//! What only a desktop can do: its windows, programs, pictures and clipboard.

use super::ids::Tree;
use super::names::named;
use super::surface::Linux;
use super::tree;
use super::windows::{Seen, process};
use async_trait::async_trait;
use handeye_scene::{
    Arrange, Code, NativeId, Notice, Point, Problem, Rect, Shot, ShotArea, Surroundings, Window, Windows,
};
use std::time::{Duration, Instant};

/// How long the picture of several windows may take.
const PICTURE: Duration = Duration::from_secs(15);
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

    fn start_in(&mut self, surroundings: Surroundings) {
        self.surroundings = surroundings;
    }

    async fn launch(&mut self, program: &str, args: &[String], limit: Duration) -> Result<Option<Window>, Problem> {
        Ok(self.launch_and_find(program, args, limit).await?.as_ref().map(told))
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
                let parts: Vec<(u32, Rect)> = pictured(&seen, &window).into_iter().map(|w| (w.id, w.rect)).collect();
                let screen = self.display.run(|side| side.screen()).await.map_err(|e| e.problem("tell its size"))?;
                let free = is_free(&seen, &parts, screen);
                self.display
                    .run_within(PICTURE, move |side| match free {
                        Some(area) => side.shoot_screen(area),
                        None => side.shoot_windows(&parts),
                    })
                    .await
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

/// A window with what belongs to it and the dialogs that keep a person from it, the topmost first: what a state shows of it.
fn pictured<'a>(seen: &'a [Seen], window: &Seen) -> Vec<&'a Seen> {
    let above = |at: &u32| seen.iter().find(|w| w.id == *at).and_then(|w| w.owner);
    let belongs = |w: &Seen| std::iter::successors(Some(w.id), above).take(16).any(|at| at == window.id);
    let popups = super::sight::group(seen, window);
    let of_it = |w: &&Seen| {
        belongs(w)
            || w.popup && popups.iter().any(|p| p.id == w.id)
            || super::sight::barring(seen, window).is_some_and(|bar| bar.id == w.id)
    };
    seen.iter().filter(|w| w.is_shown()).filter(of_it).collect()
}

/// Where windows are on the screen, if nothing else lies on them and all of them is there.
fn is_free(seen: &[Seen], parts: &[(u32, Rect)], screen: Rect) -> Option<Rect> {
    let is_part = |w: &Seen| parts.iter().any(|(id, _)| *id == w.id);
    let covered = |(id, rect): &(u32, Rect)| {
        seen.iter().take_while(|w| w.id != *id).any(|w| w.is_shown() && !is_part(w) && w.outer.intersects(rect))
    };
    let area = parts.iter().map(|(_, rect)| *rect).reduce(super::unseen::around)?;
    let inside = area.x >= screen.x
        && area.y >= screen.y
        && area.x + area.width <= screen.x + screen.width
        && area.y + area.height <= screen.y + screen.height;
    // Between several of them something else may be seen.
    (inside && parts.len() == 1 && !parts.iter().any(covered)).then_some(area)
}

impl Linux {
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
