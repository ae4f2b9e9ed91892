//! How much of a table a test tries: all of it takes hours.

/// Whether everything is to be tried, not a sample: `HANDEYE_TRIALS` is `full`.
pub fn is_full() -> bool {
    std::env::var("HANDEYE_TRIALS").is_ok_and(|said| said == "full")
}

/// How many trials a test makes: `short` by default, `full` when `HANDEYE_TRIALS` is `full`, else the number that it holds.
pub fn trials(short: usize, full: usize) -> usize {
    match std::env::var("HANDEYE_TRIALS") {
        Ok(text) if text == "full" => full,
        Ok(text) => text.parse().unwrap_or(short),
        Err(_) => short,
    }
}

/// Of the cases of a table one in so many. Where the innermost loop's length has no divisor in common with that number,
/// each of its cases is tried, each time with others of the loops around it.
#[derive(Debug)]
pub struct Sample {
    one_in: usize,
    seen: usize,
}

impl Sample {
    /// One case in `number`; all of them where everything is to be tried.
    pub fn one_in(number: usize) -> Self {
        Self { one_in: if is_full() { 1 } else { number.max(1) }, seen: 0 }
    }

    /// Whether the next case of the table is tried.
    pub fn takes(&mut self) -> bool {
        self.seen += 1;
        (self.seen - 1).is_multiple_of(self.one_in)
    }
}
