//! Giving a target the keyboard.

use crate::linux::capture::probe::{self, is_focused};
use crate::linux::capture::reach::{self, Hit};
use crate::linux::desktop::Desktop;
use crate::linux::input::deliveries::fault;
use crate::linux::input::double_click::LastClick;
use crate::linux::input::ready::Ready;
use crate::linux::input::strike::{self, Spot};
use crate::linux::windows::arrange;
use crate::linux::x11::xtest::Sent;
use handeye_scene::{Aim, Button, EditKind, Modifiers, Problem};
use std::time::{Duration, Instant};

/// Whether a click gives it the keyboard and does nothing else: it is a field, or a cell.
fn takes_a_click(ready: &Ready) -> bool {
    ready.role == crate::roles::CELL || matches!(ready.probe.edit, EditKind::Text | EditKind::Set)
}

/// Gives the target the keyboard: by its own means, else by a click into it where that does nothing but this; by which.
pub(crate) async fn focus(desktop: &mut Desktop, ready: &Ready) -> Result<Option<String>, Problem> {
    let seen = desktop.seen().await?;
    // A popup has the keyboard of the window that it belongs to.
    if let Some(window) = ready.tree.window.filter(|id| !seen.iter().any(|w| w.id == *id && w.popup)) {
        desktop.display.run(move |side| arrange::activate(&side.server, window)).await.map_err(fault)?;
    }
    let grabbed: Result<bool, _> = desktop.bus.ask(&ready.place, "org.a11y.atspi.Component", "GrabFocus", &()).await;
    if grabbed.is_ok() && has_focus(desktop, ready).await? {
        return Ok(Some("the accessible focus".into()));
    }
    if !takes_a_click(ready) {
        return Ok(None);
    }
    let Hit::At(at, expected) = reach::hit(desktop, ready.probe.rect, &ready.tree, (&ready.place, ready.role)).await?
    else {
        return Ok(None);
    };
    let none = Modifiers::default();
    let window = ready.tree.window;
    tokio::time::sleep(desktop.gesture.clicked.apart_from(at, Instant::now())).await;
    let sent = desktop.display.run(move |side| {
        let spot = strike::approach(side, at, none, Spot::new(expected, window))?;
        strike::click(side, at, Button::Left, 1, &spot)
    });
    desktop.gesture.clicked = LastClick::at(at, Instant::now());
    if sent.await.map_err(fault)? != Sent::Yes {
        return Ok(None);
    }
    tokio::time::sleep(Duration::from_millis(40)).await;
    Ok(Some("a click into it".into()))
}

/// Whether the target has come to have the keyboard: what is typed would go elsewhere otherwise.
pub(crate) async fn has_focus(desktop: &mut Desktop, ready: &Ready) -> Result<bool, Problem> {
    for _ in 0..10 {
        if probe::examine(desktop, ready.probe.id, Aim::default()).await?.is_some_and(|p| is_focused(&p)) {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(false)
}
