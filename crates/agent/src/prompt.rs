//! What the model is told above the conversation. The text is a file of `prompts/`; its first line is its name and version.

const AGENT: &str = include_str!("prompts/agent.md");

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Its name and version, such as `agent/do 3`.
    pub version: &'static str,
    /// The text.
    pub text: &'static str,
}

/// What a model that works on a task is told.
pub fn agent() -> Prompt {
    let (version, text) = AGENT.split_once('\n').unwrap_or(("", AGENT));
    Prompt { version, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_has_a_version_and_the_rules_about_icons_and_marks() {
        let Prompt { version, text } = agent();
        assert_eq!(version, "agent/do 5");
        assert!(!text.contains(version), "the version is no part of the text");
        for rule in [
            "described in words",
            "held to what the state shows",
            "`mark_ids`, `expected_texts` and `reasoning` go together",
        ] {
            let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(rule), "{rule}");
        }
        assert!(text.contains("=====data"), "fences are told of");
    }
}
