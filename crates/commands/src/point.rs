//! `click-at`, `dblclick-at`, `rightclick-at`, `drag-at`: pointer input at places of the viewport or the screen.

use crate::acting::{act_on, receipt};
use crate::args::{ExpectArgs, TargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::diff::Digest;
use handeye_engine::drawn::{Drawn, is_drawn};
use handeye_engine::late::{self, Patience};
use handeye_engine::locate::called;
use handeye_engine::matching::{self, Check};
use handeye_engine::mutations::{self, Aside};
use handeye_engine::{Deed, Expectation, Eye, judge};
use handeye_scene::{
    Aim, Button, Clock, Code, Delivery, End, Event, Evidence, Gesture, Guard, Modifiers, NativeId, Point, Probe,
    Problem, Receipt, Rect, Surface, Verdict, Want,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A pointer button.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum MouseButton {
    /// The primary button
    #[default]
    Left,
    /// The wheel
    Middle,
    /// The secondary button
    Right,
}

impl From<MouseButton> for Button {
    fn from(button: MouseButton) -> Self {
        match button {
            MouseButton::Left => Button::Left,
            MouseButton::Middle => Button::Middle,
            MouseButton::Right => Button::Right,
        }
    }
}

macro_rules! at {
    ($(#[$doc:meta])* $name:ident, $command:literal, $past:literal, $button:expr, $count:literal) => {
        $(#[$doc])*
        #[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// Distance from the left edge of the viewport in CSS pixels, or of the desktop's screen; with --offset, a
            /// target's number instead
            #[arg(allow_negative_numbers = true, value_name = "X|REF", value_parser = crate::numbers::pixels())]
            x: f64,
            /// Distance from the top edge of the viewport in CSS pixels, or of the desktop's screen
            #[arg(allow_negative_numbers = true, required_unless_present = "offset", conflicts_with = "offset", value_parser = crate::numbers::pixels())]
            #[serde(default)]
            y: Option<f64>,
            /// Place in the target, from its top left corner, in pixels
            #[arg(long, value_name = "X,Y", value_parser = crate::args::parse_point, allow_hyphen_values = true)]
            #[serde(default)]
            offset: Option<Point>,
            /// Keys held while clicking, separated by commas
            #[arg(long, value_delimiter = ',', value_name = "KEYS")]
            #[serde(default)]
            modifiers: Vec<crate::click::Modifier>,
            #[command(flatten)]
            #[serde(flatten)]
            expect: ExpectArgs,
        }

        impl Command for $name {
            const NAME: &'static str = $command;
            const EFFECT: Effect = Effect::Acts;
            type Output = Receipt;
            async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
                let modifiers = crate::click::modifiers(&self.modifiers);
                let at = match (self.y, self.offset) {
                    (Some(y), None) => place(self.x, y)?,
                    (None, Some(offset)) => {
                        let target = TargetArgs { r#ref: Some(number(self.x)?), locators: Vec::new() };
                        let (button, count, offset) = ($button, $count, Some(offset));
                        let deed = Deed::Click { button, count, modifiers, by: handeye_engine::ClickBy::Pointer, offset };
                        return act_on(session, &target, &self.expect, deed).await;
                    }
                    _ => return Err(Problem::new(Code::BadRequest, "give X and Y, or a target's number and --offset X,Y")),
                };
                let gesture = Gesture::Click { at, button: $button, count: $count, modifiers };
                at_place(session, format!(concat!($past, " at {},{}"), at.x, at.y), at, gesture, &self.expect).await
            }
        }
    };
}

at!(
    /// Click at a place
    ClickAt, "click-at", "clicked", Button::Left, 1
);
at!(
    /// Double-click at a place
    DblclickAt, "dblclick-at", "double-clicked", Button::Left, 2
);
at!(
    /// Click at a place with the secondary button
    RightclickAt, "rightclick-at", "right-clicked", Button::Right, 1
);

/// Drag from one place to another
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct DragAt {
    /// Where the button goes down: from the left edge of the viewport in CSS pixels, or of the desktop's screen
    #[arg(allow_negative_numbers = true, value_parser = crate::numbers::pixels())]
    x1: f64,
    /// Where the button goes down: from the top edge, likewise
    #[arg(allow_negative_numbers = true, value_parser = crate::numbers::pixels())]
    y1: f64,
    /// Where the button goes up: from the left edge, likewise
    #[arg(allow_negative_numbers = true, value_parser = crate::numbers::pixels())]
    x2: f64,
    /// Where the button goes up: from the top edge, likewise
    #[arg(allow_negative_numbers = true, value_parser = crate::numbers::pixels())]
    y2: f64,
    /// Which button
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    button: MouseButton,
    /// How long the move takes, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 200, value_parser = crate::numbers::whole("time in milliseconds", 0_u64..=60_000, 200))]
    #[serde(default = "default_duration")]
    duration: u64,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
}

fn default_duration() -> u64 {
    200
}

impl Command for DragAt {
    const NAME: &'static str = "drag-at";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let (from, to) = (place(self.x1, self.y1)?, place(self.x2, self.y2)?);
        let duration_ms = self.duration.min(60_000);
        let gesture =
            Gesture::Drag { from, to, button: self.button.into(), duration_ms, modifiers: Modifiers::default() };
        at_place(
            session,
            format!("dragged from {},{} to {},{}", from.x, from.y, to.x, to.y),
            from,
            gesture,
            &self.expect,
        )
        .await
    }
}

/// A target's number that was read as a coordinate.
fn number(x: f64) -> Result<u32, Problem> {
    if x >= 1.0 && x <= f64::from(u32::MAX) && x.fract() == 0.0 {
        return Ok(x as u32);
    }
    Err(Problem::new(Code::BadRequest, format!("{x} is not a target's number, which --offset needs")))
}

fn place(x: f64, y: f64) -> Result<Point, Problem> {
    if x.is_finite() && y.is_finite() {
        return Ok(Point::new(x, y));
    }
    Err(Problem::new(
        Code::BadRequest,
        format!("{x},{y} is no place: give pixels from the top left corner of the viewport, or of the screen"),
    ))
}

/// Input outside the screens of a desktop, which may begin left of its origin or above it, reaches nothing.
fn on_screen(at: Point, screen: Rect) -> Result<(), Problem> {
    let inside = (0.0..screen.width).contains(&(at.x - screen.x)) && (0.0..screen.height).contains(&(at.y - screen.y));
    if inside || screen.width <= 0.0 {
        return Ok(());
    }
    let size = format!("{}×{}", screen.width, screen.height);
    let text = format!("{},{} is outside the screen, which is {size} pixels", at.x, at.y);
    Err(Problem::new(Code::BadRequest, text).hint("handeye screenshot screen.png --full"))
}

/// Pointer input at a place. Without a stated expectation there is nothing to hold the place against: what is hit is reported.
async fn at_place(
    session: &mut Session,
    action: String,
    at: Point,
    gesture: Gesture,
    expect: &ExpectArgs,
) -> Result<Receipt, Problem> {
    let to = match &gesture {
        Gesture::Drag { to, .. } => Some(*to),
        _ => None,
    };
    let places: Vec<Option<Point>> = std::iter::once(at).chain(to).map(Some).collect();
    // A place is that of the window that was named, which is raised first, or nobody's.
    let named = crate::windows::raise_named(session, &places).await?;
    let settle = crate::session::seconds(session.settings().waits.settle);
    let barred = session.barred()?;
    let effect = crate::session::seconds(session.settings().waits.effect);
    let (surface, eye, clock) = session.parts()?;
    let before = surface.capture(Want::default()).await?;
    if let Some(dialog) = surface.web().and_then(|w| w.dialog()) {
        return Err(Problem::new(
            Code::Blocked,
            format!("a dialog is open: {} {}", dialog.kind, handeye_engine::outline::quote(&dialog.message, 200)),
        )
        .hint("handeye dialog accept")
        .hint("handeye dialog dismiss"));
    }
    let is_inside = if surface.web().is_some() { handeye_engine::deed::in_view } else { on_screen };
    std::iter::once(at).chain(to).try_for_each(|place| is_inside(place, before.viewport))?;
    let earlier = Digest::of(&before);
    eye.look(earlier.clone());
    let mut receipt = receipt(action);
    let hit = match surface.element_at(at).await? {
        Some(id) => surface.probe(id, Aim::default()).await?,
        None => None,
    };
    let ends = match to {
        Some(to) => surface.element_at(to).await?,
        None => None,
    };
    for id in hit.iter().map(|hit| hit.id).chain(ends) {
        handeye_engine::origin::permit(surface, id.document(), &barred, "act")?;
    }
    let mut guard = if barred.is_empty() { Guard::default() } else { found_there(&hit, to.map(|_| ends))? };
    if let Some(text) = &expect.expect {
        let Some(probe) = &hit else {
            receipt.verdict = Verdict::Contradicted;
            receipt.reason = Some("withheld: there is no element at that place".into());
            return Ok(receipt);
        };
        match matching::check(&Expectation::Text(text.clone()), None, probe, &eye.mask) {
            Check::Holds(fields) => {
                let mut held = matching::hold(None, probe);
                matching::hold_fields(&mut held, fields);
                guard = Guard { target: Some(probe.id), held: Some(held), place: false, ..guard };
            }
            Check::Unverifiable => {
                receipt.verdict = Verdict::Unverifiable;
                receipt.reason = Some(format!("withheld: the {} at that place has no text to check", probe.role));
                return Ok(receipt);
            }
            Check::Fails { actual } => {
                receipt.verdict = Verdict::Contradicted;
                let (wanted, found) =
                    (handeye_engine::outline::quote_own(text, 80), handeye_engine::outline::quote(&actual, 80));
                receipt.reason = Some(format!("withheld: expected text {wanted}, found {found}"));
                return Ok(receipt);
            }
        }
    }
    if let Some(named) = &named
        && let Some(windows) = surface.windows()
    {
        for place in &places {
            windows.hold_to(named, *place).await?;
        }
    }
    let drawn = drawn_at(surface, clock.as_ref(), (at, hit.as_ref()), (&guard, effect, settle)).await?;
    match surface.perform(&gesture, &guard).await? {
        Delivery::Withheld(withheld) => {
            // What was withheld is told even if the page can't be asked any more.
            let _ = surface.settle(settle).await;
            surface.rest().await;
            if withheld.was_heard() {
                receipt.verdict = Verdict::Unverifiable;
                receipt.reason = Some("delivered, then found relabelled".into());
                return Ok(receipt);
            }
            receipt.verdict = Verdict::Contradicted;
            receipt.reason = Some(format!(
                "{}: the place now shows something else",
                if withheld.partial { "begun and then withheld" } else { "withheld" }
            ));
            return Ok(receipt);
        }
        Delivery::Unseen => {
            receipt.verdict = Verdict::Unverifiable;
            receipt.reason = Some("the document went away before it could say what was hit".into());
        }
        Delivery::Delivered { .. } => {}
    }
    if let Some(probe) = &hit {
        receipt
            .evidence
            .push(Evidence::Note { text: format!("hit {}", called(&probe.role, matching::shown_now(probe).words())) });
    }
    let sent = receipt.clone();
    let drawn = drawn.filter(|_| receipt.verdict != Verdict::Unverifiable);
    let before = Before { digest: earlier, target: hit.map(|hit| hit.id), drawn };
    match aftermath(session, receipt, &before).await {
        Ok(receipt) => Ok(receipt),
        Err(problem) => Ok(judge::unseen(sent, problem)),
    }
}

/// While the rules bar an origin, input at a place is held to what was found there, whose document may be acted on: another may
/// come under it meanwhile. `ends`: what a drag ends on.
fn found_there(hit: &Option<Probe>, ends: Option<Option<NativeId>>) -> Result<Guard, Problem> {
    let unknown = || {
        let what = "the policy bars an origin, and nobody can say which document is at that place";
        Problem::new(Code::Denied, what).hint("handeye state").hint("handeye config show")
    };
    let target = hit.as_ref().map(|hit| hit.id).ok_or_else(unknown)?;
    let end = match ends {
        Some(end) => Some(End { target: end.ok_or_else(unknown)?, held: None }),
        None => None,
    };
    Ok(Guard { target: Some(target), place: true, end, ..Guard::default() })
}

/// What there was before the input.
struct Before {
    digest: Digest,
    /// What was hit.
    target: Option<NativeId>,
    /// What a script drew there.
    drawn: Option<Drawn>,
}

/// Waits until something comes of input at a place, or the time for that is over, and tells what did.
async fn aftermath(session: &mut Session, receipt: Receipt, before: &Before) -> Result<Receipt, Problem> {
    let settings = session.settings();
    let effect = crate::session::seconds(settings.waits.effect);
    let limits = (crate::session::seconds(settings.waits.settle), settings.limits.changes);
    let (surface, eye, clock) = session.parts()?;
    let mut patience = Patience::new(clock.as_ref(), effect).untold(before.drawn.is_some());
    // Only what the last look shows is told, and counts as shown.
    let shown = eye.book.clone();
    let told = loop {
        let told = look(surface, eye, receipt.clone(), (before, patience.is_first()), limits).await;
        // What was hit is known before.
        let is_open = |told: &Receipt| {
            late::is_open(&Receipt { evidence: told.evidence[receipt.evidence.len()..].to_vec(), ..told.clone() })
        };
        if !told.as_ref().is_ok_and(is_open) || !patience.comes_more(surface, clock.as_ref()).await {
            break told;
        }
        eye.book.clone_from(&shown);
    };
    surface.rest().await;
    let mut told = told?;
    told.notices = surface.notices();
    Ok(told)
}

/// What is drawn under the pointer, once it is there.
async fn drawn_at(
    surface: &mut dyn Surface,
    clock: &dyn Clock,
    (at, hit): (Point, Option<&Probe>),
    (guard, effect, settle): (&Guard, Duration, Duration),
) -> Result<Option<Drawn>, Problem> {
    let Some(hit) = hit.filter(|hit| is_drawn(hit) && !effect.is_zero()) else { return Ok(None) };
    surface.perform(&Gesture::Hover { at }, guard).await?;
    surface.settle(settle).await?;
    Ok(Some(Drawn::before(surface, clock, hit).await))
}

/// Waits until it is quiet, and tells what came of it. `limits`: how long that may take, and the changes to list.
async fn look(
    surface: &mut dyn Surface,
    eye: &mut Eye,
    mut receipt: Receipt,
    (before, at_once): (&Before, bool),
    (settle, limit): (Duration, usize),
) -> Result<Receipt, Problem> {
    let mut settled = surface.settle(settle).await?;
    let own = receipt.evidence.len();
    let stopped = |e: &Event| matches!(e, Event::Dialog { .. });
    let after = match settled.events.iter().any(stopped) {
        true => None,
        false => Some(surface.capture(Want::default()).await?),
    };
    let later = after.as_ref().map(Digest::of);
    later.iter().for_each(|later| judge::add_missed(&mut settled, &before.digest, later, None));
    receipt.evidence.extend(settled.events.iter().filter_map(judge::seen));
    if let (Some(later), Some(after)) = (later, &after) {
        let stirred = surface.stirred().await;
        settled.busy |= stirred.untold;
        let limit = judge::most_changes(&settled, limit);
        let others = judge::differing(&mut receipt, eye, (&before.digest, later), &stirred.restless, limit);
        let aside = Aside { moved: settled.moved, stirred: &stirred, after, target: before.target };
        mutations::note(&mut receipt, own, &aside, &others, &eye.book);
    }
    if let Some(why) = mutations::proves_nothing(&receipt.evidence[own..]) {
        (receipt.verdict, receipt.reason) = (Verdict::Unverifiable, Some(why.into()));
    }
    if judge::is_loaded_again(&settled, &receipt.evidence[own..]) {
        (receipt.verdict, receipt.reason) = (Verdict::Unverifiable, Some(judge::LOADED_AGAIN.into()));
    }
    if let Some(reason) = judge::held_back(&receipt.evidence) {
        (receipt.verdict, receipt.reason) = (Verdict::Contradicted, Some(reason));
    }
    if receipt.evidence.len() == own {
        (receipt.verdict, receipt.reason) = judge::nothing_seen(&settled, "nothing was seen to change");
    }
    if let Some(drawn) = before.drawn {
        drawn.judge(surface, &mut receipt, own, at_once).await;
    }
    Ok(receipt)
}
