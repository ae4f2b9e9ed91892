//! A text as the lines that differ from those of the one before.

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp};
use std::time::{Duration, Instant};

/// How long it is looked for the shortest difference; a longer one is right as well.
const LOOK: Duration = Duration::from_millis(200);

/// The lines of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lines {
    /// All of them.
    Whole(Vec<String>),
    /// What makes them of those of the text before.
    Change(Vec<Step>),
}

/// A step from one text to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Step {
    /// How many lines stay; where it is negative, how many go.
    Count(i64),
    /// These come.
    Add(Vec<String>),
}

/// What makes one text of another.
pub fn between(before: &[String], after: &[String]) -> Lines {
    let until = Instant::now().checked_add(LOOK);
    let ops = similar::capture_diff_slices_deadline(Algorithm::Myers, before, after, until);
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let added = |at: usize, n: usize| Step::Add(after.iter().skip(at).take(n).cloned().collect());
    let mut steps = Vec::new();
    for op in ops {
        match op {
            DiffOp::Equal { len, .. } => steps.push(Step::Count(count(len))),
            DiffOp::Delete { old_len, .. } => steps.push(Step::Count(-count(old_len))),
            DiffOp::Insert { new_index, new_len, .. } => steps.push(added(new_index, new_len)),
            DiffOp::Replace { old_len, new_index, new_len, .. } => {
                steps.push(Step::Count(-count(old_len)));
                steps.push(added(new_index, new_len));
            }
        }
    }
    Lines::Change(steps)
}

/// The text that lines make of the one before; none where they are of another.
pub fn after(before: &[String], lines: &Lines) -> Option<Vec<String>> {
    let steps = match lines {
        Lines::Whole(lines) => return Some(lines.clone()),
        Lines::Change(steps) => steps,
    };
    let (mut out, mut rest) = (Vec::new(), before);
    for step in steps {
        match step {
            Step::Count(n) => {
                let (these, others) = rest.split_at_checked(usize::try_from(n.unsigned_abs()).ok()?)?;
                if *n > 0 {
                    out.extend_from_slice(these);
                }
                rest = others;
            }
            Step::Add(lines) => out.extend_from_slice(lines),
        }
    }
    rest.is_empty().then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(before: &[String], lines: &Lines) -> Vec<String> {
        assert!(matches!(lines, Lines::Change(_)), "it is a change");
        after(before, lines).expect("it is of the text before")
    }

    #[test]
    fn steps_make_one_text_of_the_other() {
        let texts = ["", "a\nb\nc", "a\nx\nc", "c\nb\na", "登录\na\nb\nc\nd", "a\na\na\na", "b"];
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        for before in texts {
            for after in texts {
                let (before, after) = (lines(before), lines(after));
                assert_eq!(applied(&before, &between(&before, &after)), after);
            }
        }
        let (before, after) = (lines("a\nb\nc"), lines("a\nc\nd"));
        let written = serde_json::to_string(&between(&before, &after)).expect("it can be written");
        assert_eq!(written, r#"{"change":[1,-1,1,["d"]]}"#);
        let read: Lines = serde_json::from_str(&written).expect("it can be read");
        assert_eq!(applied(&before, &read), after);
        assert_eq!(super::after(&before[1..], &read), None);
    }
}
