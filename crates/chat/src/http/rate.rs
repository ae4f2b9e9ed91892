//! How many requests each user may make: a bucket that fills as time passes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Users that are remembered; beyond that, those whose buckets are full are forgotten.
const USERS: usize = 10_000;

/// The buckets.
pub(super) struct Rates {
    per_minute: f64,
    buckets: Mutex<HashMap<String, Bucket>>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Rates {
    pub(super) fn new(per_minute: u32) -> Self {
        Self { per_minute: f64::from(per_minute.max(1)), buckets: Mutex::default() }
    }

    /// Takes one from a user's bucket; else the seconds until there is one.
    pub(super) fn take(&self, user: &str, now: Instant) -> Result<(), u32> {
        let per_second = self.per_minute / 60.0;
        let filled = |bucket: &Bucket| {
            (bucket.left + now.saturating_duration_since(bucket.at).as_secs_f64() * per_second).min(self.per_minute)
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= USERS && !buckets.contains_key(user) {
            buckets.retain(|_, bucket| filled(bucket) < self.per_minute);
        }
        if buckets.len() >= USERS && !buckets.contains_key(user) {
            return Err(60);
        }
        let bucket = buckets.entry(user.to_owned()).or_insert(Bucket { left: self.per_minute, at: now });
        (bucket.left, bucket.at) = (filled(bucket), now);
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        Err(((1.0 - bucket.left) / per_second).ceil().max(1.0) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let (rates, start) = (Rates::new(60), Instant::now());
        for _ in 0..60 {
            assert_eq!(rates.take("ann", start), Ok(()));
        }
        assert_eq!(rates.take("ann", start), Err(1));
        assert_eq!(rates.take("bob", start), Ok(()));
        assert_eq!(rates.take("ann", start + Duration::from_secs(2)), Ok(()));
        assert_eq!(rates.take("ann", start + Duration::from_secs(2)), Ok(()));
        assert_eq!(rates.take("ann", start + Duration::from_secs(2)), Err(1));
    }
}
