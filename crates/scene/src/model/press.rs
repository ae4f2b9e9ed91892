//! What a press would set off, in words, and the rules of the policy that name such targets.

use crate::{HeldText, Probe, normalize};
use serde::{Deserialize, Serialize};

/// By what an element is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PressBy {
    /// A pointer.
    Pointer,
    /// A pointer that moves on while it is pressed.
    Drag,
    /// Keys that go to it.
    Keys,
    /// Enter, which may send a form by its button, too.
    Enter,
}

/// What takes a press, by all that it is called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pressed {
    /// ARIA role.
    pub role: String,
    /// Its name and whatever else it says or is called, the name first where it has one.
    pub words: Vec<String>,
}

impl Pressed {
    /// An element by itself, as a probe tells of it.
    pub fn of(probe: &Probe) -> Self {
        let texts = &probe.texts;
        let value = Some(&texts.value).filter(|_| probe.role == "button");
        let hint = probe.hint.as_ref();
        let said = probe.said.as_ref().map(|said| &said.text);
        let all = [&probe.name, &texts.text, &texts.title, &texts.alt].into_iter().chain(said).chain(value).chain(hint);
        let mut words: Vec<String> = Vec::new();
        for text in all.filter(|text| !text.is_empty()) {
            if !words.contains(text) {
                words.push(text.clone());
            }
        }
        Self { role: probe.role.clone(), words }
    }

    /// What a person reads of it.
    pub fn called(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }
}

/// A rule about targets: those of a role that are called so aren't pressed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetRule {
    /// As it was written.
    pub written: String,
    /// The role; none: any.
    pub role: Option<String>,
    /// What one of its texts reads.
    pub wording: HeldText,
    /// The origin of documents that it holds for, `desktop:` for windows; none: all.
    pub origin: Option<String>,
    /// A person may agree to it.
    pub asks: bool,
    /// What a person agreed to: these very texts, normalised.
    pub except: Vec<String>,
}

impl TargetRule {
    /// Whether it names what takes a press.
    pub fn names(&self, pressed: &Pressed) -> bool {
        let reads = |text: &str| self.wording.reads(text) && !self.except.contains(&normalize(text));
        self.role.as_ref().is_none_or(|role| *role == pressed.role)
            && (pressed.words.iter().any(|text| reads(text)) || pressed.words.is_empty() && reads(""))
    }

    /// Whether it holds for documents of an origin; where that can't be told, it may be meant.
    pub fn holds_at(&self, origin: Option<&str>) -> bool {
        match (self.origin.as_deref(), origin) {
            (None, _) | (Some(_), None) => true,
            (Some(own), Some(origin)) => own == origin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_a_role_and_any_of_the_texts() {
        let wording =
            HeldText { pieces: vec!["delete".into(), String::new()], gaps: vec!["[\\s\\S]*".into()], open: false };
        let rule = TargetRule { role: Some("button".into()), wording, ..TargetRule::default() };
        for (role, words, names) in [
            ("button", &["Delete"][..], true),
            ("button", &["Trash", "ＤＥＬＥＴＥ\u{200b}  all"], true),
            ("button", &["Undelete"], false),
            ("button", &[], false),
            ("link", &["Delete"], false),
        ] {
            let pressed = Pressed { role: role.into(), words: words.iter().map(|w| (*w).to_owned()).collect() };
            assert_eq!(rule.names(&pressed), names, "{role} {words:?}");
            let agreed = TargetRule { except: words.iter().map(|w| normalize(w)).collect(), ..rule.clone() };
            assert!(!agreed.names(&pressed), "{role} {words:?}");
        }
        assert!(rule.holds_at(None) && rule.holds_at(Some("null")));
        let bank = TargetRule { origin: Some("https://bank.example".into()), ..rule };
        assert!(bank.holds_at(Some("https://bank.example")) && bank.holds_at(None) && !bank.holds_at(Some("null")));
    }
}
