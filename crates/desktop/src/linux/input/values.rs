//! Setting what a control holds: by its accessible value, text or selection, else by keys.

use crate::linux::atspi::bus::{ACCESSIBLE, Unanswered};
use crate::linux::atspi::objects;
use crate::linux::capture::spreadsheet;
use crate::linux::desktop::Desktop;
use crate::linux::input::deliveries::{no_keyboard, withheld};
use crate::linux::input::focus;
use crate::linux::input::ready::Ready;
use crate::linux::input::typing::{self, of_text};
use crate::linux::x11::keymap::Stroke;
use crate::record::{Interfaces, Record, bit};
use handeye_scene::{Delivery, InputMethod, Modifiers, Problem};
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

/// What is answered where the accessible interface didn't set the text, and nothing else may.
fn not_by_value() -> Delivery {
    let why = "its accessible interface didn't set the text: --method keys types it";
    withheld("refused", false, Some(why.into()))
}

pub(crate) async fn set(desktop: &mut Desktop, ready: &Ready, value: &str) -> Result<Delivery, Problem> {
    let by_keys = desktop.gesture.input_by == Some(InputMethod::Keys);
    if by_keys && !objects::is_date(&ready.probe.texts.value) {
        return Ok(withheld("refused", false, Some("it isn't edited as text: --method value sets it".into())));
    }
    let Some(number) = value.trim().parse::<f64>().ok().filter(|n| n.is_finite()) else {
        // A date or a time is held by a field that counts, too.
        return match objects::is_date(&ready.probe.texts.value) {
            true => set_date(desktop, ready, value).await,
            false => Ok(withheld("refused", false, Some(format!("{value:?} is no number")))),
        };
    };
    let value = zbus::zvariant::Value::from(number);
    let body = ("org.a11y.atspi.Value", "CurrentValue", value);
    match desktop.bus.call(&ready.place, "org.freedesktop.DBus.Properties", "Set", &body).await {
        Ok(_) => {}
        Err(Unanswered::Gone) => return Ok(withheld("refused", false, None)),
        Err(other) => return Err(desktop.unanswered(other, ready.tree.pid)),
    }
    let now = desktop.bus.property(&ready.place, "org.a11y.atspi.Value", "CurrentValue").await.ok();
    let holds = now.and_then(|v| f64::try_from(v).ok()).map(|v| (v - number).abs() < 1e-6);
    Ok(Delivery::Delivered { holds, moved: None, by: Some("the accessible value".into()) })
}

/// Sets a date as it is written, and leaves the field: what it makes of it then tells.
async fn set_date(desktop: &mut Desktop, ready: &Ready, value: &str) -> Result<Delivery, Problem> {
    focus::focus(desktop, ready).await?;
    if !focus::has_focus(desktop, ready).await? {
        return Ok(no_keyboard());
    }
    let set = match desktop.gesture.input_by {
        Some(InputMethod::Keys) => Ok(false),
        _ => set_text(desktop, ready, value).await,
    };
    if set == Err(Unanswered::Late) {
        return Err(desktop.unanswered(Unanswered::Late, ready.tree.pid));
    }
    if set != Ok(true) && desktop.gesture.input_by == Some(InputMethod::Value) {
        return Ok(not_by_value());
    }
    if set != Ok(true) {
        match retype(desktop, ready, value, i32::MAX, |read| read == value).await? {
            Delivery::Delivered { .. } => {}
            withheld => return Ok(withheld),
        }
    }
    if let Some(delivery) =
        typing::send(desktop, &[Stroke::of('\t')], Duration::ZERO, ready.tree.window, Some(ready)).await?
    {
        return Ok(delivery);
    }
    typing::dealt_with(desktop, ready.tree.window).await;
    let holds = comes_to_hold(desktop, ready, &readable(ready), i32::MAX, |read| read == value).await;
    let by = if set == Ok(true) { "the accessible text" } else { "keys" };
    Ok(Delivery::Delivered { holds, moved: None, by: Some(by.into()) })
}

/// Sets the text by the accessible interface, reads it back, and types it where that didn't hold.
pub(crate) async fn replace(desktop: &mut Desktop, ready: &Ready, text: &str) -> Result<Delivery, Problem> {
    let record = readable(ready);
    let most = i32::try_from(text.chars().count()).unwrap_or(i32::MAX - 2).saturating_add(2);
    let typed = ready.tree.quirks.edits_untold && ready.probe.role == "textbox" && !holds_lines(desktop, ready).await?;
    let secret = ready.role == crate::roles::PASSWORD;
    // Toolkits count characters, or halves of them.
    let lengths = [text.chars().count(), text.encode_utf16().count()];
    // One that was as long before shows nothing of whether it changed, unless it is seen empty in between.
    let was_as_long = secret && lengths.contains(&ready.probe.texts.value.chars().count());
    let same = |read: &str| if secret { lengths.contains(&read.chars().count()) } else { read == text };
    let mut seen_empty = false;
    let by_keys = desktop.gesture.input_by == Some(InputMethod::Keys);
    let by_value = desktop.gesture.input_by == Some(InputMethod::Value);
    let set = match by_keys || typed && !by_value {
        true => Ok(false),
        false if was_as_long => {
            seen_empty = set_text(desktop, ready, "").await == Ok(true)
                && objects::value(&desktop.bus, &ready.place, &record, most).await.as_deref() == Some("");
            set_text(desktop, ready, text).await
        }
        false => set_text(desktop, ready, text).await,
    };
    if let Err(Unanswered::Late) = set {
        return Err(desktop.unanswered(Unanswered::Late, ready.tree.pid));
    }
    if set == Ok(true) {
        let holds = objects::value(&desktop.bus, &ready.place, &record, most).await.map(|read| same(&read));
        if holds == Some(true) {
            let holds = holds.filter(|_| !was_as_long || seen_empty);
            return Ok(Delivery::Delivered { holds, moved: None, by: Some("the accessible text".into()) });
        }
    }
    if by_value {
        return Ok(not_by_value());
    }
    // Typed into what holds one line, the end of a line would be Enter, and a tab leave it.
    if text.contains(['\n', '\r', '\t']) && !holds_lines(desktop, ready).await? {
        return Ok(withheld("refused", false, Some("it holds one line, without tabs".into())));
    }
    if ready.role == crate::roles::CELL {
        return fill_cell(desktop, ready, text, &record).await;
    }
    if ready.probe.role != "textbox" {
        // Select all and delete would reach more than the target.
        return Ok(withheld("refused", false, Some("its text can't be set: click it, and type".into())));
    }
    if !was_as_long {
        return retype(desktop, ready, text, most, same).await;
    }
    let (emptied, by) = match retype(desktop, ready, "", most, str::is_empty).await? {
        Delivery::Delivered { holds, by, .. } => (holds == Some(true), by),
        withheld => return Ok(withheld),
    };
    if text.is_empty() {
        return Ok(Delivery::Delivered { holds: Some(emptied), moved: None, by });
    }
    Ok(match retype(desktop, ready, text, most, same).await? {
        Delivery::Delivered { holds, moved, by } => {
            Delivery::Delivered { holds: holds.filter(|holds| emptied || !holds), moved, by }
        }
        withheld => withheld,
    })
}

async fn set_text(desktop: &Desktop, ready: &Ready, text: &str) -> Result<bool, Unanswered> {
    desktop.bus.ask::<_, bool>(&ready.place, EDITABLE, "SetTextContents", &(text,)).await
}

/// Types over what a field holds.
async fn retype(
    desktop: &mut Desktop,
    ready: &Ready,
    text: &str,
    most: i32,
    wanted: impl Fn(&str) -> bool,
) -> Result<Delivery, Problem> {
    focus::focus(desktop, ready).await?;
    if !focus::has_focus(desktop, ready).await? {
        return Ok(no_keyboard());
    }
    let all = Stroke { modifiers: Modifiers { ctrl: true, ..Modifiers::default() }, ..Stroke::of('a') };
    let erase = Stroke { symbol: 0xffff, ..Stroke::of(' ') };
    let strokes: Vec<Stroke> = [all, erase].into_iter().chain(of_text(text)).collect();
    let window = ready.tree.window;
    if let Some(delivery) = typing::send(desktop, &strokes, Duration::ZERO, window, Some(ready)).await? {
        return Ok(delivery);
    }
    let holds = comes_to_hold(desktop, ready, &readable(ready), most, wanted).await;
    Ok(Delivery::Delivered { holds, moved: None, by: Some("keys".into()) })
}

/// Whether it is a field of several lines.
async fn holds_lines(desktop: &Desktop, ready: &Ready) -> Result<bool, Problem> {
    let states = desktop.bus.ask::<_, Vec<u32>>(&ready.place, ACCESSIBLE, "GetState", &()).await;
    let states = states.map_err(|why| desktop.unanswered(why, ready.tree.pid))?;
    Ok(objects::bits(&states) & bit::MULTI_LINE != 0 && ready.role != crate::roles::CELL)
}

/// Reads until it holds what is wanted, or something else than before that stays.
async fn comes_to_hold(
    desktop: &Desktop,
    ready: &Ready,
    record: &Record,
    most: i32,
    wanted: impl Fn(&str) -> bool,
) -> Option<bool> {
    let deadline = Instant::now() + PATIENCE;
    let mut last = (String::new(), Instant::now());
    loop {
        let read = objects::value(&desktop.bus, &ready.place, record, most).await?;
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
        desktop.bus.next_event(LOOK).await;
    }
}

/// Types into a cell, which replaces what it holds, and leaves it.
async fn fill_cell(desktop: &mut Desktop, ready: &Ready, text: &str, record: &Record) -> Result<Delivery, Problem> {
    // What is typed goes to the cell that has the keyboard, which must be this one: a sheet may move under the pointer.
    focus::focus(desktop, ready).await?;
    if !focus::has_focus(desktop, ready).await? {
        return Ok(withheld("miss", false, Some("another cell got the keyboard".into())));
    }
    let erase = Stroke { symbol: 0xffff, ..Stroke::of(' ') };
    let leave = Stroke::of('\n');
    let typed = text.chars().map(Stroke::of);
    let strokes: Vec<Stroke> =
        if text.is_empty() { vec![erase] } else { typed.chain(std::iter::once(leave)).collect() };
    if let Some(delivery) = typing::send(desktop, &strokes, Duration::ZERO, ready.tree.window, Some(ready)).await? {
        return Ok(delivery);
    }
    typing::dealt_with(desktop, ready.tree.window).await;
    let holds = match comes_to_hold(desktop, ready, record, -1, |read| read == text).await {
        Some(false) => is_in_cell(desktop, ready, record, text).await,
        holds => holds,
    };
    Ok(Delivery::Delivered { holds, moved: None, by: Some("keys".into()) })
}

/// Whether a cell that shows something else holds a text.
async fn is_in_cell(desktop: &Desktop, ready: &Ready, record: &Record, text: &str) -> Option<bool> {
    let shown = objects::value(&desktop.bus, &ready.place, record, -1).await?;
    Some(spreadsheet::cell(&desktop.bus, &ready.place, shown).await.holds(text))
}
