//! How long to wait before a request is sent again: exponential backoff with full jitter (AWS Architecture Blog, 2015).

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// The longest wait before the second attempt.
const FIRST: Duration = Duration::from_millis(500);
/// The longest wait where a server asks for none.
const LONGEST: Duration = Duration::from_secs(20);

/// How long to wait after `attempt` attempts. `asked` is what the server's `Retry-After` says.
pub(crate) fn wait(attempt: u32, asked: Option<Duration>) -> Duration {
    // Asked again before that, it would refuse again.
    if let Some(asked) = asked {
        return asked;
    }
    let most = FIRST.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1))).min(LONGEST);
    // The standard library's only source of chance; good enough to spread requests.
    let chance = RandomState::new().build_hasher().finish() % 1000;
    most.mul_f64((chance as f64 + 1.0) / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_left_alone_for_as_long_as_it_asks() {
        for seconds in [0, 1, 20, 21, 90] {
            let asked = Duration::from_secs(seconds);
            assert_eq!(wait(1, Some(asked)), asked);
        }
        assert!((1..40).all(|attempt| wait(attempt, None) <= LONGEST));
    }
}
