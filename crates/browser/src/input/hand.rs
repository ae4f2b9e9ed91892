//! The hand: pointer, buttons and keys of the active tab, and input under the guard.

use super::guard::{self, Sentry, spec};
use super::keys::{button, button_bit, modifier_bits};
use super::mode::Mode;
use super::spot::{Spot, Spotted};
use super::stops;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::page_call::PageError;
use handeye_scene::{Button, Code, Delivery, Guard, InputMethod, Modifiers, MouseStep, Point, Problem, Withheld};
use serde::Deserialize;
use serde_json::{Value, json};

/// What `checked` of the page script answers: refused, or what the function said.
#[derive(Debug, Deserialize)]
struct Checked {
    #[serde(default)]
    refused: Option<String>,
    #[serde(default)]
    done: Value,
}

pub(crate) fn delivered() -> Delivery {
    Delivery::Delivered { holds: None, moved: None, by: None }
}

pub(crate) fn withheld(reason: &str, detail: Option<String>) -> Delivery {
    Delivery::Withheld(Withheld { reason: reason.into(), actual: None, partial: false, detail })
}

/// Where the pointer is, and what is held down.
pub(crate) struct Hand {
    pub(crate) link: Link,
    sentry: Sentry,
    /// Where the pointer is, main viewport coordinates.
    pub(super) pointer: Point,
    /// Buttons and modifier keys held by raw input, protocol bits.
    pub(super) held: (u8, u8),
    /// By what text is put into fields; none: as the browser inserts it.
    pub(crate) input_by: Option<InputMethod>,
}

impl Hand {
    pub(crate) fn new(link: &Link) -> Self {
        Self {
            link: link.clone(),
            sentry: Sentry::new(link),
            pointer: Point::new(0.0, 0.0),
            held: (0, 0),
            input_by: None,
        }
    }

    /// Puts right what a gesture that was cut short has left.
    pub(crate) async fn recover(&mut self) {
        self.sentry.recover(self.pointer, self.held.0).await;
    }

    /// Input under the guard, or plain input where none is asked for.
    pub(crate) async fn guarded(
        &mut self,
        guard: &Guard,
        mode: Mode,
        input: impl AsyncFnOnce(&mut Hand) -> Result<(), Problem>,
    ) -> Result<Delivery, Problem> {
        self.guarded_at(guard, mode, None, input).await
    }

    /// The same for a press at a place of the main viewport, which must come there.
    pub(crate) async fn guarded_at(
        &mut self,
        guard: &Guard,
        mode: Mode,
        at: Option<Point>,
        input: impl AsyncFnOnce(&mut Hand) -> Result<(), Problem>,
    ) -> Result<Delivery, Problem> {
        let spot = match at {
            Some(at) => Spot::of(&self.link, guard, at).await?,
            None => Spotted::Anywhere,
        };
        let spot = match spot {
            Spotted::Anywhere => None,
            Spotted::There(spot) => Some(spot),
            Spotted::Unknown => {
                return Ok(withheld("misplaced", Some("nobody can say where its frame is".into())));
            }
        };
        let standing = match self.sentry.arm(guard, mode, spot).await? {
            None => {
                self.link.model().habits.sends();
                return match input(self).await.or_else(held_by_dialog) {
                    Ok(()) => Ok(delivered()),
                    // It is on its way, and may be dealt with yet.
                    Err(problem) if problem.code == Code::Timeout => Ok(Delivery::Unseen),
                    Err(problem) => Err(problem),
                };
            }
            Some(Err(withheld)) => return Ok(Delivery::Withheld(withheld)),
            Some(Ok(standing)) => standing,
        };
        self.link.model().habits.sends();
        let outcome = input(self).await.or_else(held_by_dialog);
        match (self.sentry.verify(standing).await, outcome) {
            // Nobody saw any of it, and none is on its way.
            (Delivery::Unseen, Err(problem)) if problem.code != Code::Timeout => Err(problem),
            // Raw input that is on its way may be dealt with yet.
            (Delivery::Delivered { .. }, Err(problem)) if guard.target.is_none() => match problem.code {
                Code::Timeout if mode != Mode::Free => Ok(Delivery::Unseen),
                _ => Err(problem),
            },
            // Not all of it was sent.
            (Delivery::Delivered { .. }, Err(problem)) if matches!(mode, Mode::Keyboard | Mode::Drag) => {
                let detail = Some(problem.message);
                Ok(Delivery::Withheld(Withheld { reason: "cut off".into(), actual: None, partial: true, detail }))
            }
            (delivery, _) => Ok(delivery),
        }
    }

    /// Raw input, which is looked at where rules about targets hold.
    pub(super) async fn raw(
        &mut self,
        input: impl AsyncFnOnce(&mut Hand) -> Result<(), Problem>,
    ) -> Result<Delivery, Problem> {
        if self.sentry.looks_at_raw() {
            return self.guarded(&Guard::default(), Mode::Free, input).await;
        }
        input(self).await.map(|()| delivered())
    }

    /// A raw pointer step. A button that a rule kept from what it would have pressed doesn't stay down.
    pub(super) async fn raw_step(&mut self, step: MouseStep, modifiers: Modifiers) -> Result<Delivery, Problem> {
        if !matches!(step, MouseStep::Down(_) | MouseStep::Up(_)) {
            return self.step(step, modifiers).await.map(|()| delivered());
        }
        let delivery = self.raw(async |hand: &mut Hand| hand.step(step, modifiers).await).await?;
        if let (MouseStep::Down(which), Delivery::Withheld(_)) = (step, &delivery) {
            self.raw(async |hand: &mut Hand| hand.step(MouseStep::Up(which), modifiers).await).await?;
        }
        Ok(delivery)
    }

    /// A function of the page script on the target, checked and done in one turn of the page.
    pub(crate) async fn checked(&mut self, guard: &Guard, function: &str, args: &[Value]) -> Result<Delivery, Problem> {
        let Some(target) = guard.target else {
            return Err(Problem::new(Code::Unsupported, "this needs a target, and a guard for it"));
        };
        let mut spec = spec(guard, Some(target.number()), Mode::Keyboard);
        if function != "focus" {
            spec["ward"] = guard::ward(&self.link, target.document(), Mode::Keyboard);
        }
        // What it is to choose was held to the rules by name.
        if function == "choose" {
            spec["by"] = json!("pointer");
        }
        let mut all = vec![spec, json!(function)];
        all.extend(args.iter().cloned());
        let answer = match self.link.page_call::<Checked>(target.document(), "checked", &all, CALL_LIMIT).await {
            Ok(answer) => answer,
            Err(PageError::Gone) => return Ok(Delivery::Unseen),
            // A dialog of the page holds the answer: it was done if it had begun, else it waits behind the dialog.
            Err(PageError::Problem(problem)) if problem.code == Code::Blocked => {
                return Ok(if guard::deed_began(&self.link).await { delivered() } else { Delivery::Unseen });
            }
            Err(PageError::Problem(problem)) => return Err(problem),
        };
        if let Some(reason) = answer.refused {
            return Ok(withheld(&reason, None));
        }
        match &answer.done {
            Value::Object(done) if done.get("ok") == Some(&Value::Bool(false)) => {
                let detail = done.get("reason").and_then(Value::as_str).map(str::to_owned);
                Ok(withheld("refused", detail))
            }
            Value::Bool(false) => Ok(withheld("refused", None)),
            Value::Object(done) if done.contains_key("holds") => {
                let holds = done.get("holds").and_then(Value::as_bool);
                Ok(Delivery::Delivered { holds, moved: None, by: None })
            }
            done if function == "setValue" => {
                // Written as the browser writes it: a colour in small letters, say.
                let taken = done.get("taken").or(args.first()).cloned().unwrap_or_default();
                let args = [json!(target.number()), taken];
                let holds = self.link.page_call::<bool>(target.document(), "holds", &args, CALL_LIMIT).await;
                Ok(Delivery::Delivered { holds: holds.ok(), moved: None, by: None })
            }
            _ => Ok(delivered()),
        }
    }

    pub(super) async fn step(&mut self, step: MouseStep, modifiers: Modifiers) -> Result<(), Problem> {
        let session = self.link.session()?;
        let bits = modifier_bits(modifiers) | self.held.1;
        let mut params = json!({ "modifiers": bits, "pointerType": "mouse", "button": "none" });
        match step {
            MouseStep::Move(to) => {
                self.pointer = to;
                params["type"] = json!("mouseMoved");
                let held = [Button::Left, Button::Right, Button::Middle]
                    .into_iter()
                    .find(|b| self.held.0 & button_bit(*b) != 0);
                params["button"] = json!(held.map_or("none", button));
            }
            MouseStep::Down(which) => {
                self.held.0 |= button_bit(which);
                params["type"] = json!("mousePressed");
                params["button"] = json!(button(which));
                params["clickCount"] = json!(1);
            }
            MouseStep::Up(which) => {
                self.held.0 &= !button_bit(which);
                params["type"] = json!("mouseReleased");
                params["button"] = json!(button(which));
                params["clickCount"] = json!(1);
            }
            MouseStep::Wheel { dx, dy } => {
                params["type"] = json!("mouseWheel");
                params["deltaX"] = json!(dx);
                params["deltaY"] = json!(dy);
            }
        }
        params["x"] = json!(self.pointer.x);
        params["y"] = json!(self.pointer.y);
        params["buttons"] = json!(self.held.0);
        let _sending = stops::sending(&self.link).await;
        let pending = self.link.connection.send(Some(&session), "Input.dispatchMouseEvent", params);
        self.link.wait_for_all(vec![pending]).await.or_else(held_by_dialog)
    }
}

/// Input doesn't return while a dialog that it opened is open: it was done.
pub(crate) fn held_by_dialog(problem: Problem) -> Result<(), Problem> {
    if problem.code == Code::Blocked { Ok(()) } else { Err(problem) }
}
