//! What every action shares: from its arguments to the act loop, and the receipt's text.

use crate::core::args::{ExpectArgs, TargetArgs};
use crate::core::described::{self, Settled};
use crate::core::permission::ask_to_press;
use crate::core::render::count;
use crate::core::settings::Unverifiable;
use crate::{Render, Session};
use handeye_engine::act::act_under;
use handeye_engine::observe::outline::{self, Style, change_lines};
use handeye_engine::wording::shown::{ADDRESS, MESSAGE, address, line, word};
use handeye_engine::{Action, ActionRequest, AimedAt, Expectation};
use handeye_scene::model::role::known;
use handeye_scene::{
    Code, Delivery, Described, DescribedBy, Evidence, Gesture, Guard, Hint, Mutated, Problem, Receipt, Verdict,
};
use std::fmt::Write;

/// So often a person is asked about what one action would press.
const QUESTIONS: u32 = 4;

/// What must be true of what is acted on, and what is done where nobody can say whether it is.
pub struct Meant {
    expectation: Expectation,
    unverifiable: Option<Unverifiable>,
}

impl From<Expectation> for Meant {
    fn from(expectation: Expectation) -> Self {
        Self { expectation, unverifiable: None }
    }
}

impl From<&ExpectArgs> for Meant {
    fn from(expect: &ExpectArgs) -> Self {
        Self { expectation: expect.expectation(), unverifiable: expect.unverifiable }
    }
}

/// Does `action` to the target.
pub async fn act_on(
    session: &mut Session,
    target: &TargetArgs,
    expect: &ExpectArgs,
    action: Action,
) -> Result<Receipt, Problem> {
    act_aimed(session, AimedAt::Target(target.locators()?), expect, action).await
}

/// Does `action` to the target, in documents of one origin only.
pub async fn act_in(
    session: &mut Session,
    target: &TargetArgs,
    expect: &ExpectArgs,
    action: Action,
    only_in: Option<String>,
) -> Result<Receipt, Problem> {
    let aim = AimedAt::Target(target.locators()?);
    let request = ActionRequest { only_in, ..request(session, aim, expect.into(), action)? };
    act_as_asked(session, &request).await
}

/// Does `action` to whatever it is aimed at.
pub async fn act_aimed(
    session: &mut Session,
    aim: AimedAt,
    meant: impl Into<Meant>,
    action: Action,
) -> Result<Receipt, Problem> {
    let request = request(session, aim, meant.into(), action)?;
    act_as_asked(session, &request).await
}

fn request(
    session: &mut Session,
    aim: AimedAt,
    Meant { expectation, unverifiable }: Meant,
    action: Action,
) -> Result<ActionRequest, Problem> {
    let settings = session.settings();
    let unverifiable = unverifiable.unwrap_or(settings.policy.unverifiable);
    let (waits, changes) = (settings.waits.clone(), settings.limits.changes);
    Ok(ActionRequest {
        aim,
        expectation,
        action,
        act_on_unverifiable: unverifiable == Unverifiable::Act,
        denied: session.denied()?,
        only_in: None,
        guarded: true,
        ready: session.limit(waits.ready),
        settle: crate::core::session::seconds(waits.settle),
        effect: crate::core::session::seconds(waits.effect),
        changes,
    })
}

async fn act_as_asked(session: &mut Session, request: &ActionRequest) -> Result<Receipt, Problem> {
    let receipt = act_as_described(session, request).await?;
    session.refused |= receipt.action == request.action.verb() && receipt.verdict != Verdict::Confirmed;
    Ok(receipt)
}

/// Acts, and has a description judged of a target that shows no text which could be compared with it.
async fn act_as_described(session: &mut Session, request: &ActionRequest) -> Result<Receipt, Problem> {
    let is_described = matches!((&request.expectation, &request.aim), (Expectation::Text(_), AimedAt::Target(_)));
    if !is_described {
        return act_as_permitted(session, request).await;
    }
    let checked = ActionRequest { act_on_unverifiable: false, ..request.clone() };
    let refused = act_as_permitted(session, &checked).await?;
    let Some(open) = described::open(session, request, &refused) else { return Ok(refused) };
    let matched = refused.matched.clone();
    let (done, described) = match described::settle(session, request, open, refused, request.act_on_unverifiable).await
    {
        Settled::Refused(receipt) => return Ok(*receipt),
        Settled::Shown(judged, described) => (act_as_permitted(session, &judged).await?, described),
        Settled::Unchecked(described) => (act_as_permitted(session, request).await?, described),
    };
    Ok(Receipt { described: Some(described), matched, ..done })
}

/// Acts under the rules about targets. Where they want it, a person is asked about what would be pressed, each thing once.
async fn act_as_permitted(session: &mut Session, request: &ActionRequest) -> Result<Receipt, Problem> {
    for _ in 0..QUESTIONS {
        let policy = session.policy()?;
        session.call.progress.tell_by_gestures();
        let (surface, memory, clock) = session.parts()?;
        let stopped = match act_under(surface, memory, clock.as_ref(), request, policy.targets()).await {
            Ok(receipt) => return Ok(receipt),
            Err(stopped) => stopped,
        };
        match stopped.asks {
            Some(asked) => ask_to_press(session, asked).await?,
            None => return Err(stopped.problem),
        }
    }
    let what = "the policy wants a person's consent again and again: the page changes what would be pressed";
    Err(Problem::new(Code::Denied, what).hint("handeye state"))
}

/// Whether what a receipt tells of was done, rather than refused or withheld: the one is told as past, the other isn't.
pub fn was_done(receipt: &Receipt, action: &Action) -> bool {
    receipt.action == action.past()
}

/// What was done to what and what came of it, in one line, for a problem that came after it.
pub fn outcome(receipt: &Receipt) -> String {
    let target = receipt.target.as_ref();
    let target = target
        .map(|t| format!(" {} {} {}", t.r#ref, known(&t.role), outline::quote(t.words(), 80)))
        .unwrap_or_default();
    let mut came: Vec<String> = receipt.evidence.iter().map(words).collect();
    if came.is_empty() {
        came.push("nothing was seen to change".into());
    }
    format!("{}{target}: {}", receipt.action, came.join("; "))
}

/// A receipt for something done without a target.
pub fn receipt(action: impl Into<String>) -> Receipt {
    Receipt::new(action, Verdict::Confirmed)
}

impl Render for Receipt {
    fn render(&self) -> String {
        let mut out = self.action.clone();
        if let Some(target) = &self.target {
            let _ = write!(out, " {} {} {}", target.r#ref, known(&target.role), outline::quote(target.words(), 80));
        }
        let _ = write!(out, ": {}", self.verdict.words());
        for (i, part) in
            self.reason.iter().map(|reason| line(reason, MESSAGE)).chain(self.evidence.iter().map(words)).enumerate()
        {
            let _ = write!(out, "{} {part}", if i == 0 && self.reason.is_some() { "," } else { ";" });
        }
        if let Some(by) = &self.by {
            let _ = write!(out, "; by {by}");
        }
        if let Some(described) = &self.described {
            let _ = write!(out, "; {}", described_words(described));
        }
        // A number needs no explanation.
        if let Some(matched) = self.matched.as_ref().filter(|m| m.used.starts_with("--")) {
            let _ = write!(out, "\nmatched {}{}", matched.used, if matched.verified { ", verified" } else { "" });
            for tried in &matched.tried {
                let _ = write!(out, "\npassed over {}: {}", tried.locator, tried.outcome);
            }
        }
        let style = Style::default();
        for line in change_lines(&self.changes, style) {
            let _ = write!(out, "\n{line}");
        }
        if self.more_changes > 0 && !self.changes.is_empty() {
            let _ = write!(out, "\n… {} more", count(self.more_changes, "change"));
        }
        for notice in &self.notices {
            let _ = write!(out, "\n{}", outline::notice_line(notice));
        }
        out
    }

    fn hints(&self) -> Vec<Hint> {
        let mut hints = self.hints.clone();
        let state = Hint::from("handeye state");
        if self.more_changes > 0 && !self.changes.is_empty() && !hints.contains(&state) {
            hints.push(state);
        }
        hints
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// What became of a description.
fn described_words(described: &Described) -> String {
    let (text, model) = (outline::quote_own(&described.text, 80), described.model.as_deref().unwrap_or("a model"));
    match (described.by, &described.why) {
        (DescribedBy::Model, _) => format!("{text} was judged by its picture, by {}", line(model, 80)),
        (DescribedBy::Nothing, Some(why)) => format!("{text} was compared with nothing: {}", line(why, MESSAGE)),
        (DescribedBy::Nothing, None) => format!("{text} was compared with nothing"),
    }
}

fn words(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Navigated { again: true, url } => format!("reloaded {}", address(url)),
        Evidence::Navigated { url, .. } => format!("navigated to {}", address(url)),
        Evidence::DocumentNavigated { url } => format!("an iframe navigated to {}", address(url)),
        Evidence::Value { value } => format!("value is {}", outline::quote(value, 80)),
        Evidence::Property { property, from, to } => format!("{} {} → {}", word(property, 40), value(from), value(to)),
        Evidence::Focused => "focused".into(),
        Evidence::Scrolled { dx, dy } => format!("scrolled by {},{}", outline::round(*dx), outline::round(*dy)),
        Evidence::Dialog { dialog, message } => format!("{dialog} dialog opened: {}", outline::quote(message, 120)),
        Evidence::Download { name } => format!("download began: {}", outline::quote(name, 120)),
        Evidence::DownloadBroken { name } => format!("the download broke off: {}", outline::quote(name, 120)),
        Evidence::Unreachable { url } => format!("couldn't load {}", address(url)),
        Evidence::NewTab { url } => format!("new tab {}", address(url)),
        Evidence::FileChooser => "file chooser opened".into(),
        Evidence::FormHeld { role, name, .. } => {
            format!("the form is held back by {} {}", known(role), outline::quote(name, 80))
        }
        Evidence::WindowOpened { title } => format!("window {} opened", outline::quote(title, 120)),
        Evidence::WindowClosed { title } => format!("window {} closed", outline::quote(title, 120)),
        Evidence::Requested { request } => format!("requested {}", line(request, ADDRESS)),
        Evidence::Changes { changed, new, gone } => changes(*changed, *new, *gone),
        Evidence::Mutated { what, of } if what.is_empty() => format!("the {of}'s content changed"),
        Evidence::Mutated { what, .. } => what.iter().map(mutated).collect::<Vec<_>>().join("; "),
        Evidence::Drawn => "its picture changed".into(),
        Evidence::Already { state } => format!("already {state}"),
        Evidence::Hit => "the pointer is on it".into(),
        Evidence::Note { text } => line(text, MESSAGE),
    }
}

/// A change that shows in no target. Of an attribute, a class or a style what is gone and what came.
fn mutated(change: &Mutated) -> String {
    let number = change.r#ref.map_or_else(String::new, |r| format!("[{}] ", r.0));
    let place = line(&change.place, 120);
    // An attribute that is there or not, and says nothing more.
    if change.from.is_empty() && change.to.is_empty() {
        return format!("{} of {number}{place} set or removed", word(&change.property, 40));
    }
    let side = |text: &str, quoted: String| if text.is_empty() { "nothing".to_owned() } else { quoted };
    let (from, to) = outline::quote_apart(&change.from, &change.to, 60);
    let (from, to) = (side(&change.from, from), side(&change.to, to));
    format!("{} of {number}{place} {from} → {to}", word(&change.property, 40))
}

/// A property's value: a word or two of ours, or a text from outside.
fn value(text: &str) -> String {
    if text.chars().all(|c| c.is_ascii_alphanumeric() || " -.,".contains(c)) {
        text.to_owned()
    } else {
        outline::quote(text, 80)
    }
}

fn changes(changed: usize, new: usize, gone: usize) -> String {
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let mut parts = Vec::new();
    if changed > 0 {
        parts.push(format!("{changed} target{} changed", plural(changed)));
    }
    if new > 0 {
        parts.push(format!("{new} new"));
    }
    if gone > 0 {
        parts.push(format!("{gone} gone"));
    }
    parts.join(", ")
}

/// Sends a gesture that nothing is known or held of.
pub(crate) async fn send(session: &mut Session, gesture: &Gesture) -> Result<Delivery, Problem> {
    let (surface, memory, _) = session.parts()?;
    memory.begin_gesture();
    surface.perform(gesture, &Guard::default()).await
}
