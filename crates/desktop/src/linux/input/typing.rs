//! Key strokes: to which window, and by which keys.

use crate::linux::atspi::bus::{ACCESSIBLE, Place, Unanswered};
use crate::linux::capture::probe::is_focused;
use crate::linux::desktop::Desktop;
use crate::linux::input::deliveries::{by, fault, no_keyboard, withheld};
use crate::linux::input::focus;
use crate::linux::input::ready::{self, Ready};
use crate::linux::settle::quiet;
use crate::linux::windows::arrange;
use crate::linux::windows::relations::root_of;
use crate::linux::windows::window_list::Seen;
use crate::linux::x11::display::Display;
use crate::linux::x11::held_keys;
use crate::linux::x11::keyboard;
use crate::linux::x11::keymap::{self, Stroke};
use crate::linux::x11::lent_keys;
use crate::linux::x11::ping;
use crate::linux::x11::xtest::Sent;
use handeye_scene::{Chord, Code, Delivery, Guard, Problem, Withheld};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use x11rb::protocol::xproto::Window;

/// How long typing may take.
pub(crate) const TYPING_LIMIT: Duration = Duration::from_secs(120);
/// Strokes between two checks of the target.
const CHUNK: usize = 24;

pub(crate) async fn type_text(
    desktop: &mut Desktop,
    text: &str,
    pace: Duration,
    guard: &Guard,
    ready: Option<&Ready>,
    seen: &[Seen],
) -> Result<Delivery, Problem> {
    strokes(desktop, of_text(text), pace, guard, ready, seen).await
}

/// Key strokes to the target, or to what has the keyboard in the current window.
pub(crate) async fn strokes(
    desktop: &mut Desktop,
    strokes: Vec<Stroke>,
    pace: Duration,
    guard: &Guard,
    ready: Option<&Ready>,
    seen: &[Seen],
) -> Result<Delivery, Problem> {
    let window = match ready {
        Some(ready) => {
            // A window in the background may say of its field that it has the keyboard.
            let has_it = |window| keyboard_of(seen, window).is_some_and(|w| w.focused);
            let active = ready.tree.window.is_some_and(has_it);
            if !(active && is_focused(&ready.probe)) {
                focus::focus(desktop, ready).await?;
                if !focus::has_focus(desktop, ready).await? {
                    return Ok(no_keyboard());
                }
            }
            ready.tree.window
        }
        None => Some(keyboard_window(desktop, seen).await?),
    };
    for (i, chunk) in strokes.chunks(CHUNK).enumerate() {
        if i > 0
            && guard.target.is_some()
            && let Some(stopped) = strays(desktop, guard).await?
        {
            return Ok(Delivery::Withheld(Withheld { partial: true, ..stopped }));
        }
        if let Some(delivery) = send(desktop, chunk, pace, window, ready).await? {
            return Ok(match delivery {
                Delivery::Withheld(stopped) => {
                    Delivery::Withheld(Withheld { partial: i > 0 || stopped.partial, ..stopped })
                }
                other => other,
            });
        }
    }
    Ok(by("keys"))
}

/// The window that takes the keys for a window: a popup leaves the keyboard to the one that it came up for.
pub(crate) fn keyboard_of(seen: &[Seen], window: Window) -> Option<&Seen> {
    let own = seen.iter().find(|w| w.id == window)?;
    let takes = |w: &&Seen| !own.focused && own.popup && w.focused && !w.popup && w.pid == own.pid;
    Some(seen.iter().find(takes).unwrap_or(own))
}

/// What keeps the rest of the keys from the target, which may have lost the keyboard by now.
async fn strays(desktop: &mut Desktop, guard: &Guard) -> Result<Option<Withheld>, Problem> {
    match ready::ready(desktop, guard).await? {
        Err(Delivery::Withheld(stopped)) => Ok(Some(stopped)),
        Ok(Some(ready)) if !guard.follow && !focus::has_focus(desktop, &ready).await? => {
            let detail = Some("it lost the keyboard".into());
            Ok(Some(Withheld { reason: "miss".into(), actual: None, partial: true, detail }))
        }
        _ => Ok(None),
    }
}

/// Presses a key in the current window, and keeps it down.
pub(crate) async fn key_down(desktop: &mut Desktop, chord: &Chord, seen: &[Seen]) -> Result<Delivery, Problem> {
    let stroke = stroke(chord)?;
    let window = keyboard_window(desktop, seen).await?;
    let sent = desktop
        .display
        .run(move |side| held_keys::key_down(&side.server, &mut side.held, &stroke, window))
        .await
        .map_err(fault)?;
    ready::answer(desktop, sent, "keys").await
}

/// Lets a key go, wherever the keyboard is now.
pub(crate) async fn key_up(desktop: &mut Desktop, chord: &Chord) -> Result<Delivery, Problem> {
    let stroke = stroke(chord)?;
    let was_down = desktop
        .display
        .run(move |side| held_keys::key_up(&side.server, &mut side.held, &stroke))
        .await
        .map_err(fault)?;
    Ok(if was_down { by("keys") } else { withheld("refused", true, Some("it wasn't down".into())) })
}

/// The window that keys to the focus go to: the current one, or a dialog of its own that has the keyboard.
pub(crate) async fn keyboard_window(desktop: &mut Desktop, seen: &[Seen]) -> Result<Window, Problem> {
    let current = desktop.current_of(seen)?.clone();
    let root = root_of(seen, &current);
    let window = match seen.iter().find(|w| w.focused && root_of(seen, w) == root) {
        Some(focused) => focused.clone(),
        None => {
            let id = current.id;
            desktop.display.run(move |side| arrange::activate(&side.server, id)).await.map_err(fault)?;
            current
        }
    };
    desktop.gesture.acted_on = app_root(desktop, window.pid).await?;
    desktop.gesture.acted_in = Some(window.id);
    refuse_if_waiting(desktop, &window, seen).await?;
    Ok(window.id)
}

/// An app of GTK 3 that waits for a dialog inside an accessible action asks about each key before it takes it, and waits for
/// an answer that it can't hear any more: measured, one key, and it never does anything again.
async fn refuse_if_waiting(desktop: &Desktop, window: &Seen, seen: &[Seen]) -> Result<(), Problem> {
    let Some(app) =
        desktop.gesture.acted_on.as_ref().filter(|app| desktop.apps.quirks(&app.bus).is_some_and(|q| q.actions_block))
    else {
        return Ok(());
    };
    match desktop.bus.call(app, ACCESSIBLE, "GetRole", &()).await {
        Err(why @ Unanswered::Late) => {
            let members: Vec<&Seen> = seen.iter().collect();
            Err(desktop.unanswered_of(why, window.pid, &members))
        }
        _ => Ok(()),
    }
}

async fn app_root(desktop: &mut Desktop, pid: u32) -> Result<Option<Place>, Problem> {
    Ok(desktop.apps_of(pid).await?.first().map(|a| a.root.clone()))
}

/// Sends strokes; what stopped them, if something did. Characters that no key stands for borrow spare keys until the app
/// has dealt with them.
pub(crate) async fn send(
    desktop: &mut Desktop,
    strokes: &[Stroke],
    pace: Duration,
    window: Option<Window>,
    ready: Option<&Ready>,
) -> Result<Option<Delivery>, Problem> {
    if strokes.iter().any(|s| is_control(s.symbol)) {
        return Err(Problem::new(Code::BadRequest, "the text holds a control character that no key stands for"));
    }
    let (known, spare) = desktop
        .display
        .run(|side| keymap::keymap(&side.server).map(|map| (map.symbols(), map.spare())))
        .await
        .map_err(fault)?;
    if let Some(app) = ready.map(|r| r.tree.frame.clone()) {
        desktop.gesture.acted_on = Some(app);
    }
    let seen = desktop.seen().await?;
    let window = window.map(|window| keyboard_of(&seen, window).map_or(window, |w| w.id));
    let mut rest = strokes;
    let mut before = 0;
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
        let mut lent = Lent { display: &desktop.display, window, any: !symbols.is_empty() };
        let sent = desktop
            .display
            .run_while(TYPING_LIMIT, move |side, wanted| {
                let lent = if symbols.is_empty() {
                    HashMap::new()
                } else {
                    lent_keys::lend(&side.server, &mut side.clip, &mut side.lent, &symbols, window)?
                };
                keyboard::strokes(&side.server, &side.held, &part, &lent, window, pace, wanted)
            })
            .await;
        if lent.any {
            dealt_with(desktop, window).await;
            desktop.display.run(|side| lent_keys::restore(&side.server, &mut side.lent)).await.map_err(fault)?;
            lent.any = false;
        }
        drop(lent);
        let (count, sent) = sent.map_err(fault)?;
        before += count;
        if sent != Sent::Yes {
            return Ok(Some(match ready::answer(desktop, sent, "keys").await? {
                Delivery::Withheld(stopped) => Delivery::Withheld(Withheld { partial: before > 0, ..stopped }),
                other => other,
            }));
        }
    }
    Ok(None)
}

/// Gives the app the time to read its keys: they mean what the keyboard says when they are read.
pub(crate) async fn dealt_with(desktop: &Desktop, window: Option<Window>) {
    const LIMIT: Duration = Duration::from_secs(5);
    if let Some(window) = window
        && quiet::has_read(&desktop.display, window, LIMIT).await
    {
        return;
    }
    tokio::time::sleep(Duration::from_millis(25)).await;
    if let Some(app) = &desktop.gesture.acted_on {
        // One that doesn't answer doesn't read its keys either.
        let _ = desktop.bus.call(app, ACCESSIBLE, "GetRole", &()).await;
    }
    tokio::time::sleep(Duration::from_millis(25)).await;
}

/// Keys that are lent. Dropped, as when the command is given up, they are taken back once the app has read what was sent.
struct Lent<'a> {
    display: &'a Display,
    window: Option<Window>,
    any: bool,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        /// How long an app may take that nobody waits for.
        const LIMIT: Duration = Duration::from_millis(500);
        if self.any {
            let window = self.window;
            self.display.post(move |side| {
                if let Some(window) = window {
                    // One that is gone has nothing to read.
                    let _ = ping::ping(&side.server, &mut side.clip, window, LIMIT);
                }
                lent_keys::restore(&side.server, &mut side.lent)
            });
        }
    }
}

/// The keys of a chord.
pub(crate) fn stroke(chord: &Chord) -> Result<Stroke, Problem> {
    Stroke::chord(chord).ok_or_else(|| Problem::new(Code::Unsupported, format!("there is no key `{}` here", chord.key)))
}

/// The keys of a text. The two characters that end a line on Windows are one Enter.
pub(crate) fn of_text(text: &str) -> Vec<Stroke> {
    text.replace("\r\n", "\n").chars().map(Stroke::of).collect()
}

/// Whether a symbol is that of a control character, which keyboards don't have.
fn is_control(symbol: u32) -> bool {
    matches!(symbol, 0x0100_0000..=0x0100_001f | 0x0100_007f..=0x0100_009f)
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
    fn a_line_has_one_end_and_control_characters_have_no_key() {
        assert_eq!(of_text("a\r\nb\n"), "a\nb\n".chars().map(Stroke::of).collect::<Vec<_>>());
        let odd: Vec<bool> = "\0\u{1b}\u{7f}\u{9f}\t\n a中".chars().map(|c| is_control(Stroke::of(c).symbol)).collect();
        assert_eq!(odd, [true, true, true, true, false, false, false, false, false]);
    }
}
