//! The machine's time, for what is driven without a daemon.

use handeye_scene::Clock;
use std::time::{Duration, Instant};

/// Time since it was made; its date stands still.
pub struct MachineClock(pub Instant);

#[async_trait::async_trait]
impl Clock for MachineClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
    fn timestamp(&self) -> String {
        "2026-01-01T00:00:00Z".into()
    }
    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}
