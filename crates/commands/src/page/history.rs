//! `back`, `forward`, `reload`: through the tab's history.

use crate::{Command, Effect, Render, Session};
use handeye_scene::{Hint, Navigation, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

impl Render for Navigation {
    fn hints(&self) -> Vec<Hint> {
        if self.loaded { Vec::new() } else { vec!["handeye wait --idle".into()] }
    }

    fn render(&self) -> String {
        let status = self.status.filter(|s| *s >= 400).map(|s| format!(" (HTTP {s})")).unwrap_or_default();
        let loading = if self.loaded { "" } else { " (still loading)" };
        format!(
            "now at {} {}{status}{loading}",
            handeye_engine::observe::outline::quote(&self.title, 200),
            handeye_engine::wording::shown::address(&self.url)
        )
    }
}

macro_rules! history {
    ($(#[$doc:meta])* $name:ident, $command:literal, $delta:literal) => {
        $(#[$doc])*
        #[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {}

        impl Command for $name {
            const NAME: &'static str = $command;
            const EFFECT: Effect = Effect::Acts;
            type Output = Navigation;
            async fn run(self, session: &mut Session) -> Result<Navigation, Problem> {
                let limit = session.limit(session.settings().waits.load);
                session.web()?.history($delta, limit).await
            }
        }
    };
}

history!(
    /// Go back in the tab's history
    Back, "back", -1
);
history!(
    /// Go forward in the tab's history
    Forward, "forward", 1
);
history!(
    /// Load the page again
    Reload, "reload", 0
);
