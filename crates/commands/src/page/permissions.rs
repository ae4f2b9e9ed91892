//! `permissions`: what a site may do.

use crate::{Command, Effect, Render, Session};
use handeye_scene::{Code, Permission, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Grant or deny browser permissions of a site, such as geolocation or notifications
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  handeye permissions grant geolocation notifications")]
pub struct Permissions {
    #[command(subcommand)]
    #[serde(flatten)]
    action: Action,
}

/// What to say.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Grant permissions
    Grant {
        /// What
        #[command(flatten)]
        #[serde(flatten)]
        which: Which,
    },
    /// Deny permissions
    Deny {
        /// What
        #[command(flatten)]
        #[serde(flatten)]
        which: Which,
    },
    /// Reset permissions: the site must ask again
    Reset {
        /// What
        #[command(flatten)]
        #[serde(flatten)]
        which: Which,
    },
}

/// Which permissions, of which site.
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Which {
    /// As the web names them: geolocation, notifications, camera, microphone, clipboard-read, clipboard-write, midi, …
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// The site [default: that of the active page]
    #[arg(long, value_name = "ORIGIN")]
    #[serde(default)]
    origin: Option<String>,
}

/// What a site may do now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Permitted {
    /// The site.
    origin: String,
    /// `granted`, `denied`, or `reset`.
    done: &'static str,
    /// What.
    names: Vec<String>,
}

impl Render for Permitted {
    fn render(&self) -> String {
        format!("{} {} for {}", self.done, self.names.join(", "), self.origin)
    }
}

/// The origin that is meant: one that is written, else the active page's. One that must not be acted on is refused.
pub(crate) fn origin_of(session: &mut Session, written: Option<&str>) -> Result<String, Problem> {
    let origin = match written {
        Some(written) => handeye_engine::policy::origin::of(written),
        None => session.stores()?.origin(),
    };
    if origin.starts_with("http://") || origin.starts_with("https://") {
        return session.permit_origin(Effect::Acts, &origin, "change what may be done by").map(|()| origin);
    }
    let what =
        written.map_or_else(|| "the active page has no origin".into(), |w| format!("`{w}` is no origin of a site"));
    Err(Problem::new(Code::BadRequest, format!("{what}: say which, such as https://example.com")))
}

impl Command for Permissions {
    const NAME: &'static str = "permissions";
    const EFFECT: Effect = Effect::Acts;
    type Output = Permitted;
    async fn run(self, session: &mut Session) -> Result<Permitted, Problem> {
        let (permission, done, which) = match self.action {
            Action::Grant { which } => (Permission::Granted, "granted", which),
            Action::Deny { which } => (Permission::Denied, "denied", which),
            Action::Reset { which } => (Permission::Prompt, "reset", which),
        };
        let origin = origin_of(session, which.origin.as_deref())
            .map_err(|p| p.hint("handeye permissions grant geolocation --origin https://example.com"))?;
        for name in &which.names {
            session.emulate()?.permit(&origin, name, permission).await?;
        }
        Ok(Permitted { origin, done, names: which.names })
    }
}
