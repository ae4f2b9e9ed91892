//! Keyboard gestures: replacing content, typing, chords.

use crate::gestures::{delivered, held_by_dialog, withheld};
use crate::input::{key_down, key_up, modifier_bits, modifiers_of};
use crate::mode::Mode;
use crate::surface::{Browser, CALL_LIMIT, PageError};
use handeye_scene::{Chord, Code, Delivery, EditKind, Guard, Modifiers, NativeId, Problem, Withheld};
use serde_json::{Value, json};
use std::time::Duration;

/// How long inserting text may take: a base, and more for each megabyte.
const INSERT_LIMIT: Duration = Duration::from_secs(15);
/// Chromium inserts text line by line, each slower than the last (1,000 lines take 3 s, 4,000 a minute): more than this
/// goes in at once.
const INSERTED_LINES: usize = 64;
const INSERTED_BYTES: usize = 1 << 20;
/// More lines than this it can't lay out in a field in a few seconds (655,000 take half a minute).
const FIELD_LINES: usize = 50_000;
/// Rich text takes nothing at once.
const RICH_LINES: usize = 1_000;
/// Nor more text than this.
const LONGEST: usize = 32 << 20;
/// How often what has the focus is asked for again, where it moves just as a key is sent.
const FOLLOWS: u32 = 3;
const INSERT_LIMIT_PER_MB: Duration = Duration::from_secs(6);

impl Browser {
    pub(crate) async fn replace(&mut self, guard: &Guard, text: &str) -> Result<Delivery, Problem> {
        let Some(target) = guard.target else {
            return Err(Problem::new(Code::Unsupported, "there is nothing to put text into"));
        };
        let session = self.shared.world().document(target.document()).map(|d| d.session.clone()).unwrap_or_default();
        if let Some(delivery) = self.replace_at_once(guard, target, text).await? {
            return Ok(delivery);
        }
        let args = [json!(target.number()), json!(text)];
        match self.page::<Option<String>>(target.document(), "whyNotText", &args, CALL_LIMIT).await {
            Ok(Some(reason)) => return Ok(withheld("refused", Some(reason))),
            Ok(None) | Err(PageError::Gone) => {}
            Err(PageError::Problem(problem)) => return Err(problem),
        }
        let delivery = self
            .guarded(guard, Mode::Keyboard, async |b: &mut Browser| {
                let focused =
                    b.page::<Value>(target.document(), "selectAllFocused", &[json!(target.number())], CALL_LIMIT).await;
                match focused {
                    Ok(_) | Err(PageError::Gone) => {}
                    Err(PageError::Problem(problem)) => return Err(problem),
                }
                b.insert(&session, text).await
            })
            .await?;
        if !matches!(delivery, Delivery::Delivered { .. }) || self.shared.world().dialog().is_some() {
            return Ok(delivery);
        }
        let holds =
            self.page::<bool>(target.document(), "holds", &[json!(target.number()), json!(text)], CALL_LIMIT).await;
        Ok(Delivery::Delivered { holds: holds.ok(), moved: None, by: None })
    }

    /// A text too long to be inserted line by line; none for one that isn't.
    async fn replace_at_once(
        &mut self,
        guard: &Guard,
        target: NativeId,
        text: &str,
    ) -> Result<Option<Delivery>, Problem> {
        let lines = text.bytes().filter(|b| *b == b'\n').count();
        if lines <= INSERTED_LINES && text.len() <= INSERTED_BYTES {
            return Ok(None);
        }
        let kind = self.page::<EditKind>(target.document(), "editKind", &[json!(target.number())], CALL_LIMIT).await;
        let most = match kind {
            Ok(EditKind::Text) => FIELD_LINES,
            Ok(_) => RICH_LINES,
            Err(PageError::Gone) => return Ok(None),
            Err(PageError::Problem(problem)) => return Err(problem),
        };
        if lines > most || text.len() > LONGEST {
            let mb = text.len() as f64 / f64::from(1 << 20);
            let what = format!("{lines} line ends in {mb:.1} MB of text are more than a browser can lay out in time");
            return Err(Problem::new(Code::BadRequest, format!("{what}: at most {most} and {} MB", LONGEST >> 20))
                .hint("handeye upload REF FILE"));
        }
        if most == RICH_LINES {
            return Ok(None);
        }
        self.checked(guard, "putText", &[json!(text)]).await.map(Some)
    }

    async fn insert(&mut self, session: &str, text: &str) -> Result<(), Problem> {
        if text.is_empty() {
            let delete = Chord { modifiers: Modifiers::default(), key: "Delete".into() };
            return self.press(session, &delete).await;
        }
        let limit = INSERT_LIMIT + INSERT_LIMIT_PER_MB * u32::try_from(text.len() >> 20).unwrap_or(u32::MAX).min(100);
        let ticket = self.connection.send(Some(session), "Input.insertText", json!({ "text": text }));
        self.answer::<Value>(ticket, limit).await.map(drop)
    }

    pub(crate) async fn type_text(&mut self, guard: &Guard, text: &str, pace: Duration) -> Result<Delivery, Problem> {
        let chords: Vec<Chord> = text.chars().map(chord_of).collect();
        if guard.follow {
            return self.follow(guard, &chords, pace).await;
        }
        let session = self.keyboard_session(guard)?;
        let target = guard.target;
        self.guarded(guard, Mode::Keyboard, async |b: &mut Browser| {
            if let Some(target) = target {
                let _ = b.page::<Value>(target.document(), "focus", &[json!(target.number())], CALL_LIMIT).await;
            }
            b.press_all(&session, &chords, pace).await
        })
        .await
    }

    pub(crate) async fn keys(&mut self, guard: &Guard, chords: &[Chord]) -> Result<Delivery, Problem> {
        if guard.follow {
            return self.follow(guard, chords, Duration::ZERO).await;
        }
        let session = self.keyboard_session(guard)?;
        self.guarded(guard, Mode::Keyboard, async |b: &mut Browser| b.press_all(&session, chords, Duration::ZERO).await)
            .await
    }

    async fn press_all(&mut self, session: &str, chords: &[Chord], pace: Duration) -> Result<(), Problem> {
        for chord in chords {
            self.press(session, chord).await?;
            if !pace.is_zero() {
                tokio::time::sleep(pace).await;
            }
        }
        Ok(())
    }

    /// Keys to what has the focus. After one that is made to move it (Tab, Enter, an arrow, a shortcut), what has it then is
    /// what the next are held to.
    async fn follow(&mut self, guard: &Guard, chords: &[Chord], pace: Duration) -> Result<Delivery, Problem> {
        let mut guard = guard.clone();
        let (mut sent, mut seen) = (false, true);
        for part in chords.split_inclusive(moves_focus) {
            let mut tries = 0;
            let delivery = loop {
                if sent {
                    let target = match self.focus_now().await {
                        // It was done, and nothing more can be.
                        Err(problem) if problem.code == Code::Blocked => return Ok(delivered()),
                        Err(_) => return Ok(Delivery::Unseen),
                        Ok(found) => found,
                    };
                    if let Some(why) = self.shared.world().keys_barred(target) {
                        return Ok(Delivery::Withheld(Withheld {
                            reason: "barred".into(),
                            actual: None,
                            partial: true,
                            detail: Some(why),
                        }));
                    }
                    guard = Guard { target, follow: true, ..Guard::default() };
                }
                let session = self.keyboard_session(&guard)?;
                let input = async |b: &mut Browser| b.press_all(&session, part, pace).await;
                let outcome = match self.guarded(&guard, Mode::Keyboard, input).await {
                    Err(_) if sent => Delivery::Unseen,
                    outcome => outcome?,
                };
                match outcome {
                    // The page may move the focus a moment later.
                    Delivery::Withheld(withheld) if sent && !withheld.partial && tries < FOLLOWS => tries += 1,
                    delivery => break delivery,
                }
            };
            if let Delivery::Withheld(withheld) = delivery {
                return Ok(Delivery::Withheld(Withheld { partial: withheld.partial || sent, ..withheld }));
            }
            seen &= !matches!(delivery, Delivery::Unseen);
            sent = true;
        }
        Ok(if seen { delivered() } else { Delivery::Unseen })
    }

    /// Text for a frame of another process goes to that frame's session: there it is dropped when the focus leaves.
    fn keyboard_session(&self, guard: &Guard) -> Result<String, Problem> {
        let own = guard.target.and_then(|t| self.shared.world().document(t.document()).map(|d| d.session.clone()));
        own.map_or_else(|| self.session(), Ok)
    }

    /// One key down and up, its modifiers around it, on top of those that are held. A modifier counts as held in its own
    /// event when it goes down, not when it goes up, as on a keyboard.
    async fn press(&mut self, session: &str, chord: &Chord) -> Result<(), Problem> {
        let mut strokes = Vec::new();
        let asked = modifier_bits(chord.modifiers);
        let whole = Chord { modifiers: modifiers_of(asked | self.held.1), key: chord.key.clone() };
        let Some(down) = key_down(&whole) else {
            let ticket = self.connection.send(Some(session), "Input.insertText", json!({ "text": chord.key }));
            return self.all(vec![ticket]).await;
        };
        let mut held = self.held.1;
        let mut pressed = Vec::new();
        for key in ["Control", "Alt", "Shift", "Meta"] {
            let bit = modifier_of(key) & asked & !held;
            if bit != 0 {
                held |= bit;
                pressed.push((key, bit));
                strokes.push(key_down(&Chord { modifiers: modifiers_of(held), key: key.into() }).unwrap_or_default());
            }
        }
        strokes.push(down);
        strokes.push(key_up(&whole).unwrap_or_default());
        for (key, bit) in pressed.into_iter().rev() {
            held &= !bit;
            strokes.push(key_up(&Chord { modifiers: modifiers_of(held), key: key.into() }).unwrap_or_default());
        }
        let mut tickets = Vec::new();
        for stroke in strokes {
            let ticket = self.connection.send(Some(session), "Input.dispatchKeyEvent", stroke);
            if self.stops_at_listeners(false) {
                self.all(vec![ticket]).await?;
            } else {
                tickets.push(ticket);
            }
        }
        self.all(tickets).await
    }

    pub(crate) async fn key_down(&mut self, chord: &Chord) -> Result<Delivery, Problem> {
        let session = self.session()?;
        let held = self.held.1 | modifier_of(&chord.key);
        let params = key_down(&also(chord, held)).ok_or_else(|| no_key(&chord.key))?;
        self.held.1 = held;
        let ticket = self.connection.send(Some(&session), "Input.dispatchKeyEvent", params);
        self.all(vec![ticket]).await.or_else(held_by_dialog)?;
        Ok(Delivery::Delivered { holds: None, moved: None, by: None })
    }

    pub(crate) async fn key_up(&mut self, chord: &Chord) -> Result<Delivery, Problem> {
        let session = self.session()?;
        let held = self.held.1 & !modifier_of(&chord.key);
        let params = key_up(&also(chord, held)).ok_or_else(|| no_key(&chord.key))?;
        self.held.1 = held;
        let ticket = self.connection.send(Some(&session), "Input.dispatchKeyEvent", params);
        self.all(vec![ticket]).await.or_else(held_by_dialog)?;
        Ok(Delivery::Delivered { holds: None, moved: None, by: None })
    }
}

/// A character as a key.
fn chord_of(c: char) -> Chord {
    let key = match c {
        '\n' | '\r' => "Enter".to_owned(),
        '\t' => "Tab".to_owned(),
        c => c.to_string(),
    };
    Chord { modifiers: Modifiers::default(), key }
}

/// Whether a key is made to do more than to put a character where the focus is.
fn moves_focus(chord: &Chord) -> bool {
    let m = chord.modifiers;
    m.ctrl || m.alt || m.meta || chord.key.chars().count() > 1
}

/// A chord with the modifiers of `held`, protocol bits, too.
fn also(chord: &Chord, held: u8) -> Chord {
    Chord { modifiers: modifiers_of(modifier_bits(chord.modifiers) | held), key: chord.key.clone() }
}

fn modifier_of(key: &str) -> u8 {
    let named = |name: &str| key == name;
    modifier_bits(Modifiers { alt: named("Alt"), ctrl: named("Control"), meta: named("Meta"), shift: named("Shift") })
}

fn no_key(key: &str) -> Problem {
    Problem::new(Code::BadRequest, format!("`{key}` is no key of the US layout; it can be typed, not held"))
        .hint("handeye type TEXT")
}
