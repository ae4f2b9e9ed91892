//! `back`, `forward`, `reload`: through the tab's history.

use crate::{Command, Effect, Render, Session};
use handeye_scene::{Code, Hint, Navigation, Problem};
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

/// Goes that far through the history of the active tab; 0 loads its page again.
async fn travel(session: &mut Session, delta: i32) -> Result<Navigation, Problem> {
    let limit = session.limit(session.settings().waits.load);
    session.web()?.history(delta, limit).await
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
                travel(session, $delta).await
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

/// Load the page again; where that would send a form once more, only with --resend
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reload {
    /// Send the form once more that led to this page, such as an order
    #[arg(long)]
    #[serde(default)]
    resend: bool,
}

impl Command for Reload {
    const NAME: &'static str = "reload";
    const EFFECT: Effect = Effect::Acts;
    type Output = Navigation;
    async fn run(self, session: &mut Session) -> Result<Navigation, Problem> {
        let web = session.web()?;
        match web.posted_to().filter(|_| web.dialog().is_none()) {
            Some(address) if !self.resend => return Err(sends_again(&address)),
            Some(_) => crate::core::permission::permit_resending(session).await?,
            None => {}
        }
        travel(session, 0).await
    }
}

/// The browser's own button asks a person before it does this; asked for by the protocol, the browser just does it.
fn sends_again(address: &str) -> Problem {
    let shown = handeye_engine::wording::shown::address(address);
    let what = format!(
        "loading this page again would send once more the form that led to it, to {shown}; `open` asks for it without the form"
    );
    Problem::new(Code::Blocked, what).hint(Hint::command("open").arg(address)).hint("handeye reload --resend")
}
