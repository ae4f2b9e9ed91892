//! `eval`: the value of an expression in the page's own world.

use crate::core::settings::Capability;
use crate::{Command, Effect, Render, Session};
use handeye_scene::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Run a JavaScript expression in the page and show its value as JSON; off unless the session allows it
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[command(
    after_help = "A promise is awaited. The session allows it when it was started with `open --allow eval`, or by allow = [\"eval\"] under\n[policy] in handeye.toml. Where a rule of the policy names what isn't pressed (acts:ROLE:WORDING), it is denied or\nasked about by that rule: nobody can say what a script presses.\n\nExample:\n  handeye eval 'document.querySelectorAll(\"tr\").length'"
)]
pub struct Eval {
    /// The expression
    expression: String,
}

/// What `eval` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Evaluated {
    /// The value; null for one that JSON doesn't have.
    value: Value,
}

impl Render for Evaluated {
    fn render(&self) -> String {
        serde_json::to_string_pretty(&self.value).unwrap_or_default()
    }
}

impl Command for Eval {
    const NAME: &'static str = "eval";
    const EFFECT: Effect = Effect::Acts;
    type Output = Evaluated;
    async fn run(self, session: &mut Session) -> Result<Evaluated, Problem> {
        session.check_allowed(Capability::Eval)?;
        crate::core::permission::permit_script(session, false).await?;
        crate::core::permission::permit_reading(session, Self::NAME).await?;
        let limit = session.limit(session.settings().waits.wait);
        // A script that fails may have done something before.
        session.call.progress.begin_doing();
        let value = session.scripts()?.evaluate(&self.expression, limit).await?;
        Ok(Evaluated { value })
    }
}
