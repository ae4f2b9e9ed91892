//! `wait`: until something is true.

use crate::args::parse_ref;
use crate::settings::Capability;
use crate::{Command, Effect, Render, Session};
use handeye_engine::wait::{Until, url_matches, wait};
use handeye_scene::{Code, Exchange, Matches, Problem, Ref};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Pause between two looks at an expression.
const AGAIN: Duration = Duration::from_millis(100);

/// Wait some seconds, or until something is true
#[derive(Debug, Default, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[command(group = clap::ArgGroup::new("until").required(true).multiple(false))]
pub struct Wait {
    /// So many seconds
    #[arg(group = "until", value_name = "SECONDS", value_parser = crate::numbers::real("time in seconds", 0.0.., 2.5))]
    seconds: Option<f64>,
    /// Until this target is visible
    #[arg(long, group = "until", value_name = "REF", value_parser = parse_ref)]
    visible: Option<u32>,
    /// Until this target is visible and enabled
    #[arg(long, group = "until", value_name = "REF", value_parser = parse_ref)]
    enabled: Option<u32>,
    /// Until this target is gone or hidden
    #[arg(long, group = "until", value_name = "REF", value_parser = parse_ref)]
    gone: Option<u32>,
    /// Until this text is on the page
    #[arg(long, group = "until", value_name = "TEXT")]
    text: Option<String>,
    /// Until the address contains this, or matches it where it has *
    #[arg(long, group = "until", value_name = "PATTERN")]
    url: Option<String>,
    /// Until a request to an address that contains this, or matches it where it has *, is answered: one that was sent since
    /// the last action began
    #[arg(long, group = "until", value_name = "PATTERN")]
    response: Option<String>,
    /// Until this JavaScript expression is true; off unless the session allows eval
    #[arg(long = "fn", group = "until", value_name = "EXPR")]
    r#fn: Option<String>,
    /// Until the page is quiet
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
    request: Option<Exchange>,
}

impl Render for Waited {
    fn render(&self) -> String {
        let of = self.request.as_ref().map(|e| format!(": {}", crate::network::line(e))).unwrap_or_default();
        format!("waited {:.2} s{of}", self.seconds)
    }
}

impl Wait {
    fn until(&self, session: &Session) -> Result<Until, Problem> {
        let native = |n: u32| session.eye.book.element(Ref(n)).map(|known| known.native);
        match self {
            Self { seconds: Some(s), .. } if !s.is_finite() || *s < 0.0 => {
                Err(Problem::new(Code::BadRequest, format!("{s} is no time: give seconds, 0 or more")))
            }
            Self { seconds: Some(s), .. } => Ok(Until::Passed(crate::session::seconds(*s))),
            Self { visible: Some(n), .. } => Ok(Until::Visible(native(*n)?)),
            Self { enabled: Some(n), .. } => Ok(Until::Enabled(native(*n)?)),
            Self { gone: Some(n), .. } => Ok(Until::Gone(native(*n)?)),
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

    fn effect(&self) -> Effect {
        if self.r#fn.is_some() { Effect::Acts } else { Effect::Reads }
    }

    async fn run(self, session: &mut Session) -> Result<Waited, Problem> {
        if let Some(expression) = &self.r#fn {
            return became_true(session, expression).await;
        }
        if let Some(pattern) = &self.response {
            return answered(session, pattern).await;
        }
        let until = self.until(session)?;
        // Plain seconds are their own limit.
        let limit = match until {
            Until::Passed(time) => session.flags.timeout.map_or(time, crate::session::seconds).min(time),
            _ => session.limit(session.settings().waits.wait),
        };
        let (surface, eye, clock) = session.parts()?;
        let took = wait(surface, clock.as_ref(), &until, limit, &eye.mask).await?;
        Ok(Waited { seconds: took.as_secs_f64(), request: None })
    }
}

/// Asks again and again. An expression that throws may do so because the page isn't there yet; one that can't be read never
/// will.
async fn became_true(session: &mut Session, expression: &str) -> Result<Waited, Problem> {
    session.check_allowed(Capability::Eval)?;
    crate::permit::permit_reading(session, "wait --fn").await?;
    let limit = session.limit(session.settings().waits.wait);
    let clock = session.clock.clone();
    let start = clock.elapsed();
    let mut thrown = String::new();
    loop {
        let spent = clock.elapsed().saturating_sub(start);
        let left = limit.saturating_sub(spent);
        if left.is_zero() {
            let quoted = handeye_engine::outline::quote_own(expression, 200);
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
    let unread = crate::unread::Unread::of(session)?;
    let mask = session.eye.mask.clone();
    let matches: Matches = Arc::new(move |url| url_matches(&mask.of(url), &meant) && !unread.bars(url));
    let request = session.traffic()?.answered(&matches, limit).await?.ok_or_else(|| {
        let what = handeye_engine::outline::quote_own(pattern, 200);
        Problem::new(Code::Timeout, format!("no request to {what} was answered within {:.1} s", limit.as_secs_f64()))
            .hint("handeye network list --all")
    })?;
    Ok(Waited {
        seconds: clock.elapsed().saturating_sub(start).as_secs_f64(),
        request: Some(crate::network::unsent(request)),
    })
}
