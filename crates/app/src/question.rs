//! `extract` and `observe`: what a question of `agent` needs of this machine.

use crate::asked::Noting;
use crate::caller::By;
use crate::config::{self, Config};
use crate::learnt::File;
use crate::print;
use crate::task::{Fingers, listen, until};
use handeye_agent::{Brain, QuestionPorts, Thinking};
use handeye_commands::core::session::seconds;
use handeye_scene::{ModelAccess, Problem};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long it may take where nothing says so.
const LIMIT: Duration = Duration::from_secs(300);

/// Asks about what is in sight. `may_know`: it may be known without a model.
pub(crate) fn ask<T>(
    config: &Config,
    access: ModelAccess,
    by: &By<'_>,
    may_know: bool,
    question: impl FnOnce(&QuestionPorts<'_>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let keys = access.keys.clone();
    // What was learnt before needs none.
    let brain = if may_know { Brain::for_later(access) } else { Brain::new(access) }?;
    let brain = Noting::new(&brain, keys);
    let is_stopped = Arc::new(AtomicBool::new(false));
    let _ended = listen(is_stopped.clone())?;
    let cancelled = || is_stopped.load(Ordering::Relaxed) || by.cancelled.is_some_and(|cancelled| cancelled());
    let asks = by.asks.clone().map(|asks| until(asks, is_stopped.clone()));
    let hands = Fingers::new(by, &config.session, &cancelled, asks, Some(&brain));
    question(&QuestionPorts {
        hands: &hands,
        thinking: Thinking {
            brain: &brain,
            tell: &|line| print::progress(line, false),
            cancelled: &cancelled,
            limit: config.timeout.map_or(LIMIT, seconds),
        },
        learns: &File(config::learnt_file()),
    })
}
