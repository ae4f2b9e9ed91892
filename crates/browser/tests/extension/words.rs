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
    const COMPLETED: &[&str] =
        &["do_scroll_", "do_highlight", "do_underline", "state_", "why_", "no_answer_", "kind_", "told_", "tool_"];
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

/// What the page's part says of actions is told to the server as it is, and to the person in their own language.
#[test]
fn every_sentence_of_the_page_has_words_of_the_panels_own() {
    let told = std::fs::read_to_string(source().join("src/panel/told.ts")).unwrap();
    let known: Vec<&str> = told
        .lines()
        .filter_map(|line| line.trim().split_once(": \""))
        .map(|(head, _)| head.trim_matches('"'))
        .collect();
    let mut found = 0;
    for entry in std::fs::read_dir(source().join("src/content")).unwrap() {
        let path = entry.unwrap().path();
        // The kinds of elements are words of the list that the model gets.
        if path.ends_with("describe.ts") {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        for begin in ["failed(", "done(", "problem(", "return ", "badColor = ", "error: "] {
            for rest in text.split(begin).skip(1).filter_map(|rest| rest.strip_prefix(['"', '`'])) {
                let is_sentence = rest.starts_with(|first: char| ('\u{4e00}'..='\u{9fff}').contains(&first));
                if is_sentence {
                    found += 1;
                    assert!(
                        known.iter().any(|head| rest.starts_with(head)),
                        "{}",
                        rest.chars().take(30).collect::<String>()
                    );
                }
            }
        }
    }
    assert!(found >= 30, "{found} of {}", known.len());
}
