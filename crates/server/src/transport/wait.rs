//! Waiting for what nothing tells of.

use std::time::{Duration, Instant};

/// Between two looks.
const NAP: Duration = Duration::from_millis(10);

/// Looks again and again until something is there, at least once, at most until `deadline`; none where it didn't come.
pub(crate) fn wait_until<T, E>(
    deadline: Instant,
    mut look: impl FnMut() -> Result<Option<T>, E>,
) -> Result<Option<T>, E> {
    loop {
        let found = look()?;
        if found.is_some() || Instant::now() >= deadline {
            return Ok(found);
        }
        std::thread::sleep(NAP);
    }
}
