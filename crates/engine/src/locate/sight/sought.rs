//! What is sought, and what a search of one view comes to.

use crate::locate::crosshair::search::Reason;
use crate::wording::roles;
use handeye_scene::{Code, Hint, NativeId, Problem};
use std::ops::RangeInclusive;
use std::time::Duration;

/// What is sought, and what the search is held to.
#[derive(Debug, Clone)]
pub struct Sought {
    /// The element in words.
    pub description: String,
    /// Only elements of this ARIA role.
    pub role: Option<String>,
    /// Only what lies inside this element, or from it to a second.
    pub within: Option<(NativeId, Option<NativeId>)>,
    /// Only what is in view: nothing is scrolled.
    pub visible: bool,
    /// Search the picture itself, whatever elements there are.
    pub pixels: bool,
    /// Questions at most.
    pub max_steps: usize,
    /// How closely the edges of what is no element are searched for, in pixels of the surface.
    pub precision: f64,
    /// How probable a candidate must be to be returned.
    pub confidence: f64,
    /// How often the model is taken to err about one line.
    pub error: f64,
    /// The longest side of a picture that the model is shown, in pixels.
    pub image: u32,
    /// How long all of it may take.
    pub limit: Duration,
    /// Whether to keep the pictures, for a record of the search.
    pub keeps_pictures: bool,
    /// Letters that a page can't foresee.
    pub nonce: String,
}

/// What a search among the candidates of one view came to.
pub(super) struct Among {
    pub(super) reason: Reason,
    pub(super) confidence: f64,
    pub(super) candidate: Option<usize>,
}

/// That what was found isn't any more what the model was shown.
pub(super) fn changed(sought: &Sought) -> Problem {
    let text = "what was found looks otherwise now than in the picture that was judged";
    Problem::new(Code::Stale, text).hint(sought.again(&[], &[]))
}

impl Sought {
    /// The command that looks for it again, as far as a line can say where, with these options besides and without those.
    pub fn again(&self, more: &[&str], without: &[&str]) -> Hint {
        let flag = |name: &'static str, is_set: bool| (is_set && !without.contains(&name)).then_some(name);
        let role = self.role.as_deref().filter(|_| !without.contains(&"--role")).map(|role| ["--role", role]);
        let flags = [flag("--visible", self.visible), flag("--pixels", self.pixels)];
        let words = role.into_iter().flatten().chain(flags.into_iter().flatten()).chain(more.iter().copied());
        let hint = words.fold(Hint::command("locate"), Hint::arg);
        // What begins as an option would be one.
        let hint = if self.description.starts_with('-') { hint.arg("--") } else { hint };
        hint.arg(&self.description)
    }
}

/// How probable a candidate may have to be.
const CONFIDENCE: RangeInclusive<f64> = 0.5..=0.9999;

/// What is wrong with a description or a limit, before anything is asked.
pub fn check(sought: &Sought) -> Result<(), Problem> {
    if crate::matching::normalize(&sought.description).is_empty() {
        return Err(Problem::new(Code::BadRequest, "what to look for is missing: describe the element in words")
            .hint("handeye locate \"the blue submit button\""));
    }
    if let Some(why) = sought.role.as_deref().and_then(roles::unknown) {
        return Err(Problem::new(Code::BadRequest, why).hint(sought.again(&[], &["--role"])));
    }
    if !CONFIDENCE.contains(&sought.confidence) {
        let (least, most) = CONFIDENCE.into_inner();
        let text = format!("a confidence of {} is none: give one from {least} to {most}", sought.confidence);
        return Err(Problem::new(Code::BadRequest, text).hint(sought.again(&["--confidence", "0.95"], &[])));
    }
    Ok(())
}
