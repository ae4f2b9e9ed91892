//! Modal dialogs that keep a person from what is in a frame.

use crate::capture::Placed;
use crate::probe::{Called, as_cover, chain};
use crate::surface::{Browser, CALL_LIMIT, PageError};
use handeye_scene::{Cover, DocumentId, Problem};
use serde_json::json;
use std::collections::HashMap;

impl Browser {
    /// The modal dialog of a document above that keeps a person from a frame.
    pub(crate) async fn behind_above(
        &self,
        document: DocumentId,
        places: &HashMap<DocumentId, Placed>,
    ) -> Result<Option<Cover>, Problem> {
        for placed in chain(document, places) {
            let (Some(parent), Some(owner)) = (placed.parent, placed.owner) else { continue };
            match self.page::<Option<Called>>(parent, "behindOf", &[json!(owner)], CALL_LIMIT).await {
                Ok(Some(called)) => return Ok(Some(as_cover(parent, called))),
                Ok(None) | Err(PageError::Gone) => {}
                Err(PageError::Problem(problem)) => return Err(problem),
            }
        }
        Ok(None)
    }
}
