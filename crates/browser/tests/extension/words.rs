//! The panel's words: the same in both languages, and all that it uses.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

fn source() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../extension"))
}

fn messages(language: &str) -> BTreeMap<String, Value> {
    let path = source().join("_locales").join(language).join("messages.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn both_languages_say_the_same_things() {
    let (en, zh) = (messages("en"), messages("zh_CN"));
    assert_eq!(en.keys().collect::<Vec<_>>(), zh.keys().collect::<Vec<_>>());
    for (key, message) in &en {
        assert_eq!(message.get("placeholders"), zh[key].get("placeholders"), "{key}");
        for one in [message, &zh[key]] {
            let text = one["message"].as_str().unwrap();
            assert!(!text.trim().is_empty(), "{key}");
            for name in one["placeholders"].as_object().into_iter().flat_map(|all| all.keys()) {
                assert!(text.to_lowercase().contains(&format!("${name}$")), "{key}: {name}");
            }
        }
    }
}

/// Keys are written as they are, or begin with what their code completes.
#[test]
fn every_word_is_used_and_every_use_has_a_word() {
    let en = messages("en");
    let mut text = String::new();
    for file in ["manifest.json", "panel.html"] {
        text.push_str(&std::fs::read_to_string(source().join(file)).unwrap());
    }
    for entry in std::fs::read_dir(source().join("src/panel")).unwrap() {
        text.push_str(&std::fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    const COMPLETED: &[&str] = &["do_scroll_", "do_highlight", "do_underline", "state_", "why_", "no_answer_", "kind_"];
    for key in en.keys() {
        let is_written =
            [format!("\"{key}\""), format!("__MSG_{key}__")].iter().any(|use_| text.contains(use_.as_str()));
        assert!(is_written || COMPLETED.iter().any(|begin| key.starts_with(begin)), "{key} is never used");
    }
    let mut used = BTreeSet::new();
    for begin in ["t(\"", "sentence(\"", "data-t=\"", "data-t-aria-label=\"", "data-t-placeholder=\"", "button(\""] {
        for (at, _) in text.match_indices(begin) {
            let is_whole = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.');
            used.extend(text[at + begin.len()..].split('"').next().filter(|_| is_whole));
        }
    }
    let missing: Vec<_> = used.into_iter().filter(|key| !en.contains_key(*key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
