//! Locks on files that are waited for only so long.

use crate::transport::wait::wait_until;
use std::fs::{File, TryLockError};
use std::io;
use std::time::Instant;

/// Locks a file by `deadline`; whether that came about. A lock can be waited for without a limit or asked for at once, nothing
/// between.
pub(crate) fn locked_by(file: &File, deadline: Instant) -> io::Result<bool> {
    let locked = wait_until(deadline, || match file.try_lock() {
        Ok(()) => Ok(Some(())),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(e)) => Err(e),
    });
    Ok(locked?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_lock_that_someone_keeps_is_waited_for_only_so_long() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("lock");
        let held = File::create(&path)?;
        held.lock()?;
        let began = Instant::now();
        assert!(!locked_by(&File::open(&path)?, began + Duration::from_millis(60))?);
        assert!(began.elapsed() < Duration::from_secs(5));
        drop(held);
        assert!(locked_by(&File::open(&path)?, Instant::now())?);
        Ok(())
    }
}
