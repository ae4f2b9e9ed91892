//! `input`: replace the content of a field, and read it back.

use crate::acting::act_in;
use crate::args::{ExpectArgs, WordyTargetArgs};
use crate::{Command, Effect, Session, secrets};
use handeye_engine::diff::Digest;
use handeye_engine::late::Patience;
use handeye_engine::matching::held;
use handeye_engine::{Deed, Eye, judge};
use handeye_scene::{
    Change, Clock, Code, Delivery, Event, Evidence, Gesture, Guard, Held, NativeId, Problem, Receipt, Settled, Surface,
    Verdict, Want,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::time::Duration;

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
    /// Put in this secret of the session's (see open --secret), in a document of its origin only
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    secret: Option<String>,
    /// Press Enter afterwards
    #[arg(long)]
    #[serde(default)]
    enter: bool,
}

impl Command for Input {
    const NAME: &'static str = "input";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn tidy(mut self) -> Result<Self, Problem> {
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
        let enter = self.enter || session.settings().typing.enter;
        let (text, only_in) = match &self.secret {
            Some(name) => {
                let secret = secrets::find(&session.secrets, name)?;
                (secret.value.clone(), Some(secret.origin.clone()))
            }
            None => (self.text, None),
        };
        let deed = Deed::Input(text);
        let mut receipt = act_in(session, &self.target.target, &self.expect, deed, only_in).await?;
        if enter && receipt.verdict == Verdict::Confirmed {
            let filled = receipt.clone();
            if let Err(problem) = press_enter(session, &mut receipt).await {
                receipt = judge::unseen(filled, problem);
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

/// Enter into the field that was just filled, under the same guard; a withheld one is what the receipt then says. The
/// changes that it lists are those that Enter brought.
async fn press_enter(session: &mut Session, receipt: &mut Receipt) -> Result<(), Problem> {
    let settle = crate::session::seconds(session.settings().waits.settle);
    let limit = session.settings().limits.changes;
    let effect = Some(crate::session::seconds(session.settings().waits.effect));
    let (surface, eye, clock) = session.parts()?;
    let Some(target) = &receipt.target else { return Ok(()) };
    // What the field says of itself is what was typed: its name and role hold it.
    let held = Held {
        role: Some(target.role.clone()),
        texts: vec![("name".to_owned(), held(&target.name, false))],
        ..Held::default()
    };
    let guard = Guard { target: target.native, held: Some(held), ..Guard::default() };
    let delivery = match surface.perform(&Gesture::Type { text: "\n".into(), pace_ms: 0 }, &guard).await {
        Ok(delivery) => delivery,
        Err(problem) => {
            receipt.verdict = Verdict::Unverifiable;
            receipt.reason = Some(format!("the text is in; Enter couldn't be sent: {}", problem.message));
            receipt.hints = problem.hints;
            return Ok(());
        }
    };
    if delivery == Delivery::Unseen {
        receipt.verdict = Verdict::Unverifiable;
        receipt.reason = Some("the text is in; whether Enter arrived could not be told".into());
    }
    let was_withheld = matches!(delivery, Delivery::Withheld(_));
    let came = what_came(surface, eye, clock.as_ref(), settle, effect.filter(|_| !was_withheld)).await;
    surface.rest().await;
    receipt.notices.extend(surface.notices());
    let Came { settled, later } = came?;
    receipt.evidence.extend(settled.events.iter().filter_map(judge::seen));
    if let Delivery::Withheld(withheld) = delivery {
        receipt.verdict = Verdict::Contradicted;
        receipt.reason = Some(format!("the text is in; Enter was withheld ({})", withheld.reason));
        receipt.hints = vec!["handeye state".into()];
        return Ok(());
    }
    if let Some(reason) = judge::held_back(&receipt.evidence) {
        (receipt.verdict, receipt.reason) =
            (Verdict::Contradicted, Some(format!("the text is in and Enter was pressed; {reason}")));
    }
    if let (Some(earlier), Some((later, restless))) = (eye.latest(), later)
        && !earlier.differences(&later).is_empty()
    {
        receipt.evidence.retain(|e| !matches!(e, Evidence::Changes { .. }));
        judge::differing(receipt, eye, (&earlier, later), &restless, judge::most_changes(&settled, limit));
    }
    Ok(())
}

/// What Enter brought.
struct Came {
    settled: Settled,
    /// What there is then, and what of it changes by itself; none behind a dialog.
    later: Option<(Digest, HashSet<NativeId>)>,
}

/// Waits until it is quiet, and, where nothing was seen to come of it, for so long that it does.
async fn what_came(
    surface: &mut dyn Surface,
    eye: &Eye,
    clock: &dyn Clock,
    settle: Duration,
    effect: Option<Duration>,
) -> Result<Came, Problem> {
    let stopped = |e: &Event| matches!(e, Event::Dialog { .. } | Event::Gone { .. });
    let mut patience = Patience::new(clock, effect.unwrap_or_default());
    loop {
        let settled = surface.settle(settle).await?;
        if settled.events.iter().any(stopped) || effect.is_none() {
            return Ok(Came { settled, later: None });
        }
        let later = Digest::of(&surface.capture(Want::default()).await?);
        let restless = surface.stirred().await.restless;
        let differs = eye.latest().is_some_and(|e| !e.differences(&later).without(&restless).is_empty());
        let tells = |e: &Event| !matches!(e, Event::Requested { .. });
        if differs || settled.events.iter().any(tells) || !patience.comes_more(surface, clock).await {
            return Ok(Came { settled, later: Some((later, restless)) });
        }
    }
}
