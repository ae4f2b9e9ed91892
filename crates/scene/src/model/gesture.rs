//! The raw input that a surface performs, and the guard under which it does.

use crate::{Destination, Held, NativeId, Point, Said};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pointer button.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    /// The primary button.
    #[default]
    Left,
    /// The wheel.
    Middle,
    /// The secondary button.
    Right,
}

/// Modifier keys held during a gesture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Modifiers {
    /// Alt or Option.
    pub alt: bool,
    /// Control.
    pub ctrl: bool,
    /// Command or Windows.
    pub meta: bool,
    /// Shift.
    pub shift: bool,
}

/// By what text is put into a field, where it isn't left to the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputMethod {
    /// Real keys, one for each character.
    Keys,
    /// The field's value, by the page's script or the window's accessibility interface.
    Value,
}

/// One key pressed with modifiers, such as `ctrl+a`. The key is named as `KeyboardEvent.key` names it, or is one character;
/// keys of the keypad are named as `KeyboardEvent.code` names them, such as `Numpad1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Chord {
    /// Held while the key goes down and up.
    pub modifiers: Modifiers,
    /// `Enter`, `ArrowLeft`, `a`, `中`, `NumpadEnter`.
    pub key: String,
}

/// One step of raw pointer input.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MouseStep {
    /// Move to a place.
    Move(Point),
    /// Press a button where the pointer is.
    Down(Button),
    /// Release a button where the pointer is.
    Up(Button),
    /// Turn the wheel by so many pixels, right and down positive.
    Wheel {
        /// To the right.
        dx: f64,
        /// Down.
        dy: f64,
    },
}

/// The raw input that a surface performs. Where it acts on an element, that is [`Guard::target`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gesture {
    /// Press and release, `count` times.
    Click {
        /// Where.
        at: Point,
        /// Which button.
        button: Button,
        /// 1 for a click, 2 for a double click.
        count: u8,
        /// Held keys.
        modifiers: Modifiers,
    },
    /// Activate the target by script, checked and done in one turn of the page: for controls no pointer can reach.
    Invoke,
    /// Move the pointer there.
    Hover {
        /// Where.
        at: Point,
    },
    /// Press at one place, move in steps, release at another.
    Drag {
        /// Where the button goes down.
        from: Point,
        /// Where it goes up.
        to: Point,
        /// Which button.
        button: Button,
        /// How long the move takes, in milliseconds.
        duration_ms: u64,
        /// Held keys.
        modifiers: Modifiers,
    },
    /// One raw pointer step, unguarded unless the guard names a target.
    Mouse(MouseStep, Modifiers),
    /// Turn the wheel over a place; without one, scroll the document.
    Scroll {
        /// Where the pointer is.
        at: Option<Point>,
        /// To the right, in pixels.
        dx: f64,
        /// Down, in pixels.
        dy: f64,
    },
    /// Open or close the target by its own means ([`crate::Probe::expands`]).
    Expand(bool),
    /// Give the target the keyboard focus.
    Focus,
    /// Focus the target and select its whole content, then replace it by this text, as typed or pasted input.
    Replace(String),
    /// Set the value of a control that isn't edited as text: date, time, colour, range.
    Set(String),
    /// Replace the target's content by this text, by script, checked and done in one turn of the page: nothing else can get
    /// it, whatever takes the focus. For secrets.
    Put {
        /// It.
        text: String,
        /// The origin that the target's document must be of.
        origin: String,
    },
    /// Real key events for each character, to the focus (or to the target, which is focused first).
    Type {
        /// What to type; `\n` is Enter, `\t` is Tab.
        text: String,
        /// Pause between keys, in milliseconds.
        pace_ms: u64,
    },
    /// Key chords in order, to the focus.
    Keys(Vec<Chord>),
    /// Press a key and keep it down.
    KeyDown(Chord),
    /// Let a key go.
    KeyUp(Chord),
    /// Choose options of the target, a native select, by label, value or `#index` from 0.
    Choose(Vec<String>),
    /// Hand files, by absolute path, to the target, a file input.
    Upload(Vec<String>),
}

/// What must still be true inside each event of the gesture.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Guard {
    /// The element that every event must hit. None: raw input, unguarded.
    pub target: Option<NativeId>,
    /// What the element must still be. None: whatever it is.
    pub held: Option<Held>,
    /// Keys may go where they themselves move the focus.
    pub follow: bool,
    /// A place in the element was asked for: parts of it that listen for themselves may be hit there, but no control in it.
    pub place: bool,
    /// That place: where a press must come to, from the top left corner of the element, in pixels of the main viewport. None: anywhere
    /// in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<Point>,
    /// What a drag must end on.
    pub end: Option<End>,
}

/// The element that a drag must end on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The element.
    pub target: NativeId,
    /// What it must still be. None: whatever it is.
    pub held: Option<Held>,
}

/// An element as the agent last saw it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// ARIA role.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// The text it shows, where that isn't its name.
    #[serde(default)]
    pub said: Option<Said>,
    /// A word for an icon, where it says nothing.
    #[serde(default)]
    pub hint: Option<String>,
    /// It kept changing by itself before it was looked at, so that its digits don't count.
    #[serde(default)]
    pub self_changing: bool,
    /// Another target reads like it but for clock times and percentages, so these count. Found when an action begins.
    #[serde(skip)]
    pub told_by_time: bool,
    /// Where it leads. None: the surface can't tell.
    #[serde(default)]
    pub leads: Option<Destination>,
    /// Options that it was shown to have, label and value, in order.
    #[serde(default)]
    pub choices: Vec<(String, String)>,
    /// What its row is about, where its name alone doesn't tell it from others.
    #[serde(default)]
    pub row: Option<RowLabel>,
}

impl Shown {
    /// An element of which only role and name are told.
    pub fn named(role: impl Into<String>, name: impl Into<String>) -> Self {
        Self { role: role.into(), name: name.into(), ..Self::default() }
    }

    /// What a person reads of it: its name, failing that the text it shows.
    pub fn words(&self) -> &str {
        match &self.said {
            Some(said) if self.name.is_empty() => &said.text,
            _ => &self.name,
        }
    }
}

/// What the row of an element is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowLabel {
    /// A text in the row.
    pub text: String,
    /// Only digits tell it from the next row, so all of them count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// It kept changing by itself before it was looked at, so that its digits don't count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub self_changing: bool,
    /// Where it stood among the texts of the row, and how many these were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<(u32, u32)>,
}

/// What became of a gesture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// All of it reached the target (or nothing was guarded).
    Delivered {
        /// For [`Gesture::Replace`] and [`Gesture::Set`]: whether the control now holds just that value, compared inside
        /// the page so that a password needn't leave it.
        holds: Option<bool>,
        /// For [`Gesture::Scroll`]: how far something scrolled, right and down positive.
        moved: Option<(f64, f64)>,
        /// By what means, where the surface has several: the accessible action `click`, the pointer; `the press alone`, where a
        /// page answered the press by taking its target away, and no click came.
        by: Option<String>,
    },
    /// The guard stopped it.
    Withheld(Withheld),
    /// The surface performed it, but its document went away before it could say what was hit.
    Unseen,
}

/// Why and how far a guard stopped a gesture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Withheld {
    /// `miss`, `misplaced` (the press came to another place of its frame, or of the element), `shifted` (what lay at that place of the element lies elsewhere in it), `relabelled`, `denied`, `detached`, `disabled`, `inert` (or behind a modal dialog), `refused` (a value the control
    /// can't take), `unclicked` (pressed and released, and no click came of it), `barred` (the focus went where the rules let no keys go), `broken` (the check
    /// itself failed), `forbidden` (it would have pressed what the rules deny by its wording), `untold` (the document told nothing of the rest), `overtaken` (it was delivered, and the target then
    /// found relabelled: what listens there besides was kept from it), `intercepted` (a listener on the way to the target had
    /// it and relabelled the target, which was kept from it), `answered` (the target got the press, the page made it another in
    /// answer, and the rest was kept from it).
    pub reason: String,
    /// What was there instead, in words: role and name.
    pub actual: Option<Box<Shown>>,
    /// Whether a press (or some of the text) reached the target before.
    pub partial: bool,
    /// More, in words.
    pub detail: Option<String>,
}

impl Withheld {
    /// The reason of one that would have pressed what a rule names.
    pub const FORBIDDEN: &str = "forbidden";

    /// Whether nothing of it came to the target, nor to any listener of the page.
    pub fn reached_nothing(&self) -> bool {
        !self.partial && !self.was_heard()
    }

    /// Whether listeners of the page had it before it was stopped: what they made of it nobody can say.
    pub fn was_heard(&self) -> bool {
        matches!(self.reason.as_str(), "overtaken" | "intercepted" | "answered")
    }
}
