//! The port by which a question of the policy reaches a person.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a person is asked to agree to. Its texts are written as output writes them: quoted, without characters that nobody sees.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Question {
    /// Name of the command.
    pub command: String,
    /// What it does, in words, such as `acts on the page`.
    pub does: String,
    /// Where: the origin of the page, or `desktop:`; none where nothing is open or it can't be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// To what, as it was last shown: number, role and name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The rest of what was asked for, such as the text to type; no secret.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// Seconds until the question expires.
    pub limit: f64,
}

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consented {
    /// A person agreed.
    Yes,
    /// A person refused.
    No,
    /// Nobody answered in time.
    Late,
    /// It is kept until somebody answers, which may be after the process that asked has ended. Nothing is done until then.
    Kept,
}

/// Whoever can be asked. A front end has one for a call whose caller can answer, and none for any other.
#[async_trait]
pub trait Consent: Send + Sync {
    /// Asks once. Whoever can be waited for is, at most `limit` long. Otherwise the question is kept for that long: the same asked
    /// again is told what came of it, `Yes` once, and `Late` from then on where nobody had answered.
    async fn ask(&self, question: &Question, limit: Duration) -> Consented;
}
