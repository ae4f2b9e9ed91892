//! Clicks, and what is asked before each event of theirs.
//!
//! Controls are pressed, looked at once more while pressed, and let go where the pointer is only if they are still what they
//! were; else beside them, which toolkits take for a change of mind. Menus and what drops a list down open when they are pressed.
//! The last questions (states, place, name) are asked while the server is held, and then the app is made to stand still to the
//! event: nothing of its own comes between.

use crate::linux::atspi::bus::{ACCESSIBLE, Unanswered};
use crate::linux::atspi::objects::{self, bits};
use crate::linux::capture::screen_place::Standing;
use crate::linux::desktop::Desktop;
use crate::linux::input::deliveries::{by, fault, withheld};
use crate::linux::input::double_click::LastClick;
use crate::linux::input::last_look::{self, Now};
use crate::linux::input::patience::{self, Patience};
use crate::linux::input::ready::{self, Ready};
use crate::linux::input::strike::{self, Spot, Stroke, Turn, Word};
use crate::linux::settle::quiet;
use crate::linux::x11::display::Display;
use crate::linux::x11::handed_on;
use crate::linux::x11::xtest::Sent;
use crate::record::Record;
use crate::roles::{ON_PRESS, ON_RELEASE};
use handeye_scene::{Button, Delivery, Guard, Modifiers, Point, Problem, Rect, State, Withheld};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::Keycode;

/// How long an app may take to show that it has got a press.
const PRESSED: Duration = Duration::from_millis(150);
/// How long the window manager is asked at a time whether it has handed a press on.
const HANDED_ON: Duration = Duration::from_millis(500);
/// How often a control that is pressed is asked whether it is down.
const LOOK: Duration = Duration::from_millis(3);
/// How far beside a control a press is let go that is taken back.
const BESIDE: f64 = 24.0;
/// States of a control that is held down: armed, pressed.
const DOWN: u64 = 1 << 2 | 1 << 20;

/// A button that is held down on a control. Dropped, it is let go beside it.
struct Pressed<'a> {
    display: &'a Display,
    beside: Point,
    button: Button,
    held: Vec<Keycode>,
    down: bool,
}

impl Drop for Pressed<'_> {
    fn drop(&mut self) {
        if self.down {
            let (beside, button, held) = (self.beside, self.button, std::mem::take(&mut self.held));
            self.display.post(move |side| strike::take_back(&side.server, beside, button, &held));
        }
    }
}

/// What the last look says.
enum Said {
    AsShown,
    /// The same, and the app told of a change meanwhile, or did something else.
    Stirring,
    /// The same, and the app doesn't answer any more because it does something.
    AtWork,
    Otherwise(Delivery),
    /// The app doesn't answer while the server is held: some need it for their answer.
    Nothing,
}

/// What came of a stroke.
enum Struck {
    Sent(Sent),
    Not(Delivery),
}

pub(crate) async fn click(
    desktop: &mut Desktop,
    at: Point,
    buttons: (Button, u8),
    modifiers: Modifiers,
    guard: &Guard,
    ready: Option<Ready>,
) -> Result<Delivery, Problem> {
    tokio::time::sleep(desktop.gesture.clicked.apart_from(at, Instant::now())).await;
    let delivery = click_now(desktop, at, buttons, modifiers, guard, ready).await?;
    if !matches!(delivery, Delivery::Withheld(Withheld { partial: false, .. })) {
        desktop.gesture.clicked = LastClick::at(at, Instant::now());
    }
    Ok(delivery)
}

async fn click_now(
    desktop: &mut Desktop,
    at: Point,
    (button, count): (Button, u8),
    modifiers: Modifiers,
    guard: &Guard,
    ready: Option<Ready>,
) -> Result<Delivery, Problem> {
    let Some(expected) = ready::expected_at(desktop, at, ready.as_ref()).await? else {
        return Ok(withheld("miss", false, None));
    };
    let window = ready.as_ref().and_then(|r| r.tree.window);
    desktop.gesture.pointed_in = Some(expected);
    let spot = desktop
        .display
        .run(move |side| strike::approach(side, at, modifiers, Spot::new(expected, window)))
        .await
        .map_err(fault)?;
    let Some(ready) = ready else {
        let sent =
            desktop.display.run(move |side| strike::click(side, at, button, count, &spot)).await.map_err(fault)?;
        return ready::answer(desktop, sent, "the pointer").await;
    };
    if let Some(window) = window {
        // What it shows once the pointer has come counts.
        quiet::has_read(&desktop.display, window, PRESSED).await;
    }
    if let Some(delivery) = ready::misses_at(desktop, at, Some(&ready)).await? {
        return Ok(delivery);
    }
    let standing = match last_look::now(desktop, &ready, guard, at).await? {
        Now::As(standing) => standing,
        Now::Not(delivery) => return Ok(delivery),
    };
    let in_steps = count == 1 && button == Button::Left && !ON_PRESS.contains(&ready.role) && !ready.keeps_presses();
    if in_steps {
        return press_and_release(desktop, at, button, &spot, guard, &ready, standing).await;
    }
    match strike(desktop, at, (button, Stroke::Clicks(count)), &spot, guard, &ready, standing).await? {
        Struck::Sent(sent) => ready::answer(desktop, sent, "the pointer").await,
        Struck::Not(delivery) => Ok(delivery),
    }
}

/// A click on a control that may act on the release. What acts on the press was what it had to be by then.
async fn press_and_release(
    desktop: &mut Desktop,
    at: Point,
    button: Button,
    spot: &Spot,
    guard: &Guard,
    ready: &Ready,
    standing: Option<Standing>,
) -> Result<Delivery, Problem> {
    match strike(desktop, at, (button, Stroke::Press), spot, guard, ready, standing).await? {
        Struck::Sent(Sent::Yes) => {}
        Struck::Sent(sent) => return ready::answer(desktop, sent, "the pointer").await,
        Struck::Not(delivery) => return Ok(delivery),
    }
    let mut pressed = Pressed {
        display: &desktop.display,
        beside: beside(ready.probe.rect, at),
        button,
        held: spot.held.clone(),
        down: true,
    };
    if !is_handed_on(desktop, &Patience::new(true)).await? {
        return Ok(ready.begun(withheld("busy", true, None)));
    }
    is_down(desktop, ready).await;
    if !patience::is_free(desktop, ready, &Patience::new(true)).await {
        return Ok(ready.begun(withheld("busy", true, None)));
    }
    let standing = match last_look::now(desktop, ready, guard, at).await? {
        Now::As(standing) => standing,
        Now::Not(delivery) => return Ok(ready.begun(delivery)),
    };
    match strike(desktop, at, (button, Stroke::Release), spot, guard, ready, standing).await? {
        Struck::Sent(Sent::Yes) => {
            pressed.down = false;
            Ok(by("the pointer"))
        }
        Struck::Sent(_) => Ok(ready.begun(withheld("miss", true, None))),
        Struck::Not(delivery) => Ok(ready.begun(delivery)),
    }
}

/// Waits until the window manager, which may have taken the press, has handed it on; whether it has, as far as it can be asked. Let
/// go before, what the app makes of the press would come too late to be seen.
async fn is_handed_on(desktop: &Desktop, patience: &Patience) -> Result<bool, Problem> {
    loop {
        let asked = desktop.display.run(|side| handed_on::has_dealt(&side.server, HANDED_ON)).await.map_err(fault)?;
        if asked != Some(false) || patience.left().is_zero() {
            return Ok(asked != Some(false));
        }
    }
}

/// Waits until the app shows that it has got the press. Not every toolkit tells.
async fn is_down(desktop: &Desktop, ready: &Ready) {
    if let Some(window) = ready.tree.window {
        quiet::has_read(&desktop.display, window, PRESSED).await;
    }
    if !ON_RELEASE.contains(&ready.role) {
        return;
    }
    let deadline = Instant::now() + PRESSED;
    while Instant::now() < deadline {
        match desktop.bus.ask::<_, Vec<u32>>(&ready.place, ACCESSIBLE, "GetState", &()).await {
            Ok(states) if bits(&states) & DOWN == 0 => tokio::time::sleep(LOOK).await,
            _ => return,
        }
    }
}

/// One stroke, for which the app is asked while the server is held; where it can't answer then, right before.
async fn strike(
    desktop: &Desktop,
    at: Point,
    (button, stroke): (Button, Stroke),
    spot: &Spot,
    guard: &Guard,
    ready: &Ready,
    mut standing: Option<Standing>,
) -> Result<Struck, Problem> {
    let mut patience = Patience::new(ready.tree.quirks.answers_held);
    loop {
        let limit = patience.held();
        let (word, question, give) = Word::new(limit * 2);
        let held = spot.clone();
        let striking = desktop.display.run(move |side| strike::strike(side, at, button, stroke, &held, Some(word)));
        let last = patience.is_last();
        let asking = async {
            question.await.ok()?;
            let said = says_now(desktop, ready, guard, (at, standing), limit, &give).await;
            // What changes all the time is never seen to keep still.
            let goes = matches!(said, Ok(Said::AsShown)) || last && matches!(said, Ok(Said::Stirring));
            // Nobody to tell: it has been given up.
            let _ = give.send(if goes { Turn::Go } else { Turn::Stop });
            Some(said)
        };
        let (sent, said) = futures_util::future::join(striking, asking).await;
        let sent = sent.map_err(fault)?;
        match said.transpose()? {
            Some(Said::Otherwise(delivery)) => return Ok(Struck::Not(delivery)),
            Some(Said::Nothing) => {
                if !patience::is_free(desktop, ready, &patience).await {
                    return Ok(Struck::Not(withheld("busy", false, None)));
                }
                standing =
                    match last_look::at_rest(desktop, at, (matches!(stroke, Stroke::Release), ready), guard, &patience)
                        .await?
                    {
                        Now::As(standing) => standing,
                        Now::Not(delivery) => return Ok(Struck::Not(delivery)),
                    };
                if !patience.unanswered() {
                    break;
                }
            }
            _ if sent == Sent::Stopped => {
                standing =
                    match last_look::at_rest(desktop, at, (matches!(stroke, Stroke::Release), ready), guard, &patience)
                        .await?
                    {
                        Now::As(standing) => standing,
                        Now::Not(delivery) => return Ok(Struck::Not(delivery)),
                    };
                if !patience.stirred() {
                    return Ok(Struck::Not(withheld("busy", false, None)));
                }
            }
            _ => return Ok(Struck::Sent(sent)),
        }
    }
    if let Now::Not(delivery) = last_look::now(desktop, ready, guard, at).await? {
        return Ok(Struck::Not(delivery));
    }
    let held = spot.clone();
    let sent =
        desktop.display.run(move |side| strike::strike(side, at, button, stroke, &held, None)).await.map_err(fault)?;
    Ok(Struck::Sent(sent))
}

/// What the target is called and whether it is still there, by the app's quickest answer, if the app tells of nothing that
/// changes right after it.
async fn says_now(
    desktop: &Desktop,
    ready: &Ready,
    guard: &Guard,
    (at, standing): (Point, Option<Standing>),
    limit: Duration,
    give: &mpsc::Sender<Turn>,
) -> Result<Said, Problem> {
    let halt = || {
        let _ = give.send(Turn::Halt);
    };
    match last_look::last_word(desktop, ready, standing, limit, &halt).await {
        Ok(last) => {
            let is_shown = Record { states: last.states, ..Record::default() }.shows(ready.tree.quirks);
            let has_left = standing.zip(last.extents).is_some_and(|(standing, told)| {
                // What is told to be nowhere has left as well.
                objects::rect(told).is_none_or(|told| standing.leaves(at, told))
            });
            Ok(match ready.otherwise(&last.name, guard) {
                Some(delivery) => Said::Otherwise(delivery),
                // What is taken out answers for a moment longer.
                None if ready.shows && !is_shown => Said::Otherwise(withheld("detached", false, None)),
                None if has_left => Said::Otherwise(withheld("miss", false, None)),
                None if last.is_quiet => Said::AsShown,
                None if last.is_at_work => Said::AtWork,
                None => Said::Stirring,
            })
        }
        Err(Unanswered::Late) => Ok(Said::Nothing),
        Err(Unanswered::Gone) if !desktop.bus.is_lost() => Ok(Said::Otherwise(withheld("detached", false, None))),
        Err(why) => Err(desktop.unanswered(why, ready.tree.pid)),
    }
}

impl Ready {
    /// Whether it opens something, which may come when it is pressed.
    fn opens(&self) -> bool {
        /// What Qt calls it.
        const SHOWS_MENU: &str = "ShowMenu";
        let states = self.probe.states;
        let has = |state| states.has(state);
        has(State::Haspopup)
            || has(State::Expanded)
            || has(State::Collapsed)
            || self.probe.facts.iter().any(|(what, text)| what == "actions" && text.contains(SHOWS_MENU))
    }

    /// Whether a press alone does nothing to it.
    fn acts_on_release(&self) -> bool {
        ON_RELEASE.contains(&self.role) && !self.opens()
    }

    /// Whether a press on it can't be taken back: it acts wherever the button is let go.
    fn keeps_presses(&self) -> bool {
        let quirks = self.tree.quirks;
        quirks.keeps.contains(&self.role) || quirks.keeps_openers && self.opens()
    }

    /// What is said of a click that is stopped once the target is pressed.
    fn begun(&self, delivery: Delivery) -> Delivery {
        match delivery {
            Delivery::Withheld(stopped) if !self.acts_on_release() => {
                // The press may have been all that it waited for.
                Delivery::Withheld(Withheld { reason: "overtaken".into(), partial: true, ..stopped })
            }
            Delivery::Withheld(stopped) => Delivery::Withheld(Withheld { partial: true, ..stopped }),
            other => other,
        }
    }
}

/// A place beside a control, level with where it was pressed.
fn beside(rect: Rect, at: Point) -> Point {
    let left = rect.x - BESIDE;
    Point::new(if left >= 0.0 { left } else { rect.x + rect.width + BESIDE }, at.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_press_is_taken_back_beside_its_control() {
        let at = Point::new(130.0, 55.0);
        assert_eq!(beside(Rect::new(100.0, 50.0, 60.0, 20.0), at), Point::new(76.0, 55.0));
        assert_eq!(beside(Rect::new(10.0, 50.0, 60.0, 20.0), at), Point::new(94.0, 55.0));
    }
}
