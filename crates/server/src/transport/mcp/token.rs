//! Words that nobody guesses: what clients over HTTP show, and what a client comes back with to a call that waits.

use handeye_scene::{Code, Problem};

/// 128 bits of the system's own chance, as 32 digits.
pub fn token() -> Result<String, Problem> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| Problem::new(Code::Unavailable, format!("the system gives no random numbers: {e}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
