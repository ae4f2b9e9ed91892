//! What a step came to: what handeye said of it, held against what the eye saw.

use crate::run::Ran;
use serde_json::Value;

/// What handeye said of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// It has a verdict: `confirmed`, `no_effect`, `contradicted` or `unverifiable`.
    Verdict(String),
    /// It was refused or failed: the code of the problem.
    Problem(String),
    /// It ended well, and has no verdict to give.
    Nothing,
    /// What it printed is no answer.
    Garbled,
}

impl Said {
    /// What it said, and why.
    pub(super) fn read(ran: &Ran) -> (Self, String) {
        let text = if ran.stdout.trim().is_empty() { &ran.stderr } else { &ran.stdout };
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        if let Some(code) = value["error"]["code"].as_str() {
            return (Self::Problem(code.into()), value["error"]["message"].as_str().unwrap_or_default().into());
        }
        let reason = match value["reason"].as_str() {
            Some(reason) => reason.to_owned(),
            // What was taken for an effect is the reason of a confirmation.
            None => format!("{} {}", value["evidence"], value["changes"]).chars().take(500).collect(),
        };
        match value["verdict"].as_str() {
            Some(verdict) => (Self::Verdict(verdict.into()), reason),
            None if ran.code == Some(0) => (Self::Nothing, reason),
            None => (Self::Garbled, text.chars().take(300).collect()),
        }
    }

    pub(super) fn word(&self) -> &str {
        match self {
            Self::Verdict(word) | Self::Problem(word) => word,
            Self::Nothing => "done",
            Self::Garbled => "no answer",
        }
    }
}

/// What a step came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Right,
    /// It happened, or rightly did not, and handeye says the contrary.
    WronglyDenied,
    /// It did not happen, or not so, and handeye says that it did.
    WronglyConfirmed,
    /// It happened, and handeye doesn't know.
    Unverifiable,
    /// It was not done: refused, or failed with a code.
    Refused,
    /// It was not done, and handeye doesn't say otherwise; or it could not even be tried.
    NotDone,
}

impl Ending {
    pub(super) fn of(said: &Said, expected: &[String], holds: bool) -> Self {
        if !expected.is_empty() {
            return Self::of_other(said, expected, holds);
        }
        match said {
            Said::Problem(_) => Self::Refused,
            Said::Garbled => Self::NotDone,
            Said::Nothing => {
                if holds {
                    Self::Right
                } else {
                    Self::NotDone
                }
            }
            Said::Verdict(verdict) => match (verdict.as_str(), holds) {
                ("confirmed", true) => Self::Right,
                ("confirmed", false) => Self::WronglyConfirmed,
                ("unverifiable", true) => Self::Unverifiable,
                (_, true) => Self::WronglyDenied,
                (_, false) => Self::NotDone,
            },
        }
    }

    /// Where the right answer isn't `confirmed`: the check tells that things are as that answer says.
    fn of_other(said: &Said, expected: &[String], holds: bool) -> Self {
        match said {
            Said::Verdict(word) if word == "confirmed" && !expected.contains(word) => Self::WronglyConfirmed,
            _ if !holds => Self::NotDone,
            Said::Verdict(word) | Said::Problem(word) if expected.contains(word) => Self::Right,
            Said::Verdict(word) if word == "unverifiable" => Self::Unverifiable,
            Said::Verdict(_) => Self::WronglyDenied,
            Said::Problem(_) => Self::Refused,
            Said::Nothing | Said::Garbled => Self::NotDone,
        }
    }

    /// Whether what was asked for is done, so that the task goes on.
    pub(super) fn goes_on(self) -> bool {
        matches!(self, Self::Right | Self::WronglyDenied | Self::Unverifiable)
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::WronglyDenied => "wrongly denied",
            Self::WronglyConfirmed => "WRONGLY CONFIRMED",
            Self::Unverifiable => "unverifiable",
            Self::Refused => "refused",
            Self::NotDone => "not done",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(said: &Said, expected: &[&str], holds: bool) -> Ending {
        Ending::of(said, &expected.iter().map(|&word| word.into()).collect::<Vec<_>>(), holds)
    }

    #[test]
    fn what_is_said_is_held_against_what_is_so() {
        let verdict = |word: &str| Said::Verdict(word.into());
        let problem = |word: &str| Said::Problem(word.into());
        for (said, expected, holds, ending) in [
            (verdict("confirmed"), &[][..], true, Ending::Right),
            (verdict("confirmed"), &[], false, Ending::WronglyConfirmed),
            (verdict("no_effect"), &[], true, Ending::WronglyDenied),
            (verdict("contradicted"), &[], true, Ending::WronglyDenied),
            (verdict("no_effect"), &[], false, Ending::NotDone),
            (verdict("unverifiable"), &[], true, Ending::Unverifiable),
            (problem("blocked"), &[], true, Ending::Refused),
            (Said::Nothing, &[], true, Ending::Right),
            (Said::Nothing, &[], false, Ending::NotDone),
            (Said::Garbled, &[], true, Ending::NotDone),
            (verdict("no_effect"), &["no_effect"], true, Ending::Right),
            (verdict("no_effect"), &["no_effect"], false, Ending::NotDone),
            (verdict("confirmed"), &["no_effect"], true, Ending::WronglyConfirmed),
            (verdict("contradicted"), &["no_effect"], true, Ending::WronglyDenied),
            (problem("blocked"), &["blocked", "stale"], true, Ending::Right),
            (problem("timeout"), &["blocked"], true, Ending::Refused),
            (verdict("confirmed"), &["confirmed", "unverifiable"], true, Ending::Right),
        ] {
            assert_eq!(of(&said, expected, holds), ending, "{said:?} {expected:?} {holds}");
        }
    }

    #[test]
    fn an_answer_is_read() {
        let ran = |code, stdout: &str| Ran { code: Some(code), stdout: stdout.into(), stderr: String::new() };
        let read = |code, stdout| Said::read(&ran(code, stdout)).0;
        assert_eq!(read(1, r#"{"verdict": "no_effect"}"#), Said::Verdict("no_effect".into()));
        assert_eq!(read(2, r#"{"error": {"code": "stale", "message": ""}}"#), Said::Problem("stale".into()));
        assert_eq!(read(0, r#"{"targets": []}"#), Said::Nothing);
        assert_eq!(read(101, "thread panicked"), Said::Garbled);
    }
}
