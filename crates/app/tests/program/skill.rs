//! `skill`: what is shown is what is installed, where agents look, and what somebody changed stays.

use handeye_testkit::home::Home;
use serde_json::Value;
use std::fs;
use std::path::Path;

const FOLDERS: [(&str, &str); 3] =
    [("claude", ".claude/skills"), ("codex", ".agents/skills"), ("cursor", ".cursor/skills")];

/// Every file below a folder, by its path there.
fn files(folder: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            out.extend(files(&entry.path()).into_iter().map(|below| format!("{name}/{below}")));
        } else {
            out.push(name);
        }
    }
    out.sort();
    out
}

/// Outcomes by path.
fn outcomes(value: &Value) -> Vec<(String, String)> {
    let word = |file: &Value, member: &str| file[member].as_str().unwrap().to_owned();
    value["files"].as_array().unwrap().iter().map(|file| (word(file, "path"), word(file, "outcome"))).collect()
}

#[test]
fn each_agent_finds_the_skill_where_it_looks() {
    for (agent, folder) in FOLDERS {
        for own in [false, true] {
            let home = Home::new();
            let root = if own { home.path().to_owned() } else { home.work() };
            let line = format!("skill install --for {agent}{} --json", if own { " --home" } else { "" });
            let told = outcomes(&home.run(&line).exit(0).json());
            let place = root.join(folder).join("handeye");
            let mut there = files(&place);
            there.retain(|name| name != ".installed.json");
            assert_eq!(there.len(), told.len(), "{line}: {told:?}");
            for (path, outcome) in &told {
                assert!(Path::new(path).is_file() && outcome == "created", "{line}: {path} {outcome}");
            }
            let shown = home.run("skill show").exit(0).out;
            assert_eq!(fs::read_to_string(place.join("SKILL.md")).unwrap(), shown);
            assert!(shown.starts_with("---\nname: handeye\ndescription: "), "{shown}");
            for name in there.iter().filter(|name| *name != "SKILL.md") {
                let shown = home.run(&format!("skill show {name}")).exit(0).out;
                assert_eq!(fs::read_to_string(place.join(name)).unwrap(), shown, "{name}");
            }
            // Nothing of the other agents.
            for (_, other) in FOLDERS.iter().filter(|(_, other)| *other != folder) {
                assert!(!root.join(other).exists(), "{line}: {other}");
            }
        }
    }
    let home = Home::new();
    let told = home.run("skill install").exit(0).out;
    for (_, folder) in FOLDERS {
        assert!(
            told.contains(&format!("created {}", home.work().join(folder).join("handeye/SKILL.md").display())),
            "{told}"
        );
    }
    home.run("skill install --for ./skills").exit(0);
    assert!(home.work().join("skills/handeye/SKILL.md").is_file());
}

#[test]
fn what_somebody_changed_is_kept_unless_forced_and_what_nobody_changed_is_renewed() {
    let home = Home::new();
    home.run("skill install --for claude").exit(0);
    let place = home.work().join(".claude/skills/handeye");
    let (first, other) = (place.join("SKILL.md"), place.join("references/desktop.md"));
    let all = |outcome: &str| {
        let told = outcomes(&home.run("skill install --for claude --json").exit(0).json());
        assert!(told.iter().all(|(_, own)| own == outcome), "{told:?}");
    };
    all("unchanged");
    // As an older version wrote it: its digest is noted.
    let note = place.join(".installed.json");
    let digests = fs::read_to_string(&note).unwrap();
    let mut read: Value = serde_json::from_str(&digests).unwrap();
    fs::write(&other, "").unwrap();
    read["references/desktop.md"] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".into();
    fs::write(&note, read.to_string()).unwrap();
    let told = outcomes(&home.run("skill install --for claude --json").exit(0).json());
    assert_eq!(told.iter().filter(|(_, outcome)| outcome == "updated").count(), 1, "{told:?}");
    assert_eq!(fs::read_to_string(&note).unwrap(), digests);
    // Changed by a person: nothing at all is written, not even for another agent.
    let own = fs::read_to_string(&first).unwrap() + "\nOurs: ask first.\n";
    fs::write(&first, &own).unwrap();
    fs::remove_file(&other).unwrap();
    let ran = home.run("skill install --json").exit(2);
    assert_eq!(ran.code(), "file");
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("SKILL.md was changed"), "{ran:?}");
    assert_eq!((fs::read_to_string(&first).unwrap(), other.exists()), (own, false));
    assert!(!home.work().join(".cursor").exists());
    home.run("skill install --force").exit(0);
    all("unchanged");
    // What a link leads to is left alone.
    let elsewhere = home.work().join("elsewhere.md");
    fs::write(&elsewhere, "mine").unwrap();
    fs::remove_file(&first).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &first).unwrap();
    assert_eq!(home.run("skill install --for claude --json").exit(2).code(), "file");
    home.run("skill install --for claude --force").exit(0);
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "mine");
    assert!(first.symlink_metadata().unwrap().is_file());
}

#[test]
fn what_can_not_be_meant_is_refused() {
    let home = Home::new();
    for (line, code) in [
        ("skill install --for cluade", "bad_request"),
        ("skill install --home --for ./skills", "bad_request"),
        ("skill show references/nothing.md", "not_found"),
        ("skill", "bad_request"),
    ] {
        assert_eq!(home.run(&format!("{line} --json")).exit(2).code(), code, "{line}");
    }
    assert_eq!(files(&home.work()), Vec::<String>::new());
    fs::write(home.work().join("taken"), "").unwrap();
    assert_eq!(home.run("skill install --for ./taken --json").exit(2).code(), "file");
}
