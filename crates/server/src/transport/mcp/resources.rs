//! What a client can read without a call: the state that was shown last, as text and as a value.

use handeye_commands::{Response, ReturnState, Status};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents};
use serde_json::{Value, json};

const TEXT: &str = "handeye://state";
const JSON: &str = "handeye://state.json";

/// The state that was shown last: a whole one, never a change of one.
#[derive(Default)]
pub(super) struct LastState(Option<(String, Value)>);

impl LastState {
    /// Takes note of an answer that shows a whole state, or ends the session that one was of.
    pub(super) fn note(&mut self, command: &str, returned: Option<ReturnState>, response: &Response) {
        if response.status == Status::Error {
            return;
        }
        if command == "close" {
            self.0 = None;
        }
        let value = match (command, returned) {
            ("state", _) => response.result.as_ref(),
            (_, Some(ReturnState::Full)) => response.state.as_ref(),
            _ => None,
        };
        // A state of changes alone has no targets.
        if let Some(value) = value.filter(|value| value.get("targets").is_some()) {
            self.0 = Some((response.text.clone().unwrap_or_default(), value.clone()));
        }
    }

    /// What a resource holds.
    pub(super) fn read(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let missing = |why: String| Err(ErrorData::resource_not_found(why, Some(json!({ "uri": uri }))));
        let contents = match (uri, &self.0) {
            (TEXT | JSON, None) => return missing("no state was shown yet: call `state`".to_owned()),
            (TEXT, Some((text, _))) => ResourceContents::text(text.clone(), uri),
            (JSON, Some((_, value))) => {
                ResourceContents::text(value.to_string(), uri).with_mime_type("application/json")
            }
            _ => return missing(format!("there is no such resource; there are {TEXT} and {JSON}")),
        };
        Ok(ReadResourceResult::new(vec![contents]))
    }
}

/// Every resource.
pub(super) fn all() -> Vec<Resource> {
    let about = "The state that was last shown whole; reading it asks nothing of the page";
    let one = |uri, kind| Resource::new(uri, "state").with_description(about).with_mime_type(kind);
    vec![one(TEXT, "text/plain"), one(JSON, "application/json")]
}
