//! Choosing in what drops a list down that can't be set: it is opened by a click and walked through by keys, and the option is taken
//! that has the keyboard then, if it is the one.

use crate::linux::capture::drop_downs::{self, Listed};
use crate::linux::capture::names::named;
use crate::linux::capture::reach::{self, Hit};
use crate::linux::desktop::Desktop;
use crate::linux::input::click;
use crate::linux::input::deliveries::{by, fault, misses, withheld};
use crate::linux::input::ready::Ready;
use crate::linux::input::typing;
use crate::linux::windows::arrange;
use crate::linux::x11::keymap::Stroke;
use handeye_scene::{Button, Delivery, Guard, Modifiers, Problem, Shown};
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::Window;

/// How long the list may take to come up, or to go.
const OPENS: Duration = Duration::from_millis(2500);
/// How long the next option may take to have the keyboard.
const STEPS: Duration = Duration::from_millis(500);
/// How often that is looked for.
const LOOK: Duration = Duration::from_millis(25);
/// Symbols of the keys (`keysymdef.h`).
const HOME: u32 = 0xff50;
const UP: u32 = 0xff52;
const DOWN: u32 = 0xff54;
const ENTER: u32 = 0xff0d;
const ESCAPE: u32 = 0xff1b;

/// A list that is open.
struct Open<'a> {
    desktop: &'a mut Desktop,
    window: Option<Window>,
    options: Vec<Listed>,
}

pub(crate) async fn choose(
    desktop: &mut Desktop,
    ready: Ready,
    wanted: &[String],
    guard: &Guard,
) -> Result<Delivery, Problem> {
    let [wanted] = wanted else { return Ok(withheld("refused", false, Some("it takes one option".into()))) };
    let (place, tree) = (ready.place.clone(), ready.tree.clone());
    if let Some(window) = tree.window {
        desktop.display.run(move |side| arrange::activate(&side.server, window)).await.map_err(fault)?;
    }
    let at = match reach::hit(desktop, ready.probe.rect, &tree, (&place, ready.role)).await? {
        Hit::At(at, _) => at,
        Hit::Covered(cover) => return Ok(misses(cover.map(|c| Shown::named(c.role, c.name)))),
    };
    let none = Modifiers::default();
    match click::click(desktop, at, (Button::Left, 1), none, guard, Some(ready)).await? {
        Delivery::Delivered { .. } => {}
        other => return Ok(other),
    }
    if !comes_to(desktop, tree.pid, true).await? {
        return Ok(withheld("refused", true, Some("it was clicked, and shows no list".into())));
    }
    let options = drop_downs::listed(&desktop.bus, &desktop.ids, &place, tree.quirks).await;
    let mut open = Open { desktop, window: tree.window, options };
    let Some(index) = open.called(wanted) else {
        let labels: Vec<&str> = open.options.iter().take(12).map(|option| option.label.as_str()).collect();
        let why = format!("it has no option {wanted:?}; it has {labels:?}");
        open.close(tree.pid).await?;
        return Ok(withheld("refused", false, Some(why)));
    };
    let option = open.options[index].clone();
    let is_there = open.walk_to(index).await?;
    let now = named(&open.desktop.bus, &open.desktop.ids, &option.place, tree.quirks).await;
    if !is_there || now.is_ok_and(|now| now.record.name.trim() != option.label) {
        open.close(tree.pid).await?;
        let why = "its list couldn't be walked through: open it, and click the option";
        return Ok(withheld("refused", false, Some(why.into())));
    }
    open.press(&[ENTER]).await?;
    comes_to(open.desktop, tree.pid, false).await?;
    Ok(by("its list and keys"))
}

/// Waits until a list of a program is open, or none is; whether it came to that.
async fn comes_to(desktop: &Desktop, pid: u32, is_open: bool) -> Result<bool, Problem> {
    let deadline = Instant::now() + OPENS;
    loop {
        let seen = desktop.seen().await?;
        if seen.iter().any(|w| w.menu && w.pid == pid) == is_open {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        tokio::time::sleep(LOOK).await;
    }
}

impl Open<'_> {
    /// The option that is called so, or has this place.
    fn called(&self, wanted: &str) -> Option<usize> {
        let fold = |text: &str| text.trim().to_lowercase();
        let index = wanted.strip_prefix('#').and_then(|n| n.parse::<usize>().ok());
        let labelled = self.options.iter().position(|option| fold(&option.label) == fold(wanted));
        labelled.or(index.filter(|index| *index < self.options.len()))
    }

    async fn press(&mut self, symbols: &[u32]) -> Result<bool, Problem> {
        let plain = Stroke::of(' ');
        let strokes: Vec<Stroke> = symbols.iter().map(|symbol| Stroke { symbol: *symbol, ..plain }).collect();
        Ok(typing::send(self.desktop, &strokes, Duration::ZERO, self.window, None).await?.is_none())
    }

    /// Waits until an option has the keyboard; whether it does.
    async fn is_at(&self, index: usize) -> bool {
        let deadline = Instant::now() + STEPS;
        loop {
            let focused = drop_downs::focused(&self.desktop.bus, &self.options).await;
            if focused == Some(index) || Instant::now() >= deadline {
                return focused == Some(index);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Goes to an option; whether it has the keyboard then. Lines between options aren't counted, so it is gone on step by step.
    async fn walk_to(&mut self, index: usize) -> Result<bool, Problem> {
        let from = match self.press(&[HOME]).await? && self.is_at(0).await {
            true => Some(0),
            false => drop_downs::focused(&self.desktop.bus, &self.options).await,
        };
        let Some(from) = from else { return Ok(false) };
        let steps = vec![if index >= from { DOWN } else { UP }; index.abs_diff(from)];
        if !self.press(&steps).await? {
            return Ok(false);
        }
        for _ in 0..=self.options.len() {
            if self.is_at(index).await {
                return Ok(true);
            }
            let Some(now) = drop_downs::focused(&self.desktop.bus, &self.options).await else { return Ok(false) };
            if !self.press(&[if index > now { DOWN } else { UP }]).await? {
                return Ok(false);
            }
        }
        Ok(false)
    }

    async fn close(&mut self, pid: u32) -> Result<(), Problem> {
        self.press(&[ESCAPE]).await?;
        comes_to(self.desktop, pid, false).await.map(drop)
    }
}
