//! States of an element, as ARIA and HTML name them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! states {
    ($($(#[$doc:meta])* $name:ident = $bit:literal $word:literal),* $(,)?) => {
        /// One state. The bits are those the page script sends.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum State { $($(#[$doc])* $name),* }

        impl State {
            /// Every state, in the order in which text output lists them.
            pub const ALL: &'static [State] = &[$(State::$name),*];

            /// Its bit in [`States`].
            pub const fn bit(self) -> u32 { match self { $(State::$name => $bit),* } }

            /// Its word in text output.
            pub const fn word(self) -> &'static str { match self { $(State::$name => $word),* } }
        }
    };
}

states! {
    /// Can't be operated now.
    Disabled = 1 "disabled",
    /// A checkbox, radio button or switch that is on.
    Checked = 2 "checked",
    /// A checkbox that is partly on.
    Mixed = 4 "mixed",
    /// A chosen option, tab or row.
    Selected = 8 "selected",
    /// Shows what it opens.
    Expanded = 16 "expanded",
    /// Hides what it opens.
    Collapsed = 32 "collapsed",
    /// Must be filled in.
    Required = 64 "required",
    /// Can't be edited.
    Readonly = 128 "readonly",
    /// Fails validation.
    Invalid = 256 "invalid",
    /// Has the keyboard focus.
    Focused = 512 "focused",
    /// Something else lies on top of it.
    Covered = 1024 "covered",
    /// Lies outside the viewport.
    Offscreen = 2048 "off-screen",
    /// Hidden from assistive technology, yet visible.
    AriaHidden = 4096 "aria-hidden",
    /// A toggle button that is down.
    Pressed = 8192 "pressed",
    /// Being updated.
    Busy = 16384 "busy",
    /// Editable rich text.
    Editable = 32768 "editable",
    /// Takes several choices.
    Multiple = 65536 "multiple",
    /// Opens a menu or a dialog.
    Haspopup = 131072 "has-popup",
    /// The current item of a set.
    Current = 262144 "current",
    /// A modal dialog.
    Modal = 524288 "modal",
}

/// A set of [`State`]s. Written as a list of words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<State>", into = "Vec<State>")]
#[schemars(with = "Vec<State>")]
pub struct States(pub u32);

impl States {
    /// Whether `state` is in the set.
    pub const fn has(self, state: State) -> bool {
        self.0 & state.bit() != 0
    }

    /// The set with `state` added.
    #[must_use]
    pub const fn with(self, state: State) -> Self {
        Self(self.0 | state.bit())
    }

    /// The set with `state` taken out.
    #[must_use]
    pub const fn without(self, state: State) -> Self {
        Self(self.0 & !state.bit())
    }

    /// The states in it, in the order of [`State::ALL`].
    pub fn iter(self) -> impl Iterator<Item = State> {
        State::ALL.iter().copied().filter(move |s| self.has(*s))
    }
}

impl From<Vec<State>> for States {
    fn from(list: Vec<State>) -> Self {
        list.into_iter().fold(Self::default(), Self::with)
    }
}

impl From<States> for Vec<State> {
    fn from(states: States) -> Self {
        states.iter().collect()
    }
}
