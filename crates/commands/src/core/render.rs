//! How what a command gives is shown.

use handeye_scene::{Hint, Verdict};

/// How an output is shown as text. Programs get the same value as JSON.
pub trait Render {
    /// Text for people and models, without a final newline.
    fn render(&self) -> String;

    /// Commands to run next, which the text doesn't say: each front end writes them in its own way.
    fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }

    /// Whether what was asked for is confirmed; decides between exit status 0 and 1.
    fn verdict(&self) -> Verdict {
        Verdict::Confirmed
    }
}

/// A number with what it counts: `1 request`, `2 requests`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

impl Render for String {
    fn render(&self) -> String {
        self.clone()
    }
}
