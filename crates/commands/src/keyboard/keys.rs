//! `type`, `keys`, `keydown`, `keyup`: raw keyboard input to the focus.

use crate::core::acting::{act_aimed, act_on, receipt};
use crate::core::args::{ExpectArgs, TargetArgs};
use crate::core::named::{Named, parse_named};
use crate::{Command, Effect, Session};
use handeye_engine::wording::targets::called;
use handeye_engine::{Action, AimedAt};
use handeye_scene::model::chord::chord;
use handeye_scene::{Code, Delivery, Evidence, Gesture, Problem, Receipt, Verdict, Withheld};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Type text with real keys into what has the focus
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Type {
    /// What to type; a line break is Enter
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
    /// Press Enter afterwards
    #[arg(long)]
    #[serde(default)]
    enter: bool,
    /// Pause between keys, in milliseconds
    #[arg(long, value_name = "MS", value_parser = crate::core::value_parsers::whole("time in milliseconds", 0_u64..=10_000, 20))]
    #[serde(default)]
    pace: Option<u64>,
    /// Focus this target first; nothing else gets the keys
    #[arg(long, value_name = "REF", value_parser = parse_named)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<Named>,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
}

/// Press keys in order, such as "ctrl+a Enter", in what has the focus
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Keys {
    /// Keys separated by spaces: Enter, Tab, ArrowDown, F5, a, ctrl+shift+t
    #[arg(value_name = "KEYS", required = true, num_args = 1..)]
    keys: Vec<String>,
    /// Focus this target first; nothing else gets the keys
    #[arg(long, value_name = "REF", value_parser = parse_named)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<Named>,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
}

/// Press a key and keep it down, until keyup or the end of the session
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keydown {
    /// The key, such as Shift
    key: String,
}

/// Let a key go
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyup {
    /// The key, such as Shift
    key: String,
}

/// Sends keys to a target, which is focused first, or to what has the focus.
async fn send(
    session: &mut Session,
    target: Option<Named>,
    expect: &ExpectArgs,
    action: Action,
) -> Result<Receipt, Problem> {
    let target = match target {
        Some(Named::Ref(number)) => TargetArgs { r#ref: Some(number), locators: Vec::new() },
        Some(Named::By(locator)) => TargetArgs { r#ref: None, locators: vec![locator] },
        None => return act_aimed(session, AimedAt::Focus, expect, action).await,
    };
    let focused = act_on(session, &target, expect, Action::Focus).await?;
    if focused.verdict != Verdict::Confirmed {
        return Ok(focused);
    }
    // A target is pressed by a click; these are keys that are pressed in it.
    let pressed = if let Action::Keys { written, .. } = &action { Some(format!("pressed {written} in")) } else { None };
    let past = action.past();
    let mut receipt = act_on(session, &target, expect, action).await?;
    if let Some(pressed) = pressed.filter(|_| receipt.action == past) {
        receipt.action = pressed;
    }
    Ok(receipt)
}

/// Why keys that nothing was seen of prove nothing.
const UNSEEN: &str = "the document went away before it could say what took the keys";

fn refused(mut receipt: Receipt, verdict: Verdict, reason: String) -> Receipt {
    receipt.verdict = verdict;
    receipt.reason = Some(reason);
    receipt.hints = vec!["handeye state".into()];
    receipt
}

impl Command for Type {
    const NAME: &'static str = "type";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.iter().filter_map(Named::written).collect()
    }

    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let pace_ms = self.pace.unwrap_or(session.settings().typing.pace_ms).min(10_000);
        let mut text = self.text;
        if self.enter || session.settings().typing.enter {
            text.push('\n');
        }
        send(session, self.target, &self.expect, Action::Type { text, pace_ms }).await
    }
}

impl Command for Keys {
    const NAME: &'static str = "keys";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.iter().filter_map(Named::written).collect()
    }

    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        // `keys " "` is the space key; otherwise spaces separate.
        let spaced = self.keys.iter().flat_map(|k| if k == " " { vec![" "] } else { k.split_whitespace().collect() });
        let chords = spaced.map(chord).collect::<Result<Vec<_>, _>>()?;
        if chords.is_empty() {
            return Err(Problem::new(Code::BadRequest, "no key was given").hint("handeye keys Enter"));
        }
        let action = Action::Keys { chords, written: self.keys.join(" ") };
        send(session, self.target, &self.expect, action).await
    }
}

impl Command for Keydown {
    const NAME: &'static str = "keydown";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        session.permit_anywhere()?;
        let gesture = Gesture::KeyDown(chord(&self.key)?);
        let delivery = crate::core::acting::send(session, &gesture).await?;
        sent(format!("holding {}", self.key), delivery)
    }
}

impl Command for Keyup {
    const NAME: &'static str = "keyup";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let gesture = Gesture::KeyUp(chord(&self.key)?);
        let delivery = crate::core::acting::send(session, &gesture).await?;
        sent(format!("released {}", self.key), delivery)
    }
}

/// Raw input whose only effect is the state of a key or button.
pub fn sent(action: String, delivery: Delivery) -> Result<Receipt, Problem> {
    let mut receipt = receipt(action);
    Ok(match delivery {
        Delivery::Withheld(withheld) if withheld.reason == Withheld::FORBIDDEN => {
            return Err(handeye_engine::policy::targets::withheld(&withheld));
        }
        Delivery::Delivered { by, .. } => {
            // A surface that has several means tells which it was; a browser has one.
            let taken = if by.is_some() { "the desktop took it" } else { "the browser took it" };
            receipt.by = by;
            receipt.evidence.push(Evidence::Note { text: taken.into() });
            receipt
        }
        Delivery::Unseen => {
            receipt.verdict = Verdict::Unverifiable;
            receipt.reason = Some(UNSEEN.into());
            receipt
        }
        Delivery::Withheld(withheld) => {
            let there = withheld.actual.map(|a| called(&a.role, a.words()));
            let why = withheld.detail.or(there.map(|there| format!("{there} has the keyboard")));
            let why = why.unwrap_or_else(|| "something else has the keyboard".into());
            // What was sent and came to something else wasn't withheld.
            let how = if withheld.partial { "" } else { "withheld: " };
            refused(receipt, Verdict::Contradicted, format!("{how}{why}"))
        }
    })
}
