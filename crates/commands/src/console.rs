//! `console`, `errors`: what pages have said.

use crate::unread::{self, Unread};
use crate::{Command, Effect, Render, Session};
use handeye_engine::shown::{address, block, cut, line, word};
use handeye_scene::{Look, Message, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Show what pages have written to the console since you last looked; the last 500 messages of the session are kept
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[command(after_help = "Example:\n  handeye console --filter checkout")]
pub struct Console {
    /// Everything that is kept, seen before or not
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Only messages that contain this text
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    filter: Option<String>,
}

/// Show exceptions that nothing caught, and errors in the console, since you last looked
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[command(after_help = "Example:\n  handeye errors --all")]
pub struct Errors {
    /// Everything that is kept, seen before or not
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Only messages that contain this text
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    filter: Option<String>,
}

/// Characters of a message that are shown.
const SHOWN: usize = 2_000;

/// What was said.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Messages {
    /// Each message, oldest first.
    messages: Vec<Message>,
    /// How many were forgotten before they were looked at.
    forgotten: u64,
    /// How many are left out, since the policy bars reading their origin.
    left_out: usize,
    /// `messages` or `errors`.
    of: &'static str,
}

impl Render for Messages {
    fn render(&self) -> String {
        let mut lines = Vec::new();
        if self.forgotten > 0 {
            lines.push(format!("… {} older ones are forgotten", self.forgotten));
        }
        for m in &self.messages {
            let source = if m.source.is_empty() { String::new() } else { format!(" ({})", address(&m.source)) };
            let said = cut(m.text.trim_end(), SHOWN);
            // The first line stands behind the time; the others are marked as its.
            let (first, more) = said.split_once('\n').unwrap_or((&said, ""));
            let more = if more.is_empty() { String::new() } else { block(more, SHOWN) };
            lines.push(format!(
                "{} {} {}: {}{source}{more}",
                clock(m.time),
                m.tab,
                word(&m.kind, 40),
                line(first, SHOWN)
            ));
        }
        lines.extend(unread::line(self.left_out));
        if lines.is_empty() {
            return format!("no new {}", self.of);
        }
        lines.join("\n")
    }
}

/// Time of day, UTC, to the millisecond.
pub(crate) fn clock(ms: f64) -> String {
    let ms = ms.max(0.0) as u64 % 86_400_000;
    format!("{:02}:{:02}:{:02}.{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
}

fn heard(session: &mut Session, all: bool, filter: Option<&str>, errors: bool) -> Result<Messages, Problem> {
    let look = if all { Look::All } else { Look::New };
    let unread = Unread::of(session)?;
    let mask = session.eye.mask.clone();
    let wanted = |m: &Message| filter.is_none_or(|f| mask.of(&m.text).contains(f)) && unread.lets_message(m);
    let heard = session.console()?.messages(look, errors, &wanted);
    let of = if errors { "errors" } else { "messages" };
    Ok(Messages { messages: heard.items, forgotten: heard.forgotten, left_out: unread.count(), of })
}

impl Command for Console {
    const NAME: &'static str = "console";
    const EFFECT: Effect = Effect::Reads;
    type Output = Messages;
    async fn run(self, session: &mut Session) -> Result<Messages, Problem> {
        heard(session, self.all, self.filter.as_deref(), false)
    }
}

impl Command for Errors {
    const NAME: &'static str = "errors";
    const EFFECT: Effect = Effect::Reads;
    type Output = Messages;
    async fn run(self, session: &mut Session) -> Result<Messages, Problem> {
        heard(session, self.all, self.filter.as_deref(), true)
    }
}
