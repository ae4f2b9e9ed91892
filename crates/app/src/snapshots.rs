//! Snapshots for `handeye serve`: asked of a session's daemon, as by the command line.

use crate::call::perform;
use crate::cli::{Call, Globals};
use async_trait::async_trait;
use handeye_chat::http::{Snapshots, Wanted};
use handeye_commands::core::chat_settings::SnapshotSettings;
use handeye_commands::core::tab_id::TabId;
use handeye_commands::dispatch;
use handeye_scene::{Code, Problem};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// How long one may take, in seconds.
const LIMIT: f64 = 60.0;
/// So many at once: each is work for a browser.
const AT_ONCE: usize = 4;

/// The sessions of this machine, for those who may look into them.
struct Sessions {
    allowed: Vec<SnapshotSettings>,
    room: Semaphore,
}

/// Who looks into the sessions of this machine.
pub(crate) fn sessions(allowed: Vec<SnapshotSettings>) -> Arc<dyn Snapshots> {
    Arc::new(Sessions { allowed, room: Semaphore::new(AT_ONCE) })
}

#[async_trait]
impl Snapshots for Sessions {
    fn may(&self, user: &str, session: &str) -> bool {
        let holds = |names: &[String], name: &str| names.iter().any(|one| one == name);
        self.allowed.iter().any(|one| holds(&one.users, user) && holds(&one.sessions, session))
    }

    async fn take(&self, wanted: &Wanted) -> Result<Value, Problem> {
        let fault = |what: String| Problem::new(Code::Bug, what);
        let _place = self.room.acquire().await.map_err(|e| fault(e.to_string()))?;
        let entry = dispatch::find("snapshot").ok_or_else(|| fault("there is no command `snapshot`".into()))?;
        let mut args = json!({"no_pierce": wanted.without_shadow});
        if let Some(focus) = &wanted.focus {
            args["focus"] = json!(focus);
        }
        let tab = wanted.tab.as_deref().map(str::parse::<TabId>).transpose();
        let tab = tab.map_err(|text| Problem::new(Code::BadRequest, text).hint("handeye tabs list"))?;
        let globals = Globals {
            session: Some(wanted.session.clone()),
            json: true,
            timeout: Some(LIMIT),
            tab,
            ..Globals::default()
        };
        let call = Call { entry, args, globals };
        let done = tokio::task::spawn_blocking(move || perform(call, None, None)).await;
        let response = done.map_err(|e| fault(e.to_string()))??;
        match (response.error, response.result) {
            (Some(problem), _) => Err(problem),
            (None, result) => Ok(result.unwrap_or_default()),
        }
    }
}
