//! `wait`: until something is true.

use crate::core::named::{Named, parse_named};
use crate::core::settings::Capability;
use crate::{Command, Effect, Render, Session};
use handeye_engine::observe::wait::{Until, url_matches, wait};
use handeye_scene::{Code, Matches, NativeId, NetworkRequest, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// How long one wait for a change lasts before a locator is tried again.
const GLANCE: Duration = Duration::from_millis(250);
/// Pause between two looks at an expression.
const AGAIN: Duration = Duration::from_millis(100);

/// Wait for a time or a condition
#[derive(Debug, Default, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[command(group = clap::ArgGroup::new("until").required(true).multiple(false))]
pub struct Wait {
    /// Number of seconds
    #[arg(group = "until", value_name = "SECONDS", value_parser = crate::core::value_parsers::real("time in seconds", 0.0.., 2.5))]
    seconds: Option<f64>,
    /// Until this target is visible
    #[arg(long, group = "until", value_name = "REF", value_parser = parse_named)]
    visible: Option<Named>,
    /// Until this target is visible and enabled
    #[arg(long, group = "until", value_name = "REF", value_parser = parse_named)]
    enabled: Option<Named>,
    /// Until this target is gone or hidden
    #[arg(long, group = "until", value_name = "REF", value_parser = parse_named)]
    gone: Option<Named>,
    /// Until this text is on the page
    #[arg(long, group = "until", value_name = "TEXT")]
    text: Option<String>,
    /// Until the address contains this, or matches it, with * as a wildcard
    #[arg(long, group = "until", value_name = "PATTERN")]
    url: Option<String>,
    /// Until a request whose address contains this (or matches it, with *) is answered; requests count from the start of the
    /// last action
    #[arg(long, group = "until", value_name = "PATTERN")]
    response: Option<String>,
    /// Until this JavaScript expression is true; off unless the session allows eval
    #[arg(long = "fn", group = "until", value_name = "EXPR")]
    r#fn: Option<String>,
    /// Until the page is idle
    #[arg(long, group = "until")]
    idle: bool,
}

/// What `wait` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Waited {
    /// How long it took, in seconds.
    seconds: f64,
    /// The request that was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<NetworkRequest>,
}

impl Render for Waited {
    fn render(&self) -> String {
        let of = self.request.as_ref().map(|e| format!(": {}", crate::network::answer::line(e))).unwrap_or_default();
        format!("waited {:.2} s{of}", self.seconds)
    }
}

impl Wait {
    /// Refuses what is true of every page, or of every request.
    fn check(&self) -> Result<(), Problem> {
        let is_empty = |text: &Option<String>| text.as_deref().is_some_and(|text| text.trim().is_empty());
        let why = if is_empty(&self.text) {
            "an empty text is on every page: say what it should be"
        } else if is_empty(&self.url) || is_empty(&self.response) {
            "an empty pattern matches every address: say what it should contain"
        } else {
            return Ok(());
        };
        Err(Problem::new(Code::BadRequest, why).hint("handeye wait --help"))
    }

    fn until(&self, found: Option<NativeId>) -> Result<Until, Problem> {
        if let Some(found) = found {
            let until = if self.gone.is_some() {
                Until::Gone(found)
            } else if self.enabled.is_some() {
                Until::Enabled(found)
            } else {
                Until::Visible(found)
            };
            return Ok(until);
        }
        match self {
            Self { seconds: Some(s), .. } if !s.is_finite() || *s < 0.0 => {
                Err(Problem::new(Code::BadRequest, format!("{s} is no time: give seconds, 0 or more")))
            }
            Self { seconds: Some(s), .. } => Ok(Until::Passed(crate::core::session::seconds(*s))),
            Self { text: Some(text), .. } => Ok(Until::Text(text.clone())),
            Self { url: Some(pattern), .. } => Ok(Until::Url(pattern.clone())),
            Self { idle: true, .. } => Ok(Until::Idle),
            _ => Err(Problem::new(Code::BadRequest, "nothing to wait for was given")
                .hint("handeye wait --idle")
                .hint("handeye wait 2.5")),
        }
    }
}

impl Command for Wait {
    const NAME: &'static str = "wait";
    const EFFECT: Effect = Effect::Reads;
    const VARIES: bool = true;
    type Output = Waited;

    fn refs(&self) -> Vec<u32> {
        let named = [&self.visible, &self.enabled, &self.gone].into_iter().flatten();
        named.filter_map(Named::written).collect()
    }

    fn effect(&self) -> Effect {
        if self.r#fn.is_some() { Effect::Acts } else { Effect::Reads }
    }

    async fn run(self, session: &mut Session) -> Result<Waited, Problem> {
        self.check()?;
        if let Some(expression) = &self.r#fn {
            return became_true(session, expression).await;
        }
        if let Some(pattern) = &self.response {
            return answered(session, pattern).await;
        }
        let start = session.clock.elapsed();
        let named = [&self.visible, &self.enabled, &self.gone].into_iter().find_map(Option::as_ref);
        let found = match named {
            Some(named) => found(session, named, self.gone.is_some()).await?,
            None => None,
        };
        if named.is_some() && found.is_none() {
            let seconds = session.clock.elapsed().saturating_sub(start).as_secs_f64();
            return Ok(Waited { seconds, request: None });
        }
        let until = self.until(found)?;
        // Plain seconds are their own limit.
        let limit = match until {
            Until::Passed(time) => session.call.flags.timeout.map_or(time, crate::core::session::seconds).min(time),
            _ => session
                .limit(session.settings().waits.wait)
                .saturating_sub(session.clock.elapsed().saturating_sub(start)),
        };
        let (surface, memory, clock) = session.parts()?;
        wait(surface, clock.as_ref(), &until, limit, &memory.mask).await?;
        let seconds = session.clock.elapsed().saturating_sub(start).as_secs_f64();
        Ok(Waited { seconds, request: None })
    }
}

/// The element that is waited for. What a locator doesn't match yet is waited for; none: it is waited for to be gone, and nothing
/// matches.
async fn found(session: &mut Session, named: &Named, gone: bool) -> Result<Option<NativeId>, Problem> {
    let limit = session.limit(session.settings().waits.wait);
    let clock = session.clock.clone();
    let start = clock.elapsed();
    loop {
        let missing = match named.number(session).await {
            Ok(number) => return session.memory.refs.element(number).map(|known| Some(known.native)),
            Err(problem) if matches!(named, Named::By(_)) && problem.code == Code::NotFound => problem,
            Err(problem) => return Err(problem),
        };
        let left = limit.saturating_sub(clock.elapsed().saturating_sub(start));
        if gone {
            return Ok(None);
        }
        if left.is_zero() {
            let message = format!("{} within {:.1} s", missing.message, limit.as_secs_f64());
            return Err(Problem::new(Code::Timeout, message).hint("handeye state"));
        }
        session.surface()?.changed(GLANCE.min(left)).await?;
    }
}

/// Asks again and again. An expression that throws may do so because the page isn't there yet; one that can't be read never
/// will.
async fn became_true(session: &mut Session, expression: &str) -> Result<Waited, Problem> {
    session.check_allowed(Capability::Eval)?;
    crate::core::permission::permit_script(session, false).await?;
    crate::core::permission::permit_reading(session, "wait --fn").await?;
    let limit = session.limit(session.settings().waits.wait);
    let clock = session.clock.clone();
    let start = clock.elapsed();
    let mut thrown = String::new();
    loop {
        let spent = clock.elapsed().saturating_sub(start);
        let left = limit.saturating_sub(spent);
        if left.is_zero() {
            let quoted = handeye_engine::observe::outline::quote_own(expression, 200);
            let message = format!("{quoted} didn't become true within {:.1} s{thrown}", limit.as_secs_f64());
            return Err(Problem::new(Code::Timeout, message).hint("handeye eval EXPR"));
        }
        match session.scripts()?.evaluate(expression, left).await {
            Ok(value) if is_true(&value) => {
                return Ok(Waited { seconds: clock.elapsed().saturating_sub(start).as_secs_f64(), request: None });
            }
            Ok(_) => thrown.clear(),
            Err(problem) if problem.code == Code::BadRequest && !problem.message.contains("SyntaxError") => {
                thrown = format!("; {}", problem.message);
            }
            Err(problem) if matches!(problem.code, Code::Stale | Code::Timeout) => {}
            Err(problem) => return Err(problem),
        }
        clock.sleep(AGAIN.min(left)).await;
    }
}

/// As JavaScript sees it.
fn is_true(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Null => false,
        serde_json::Value::Bool(value) => *value,
        serde_json::Value::Number(n) => n.as_f64() != Some(0.0),
        serde_json::Value::String(text) => !text.is_empty(),
        _ => true,
    }
}

async fn answered(session: &mut Session, pattern: &str) -> Result<Waited, Problem> {
    let limit = session.limit(session.settings().waits.wait);
    let clock = session.clock.clone();
    let start = clock.elapsed();
    let meant = pattern.to_owned();
    let readable = crate::core::read_policy::ReadPolicy::of(session)?;
    let mask = session.memory.mask.clone();
    let matches: Matches = Arc::new(move |url| url_matches(&mask.of(url), &meant) && !readable.denies(url));
    let request = session.traffic()?.answered(&matches, limit).await?.ok_or_else(|| {
        let what = handeye_engine::observe::outline::quote_own(pattern, 200);
        Problem::new(Code::Timeout, format!("no request to {what} was answered within {:.1} s", limit.as_secs_f64()))
            .hint("handeye network list --all")
    })?;
    Ok(Waited {
        seconds: clock.elapsed().saturating_sub(start).as_secs_f64(),
        request: Some(crate::network::answer::unsent(request)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_true_of_every_page_is_not_waited_for() {
        for (args, code) in [
            (json!({ "text": "" }), Err(Code::BadRequest)),
            (json!({ "text": " \n" }), Err(Code::BadRequest)),
            (json!({ "url": "" }), Err(Code::BadRequest)),
            (json!({ "response": "" }), Err(Code::BadRequest)),
            (json!({ "text": "登录" }), Ok(())),
            (json!({ "url": "*" }), Ok(())),
            (json!({ "response": "/api" }), Ok(())),
            (json!({ "idle": true }), Ok(())),
        ] {
            let wait: Wait = serde_json::from_value(args.clone()).unwrap();
            assert_eq!(wait.check().map_err(|problem| problem.code), code, "{args}");
        }
    }
}
