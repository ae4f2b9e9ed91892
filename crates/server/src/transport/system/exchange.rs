//! One line sent, one line read, each within its limit; in between, questions that are answered.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is sent back for a line: the answer to a question, empty where it stays without one; none for a line that is the answer
/// to the call.
pub(crate) type Replies = Arc<dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync>;

/// Sends one line and reads one; none when the connection ended without it. Lines before it that `replies` answers are answered.
///
/// Where the stream has limits of its own, `waiting` is asked at each whether to wait on.
pub(super) fn ask(
    stream: &mut (impl Read + Write),
    line: &[u8],
    replies: &Replies,
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
        let mut from = answer.len();
        answer.extend_from_slice(read);
        while let Some(end) = answer.get(from..).and_then(|new| new.iter().position(|byte| *byte == b'\n')) {
            let rest = answer.split_off(from + end + 1);
            let Some(reply) = replies(&answer) else { return Ok(Some(answer)) };
            // A call that ended meanwhile has its answer on the way, or its end.
            let _ = stream.write_all(&reply);
            (answer, from) = (rest, 0);
        }
    }
}

/// How long a daemon that is asked for an answer is left alone before it is asked whether it is there.
pub(super) const STEP: Duration = Duration::from_secs(3);
/// How often a call that can be cancelled asks whether it was.
const TICK: Duration = Duration::from_millis(100);
/// So often it may not say so: a machine may be busy.
const MISSES: u32 = 3;

/// What is asked while a call waits for its answer.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    /// Whether the daemon answers others.
    pub(crate) is_there: &'a dyn Fn() -> bool,
    /// Whether the caller gave the call up; none when it can't.
    pub(crate) cancelled: Option<&'a dyn Fn() -> bool>,
}

/// A wait for an answer.
pub(super) struct Wait<'a> {
    since: Instant,
    /// When the daemon was last asked whether it is there.
    asked: Instant,
    limit: Duration,
    misses: u32,
    watch: Watch<'a>,
}

impl<'a> Wait<'a> {
    pub(super) fn new(limit: Duration, watch: Watch<'a>) -> Self {
        let now = Instant::now();
        Self { since: now, asked: now, limit, misses: 0, watch }
    }

    /// How long one step may take.
    pub(super) fn pace(&self) -> Duration {
        self.limit.min(if self.watch.cancelled.is_some() { TICK } else { STEP })
    }

    /// After another step without an answer: whether to wait on.
    pub(super) fn step(&mut self) -> io::Result<()> {
        let late = |what: String| Err(io::Error::new(ErrorKind::TimedOut, what));
        if self.watch.cancelled.is_some_and(|cancelled| cancelled()) {
            return Err(io::Error::new(ErrorKind::ConnectionAborted, "the call was cancelled"));
        }
        if self.since.elapsed() >= self.limit {
            return late(format!("no answer came within {:?}", self.limit));
        }
        // A step may end a moment early.
        if self.asked.elapsed() + TICK < STEP.min(self.limit) {
            return Ok(());
        }
        self.asked = Instant::now();
        self.misses = if (self.watch.is_there)() { 0 } else { self.misses + 1 };
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
