//! What was done so far, for a model that can't see it in the conversation any more: after a run that was ended, and after old turns
//! were dropped.

use handeye_engine::wording::shown;
use handeye_scene::task::Step;
use std::fmt::Write;

use crate::result::UNKNOWN;

/// How many of the last steps are told.
const LAST: usize = 30;
/// Characters of what a step was done to.
const TEXT: usize = 120;

/// The steps that were done, or may have been, in lines behind the ledger's; nothing where there are none.
pub fn lines(steps: &[Step]) -> String {
    let done: Vec<&Step> = steps.iter().filter(|step| step.done).collect();
    let mut out = String::new();
    if !done.is_empty() {
        out.push_str("\nsteps that were done:");
    }
    for step in &done[done.len().saturating_sub(LAST)..] {
        let _ = write!(out, "\n  step {}, {}: {}", step.number, words(step), outcome(step));
    }
    out
}

/// The command, and what it was done to. Texts from outside are in quotes.
fn words(step: &Step) -> String {
    let aim = step.target.as_deref().map(|target| shown::line(target, TEXT));
    let expected = || step.arguments.get("expect").and_then(|text| text.as_str()).map(|text| shown::quote(text, TEXT));
    match aim.or_else(expected) {
        Some(aim) => format!("{} {aim}", step.command),
        None => step.command.clone(),
    }
}

fn outcome(step: &Step) -> &str {
    match step.verdict.as_str() {
        UNKNOWN => "the run ended in it, and nobody knows whether it was done; look before you do it again",
        verdict => verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(number: u32, verdict: &str, done: bool) -> Step {
        Step {
            number,
            command: "click".into(),
            arguments: json!({"ref": 3, "expect": "Place order"}),
            target: (verdict != UNKNOWN).then(|| "button \"Add\"".into()),
            says: Vec::new(),
            verdict: verdict.into(),
            done,
            page: String::new(),
        }
    }

    #[test]
    fn what_may_have_been_done_is_told_and_what_was_refused_is_not() {
        assert_eq!(lines(&[]), "");
        assert_eq!(lines(&[step(1, "stale", false)]), "");
        let told = lines(&[step(1, "confirmed", true), step(2, "stale", false), step(3, UNKNOWN, true)]);
        assert!(told.contains("step 1, click button \"Add\": confirmed") && !told.contains("step 2"), "{told}");
        assert!(told.contains("step 3, click \"Place order\": ") && told.contains("nobody knows"), "{told}");
        let many: Vec<Step> = (1..=100).map(|number| step(number, "confirmed", true)).collect();
        assert!(lines(&many).lines().count() <= LAST + 2 && lines(&many).contains("step 100,"));
    }
}
