//! What a daemon tells whoever started it.

use crate::transport::system;
use handeye_scene::Problem;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// What a daemon tells its starter, as one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Started {
    /// The socket is there.
    Ready,
    /// It couldn't be.
    Failed(Problem),
}

/// Tells the starter how it went, and lets go of the pipe.
pub(crate) fn tell(started: &Started) {
    let mut line = serde_json::to_vec(started).unwrap_or_default();
    line.push(b'\n');
    let mut pipe = io::stdout();
    // A starter that is gone is noticed elsewhere.
    let _ = pipe.write_all(&line).and_then(|()| pipe.flush());
    system::drop_output();
}
