//! What a release holds beside the program, and the table of other tools' commands: each names commands that there are.

use handeye_testkit::home::{self, Home};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The commands of the reference, by the words that call them, with their options.
fn commands() -> BTreeMap<String, BTreeSet<String>> {
    let text = read("docs/commands.md");
    let (mut out, mut at): (BTreeMap<String, BTreeSet<String>>, _) = (BTreeMap::new(), None);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("### ").or_else(|| line.strip_prefix("#### ")) {
            out.entry(name.to_owned()).or_default();
            at = Some(name.to_owned());
        } else if line.starts_with("## ") {
            at = line.contains("Options of every command").then(String::new);
        }
        let option = line.strip_prefix("- `--").map(|rest| rest.split([' ', '`', '=', '[']).next().unwrap());
        if let (Some(name), Some(option)) = (&at, option) {
            out.entry(name.clone()).or_default().insert(format!("--{option}"));
        }
    }
    out
}

#[test]
fn every_command_has_a_man_page_and_none_is_of_another() {
    let home = Home::new();
    let folder = home.work().join("man");
    home::run(home.command(["_docs", "man", folder.to_str().unwrap()])).exit(0);
    let mut wanted: BTreeSet<String> = commands()
        .keys()
        .filter(|name| !name.is_empty())
        .map(|name| format!("handeye-{}.1", name.replace(' ', "-")))
        .collect();
    wanted.insert("handeye.1".to_owned());
    let found: BTreeSet<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.contains("-help"))
        .collect();
    let missing: Vec<_> = wanted.difference(&found).collect();
    let extra: Vec<_> = found.difference(&wanted).collect();
    assert!(missing.is_empty() && extra.is_empty(), "missing {missing:?}, extra {extra:?}");
    for name in &found {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(text.lines().any(|line| line.starts_with(".TH ")) && text.contains("\n.SH NAME\n"), "{name}");
        assert!(!text.contains(home.path().to_str().unwrap()), "{name} names a folder of this machine");
    }
    let click = std::fs::read_to_string(folder.join("handeye-click.1")).unwrap();
    assert!(click.contains("expect") && click.contains("receipt") || click.contains("Click a target"), "{click}");
    // The same again, to the byte.
    let again = home.work().join("again");
    home::run(home.command(["_docs", "man", again.to_str().unwrap()])).exit(0);
    for name in &found {
        assert_eq!(std::fs::read(folder.join(name)).unwrap(), std::fs::read(again.join(name)).unwrap(), "{name}");
    }
    home::run(home.command(["_docs", "man", "/dev/null/x"])).exit(2);
}

#[test]
fn each_command_that_stands_for_one_of_another_tool_is_there_with_its_options() {
    let commands = commands();
    let everywhere = &commands[""];
    let mut rows = 0;
    for line in
        read("docs/from-other-tools.md").lines().filter(|line| line.starts_with("| ") && !line.starts_with("| theirs"))
    {
        let ours = line.trim_end_matches('|').rsplit('|').next().unwrap();
        let calls: Vec<&str> = ours.split('`').skip(1).step_by(2).collect();
        assert!(!calls.is_empty(), "{line}");
        rows += 1;
        for call in calls {
            let words: Vec<&str> = call.split(' ').collect();
            let (first, both) = (words[0].to_owned(), words[..words.len().min(2)].join(" "));
            assert!(commands.contains_key(&first), "there is no `{first}`: {line}");
            let has_own = commands.keys().any(|name| name.starts_with(&format!("{first} ")));
            assert!(!has_own || commands.contains_key(&both), "there is no `{both}`: {line}");
            let own = if has_own { &commands[&both] } else { &commands[&first] };
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap();
                assert!(own.contains(option) || everywhere.contains(option), "`{both}` takes no {option}: {line}");
            }
        }
    }
    assert!(rows > 60, "{rows} rows");
}
