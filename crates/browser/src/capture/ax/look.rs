//! One document looked at by its accessibility tree, in the form in which the page script tells its own look.

use super::frames::Framed;
use super::nodes::{Described, holder_of, is_asked, rows};
use super::{resolve, tree};
use crate::capture::raw::Look;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::page_call::PageError;
use handeye_scene::{DocumentId, Want};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long the tree of the main document may take; of one inside it, which a look can do without, [`CALL_LIMIT`].
const MAIN_LIMIT: Duration = Duration::from_secs(30);
/// What the page script says of its document.
#[derive(Deserialize)]
struct About {
    url: String,
    title: String,
    width: f64,
    height: f64,
    scale: f64,
}

pub(crate) async fn look(link: &Link, frame: &str, document: DocumentId, want: Want) -> Result<Look, PageError> {
    let framed = {
        let model = link.model();
        let session = model.pages.document(document).map(|d| d.session.clone()).ok_or(PageError::Gone)?;
        let first = model.pages.sessions.get(&session).is_some_and(|first| first == frame);
        Framed { id: frame.into(), session, first, document: Some(document), ..Framed::default() }
    };
    let limit = if link.model().pages.is_main(document) { MAIN_LIMIT } else { CALL_LIMIT };
    let pending = tree::ask_ax_tree(link, &framed);
    let mut ends = Vec::new();
    for id in [want.scope, want.until].into_iter().flatten().filter(|id| id.document() == document) {
        ends.push(resolve::focus_of(link, id, std::slice::from_ref(&framed)).await?.1);
    }
    let nodes = tree::ax_tree(link, &framed, pending, Instant::now() + limit, limit).await?;
    let mut backends: Vec<i64> = nodes.iter().filter(|n| is_asked(n)).filter_map(|n| n.backend).collect();
    backends.sort_unstable();
    backends.dedup();
    let asked = json!({ "detail": want.detail });
    let told: Vec<Option<Described>> =
        resolve::with_nodes(link, document, &backends, "(want, ...nodes) => handeye.describe(want, ...nodes)", &asked)
            .await?;
    let described: HashMap<i64, Described> =
        backends.into_iter().zip(told).filter_map(|(backend, told)| Some((backend, told?))).collect();
    let About { url, title, width, height, scale } = link.page_call(document, "about", &[], CALL_LIMIT).await?;
    let mut look = Look { url, title, width, height, scale, hosts: Vec::new(), rows_left: false, nodes: Vec::new() };
    let from = if ends.is_empty() { None } else { holder_of(&nodes, &ends) };
    // A scope that the tree doesn't have shows nothing.
    if from.is_none() && !ends.is_empty() {
        return Ok(look);
    }
    look.nodes = rows(&nodes, from, &described);
    Ok(look)
}
