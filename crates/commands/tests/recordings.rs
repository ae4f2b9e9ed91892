//! Bugs that were recorded: each recording of `fixtures/recordings` is played, and must come to the same receipts.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss

use handeye_commands::dispatch::playback::{Played, play};
use serde_json::Value;

const LATE: &str = include_str!("../../../fixtures/recordings/late-effect.jsonl");

/// What one click begins is seen while the next one is judged: it was credited to that one without a word.
#[tokio::test]
async fn an_effect_that_comes_late_is_not_credited_to_the_next_click_unsaid() {
    assert_eq!(play(LATE).await, Ok(Played { alike: 6, left_out: 0 }));
    let says = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["response"]["result"]["notices"].to_string().contains("\"late\"")
    };
    assert_eq!(LATE.lines().filter(|line| says(line)).count(), 1, "the recording holds no such click");
}
