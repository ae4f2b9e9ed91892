//! What is asked of one element right before it is acted on, and whether it is still what it is held to.

use crate::{Destination, DocumentId, Held, NativeId, Point, Rect, RowLabel, Said, States};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an element says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Texts {
    /// Its own visible text; of a container, its own label.
    pub text: String,
    /// Its value; masked for passwords.
    pub value: String,
    /// Its placeholder.
    pub placeholder: String,
    /// Its title attribute.
    pub title: String,
    /// Its alternative text.
    pub alt: String,
}

/// What lies on top of an element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    /// The covering element.
    pub id: Option<NativeId>,
    /// Its role.
    pub role: String,
    /// Its name.
    pub name: String,
}

/// One option of a select.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OptionItem {
    /// Its place among all options, from 0: of a long list not all are told. Recordings of before have none.
    #[serde(default)]
    pub index: usize,
    /// What it shows.
    pub label: String,
    /// What it submits.
    pub value: String,
    /// Whether it is chosen.
    pub selected: bool,
    /// Whether it can't be chosen.
    pub disabled: bool,
}

/// How an element's content is edited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditKind {
    /// Not at all.
    #[default]
    None,
    /// As text.
    Text,
    /// As rich text.
    Contenteditable,
    /// As a cell of a table, which may show something else than it holds: a formula's result, a number in its format.
    Cell,
    /// By setting a value: date, time, colour, range.
    Set,
    /// By choosing files.
    File,
    /// By choosing options.
    Select,
}

/// Facts about one element, now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The element.
    pub id: NativeId,
    /// Its document.
    pub document: DocumentId,
    /// ARIA role.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// Its other texts.
    pub texts: Texts,
    /// Tag name, lower case.
    pub tag: String,
    /// Input type, where it is one.
    pub kind: Option<String>,
    /// Where a link leads.
    pub href: Option<String>,
    /// Test id attribute.
    pub testid: Option<String>,
    /// Absolute XPath with its document's prefix.
    pub xpath: String,
    /// States.
    pub states: States,
    /// Where it is.
    pub rect: Rect,
    /// Rendered and not hidden.
    pub visible: bool,
    /// Not disabled.
    pub enabled: bool,
    /// How its content is edited.
    pub edit: EditKind,
    /// On, off, or neither applies.
    pub checked: Option<bool>,
    /// Options, of a select.
    pub options: Vec<OptionItem>,
    /// A point that hits it (only when asked for).
    pub point: Option<Point>,
    /// What hides it, where no point hits it.
    pub cover: Option<Cover>,
    /// The dialog that keeps a person from it, whatever means there are: it takes all input of its program until it is closed.
    pub behind: Option<Cover>,
    /// Whether its rectangle stood still while looked at.
    pub still: bool,
    /// What its row is about, where it is in one.
    pub row: Option<RowLabel>,
    /// All that its row says of itself, as far as it was read.
    pub row_texts: Vec<String>,
    /// The activation of its own that stands for a click, as the surface's accessibility names it; a surface that prefers the
    /// pointer names none.
    pub activation: Option<String>,
    /// Whether it expands and collapses by itself, without the pointer.
    pub expands: bool,
    /// The text it shows, where that isn't its name, as captures tell it.
    pub said: Option<Said>,
    /// Its name and the text it shows without what style sheets show only while it is pointed to, pressed or focused, where
    /// they show more now.
    pub at_rest: Option<(String, Said)>,
    /// A word for an icon, where it says nothing.
    pub hint: Option<String>,
    /// How many characters of its text stand before the caret; none where it isn't there, or where a surface tells of carets that
    /// moved by itself.
    pub caret: Option<i32>,
    /// Where it leads. None: the surface can't tell.
    pub leads: Option<Destination>,
    /// What else the surface tells of it, name and value, for `inspect`; among it, why it takes what it holds for invalid ([`Probe::INVALID`]).
    pub facts: Vec<(String, String)>,
}

impl Probe {
    /// The fact that says why what it holds would keep its form from being sent.
    pub const INVALID: &str = "invalid";

    /// Why what it holds would keep its form from being sent, as the browser says it.
    pub fn fault(&self) -> Option<&str> {
        self.facts.iter().find(|(name, _)| name == Self::INVALID).map(|(_, why)| why.as_str())
    }

    /// The text it shows: what it says itself where that isn't its name.
    pub fn says(&self) -> &str {
        self.said.as_ref().map_or(&self.name, |said| &said.text)
    }
}

impl Held {
    /// Whether an element is still so. The row of one whose row wasn't read isn't judged.
    pub fn is_kept(&self, probe: &Probe) -> bool {
        let texts = &probe.texts;
        let field = |name: &str| match name {
            "name" => Some(probe.name.as_str()),
            "said" => Some(probe.says()),
            "called" => Some(if probe.name.is_empty() { probe.says() } else { &probe.name }),
            "hint" => Some(probe.hint.as_deref().unwrap_or("")),
            "text" => Some(texts.text.as_str()),
            "value" => Some(texts.value.as_str()),
            "placeholder" => Some(texts.placeholder.as_str()),
            "title" => Some(texts.title.as_str()),
            "alt" => Some(texts.alt.as_str()),
            _ => None,
        };
        let row = &probe.row_texts;
        self.role.as_ref().is_none_or(|role| *role == probe.role)
            && self.texts.iter().all(|(name, held)| field(name).is_some_and(|now| held.reads(now)))
            && self.row.as_ref().is_none_or(|held| row.is_empty() || held.reads(row))
            && self.leads.as_ref().is_none_or(|leads| probe.leads.as_ref().is_some_and(|now| now == leads))
            && self.choices.iter().all(|(l, v)| probe.options.iter().any(|o| o.label == *l && o.value == *v))
    }
}
