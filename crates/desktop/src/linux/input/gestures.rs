//! Gestures: the accessible action or value first, else the pointer and keys; the guard is checked right before each.

use crate::linux::capture::sorted_tables;
use crate::linux::desktop::Desktop;
use crate::linux::input::actions;
use crate::linux::input::click;
use crate::linux::input::deliveries::{by, fault, misses, withheld};
use crate::linux::input::focus;
use crate::linux::input::options;
use crate::linux::input::pointer_gestures;
use crate::linux::input::ready;
use crate::linux::input::typing::{self, stroke};
use crate::linux::input::values;
use crate::linux::input::walk_list;
use crate::linux::settle::outcome::Begun;
use crate::linux::windows::grabs;
use crate::linux::windows::relations::as_cover;
use crate::linux::windows::window_list::Seen;
use crate::linux::x11::copies;
use crate::linux::x11::display::Side;
use crate::linux::x11::server::Fault;
use crate::linux::x11::xtest;
use crate::roles::{COMBO_BOX, MENU_ITEMS};
use handeye_scene::{Code, Delivery, Gesture, Guard, Problem, Shown};
use std::time::{Duration, Instant};

pub(crate) async fn perform(desktop: &mut Desktop, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
    let seen = begin(desktop).await?;
    let ready = match ready::ready(desktop, guard).await? {
        Ok(ready) => ready,
        Err(delivery) => return Ok(delivery),
    };
    if let Some(dialog) = ready.as_ref().and_then(|r| r.probe.behind.as_ref()) {
        return Ok(misses(Some(Shown::named(dialog.role.clone(), dialog.name.clone()))));
    }
    desktop.gesture.acted_on = ready.as_ref().map(|r| r.tree.frame.clone());
    desktop.gesture.acted_in = ready.as_ref().and_then(|r| r.tree.window);
    desktop.gesture.target = ready.as_ref().map(|r| r.place.clone());
    // A key that activates a button only begins its click.
    desktop.gesture.acts_late = matches!(gesture, Gesture::Keys(_) | Gesture::KeyDown(_));
    desktop.gesture.pointed_in = None;
    let presses = matches!(gesture, Gesture::Click { .. } | Gesture::Invoke);
    desktop.gesture.chooses = presses && ready.as_ref().is_some_and(|r| MENU_ITEMS.contains(&r.role));
    desktop.gesture.promises =
        ready.is_some() && presses && guard.held.as_ref().is_some_and(|held| held.name_ends_with("..."));
    if let (Gesture::Click { .. } | Gesture::Invoke, Some(ready)) = (gesture, &ready) {
        sorted_tables::note(desktop, &ready.place, ready.role, ready.tree.quirks, ready.probe.rect).await;
    }
    match (gesture, ready) {
        (Gesture::Click { at, button, count, modifiers }, ready) => {
            click::click(desktop, *at, (*button, *count), *modifiers, guard, ready).await
        }
        (Gesture::Invoke, Some(ready)) => actions::invoke(desktop, &ready, guard).await,
        (Gesture::Expand(on), Some(ready)) => actions::expand(desktop, &ready, guard, *on).await,
        (Gesture::Focus, Some(ready)) => Ok(match focus::focus(desktop, &ready).await? {
            Some(means) => by(means),
            None => withheld("refused", false, Some("it doesn't take the keyboard".into())),
        }),
        (Gesture::Set(value), Some(ready)) => values::set(desktop, &ready, value).await,
        (Gesture::Replace(text), Some(ready)) => values::replace(desktop, &ready, text).await,
        (Gesture::Choose(options), Some(ready)) if ready.role == COMBO_BOX && ready.tree.quirks.walks_lists => {
            walk_list::choose(desktop, ready, options, guard).await
        }
        (Gesture::Choose(options), Some(ready)) => options::choose_options(desktop, &ready, options).await,
        (Gesture::Hover { at }, ready) => {
            let to = *at;
            let Some(expected) = ready::expected_at(desktop, to, ready.as_ref()).await? else {
                return Ok(withheld("miss", false, None));
            };
            if let Some(delivery) = ready::misses_at(desktop, to, ready.as_ref()).await? {
                return Ok(delivery);
            }
            desktop.display.run(move |side| xtest::point_to(&side.server, to)).await.map_err(fault)?;
            let hit = desktop.display.run(move |side| side.server.top_at(to)).await.map_err(fault)?;
            Ok(if hit == Some(expected) { by("the pointer") } else { withheld("miss", false, None) })
        }
        (Gesture::Drag { from, to, button, duration_ms, modifiers }, ready) => {
            let ends = (*from, *to);
            let time = Duration::from_millis(*duration_ms);
            pointer_gestures::drag(desktop, ends, (*button, *modifiers), time, guard.end.as_ref(), ready.as_ref()).await
        }
        (Gesture::Scroll { at, dx, dy }, ready) => {
            pointer_gestures::scroll(desktop, *at, *dx, *dy, ready.as_ref()).await
        }
        (Gesture::Type { text, pace_ms }, ready) => {
            typing::type_text(desktop, text, Duration::from_millis(*pace_ms), guard, ready.as_ref(), &seen).await
        }
        (Gesture::Keys(chords), ready) => {
            let strokes = chords.iter().map(stroke).collect::<Result<Vec<_>, _>>()?;
            typing::strokes(desktop, strokes, Duration::ZERO, guard, ready.as_ref(), &seen).await
        }
        (Gesture::KeyDown(chord), _) => typing::key_down(desktop, chord, &seen).await,
        (Gesture::KeyUp(chord), _) => typing::key_up(desktop, chord).await,
        (Gesture::Mouse(step, _), _) => pointer_gestures::mouse(desktop, *step).await,
        (Gesture::Upload(_), _) => {
            Err(Problem::new(Code::Unsupported, "a window takes files by its own dialog").hint("handeye state"))
        }
        (Gesture::Put { .. }, Some(_)) => {
            Err(Problem::new(Code::Unsupported, "secrets go into documents of a browser alone"))
        }
        (_, None) => Err(Problem::new(Code::Unsupported, "this needs a target")),
    }
}

/// Looks at an element that a gesture is about to be made on, as it is now.
pub(crate) async fn begin(desktop: &mut Desktop) -> Result<Vec<Seen>, Problem> {
    desktop.find_bus().await?;
    let seen = desktop.seen().await?;
    refuse_if_locked(desktop, &seen).await?;
    // Not every toolkit tells of all that input changes.
    desktop.cache.clear();
    let look = |side: &mut Side| {
        copies::forget_copies(&side.server, &mut side.clip)?;
        side.server.children()
    };
    let mut known = desktop.display.run(look).await.map_err(|e| e.problem("list the windows"))?;
    // A window that is hidden becomes a child of the root again.
    known.extend(seen.iter().map(|w| w.id));
    desktop.bus.change_log(|log| log.begin(Instant::now()));
    desktop.gesture.begun = Some(Begun { seen: seen.clone(), told: desktop.bus.told(), known });
    Ok(seen)
}

/// A screen that is locked takes no input: a window lies over all of it and holds the keyboard.
pub(crate) async fn refuse_if_locked(desktop: &Desktop, seen: &[Seen]) -> Result<(), Problem> {
    let fault = |e: Fault| e.problem("tell who has the keyboard");
    let popups: Vec<&Seen> = seen.iter().filter(|w| w.popup).collect();
    if popups.is_empty() {
        return Ok(());
    }
    let screen = desktop.display.run(|side| side.server.screen()).await.map_err(fault)?;
    let over_all = |w: &&&Seen| {
        let right = w.outer.x + w.outer.width >= screen.x + screen.width;
        let down = w.outer.y + w.outer.height >= screen.y + screen.height;
        w.outer.x <= screen.x && w.outer.y <= screen.y && right && down
    };
    let Some(lock) = popups.iter().find(over_all) else { return Ok(()) };
    if !desktop.display.run(|side| grabs::is_keyboard_held(&side.server)).await.map_err(fault)? {
        return Ok(());
    }
    let name = as_cover(lock).name;
    Err(Problem::new(Code::Blocked, format!("the screen is locked: {name:?} lies over all of it and takes all input"))
        .hint("handeye screenshot screen.png --full"))
}
