//! The indexed state shown to the agent.

use crate::{DocumentId, Generation, NativeId, Notice, Probe, Rect, Ref, Source, States};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One element an agent can name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// Its number.
    pub r#ref: Ref,
    /// ARIA role.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// The text that it shows, where that isn't its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Value of a control; passwords come masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// States.
    pub states: States,
    /// Where it is, in CSS pixels of the main viewport (web) or pixels of the screen (desktop).
    pub rect: Rect,
    /// Its document.
    pub document: DocumentId,
    /// Absolute XPath, prefixed with its document's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xpath: Option<String>,
    /// Where a link leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub href: Option<String>,
    /// The nearest listed target around it, in a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Ref>,
    /// How many listed targets are around it, in a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Who saw it.
    pub source: Source,
    /// How sure that is, from 0 to 1; of what the surface tells itself nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Why it is taken to be there, where it was told from other targets' places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is read there, where it has neither name nor text of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<String>,
    /// How the surface names it; none of a region of pixels, which is acted on by its place.
    #[serde(skip)]
    #[schemars(skip)]
    pub native: Option<NativeId>,
}

impl Target {
    /// What it is called: its name, or, where it has none, what it says.
    pub fn words(&self) -> &str {
        match &self.text {
            Some(text) if self.name.is_empty() => text,
            _ => &self.name,
        }
    }

    /// What a probe found of an element, under its number.
    pub fn of(probe: &Probe, number: Ref) -> Self {
        Self {
            r#ref: number,
            role: probe.role.clone(),
            name: probe.name.clone(),
            text: Some(probe.says()).filter(|text| !text.is_empty() && *text != probe.name).map(str::to_owned),
            value: Some(probe.texts.value.clone()).filter(|v| !v.is_empty()),
            states: probe.states,
            rect: probe.rect,
            document: probe.document,
            xpath: Some(probe.xpath.clone()),
            href: probe.href.clone(),
            parent: None,
            depth: None,
            source: Source::Native,
            confidence: None,
            reason: None,
            reads: None,
            native: Some(probe.id),
        }
    }
}

/// One document of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentInfo {
    /// Its id, for the session.
    pub id: DocumentId,
    /// Its address.
    pub url: String,
    /// Its origin; `null` for opaque ones.
    pub origin: String,
    /// The target that shows it; none for the main document.
    pub parent_ref: Option<Ref>,
}

/// Targets in a row that are not listed: one number opens them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fold {
    /// Its number, for `state --within`.
    pub r#ref: Ref,
    /// Its document.
    pub document: DocumentId,
    /// How many targets are in it.
    pub targets: usize,
    /// How many like parts, such as rows, are in it, if it is made of such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<usize>,
    /// Role of such a part, or of the landmark that it lies in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Roles of the targets in it, in order of appearance, each once.
    pub roles: Vec<String>,
    /// What its first target or text says.
    pub first: String,
    /// What its last target or text says.
    pub last: String,
    /// Where it lies: `above`, `below`, or nothing when it is in view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// Which part of a long list this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Page {
    /// From 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// What is marked in an annotated picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Annotation {
    /// Numbers of the targets that have a box and a label.
    pub marked: Vec<Ref>,
    /// Numbers of visible targets that have none, for want of room or since there are too many.
    pub unmarked: Vec<Ref>,
    /// Picture pixels per unit of all coordinates here.
    pub scale: f64,
    /// What the picture shows.
    pub area: Rect,
    /// The picture itself, PNG in base64, if asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

/// The indexed state of a surface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// Kind of surface: `web` or `desktop`.
    pub surface: String,
    /// The window or tab.
    pub window: String,
    /// The process behind it.
    pub process: String,
    /// Address of the main document.
    pub url: String,
    /// Title of the main document.
    pub title: String,
    /// When it was taken, RFC 3339 in UTC.
    pub timestamp: String,
    /// Path of the screenshot taken with it, if any.
    pub screenshot: Option<String>,
    /// Path of the picture with a numbered box around every visible target, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotated_screenshot: Option<String>,
    /// What is marked in that picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotation: Option<Annotation>,
    /// Counts the snapshots of the session.
    pub generation: Generation,
    /// The visible area, whose origin is 0, 0, in CSS pixels (web); the screen, in its pixels (desktop).
    pub viewport: Rect,
    /// Pixels of the device to one unit of all coordinates here: on a page, to one CSS pixel, with the page's zoom; on a desktop 1.
    /// None where a dialog keeps the page from saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Every document reached.
    pub documents: Vec<DocumentInfo>,
    /// Every target asked for, in reading order.
    pub targets: Vec<Target>,
    /// How many targets were left out by the options in force, those in folds among them.
    pub omitted: usize,
    /// What was folded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folds: Vec<Fold>,
    /// Which page of the list this is, where it has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
    /// What else the agent should know.
    pub notices: Vec<Notice>,
}
