//! What needs no browser of its own, one after the other in one: to launch it takes longer than most of them. By
//! `cargo xtask test --full` each runs alone, too.

use crate::panel::SHOP;
use crate::stage::Stage;
use crate::{attacks, capture, faults, frames, stale, styles, tools};

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_says_what_it_did() {
    let stage = Stage::on("").await;
    tools::elements(&stage).await;
    tools::thirty(&stage).await;
    tools::more(&stage).await;
    tools::descriptions(&stage).await;
    tools::fills(&stage).await;
    tools::changed_values(&stage).await;
    tools::clicks(&stage).await;
    tools::relabelled(&stage).await;
    tools::choices(&stage).await;
    tools::scrolls(&stage).await;
    tools::reads(&stage).await;
    tools::shadows(&stage).await;
    tools::batches(&stage).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_seen_as_it_is_and_acted_on_as_it_was_shown() {
    let stage = Stage::on(SHOP).await;
    faults::reads_markdown(&stage).await;
    capture::same_captures(&stage).await;
    capture::calls_that_read(&stage).await;
    frames::frames_in_a_batch(&stage).await;
    frames::covered_frames(&stage).await;
    styles::styles(&stage).await;
    styles::forbidden_styles(&stage).await;
    stale::tickets(&stage).await;
    stale::digits(&stage).await;
    stale::counters(&stage).await;
    stale::approvals(&stage).await;
    attacks::hidden_properties(&stage).await;
    attacks::another_page(&stage).await;
    attacks::relabelled(&stage).await;
}
