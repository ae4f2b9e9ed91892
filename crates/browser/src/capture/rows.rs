//! What the rows of controls are about, where a look left it out.

use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::page_call::PageError;
use handeye_scene::{Capture, DocumentId, NativeId, NodeKind, Problem, RowLabel};
use serde_json::json;
use std::collections::HashMap;

/// Adds to the nodes of one capture what the rows are about that another tells of.
pub(crate) fn take_rows(capture: &mut Capture, told: &Capture) {
    let rows: HashMap<NativeId, &RowLabel> =
        told.nodes.iter().filter_map(|n| Some((n.id?, n.extra.row.as_ref()?))).collect();
    for node in &mut capture.nodes {
        node.extra.row = node.id.and_then(|id| rows.get(&id)).map(|row| (*row).clone());
    }
}

/// Adds to what was just looked at what some rows are about; false: one of the documents is another by now.
pub(crate) async fn rows_of(link: &Link, capture: &mut Capture, of: &[NativeId]) -> Result<bool, Problem> {
    let mut numbers: HashMap<DocumentId, Vec<u32>> = HashMap::new();
    for id in of {
        numbers.entry(id.document()).or_default().push(id.number());
    }
    let mut rows: HashMap<NativeId, RowLabel> = HashMap::new();
    for (document, numbers) in numbers {
        match link.page_call::<Option<Vec<(u32, RowLabel)>>>(document, "rowsOf", &[json!(numbers)], CALL_LIMIT).await {
            Ok(Some(told)) => rows.extend(told.into_iter().map(|(n, row)| (NativeId::new(document, n), row))),
            Ok(None) | Err(PageError::Gone) => return Ok(false),
            Err(PageError::Problem(problem)) => return Err(problem),
        }
    }
    for node in capture.nodes.iter_mut().filter(|n| n.kind == NodeKind::Operable) {
        if let Some(row) = node.id.and_then(|id| rows.remove(&id)) {
            node.extra.row = Some(row);
        }
    }
    Ok(true)
}
