//! `verify`: whether what a test claims of a page or window is so, or comes to be.

pub mod claim;
mod one_look;

use crate::core::args::WordyTargetArgs;
use crate::core::session::seconds;
use crate::look::inspect::as_target;
use crate::look::verify::claim::{Claim, Number, SHOWN};
use crate::look::verify::one_look::Look;
use crate::{Command, Effect, Render, Session};
use handeye_engine::observe::outline::quote;
use handeye_engine::wording::shown::{MESSAGE, line};
use handeye_scene::model::role::known;
use handeye_scene::{Code, Problem, Target, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// How long one wait for a change lasts before the page is looked at again.
const GLANCE: Duration = Duration::from_millis(250);
/// How much longer than the wait its last look may take, in seconds, and how long a wait is taken to be at least for that: a call
/// is cancelled half a second later.
const LAST_LOOK: f64 = 2.5;
const SHORT_WAIT: f64 = 3.0;

/// Check what a test claims, waiting until it holds: exit status 0 when it does, 1 when it doesn't
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Verify {
    #[command(subcommand)]
    #[serde(flatten)]
    claim: Claim,
}

/// What `verify` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Verified {
    /// Whether what was claimed holds.
    holds: bool,
    /// What it is about: `text`, `value`, `visible`, `enabled`, `checked`, `count`, `url`, `title`.
    what: &'static str,
    /// What was claimed, in words.
    claim: String,
    /// What was found last: a text, a number, true or false; null where there was nothing to look at.
    found: Value,
    /// The target that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Target>,
    /// Why there was nothing to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// How long it was waited for, in seconds.
    seconds: f64,
}

impl Render for Verified {
    fn render(&self) -> String {
        let how = match self.holds {
            true => "verified".to_owned(),
            false => format!("not verified within {:.1} s", self.seconds),
        };
        let of = self.target.as_ref().map(|t| format!("{} {} {}: ", t.r#ref, known(&t.role), quote(t.words(), 80)));
        let found = match (&self.found, &self.reason) {
            (Value::Null, Some(reason)) => line(reason, MESSAGE),
            (Value::String(text), _) => format!("it is {}", quote(text, SHOWN)),
            (Value::Bool(true), _) => "it is".to_owned(),
            (Value::Bool(false), _) => "it isn't".to_owned(),
            (Value::Number(number), _) => format!("there are {number}"),
            _ => "there is nothing to look at".to_owned(),
        };
        format!("{how}: {}{}; {found}", of.unwrap_or_default(), self.claim)
    }

    fn verdict(&self) -> Verdict {
        if self.holds { Verdict::Confirmed } else { Verdict::Contradicted }
    }
}

impl Command for Verify {
    const NAME: &'static str = "verify";
    const EFFECT: Effect = Effect::Reads;
    type Output = Verified;

    fn refs(&self) -> Vec<u32> {
        match &self.claim {
            Claim::Text { target, .. } | Claim::Value { target, .. } | Claim::Count { target, .. } => target.refs(),
            Claim::Visible(state) | Claim::Enabled(state) | Claim::Checked(state) => state.target.refs(),
            Claim::Url { .. } | Claim::Title { .. } => Vec::new(),
        }
    }

    fn normalize_args(mut self) -> Result<Self, Problem> {
        match &mut self.claim {
            Claim::Text { target, expected, .. } => *expected = wanted(target, "text")?,
            Claim::Value { target, expected, .. } => *expected = wanted(target, "value")?,
            Claim::Count { target, expected, .. } => *expected = Number::Compared(wanted(target, "count")?),
            _ => {}
        }
        self.claim.check()?;
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Verified, Problem> {
        self.claim.check()?;
        let limit = session.limit(session.settings().waits.verify);
        let clock = session.clock.clone();
        let start = clock.elapsed();
        // The wait has its own limit; the look that it ends with must not be cut short by it.
        let all = limit.max(seconds(SHORT_WAIT)).saturating_add(seconds(LAST_LOOK));
        session.surface()?.allow(Some(all));
        let (look, spent) = loop {
            let looked = self.claim.look(session).await;
            let spent = clock.elapsed().saturating_sub(start);
            match looked {
                Ok(look) if look.holds || spent >= limit => break (look, spent),
                Err(problem) if spent >= limit || !may_pass(&problem) => return Err(problem),
                Ok(_) | Err(_) => {}
            }
            session.surface()?.changed(GLANCE.min(limit.saturating_sub(spent))).await?;
        };
        // Only now it is told, so only now it counts as shown.
        let target = look.probe.map(|probe| as_target(&probe, &mut session.memory));
        let claim = self.claim.words();
        let Look { holds, found, reason, .. } = look;
        Ok(Verified { holds, what: self.claim.name(), claim, found, target, reason, seconds: spent.as_secs_f64() })
    }
}

/// Whether a problem may be over by itself: a page that is between two documents, a locator that matches too much as yet.
fn may_pass(problem: &Problem) -> bool {
    matches!(problem.code, Code::Ambiguous | Code::Stale)
}

/// The word behind the target.
fn wanted(target: &mut WordyTargetArgs, what: &str) -> Result<String, Problem> {
    let mut words = target.take_words();
    if let Some(problem) = target.misnamed(&format!("verify {what}"), &words) {
        return Err(problem);
    }
    match (words.pop(), words.is_empty()) {
        (Some(word), true) => Ok(word),
        (None, _) => Err(Problem::new(Code::BadRequest, "what is claimed is missing: write it behind the target")
            .hint(format!("handeye verify {what} --help"))),
        _ => Err(Problem::new(Code::BadRequest, "more than one text was given: put it in quotes")
            .hint(format!("handeye verify {what} REF \"SEVERAL WORDS\""))),
    }
}
