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
/// each of its cases is tried, each time with others of the loops around it: as long as no loop around it, with all that is in
/// it, is a multiple of that number.
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

    /// The same, with this case of its first ones before all others: parts of a table that are tried apart each begin with another.
    pub fn beginning_at(mut self, number: usize) -> Self {
        self.seen = self.one_in - number % self.one_in;
        self
    }

    /// Whether the next case of the table is tried.
    pub fn takes(&mut self) -> bool {
        self.seen += 1;
        (self.seen - 1).is_multiple_of(self.one_in)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_case_is_tried_in_one_part_of_as_many() {
        if is_full() {
            return;
        }
        let parts: Vec<Vec<bool>> = (0..6)
            .map(|part| {
                let mut sample = Sample::one_in(3).beginning_at(part);
                (0..7).map(|_| sample.takes()).collect()
            })
            .collect();
        assert_eq!(parts[0], [true, false, false, true, false, false, true]);
        assert_eq!(parts[1], [false, true, false, false, true, false, false]);
        assert_eq!(parts[2], [false, false, true, false, false, true, false]);
        assert_eq!(parts[3..], parts[..3]);
    }
}
