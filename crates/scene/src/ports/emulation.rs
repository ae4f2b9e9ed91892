//! Emulation: the screen, place, language and network that pages are shown; and what scripts of ours may find out.

use crate::{Header, Problem};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Viewport {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Device pixels per CSS pixel; 0 leaves them as they are.
    pub scale: f64,
    /// Whether pages are laid out as on a phone.
    pub mobile: bool,
    /// Whether it can be touched.
    pub touch: bool,
}

/// A place on earth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Place {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    /// Metres.
    pub accuracy: f64,
}

/// What is emulated for pages. Absent members leave things as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Emulation {
    /// Screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
    /// Name of the browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// Headers sent with every request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<Header>,
    /// Language, such as `de-DE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// Time zone, such as `Europe/Berlin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Kind of medium: `print` or `screen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub medium: Option<String>,
    /// Media features, such as `prefers-color-scheme` and `dark`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<Header>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Whether there is no network.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
}

/// A user's name and password for sites of one origin that ask by HTTP.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The origin that may ask.
    pub origin: String,
    /// The user's name.
    pub user: String,
    /// The password.
    pub password: String,
}

/// What a site may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// It may.
    Granted,
    /// It may not.
    Denied,
    /// It must ask.
    Prompt,
}

/// What is emulated for pages.
#[async_trait]
pub trait Emulate: Send {
    /// What is in force.
    fn emulation(&self) -> Emulation;
    /// Puts it in force, in every tab and those to come. What the browser doesn't take changes nothing.
    async fn emulate(&mut self, emulation: Emulation) -> Result<(), Problem>;
    /// Answers sites that ask for a password; none answers them no more.
    async fn set_credentials(&mut self, credentials: Option<Credentials>) -> Result<(), Problem>;
    /// The origin that is answered, if one is.
    fn credentials_for(&self) -> Option<String>;
    /// Says what a site may do, by the permission's name on the web.
    async fn permit(&mut self, origin: &str, name: &str, permission: Permission) -> Result<(), Problem>;
}

/// Scripts of ours in the page's own world, and what only scripts reach.
#[async_trait]
pub trait Scripts: Send {
    /// The value of an expression in the main document, as JSON; a promise is awaited.
    async fn evaluate(&mut self, expression: &str, limit: Duration) -> Result<serde_json::Value, Problem>;
    /// The text on the clipboard.
    async fn clipboard(&mut self) -> Result<String, Problem>;
    /// Puts a text on the clipboard.
    async fn set_clipboard(&mut self, text: &str) -> Result<(), Problem>;
}
