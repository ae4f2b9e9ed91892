//! What an agent asks to have done.

use crate::act::action::{Action, DropAt};
use crate::locate::Locator;
use crate::matching::Expectation;
use handeye_scene::{DeniedOrigins, NativeId, Point, Pressed, Problem};
use std::time::Duration;

/// What an action is aimed at.
#[derive(Debug, Clone, PartialEq)]
pub enum AimedAt {
    /// A target, by the first of these that names one.
    Target(Vec<Locator>),
    /// A place.
    Place(Place),
    /// What has the keyboard focus.
    Focus,
    /// A field that was just filled and read back: what it says of itself is new, so its role and name alone hold it.
    Filled {
        /// The field.
        native: NativeId,
        /// Its role.
        role: String,
        /// Its accessible name.
        name: String,
    },
    /// The page or window as a whole.
    Surface,
}

/// A place, in the surface's coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Where.
    pub at: Point,
    /// The window that it is meant in, as the desktop names it; nothing else may be hit there.
    pub window: Option<String>,
}

/// An action, what it is aimed at, and what must be true of that.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionRequest {
    /// What it is aimed at.
    pub aim: AimedAt,
    /// What must be true of it.
    pub expectation: Expectation,
    /// What to do to it.
    pub action: Action,
    /// Act even when the expectation can't be checked because the target has no text.
    pub act_on_unverifiable: bool,
    /// Origins whose documents must not be acted on.
    pub denied: DeniedOrigins,
    /// The one origin in whose documents it may be done: a secret's.
    pub only_in: Option<String>,
    /// Checks inside the events. Off only to prove in tests that they are what prevents wrong clicks.
    pub guarded: bool,
    /// How long the target may take to get ready.
    pub ready: Duration,
    /// How long the page may take to get quiet.
    pub settle: Duration,
    /// How long an effect is waited for after the gesture, where none was seen that tells.
    pub effect: Duration,
    /// How many changes the receipt lists.
    pub changes: usize,
}

/// What kept an action from being done.
#[derive(Debug)]
pub struct Stopped {
    /// In words.
    pub problem: Problem,
    /// What a person can agree to, so that it is done.
    pub asks: Option<Asked>,
}

/// The press that a rule wants a person's consent for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The rule, as it was written.
    pub rule: String,
    /// What would be pressed; none where nobody can say.
    pub pressed: Option<Pressed>,
    /// The origin of its document, `desktop:` for windows; none where that can't be told.
    pub origin: Option<String>,
}

impl ActionRequest {
    /// What a receipt calls it once it is done. `surface`: what a surface is called, `page` or `window`.
    pub fn done_words(&self, surface: &str) -> String {
        let past = self.action.past();
        match (&self.aim, &self.action) {
            (AimedAt::Target(_), _) => past.to_owned(),
            (AimedAt::Place(place), Action::Drag { to: DropAt::Place(to), .. }) => {
                format!("{past} from {},{} to {},{}", place.at.x, place.at.y, to.x, to.y)
            }
            (AimedAt::Place(place), _) => format!("{past} at {},{}", place.at.x, place.at.y),
            (_, Action::Keys { written, .. }) => format!("{past} {written}"),
            (_, Action::Type { text, .. }) => {
                let count = text.strip_suffix('\n').unwrap_or(text).chars().count();
                format!("typed {count} character{}", if count == 1 { "" } else { "s" })
            }
            _ => format!("{past} the {surface}"),
        }
    }
}
