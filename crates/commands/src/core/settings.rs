//! Settings in force for one call: what `handeye.toml` may say, after flags and environment were laid over it.

use super::chat_settings::ChatSettings;
use handeye_scene::{DesktopConfig, ModelsConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// All settings. Unknown keys are refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How to get a browser.
    pub browser: BrowserSettings,
    /// Which desktop.
    pub desktop: DesktopConfig,
    /// How long to wait for what.
    pub waits: Waits,
    /// How to type.
    pub typing: Typing,
    /// How to click.
    pub click: Click,
    /// Bounds on what is shown and kept.
    pub limits: Limits,
    /// Language and vision models.
    pub models: ModelsConfig,
    /// What may be done.
    pub policy: PolicySettings,
    /// The chat backend.
    pub chat: ChatSettings,
}

/// How to get a browser.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BrowserSettings {
    /// Path of a Chromium-family browser.
    pub path: Option<PathBuf>,
    /// Show a window.
    pub headed: bool,
    /// Attach to this endpoint instead of launching.
    pub cdp: Option<String>,
    /// Keep the profile in this folder.
    pub profile: Option<PathBuf>,
    /// Viewport width and height in CSS pixels.
    pub viewport: Option<(u32, u32)>,
    /// More arguments for the browser.
    pub args: Vec<String>,
    /// Proxy that pages are loaded through, such as `http://proxy.example:3128`.
    pub proxy: Option<String>,
    /// Load pages whose certificates can't be trusted.
    pub ignore_tls_errors: bool,
}

/// How long to wait for what, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Waits {
    /// For a page to load.
    pub load: f64,
    /// For a target to become ready.
    pub ready: f64,
    /// For the page to get quiet after an action.
    pub settle: f64,
    /// For an effect, after a gesture that none was seen to come of that tells.
    pub effect: f64,
    /// After each click that was made, before its command ends: for programs that go on long after they look quiet.
    pub after_click: f64,
    /// For `wait`.
    pub wait: f64,
    /// For what `verify` claims to come true.
    pub verify: f64,
    /// Idle time after which a session's daemon ends.
    pub idle_exit: f64,
}

impl Default for Waits {
    fn default() -> Self {
        Self {
            load: 30.0,
            ready: 5.0,
            settle: 3.0,
            effect: 0.8,
            after_click: 0.0,
            wait: 30.0,
            verify: 5.0,
            idle_exit: 3600.0,
        }
    }
}

/// How to type.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Typing {
    /// Pause between keys of `type`, in milliseconds.
    pub pace_ms: u64,
    /// Press Enter after `input` and `type`.
    pub enter: bool,
}

/// How a click is delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ClickMethod {
    /// The element's own activation where the surface prefers that (desktop windows), else the pointer (web pages).
    #[default]
    Best,
    /// Real pointer input.
    Pointer,
    /// The element's own activation, by script.
    Invoke,
}

/// How to click.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Click {
    /// How a click is delivered.
    pub method: ClickMethod,
}

/// Bounds on what is shown and kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Characters of one name or text in compact output.
    pub text: usize,
    /// Changes listed in a receipt.
    pub changes: usize,
    /// Characters of a state; what is beyond them is folded. 0: nothing is.
    pub budget: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { text: 100, changes: 12, budget: 6000 }
    }
}

/// What to do with an expectation that can't be checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Unverifiable {
    /// Don't act.
    #[default]
    Refuse,
    /// Act, and report it as unverifiable.
    Act,
}

/// What a session does only when it is allowed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Run scripts that the caller writes
    Eval,
}

/// What may be done. Rules are `effect` or `effect@origin`, such as `acts@https://bank.example`; `acts@desktop:` is about windows.
/// `acts:ROLE:WORDING` is about what may be pressed, such as `acts:button:Delete*` or `acts:*:*delete*@https://shop.example`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PolicySettings {
    /// What is off otherwise: `eval`. And where nobody is asked what a rule of `ask` without an origin asks: `effect@origin`.
    pub allow: Vec<String>,
    /// Refused.
    pub deny: Vec<String>,
    /// Refused unless a person agrees; without one to ask, refused.
    pub ask: Vec<String>,
    /// Origins that pages may be of, such as `https://*.example.com`, `http://localhost:*`, `data:`; any, when none is named.
    pub allow_origins: Vec<String>,
    /// Origins that pages may not be of.
    pub deny_origins: Vec<String>,
    /// Nothing from this machine or a private network.
    pub public_only: bool,
    /// An expectation on a target that has no text.
    pub unverifiable: Unverifiable,
}

/// Of what `allow` names, the capability.
const EVAL: &str = "eval";

impl PolicySettings {
    /// What is allowed that is off otherwise.
    pub fn capabilities(&self) -> impl Iterator<Item = Capability> {
        self.allow.iter().filter(|name| *name == EVAL).map(|_| Capability::Eval)
    }

    /// Rules among what is allowed.
    pub fn allowances(&self) -> impl Iterator<Item = &str> {
        self.allow.iter().map(String::as_str).filter(|name| *name != EVAL)
    }

    /// The key that bars pages which other rules let through, if one does: a browser goes by those that it was opened under.
    pub fn bars_more_pages_than(&self, others: &Self) -> Option<&'static str> {
        if self.deny_origins.iter().any(|origin| !others.deny_origins.contains(origin)) {
            Some("policy.deny_origins")
        } else if !self.allow_origins.is_empty()
            && (others.allow_origins.is_empty()
                || others.allow_origins.iter().any(|origin| !self.allow_origins.contains(origin)))
        {
            Some("policy.allow_origins")
        } else {
            (self.public_only && !others.public_only).then_some("policy.public_only")
        }
    }

    /// Makes these rules at least as strict as others. Where pages may go is held to by the browser that was opened so.
    pub fn narrow(&mut self, by: &Self) {
        self.allow.retain(|capability| by.allow.contains(capability));
        for (own, by) in [(&mut self.deny, &by.deny), (&mut self.ask, &by.ask)] {
            let more: Vec<String> = by.iter().filter(|rule| !own.contains(rule)).cloned().collect();
            own.extend(more);
        }
        if by.unverifiable == Unverifiable::Refuse {
            self.unverifiable = Unverifiable::Refuse;
        }
    }
}
