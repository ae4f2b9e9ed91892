//! Setting what a control holds: by its accessible value, text or selection, else by keys.

use super::bus::{ACCESSIBLE, Unanswered};
use super::gestures::{Ready, no_keyboard, withheld};
use super::input::Stroke;
use super::surface::Linux;
use super::tree;
use super::typing::of_text;
use crate::record::{Interfaces, Record, bit};
use handeye_scene::{Delivery, Modifiers, Problem};
use std::time::{Duration, Instant};

const EDITABLE: &str = "org.a11y.atspi.EditableText";
/// How long an app may take to show what was typed.
const PATIENCE: Duration = Duration::from_millis(2500);
/// How long something else than was typed must stay to be what it made of it.
const STAYS: Duration = Duration::from_millis(300);
/// How often that is looked for.
const LOOK: Duration = Duration::from_millis(40);

/// The target as what has a text to read.
fn readable(ready: &Ready) -> Record {
    let interfaces = Interfaces::named(["Text"].into_iter());
    Record { role: ready.role, interfaces, ..Record::default() }
}

impl Linux {
    pub(super) async fn set(&mut self, ready: &Ready, value: &str) -> Result<Delivery, Problem> {
        let Some(number) = value.trim().parse::<f64>().ok().filter(|n| n.is_finite()) else {
            // A date or a time is held by a field that counts, too.
            return match tree::is_date(&ready.probe.texts.value) {
                true => self.set_date(ready, value).await,
                false => Ok(withheld("refused", false, Some(format!("{value:?} is no number")))),
            };
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

    /// Sets a date as it is written, and leaves the field: what it makes of it then tells.
    async fn set_date(&mut self, ready: &Ready, value: &str) -> Result<Delivery, Problem> {
        self.focus(ready).await?;
        if !self.has_focus(ready).await? {
            return Ok(no_keyboard());
        }
        let set = self.set_text(ready, value).await;
        if set == Err(Unanswered::Late) {
            return Err(self.unanswered(Unanswered::Late, ready.tree.pid));
        }
        if set != Ok(true) {
            match self.retype(ready, value, i32::MAX, |read| read == value).await? {
                Delivery::Delivered { .. } => {}
                withheld => return Ok(withheld),
            }
        }
        if let Some(delivery) = self.send(&[Stroke::of('\t')], Duration::ZERO, ready.tree.window, Some(ready)).await? {
            return Ok(delivery);
        }
        self.dealt_with(ready.tree.window).await;
        let holds = self.comes_to_hold(ready, &readable(ready), i32::MAX, |read| read == value).await;
        let by = if set == Ok(true) { "the accessible text" } else { "keys" };
        Ok(Delivery::Delivered { holds, moved: None, by: Some(by.into()) })
    }

    /// Sets the text by the accessible interface, reads it back, and types it where that didn't hold.
    pub(super) async fn replace(&mut self, ready: &Ready, text: &str) -> Result<Delivery, Problem> {
        let record = readable(ready);
        let most = i32::try_from(text.chars().count()).unwrap_or(i32::MAX - 2).saturating_add(2);
        let typed = ready.tree.quirks.edits_untold && ready.probe.role == "textbox" && !self.holds_lines(ready).await?;
        let secret = ready.role == crate::roles::PASSWORD;
        // Toolkits count characters, or halves of them.
        let lengths = [text.chars().count(), text.encode_utf16().count()];
        // One that was as long before shows nothing of whether it changed, unless it is seen empty in between.
        let was_as_long = secret && lengths.contains(&ready.probe.texts.value.chars().count());
        let same = |read: &str| if secret { lengths.contains(&read.chars().count()) } else { read == text };
        let mut seen_empty = false;
        let set = match typed {
            true => Ok(false),
            false if was_as_long => {
                seen_empty = self.set_text(ready, "").await == Ok(true)
                    && tree::value(&self.bus, &ready.place, &record, most).await.as_deref() == Some("");
                self.set_text(ready, text).await
            }
            false => self.set_text(ready, text).await,
        };
        if let Err(Unanswered::Late) = set {
            return Err(self.unanswered(Unanswered::Late, ready.tree.pid));
        }
        if set == Ok(true) {
            let holds = tree::value(&self.bus, &ready.place, &record, most).await.map(|read| same(&read));
            if holds == Some(true) {
                let holds = holds.filter(|_| !was_as_long || seen_empty);
                return Ok(Delivery::Delivered { holds, moved: None, by: Some("the accessible text".into()) });
            }
        }
        // Typed into what holds one line, the end of a line would be Enter, and a tab leave it.
        if text.contains(['\n', '\r', '\t']) && !self.holds_lines(ready).await? {
            return Ok(withheld("refused", false, Some("it holds one line, without tabs".into())));
        }
        if ready.role == crate::roles::CELL {
            return self.fill_cell(ready, text, &record).await;
        }
        if ready.probe.role != "textbox" {
            // Select all and delete would reach more than the target.
            return Ok(withheld("refused", false, Some("its text can't be set: click it, and type".into())));
        }
        if !was_as_long {
            return self.retype(ready, text, most, same).await;
        }
        let (emptied, by) = match self.retype(ready, "", most, str::is_empty).await? {
            Delivery::Delivered { holds, by, .. } => (holds == Some(true), by),
            withheld => return Ok(withheld),
        };
        if text.is_empty() {
            return Ok(Delivery::Delivered { holds: Some(emptied), moved: None, by });
        }
        Ok(match self.retype(ready, text, most, same).await? {
            Delivery::Delivered { holds, moved, by } => {
                Delivery::Delivered { holds: holds.filter(|holds| emptied || !holds), moved, by }
            }
            withheld => withheld,
        })
    }

    async fn set_text(&self, ready: &Ready, text: &str) -> Result<bool, Unanswered> {
        self.bus.ask::<_, bool>(&ready.place, EDITABLE, "SetTextContents", &(text,)).await
    }

    /// Types over what a field holds.
    async fn retype(
        &mut self,
        ready: &Ready,
        text: &str,
        most: i32,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Delivery, Problem> {
        self.focus(ready).await?;
        if !self.has_focus(ready).await? {
            return Ok(no_keyboard());
        }
        let all = Stroke { modifiers: Modifiers { ctrl: true, ..Modifiers::default() }, ..Stroke::of('a') };
        let erase = Stroke { symbol: 0xffff, ..Stroke::of(' ') };
        let strokes: Vec<Stroke> = [all, erase].into_iter().chain(of_text(text)).collect();
        let window = ready.tree.window;
        if let Some(delivery) = self.send(&strokes, Duration::ZERO, window, Some(ready)).await? {
            return Ok(delivery);
        }
        let holds = self.comes_to_hold(ready, &readable(ready), most, wanted).await;
        Ok(Delivery::Delivered { holds, moved: None, by: Some("keys".into()) })
    }

    /// Whether it is a field of several lines.
    async fn holds_lines(&self, ready: &Ready) -> Result<bool, Problem> {
        let states = self.bus.ask::<_, Vec<u32>>(&ready.place, ACCESSIBLE, "GetState", &()).await;
        let states = states.map_err(|why| self.unanswered(why, ready.tree.pid))?;
        Ok(tree::bits(&states) & bit::MULTI_LINE != 0 && ready.role != crate::roles::CELL)
    }

    /// Reads until it holds what is wanted, or something else than before that stays.
    async fn comes_to_hold(
        &self,
        ready: &Ready,
        record: &Record,
        most: i32,
        wanted: impl Fn(&str) -> bool,
    ) -> Option<bool> {
        let deadline = Instant::now() + PATIENCE;
        let mut last = (String::new(), Instant::now());
        loop {
            let read = tree::value(&self.bus, &ready.place, record, most).await?;
            if wanted(&read) {
                return Some(true);
            }
            if read != last.0 {
                last = (read, Instant::now());
            }
            let stays = last.1.elapsed() >= STAYS && last.0 != ready.probe.texts.value;
            if stays || Instant::now() >= deadline {
                return Some(false);
            }
            self.bus.next_event(LOOK).await;
        }
    }

    /// Types into a cell, which replaces what it holds, and leaves it.
    async fn fill_cell(&mut self, ready: &Ready, text: &str, record: &Record) -> Result<Delivery, Problem> {
        // What is typed goes to the cell that has the keyboard, which must be this one: a sheet may move under the pointer.
        self.focus(ready).await?;
        if !self.has_focus(ready).await? {
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
        self.dealt_with(ready.tree.window).await;
        let holds = match self.comes_to_hold(ready, record, -1, |read| read == text).await {
            Some(false) => self.is_in_cell(ready, record, text).await,
            holds => holds,
        };
        Ok(Delivery::Delivered { holds, moved: None, by: Some("keys".into()) })
    }

    /// Whether a cell that shows something else holds a text.
    async fn is_in_cell(&self, ready: &Ready, record: &Record, text: &str) -> Option<bool> {
        let shown = tree::value(&self.bus, &ready.place, record, -1).await?;
        Some(super::sheet::cell(&self.bus, &ready.place, shown).await.holds(text))
    }
}
