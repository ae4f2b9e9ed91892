//! `type`, `keys`, `keydown`, `keyup`: raw keyboard input to the focus.

use crate::acting::{note_refusal, receipt};
use crate::args::ExpectArgs;
use crate::chord::chord;
use crate::{Command, Effect, Session};
use handeye_engine::diff::Digest;
use handeye_engine::drawn::{Drawn, is_drawn};
use handeye_engine::late::{self, Patience};
use handeye_engine::locate::called;
use handeye_engine::matching::{self, Check};
use handeye_engine::mutations::{self, Aside};
use handeye_engine::{Expectation, Eye, judge};
use handeye_scene::{
    Aim, Code, Delivery, Event, Evidence, Gesture, Guard, NativeId, Notice, Problem, Receipt, Surface, Verdict, Want,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

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
    #[arg(long, value_name = "MS", value_parser = crate::numbers::whole("time in milliseconds", 0_u64..=10_000, 20))]
    #[serde(default)]
    pace: Option<u64>,
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

/// Raw input to the focus, judged by what changes.
async fn to_focus(
    session: &mut Session,
    action: String,
    gesture: Gesture,
    expect: &ExpectArgs,
) -> Result<Receipt, Problem> {
    let settle = crate::session::seconds(session.settings().waits.settle);
    let barred = session.barred()?;
    let effect = crate::session::seconds(session.settings().waits.effect);
    let (surface, eye, clock) = session.parts()?;
    if let Some(dialog) = surface.web().and_then(|w| w.dialog()) {
        return Err(Problem::new(
            Code::Blocked,
            format!("a dialog is open: {} {}", dialog.kind, handeye_engine::outline::quote(&dialog.message, 200)),
        )
        .hint("handeye dialog accept")
        .hint("handeye dialog dismiss"));
    }
    let before = surface.capture(Want::default()).await?;
    let earlier = Digest::of(&before);
    eye.look(earlier.clone());
    let held = surface.focused().await?;
    // What has the focus may be no target, such as the page itself.
    let focused = held.filter(|id| before.nodes.iter().any(|n| n.id == Some(*id)));
    let mut receipt = receipt(action);
    if let (true, Some(menu)) = (surface.web().is_none(), crate::menu::open_menu(&before)) {
        let text = format!("the menu {} was open, and took the keys", handeye_engine::outline::quote(menu, 80));
        receipt.notices.push(Notice::new("open_menu", text));
    }
    let (mut value_before, mut caret, mut drawn) = (None, None, None);
    let mut guard;
    if let Some(id) = held {
        handeye_engine::origin::permit(surface, id.document(), &barred, "type")?;
    } else if !barred.is_empty() {
        let what = "the policy bars an origin, and nobody can say which document has the keyboard";
        return Err(Problem::new(Code::Denied, what).hint("handeye focus REF").hint("handeye config show"));
    }
    let expectation = expect.expectation();
    if let Some(id) = focused
        && let Some(probe) = surface.probe(id, Aim::default()).await?
    {
        let shown = eye.book.number(id).and_then(|n| eye.book.get(n)).map(|k| k.shown.clone());
        (value_before, caret) = (Some(probe.texts.value.clone()), probe.caret);
        if is_drawn(&probe) && !effect.is_zero() {
            drawn = Some(Drawn::before(surface, clock.as_ref(), &probe).await);
        }
        // Text may be said in the row as it is typed; keys are held to it.
        let types = !matches!(gesture, Gesture::Keys(_));
        let mut held = matching::hold(shown.as_ref(), &probe);
        held.row = held.row.filter(|_| !types);
        let in_row = expectation == Expectation::Any || matching::is_in_row(shown.as_ref(), &probe);
        match matching::check(&expectation, shown.as_ref(), &probe, &eye.mask) {
            Check::Holds(_) if !in_row => {
                let words =
                    format!("not sent: the focus is on {} in a row that is about something else now", probe.role);
                return Ok(refused(receipt, Verdict::Contradicted, words));
            }
            Check::Holds(fields) if matches!(expectation, Expectation::Text(_)) => {
                let fields = fields.into_iter().filter(|(f, _)| f != "value" && f != "text").collect();
                matching::hold_fields(&mut held, fields);
                guard = Guard { target: Some(id), held: Some(held), ..Guard::default() };
            }
            Check::Holds(_) => {
                guard = Guard { target: Some(id), held: shown.map(|_| held), follow: true, ..Guard::default() };
            }
            Check::Unverifiable => {
                return Ok(refused(receipt, Verdict::Unverifiable, "what has the focus has no text to check".into()));
            }
            Check::Fails { actual } => {
                let found = handeye_engine::outline::quote(&actual, 80);
                return Ok(refused(
                    receipt,
                    Verdict::Contradicted,
                    format!("not sent: the focus is on {} {found}", probe.role),
                ));
            }
        }
    } else if matches!(expectation, Expectation::Text(_)) {
        return Ok(refused(
            receipt,
            Verdict::Contradicted,
            "not sent: nothing that could be checked has the focus".into(),
        ));
    } else {
        guard = Guard { target: held, follow: true, ..Guard::default() };
    }
    if expectation == Expectation::Any {
        // Nothing is expected of what takes the keys, but that it may take them.
        guard =
            if barred.is_empty() { Guard::default() } else { Guard { target: held, follow: true, ..Guard::default() } };
    }
    match surface.perform(&gesture, &guard).await? {
        Delivery::Withheld(withheld) => {
            // What was withheld is told even if the page can't be asked any more.
            let _ = surface.settle(settle).await;
            surface.rest().await;
            let how = if withheld.partial { "sent in part, then withheld" } else { "withheld" };
            let why = withheld.detail.filter(|_| matches!(withheld.reason.as_str(), "barred" | "cut off"));
            let why = why.unwrap_or_else(|| "the focus moved or its label changed".into());
            return Ok(refused(receipt, Verdict::Contradicted, format!("{how}: {why}")));
        }
        Delivery::Unseen => {
            receipt.verdict = Verdict::Unverifiable;
            receipt.reason = Some(UNSEEN.into());
        }
        Delivery::Delivered { .. } => {}
    }
    let sent = receipt.clone();
    let drawn = drawn.filter(|_| receipt.verdict != Verdict::Unverifiable);
    let types = !matches!(gesture, Gesture::Keys(_));
    let earlier = Before { types, digest: earlier, focused, value: value_before, caret, drawn };
    match aftermath(session, receipt, earlier).await {
        Ok(receipt) => Ok(receipt),
        Err(problem) => Ok(judge::unseen(sent, problem)),
    }
}

/// What there was before the keys were sent.
struct Before {
    /// Whether text was sent, which shows as text.
    types: bool,
    digest: Digest,
    focused: Option<NativeId>,
    /// What the focused element held.
    value: Option<String>,
    /// Where its caret stood, where the surface says so.
    caret: Option<i32>,
    /// What a script drew there.
    drawn: Option<Drawn>,
}

/// Waits until something comes of the keys, or the time for that is over, and tells what did.
async fn aftermath(session: &mut Session, receipt: Receipt, before: Before) -> Result<Receipt, Problem> {
    let settings = session.settings();
    let effect = crate::session::seconds(settings.waits.effect);
    let limits = (crate::session::seconds(settings.waits.settle), settings.limits.changes);
    let (surface, eye, clock) = session.parts()?;
    let mut patience = Patience::new(clock.as_ref(), effect).untold(before.drawn.is_some());
    // Only what the last look shows is told, and counts as shown.
    let shown = eye.book.clone();
    let told = loop {
        let told = look(surface, eye, receipt.clone(), (&before, patience.is_first()), limits).await;
        let is_open = told.as_ref().is_ok_and(late::is_open);
        if !is_open || !patience.comes_more(surface, clock.as_ref()).await {
            break told;
        }
        eye.book.clone_from(&shown);
    };
    surface.rest().await;
    let mut told = told?;
    told.notices.extend(surface.notices());
    Ok(told)
}

/// Waits until it is quiet, and tells what came of the keys. `limits`: how long that may take, and the changes to list.
async fn look(
    surface: &mut dyn Surface,
    eye: &mut Eye,
    mut receipt: Receipt,
    (before, at_once): (&Before, bool),
    (settle, limit): (Duration, usize),
) -> Result<Receipt, Problem> {
    let mut settled = surface.settle(settle).await?;
    if settled.events.iter().any(|e| matches!(e, Event::Dialog { .. })) {
        receipt.evidence.extend(settled.events.iter().filter_map(judge::seen));
        return Ok(receipt);
    }
    let after = surface.capture(Want::default()).await?;
    let later = Digest::of(&after);
    judge::add_missed(&mut settled, &before.digest, &later, None);
    receipt.evidence.extend(settled.events.iter().filter_map(judge::seen));
    let stirred = surface.stirred().await;
    settled.busy |= stirred.untold;
    let limit = judge::most_changes(&settled, limit);
    let others = judge::differing(&mut receipt, eye, (&before.digest, later), &stirred.restless, limit);
    let focus_after = surface.focused().await?.filter(|id| after.nodes.iter().any(|n| n.id == Some(*id)));
    if focus_after != before.focused {
        receipt.evidence.push(Evidence::Note { text: focus_words(focus_after, &after) });
    }
    if let (Some(id), Some(value)) = (before.focused, &before.value)
        && let Some(probe) = surface.probe(id, Aim::default()).await?
    {
        if probe.texts.value != *value {
            receipt.evidence.push(Evidence::Value { value: probe.texts.value });
        } else if let (Some(from), Some(to)) = (before.caret, probe.caret)
            && from != to
            && receipt.evidence.is_empty()
        {
            receipt.evidence.push(mutations::caret(&probe, eye.book.number(id), (from, to)));
        }
    }
    let aside = Aside { moved: settled.moved, stirred: &stirred, after: &after, target: before.focused };
    mutations::note(&mut receipt, 0, &aside, &others, &eye.book);
    if let Some(why) = mutations::proves_nothing(&receipt.evidence) {
        (receipt.verdict, receipt.reason) = (Verdict::Unverifiable, Some(why.into()));
    }
    if before.types && mutations::is_look_alone(&receipt.evidence) {
        (receipt.verdict, receipt.reason) = (Verdict::Unverifiable, Some(LOOK_ALONE.into()));
    }
    if judge::is_loaded_again(&settled, &receipt.evidence) {
        (receipt.verdict, receipt.reason) = (Verdict::Unverifiable, Some(judge::LOADED_AGAIN.into()));
    }
    if let Some(reason) = judge::held_back(&receipt.evidence) {
        (receipt.verdict, receipt.reason) = (Verdict::Contradicted, Some(reason));
    }
    if receipt.evidence.is_empty() {
        let reason = match before.focused {
            Some(_) => "the keys were sent, and nothing was seen to change",
            None => "the keys were sent, nothing has the focus, and nothing was seen to change",
        };
        (receipt.verdict, receipt.reason) = judge::nothing_seen(&settled, reason);
    }
    if let Some(drawn) = before.drawn {
        drawn.judge(surface, &mut receipt, 0, at_once).await;
    }
    Ok(receipt)
}

/// Why a class or a style proves nothing of what was typed: carets blink.
const LOOK_ALONE: &str = "the text was sent, and nothing was seen to change but how something looks";

/// Why keys that nothing was seen of prove nothing.
const UNSEEN: &str = "the document went away before it could say what took the keys";

fn refused(mut receipt: Receipt, verdict: Verdict, reason: String) -> Receipt {
    receipt.verdict = verdict;
    receipt.reason = Some(reason);
    receipt.hints = vec!["handeye state".into()];
    receipt
}

fn focus_words(id: Option<NativeId>, capture: &handeye_scene::Capture) -> String {
    match id.and_then(|id| capture.nodes.iter().find(|n| n.id == Some(id))) {
        Some(node) => format!("the focus is now on {} {}", node.role, handeye_engine::outline::quote(&node.name, 80)),
        None => "nothing has the focus now".into(),
    }
}

impl Command for Type {
    const NAME: &'static str = "type";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let pace_ms = self.pace.unwrap_or(session.settings().typing.pace_ms).min(10_000);
        let mut text = self.text;
        let action =
            format!("typed {} character{}", text.chars().count(), if text.chars().count() == 1 { "" } else { "s" });
        if self.enter || session.settings().typing.enter {
            text.push('\n');
        }
        let typed = to_focus(session, action, Gesture::Type { text, pace_ms }, &self.expect).await?;
        Ok(note_refusal(session, typed))
    }
}

impl Command for Keys {
    const NAME: &'static str = "keys";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        // `keys " "` is the space key; otherwise spaces separate.
        let spaced = self.keys.iter().flat_map(|k| if k == " " { vec![" "] } else { k.split_whitespace().collect() });
        let chords = spaced.map(chord).collect::<Result<Vec<_>, _>>()?;
        if chords.is_empty() {
            return Err(Problem::new(Code::BadRequest, "no key was given").hint("handeye keys Enter"));
        }
        let action = format!("pressed {}", self.keys.join(" "));
        let pressed = to_focus(session, action, Gesture::Keys(chords), &self.expect).await?;
        Ok(note_refusal(session, pressed))
    }
}

impl Command for Keydown {
    const NAME: &'static str = "keydown";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        session.permit_anywhere()?;
        let gesture = Gesture::KeyDown(chord(&self.key)?);
        let delivery = session.surface()?.perform(&gesture, &Guard::default()).await?;
        Ok(sent(format!("holding {}", self.key), delivery))
    }
}

impl Command for Keyup {
    const NAME: &'static str = "keyup";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let gesture = Gesture::KeyUp(chord(&self.key)?);
        let delivery = session.surface()?.perform(&gesture, &Guard::default()).await?;
        Ok(sent(format!("released {}", self.key), delivery))
    }
}

/// Raw input whose only effect is the state of a key or button.
pub fn sent(action: String, delivery: Delivery) -> Receipt {
    let mut receipt = receipt(action);
    match delivery {
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
    }
}
