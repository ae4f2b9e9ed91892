//! What only a desktop can do: its windows, programs, pictures and clipboard.

use crate::linux::atspi::ids::Tree;
use crate::linux::atspi::objects;
use crate::linux::capture::cells;
use crate::linux::capture::names::named;
use crate::linux::desktop::Desktop;
use crate::linux::geometry::around;
use crate::linux::launch;
use crate::linux::windows::arrange;
use crate::linux::windows::relations::{barring, group, root_of};
use crate::linux::windows::window_list::{Seen, process};
use crate::linux::x11::clipboard;
use crate::linux::x11::overlay;
use crate::linux::x11::screenshot;
use crate::linux::x11::server::Fault;
use async_trait::async_trait;
use handeye_scene::{
    Arrange, Code, Mark, NativeId, Notice, Point, Problem, Rect, Shot, ShotArea, Surroundings, Window, Windows,
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

async fn by_handle(desktop: &Desktop, id: &str) -> Result<Seen, Problem> {
    let seen = desktop.seen().await?;
    seen.into_iter()
        .find(|w| w.handle() == id)
        .ok_or_else(|| Problem::new(Code::NotFound, format!("there is no window {id}")).hint("handeye windows"))
}

/// Looks until something holds of the windows; the last look.
async fn until(
    desktop: &Desktop,
    limit: Duration,
    holds: impl Fn(&[Seen]) -> bool,
) -> Result<(bool, Vec<Seen>), Problem> {
    let deadline = Instant::now() + limit;
    loop {
        let seen = desktop.seen().await?;
        if holds(&seen) {
            return Ok((true, seen));
        }
        if Instant::now() >= deadline {
            return Ok((false, seen));
        }
        tokio::time::sleep(LOOK).await;
    }
}

#[async_trait]
impl Windows for Desktop {
    async fn list(&mut self) -> Result<Vec<Window>, Problem> {
        Ok(self.seen().await?.iter().filter(|w| !w.popup).map(told).collect())
    }

    fn choose(&mut self, id: Option<&str>) {
        self.current.turned = None;
        let number = id.and_then(|id| u32::from_str_radix(id.trim_start_matches("0x"), 16).ok());
        self.current.chosen = number.map(|n| (n, n));
    }

    fn mark(&mut self) {
        self.current.marked = (self.current.chosen, self.current.turned);
    }

    fn go_back(&mut self) {
        (self.current.chosen, self.current.turned) = self.current.marked;
    }

    async fn leave_lost(&mut self) -> Result<(), Problem> {
        let seen = self.seen().await?;
        let Err(lost) = self.current_of(&seen) else { return Ok(()) };
        if lost.code != Code::Lost {
            return Ok(());
        }
        (self.current.chosen, self.current.turned) = (None, None);
        let now = self.current_of(&seen)?;
        let text = format!("{}: this is another one, {:?} ({})", lost.message, now.title, process(now.pid));
        self.notices.push(Notice::new("other_window", text));
        Ok(())
    }

    async fn current(&mut self) -> Result<Window, Problem> {
        let seen = self.seen().await?;
        let current = self.current_of(&seen)?.clone();
        if let Some((window, owner)) = &mut self.current.chosen
            && *window == current.id
        {
            // A dialog that is closed leaves what it belonged to.
            *owner = root_of(&seen, &current);
        }
        Ok(told(&current))
    }

    async fn activate(&mut self, id: &str) -> Result<Window, Problem> {
        let window = by_handle(self, id).await?.id;
        let active = self
            .display
            .run(move |side| arrange::activate(&side.server, window))
            .await
            .map_err(|e| e.problem("raise a window"))?;
        let now = by_handle(self, id).await?;
        if active || now.focused {
            return Ok(told(&now));
        }
        Err(Problem::new(Code::Blocked, format!("the window manager didn't give {:?} the keyboard", now.title))
            .hint("handeye windows"))
    }

    async fn hold_to(&mut self, id: &str, at: Option<Point>) -> Result<(), Problem> {
        let fault = |e: Fault| e.problem("tell what is there");
        let (window, seen) = (by_handle(self, id).await?, self.seen().await?);
        let owners = |w: &Seen| {
            let above = |at: &u32| seen.iter().find(|o| o.id == *at).and_then(|o| o.owner);
            std::iter::successors(Some(w.id), above).take(16).any(|at| at == window.id)
        };
        let group = group(&seen, &window);
        self.gesture.held_to = group.into_iter().filter(|w| w.popup || owners(w)).map(|w| w.top).collect();
        let (at, top) = self
            .display
            .run(move |side| {
                let at = at.map_or_else(|| side.server.pointer(), Ok)?;
                Ok((at, side.server.top_at(at)?))
            })
            .await
            .map_err(fault)?;
        if top.is_some_and(|top| self.gesture.held_to.contains(&top)) {
            return Ok(());
        }
        self.gesture.held_to.clear();
        let there = top.and_then(|top| seen.iter().find(|w| w.top == top));
        Err(handeye_scene::not_there(at, there.map_or("nothing", |w| &w.title)))
    }

    fn start_in(&mut self, surroundings: Surroundings) {
        self.surroundings = surroundings;
    }

    async fn launch(&mut self, program: &str, args: &[String], limit: Duration) -> Result<Option<Window>, Problem> {
        Ok(launch::launch_and_find(self, program, args, limit).await?.as_ref().map(told))
    }

    async fn close_window(&mut self, id: &str, limit: Duration) -> Result<bool, Problem> {
        let window = by_handle(self, id).await?.id;
        self.display
            .run(move |side| arrange::close(&side.server, window))
            .await
            .map_err(|e| e.problem("close a window"))?;
        let gone = |seen: &[Seen]| !seen.iter().any(|w| w.id == window);
        let asks = |seen: &[Seen]| seen.iter().any(|w| w.owner == Some(window) && !w.popup);
        let (_, seen) = until(self, limit, |seen| gone(seen) || asks(seen)).await?;
        Ok(gone(&seen))
    }

    async fn arrange(&mut self, id: &str, to: Arrange) -> Result<Window, Problem> {
        let window = by_handle(self, id).await?.id;
        self.display
            .run(move |side| arrange::arrange(&side.server, window, to))
            .await
            .map_err(|e| e.problem("place a window"))?;
        // Window managers take a moment.
        tokio::time::sleep(LOOK).await;
        Ok(told(&by_handle(self, id).await?))
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
                let screen =
                    self.display.run(|side| side.server.screen()).await.map_err(|e| e.problem("tell its size"))?;
                let free = is_free(&seen, &parts, screen);
                self.display
                    .run_within(PICTURE, move |side| match free {
                        Some(area) => screenshot::shoot_screen(&side.server, area),
                        None => screenshot::shoot_windows(&side.server, &mut side.clip, &parts),
                    })
                    .await
            }
            ShotArea::FullPage => {
                self.display
                    .run(|side| {
                        let screen = side.server.screen()?;
                        screenshot::shoot_screen(&side.server, screen)
                    })
                    .await
            }
            ShotArea::Clip(rect) => self.display.run(move |side| screenshot::shoot_screen(&side.server, rect)).await,
        };
        shot.map_err(|e| e.problem("give a picture"))
    }

    async fn text(&mut self, of: NativeId) -> Result<String, Problem> {
        let gone = || Problem::new(Code::Stale, "it is gone").hint("handeye state");
        let known = self.ids.get(of).cloned().ok_or_else(gone)?;
        let Tree { pid, quirks, .. } = self.tree_of(of)?;
        let place = cells::resolve(&self.bus, &known.place).await.map_err(|e| self.unanswered(e, pid))?;
        let named = named(&self.bus, &self.ids, &place, quirks).await.map_err(|e| self.unanswered(e, pid))?;
        let whole = objects::value(&self.bus, &place, &named.itself(), -1).await;
        let record = named.record;
        if record.role == crate::roles::PASSWORD {
            return Ok("•".repeat(whole.map_or(0, |text| text.chars().count())));
        }
        Ok(whole.or(named.choice).unwrap_or_else(|| record.name.trim().to_owned()))
    }

    async fn values(&mut self, of: NativeId) -> Result<Vec<(String, String)>, Problem> {
        let gone = || Problem::new(Code::Stale, "it is gone").hint("handeye state");
        let known = self.ids.get(of).cloned().ok_or_else(gone)?;
        let Tree { pid, quirks, .. } = self.tree_of(of)?;
        let place = cells::resolve(&self.bus, &known.place).await.map_err(|e| self.unanswered(e, pid))?;
        let named = named(&self.bus, &self.ids, &place, quirks).await.map_err(|e| self.unanswered(e, pid))?;
        Ok(objects::values(&self.bus, &place, &named.itself()).await)
    }

    async fn show_marks(&mut self, marks: &[Mark]) -> Result<(), Problem> {
        let marks = marks.to_vec();
        self.display
            .run(move |side| overlay::show(&side.server, &mut side.overlay, &marks))
            .await
            .map_err(|e| e.problem("show marks"))
    }

    async fn hide_marks(&mut self) -> Result<(), Problem> {
        self.display
            .run(|side| overlay::hide(&side.server, &mut side.overlay))
            .await
            .map_err(|e| e.problem("take marks away"))
    }

    async fn clipboard(&mut self) -> Result<String, Problem> {
        self.display
            .run(|side| clipboard::text(&side.server, &mut side.clip))
            .await
            .map_err(|e| e.problem("read the clipboard"))
    }

    async fn set_clipboard(&mut self, text: &str) -> Result<(), Problem> {
        let text = text.to_owned();
        self.display
            .run(move |side| clipboard::set_text(&side.server, &mut side.clip, text))
            .await
            .map_err(|e| e.problem("set the clipboard"))
    }
}

/// What a part of the current window shows, with what belongs to it: none while anything else lies on that part.
pub(crate) async fn pixels(desktop: &mut Desktop, area: Rect) -> Option<u64> {
    let seen = desktop.seen().await.ok()?;
    let window = desktop.current_of(&seen).ok()?;
    let parts = pictured(&seen, window);
    let is_part = |w: &Seen| parts.iter().any(|part| part.id == w.id);
    let above = seen.iter().take_while(|w| w.id != window.id);
    if !window.is_shown() || above.into_iter().any(|w| w.is_shown() && !is_part(w) && w.outer.intersects(&area)) {
        return None;
    }
    desktop.display.run(move |side| screenshot::print(&side.server, area)).await.ok()
}

/// A window with what belongs to it and the dialogs that keep a person from it, the topmost first: what a state shows of it.
fn pictured<'a>(seen: &'a [Seen], window: &Seen) -> Vec<&'a Seen> {
    let above = |at: &u32| seen.iter().find(|w| w.id == *at).and_then(|w| w.owner);
    let belongs = |w: &Seen| std::iter::successors(Some(w.id), above).take(16).any(|at| at == window.id);
    let popups = group(seen, window);
    let of_it = |w: &&Seen| {
        belongs(w)
            || w.popup && popups.iter().any(|p| p.id == w.id)
            || barring(seen, window).is_some_and(|bar| bar.id == w.id)
    };
    seen.iter().filter(|w| w.is_shown()).filter(of_it).collect()
}

/// Where windows are on the screen, if nothing else lies on them and all of them is there.
fn is_free(seen: &[Seen], parts: &[(u32, Rect)], screen: Rect) -> Option<Rect> {
    let is_part = |w: &Seen| parts.iter().any(|(id, _)| *id == w.id);
    let covered = |(id, rect): &(u32, Rect)| {
        seen.iter().take_while(|w| w.id != *id).any(|w| w.is_shown() && !is_part(w) && w.outer.intersects(rect))
    };
    let area = parts.iter().map(|(_, rect)| *rect).reduce(around)?;
    let inside = area.x >= screen.x
        && area.y >= screen.y
        && area.x + area.width <= screen.x + screen.width
        && area.y + area.height <= screen.y + screen.height;
    // Between several of them something else may be seen.
    (inside && parts.len() == 1 && !parts.iter().any(covered)).then_some(area)
}
