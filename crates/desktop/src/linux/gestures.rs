//! Gestures: the accessible action or value first, else the pointer and keys; the guard is checked right before each.

use super::bus::{Place, Unanswered};
use super::display::Fault;
use super::ids::Tree;
use super::input::{Sent, Stroke};
use super::probe::{ACTION, Hit, click_action, expand_action, is_focused};
use super::sight::root_of;
use super::surface::Linux;
use super::tree;
use super::windows::Seen;
use handeye_scene::{
    Aim, Button, Code, Delivery, Gesture, Guard, Modifiers, MouseStep, Point, Probe, Problem, Shown, Withheld,
};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use x11rb::protocol::xproto::Window;

const EDITABLE: &str = "org.a11y.atspi.EditableText";
/// How long an action may take to return; a modal dialog that it opens may keep it.
const ACTION_LIMIT: Duration = Duration::from_millis(1500);
/// Strokes between two checks of the target.
const CHUNK: usize = 24;
/// How long typing may take.
const TYPING_LIMIT: Duration = Duration::from_secs(120);
/// Pixels that one click of the wheel scrolls, about.
const WHEEL: f64 = 60.0;

/// A target that a gesture may be made on: looked at just now, and as the guard wants it.
struct Ready {
    probe: Probe,
    place: Place,
    tree: Tree,
    role: u32,
}

fn by(means: impl Into<String>) -> Delivery {
    Delivery::Delivered { holds: None, moved: None, by: Some(means.into()) }
}

fn withheld(reason: &str, partial: bool, detail: Option<String>) -> Delivery {
    Delivery::Withheld(Withheld { reason: reason.into(), actual: None, partial, detail })
}

fn fault(e: Fault) -> Problem {
    e.problem("send input")
}

impl Linux {
    pub(crate) async fn gesture(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        let seen = self.begin().await?;
        let ready = match self.ready(guard).await? {
            Ok(ready) => ready,
            Err(delivery) => return Ok(delivery),
        };
        self.acted_on = ready.as_ref().map(|r| r.tree.frame.clone());
        let says = guard.shown.as_ref().map_or("", |s| s.name.trim_end());
        self.promises = ready.is_some()
            && matches!(gesture, Gesture::Click { .. } | Gesture::Invoke)
            && (says.ends_with("...") || says.ends_with('…'));
        match (gesture, ready) {
            (Gesture::Click { at, button, count, modifiers }, ready) => {
                self.click(*at, *button, *count, *modifiers, ready).await
            }
            (Gesture::Invoke, Some(ready)) => self.invoke(&ready).await,
            (Gesture::Expand(_), Some(ready)) => self.expand(&ready).await,
            (Gesture::Focus, Some(ready)) => {
                let means = self.focus(&ready).await?;
                Ok(by(means))
            }
            (Gesture::Set(value), Some(ready)) => self.set(&ready, value).await,
            (Gesture::Replace(text), Some(ready)) => self.replace(&ready, text).await,
            (Gesture::Choose(options), Some(ready)) => self.choose_options(&ready, options).await,
            (Gesture::Hover { at }, ready) => {
                let expected = self.expected_at(*at, ready.as_ref()).await?;
                let to = *at;
                self.display.run(move |side| side.point_to(to)).await.map_err(fault)?;
                let hit = self.display.run(move |side| side.top_at(to)).await.map_err(fault)?;
                Ok(if expected.is_none() || hit == expected {
                    by("the pointer")
                } else {
                    withheld("miss", false, None)
                })
            }
            (Gesture::Drag { from, to, button, duration_ms, modifiers }, ready) => {
                let Some(expected) = self.expected_at(*from, ready.as_ref()).await? else {
                    return Ok(withheld("miss", false, None));
                };
                let (ends, button, modifiers) = ((*from, *to), *button, *modifiers);
                let time = Duration::from_millis(*duration_ms);
                let sent = self
                    .display
                    .run_within(time + TYPING_LIMIT, move |side| side.drag(ends, button, time, modifiers, expected))
                    .await
                    .map_err(fault)?;
                self.answer(sent, "the pointer").await
            }
            (Gesture::Scroll { at, dx, dy }, ready) => self.scroll(*at, *dx, *dy, ready.as_ref()).await,
            (Gesture::Type { text, pace_ms }, ready) => {
                self.type_text(text, Duration::from_millis(*pace_ms), guard, ready.as_ref(), &seen).await
            }
            (Gesture::Keys(chords), ready) => {
                let strokes: Option<Vec<Stroke>> = chords.iter().map(Stroke::chord).collect();
                let strokes = strokes.ok_or_else(|| Problem::new(Code::Unsupported, "there is no such key here"))?;
                self.strokes(strokes, Duration::ZERO, guard, ready.as_ref(), &seen).await
            }
            (Gesture::KeyDown(chord) | Gesture::KeyUp(chord), ready) => {
                let down = matches!(gesture, Gesture::KeyDown(_));
                let stroke = Stroke::chord(chord)
                    .ok_or_else(|| Problem::new(Code::Unsupported, format!("there is no key `{}` here", chord.key)))?;
                self.strokes(vec![Stroke { down, up: !down, ..stroke }], Duration::ZERO, guard, ready.as_ref(), &seen)
                    .await
            }
            (Gesture::Mouse(step, _), _) => self.mouse(*step).await,
            (Gesture::Upload(_), _) => {
                Err(Problem::new(Code::Unsupported, "a window takes files by its own dialog").hint("handeye state"))
            }
            (_, None) => Err(Problem::new(Code::Unsupported, "this needs a target")),
        }
    }

    /// The guard's target as it is now, if it is what the guard says.
    async fn ready(&mut self, guard: &Guard) -> Result<Result<Option<Ready>, Delivery>, Problem> {
        let Some(id) = guard.target else { return Ok(Ok(None)) };
        let Some(probe) = self.examine(id, Aim::default()).await? else {
            return Ok(Err(withheld("detached", false, None)));
        };
        if let Some(actual) = differs(guard, &probe) {
            let reason = "relabelled".to_owned();
            return Ok(Err(Delivery::Withheld(Withheld {
                reason,
                actual: Some(actual),
                partial: false,
                detail: None,
            })));
        }
        let Some(known) = self.ids.get(id).cloned() else { return Ok(Err(withheld("detached", false, None))) };
        let tree = self.tree_of(id)?;
        let place = super::cells::resolve(&self.bus, &known.place).await.map_err(|e| self.unanswered(e, tree.pid))?;
        Ok(Ok(Some(Ready { probe, place, tree, role: known.role })))
    }

    /// The child of the root that input at a place must hit: the target's window, or whatever is there without a target.
    async fn expected_at(&mut self, at: Point, ready: Option<&Ready>) -> Result<Option<Window>, Problem> {
        match ready {
            None => self.display.run(move |side| side.top_at(at)).await.map_err(fault),
            Some(ready) => {
                let there = handeye_scene::Rect::new(at.x, at.y, 1.0, 1.0);
                match self.hit(there, &ready.tree, ready.role).await? {
                    Hit::At(_, window) => Ok(Some(window)),
                    Hit::Covered(_) => Ok(None),
                }
            }
        }
    }

    async fn answer(&mut self, sent: Sent, means: &str) -> Result<Delivery, Problem> {
        let Sent::Elsewhere(there) = sent else { return Ok(by(means)) };
        let seen = self.seen().await?;
        let actual = there.and_then(|t| seen.iter().find(|w| w.top == t || w.id == t)).map(|window| {
            let cover = super::probe::as_cover(window);
            Shown { role: cover.role, name: cover.name, row: None }
        });
        Ok(Delivery::Withheld(Withheld { reason: "miss".into(), actual, partial: false, detail: None }))
    }

    async fn click(
        &mut self,
        at: Point,
        button: Button,
        count: u8,
        modifiers: Modifiers,
        ready: Option<Ready>,
    ) -> Result<Delivery, Problem> {
        let Some(expected) = self.expected_at(at, ready.as_ref()).await? else {
            return Ok(withheld("miss", false, None));
        };
        let sent =
            self.display.run(move |side| side.click(at, button, count, modifiers, expected)).await.map_err(fault)?;
        self.answer(sent, "the pointer").await
    }

    async fn invoke(&mut self, ready: &Ready) -> Result<Delivery, Problem> {
        let record = crate::record::Record {
            role: ready.role,
            interfaces: crate::record::Interfaces::named(["Action"].into_iter()),
            ..crate::record::Record::default()
        };
        let actions = self.actions(&ready.place, &record).await;
        match click_action(&record, &actions) {
            Some(index) => self.act(ready, index, &actions[index]).await,
            None => Err(Problem::new(
                Code::Unsupported,
                format!("{} {:?} has no action that stands for a click", ready.probe.role, ready.probe.name),
            )
            .hint("handeye click REF --method pointer")),
        }
    }

    async fn expand(&mut self, ready: &Ready) -> Result<Delivery, Problem> {
        let record = crate::record::Record {
            role: ready.role,
            interfaces: crate::record::Interfaces::named(["Action"].into_iter()),
            ..crate::record::Record::default()
        };
        let actions = self.actions(&ready.place, &record).await;
        match expand_action(&actions) {
            Some(index) => self.act(ready, index, &actions[index]).await,
            None => Ok(withheld("refused", false, Some("it no longer opens or closes by itself".into()))),
        }
    }

    async fn act(&mut self, ready: &Ready, index: usize, name: &str) -> Result<Delivery, Problem> {
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

    /// Gives the target the keyboard: by its own means, else by a click into it.
    async fn focus(&mut self, ready: &Ready) -> Result<String, Problem> {
        if let Some(window) = ready.tree.window {
            self.display.run(move |side| side.activate(window)).await.map_err(fault)?;
        }
        let id = ready.probe.id;
        let grabbed: Result<bool, _> = self.bus.ask(&ready.place, "org.a11y.atspi.Component", "GrabFocus", &()).await;
        if grabbed.is_ok() {
            for _ in 0..10 {
                if self.examine(id, Aim::default()).await?.is_some_and(|p| is_focused(&p)) {
                    return Ok("the accessible focus".into());
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        if let Hit::At(at, expected) = self.hit(ready.probe.rect, &ready.tree, ready.role).await? {
            let none = Modifiers::default();
            self.display.run(move |side| side.click(at, Button::Left, 1, none, expected)).await.map_err(fault)?;
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
        Ok("a click into it".into())
    }

    async fn set(&mut self, ready: &Ready, value: &str) -> Result<Delivery, Problem> {
        let Ok(number) = value.trim().parse::<f64>() else {
            return Ok(withheld("refused", false, Some(format!("{value:?} is no number"))));
        };
        let value = zbus::zvariant::Value::from(number);
        let body = ("org.a11y.atspi.Value", "CurrentValue", value);
        match self.bus.call(&ready.place, "org.freedesktop.DBus.Properties", "Set", &body).await {
            Ok(_) => {}
            Err(Unanswered::Gone) => return Ok(withheld("refused", false, None)),
            Err(other) => return Err(self.unanswered(other, ready.tree.pid)),
        }
        let now = self.bus.property(&ready.place, "org.a11y.atspi.Value", "CurrentValue").await.ok();
        let holds = now.and_then(|v| f64::try_from(v).ok()).map(|v| (v - number).abs() < 1e-6);
        Ok(Delivery::Delivered { holds, moved: None, by: Some("the accessible value".into()) })
    }

    /// Sets the text by the accessible interface, reads it back, and types it where that didn't hold.
    async fn replace(&mut self, ready: &Ready, text: &str) -> Result<Delivery, Problem> {
        let record = crate::record::Record {
            role: ready.role,
            interfaces: crate::record::Interfaces::named(["Text"].into_iter()),
            ..crate::record::Record::default()
        };
        let most = i32::try_from(text.chars().count()).unwrap_or(i32::MAX - 2).saturating_add(2);
        let set = self.bus.ask::<_, bool>(&ready.place, EDITABLE, "SetTextContents", &(text,)).await;
        if let Err(Unanswered::Late) = set {
            return Err(self.unanswered(Unanswered::Late, ready.tree.pid));
        }
        let secret = ready.role == crate::roles::PASSWORD;
        let same = |read: Option<String>| {
            read.map(|r| if secret { r.chars().count() == text.chars().count() } else { r == text })
        };
        if set == Ok(true) {
            let holds = same(tree::value(&self.bus, &ready.place, &record, most).await);
            if holds == Some(true) {
                return Ok(Delivery::Delivered { holds, moved: None, by: Some("the accessible text".into()) });
            }
        }
        if ready.role == crate::roles::CELL {
            return self.fill_cell(ready, text, &record).await;
        }
        if ready.probe.role != "textbox" {
            // Select all and delete would reach more than the target.
            return Ok(withheld("refused", false, Some("its text can't be set: click it, and type".into())));
        }
        self.focus(ready).await?;
        let all = Stroke { modifiers: Modifiers { ctrl: true, ..Modifiers::default() }, ..Stroke::of('a') };
        let erase = Stroke { symbol: 0xffff, ..Stroke::of(' ') };
        let strokes: Vec<Stroke> = [all, erase].into_iter().chain(text.chars().map(Stroke::of)).collect();
        let window = ready.tree.window;
        if let Some(delivery) = self.send(&strokes, Duration::ZERO, window, Some(ready)).await? {
            return Ok(delivery);
        }
        let holds = same(tree::value(&self.bus, &ready.place, &record, most).await);
        Ok(Delivery::Delivered { holds, moved: None, by: Some("keys".into()) })
    }

    /// Types into a cell, which replaces what it holds, and leaves it.
    async fn fill_cell(
        &mut self,
        ready: &Ready,
        text: &str,
        record: &crate::record::Record,
    ) -> Result<Delivery, Problem> {
        // What is typed goes to the cell that has the keyboard, which must be this one: a sheet may move under the pointer.
        self.focus(ready).await?;
        if !self.examine(ready.probe.id, Aim::default()).await?.is_some_and(|p| is_focused(&p)) {
            return Ok(withheld("miss", false, Some("another cell got the keyboard".into())));
        }
        let erase = Stroke { symbol: 0xffff, ..Stroke::of(' ') };
        let leave = Stroke::of('\n');
        let typed = text.chars().map(Stroke::of);
        let strokes: Vec<Stroke> =
            if text.is_empty() { vec![erase] } else { typed.chain(std::iter::once(leave)).collect() };
        if let Some(delivery) = self.send(&strokes, Duration::ZERO, ready.tree.window, Some(ready)).await? {
            return Ok(delivery);
        }
        self.dealt_with().await;
        let holds = tree::value(&self.bus, &ready.place, record, -1).await.map(|read| read == text);
        Ok(Delivery::Delivered { holds, moved: None, by: Some("keys".into()) })
    }

    /// Chooses one option of a list by the accessible selection, or by the option's own action.
    async fn choose_options(&mut self, ready: &Ready, wanted: &[String]) -> Result<Delivery, Problem> {
        let [wanted] = wanted else {
            return Ok(withheld("refused", false, Some("it takes one option".into())));
        };
        let options = &ready.probe.options;
        let index = wanted.strip_prefix('#').and_then(|n| n.parse::<usize>().ok());
        let fold = |t: &str| t.trim().to_lowercase();
        let at = index
            .filter(|i| *i < options.len())
            .or_else(|| options.iter().position(|o| fold(&o.label) == fold(wanted)));
        let Some(at) = at else {
            let labels: Vec<&str> = options.iter().take(12).map(|o| o.label.as_str()).collect();
            return Ok(withheld("refused", false, Some(format!("it has no option {wanted:?}; it has {labels:?}"))));
        };
        let number = i32::try_from(at).unwrap_or_default();
        let chosen: Result<bool, _> =
            self.bus.ask(&ready.place, "org.a11y.atspi.Selection", "SelectChild", &(number,)).await;
        match chosen {
            Ok(true) => Ok(by("the accessible selection")),
            Err(Unanswered::Late) => Err(self.unanswered(Unanswered::Late, ready.tree.pid)),
            _ => {
                Ok(withheld("refused", false, Some("its selection can't be set: open it, and click the option".into())))
            }
        }
    }

    async fn mouse(&mut self, step: MouseStep) -> Result<Delivery, Problem> {
        self.display
            .run(move |side| match step {
                MouseStep::Move(to) => side.point_to(to),
                MouseStep::Down(button) => side.button(button, true),
                MouseStep::Up(button) => side.button(button, false),
                MouseStep::Wheel { dx, dy } => side.wheel_here(clicks(dx, dy)),
            })
            .await
            .map_err(fault)?;
        Ok(by("the pointer"))
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
            return Ok(withheld("miss", false, None));
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

    async fn type_text(
        &mut self,
        text: &str,
        pace: Duration,
        guard: &Guard,
        ready: Option<&Ready>,
        seen: &[Seen],
    ) -> Result<Delivery, Problem> {
        let strokes: Vec<Stroke> = text.chars().map(Stroke::of).collect();
        self.strokes(strokes, pace, guard, ready, seen).await
    }

    /// Key strokes to the target, or to what has the keyboard in the current window.
    async fn strokes(
        &mut self,
        strokes: Vec<Stroke>,
        pace: Duration,
        guard: &Guard,
        ready: Option<&Ready>,
        seen: &[Seen],
    ) -> Result<Delivery, Problem> {
        if strokes.iter().any(|s| s.symbol == 0x0100_0000) {
            return Err(Problem::new(Code::BadRequest, "the text holds a character that no key can stand for"));
        }
        let window = match ready {
            Some(ready) => {
                if !is_focused(&ready.probe) {
                    self.focus(ready).await?;
                }
                ready.tree.window
            }
            None => Some(self.keyboard_window(seen).await?),
        };
        for (i, chunk) in strokes.chunks(CHUNK).enumerate() {
            if i > 0
                && guard.target.is_some()
                && let Err(Delivery::Withheld(stopped)) = self.ready(guard).await?
            {
                return Ok(Delivery::Withheld(Withheld { partial: true, ..stopped }));
            }
            if let Some(delivery) = self.send(chunk, pace, window, ready).await? {
                return Ok(match delivery {
                    Delivery::Withheld(stopped) => Delivery::Withheld(Withheld { partial: i > 0, ..stopped }),
                    other => other,
                });
            }
        }
        Ok(by("keys"))
    }

    /// The window that keys to the focus go to: the current one, or a dialog of its own that has the keyboard.
    async fn keyboard_window(&mut self, seen: &[Seen]) -> Result<Window, Problem> {
        let current = self.current_of(seen)?.clone();
        let root = root_of(seen, &current);
        if let Some(focused) = seen.iter().find(|w| w.focused && root_of(seen, w) == root) {
            self.acted_on = self.app_root(focused.pid).await?;
            return Ok(focused.id);
        }
        let id = current.id;
        self.display.run(move |side| side.activate(id)).await.map_err(fault)?;
        self.acted_on = self.app_root(current.pid).await?;
        Ok(id)
    }

    async fn app_root(&mut self, pid: u32) -> Result<Option<Place>, Problem> {
        Ok(self.apps_of(pid).await?.first().map(|a| a.root.clone()))
    }

    /// Sends strokes; what stopped them, if something did. Characters that no key stands for borrow spare keys until the app
    /// has dealt with them.
    async fn send(
        &mut self,
        strokes: &[Stroke],
        pace: Duration,
        window: Option<Window>,
        ready: Option<&Ready>,
    ) -> Result<Option<Delivery>, Problem> {
        let (known, spare) =
            self.display.run(|side| side.keymap().map(|map| (map.symbols(), map.spare()))).await.map_err(fault)?;
        if let Some(app) = ready.map(|r| r.tree.frame.clone()) {
            self.acted_on = Some(app);
        }
        let mut rest = strokes;
        while !rest.is_empty() {
            let (part, missing) = take(rest, &known, spare);
            if part.is_empty() {
                return Err(Problem::new(
                    Code::Unsupported,
                    "every key of the keyboard means something: none can stand for others",
                )
                .hint("handeye input REF TEXT"));
            }
            rest = &rest[part.len()..];
            let symbols: Vec<u32> = missing.into_iter().collect();
            let part = part.to_vec();
            let borrowed = !symbols.is_empty();
            let sent = self
                .display
                .run_within(TYPING_LIMIT, move |side| {
                    let lent = if symbols.is_empty() { HashMap::new() } else { side.lend_keys(&symbols)? };
                    side.strokes(&part, &lent, window, pace)
                })
                .await;
            if borrowed {
                self.dealt_with().await;
                self.display.run(|side| side.restore_keys()).await.map_err(fault)?;
            }
            let sent = sent.map_err(fault)?;
            if sent != Sent::Yes {
                return self.answer(sent, "keys").await.map(Some);
            }
        }
        Ok(None)
    }

    /// Gives the app the time to read its keys: they mean what the keyboard says when they are read.
    async fn dealt_with(&mut self) {
        tokio::time::sleep(Duration::from_millis(25)).await;
        if let Some(app) = &self.acted_on {
            // One that doesn't answer doesn't read its keys either.
            let _ = self.bus.call(app, super::bus::ACCESSIBLE, "GetRole", &()).await;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

/// The longest beginning whose missing characters fit onto the spare keys, and those characters.
fn take<'a>(strokes: &'a [Stroke], known: &BTreeSet<u32>, spare: usize) -> (&'a [Stroke], BTreeSet<u32>) {
    let mut missing = BTreeSet::new();
    for (i, stroke) in strokes.iter().enumerate() {
        if known.contains(&stroke.symbol) || missing.contains(&stroke.symbol) {
            continue;
        }
        if missing.len() >= spare {
            return (&strokes[..i], missing);
        }
        missing.insert(stroke.symbol);
    }
    (strokes, missing)
}

/// Pixels as clicks of the wheel.
fn clicks(dx: f64, dy: f64) -> (i32, i32) {
    let count = |d: f64| (d / WHEEL).abs().ceil().min(200.0).copysign(d) as i32;
    (if dx == 0.0 { 0 } else { count(dx) }, if dy == 0.0 { 0 } else { count(dy) })
}

/// What the target says now, where that isn't what the guard wants.
fn differs(guard: &Guard, probe: &Probe) -> Option<Shown> {
    let texts = &probe.texts;
    let says = |field: &str| match field {
        "name" => Some(&probe.name),
        "role" => Some(&probe.role),
        "text" => Some(&texts.text),
        "value" => Some(&texts.value),
        "placeholder" => Some(&texts.placeholder),
        "title" => Some(&texts.title),
        "alt" => Some(&texts.alt),
        _ => None,
    };
    let kept = guard.fields.iter().all(|(field, text)| says(field).is_none_or(|now| now == text));
    let same = guard.shown.as_ref().is_none_or(|s| s.role == probe.role && plain(&s.name) == plain(&probe.name));
    (!(kept && same)).then(|| Shown { role: probe.role.clone(), name: probe.name.clone(), row: None })
}

/// A name up to digits, case and white space. Where digits are all that it says, as on a calculator's keys, they count.
fn plain(name: &str) -> String {
    let wordy = name.chars().any(char::is_alphabetic);
    let told = name.chars().filter(|c| !(c.is_whitespace() || wordy && c.is_numeric()));
    told.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_taken_as_far_as_spare_keys_go() {
        let strokes: Vec<Stroke> = "a中b文c中😀".chars().map(Stroke::of).collect();
        let known: BTreeSet<u32> = "abc".chars().map(|c| c as u32).collect();
        let (part, missing) = take(&strokes, &known, 2);
        assert_eq!((part.len(), missing.len()), (6, 2));
        assert_eq!(take(&strokes, &known, 0).0.len(), 1);
        assert_eq!(take(&strokes, &known, 9).0.len(), 7);
    }

    #[test]
    fn digits_count_where_they_are_all_that_a_name_says() {
        assert_ne!(plain("7"), plain("8"));
        assert_eq!(plain("Inbox (3)"), plain("inbox (12)"));
    }

    #[test]
    fn pixels_are_clicks_of_the_wheel() {
        assert_eq!(clicks(0.0, 600.0), (0, 10));
        assert_eq!(clicks(-1.0, -0.0), (-1, 0));
        assert_eq!(clicks(0.0, -1e7), (0, -200));
    }
}
