//! The person of a conversation, as whoever can be asked. They aren't waited for: the question is kept with its call, and the run that
//! comes with the answer, here or at another server, asks it again.

use crate::decide::Call;
use crate::decide::redact::Redact;
use crate::store::{self, Lease, Store};
use crate::wire::ChatError;
use async_trait::async_trait;
use handeye_commands::core::chat_settings::ChatEffect;
use handeye_commands::core::question;
use handeye_engine::policy::origin;
use handeye_engine::wording::shown;
use handeye_scene::{Consent, Consented, Question};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The person, asked about one call.
pub(super) struct Person<'a> {
    store: &'a Store,
    lease: &'a Lease,
    call: &'a str,
    /// The call as it is since they were asked, or why they couldn't be.
    came: Mutex<Option<Result<Call, ChatError>>>,
}

impl<'a> Person<'a> {
    pub(super) fn new(store: &'a Store, lease: &'a Lease, call: &'a str) -> Self {
        Self { store, lease, call, came: Mutex::default() }
    }

    /// The call as it is since they were asked; none where they weren't.
    pub(super) fn call(self) -> Option<Result<Call, ChatError>> {
        self.came.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Consent for Person<'_> {
    async fn ask(&self, question: &Question, limit: Duration) -> Consented {
        let waits = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
        let (consented, came) = match store::ask(self.store, self.lease, self.call, (question, waits)).await {
            Ok((consented, call)) => (consented, Ok(call)),
            // Whatever became of it, nobody has agreed as far as can be told.
            Err(error) => (Consented::Kept, Err(error)),
        };
        *self.came.lock().unwrap_or_else(PoisonError::into_inner) = Some(came);
        consented
    }
}

/// What the person is asked about a call.
pub(super) fn question(call: &Call, effect: ChatEffect, limit: Duration, redact: &Redact) -> Question {
    let does = match effect {
        ChatEffect::Read => "reads",
        ChatEffect::Act => "acts",
    };
    Question {
        command: shown::word(&call.tool, question::NAME),
        does: does.to_owned(),
        place: call.page.as_deref().map(|page| shown::address(&origin::of(page))),
        target: None,
        details: details(&call.arguments, redact),
        limit: limit.as_secs_f64(),
    }
}

/// The arguments of a call, each whole in a line, without what is kept of no text: they are what is carried out once it is approved.
fn details(arguments: &str, redact: &Redact) -> Vec<String> {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let hide = |text: &str| redact.text(text);
    let detail = |(name, value): (&String, &Value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{}: {}", shown::word(&hide(name), usize::MAX), shown::quote_own(&hide(&value), usize::MAX))
    };
    arguments.as_object().into_iter().flatten().map(detail).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_arguments_are_told_and_each_is_whole() {
        let sql = format!("SELECT {}", "x".repeat(500));
        let all = json!({"all": false, "rows": [], "sql": sql, "until": null});
        let wanted = [
            "all: \"false\"".to_owned(),
            "rows: \"[]\"".to_owned(),
            format!("sql: \"{sql}\""),
            "until: \"null\"".to_owned(),
        ];
        assert_eq!(details(&all.to_string(), &Redact::default()), wanted);
        let many = (0..1_000).map(|at| (format!("a{at:04}"), json!(at))).collect();
        assert_eq!(details(&Value::Object(many).to_string(), &Redact::default()).len(), 1_000);
    }

    #[test]
    fn what_is_kept_of_no_text_is_in_no_detail() {
        let redact = Redact::new(&["sk-1234567890".to_owned()]);
        let arguments = json!({"q": "sk-1234567890", "sk-1234567890": 1, "deep": [{"x": "a sk-1234567890"}]});
        let told = details(&arguments.to_string(), &redact);
        assert_eq!((told.len(), told.iter().any(|detail| detail.contains("1234"))), (3, false), "{told:?}");
    }
}
