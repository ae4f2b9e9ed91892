//! Giving a target the keyboard.

use crate::windows::calls::{self, problem};
use crate::windows::capture::probe::{self, Aimed};
use crate::windows::capture::tree::Tree;
use crate::windows::desktop::Desktop;
use crate::windows::input::deliveries::unsent;
use crate::windows::input::ready::Ready;
use crate::windows::top_level::raise;
use handeye_scene::{Button, Modifiers, Problem};
use std::time::Duration;

/// Gives the target the keyboard: by its own means, else by a click into it.
pub(crate) fn focus_on(desktop: &mut Desktop, ready: &Ready) -> Result<String, Problem> {
    if !ready.window.popup {
        raise::raise(desktop, &ready.window)?;
    }
    let asked = desktop.tree.focus(&ready.key).map_err(problem("give it the keyboard"))?;
    if asked && comes_to_have_keyboard(desktop, ready)? {
        return Ok("its own focus".into());
    }
    if let Aimed::At(at) = probe::find_hit(desktop, ready.probe.rect, &ready.window, &ready.key, None)? {
        calls::point_to(at).map_err(unsent)?;
        calls::click_at(at, Button::Left, 1, Modifiers::default()).map_err(unsent)?;
        comes_to_have_keyboard(desktop, ready)?;
    }
    Ok("a click into it".into())
}

/// Whether the target has the keyboard within a moment.
pub(crate) fn comes_to_have_keyboard(desktop: &mut Desktop, ready: &Ready) -> Result<bool, Problem> {
    for _ in 0..10 {
        let now = desktop.tree.look(&ready.window, &ready.key).map_err(problem("look at it"))?;
        if now.is_some_and(|e| e.is_focused()) {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(false)
}
