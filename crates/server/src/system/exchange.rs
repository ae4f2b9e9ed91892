//! One line sent, one line read, each within its limit.

use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, Instant};

/// Sends one line and reads one; none when the connection ended without it.
///
/// Where the stream has limits of its own, `waiting` is asked at each whether to wait on.
pub(super) fn ask(
    stream: &mut (impl Read + Write),
    line: &[u8],
    mut waiting: impl FnMut() -> io::Result<()>,
) -> io::Result<Option<Vec<u8>>> {
    let sent = stream.write_all(line);
    if sent.as_ref().is_err_and(is_late) {
        return Err(io::Error::new(
            ErrorKind::TimedOut,
            "it takes nothing of what is sent: its process may be stopped",
        ));
    }
    let mut answer = Vec::new();
    let mut chunk = [0; 64 * 1024];
    loop {
        let n = match stream.read(&mut chunk) {
            Ok(n) => n,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) if is_late(&e) => {
                waiting()?;
                continue;
            }
            // The daemon's process ended with our line unread.
            Err(e) if is_cut(&e) => 0,
            Err(e) => return Err(e),
        };
        if n == 0 {
            return match sent {
                Err(e) if !is_cut(&e) => Err(e),
                _ => Ok(None),
            };
        }
        let Some(read) = chunk.get(..n) else { continue };
        answer.extend_from_slice(read);
        if read.last() == Some(&b'\n') {
            return Ok(Some(answer));
        }
    }
}

/// How long a daemon that is asked for an answer is left alone before it is asked whether it is there.
pub(super) const STEP: Duration = Duration::from_secs(3);
/// So often it may not say so: a machine may be busy.
const MISSES: u32 = 3;

/// A wait for an answer.
pub(super) struct Wait<'a> {
    since: Instant,
    limit: Duration,
    misses: u32,
    is_there: &'a dyn Fn() -> bool,
}

impl<'a> Wait<'a> {
    pub(super) fn new(limit: Duration, is_there: &'a dyn Fn() -> bool) -> Self {
        Self { since: Instant::now(), limit, misses: 0, is_there }
    }

    /// After another step without an answer: whether to wait on.
    pub(super) fn step(&mut self) -> io::Result<()> {
        let late = |what: String| Err(io::Error::new(ErrorKind::TimedOut, what));
        if self.since.elapsed() >= self.limit {
            return late(format!("no answer came within {:?}", self.limit));
        }
        self.misses = if (self.is_there)() { 0 } else { self.misses + 1 };
        if self.misses >= MISSES {
            let waited = self.since.elapsed().as_secs();
            return late(format!("it has said nothing for {waited} s, to pings either: its process may be stopped"));
        }
        Ok(())
    }
}

fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

fn is_cut(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)
}
