//! Clicks, and the last look before each event of theirs.
//!
//! Controls are pressed, looked at once more while pressed, and let go where the pointer is only if they are still what they
//! were; else beside them, which toolkits take for a change of mind. Menus and what drops a list down open when they are pressed.
//! The last questions (states, place, name) are asked while the server is held, and then the app is made to stand still to the
//! event: nothing of its own comes between.

use super::apart::LastClick;
use super::bus::{ACCESSIBLE, Unanswered};
use super::display::{Display, Fault, Side};
use super::gestures::{Ready, by, fault, withheld};
use super::input::{BUTTON_RELEASE, KEY_PRESS, KEY_RELEASE, Sent, number};
use super::now::Now;
use super::patience::Patience;
use super::sight::Standing;
use super::surface::Linux;
use crate::guard::differs;
use crate::record::Record;
use crate::roles::{ON_PRESS, ON_RELEASE};
use handeye_scene::{Button, Delivery, Guard, Modifiers, Point, Probe, Problem, Rect, State, Withheld};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use x11rb::protocol::xproto::{ConnectionExt as _, Keycode, Window};

/// How long an app may take to show that it has got a press.
const PRESSED: Duration = Duration::from_millis(150);
/// How often that is looked for.
const LOOK: Duration = Duration::from_millis(3);
/// How long an app may take to see that the pointer has left what it pressed.
const LEAVES: Duration = Duration::from_millis(40);
/// How far beside a control a press is let go that is taken back.
const BESIDE: f64 = 24.0;
/// States of a control that is held down: armed, pressed.
const DOWN: u64 = 1 << 2 | 1 << 20;

/// What a click must hit.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    /// The child of the root.
    top: Window,
    /// The window of the target, if there is one, and where it is.
    window: Option<Window>,
    origin: Option<(i16, i16)>,
    /// The keys that are held meanwhile.
    held: Vec<Keycode>,
}

impl Spot {
    /// One that hasn't been approached yet.
    pub(crate) fn new(top: Window, window: Option<Window>) -> Self {
        Self { top, window, origin: None, held: Vec::new() }
    }
}

/// What is sent once nothing is in its way.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stroke {
    Press,
    Release,
    /// So many clicks.
    Clicks(u8),
}

/// What is to be done while the server is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Have the app stand still, and wait for the next word.
    Halt,
    Go,
    Stop,
}

/// The word that is waited for while the server is held.
pub(crate) struct Word {
    asked: oneshot::Sender<()>,
    given: mpsc::Receiver<Turn>,
    limit: Duration,
}

impl Word {
    /// A word, the question for it, and the way to give it.
    fn new(limit: Duration) -> (Self, oneshot::Receiver<()>, mpsc::Sender<Turn>) {
        let ((asked, question), (give, given)) = (oneshot::channel(), mpsc::channel());
        (Self { asked, given, limit }, question, give)
    }

    /// Asks for it, and waits. Without an answer it is a no.
    fn answer(self, mut halt: impl FnMut()) -> bool {
        if self.asked.send(()).is_err() {
            return false;
        }
        let deadline = Instant::now() + self.limit;
        loop {
            match self.given.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Turn::Halt) => halt(),
                Ok(turn) => return turn == Turn::Go,
                Err(_) => return false,
            }
        }
    }
}

impl Side {
    /// Points to a place, and gets everything ready for a click there.
    pub(crate) fn approach(&mut self, at: Point, modifiers: Modifiers, spot: Spot) -> Result<Spot, Fault> {
        let origin = spot.window.map(|window| self.origin(window)).transpose()?;
        self.point_to(at)?;
        // Apps that light up what the pointer is on get to see it come.
        std::thread::sleep(Duration::from_millis(15));
        self.let_come()?;
        Ok(Spot { origin, held: self.modifier_keys(modifiers)?, ..spot })
    }

    /// Where a window is.
    fn origin(&self, window: Window) -> Result<(i16, i16), Fault> {
        let place = self.connection.translate_coordinates(window, self.root, 0, 0)?.reply()?;
        Ok((place.dst_x, place.dst_y))
    }

    /// Presses and releases at a place, if what is to be hit is there and hasn't moved since.
    pub(crate) fn click(&mut self, at: Point, button: Button, count: u8, spot: &Spot) -> Result<Sent, Fault> {
        self.strike(at, button, Stroke::Clicks(count), spot, None)
    }

    /// The same step by step, each with a word to wait for.
    pub(crate) fn strike(
        &mut self,
        at: Point,
        button: Button,
        stroke: Stroke,
        spot: &Spot,
        word: Option<Word>,
    ) -> Result<Sent, Fault> {
        self.held_still(|side| {
            // A release goes to what was pressed, whatever lies there now.
            let there = match stroke {
                Stroke::Release => side.left_it(at, spot)?,
                _ => side.in_the_way(at, spot)?,
            };
            if let Some(there) = there {
                return Ok(Sent::Elsewhere(there));
            }
            if !matches!(stroke, Stroke::Release) && side.pointer()? != at {
                side.point_to(at)?;
            }
            let below = side.pressed_in(at, stroke, spot)?;
            // A window that is gone is missed by the event, too.
            let halt = || drop(spot.window.map(|window| side.halt(window)));
            if word.is_some_and(|word| !word.answer(halt)) {
                return Ok(Sent::Stopped);
            }
            let button = number(button);
            match stroke {
                Stroke::Press => {
                    side.keys(&spot.held, KEY_PRESS)?;
                    side.press(button, below)?;
                }
                Stroke::Release => {
                    side.fake(BUTTON_RELEASE, button, (0, 0))?;
                    side.keys(&spot.held, KEY_RELEASE)?;
                }
                Stroke::Clicks(count) => {
                    side.keys(&spot.held, KEY_PRESS)?;
                    for _ in 0..count.clamp(1, 3) {
                        side.press(button, below)?;
                        side.fake(BUTTON_RELEASE, button, (0, 0))?;
                    }
                    side.keys(&spot.held, KEY_RELEASE)?;
                }
            }
            side.sync()?;
            Ok(Sent::Yes)
        })
    }

    /// The innermost window that a press goes to, where that has the keyboard already and needs no window manager for it.
    fn pressed_in(&self, at: Point, stroke: Stroke, spot: &Spot) -> Result<Option<Window>, Fault> {
        let Some(window) = spot.window.filter(|_| !matches!(stroke, Stroke::Release)) else { return Ok(None) };
        let focus = self.connection.get_input_focus()?.reply()?.focus;
        Ok(if self.lies_in(focus, window)? { Some(self.innermost(at)?) } else { None })
    }

    /// What lies where something else is to be hit: a window, or nothing that is known by now.
    fn in_the_way(&mut self, at: Point, spot: &Spot) -> Result<Option<Option<Window>>, Fault> {
        if self.meet()? || self.is_any_coming() {
            return Ok(Some(None));
        }
        let top = self.top_at(at)?;
        let moved = self.has_moved(spot);
        Ok((top != Some(spot.top) || moved).then(|| top.filter(|_| !moved)))
    }

    /// What a release would be outside of what was pressed for: its window is elsewhere, or another one lies over it. A popup is
    /// what the press opened.
    fn left_it(&mut self, at: Point, spot: &Spot) -> Result<Option<Option<Window>>, Fault> {
        if self.has_moved(spot) {
            return Ok(Some(None));
        }
        let top = self.top_at(at)?.filter(|top| *top != spot.top);
        let Some(top) = top else { return Ok(None) };
        let covers = self.windows()?.iter().any(|w| w.top == top && !w.popup);
        Ok(covers.then_some(Some(top)))
    }

    /// Whether the window of the target is elsewhere by now.
    fn has_moved(&self, spot: &Spot) -> bool {
        spot.window.is_some_and(|window| self.origin(window).ok() != spot.origin)
    }

    /// Lets a button go beside what it was pressed on.
    fn take_back(&mut self, beside: Point, button: Button, held: &[Keycode]) -> Result<(), Fault> {
        self.point_to(beside)?;
        // What hears of the pointer once a frame is to see it leave before the release.
        std::thread::sleep(LEAVES);
        self.fake(BUTTON_RELEASE, number(button), (0, 0))?;
        self.keys(held, KEY_RELEASE)?;
        self.sync()
    }
}

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
            self.display.post(move |side| side.take_back(beside, button, &held));
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

impl Linux {
    pub(super) async fn click(
        &mut self,
        at: Point,
        buttons: (Button, u8),
        modifiers: Modifiers,
        guard: &Guard,
        ready: Option<Ready>,
    ) -> Result<Delivery, Problem> {
        tokio::time::sleep(self.clicked.apart_from(at, Instant::now())).await;
        let delivery = self.click_now(at, buttons, modifiers, guard, ready).await?;
        if !matches!(delivery, Delivery::Withheld(Withheld { partial: false, .. })) {
            self.clicked = LastClick::at(at, Instant::now());
        }
        Ok(delivery)
    }

    async fn click_now(
        &mut self,
        at: Point,
        (button, count): (Button, u8),
        modifiers: Modifiers,
        guard: &Guard,
        ready: Option<Ready>,
    ) -> Result<Delivery, Problem> {
        let Some(expected) = self.expected_at(at, ready.as_ref()).await? else {
            return Ok(withheld("miss", false, None));
        };
        let window = ready.as_ref().and_then(|r| r.tree.window);
        let spot = self
            .display
            .run(move |side| side.approach(at, modifiers, Spot::new(expected, window)))
            .await
            .map_err(fault)?;
        let Some(ready) = ready else {
            let sent = self.display.run(move |side| side.click(at, button, count, &spot)).await.map_err(fault)?;
            return self.answer(sent, "the pointer").await;
        };
        if let Some(window) = window {
            // What it shows once the pointer has come counts.
            self.has_read(window, PRESSED).await;
        }
        if let Some(delivery) = self.misses_at(at, Some(&ready)).await? {
            return Ok(delivery);
        }
        let standing = match self.now(&ready, guard, at).await? {
            Now::As(standing) => standing,
            Now::Not(delivery) => return Ok(delivery),
        };
        let in_steps =
            count == 1 && button == Button::Left && !ON_PRESS.contains(&ready.role) && !ready.keeps_presses();
        if in_steps {
            return self.press_and_release(at, button, &spot, guard, &ready, standing).await;
        }
        match self.strike(at, (button, Stroke::Clicks(count)), &spot, guard, &ready, standing).await? {
            Struck::Sent(sent) => self.answer(sent, "the pointer").await,
            Struck::Not(delivery) => Ok(delivery),
        }
    }

    /// A click on a control that may act on the release. What acts on the press was what it had to be by then.
    async fn press_and_release(
        &mut self,
        at: Point,
        button: Button,
        spot: &Spot,
        guard: &Guard,
        ready: &Ready,
        standing: Option<Standing>,
    ) -> Result<Delivery, Problem> {
        match self.strike(at, (button, Stroke::Press), spot, guard, ready, standing).await? {
            Struck::Sent(Sent::Yes) => {}
            Struck::Sent(sent) => return self.answer(sent, "the pointer").await,
            Struck::Not(delivery) => return Ok(delivery),
        }
        let mut pressed = Pressed {
            display: &self.display,
            beside: beside(ready.probe.rect, at),
            button,
            held: spot.held.clone(),
            down: true,
        };
        self.is_down(ready).await;
        if !self.is_free(ready, &Patience::new(true)).await {
            return Ok(ready.begun(withheld("busy", true, None)));
        }
        let standing = match self.now(ready, guard, at).await? {
            Now::As(standing) => standing,
            Now::Not(delivery) => return Ok(ready.begun(delivery)),
        };
        match self.strike(at, (button, Stroke::Release), spot, guard, ready, standing).await? {
            Struck::Sent(Sent::Yes) => {
                pressed.down = false;
                Ok(by("the pointer"))
            }
            Struck::Sent(_) => Ok(ready.begun(withheld("miss", true, None))),
            Struck::Not(delivery) => Ok(ready.begun(delivery)),
        }
    }

    /// Waits until the app shows that it has got the press. Window managers hold it back for a moment, and not every toolkit
    /// tells.
    async fn is_down(&self, ready: &Ready) {
        let deadline = Instant::now() + PRESSED;
        if let Some(window) = ready.tree.window {
            self.has_read(window, PRESSED).await;
        }
        if !ON_RELEASE.contains(&ready.role) {
            return;
        }
        while Instant::now() < deadline {
            match self.bus.ask::<_, Vec<u32>>(&ready.place, ACCESSIBLE, "GetState", &()).await {
                Ok(states) if super::tree::bits(&states) & DOWN == 0 => tokio::time::sleep(LOOK).await,
                _ => return,
            }
        }
    }

    /// One stroke, for which the app is asked while the server is held; where it can't answer then, right before.
    async fn strike(
        &self,
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
            let striking = self.display.run(move |side| side.strike(at, button, stroke, &held, Some(word)));
            let last = patience.is_last();
            let asking = async {
                question.await.ok()?;
                let said = self.says_now(ready, guard, (at, standing), limit, &give).await;
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
                    if !self.is_free(ready, &patience).await {
                        return Ok(Struck::Not(withheld("busy", false, None)));
                    }
                    standing =
                        match self.at_rest(at, (matches!(stroke, Stroke::Release), ready), guard, &patience).await? {
                            Now::As(standing) => standing,
                            Now::Not(delivery) => return Ok(Struck::Not(delivery)),
                        };
                    if !patience.unanswered() {
                        break;
                    }
                }
                _ if sent == Sent::Stopped => {
                    standing =
                        match self.at_rest(at, (matches!(stroke, Stroke::Release), ready), guard, &patience).await? {
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
        if let Now::Not(delivery) = self.now(ready, guard, at).await? {
            return Ok(Struck::Not(delivery));
        }
        let held = spot.clone();
        let sent = self.display.run(move |side| side.strike(at, button, stroke, &held, None)).await.map_err(fault)?;
        Ok(Struck::Sent(sent))
    }

    /// What the target is called and whether it is still there, by the app's quickest answer, if the app tells of nothing that
    /// changes right after it.
    async fn says_now(
        &self,
        ready: &Ready,
        guard: &Guard,
        (at, standing): (Point, Option<Standing>),
        limit: Duration,
        give: &mpsc::Sender<Turn>,
    ) -> Result<Said, Problem> {
        let halt = || {
            let _ = give.send(Turn::Halt);
        };
        match self.last_word(ready, standing, limit, &halt).await {
            Ok(last) => {
                let is_shown = Record { states: last.states, ..Record::default() }.shows(ready.tree.quirks);
                let has_left = standing.zip(last.extents).is_some_and(|(standing, told)| {
                    // What is told to be nowhere has left as well.
                    super::tree::rect(told).is_none_or(|told| standing.leaves(at, told))
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
            Err(Unanswered::Gone) if !self.bus.is_lost() => Ok(Said::Otherwise(withheld("detached", false, None))),
            Err(why) => Err(self.unanswered(why, ready.tree.pid)),
        }
    }
}

impl Ready {
    /// What keeps a gesture from a target that is called so now, if something does.
    pub(super) fn otherwise(&self, raw: &str, guard: &Guard) -> Option<Delivery> {
        let now = crate::quirks::name(raw, self.tree.quirks);
        if now == self.told {
            return None;
        }
        let mut probe = Probe { name: now.clone(), ..self.probe.clone() };
        if probe.texts.text == self.probe.name {
            probe.texts.text.clone_from(&now);
        }
        probe.said = self.probe.said.as_ref().map(|_| handeye_scene::Said { text: now, cut: false });
        let actual = differs(guard, &probe)?;
        let reason = "relabelled".to_owned();
        Some(Delivery::Withheld(Withheld { reason, actual: Some(Box::new(actual)), partial: false, detail: None }))
    }

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
