//! `console`, `errors`: what pages have said.

use crate::core::read_policy::{self, ReadPolicy};
use crate::{Command, Effect, Render, Session};
use handeye_engine::wording::shown::{address, block, cut, line, word};
use handeye_scene::{Look, Message, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Show what the page of the active tab has written to the console since you last looked; the last 500 messages are kept
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[command(after_help = "Example:\n  handeye console --filter checkout")]
pub struct Console {
    /// Everything that is kept: of every tab, seen before or not, each message by itself
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Only messages that contain this text
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    filter: Option<String>,
}

/// Show uncaught exceptions and console errors of the page in the active tab since you last looked
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[command(after_help = "Example:\n  handeye errors --all")]
pub struct Errors {
    /// Everything that is kept: of every tab, seen before or not, each message by itself
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

/// A message, and how often it came.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Counted {
    /// The first of its kind.
    #[serde(flatten)]
    message: Message,
    /// How many said the same; left out for one.
    #[serde(skip_serializing_if = "is_one")]
    times: usize,
}

fn is_one(times: &usize) -> bool {
    *times == 1
}

/// Console messages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Messages {
    /// Each message, oldest first.
    messages: Vec<Counted>,
    /// How many were dropped before they were looked at.
    forgotten: u64,
    /// How many are left out, since the policy denies reading their origin.
    left_out: usize,
    /// How many new ones other tabs have.
    elsewhere: usize,
    /// `messages` or `errors`.
    of: &'static str,
}

impl Render for Messages {
    fn render(&self) -> String {
        let mut lines = Vec::new();
        if self.forgotten > 0 {
            lines.push(format!("… older messages that were dropped: {}", self.forgotten));
        }
        for Counted { message: m, times } in &self.messages {
            let source = if m.source.is_empty() { String::new() } else { format!(" ({})", address(&m.source)) };
            let said = cut(m.text.trim_end(), SHOWN);
            // The first line stands behind the time; the others are marked as its.
            let (first, more) = said.split_once('\n').unwrap_or((&said, ""));
            let more = if more.is_empty() { String::new() } else { block(more, SHOWN) };
            let kind = if m.kind == "exception" { "uncaught".into() } else { format!("{}:", word(&m.kind, 40)) };
            let times = if *times > 1 { format!(" ×{times}") } else { String::new() };
            lines.push(format!("{} {} {kind} {}{source}{times}{more}", clock(m.time), m.tab, line(first, SHOWN)));
        }
        lines.extend(read_policy::line(self.left_out));
        if lines.is_empty() {
            lines.push(format!("no new {}", self.of));
        }
        lines.extend(elsewhere(self.elsewhere, self.of));
        lines.join("\n")
    }
}

/// What is said of the tabs that a list leaves out.
pub(crate) fn elsewhere(count: usize, of: &str) -> Option<String> {
    (count > 0).then(|| format!("… new {of} in other tabs: {count}; --all shows them"))
}

/// The id of the active tab, which lists are about; none where all tabs are asked for.
pub(crate) async fn own_tab(session: &mut Session, all: bool) -> Result<Option<String>, Problem> {
    if all {
        return Ok(None);
    }
    let tabs = session.web()?.tabs().await?;
    Ok(tabs.into_iter().find(|tab| tab.active).map(|tab| tab.id))
}

/// Time of day, UTC, to the millisecond.
pub(crate) fn clock(ms: f64) -> String {
    let ms = ms.max(0.0) as u64 % 86_400_000;
    format!("{:02}:{:02}:{:02}.{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
}

async fn heard(session: &mut Session, all: bool, filter: Option<&str>, errors: bool) -> Result<Messages, Problem> {
    let look = if all { Look::All } else { Look::New };
    let tab = own_tab(session, all).await?;
    let readable = ReadPolicy::of(session)?;
    let mask = session.memory.mask.clone();
    let others = AtomicUsize::new(0);
    let wanted = |m: &Message| {
        if filter.is_some_and(|f| !mask.of(&m.text).contains(f)) {
            return false;
        }
        let is_here = tab.as_ref().is_none_or(|tab| m.tab == *tab);
        if !is_here {
            others.fetch_add(1, Ordering::Relaxed);
        }
        is_here && readable.lets_message(m)
    };
    let heard = session.console()?.messages(look, errors, &wanted);
    let of = if errors { "errors" } else { "messages" };
    let messages = if all {
        heard.items.into_iter().map(|message| Counted { message, times: 1 }).collect()
    } else {
        counted(heard.items)
    };
    let elsewhere = others.into_inner();
    Ok(Messages { messages, forgotten: heard.forgotten, left_out: readable.count(), elsewhere, of })
}

/// Messages that say the same as one, in the place of the first of them.
fn counted(messages: Vec<Message>) -> Vec<Counted> {
    let mut out: Vec<Counted> = Vec::new();
    let mut known: HashMap<(String, String, String), usize> = HashMap::new();
    for message in messages {
        let key = (message.kind.clone(), message.text.clone(), message.source.clone());
        match known.get(&key).and_then(|at| out.get_mut(*at)) {
            Some(same) => same.times += 1,
            None => {
                known.insert(key, out.len());
                out.push(Counted { message, times: 1 });
            }
        }
    }
    out
}

impl Command for Console {
    const NAME: &'static str = "console";
    const EFFECT: Effect = Effect::Reads;
    type Output = Messages;
    async fn run(self, session: &mut Session) -> Result<Messages, Problem> {
        heard(session, self.all, self.filter.as_deref(), false).await
    }
}

impl Command for Errors {
    const NAME: &'static str = "errors";
    const EFFECT: Effect = Effect::Reads;
    type Output = Messages;
    async fn run(self, session: &mut Session) -> Result<Messages, Problem> {
        heard(session, self.all, self.filter.as_deref(), true).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_repeat_are_counted_where_the_first_stands() {
        let said = |kind: &str, text: &str, source: &str| Message {
            kind: kind.into(),
            text: text.into(),
            source: source.into(),
            ..Message::default()
        };
        let all = [("log", "a", "x"), ("log", "b", "x"), ("log", "a", "x"), ("error", "a", "x"), ("log", "a", "y")];
        let told = counted(all.iter().map(|(kind, text, source)| said(kind, text, source)).collect());
        let told: Vec<_> = told.iter().map(|c| (&*c.message.kind, &*c.message.text, c.times)).collect();
        assert_eq!(told, [("log", "a", 2), ("log", "b", 1), ("error", "a", 1), ("log", "a", 1)]);
    }
}
