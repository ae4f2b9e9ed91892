//! Gestures: the accessible action or value first, else the pointer and keys; the guard is checked right before each.

use super::apart::LastClick;
use super::bus::{Place, Unanswered};
use super::click::Spot;
use super::display::Fault;
use super::ids::Tree;
use super::input::{Sent, Way};
use super::probe::{ACTION, Hit, click_action, expand_action, is_focused};
use super::surface::Linux;
use crate::guard::differs;
use handeye_scene::{
    Aim, Button, Code, Delivery, EditKind, End, Gesture, Guard, Modifiers, MouseStep, Point, Probe, Problem, Shown,
    State, Withheld,
};
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::Window;

/// How long an action may take to return; a modal dialog that it opens may keep it.
const ACTION_LIMIT: Duration = Duration::from_millis(1500);
/// How long typing may take.
pub(super) const TYPING_LIMIT: Duration = Duration::from_secs(120);
/// Pixels that one click of the wheel scrolls, about.
const WHEEL: f64 = 60.0;

/// A target that a gesture may be made on: looked at just now, and as the guard wants it.
pub(super) struct Ready {
    pub(super) probe: Probe,
    pub(super) place: Place,
    pub(super) tree: Tree,
    pub(super) role: u32,
    /// Its name as the app tells it.
    pub(super) told: String,
    /// What that is made of, where it has none of its own.
    pub(super) parts: Vec<Place>,
    /// Whether it is shown, by its states.
    pub(super) shows: bool,
}

pub(super) fn by(means: impl Into<String>) -> Delivery {
    Delivery::Delivered { holds: None, moved: None, by: Some(means.into()) }
}

pub(super) fn withheld(reason: &str, partial: bool, detail: Option<String>) -> Delivery {
    Delivery::Withheld(Withheld { reason: reason.into(), actual: None, partial, detail })
}

pub(super) fn fault(e: Fault) -> Problem {
    e.problem("send input")
}

/// Something else would have been hit.
fn misses(actual: Option<Shown>) -> Delivery {
    Delivery::Withheld(Withheld { reason: "miss".into(), actual: actual.map(Box::new), partial: false, detail: None })
}

/// Whether a click gives it the keyboard and does nothing else: it is a field, or a cell.
fn takes_a_click(ready: &Ready) -> bool {
    ready.role == crate::roles::CELL || matches!(ready.probe.edit, EditKind::Text | EditKind::Set)
}

/// What is said where a target didn't come to have the keyboard.
pub(super) fn no_keyboard() -> Delivery {
    withheld("miss", false, Some("it didn't take the keyboard".into()))
}

impl Linux {
    pub(crate) async fn gesture(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        let seen = self.begin().await?;
        let ready = match self.ready(guard).await? {
            Ok(ready) => ready,
            Err(delivery) => return Ok(delivery),
        };
        if let Some(dialog) = ready.as_ref().and_then(|r| r.probe.behind.as_ref()) {
            return Ok(misses(Some(Shown::named(dialog.role.clone(), dialog.name.clone()))));
        }
        self.acted_on = ready.as_ref().map(|r| r.tree.frame.clone());
        self.acted_in = ready.as_ref().and_then(|r| r.tree.window);
        self.promises = ready.is_some()
            && matches!(gesture, Gesture::Click { .. } | Gesture::Invoke)
            && guard.held.as_ref().is_some_and(|held| held.name_ends_with("..."));
        if let (Gesture::Click { .. } | Gesture::Invoke, Some(ready)) = (gesture, &ready) {
            self.note_table(ready).await;
        }
        match (gesture, ready) {
            (Gesture::Click { at, button, count, modifiers }, ready) => {
                self.click(*at, (*button, *count), *modifiers, guard, ready).await
            }
            (Gesture::Invoke, Some(ready)) => self.invoke(&ready, guard).await,
            (Gesture::Expand(on), Some(ready)) => self.expand(&ready, guard, *on).await,
            (Gesture::Focus, Some(ready)) => Ok(match self.focus(&ready).await? {
                Some(means) => by(means),
                None => withheld("refused", false, Some("it doesn't take the keyboard".into())),
            }),
            (Gesture::Set(value), Some(ready)) => self.set(&ready, value).await,
            (Gesture::Replace(text), Some(ready)) => self.replace(&ready, text).await,
            (Gesture::Choose(options), Some(ready)) => self.choose_options(&ready, options).await,
            (Gesture::Hover { at }, ready) => {
                let to = *at;
                let Some(expected) = self.expected_at(to, ready.as_ref()).await? else {
                    return Ok(withheld("miss", false, None));
                };
                if let Some(delivery) = self.misses_at(to, ready.as_ref()).await? {
                    return Ok(delivery);
                }
                self.display.run(move |side| side.point_to(to)).await.map_err(fault)?;
                let hit = self.display.run(move |side| side.top_at(to)).await.map_err(fault)?;
                Ok(if hit == Some(expected) { by("the pointer") } else { withheld("miss", false, None) })
            }
            (Gesture::Drag { from, to, button, duration_ms, modifiers }, ready) => {
                let ends = (*from, *to);
                let time = Duration::from_millis(*duration_ms);
                self.drag(ends, (*button, *modifiers), time, guard.end.as_ref(), ready.as_ref()).await
            }
            (Gesture::Scroll { at, dx, dy }, ready) => self.scroll(*at, *dx, *dy, ready.as_ref()).await,
            (Gesture::Type { text, pace_ms }, ready) => {
                self.type_text(text, Duration::from_millis(*pace_ms), guard, ready.as_ref(), &seen).await
            }
            (Gesture::Keys(chords), ready) => {
                let strokes = chords.iter().map(super::typing::stroke).collect::<Result<Vec<_>, _>>()?;
                self.strokes(strokes, Duration::ZERO, guard, ready.as_ref(), &seen).await
            }
            (Gesture::KeyDown(chord), _) => self.key_down(chord, &seen).await,
            (Gesture::KeyUp(chord), _) => self.key_up(chord).await,
            (Gesture::Mouse(step, _), _) => self.mouse(*step).await,
            (Gesture::Upload(_), _) => {
                Err(Problem::new(Code::Unsupported, "a window takes files by its own dialog").hint("handeye state"))
            }
            (Gesture::Put { .. }, Some(_)) => {
                Err(Problem::new(Code::Unsupported, "secrets go into documents of a browser alone"))
            }
            (_, None) => Err(Problem::new(Code::Unsupported, "this needs a target")),
        }
    }

    /// The guard's target as it is now, if it is what the guard says.
    pub(super) async fn ready(&mut self, guard: &Guard) -> Result<Result<Option<Ready>, Delivery>, Problem> {
        let Some(id) = guard.target else { return Ok(Ok(None)) };
        let Some(known) = self.ids.get(id).cloned() else { return Ok(Err(withheld("detached", false, None))) };
        let tree = self.tree_of(id)?;
        let place = match super::cells::resolve(&self.bus, &known.place).await {
            Ok(place) => place,
            Err(Unanswered::Gone) if !self.bus.is_lost() => return Ok(Err(withheld("detached", false, None))),
            Err(why) => return Err(self.unanswered(why, tree.pid)),
        };
        // Before the look: what it is called later is compared with this.
        let (told, parts, shows) = match super::names::named(&self.bus, &place, tree.quirks).await {
            Ok(named) => (named.record.name.clone(), named.parts, named.record.shows(tree.quirks)),
            Err(Unanswered::Gone) if !self.bus.is_lost() => return Ok(Err(withheld("detached", false, None))),
            Err(why) => return Err(self.unanswered(why, tree.pid)),
        };
        let Some(probe) = self.examine(id, Aim::default()).await? else {
            return Ok(Err(withheld("detached", false, None)));
        };
        if let Some(actual) = differs(guard, &probe) {
            let reason = "relabelled".to_owned();
            return Ok(Err(Delivery::Withheld(Withheld {
                reason,
                actual: Some(Box::new(actual)),
                partial: false,
                detail: None,
            })));
        }
        let told = crate::quirks::name(&told, tree.quirks);
        Ok(Ok(Some(Ready { probe, place, tree, role: known.role, told, parts, shows })))
    }

    /// The child of the root that input at a place must hit: the target's window, or whatever is there without a target.
    pub(super) async fn expected_at(&mut self, at: Point, ready: Option<&Ready>) -> Result<Option<Window>, Problem> {
        match ready {
            None => {
                let top = self.display.run(move |side| side.top_at(at)).await.map_err(fault)?;
                Ok(top.filter(|top| self.held_to.is_empty() || self.held_to.contains(top)))
            }
            Some(ready) => self.window_at(at, &ready.tree, (&ready.place, ready.role)).await,
        }
    }

    /// What keeps the pointer from the target at a place, within its window: something that lies over it there.
    pub(super) async fn misses_at(&self, at: Point, ready: Option<&Ready>) -> Result<Option<Delivery>, Problem> {
        let Some(Ready { tree, place, role, .. }) = ready else { return Ok(None) };
        let instead = self.hit_instead(at, tree, (place, *role)).await?;
        Ok(instead.map(|cover| misses(cover.map(|c| Shown::named(c.role, c.name)))))
    }

    pub(super) async fn answer(&mut self, sent: Sent, means: &str) -> Result<Delivery, Problem> {
        let there = match sent {
            Sent::Yes => return Ok(by(means)),
            Sent::Elsewhere(there) => there,
            Sent::Stopped => None,
        };
        let seen = self.seen().await?;
        let actual = there.and_then(|t| seen.iter().find(|w| w.top == t || w.id == t)).map(|window| {
            let cover = super::probe::as_cover(window);
            Shown::named(cover.role, cover.name)
        });
        Ok(misses(actual))
    }

    async fn invoke(&mut self, ready: &Ready, guard: &Guard) -> Result<Delivery, Problem> {
        let record = crate::record::Record {
            role: ready.role,
            interfaces: crate::record::Interfaces::named(["Action"].into_iter()),
            ..crate::record::Record::default()
        };
        let actions = self.actions(&ready.place, &record).await;
        match click_action(&record, &actions) {
            Some(index) => self.act(ready, guard, index, &actions[index]).await,
            None => Err(Problem::new(
                Code::Unsupported,
                format!("{} {:?} has no action that stands for a click", ready.probe.role, ready.probe.name),
            )
            .hint("handeye click REF --method pointer")),
        }
    }

    async fn expand(&mut self, ready: &Ready, guard: &Guard, on: bool) -> Result<Delivery, Problem> {
        // What has come to be so by itself would be turned back by an action that does both.
        if ready.probe.states.has(if on { State::Expanded } else { State::Collapsed }) {
            return Ok(by("itself"));
        }
        let record = crate::record::Record {
            role: ready.role,
            interfaces: crate::record::Interfaces::named(["Action"].into_iter()),
            ..crate::record::Record::default()
        };
        let actions = self.actions(&ready.place, &record).await;
        match expand_action(&actions, on) {
            Some(index) => self.act(ready, guard, index, &actions[index]).await,
            None => Ok(withheld("refused", false, Some("it no longer opens or closes by itself".into()))),
        }
    }

    async fn act(&mut self, ready: &Ready, guard: &Guard, index: usize, name: &str) -> Result<Delivery, Problem> {
        match self.name_now(ready).await {
            Ok(now) => {
                if let Some(delivery) = ready.otherwise(&now, guard) {
                    return Ok(delivery);
                }
            }
            Err(Unanswered::Gone) if !self.bus.is_lost() => return Ok(withheld("detached", false, None)),
            Err(why) => return Err(self.unanswered(why, ready.tree.pid)),
        }
        let index = i32::try_from(index).unwrap_or_default();
        let done = self.bus.call_within(&ready.place, ACTION, "DoAction", &(index,), ACTION_LIMIT).await;
        match done.map(|answer| answer.body().deserialize::<bool>().unwrap_or(true)) {
            // An action that opens a modal dialog returns when that is closed: it was done.
            Ok(true) | Err(Unanswered::Late) => Ok(by(format!("the accessible action `{name}`"))),
            Ok(false) => Ok(withheld("refused", false, Some(format!("its action `{name}` wasn't taken")))),
            // What the action closes takes its answer with it.
            Err(Unanswered::Gone) => Ok(Delivery::Unseen),
            Err(other) => Err(self.unanswered(other, ready.tree.pid)),
        }
    }

    /// Gives the target the keyboard: by its own means, else by a click into it where that does nothing but this; by which.
    pub(super) async fn focus(&mut self, ready: &Ready) -> Result<Option<String>, Problem> {
        let seen = self.seen().await?;
        // A popup has the keyboard of the window that it belongs to.
        if let Some(window) = ready.tree.window.filter(|id| !seen.iter().any(|w| w.id == *id && w.popup)) {
            self.display.run(move |side| side.activate(window)).await.map_err(fault)?;
        }
        let grabbed: Result<bool, _> = self.bus.ask(&ready.place, "org.a11y.atspi.Component", "GrabFocus", &()).await;
        if grabbed.is_ok() && self.has_focus(ready).await? {
            return Ok(Some("the accessible focus".into()));
        }
        if !takes_a_click(ready) {
            return Ok(None);
        }
        let Hit::At(at, expected) = self.hit(ready.probe.rect, &ready.tree, (&ready.place, ready.role)).await? else {
            return Ok(None);
        };
        let none = Modifiers::default();
        let window = ready.tree.window;
        tokio::time::sleep(self.clicked.apart_from(at, Instant::now())).await;
        let sent = self.display.run(move |side| {
            let spot = side.approach(at, none, Spot::new(expected, window))?;
            side.click(at, Button::Left, 1, &spot)
        });
        self.clicked = LastClick::at(at, Instant::now());
        if sent.await.map_err(fault)? != Sent::Yes {
            return Ok(None);
        }
        tokio::time::sleep(Duration::from_millis(40)).await;
        Ok(Some("a click into it".into()))
    }

    /// Whether the target has come to have the keyboard: what is typed would go elsewhere otherwise.
    pub(super) async fn has_focus(&mut self, ready: &Ready) -> Result<bool, Problem> {
        for _ in 0..10 {
            if self.examine(ready.probe.id, Aim::default()).await?.is_some_and(|p| is_focused(&p)) {
                return Ok(true);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(false)
    }

    /// Drags from one place to another. What it ends on is looked at right before, and its window once more before the drop.
    async fn drag(
        &mut self,
        (from, to): (Point, Point),
        (button, modifiers): (Button, Modifiers),
        time: Duration,
        end: Option<&End>,
        ready: Option<&Ready>,
    ) -> Result<Delivery, Problem> {
        let Some(taken) = self.expected_at(from, ready).await? else { return Ok(withheld("miss", false, None)) };
        if let Some(delivery) = self.misses_at(from, ready).await? {
            return Ok(delivery);
        }
        let dropped = match end {
            None if self.held_to.is_empty() => None,
            None => match self.expected_at(to, None).await? {
                Some(window) => Some(window),
                None => return Ok(withheld("miss", false, None)),
            },
            Some(end) => {
                let there = Guard { target: Some(end.target), held: end.held.clone(), ..Guard::default() };
                let there = match self.ready(&there).await? {
                    Ok(there) => there,
                    Err(delivery) => return Ok(delivery),
                };
                if let Some(delivery) = self.misses_at(to, there.as_ref()).await? {
                    return Ok(delivery);
                }
                match self.expected_at(to, there.as_ref()).await? {
                    Some(window) => Some(window),
                    None => return Ok(withheld("miss", false, None)),
                }
            }
        };
        let way = Way { from, to, taken, dropped };
        let sent = self
            .display
            .run_while(time + TYPING_LIMIT, move |side, wanted| side.drag(way, button, time, modifiers, wanted))
            .await
            .map_err(fault)?;
        match sent {
            // It had been taken by then.
            Sent::Stopped => Ok(withheld("miss", true, Some("it was let go where it was taken".into()))),
            sent => self.answer(sent, "the pointer").await,
        }
    }

    async fn mouse(&mut self, step: MouseStep) -> Result<Delivery, Problem> {
        if let MouseStep::Move(to) = step {
            let place = self.display.run(move |side| side.point_to(to).and_then(|()| side.pointer()));
            let now = place.await.map_err(fault)?;
            let there = (now.x - to.x).abs() < 1.0 && (now.y - to.y).abs() < 1.0;
            let otherwise = || format!("the pointer is at {},{}, not at {},{}", now.x, now.y, to.x, to.y);
            return Ok(if there { by("the pointer") } else { withheld("refused", true, Some(otherwise())) });
        }
        let held_to = std::mem::take(&mut self.held_to);
        let sent = self.display.run(move |side| {
            // A button is let go wherever the pointer is by now.
            if !held_to.is_empty() && !matches!(step, MouseStep::Up(_)) {
                let top = side.top_at(side.pointer()?)?;
                if top.is_none_or(|top| !held_to.contains(&top)) {
                    return Ok(Sent::Elsewhere(top));
                }
            }
            let done = match step {
                MouseStep::Move(to) => side.point_to(to),
                MouseStep::Down(button) => side.button(button, true),
                MouseStep::Up(button) => side.button(button, false),
                MouseStep::Wheel { dx, dy } => side.wheel_here(clicks(dx, dy)),
            };
            done.map(|()| Sent::Yes)
        });
        let sent = sent.await.map_err(fault)?;
        self.answer(sent, "the pointer").await
    }

    async fn scroll(
        &mut self,
        at: Option<Point>,
        dx: f64,
        dy: f64,
        ready: Option<&Ready>,
    ) -> Result<Delivery, Problem> {
        let seen = self.seen().await?;
        let current = match ready.and_then(|r| seen.iter().find(|w| Some(w.id) == r.tree.window)) {
            Some(window) => window.clone(),
            None => self.current_of(&seen)?.clone(),
        };
        if !current.popup {
            let id = current.id;
            self.display.run(move |side| side.activate(id)).await.map_err(fault)?;
        }
        let at = at.unwrap_or_else(|| current.rect.center());
        let Some(expected) = self.expected_at(at, ready).await? else { return Ok(withheld("miss", false, None)) };
        if ready.is_none() && expected != current.top {
            return self.answer(Sent::Elsewhere(Some(expected)), "the wheel").await;
        }
        if let Some(delivery) = self.misses_at(at, ready).await? {
            return Ok(delivery);
        }
        let before = self.scrolled(&current).await;
        let turn = clicks(dx, dy);
        let sent = self.display.run(move |side| side.wheel(at, turn, Some(expected))).await.map_err(fault)?;
        if sent != Sent::Yes {
            return self.answer(sent, "the wheel").await;
        }
        tokio::time::sleep(Duration::from_millis(120)).await;
        let moved = match (before, self.scrolled(&current).await) {
            (Some(before), Some(after)) => Some((after.0 - before.0, after.1 - before.1)),
            _ => None,
        };
        Ok(Delivery::Delivered { holds: None, moved, by: Some("the wheel".into()) })
    }
}

/// Pixels as clicks of the wheel.
fn clicks(dx: f64, dy: f64) -> (i32, i32) {
    let count = |d: f64| (d / WHEEL).abs().ceil().min(200.0).copysign(d) as i32;
    (if dx == 0.0 { 0 } else { count(dx) }, if dy == 0.0 { 0 } else { count(dy) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_clicks_of_the_wheel() {
        assert_eq!(clicks(0.0, 600.0), (0, 10));
        assert_eq!(clicks(-1.0, -0.0), (-1, 0));
        assert_eq!(clicks(0.0, -1e7), (0, -200));
    }
}
