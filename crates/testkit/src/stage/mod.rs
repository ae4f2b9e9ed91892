//! A stage for live tests: pages that the test moves behind the agent's back, and an agent that acts on them.

pub mod agent;
pub mod running;
pub mod site;

pub use agent::{Agent, Expect, Outcome};
pub use running::Running;
pub use site::{Site, encoded};

use serde_json::Value;

/// Where the targets of a case are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the main document.
    Main,
    /// In an open shadow root.
    Open,
    /// In a closed shadow root.
    Closed,
    /// In an iframe of the same origin.
    Iframe,
    /// In an iframe of another origin, which has a process of its own.
    Foreign,
    /// In a closed shadow root of such an iframe.
    ForeignClosed,
}

/// Every place.
pub const PLACES: [Place; 6] =
    [Place::Main, Place::Open, Place::Closed, Place::Iframe, Place::Foreign, Place::ForeignClosed];

impl Place {
    /// The address of `path`, a page that takes a query, in this place. Its document links as `case`.
    pub fn url(self, site: &Site, path: &str, query: &str) -> String {
        let root = match self {
            Place::Main | Place::Iframe | Place::Foreign => "",
            Place::Open => "&root=open",
            Place::Closed | Place::ForeignClosed => "&root=closed",
        };
        let path = format!("{path}?as=case{root}{query}");
        match self {
            Place::Main | Place::Open | Place::Closed => site.url(&path),
            Place::Iframe => site.holding(&path),
            Place::Foreign | Place::ForeignClosed => site.holding(&site.foreign(&path)),
        }
    }

    /// Whether it is in an iframe.
    pub fn framed(self) -> bool {
        matches!(self, Place::Iframe | Place::Foreign | Place::ForeignClosed)
    }
}

/// What the page's own handlers received.
pub fn events(log: &Value, kind: &str) -> Vec<String> {
    let entries = log.as_array().cloned().unwrap_or_default();
    let of_kind = entries.iter().filter(|e| e["type"] == kind);
    of_kind.map(|e| e["label"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Says something where `cargo test` shows it without `--nocapture`.
pub fn say(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{text}");
}
