//! What the operating systems do each in their own way: the endpoint where daemons are called, the folder that is closed to
//! others, the record that tells whether a daemon lives, and letting go of whoever started one.
//!
//! Both sides give the same names: an address, a listener, its two halves, and the functions below them.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;

use std::io::{self, ErrorKind, Read, Write};

/// Why there is no connection.
pub(crate) enum Unconnected {
    /// Nobody listens.
    Nobody,
    /// It is someone else's: who, in words.
    Stranger(String),
    /// It can't be told.
    Failed(io::Error),
}

impl From<io::Error> for Unconnected {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Why a folder can't be used as one that is closed to others.
pub(crate) enum Unfit {
    /// It can't be made.
    Unmade(io::Error),
    /// It isn't closed to others, or not a folder at all: why, and what helps.
    Open { why: String, hint: Option<String> },
}

impl Unfit {
    fn because(why: impl ToString) -> Self {
        Self::Open { why: why.to_string(), hint: None }
    }
}

/// Sends one line and reads one; none when the connection ended without it.
fn ask(stream: &mut (impl Read + Write), line: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let sent = stream.write_all(line);
    let mut answer = Vec::new();
    let mut chunk = [0; 64 * 1024];
    loop {
        let n = match stream.read(&mut chunk) {
            Ok(n) => n,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
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

fn is_cut(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)
}
