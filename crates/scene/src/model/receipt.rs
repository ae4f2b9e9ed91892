//! What an action returns.

use crate::model::hint::Hint;
use crate::{Notice, Ref, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the action did what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It reached the right target, and its effect was seen.
    Confirmed,
    /// It reached the right target, and nothing was seen to change.
    NoEffect,
    /// It was withheld, or something else came of it than asked: the page says otherwise than expected.
    Contradicted,
    /// There is no way to tell.
    Unverifiable,
}

impl Verdict {
    /// Its words in text output.
    pub const fn words(self) -> &'static str {
        match self {
            Verdict::Confirmed => "confirmed",
            Verdict::NoEffect => "no effect",
            Verdict::Contradicted => "contradicted",
            Verdict::Unverifiable => "unverifiable",
        }
    }
}

/// One thing that was seen to come of an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Evidence {
    /// The main document is another one, or has another address.
    Navigated {
        /// Whether it is the address that it had, loaded again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        again: bool,
        /// Its address now.
        url: String,
    },
    /// A child document was navigated.
    DocumentNavigated {
        /// Its address now.
        url: String,
    },
    /// The target's value is what was asked for.
    Value {
        /// The value read back; masked for passwords.
        value: String,
    },
    /// A property of the target changed.
    Property {
        /// Which, such as `checked`.
        property: String,
        /// Before.
        from: String,
        /// After.
        to: String,
    },
    /// The target has the focus.
    Focused,
    /// Something scrolled, in pixels; on the desktop by so much of its scroll bars.
    Scrolled {
        /// To the right.
        dx: f64,
        /// Down.
        dy: f64,
    },
    /// A script dialog opened.
    Dialog {
        /// `alert`, `confirm`, `prompt`, `beforeunload`.
        dialog: String,
        /// Its text.
        message: String,
    },
    /// A download began.
    Download {
        /// Suggested file name.
        name: String,
    },
    /// A download was broken off: there is no file.
    DownloadBroken {
        /// Its suggested file name.
        name: String,
    },
    /// A document that was led to couldn't be loaded.
    Unreachable {
        /// The address that couldn't be reached.
        url: String,
    },
    /// A tab or popup opened.
    NewTab {
        /// Its address.
        url: String,
    },
    /// A window came up.
    WindowOpened {
        /// Its title.
        title: String,
    },
    /// A window went away.
    WindowClosed {
        /// Its title.
        title: String,
    },
    /// A file chooser opened.
    FileChooser,
    /// The browser held a form back.
    FormHeld {
        /// Role of the first control that kept it from being sent.
        role: String,
        /// Its name.
        name: String,
        /// What the browser says to it.
        message: String,
    },
    /// A network request began.
    Requested {
        /// Method and address.
        request: String,
    },
    /// Targets or texts changed.
    Changes {
        /// How many changed.
        changed: usize,
        /// How many are new.
        new: usize,
        /// How many are gone.
        gone: usize,
    },
    /// The content was changed in a way that shows in no target.
    Mutated {
        /// What changed and where, the first of it; nothing where that can't be told.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        what: Vec<Mutated>,
        /// `page` or `window`.
        of: String,
    },
    /// What a script draws there is another picture.
    Drawn,
    /// The target was already as asked.
    Already {
        /// What it already is.
        state: String,
    },
    /// The events were seen to reach the target.
    Hit,
    /// Something else, in words.
    Note {
        /// The words.
        text: String,
    },
}

/// A change that shows in no target, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mutated {
    /// The target that it is of, or that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<Ref>,
    /// The element in words, such as `<li> in tree "Files"`.
    pub place: String,
    /// `text`, `content`, `caret`, `selection`, `clipboard`, `menu`, or an attribute's name.
    pub property: String,
    /// Before; of a class or style what is gone.
    pub from: String,
    /// Now; of a class or style what came.
    pub to: String,
    /// Whether it is no more than how the target itself looks, as it may while anything is pressed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub look: bool,
}

/// One difference between two states, keyed by ref.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum Change {
    /// A target is new.
    Added {
        /// It.
        target: Box<Target>,
    },
    /// A target is gone.
    Removed {
        /// Its number.
        r#ref: Ref,
        /// Its role.
        role: String,
        /// Its name.
        name: String,
    },
    /// A property changed.
    Changed {
        /// Whose.
        r#ref: Ref,
        /// `name`, `value`, `role`, `states`, `href`.
        property: String,
        /// Before.
        from: String,
        /// After.
        to: String,
    },
    /// A text appeared.
    TextAdded {
        /// It.
        text: String,
    },
    /// A text is gone.
    TextRemoved {
        /// It.
        text: String,
    },
}

/// One way of naming the target that was tried (seed 2's list of XPaths).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tried {
    /// As given, such as `--xpath //button[2]`.
    pub locator: String,
    /// What came of it, in words.
    pub outcome: String,
}

/// Which way of naming the target matched, and how it was verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Matched {
    /// The locator that matched.
    pub used: String,
    /// The XPath that matched, where it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_xpath: Option<String>,
    /// Whether the expectation was checked and held.
    pub verified: bool,
    /// The text that the element showed.
    pub actual_text: String,
    /// Locators tried before it, and why they were passed over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Tried>,
}

/// What a description of a target that has no text was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DescribedBy {
    /// A model looked at the target's picture, and said yes or no.
    Model,
    /// Nothing: nobody could say.
    Nothing,
}

/// A description of a target that has no text, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Described {
    /// The description, as it was expected.
    pub text: String,
    /// What it was compared with.
    pub by: DescribedBy,
    /// The model that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name and version of the prompt that it was asked by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Why it was compared with nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What an action returns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    /// The action in the past tense, such as `clicked`.
    pub action: String,
    /// The target, as it was when acted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// How the target was found and verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
    /// What became of an expectation that describes a target without text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub described: Option<Described>,
    /// By what means it was done, where the surface has several; `the press alone` where a page answered the press by taking its
    /// target away, moving or covering it, so that no click came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether it worked.
    pub verdict: Verdict,
    /// Why the verdict is what it is, in words, where it isn't `confirmed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was seen.
    pub evidence: Vec<Evidence>,
    /// What changed, keyed by ref.
    pub changes: Vec<Change>,
    /// Changes beyond those listed.
    pub more_changes: usize,
    /// What else the agent should know.
    pub notices: Vec<Notice>,
    /// Commands to run next, where the action wasn't confirmed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    /// Whether something of an action that is told as not done reached the surface all the same, such as a press or some of a text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begun: bool,
}

impl Receipt {
    /// One with nothing in it yet.
    pub fn new(action: impl Into<String>, verdict: Verdict) -> Self {
        Self {
            action: action.into(),
            target: None,
            matched: None,
            described: None,
            by: None,
            verdict,
            reason: None,
            evidence: Vec::new(),
            changes: Vec::new(),
            more_changes: 0,
            notices: Vec::new(),
            hints: Vec::new(),
            begun: false,
        }
    }
}
