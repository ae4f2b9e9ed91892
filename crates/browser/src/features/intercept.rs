//! Stopping requests: putting rules, passwords and bounds in force.

use crate::cdp::link::{CALL_LIMIT, Link};
use handeye_scene::Problem;
use serde_json::Value;

/// Puts what is to be stopped in force in every session.
pub(crate) async fn apply(link: &Link) -> Result<(), Problem> {
    let (calls, (method, params)) = {
        let model = link.model();
        (model.network.intercept.calls(), model.network.intercept.below())
    };
    link.call::<Value>(None, method, params, CALL_LIMIT).await?;
    link.call_everywhere(&calls).await
}
