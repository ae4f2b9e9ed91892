//! What the model was shown of each target, by its number.

use handeye_engine::matching::{contains, normalize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What targets were last shown to say.
#[derive(Debug, Default)]
pub struct Index {
    targets: BTreeMap<u64, Words>,
}

/// What one was shown to say.
#[derive(Debug, Default, Clone)]
struct Words {
    name: String,
    text: String,
    value: String,
}

impl Words {
    fn all(&self) -> impl Iterator<Item = &str> {
        [&self.name, &self.text, &self.value].into_iter().map(String::as_str).filter(|text| !normalize(text).is_empty())
    }
}

impl Index {
    /// Notes what an answer shows: lists of targets, and changes of them.
    pub fn note(&mut self, shown: &Value) {
        for target in shown.get("targets").and_then(Value::as_array).into_iter().flatten() {
            self.put(target);
        }
        for change in shown.get("changes").and_then(Value::as_array).into_iter().flatten() {
            self.change(change);
        }
    }

    fn put(&mut self, target: &Value) {
        let Some(number) = target.get("ref").and_then(Value::as_u64) else { return };
        let words = Words { name: text(target, "name"), text: text(target, "text"), value: text(target, "value") };
        self.targets.insert(number, words);
    }

    fn change(&mut self, change: &Value) {
        if let Some(target) = change.get("target") {
            return self.put(target);
        }
        let Some(number) = change.get("ref").and_then(Value::as_u64) else { return };
        let words = self.targets.entry(number).or_default();
        let now = text(change, "to");
        match change.get("property").and_then(Value::as_str) {
            Some("name") => words.name = now,
            Some("text") => words.text = now,
            Some("value") => words.value = now,
            _ => {}
        }
    }

    /// Whether it was shown without any text: then a description of it can be compared with nothing.
    pub fn is_textless(&self, number: u64) -> bool {
        self.targets.get(&number).is_some_and(|words| words.all().next().is_none())
    }

    /// Whether a number is that of a target that was shown.
    pub fn holds(&self, number: u64) -> bool {
        self.targets.contains_key(&number)
    }

    /// Whether a target was shown that says this.
    pub fn says(&self, text: &str) -> bool {
        self.targets.values().any(|words| words.all().any(|said| contains(said, text)))
    }

    /// Other targets that were shown to say just this.
    pub fn saying(&self, text: &str, but: u64) -> Vec<u64> {
        let wanted = normalize(text);
        let says = |words: &Words| words.all().any(|said| normalize(said) == wanted);
        self.targets
            .iter()
            .filter(|(number, words)| **number != but && says(words))
            .map(|(number, _)| *number)
            .collect()
    }
}

fn text(value: &Value, member: &str) -> String {
    value.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_target_is_textless_until_something_says_otherwise() {
        let mut index = Index::default();
        index.note(&json!({"targets": [
            {"ref": 1, "name": "Next"}, {"ref": 2, "name": ""}, {"ref": 3, "name": "", "text": "下一页"}, {"ref": 4, "name": " \u{200b}"},
        ]}));
        let textless = |index: &Index| (1..=5).filter(|n| index.is_textless(*n)).collect::<Vec<_>>();
        assert_eq!(textless(&index), [2, 4], "one that was never shown is nothing that is known");
        assert_eq!(index.saying(" NEXT ", 2), [1]);
        assert!(index.says("next") && !index.says("Nex") && !index.says("Buy"));
        assert!(index.saying("Next", 1).is_empty() && index.saying("Nex", 2).is_empty());
        index.note(&json!({"changes": [
            {"change": "changed", "ref": 2, "property": "name", "from": "", "to": "Buy"},
            {"change": "added", "target": {"ref": 5, "name": ""}}, {"change": "removed", "ref": 1, "role": "button", "name": "Next"},
        ]}));
        assert_eq!(textless(&index), [4, 5]);
    }
}
