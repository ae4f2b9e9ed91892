//! A collection of the addresses of a list's items: what was asked for, and what came of it.

use crate::chat::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What is to be collected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Collecting {
    /// The address of the list's first page; none to go on with what was begun.
    pub url: Option<String>,
    /// What the items are, in the person's words.
    pub want: Option<String>,
    /// Fields of each item.
    pub fields: Vec<String>,
    /// Items at most.
    pub max: Option<u64>,
    /// The file that is written; none to have the items in the report.
    pub output: Option<PathBuf>,
    /// Pages in a second at most.
    pub rate: f64,
    /// Open pages that the site asks robots to leave alone.
    pub ignore_robots: bool,
    /// Go on with what was begun.
    pub resume: bool,
}

/// An item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// Where it leads, in one form.
    pub url: String,
    /// What its link says.
    pub title: String,
    /// Its fields; null where it shows none.
    #[serde(flatten)]
    pub fields: BTreeMap<String, Option<String>>,
    /// The page of the list that it stands on, from 1.
    pub page: u32,
}

/// How a collection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CollectOutcome {
    /// The end of the list was reached, or as many items as were asked for.
    Done,
    /// It ended before, and can be gone on with.
    Stopped,
}

/// What ended a collection before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// The person.
    Person,
    /// The limit on time.
    Time,
    /// A test whether a person looks.
    Captcha,
    /// A form to log in.
    Login,
    /// What the site asks robots to leave alone.
    Robots,
    /// The policy, or a person who was asked.
    Denied,
    /// A page that can't be loaded.
    Failed,
    /// A page without items where some should be.
    Empty,
    /// Pages that lead back to pages before them.
    Loop,
    /// Pages that show the same again and again.
    Repeats,
    /// A model that picks nothing that holds, or can't be asked.
    Model,
    /// A file that can't be written.
    File,
}

/// The rule by which items are found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectRule {
    /// It as CSS.
    pub css: String,
    /// Hosts that items lead to; none where they lead anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Vec<String>>,
    /// Whether what says that it is an advert is left out.
    pub is_without_adverts: bool,
    /// How sure it is, from 0 to 1: the share of items on which rule and model agreed, each side given one more.
    pub confidence: f64,
}

/// What came of holding the rule to the model's picks of a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleCheck {
    /// The page of the list.
    pub page: u32,
    /// Items that the model picks there.
    pub picked: u64,
    /// Items that the rule takes there.
    pub taken: u64,
    /// Items that both do.
    pub both: u64,
    /// Share of what the rule takes that the model picks.
    pub precision: f64,
    /// Share of what the model picks that the rule takes.
    pub recall: f64,
    /// Whether the rule was changed after it.
    pub refined: bool,
}

/// What came of a collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectReport {
    /// How it ended.
    pub outcome: CollectOutcome,
    /// What ended it before its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<StoppedBy>,
    /// Why, in words.
    pub reason: String,
    /// The address of the first page.
    pub url: String,
    /// What was wanted.
    pub want: String,
    /// Items so far, each once.
    pub items: u64,
    /// Pages so far.
    pub pages: u32,
    /// How often an item came up again on a later page.
    pub repeated: u64,
    /// Answers of the model so far.
    pub model_calls: u32,
    /// Tokens that they took, in this run.
    pub usage: Usage,
    /// What they cost, where prices are set.
    pub cost: f64,
    /// The model's name; none where it wasn't needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name and version of the prompt.
    pub prompt: String,
    /// The rule, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<CollectRule>,
    /// How it was held to the model's picks.
    pub checks: Vec<RuleCheck>,
    /// How the next page is reached: `next_link`, `numbers`, `load_more`, `scroll`, `parameter`; none where there is one page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paging: Option<String>,
    /// What else there is to know.
    pub warnings: Vec<String>,
    /// The file that was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The file from which it can be gone on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// The page after which this run went on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed_after: Option<u32>,
    /// How long this run took, in seconds.
    pub seconds: f64,
    /// Pages in a second, in this run.
    pub pages_per_second: f64,
    /// The items, where no file was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<Item>,
}
