//! Performing gestures: which input goes where, under which guard.

use crate::guard::spec;
use crate::input::{button, button_bit, modifier_bits};
use crate::mode::Mode;
use crate::surface::{Browser, CALL_LIMIT, PageError};
use crate::transport::Ticket;
use handeye_scene::{
    Button, Code, Delivery, DocumentId, Gesture, Guard, Modifiers, MouseStep, NativeId, Point, Problem, Withheld,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Steps of a drag's move: pages that watch the pointer need some.
const DRAG_STEPS: u32 = 12;

/// What `checked` of the page script answers: refused, or what the function said.
#[derive(Debug, Deserialize)]
struct Checked {
    #[serde(default)]
    refused: Option<String>,
    #[serde(default)]
    done: Value,
}

/// From where to where a drag goes, and the document of the element that it is to end on.
#[derive(Clone, Copy)]
struct Way {
    from: Point,
    to: Point,
    end: Option<DocumentId>,
}

pub(crate) fn delivered() -> Delivery {
    Delivery::Delivered { holds: None, moved: None, by: None }
}

pub(crate) fn withheld(reason: &str, detail: Option<String>) -> Delivery {
    Delivery::Withheld(Withheld { reason: reason.into(), actual: None, partial: false, detail })
}

impl Browser {
    pub(crate) async fn gesture(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        self.check_page()?;
        self.check_dialog()?;
        let begun = self.begin();
        self.shared.world().faults.begin();
        // A guard is armed by calls that come after these, and waits for their answers.
        if guard.target.is_none() {
            self.recording(begun).await?;
        }
        match gesture {
            Gesture::Click { at, button, count, modifiers } => {
                let (at, button, count, modifiers) = (*at, *button, *count, *modifiers);
                self.guarded(guard, Mode::Pointer, async |b: &mut Browser| b.click(at, button, count, modifiers).await)
                    .await
            }
            Gesture::Invoke => self.checked(guard, "invoke", &[]).await,
            Gesture::Hover { at } => {
                let at = *at;
                self.guarded(guard, Mode::Hover, async |b: &mut Browser| {
                    // The browser tells of no move to where the pointer is already.
                    if b.pointer == at {
                        b.step(MouseStep::Move(Point::new(at.x + 1.0, at.y)), Modifiers::default()).await?;
                    }
                    b.step(MouseStep::Move(at), Modifiers::default()).await
                })
                .await
            }
            Gesture::Drag { from, to, button, duration_ms, modifiers } => {
                let (from, to, button, modifiers) = (*from, *to, *button, *modifiers);
                let time = Duration::from_millis(*duration_ms);
                let end = guard.end.as_ref().map(|end| end.target.document());
                self.guarded(guard, Mode::Drag, async |b: &mut Browser| {
                    b.drag(Way { from, to, end }, button, time, modifiers).await
                })
                .await
            }
            Gesture::Mouse(step, modifiers) => {
                self.step(*step, *modifiers).await?;
                Ok(delivered())
            }
            Gesture::Scroll { at, dx, dy } => self.scroll(guard, *at, *dx, *dy).await,
            // No probe of a page says that an element expands by itself.
            Gesture::Expand(_) => Err(Problem::new(Code::Unsupported, "on a page, what expands is clicked")),
            Gesture::Focus => self.checked(guard, "focus", &[]).await,
            Gesture::Set(value) => self.checked(guard, "setValue", &[json!(value)]).await,
            Gesture::Choose(options) => self.checked(guard, "choose", &[json!(options)]).await,
            Gesture::Upload(paths) => self.upload(guard, paths).await,
            Gesture::Replace(text) => self.replace(guard, text).await,
            Gesture::Put { text, origin } => self.checked(guard, "putSecret", &[json!(text), json!(origin)]).await,
            Gesture::Type { text, pace_ms } => self.type_text(guard, text, Duration::from_millis(*pace_ms)).await,
            Gesture::Keys(chords) => self.keys(guard, chords).await,
            Gesture::KeyDown(chord) => self.key_down(chord).await,
            Gesture::KeyUp(chord) => self.key_up(chord).await,
        }
    }

    /// Input under the guard, or plain input where none is asked for.
    pub(crate) async fn guarded(
        &mut self,
        guard: &Guard,
        mode: Mode,
        input: impl AsyncFnOnce(&mut Browser) -> Result<(), Problem>,
    ) -> Result<Delivery, Problem> {
        let standing = match self.arm(guard, mode).await? {
            None => {
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
        let outcome = input(self).await.or_else(held_by_dialog);
        match (self.verify(standing).await, outcome) {
            // Nobody saw any of it, and none is on its way.
            (Delivery::Unseen, Err(problem)) if problem.code != Code::Timeout => Err(problem),
            // Not all of it was sent.
            (Delivery::Delivered { .. }, Err(problem)) if matches!(mode, Mode::Keyboard | Mode::Drag) => {
                let detail = Some(problem.message);
                Ok(Delivery::Withheld(Withheld { reason: "cut off".into(), actual: None, partial: true, detail }))
            }
            (delivery, _) => Ok(delivery),
        }
    }

    /// A function of the page script on the target, checked and done in one turn of the page.
    pub(crate) async fn checked(&mut self, guard: &Guard, function: &str, args: &[Value]) -> Result<Delivery, Problem> {
        let Some(target) = guard.target else {
            return Err(Problem::new(Code::Unsupported, "this needs a target, and a guard for it"));
        };
        let mut all = vec![spec(guard, Some(target.number()), Mode::Keyboard), json!(function)];
        all.extend(args.iter().cloned());
        let answer = match self.page::<Checked>(target.document(), "checked", &all, CALL_LIMIT).await {
            Ok(answer) => answer,
            Err(PageError::Gone) => return Ok(Delivery::Unseen),
            // A dialog of the page holds the answer: it was done if it had begun, else it waits behind the dialog.
            Err(PageError::Problem(problem)) if problem.code == Code::Blocked => {
                return Ok(if self.deed_began().await { delivered() } else { Delivery::Unseen });
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
                let holds = self.page::<bool>(target.document(), "holds", &args, CALL_LIMIT).await;
                Ok(Delivery::Delivered { holds: holds.ok(), moved: None, by: None })
            }
            _ => Ok(delivered()),
        }
    }

    async fn click(&mut self, at: Point, which: Button, count: u8, modifiers: Modifiers) -> Result<(), Problem> {
        let session = self.session()?;
        let bits = modifier_bits(modifiers) | self.held.1;
        let send = |b: &Browser, kind: &str, buttons: u8, clicks: u8| {
            let params = json!({
                "type": kind, "x": at.x, "y": at.y, "modifiers": bits, "button": if kind == "mouseMoved" { "none" } else { button(which) },
                "buttons": buttons, "clickCount": clicks, "pointerType": "mouse",
            });
            b.connection.send(Some(&session), "Input.dispatchMouseEvent", params)
        };
        let mut steps = vec![("mouseMoved", self.held.0, 0)];
        for click in 1..=count.clamp(1, 3) {
            steps.push(("mousePressed", button_bit(which), click));
            steps.push(("mouseReleased", 0, click));
        }
        self.pointer = at;
        let mut tickets = Vec::new();
        for (kind, buttons, clicks) in steps {
            let ticket = send(self, kind, buttons, clicks);
            if self.stops_at_listeners(count <= 1) {
                self.all(vec![ticket]).await?;
            } else {
                // All in one go: the less time between the check of the place and the press, the fewer are withheld.
                tickets.push(ticket);
            }
        }
        self.all(tickets).await
    }

    /// Waits for the answers of input that was sent. The page going away under it is no fault of the input's.
    pub(crate) async fn all(&self, tickets: Vec<Ticket>) -> Result<(), Problem> {
        for ticket in tickets {
            match self.answer::<Value>(ticket, CALL_LIMIT).await {
                Err(problem) if problem.code == Code::Stale => {}
                other => drop(other?),
            }
        }
        Ok(())
    }

    async fn step(&mut self, step: MouseStep, modifiers: Modifiers) -> Result<(), Problem> {
        let session = self.session()?;
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
        let ticket = self.connection.send(Some(&session), "Input.dispatchMouseEvent", params);
        self.all(vec![ticket]).await.or_else(held_by_dialog)
    }

    async fn drag(&mut self, way: Way, which: Button, time: Duration, modifiers: Modifiers) -> Result<(), Problem> {
        let session = self.session()?;
        self.call::<Value>(Some(&session), "Input.setInterceptDrags", json!({ "enabled": true }), CALL_LIMIT).await?;
        let outcome = self.drag_steps(&session, way, which, time, modifiers).await;
        if outcome.is_err() && self.held.0 & button_bit(which) != 0 {
            // The button doesn't stay down; where it comes up, the guard lets nothing through.
            self.held.0 &= !button_bit(which);
            let up = json!({
                "type": "mouseReleased", "x": way.from.x, "y": way.from.y, "button": button(which), "buttons": self.held.0,
                "clickCount": 0,
            });
            self.connection.tell(Some(&session), "Input.dispatchMouseEvent", up);
        }
        self.connection.tell(Some(&session), "Input.setInterceptDrags", json!({ "enabled": false }));
        outcome
    }

    async fn drag_steps(
        &mut self,
        session: &str,
        Way { from, to, end }: Way,
        which: Button,
        time: Duration,
        modifiers: Modifiers,
    ) -> Result<(), Problem> {
        self.step(MouseStep::Move(from), modifiers).await?;
        self.step(MouseStep::Down(which), modifiers).await?;
        let mut carried = None;
        for i in 1..=DRAG_STEPS {
            tokio::time::sleep(time / DRAG_STEPS).await;
            let part = f64::from(i) / f64::from(DRAG_STEPS);
            let at = Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
            match &carried {
                None => {
                    self.step(MouseStep::Move(at), modifiers).await?;
                    // The page has begun a drag of its own (HTML drag and drop): from here on it gets that one's events.
                    carried = self.shared.world().drag.take();
                    if let Some(data) = &carried {
                        self.drag_event(session, "dragEnter", at, data).await?;
                    }
                }
                Some(data) => self.drag_event(session, "dragOver", at, data).await?,
            }
        }
        if let Some(data) = &carried {
            self.drag_event(session, "dragOver", to, data).await?;
        }
        if let Some(end) = end
            && self.must_not_end(end).await
        {
            // Taken back: the button is let go where it went down, and the page is told of no drop.
            match &carried {
                Some(data) => self.drag_event(session, "dragCancel", to, data).await?,
                None => self.step(MouseStep::Move(from), modifiers).await?,
            }
        } else if let Some(data) = &carried {
            self.drag_event(session, "drop", to, data).await?;
        }
        self.step(MouseStep::Up(which), modifiers).await
    }

    /// Whether a drag isn't where it is to end, as the document there last saw it.
    async fn must_not_end(&self, end: DocumentId) -> bool {
        matches!(self.page::<bool>(end, "dragEnd", &[], CALL_LIMIT).await, Ok(true))
    }

    async fn drag_event(&self, session: &str, kind: &str, at: Point, data: &Value) -> Result<(), Problem> {
        let params = json!({ "type": kind, "x": at.x, "y": at.y, "data": data });
        let ticket = self.connection.send(Some(session), "Input.dispatchDragEvent", params);
        self.all(vec![ticket]).await.or_else(held_by_dialog)
    }

    async fn scroll(&mut self, guard: &Guard, at: Option<Point>, dx: f64, dy: f64) -> Result<Delivery, Problem> {
        #[derive(Deserialize)]
        struct Moved {
            moved: (f64, f64),
            ended: bool,
        }
        // What scrolls of an element that shows a document is that document.
        let inner = match guard.target {
            Some(target) => self.document_inside(target).await,
            None => None,
        };
        if let Some(inner) = inner {
            self.check_readable(inner)?;
            self.check_acts_in(inner, "scroll")?;
        }
        let target = guard.target.filter(|_| inner.is_none());
        let document = match inner.or(target.map(NativeId::document)) {
            Some(document) => document,
            None => self
                .shared
                .world()
                .main_document()
                .ok_or_else(|| Problem::new(Code::Timeout, "the page isn't ready").hint("handeye wait --idle"))?,
        };
        let args = [json!(target.map(NativeId::number)), json!(dx), json!(dy)];
        let Moved { moved, ended } = self.page_now(document, "scrollBy", &args, CALL_LIMIT).await?;
        if moved != (0.0, 0.0) {
            return Ok(Delivery::Delivered { holds: None, moved: Some(moved), by: None });
        }
        if let Some(at) = at.filter(|_| !ended && inner.is_none()) {
            // What doesn't scroll may still listen to the wheel.
            return self
                .guarded(guard, Mode::Wheel, async |b: &mut Browser| {
                    b.step(MouseStep::Move(at), Modifiers::default()).await?;
                    b.step(MouseStep::Wheel { dx, dy }, Modifiers::default()).await
                })
                .await;
        }
        Ok(Delivery::Delivered { holds: None, moved: Some(moved), by: None })
    }

    async fn upload(&mut self, guard: &Guard, paths: &[String]) -> Result<Delivery, Problem> {
        for path in paths {
            if !Path::new(path).is_file() {
                return Err(Problem::new(Code::File, format!("there is no file {path}")));
            }
        }
        let Some(target) = guard.target else {
            return Err(Problem::new(Code::Unsupported, "an upload needs a target"));
        };
        let Some((session, context)) =
            self.shared.world().document(target.document()).map(|d| (d.session.clone(), d.context.clone()))
        else {
            return Ok(withheld("detached", None));
        };
        // The check gives the element out itself: nothing can come between the two.
        let spec = spec(guard, Some(target.number()), Mode::Keyboard);
        let params = json!({ "expression": format!("handeye.checkedElement({spec})"), "uniqueContextId": context });
        let evaluated: crate::protocol::Evaluated =
            self.answer(self.connection.send(Some(&session), "Runtime.evaluate", params), CALL_LIMIT).await?;
        let Some(object) = evaluated.result.object_id else {
            let reason = evaluated.result.value.and_then(|v| crate::transport::parse::<String>(v.get()).ok());
            return Ok(withheld(reason.as_deref().unwrap_or("detached"), None));
        };
        let params = json!({ "files": paths, "objectId": object });
        match self
            .answer::<Value>(self.connection.send(Some(&session), "DOM.setFileInputFiles", params), CALL_LIMIT)
            .await
        {
            Ok(_) => Ok(delivered()),
            Err(problem) if problem.code == Code::Bug => Ok(withheld("refused", Some(problem.message))),
            Err(problem) => Err(problem),
        }
    }
}

/// Input doesn't return while a dialog that it opened is open: it was done.
pub(crate) fn held_by_dialog(problem: Problem) -> Result<(), Problem> {
    if problem.code == Code::Blocked { Ok(()) } else { Err(problem) }
}
