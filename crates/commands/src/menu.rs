//! `menu`: choose from a menu by the names on the way.

use crate::acting::act_on;
use crate::args::{ExpectArgs, TargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::expect::fold;
use handeye_engine::outline::quote;
use handeye_engine::{ClickBy, Deed};
use handeye_scene::{
    Button, Capture, Chord, Code, Gesture, Guard, Modifiers, NativeId, NodeKind, Problem, Receipt, Verdict, Want,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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
            return Err(Problem::new(Code::BadRequest, format!("{} names no item of a menu", quote(&self.path, 80)))
                .hint("handeye menu \"File->Save As\""));
        }
        for (opened, name) in names.iter().enumerate() {
            let item = match find(session, name, opened > 0).await {
                Ok(item) => item,
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

fn click() -> Deed {
    Deed::Click { button: Button::Left, count: 1, modifiers: Modifiers::default(), by: ClickBy::Best, offset: None }
}

/// A target by the number that it has.
fn named(session: &Session, item: NativeId) -> TargetArgs {
    TargetArgs { r#ref: session.eye.book.number(item).map(|r| r.0), locators: Vec::new() }
}

/// The item called so that is shown; one of a menu that was just opened may take a moment.
async fn find(session: &mut Session, name: &str, opening: bool) -> Result<NativeId, Problem> {
    let (surface, eye, clock) = session.parts()?;
    let deadline = clock.elapsed() + OPENS;
    loop {
        let capture = surface.capture(Want::default()).await?;
        match matching(&capture, name)[..] {
            [index] => {
                let node = &capture.nodes[index];
                if let Some(id) = node.id {
                    eye.book.show(id, &node.role, &node.name);
                    return Ok(id);
                }
            }
            [] => {}
            [..] => {
                return Err(Problem::new(
                    Code::Ambiguous,
                    format!("several items of menus are called {}", quote(name, 80)),
                )
                .hint("handeye state"));
            }
        }
        if !opening || clock.elapsed() >= deadline {
            let told = items(&capture).map(|i| &capture.nodes[i]).filter(|n| n.role.starts_with("menuitem"));
            let items: Vec<String> = told.take(12).map(|n| quote(&n.name, 40)).collect();
            // Buttons may drop menus down, but a list of all of them would say that they do.
            if items.is_empty() {
                let what = format!("no menu with {} can be seen: the window's program tells of none", quote(name, 80));
                return Err(Problem::new(Code::NotFound, what).hint("handeye state").hint("handeye keys alt"));
            }
            return Err(Problem::new(
                Code::NotFound,
                format!("no item of a menu is called {}; there are {}", quote(name, 80), items.join(", ")),
            )
            .hint("handeye state"));
        }
        surface.changed(GLANCE).await?;
    }
}

fn items(capture: &Capture) -> impl Iterator<Item = usize> + '_ {
    (0..capture.nodes.len()).filter(|i| {
        let node = &capture.nodes[*i];
        node.kind == NodeKind::Operable && (node.role.starts_with("menuitem") || node.role == "button")
    })
}

/// Items called so: exactly, else up to dots at the end, else those that begin so.
fn matching(capture: &Capture, name: &str) -> Vec<usize> {
    let bare = |t: &str| fold(t.trim_end_matches(['.', '…', ' ']));
    let wanted = bare(name);
    let menu = |i: &usize| capture.nodes[*i].role.starts_with("menuitem");
    let called = |i: &usize| bare(&capture.nodes[*i].name) == wanted;
    let found: Vec<usize> = items(capture).filter(menu).filter(called).collect();
    // A button that drops a menu down stands for a menu bar, where there is no other.
    if found.is_empty() { items(capture).filter(called).take(1).collect() } else { found }
}

/// Closes the menus that were opened on a way that led nowhere.
async fn close(session: &mut Session, opened: usize) {
    let Ok(surface) = session.surface() else { return };
    let escape = Chord { modifiers: Modifiers::default(), key: "Escape".into() };
    for _ in 0..opened {
        // The problem that led here is what is told.
        let _ = surface.perform(&Gesture::Keys(vec![escape.clone()]), &Guard::default()).await;
        let _ = surface.settle(GLANCE).await;
    }
}
