//! What a test claims, and how that is written.

use crate::core::args::{TargetArgs, WordyTargetArgs};
use handeye_engine::observe::outline::quote_own;
use handeye_engine::observe::verify::{Amount, Comparison};
use handeye_scene::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Characters of a text that are shown.
pub(super) const SHOWN: usize = 200;

/// What is claimed.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Claim {
    /// A target says this: its visible text, or its name where it shows no text; without a target, something on the page does
    #[command(
        override_usage = "handeye verify text [OPTIONS] [REF] TEXT\n       handeye verify text [OPTIONS] --css SELECTOR TEXT"
    )]
    Text {
        /// The target
        #[command(flatten)]
        #[serde(flatten)]
        target: WordyTargetArgs,
        /// What it should say
        #[arg(skip)]
        expected: String,
        /// How it is compared
        #[command(flatten)]
        #[serde(flatten)]
        manner: Manner,
    },
    /// A control holds this value
    #[command(
        override_usage = "handeye verify value [OPTIONS] REF TEXT\n       handeye verify value [OPTIONS] --css SELECTOR TEXT"
    )]
    Value {
        /// The target
        #[command(flatten)]
        #[serde(flatten)]
        target: WordyTargetArgs,
        /// What it should hold
        #[arg(skip)]
        expected: String,
        /// How it is compared
        #[command(flatten)]
        #[serde(flatten)]
        manner: Manner,
    },
    /// A target is there and visible; with --not it is gone or hidden
    Visible(State),
    /// A target is enabled
    Enabled(State),
    /// A checkbox, radio button or switch is on
    Checked(State),
    /// A locator matches so many elements, hidden ones included where it is --css, --xpath or --testid
    #[command(
        override_usage = "handeye verify count [OPTIONS] LOCATOR NUMBER\n       handeye verify count [OPTIONS] --css SELECTOR NUMBER"
    )]
    Count {
        /// The locator
        #[command(flatten)]
        #[serde(flatten)]
        target: WordyTargetArgs,
        /// How many: 3, >2, >=3, <5, <=4, 2..4
        #[arg(skip)]
        expected: Number,
        /// Count those alone that are visible
        #[arg(long)]
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        visible: bool,
        /// It must not hold
        #[arg(long)]
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        not: bool,
    },
    /// The page's address contains this, or matches it, with * as a wildcard
    Url {
        /// What it should contain
        #[arg(value_name = "PATTERN")]
        expected: String,
        /// How it is compared
        #[command(flatten)]
        #[serde(flatten)]
        manner: Manner,
    },
    /// The page's title contains this
    Title {
        /// What it should contain
        #[arg(value_name = "TEXT")]
        expected: String,
        /// How it is compared
        #[command(flatten)]
        #[serde(flatten)]
        manner: Manner,
    },
}

/// How a text is compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Manner {
    /// All of it, not a part: but for case, width and white space; an address letter by letter
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    exact: bool,
    /// It must not hold
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) not: bool,
}

/// A target, and whether it must not be so.
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct State {
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) target: TargetArgs,
    /// It must not hold
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) not: bool,
}

/// How many, as a number or compared: `">=3"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Number {
    /// So many
    Exactly(u64),
    /// Compared: 3, >2, >=3, <5, <=4, 2..4
    Compared(String),
}

impl Default for Number {
    fn default() -> Self {
        Self::Compared(String::new())
    }
}

impl Number {
    pub(super) fn amount(&self) -> Result<Amount, Problem> {
        let read = match self {
            Number::Exactly(number) => Some(Amount::exactly(*number)),
            Number::Compared(text) => Amount::parse(text),
        };
        read.ok_or_else(|| {
            let what = format!("{} is no number of elements: write 3, >2, >=3, <5, <=4 or 2..4", self.words());
            Problem::new(Code::BadRequest, what).hint("handeye verify count css=li '>=3'")
        })
    }

    fn words(&self) -> String {
        match self {
            Number::Exactly(number) => number.to_string(),
            Number::Compared(text) => quote_own(text, 40),
        }
    }
}

impl Claim {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Claim::Text { .. } => "text",
            Claim::Value { .. } => "value",
            Claim::Visible(_) => "visible",
            Claim::Enabled(_) => "enabled",
            Claim::Checked(_) => "checked",
            Claim::Count { .. } => "count",
            Claim::Url { .. } => "url",
            Claim::Title { .. } => "title",
        }
    }

    /// Refuses what can never hold, or says nothing.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let unnamed = |target: &TargetArgs| target.is_empty();
        match self {
            Claim::Value { target, .. } if unnamed(&target.target) => Err(nameless("value")),
            Claim::Visible(state) | Claim::Enabled(state) | Claim::Checked(state) if unnamed(&state.target) => {
                Err(nameless(self.name()))
            }
            Claim::Count { target, expected, .. } => {
                if !target.refs().is_empty() || target.target.locators.len() != 1 {
                    let what = "what is counted is what one locator matches: a number names one target";
                    return Err(Problem::new(Code::BadRequest, what).hint("handeye verify count css=li '>=3'"));
                }
                expected.amount().map(drop)
            }
            Claim::Text { target, expected, .. } if unnamed(&target.target) && expected.trim().is_empty() => {
                Err(Problem::new(Code::BadRequest, "an empty text is on every page: say what it should be")
                    .hint("handeye verify text REF TEXT"))
            }
            _ => Ok(()),
        }
    }

    /// What is claimed, in words.
    pub(super) fn words(&self) -> String {
        let texts = |what: &str, manner: &Manner, expected: &str| {
            let relation = match (manner.exact, manner.not) {
                (false, false) => "contains",
                (false, true) => "doesn't contain",
                (true, false) => "is",
                (true, true) => "isn't",
            };
            format!("{what} {relation} {}", quote_own(expected, SHOWN))
        };
        let state = |state: &State, word: &str| format!("{}{word}", if state.not { "not " } else { "" });
        match self {
            Claim::Text { target, expected, manner } => {
                texts(if target.target.is_empty() { "the page" } else { "the text" }, manner, expected)
            }
            Claim::Value { expected, manner, .. } => texts("the value", manner, expected),
            Claim::Visible(it) => state(it, "visible"),
            Claim::Enabled(it) => state(it, "enabled"),
            Claim::Checked(it) => state(it, "checked"),
            Claim::Count { target, expected, visible, not } => {
                let locators = target.target.locators().unwrap_or_default();
                let of: Vec<String> = locators.iter().map(handeye_engine::Locator::words).collect();
                let (seen, relation) = (if *visible { "visible " } else { "" }, if *not { "isn't" } else { "is" });
                format!("the number of {seen}{} {relation} {}", of.join(" "), expected.words().trim_matches('"'))
            }
            Claim::Url { expected, manner } => texts("the address", manner, expected),
            Claim::Title { expected, manner } => texts("the title", manner, expected),
        }
    }
}

impl Manner {
    pub(super) fn comparison(self) -> Comparison {
        if self.exact { Comparison::Equals } else { Comparison::Contains }
    }

    pub(super) fn holds(self, found: &str, wanted: &str) -> bool {
        self.comparison().holds(found, wanted) != self.not
    }
}

fn nameless(what: &str) -> Problem {
    Problem::new(Code::BadRequest, format!("which target `verify {what}` is about isn't said"))
        .hint(format!("handeye verify {what} --help"))
        .hint("handeye state")
}
