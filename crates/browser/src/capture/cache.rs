//! What was last told of a document, used again while nothing in it has changed.
//!
//! The page script says whether what it can compare still holds (`page/capture/cache.js`). The rest, whatever any rule, script or
//! pointer does to style and layout, shows in the browser's own counts of that work: they are asked for behind the look, which
//! brings both up to date first. Only when both agree is the earlier look used. Of one that doesn't hold as a whole, the members of
//! long lists outside the viewport are used that the script finds unchanged (`page/capture/subtree-cache.js`).

use super::raw::Look;
use crate::cdp::link::Link;
use crate::cdp::transport::PendingReply;
use handeye_scene::{DocumentId, Want};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long the counts may take behind the look they belong to: without them it isn't kept.
const COUNTS_LIMIT: Duration = Duration::from_millis(300);

/// A look that may hold still.
#[derive(Debug, Clone)]
pub(crate) struct CachedLook {
    /// By what the page script knows it.
    pub(crate) token: u32,
    pub(crate) want: Want,
    /// The work done when it was had; none: some was done meanwhile, so that it doesn't hold as a whole.
    pub(crate) work: Option<Work>,
    pub(crate) look: Look,
}

/// How often style was computed and layout done in the documents of one session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Work {
    styles: f64,
    layouts: f64,
}

/// The counts of several sessions, asked for at one time.
pub(crate) type Counts = HashMap<String, PendingReply>;

#[derive(Deserialize)]
struct Metrics {
    metrics: Vec<Metric>,
}

#[derive(Deserialize)]
struct Metric {
    name: String,
    value: f64,
}

impl Metrics {
    fn get(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|m| m.name == name).map(|m| m.value)
    }
}

/// Asks for the counts of every session that has one of the documents.
pub(crate) fn ask_work(link: &Link, documents: &[(String, DocumentId)]) -> Counts {
    let mut asked = Counts::new();
    for (_, document) in documents {
        let Some(session) = link.model().pages.document(*document).map(|d| d.session.clone()) else { continue };
        let connection = &link.connection;
        asked.entry(session).or_insert_with_key(|s| connection.send(Some(s), "Performance.getMetrics", json!({})));
    }
    asked
}

/// The counts by session; those that don't come are left out.
pub(crate) async fn read_work(link: &Link, asked: Counts) -> HashMap<String, Work> {
    let deadline = Instant::now() + COUNTS_LIMIT;
    let mut read = HashMap::new();
    for (session, pending) in asked {
        let Ok(metrics) = link.answer_by::<Metrics>(pending, deadline, COUNTS_LIMIT).await else { continue };
        let (styles, layouts) = (metrics.get("RecalcStyleCount"), metrics.get("LayoutCount"));
        if let (Some(styles), Some(layouts)) = (styles, layouts) {
            read.insert(session, Work { styles, layouts });
        }
    }
    read
}
