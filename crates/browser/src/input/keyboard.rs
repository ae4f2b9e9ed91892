//! Keyboard gestures: replacing content, typing, chords.

use super::hand::{Hand, delivered, held_by_dialog, withheld};
use super::keys::{self, modifier_bits, modifiers_of};
use super::mode::Mode;
use super::stops;
use crate::capture::focus;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::page_call::PageError;
use handeye_scene::{Chord, Code, Delivery, EditKind, Guard, InputMethod, Modifiers, NativeId, Problem, Withheld};
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

pub(super) async fn replace(hand: &mut Hand, guard: &Guard, text: &str) -> Result<Delivery, Problem> {
    let Some(target) = guard.target else {
        return Err(Problem::new(Code::Unsupported, "there is nothing to put text into"));
    };
    let session = hand.link.model().pages.document(target.document()).map(|d| d.session.clone()).unwrap_or_default();
    let by_keys = hand.input_by == Some(InputMethod::Keys);
    if let Some(delivery) = replace_at_once(hand, guard, target, text).await? {
        return Ok(delivery);
    }
    if by_keys && (text.contains('\t') || text.ends_with(['\n', '\r'])) {
        let why = "a tab would leave the field, and a line break at the end may send its form: --method value sets it";
        return Ok(withheld("refused", Some(why.into())));
    }
    let args = [json!(target.number()), json!(text)];
    match hand.link.page_call::<Option<String>>(target.document(), "whyNotText", &args, CALL_LIMIT).await {
        Ok(Some(reason)) => return Ok(withheld("refused", Some(reason))),
        Ok(None) | Err(PageError::Gone) => {}
        Err(PageError::Problem(problem)) => return Err(problem),
    }
    let delivery = hand
        .guarded(guard, Mode::Keyboard, async |b: &mut Hand| {
            let focused = b
                .link
                .page_call::<Value>(target.document(), "selectAllFocused", &[json!(target.number())], CALL_LIMIT)
                .await;
            match focused {
                Ok(_) | Err(PageError::Gone) => {}
                Err(PageError::Problem(problem)) => return Err(problem),
            }
            if by_keys {
                return type_over(b, (&session, target), text).await;
            }
            insert(b, &session, text).await
        })
        .await?;
    if !matches!(delivery, Delivery::Delivered { .. }) || hand.link.model().pages.dialog().is_some() {
        return Ok(delivery);
    }
    let holds = hand
        .link
        .page_call::<bool>(target.document(), "holds", &[json!(target.number()), json!(text)], CALL_LIMIT)
        .await;
    Ok(Delivery::Delivered { holds: holds.ok(), moved: None, by: None })
}

/// A text too long to be inserted line by line; none for one that isn't.
async fn replace_at_once(
    hand: &mut Hand,
    guard: &Guard,
    target: NativeId,
    text: &str,
) -> Result<Option<Delivery>, Problem> {
    let lines = text.bytes().filter(|b| *b == b'\n').count();
    let by_value = hand.input_by == Some(InputMethod::Value);
    let is_short = lines <= INSERTED_LINES && text.len() <= INSERTED_BYTES;
    if is_short && !by_value || hand.input_by == Some(InputMethod::Keys) {
        return Ok(None);
    }
    let kind =
        hand.link.page_call::<EditKind>(target.document(), "editKind", &[json!(target.number())], CALL_LIMIT).await;
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
        if by_value {
            let why = "rich text has no value to set: --method keys types it";
            return Ok(Some(withheld("refused", Some(why.into()))));
        }
        return Ok(None);
    }
    hand.checked(guard, "putText", &[json!(text)]).await.map(Some)
}

/// Deletes what is selected, then presses a key for each character.
async fn type_over(hand: &mut Hand, (session, target): (&str, NativeId), text: &str) -> Result<(), Problem> {
    let delete = Chord { modifiers: Modifiers::default(), key: "Delete".into() };
    let chords: Vec<Chord> = std::iter::once(delete).chain(text.chars().map(chord_of)).collect();
    press_all(hand, (session, Some(target)), &chords, Duration::ZERO).await
}

async fn insert(hand: &mut Hand, session: &str, text: &str) -> Result<(), Problem> {
    if text.is_empty() {
        let delete = Chord { modifiers: Modifiers::default(), key: "Delete".into() };
        return press(hand, session, &delete, true).await;
    }
    let limit = INSERT_LIMIT + INSERT_LIMIT_PER_MB * u32::try_from(text.len() >> 20).unwrap_or(u32::MAX).min(100);
    let _sending = stops::sending(&hand.link).await;
    let pending = hand.link.connection.send(Some(session), "Input.insertText", json!({ "text": text }));
    hand.link.answer::<Value>(pending, limit).await.map(drop)
}

pub(super) async fn type_text(hand: &mut Hand, guard: &Guard, text: &str, pace: Duration) -> Result<Delivery, Problem> {
    let chords: Vec<Chord> = text.chars().map(chord_of).collect();
    if guard.follow {
        return follow(hand, guard, &chords, pace).await;
    }
    let session = keyboard_session(hand, guard)?;
    let target = guard.target;
    hand.guarded(guard, Mode::Keyboard, async |b: &mut Hand| {
        if let Some(target) = target {
            let _ = b.link.page_call::<Value>(target.document(), "focus", &[json!(target.number())], CALL_LIMIT).await;
        }
        press_all(b, (&session, target), &chords, pace).await
    })
    .await
}

pub(super) async fn keys(hand: &mut Hand, guard: &Guard, chords: &[Chord]) -> Result<Delivery, Problem> {
    if guard.follow {
        return follow(hand, guard, chords, Duration::ZERO).await;
    }
    let session = keyboard_session(hand, guard)?;
    let to = (session.as_str(), guard.target);
    hand.guarded(guard, Mode::Keyboard, async |b: &mut Hand| press_all(b, to, chords, Duration::ZERO).await).await
}

/// Presses keys, with the focus on the target, or on what is in it; none: on whatever has it.
async fn press_all(
    hand: &mut Hand,
    (session, target): (&str, Option<NativeId>),
    chords: &[Chord],
    pace: Duration,
) -> Result<(), Problem> {
    let takes_text = chords.iter().all(keys::is_on_layout) || takes_text(&hand.link, target).await;
    for chord in chords {
        press(hand, session, chord, takes_text).await?;
        if !pace.is_zero() {
            tokio::time::sleep(pace).await;
        }
    }
    Ok(())
}

/// Whether what has the focus takes text, into which characters that no key makes are inserted, as input methods do. Anything
/// else would get nothing at all of them. Where nobody can say, they are inserted.
async fn takes_text(link: &Link, target: Option<NativeId>) -> bool {
    let takes = async |at: NativeId| {
        link.page_call::<bool>(at.document(), "takesText", &[json!(at.number())], CALL_LIMIT).await.unwrap_or(true)
    };
    // What is above a frame of another process may be told late that the focus is in there: the target knows first.
    if let Some(target) = target
        && takes(target).await
    {
        return true;
    }
    match focus::focused(link).await {
        Ok(Some(at)) => target != Some(at) && takes(at).await,
        _ => true,
    }
}

/// Keys to what has the focus. After one that is made to move it (Tab, Enter, an arrow, a shortcut), what has it then is
/// what the next are held to.
async fn follow(hand: &mut Hand, guard: &Guard, chords: &[Chord], pace: Duration) -> Result<Delivery, Problem> {
    let mut guard = guard.clone();
    let (mut sent, mut seen) = (false, true);
    for part in chords.split_inclusive(moves_focus) {
        let mut tries = 0;
        let delivery = loop {
            if sent {
                let target = match focus::focused(&hand.link).await {
                    // It was done, and nothing more can be.
                    Err(problem) if problem.code == Code::Blocked => return Ok(delivered()),
                    Err(_) => return Ok(Delivery::Unseen),
                    Ok(found) => found,
                };
                if let Some(why) = hand.link.model().keys_denied(target) {
                    return Ok(Delivery::Withheld(Withheld {
                        reason: "barred".into(),
                        actual: None,
                        partial: true,
                        detail: Some(why),
                    }));
                }
                guard = Guard { target, follow: true, ..Guard::default() };
            }
            let session = keyboard_session(hand, &guard)?;
            let to = (session.as_str(), guard.target);
            let input = async |b: &mut Hand| press_all(b, to, part, pace).await;
            let outcome = match hand.guarded(&guard, Mode::Keyboard, input).await {
                Err(_) if sent => Delivery::Unseen,
                outcome => outcome?,
            };
            match outcome {
                // The page may move the focus a moment later.
                Delivery::Withheld(withheld)
                    if sent && !withheld.partial && withheld.reason != Withheld::FORBIDDEN && tries < FOLLOWS =>
                {
                    tries += 1;
                }
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
fn keyboard_session(hand: &Hand, guard: &Guard) -> Result<String, Problem> {
    let own = guard.target.and_then(|t| hand.link.model().pages.document(t.document()).map(|d| d.session.clone()));
    own.map_or_else(|| hand.link.session(), Ok)
}

/// One key down and up, its modifiers around it, on top of those that are held. A modifier counts as held in its own
/// event when it goes down, not when it goes up, as on a keyboard. `takes_text`: what no key makes is inserted.
async fn press(hand: &mut Hand, session: &str, chord: &Chord, takes_text: bool) -> Result<(), Problem> {
    let mut strokes = Vec::new();
    let asked = modifier_bits(chord.modifiers);
    let whole = Chord { modifiers: modifiers_of(asked | hand.held.1), key: chord.key.clone() };
    // A shortcut is no text, wherever it goes.
    let Modifiers { ctrl, alt, meta, .. } = whole.modifiers;
    let is_text = takes_text && !(ctrl || alt || meta);
    let own = || if is_text { None } else { keys::without_code(&whole) };
    let _sending = stops::sending(&hand.link).await;
    let Some((down, up)) = keys::key_down(&whole).zip(keys::key_up(&whole)).or_else(own) else {
        let pending = hand.link.connection.send(Some(session), "Input.insertText", json!({ "text": chord.key }));
        return hand.link.wait_for_all(vec![pending]).await;
    };
    let mut held = hand.held.1;
    let mut pressed = Vec::new();
    for key in ["Control", "Alt", "Shift", "Meta"] {
        let bit = modifier_of(key) & asked & !held;
        if bit != 0 {
            held |= bit;
            pressed.push((key, bit));
            strokes.push(keys::key_down(&Chord { modifiers: modifiers_of(held), key: key.into() }).unwrap_or_default());
        }
    }
    strokes.push(down);
    strokes.push(up);
    for (key, bit) in pressed.into_iter().rev() {
        held &= !bit;
        strokes.push(keys::key_up(&Chord { modifiers: modifiers_of(held), key: key.into() }).unwrap_or_default());
    }
    let mut all_pending = Vec::new();
    for stroke in strokes {
        let pending = hand.link.connection.send(Some(session), "Input.dispatchKeyEvent", stroke);
        if stops::stops_at_listeners(&hand.link, false) {
            hand.link.wait_for_all(vec![pending]).await?;
        } else {
            all_pending.push(pending);
        }
    }
    hand.link.wait_for_all(all_pending).await
}

pub(super) async fn key_down(hand: &mut Hand, chord: &Chord) -> Result<Delivery, Problem> {
    let session = hand.link.session()?;
    let held = hand.held.1 | modifier_of(&chord.key);
    let params = keys::key_down(&also(chord, held)).ok_or_else(|| no_key(&chord.key))?;
    hand.held.1 = held;
    stroke(hand, &session, params).await
}

/// One raw event of a key.
async fn stroke(hand: &mut Hand, session: &str, params: Value) -> Result<Delivery, Problem> {
    hand.raw(async |hand: &mut Hand| {
        let _sending = stops::sending(&hand.link).await;
        let pending = hand.link.connection.send(Some(session), "Input.dispatchKeyEvent", params);
        hand.link.wait_for_all(vec![pending]).await.or_else(held_by_dialog)
    })
    .await
}

pub(super) async fn key_up(hand: &mut Hand, chord: &Chord) -> Result<Delivery, Problem> {
    let session = hand.link.session()?;
    let held = hand.held.1 & !modifier_of(&chord.key);
    let params = keys::key_up(&also(chord, held)).ok_or_else(|| no_key(&chord.key))?;
    hand.held.1 = held;
    stroke(hand, &session, params).await
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
