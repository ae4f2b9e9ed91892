//! The port by which text and shapes in pixels are found on this machine.

use crate::{Claims, ModelsConfig, Picture, Problem};
use async_trait::async_trait;
use std::time::Duration;

/// Reads pictures without asking anybody. What it read of a surface it keeps, so that the next look reads what changed.
#[async_trait]
pub trait Reader: Send + Sync {
    /// Lines of text and boxes that look like controls, in surface coordinates. `config`: where the models that read text
    /// are. What there was no time for within `limit` is told in a note; where there are no models, `unavailable`.
    async fn read(&self, config: &ModelsConfig, picture: &Picture, limit: Duration) -> Result<Claims, Problem>;
}
