//! Setting what a control holds: by its own message or pattern, read back, else by keys.

use crate::windows::calls::{self, Fault, Stroke, problem};
use crate::windows::capture::tree::{Done, Tree};
use crate::windows::desktop::Desktop;
use crate::windows::input::deliveries::{told, withheld};
use crate::windows::input::focus;
use crate::windows::input::ready::Ready;
use crate::windows::input::typing;
use crate::windows::records::keys::Key;
use handeye_scene::{Delivery, InputMethod, Modifiers, Problem};
use std::time::{Duration, Instant};

/// How long a program may take to show what was typed.
const PATIENCE: Duration = Duration::from_millis(2500);
/// How long something else than was typed must stay to be what it made of it.
const STAYS: Duration = Duration::from_millis(300);
/// How often that is looked for.
const LOOK: Duration = Duration::from_millis(30);

pub(crate) fn set(desktop: &mut Desktop, ready: &Ready, value: &str) -> Result<Delivery, Problem> {
    if desktop.gesture.input_by == Some(InputMethod::Keys) {
        return Ok(withheld("refused", Some("it isn't edited as text: --method value sets it".into())));
    }
    let Ok(number) = value.trim().parse::<f64>() else {
        return Ok(withheld("refused", Some(format!("{value:?} is no number"))));
    };
    let done = desktop.tree.set(&ready.key, number).map_err(problem("set its number"))?;
    let Done::By(means) = done else { return Ok(told(done)) };
    let now = desktop.tree.look(&ready.window, &ready.key).map_err(problem("read it back"))?;
    let holds = now.and_then(|e| e.value?.parse::<f64>().ok()).map(|v| (v - number).abs() < 1e-6);
    Ok(Delivery::Delivered { holds, moved: None, by: Some(means.into()) })
}

/// Sets the text by the control's own means, reads it back, and types it where that didn't hold.
pub(crate) fn replace(desktop: &mut Desktop, ready: &Ready, text: &str) -> Result<Delivery, Problem> {
    let wanted = text.replace("\r\n", "\n");
    let done = match desktop.gesture.input_by {
        Some(InputMethod::Keys) => Ok(Done::Not(String::new())),
        _ => desktop.tree.replace(&ready.key, &wanted),
    };
    match done {
        Ok(Done::By(means)) => {
            if reads(desktop, ready, &wanted)? {
                return Ok(Delivery::Delivered { holds: Some(true), moved: None, by: Some(means.into()) });
            }
        }
        Ok(Done::Not(_)) | Err(Fault::Refused(_)) => {}
        Err(fault) => return Err(fault.problem("set its text")),
    }
    if desktop.gesture.input_by == Some(InputMethod::Value) {
        let why = "its own means didn't set the text: --method keys types it";
        return Ok(withheld("refused", Some(why.into())));
    }
    if ready.probe.role != "textbox" {
        // Select all and delete would reach more than the target.
        return Ok(withheld("refused", Some("its text can't be set: click it, and type".into())));
    }
    focus::focus_on(desktop, ready)?;
    if !focus::comes_to_have_keyboard(desktop, ready)? {
        return Ok(withheld("miss", Some("it didn't take the keyboard".into())));
    }
    // Not every field knows Ctrl+A.
    let ctrl = Modifiers { ctrl: true, ..Modifiers::default() };
    let start = Stroke { modifiers: ctrl, ..Stroke::of(Key::Virtual(0x24)) };
    let end = Stroke { modifiers: Modifiers { shift: true, ..ctrl }, ..Stroke::of(Key::Virtual(0x23)) };
    let erase = Stroke::of(Key::Virtual(0x2e));
    let typed = calls::strokes_of(&wanted);
    let strokes: Vec<_> = [start, end, erase].into_iter().chain(typed).collect();
    if let Some(delivery) = typing::send(desktop, &strokes, Duration::ZERO, &ready.window)? {
        return Ok(delivery);
    }
    let holds = Some(comes_to_hold(desktop, ready, &wanted)?);
    Ok(Delivery::Delivered { holds, moved: None, by: Some("keys".into()) })
}

/// Whether it holds just this text. Of a password only the length is known.
fn reads(desktop: &mut Desktop, ready: &Ready, wanted: &str) -> Result<bool, Problem> {
    let read = desktop.tree.text(&ready.key).map_err(problem("read it back"))?;
    let secret = ready.probe.kind.as_deref() == Some("password");
    Ok(read.is_some_and(
        |read| {
            if secret { read.chars().count() == wanted.encode_utf16().count() } else { read == wanted }
        },
    ))
}

/// Reads until it holds what is wanted, or something else than before that stays.
fn comes_to_hold(desktop: &mut Desktop, ready: &Ready, wanted: &str) -> Result<bool, Problem> {
    let deadline = Instant::now() + PATIENCE;
    let mut last = (None, Instant::now());
    loop {
        if reads(desktop, ready, wanted)? {
            return Ok(true);
        }
        let now = desktop.tree.text(&ready.key).map_err(problem("read it back"))?;
        if now != last.0 {
            last = (now, Instant::now());
        }
        let other = last.0.as_ref().is_some_and(|text| *text != ready.probe.texts.value);
        if other && last.1.elapsed() >= STAYS || Instant::now() >= deadline {
            return Ok(false);
        }
        std::thread::sleep(LOOK);
    }
}

/// Chooses one option of a list by its own message or pattern.
pub(crate) fn choose_options(desktop: &mut Desktop, ready: &Ready, wanted: &[String]) -> Result<Delivery, Problem> {
    let [wanted] = wanted else {
        return Ok(withheld("refused", Some("it takes one option".into())));
    };
    let options = &ready.probe.options;
    let index = wanted.strip_prefix('#').and_then(|n| n.parse::<usize>().ok());
    let fold = |t: &str| t.trim().to_lowercase();
    let named = || options.iter().position(|o| fold(&o.label) == fold(wanted));
    let Some(at) = index.filter(|i| *i < options.len()).or_else(named) else {
        let labels: Vec<&str> = options.iter().take(12).map(|o| o.label.as_str()).collect();
        return Ok(withheld("refused", Some(format!("it has no option {wanted:?}; it has {labels:?}"))));
    };
    desktop.tree.choose(&ready.key, at, &options[at].value).map(told).map_err(problem("choose an option"))
}
