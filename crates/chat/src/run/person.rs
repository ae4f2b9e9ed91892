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

/// Details of a question; a call may have as many arguments as it likes.
const DETAILS: usize = 100;

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

/// The arguments of a call, each in a line, without what is kept of no text.
fn details(arguments: &str, redact: &Redact) -> Vec<String> {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let hide = |text: &str| redact.text(text);
    let members = arguments.as_object().into_iter().flatten();
    let mut members = members.filter_map(|(name, value)| question::detail(&hide(name), value, hide));
    let mut details: Vec<String> = members.by_ref().take(DETAILS).collect();
    let more = members.count();
    if more > 0 {
        details.push(format!("… {more} more"));
    }
    details
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn of_many_arguments_some_are_told_and_how_many_more_there_are() {
        let of = |count: usize| {
            let members = (0..count).map(|at| (format!("a{at:04}"), json!(at))).collect();
            details(&Value::Object(members).to_string(), &Redact::default())
        };
        assert_eq!((of(DETAILS).len(), of(DETAILS).last().unwrap().as_str()), (DETAILS, "a0099: \"99\""));
        assert_eq!((of(DETAILS + 7).len(), of(DETAILS + 7).last().unwrap().as_str()), (DETAILS + 1, "… 7 more"));
    }

    #[test]
    fn what_is_kept_of_no_text_is_in_no_detail() {
        let redact = Redact::new(&["sk-1234567890".to_owned()]);
        let arguments = json!({"q": "sk-1234567890", "sk-1234567890": 1, "deep": [{"x": "a sk-1234567890"}]});
        let told = details(&arguments.to_string(), &redact);
        assert_eq!((told.len(), told.iter().any(|detail| detail.contains("1234"))), (3, false), "{told:?}");
    }
}
