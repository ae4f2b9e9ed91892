//! Performing gestures: which input goes where, under which guard.

use super::hand::{Hand, withheld};
use super::mode::Mode;
use super::pointer::{self, Way};
use super::{keyboard, settle, upload};
use handeye_scene::{Code, Delivery, Gesture, Guard, InputMethod, Modifiers, MouseStep, Point, Problem};
use serde_json::json;
use std::time::Duration;

pub(crate) async fn perform(hand: &mut Hand, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
    hand.link.check_page()?;
    hand.link.check_dialog()?;
    let begun = settle::begin(&hand.link);
    hand.link.model().reports.faults.begin();
    // A guard is armed by calls that come after these, and waits for their answers.
    if guard.target.is_none() {
        settle::recording(&hand.link, begun).await?;
    }
    match gesture {
        Gesture::Click { at, button, count, modifiers } => {
            let (at, button, count, modifiers) = (*at, *button, *count, *modifiers);
            hand.guarded_at(guard, Mode::Pointer, Some(at), async |b: &mut Hand| {
                pointer::click(b, at, button, count, modifiers).await
            })
            .await
        }
        Gesture::Invoke => hand.checked(guard, "invoke", &[]).await,
        Gesture::Hover { at } => {
            let at = *at;
            hand.guarded(guard, Mode::Hover, async |b: &mut Hand| {
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
            hand.guarded_at(guard, Mode::Drag, Some(from), async |b: &mut Hand| {
                pointer::drag(b, Way { from, to, end }, button, time, modifiers).await
            })
            .await
        }
        Gesture::Mouse(step, modifiers) => hand.raw_step(*step, *modifiers).await,
        Gesture::Scroll { at, dx, dy } => pointer::scroll(hand, guard, *at, *dx, *dy).await,
        // No probe of a page says that an element expands by itself.
        Gesture::Expand(_) => Err(Problem::new(Code::Unsupported, "on a page, what expands is clicked")),
        Gesture::Focus => hand.checked(guard, "focus", &[]).await,
        Gesture::Set(_) if hand.input_by == Some(InputMethod::Keys) => {
            let why = "it isn't edited as text: --method value sets it";
            Ok(withheld("refused", Some(why.into())))
        }
        Gesture::Set(value) => hand.checked(guard, "setValue", &[json!(value)]).await,
        Gesture::Choose(options) => hand.checked(guard, "choose", &[json!(options)]).await,
        Gesture::Upload(paths) => upload::upload(&hand.link, guard, paths).await,
        Gesture::Replace(text) => keyboard::replace(hand, guard, text).await,
        Gesture::Put { text, origin } => hand.checked(guard, "putSecret", &[json!(text), json!(origin)]).await,
        Gesture::Type { text, pace_ms } => {
            keyboard::type_text(hand, guard, text, Duration::from_millis(*pace_ms)).await
        }
        Gesture::Keys(chords) => keyboard::keys(hand, guard, chords).await,
        Gesture::KeyDown(chord) => keyboard::key_down(hand, chord).await,
        Gesture::KeyUp(chord) => keyboard::key_up(hand, chord).await,
    }
}
