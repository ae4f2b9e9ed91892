//! `menu`: choose from a menu by the names on the way.

use crate::core::acting::act_on;
use crate::core::args::{ExpectArgs, TargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::matching::normalize;
use handeye_engine::observe::menus::{items, menu_of};
use handeye_engine::observe::outline::{quote, quote_own};
use handeye_engine::{Action, ClickBy};
use handeye_scene::{
    Button, Capture, Chord, Code, Evidence, Gesture, Guard, Modifiers, NativeId, Node, Notice, Problem, Receipt, State,
    Verdict, Want,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::time::Duration;

/// How long an opened menu may take to show its items.
const OPENS: Duration = Duration::from_millis(1500);
/// How long one wait for them lasts.
const GLANCE: Duration = Duration::from_millis(60);

/// Choose from the menus of a window, such as "File->Save As"
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Menu {
    /// The names on the way, with -> between them; dots at the end of a name may be left out
    #[arg(value_name = "PATH")]
    path: String,
}

impl Command for Menu {
    const NAME: &'static str = "menu";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        session.windows()?;
        let names: Vec<&str> = self.path.split("->").map(str::trim).collect();
        if names.iter().any(|n| n.is_empty()) {
            return Err(Problem::new(
                Code::BadRequest,
                format!("{} names no item of a menu", quote_own(&self.path, 80)),
            )
            .hint("handeye menu \"File->Save As\""));
        }
        let mut above = None;
        for (opened, name) in names.iter().enumerate() {
            let item = match find(session, name, above.as_ref()).await {
                Ok(found) => {
                    let item = found.item;
                    above = Some(found);
                    item
                }
                Err(problem) => {
                    close(session, opened).await;
                    return Err(problem);
                }
            };
            let outcome = act_on(session, &named(session, item), &ExpectArgs::default(), click()).await;
            let receipt = match outcome {
                Ok(receipt) => receipt,
                Err(problem) => {
                    close(session, opened).await;
                    return Err(problem);
                }
            };
            if opened + 1 == names.len() {
                let mut receipt = receipt;
                doubt(&mut receipt, above.as_ref());
                receipt.notices.extend(close_left_open(session, opened, item).await);
                return Ok(Receipt { action: format!("chose {} in", names.join("->")), ..receipt });
            }
            if !matches!(receipt.verdict, Verdict::Confirmed | Verdict::NoEffect) {
                close(session, opened).await;
                return Ok(receipt);
            }
        }
        Err(Problem::new(Code::Bug, "the menu's path ended before its last name"))
    }
}

fn click() -> Action {
    Action::Click { button: Button::Left, count: 1, modifiers: Modifiers::default(), by: ClickBy::Best, offset: None }
}

/// A target by the number that it has.
fn named(session: &Session, item: NativeId) -> TargetArgs {
    TargetArgs { r#ref: session.memory.refs.number(item).map(|r| r.0), locators: Vec::new() }
}

/// An item that was chosen on the way, and what there was before it was.
struct Above {
    item: NativeId,
    there: HashSet<NativeId>,
    /// How much of that belongs to menus.
    of_menus: usize,
}

/// That a menu closes is no effect of what was chosen from it.
fn doubt(receipt: &mut Receipt, chosen: Option<&Above>) {
    let most = chosen.map_or(0, |chosen| chosen.of_menus);
    let closes = |e: &Evidence| matches!(e, Evidence::Changes { changed: 0, new: 0, gone } if *gone <= most);
    if receipt.verdict == Verdict::Confirmed && receipt.evidence.iter().all(closes) {
        receipt.verdict = Verdict::Unverifiable;
        receipt.reason = Some("it was chosen, and nothing was seen to change but that the menu closed".into());
    }
}

/// The item called so that is shown, and all that is; one of a menu that was just opened may take a moment.
async fn find(session: &mut Session, name: &str, above: Option<&Above>) -> Result<Above, Problem> {
    let (surface, memory, clock) = session.parts()?;
    let deadline = clock.elapsed() + OPENS;
    loop {
        let capture = surface.capture(Want::default()).await?;
        let candidates = candidates(&capture, above);
        match matching(&capture, &candidates, name)[..] {
            [index] => {
                let node = &capture.nodes[index];
                if let Some(id) = node.id {
                    memory.refs.show_as(id, handeye_engine::observe::view::shown(&capture, index));
                    let is_of_menu = |n: &&Node| n.role.starts_with("menu") || n.role == "separator";
                    let of_menus = capture.nodes.iter().filter(is_of_menu).count();
                    let there = capture.nodes.iter().filter_map(|n| n.id).collect();
                    return Ok(Above { item: id, there, of_menus });
                }
            }
            [] => {}
            [..] => {
                return Err(Problem::new(
                    Code::Ambiguous,
                    format!("several items of menus are called {}", quote_own(name, 80)),
                )
                .hint("handeye state"));
            }
        }
        if above.is_none() || clock.elapsed() >= deadline {
            let shown = if candidates.is_empty() { items(&capture).collect() } else { candidates };
            let told = shown.iter().map(|i| &capture.nodes[*i]).filter(|n| n.role.starts_with("menuitem"));
            let items: Vec<String> = told.take(12).map(|n| quote(&n.name, 40)).collect();
            let opened = above.and_then(|above| capture.nodes.iter().find(|n| n.id == Some(above.item)));
            let whose = opened.map_or_else(|| "a menu".to_owned(), |n| format!("the menu {}", quote(&n.name, 80)));
            // Buttons may drop menus down, but a list of all of them would say that they do.
            if items.is_empty() {
                let what =
                    format!("no menu with {} can be seen: the window's program tells of none", quote_own(name, 80));
                return Err(Problem::new(Code::NotFound, what).hint("handeye state").hint("handeye keys alt"));
            }
            return Err(Problem::new(
                Code::NotFound,
                format!("no item of {} is called {}; there are {}", whose, quote_own(name, 80), items.join(", ")),
            )
            .hint("handeye state"));
        }
        surface.changed(GLANCE).await?;
    }
}

/// Items that may be the next on the way: those in the menu that was opened, or that came up with it; before that, those that are
/// in no item of a menu, if there are any.
fn candidates(capture: &Capture, above: Option<&Above>) -> Vec<usize> {
    let Some(above) = above else {
        let (inner, outer): (Vec<usize>, Vec<usize>) = items(capture).partition(|i| menu_of(capture, *i).is_some());
        return if outer.is_empty() { inner } else { outer };
    };
    let opener = capture.nodes.iter().position(|n| n.id == Some(above.item));
    let below = |i: &usize| opener.is_some() && menu_of(capture, *i).or_else(|| up(capture, *i, opener)) == opener;
    let inside: Vec<usize> = items(capture).filter(below).collect();
    if !inside.is_empty() {
        return inside;
    }
    // Some toolkits put a menu elsewhere in the tree.
    items(capture).filter(|i| capture.nodes[*i].id.is_some_and(|id| !above.there.contains(&id))).collect()
}

/// The holder, if this lies in it.
fn up(capture: &Capture, index: usize, holder: Option<usize>) -> Option<usize> {
    std::iter::successors(capture.nodes[index].parent, |up| capture.nodes[*up].parent).find(|up| Some(*up) == holder)
}

/// Items called so: exactly, else up to dots at the end, else those that begin so.
fn matching(capture: &Capture, among: &[usize], name: &str) -> Vec<usize> {
    let bare = |t: &str| normalize(t.trim_end_matches(['.', '…', ' ']));
    let wanted = bare(name);
    let menu = |i: &usize| capture.nodes[*i].role.starts_with("menuitem");
    let called = |i: &usize| bare(&capture.nodes[*i].name) == wanted;
    let found: Vec<usize> = among.iter().copied().filter(menu).filter(called).collect();
    // A button that drops a menu down stands for a menu bar, where there is no other.
    if found.is_empty() { among.iter().copied().filter(called).take(1).collect() } else { found }
}

/// Closes the menu that an item was chosen from, where its program leaves it open: keys would go on going to it. What it says.
async fn close_left_open(session: &mut Session, opened: usize, item: NativeId) -> Option<Notice> {
    if opened == 0 || left_open(session, item).await.is_none() {
        return None;
    }
    // A menu that is about to go may take a moment.
    let _ = session.surface().ok()?.settle(GLANCE).await;
    let name = left_open(session, item).await?;
    close(session, opened).await;
    let text = match left_open(session, item).await {
        None => format!("the menu {} stayed open, and was closed by Escape", quote(&name, 80)),
        Some(_) => format!("the menu {} stays open, and takes the keys", quote(&name, 80)),
    };
    Some(Notice::new("open_menu", text))
}

/// The name of the menu that an item is in, if it can still be seen there.
async fn left_open(session: &mut Session, item: NativeId) -> Option<String> {
    let capture = session.surface().ok()?.capture(Want::default()).await.ok()?;
    let shown = |i: &usize| capture.nodes[*i].id == Some(item) && !capture.nodes[*i].states.has(State::Offscreen);
    let at = items(&capture).find(shown)?;
    menu_of(&capture, at).map(|menu| capture.nodes[menu].name.clone())
}

/// Closes the menus that were opened on a way that led nowhere.
async fn close(session: &mut Session, opened: usize) {
    let Ok(surface) = session.surface() else { return };
    let escape = Chord { modifiers: Modifiers::default(), key: "Escape".into() };
    for _ in 0..opened {
        // The problem that led here is what is told.
        let _ = surface.perform(&Gesture::Keys(vec![escape.clone()]), &Guard::default()).await;
        let _ = surface.settle(GLANCE).await;
        surface.rest().await;
    }
}
