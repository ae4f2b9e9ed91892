//! How what a command gives is shown.

use handeye_scene::Verdict;

/// How an output is shown as text. Programs get the same value as JSON.
pub trait Render {
    /// Text for people and models, without a final newline.
    fn render(&self) -> String;

    /// Whether what was asked for is confirmed; decides between exit status 0 and 1.
    fn verdict(&self) -> Verdict {
        Verdict::Confirmed
    }
}

impl Render for String {
    fn render(&self) -> String {
        self.clone()
    }
}
