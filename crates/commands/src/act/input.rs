//! `input`: replace the content of a field, and read it back.

use crate::core::acting::{act_aimed, act_in};
use crate::core::args::{ExpectArgs, WordyTargetArgs};
use crate::core::secrets;
use crate::{Command, Effect, Session};
use handeye_engine::act::verdict;
use handeye_engine::observe::outline::quote;
use handeye_engine::{Action, AimedAt, Expectation};
use handeye_scene::{Change, Code, Evidence, InputMethod, Problem, Receipt, Target, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Replace the content of a field (text, rich text, date, colour, range), and read it back
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    override_usage = "handeye input [OPTIONS] REF TEXT\n       handeye input [OPTIONS] --css SELECTOR TEXT\n       handeye input [OPTIONS] REF --secret NAME"
)]
pub struct Input {
    #[command(flatten)]
    #[serde(flatten)]
    target: WordyTargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
    /// The new content
    #[arg(skip)]
    #[serde(default)]
    text: String,
    /// Put in this secret of the session (see open --secret); only in a document of the secret's origin
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    secret: Option<String>,
    /// Press Enter afterwards
    #[arg(long)]
    #[serde(default)]
    enter: bool,
    /// How to put the text in: by real keys, one for each character, or by setting the field's value [default: what is best on
    /// the surface]
    #[arg(long, value_name = "keys|value", value_parser = parse_method)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    method: Option<InputMethod>,
}

fn parse_method(text: &str) -> Result<InputMethod, String> {
    match text {
        "keys" => Ok(InputMethod::Keys),
        "value" => Ok(InputMethod::Value),
        _ => Err(format!("`{text}` is no way to put text in: write keys or value")),
    }
}

impl Command for Input {
    const NAME: &'static str = "input";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }

    fn normalize_args(mut self) -> Result<Self, Problem> {
        let mut words = self.target.take_words();
        if let Some(problem) = self.target.misnamed(Self::NAME, &words) {
            return Err(problem);
        }
        match (words.pop(), words.is_empty()) {
            (None, _) if self.secret.is_some() => {}
            (Some(_), _) if self.secret.is_some() => {
                return Err(Problem::new(Code::BadRequest, "--secret takes the place of the text: leave one out")
                    .hint("handeye input REF --secret NAME"));
            }
            (Some(text), true) => self.text = text,
            (None, _) => {
                return Err(
                    Problem::new(Code::BadRequest, "the text to put in is missing").hint("handeye input REF TEXT")
                );
            }
            _ => {
                return Err(Problem::new(Code::BadRequest, "more than one text was given: put it in quotes")
                    .hint("handeye input REF \"SEVERAL WORDS\""));
            }
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        if self.method.is_some() && self.secret.is_some() {
            return Err(Problem::new(Code::BadRequest, "a secret is put in by one way only: leave --method out")
                .hint("handeye input REF --secret NAME"));
        }
        let enter = self.enter || session.settings().typing.enter;
        let (text, only_in) = match &self.secret {
            Some(name) => {
                let secret = secrets::find(&session.secrets, name)?;
                (secret.value.clone(), Some(secret.origin.clone()))
            }
            None => (self.text, None),
        };
        let action = Action::Input(text);
        session.surface()?.input_by(self.method).await?;
        let filled = act_in(session, &self.target.target, &self.expect, action, only_in).await;
        // The next call has its own way. A surface that is lost has none, and what became of the text says so.
        if let Ok(surface) = session.surface() {
            let _ = surface.input_by(None).await;
        }
        let mut receipt = filled?;
        if enter && receipt.verdict == Verdict::Confirmed {
            let filled = receipt.clone();
            match press_enter(session, &mut receipt).await {
                Ok(()) => {}
                Err(problem) if problem.code == Code::Denied => return Err(problem),
                Err(problem) => receipt = verdict::unseen(filled, problem),
            }
        }
        if self.secret.is_some() {
            untold(&mut receipt);
        }
        Ok(receipt)
    }
}

/// Takes out what a field made of a secret: cut or grouped, it may not be known for one.
fn untold(receipt: &mut Receipt) {
    receipt.evidence.retain(|e| !matches!(e, Evidence::Value { .. } | Evidence::Mutated { .. }));
    receipt.changes.retain(|c| !matches!(c, Change::TextAdded { .. } | Change::TextRemoved { .. }));
    receipt.changes.retain(|c| !matches!(c, Change::Changed { property, .. } if property == "value"));
    if let Some(target) = &mut receipt.target {
        target.value = None;
    }
    if receipt.reason.as_ref().is_some_and(|r| r.starts_with("it reads back as")) {
        receipt.reason = Some("the field made something else of the secret".into());
    }
}

/// What a field held before it was filled, if it holds that again by these changes: it took the text back, or has done with it.
fn taken_back(target: &Target, changes: &[Change]) -> Option<String> {
    let before = target.value.clone().filter(|value| !value.is_empty())?;
    let is_back = |change: &Change| {
        matches!(change, Change::Changed { r#ref, property, to, .. }
            if *r#ref == target.r#ref && property == "value" && *to == before)
    };
    changes.iter().any(is_back).then_some(before)
}

/// Enter into the field that was just filled; a withheld one is what the receipt then says. The changes that it lists are those
/// that Enter brought.
async fn press_enter(session: &mut Session, receipt: &mut Receipt) -> Result<(), Problem> {
    let Some((target, native)) = receipt.target.clone().and_then(|t| t.native.map(|native| (t, native))) else {
        return Ok(());
    };
    let aim = AimedAt::Filled { native, role: target.role.clone(), name: target.name.clone() };
    let enter = Action::Type { text: "\n".into(), pace_ms: 0 };
    let pressed = match act_aimed(session, aim, Expectation::LastShown, enter.clone()).await {
        Ok(pressed) => pressed,
        // What the policy refuses is told as such, whichever command it comes from.
        Err(problem) if problem.code == Code::Denied => {
            let message = format!("the text is in; Enter wasn't sent: {}", problem.message);
            return Err(Problem { message, ..problem });
        }
        Err(problem) => {
            receipt.verdict = Verdict::Unverifiable;
            receipt.reason = Some(format!("the text is in; Enter couldn't be sent: {}", problem.message));
            receipt.hints = problem.hints;
            return Ok(());
        }
    };
    let why = pressed.reason.unwrap_or_default();
    receipt.notices.extend(pressed.notices);
    if pressed.action == enter.verb() {
        receipt.verdict = Verdict::Contradicted;
        receipt.reason = Some(format!("the text is in; Enter was {why}"));
        receipt.hints = pressed.hints;
        return Ok(());
    }
    match pressed.verdict {
        Verdict::Contradicted => {
            receipt.verdict = Verdict::Contradicted;
            receipt.reason = Some(format!("the text is in and Enter was pressed; {why}"));
        }
        // That nothing was seen to come of Enter takes nothing from the text's being in.
        Verdict::Unverifiable if pressed.evidence.is_empty() => {
            receipt.evidence.push(Evidence::Note { text: format!("of Enter: {why}") });
        }
        _ => {}
    }
    let back = taken_back(&target, &pressed.changes);
    let is_all = pressed.changes.len() + pressed.more_changes <= 1;
    if let Some(value) = &back {
        receipt.evidence.retain(|e| !matches!(e, Evidence::Value { .. }));
        let why = format!("the text is in and Enter was pressed; the field holds {} again", quote(value, 100));
        if is_all && receipt.verdict == Verdict::Confirmed {
            (receipt.verdict, receipt.reason) = (Verdict::Unverifiable, Some(why));
        } else {
            receipt.evidence.push(Evidence::Note { text: why });
        }
    }
    if pressed.evidence.iter().any(|e| matches!(e, Evidence::Changes { .. })) {
        receipt.evidence.retain(|e| !matches!(e, Evidence::Changes { .. }));
        (receipt.changes, receipt.more_changes) = (pressed.changes, pressed.more_changes);
    }
    // What the field holds after Enter is Enter's doing.
    receipt.evidence.extend(pressed.evidence.into_iter().filter(|e| !matches!(e, Evidence::Value { .. })));
    Ok(())
}
