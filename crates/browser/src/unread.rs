//! What looks have left unread, see `page/unread.js`.

use crate::surface::{Browser, FRAME_LIMIT};
use handeye_scene::Unread;
use serde_json::json;
use tokio::time::Instant;

impl Browser {
    /// Has the looks that follow read more; false: it can't be told what.
    pub(crate) async fn read_on(&self, what: &Unread) -> bool {
        let deadline = self.in_time(Instant::now() + FRAME_LIMIT);
        let asked: Vec<_> = match what {
            Unread::Saying(words) => {
                let documents = self.shared.world().readable_documents();
                let ask = |(_, document)| self.ask(document, "readSaying", &[json!(words)]);
                documents.into_iter().map(ask).collect()
            }
            Unread::Between(first, last, targets) => {
                let numbers = [json!(first.number()), json!(last.number()), json!(targets)];
                vec![self.ask(first.document(), "readBetween", &numbers)]
            }
        };
        let mut can_tell = true;
        for ticket in asked {
            let Ok(ticket) = ticket else { continue };
            can_tell &= self.told_by(ticket, deadline, FRAME_LIMIT).await.unwrap_or(false);
        }
        can_tell
    }
}
