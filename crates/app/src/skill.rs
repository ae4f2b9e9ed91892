//! The skill, which is part of the program, and where it is put.

use crate::config;
use handeye_commands::{Installed, SkillFile};
use handeye_scene::{Code, Problem};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Its name, and its folder's among skills.
const NAME: &str = "handeye";
/// Every file of it.
pub(crate) const FILES: [SkillFile; 5] = [
    SkillFile { path: "SKILL.md", text: include_str!("../../../skills/handeye/SKILL.md") },
    SkillFile { path: "references/batches.md", text: include_str!("../../../skills/handeye/references/batches.md") },
    SkillFile { path: "references/commands.md", text: include_str!("../../../skills/handeye/references/commands.md") },
    SkillFile { path: "references/desktop.md", text: include_str!("../../../skills/handeye/references/desktop.md") },
    SkillFile {
        path: "references/troubleshooting.md",
        text: include_str!("../../../skills/handeye/references/troubleshooting.md"),
    },
];
/// Tells what was written, so that the next version knows what nobody changed.
const NOTE: &str = ".installed.json";

/// A file that is to be written, and what is there.
struct Planned {
    path: PathBuf,
    text: &'static str,
    outcome: &'static str,
}

/// Puts the skill into folders of skills, in the home folder or where the caller is. Nothing is written where a file of theirs was
/// changed by somebody, unless that is asked for.
pub(crate) fn install(folders: &[String], home: bool, force: bool) -> Result<Vec<Installed>, Problem> {
    let root = if home { config::home_folder()? } else { PathBuf::new() };
    let places = folders.iter().map(|folder| config::absolute(&root.join(folder).join(NAME)));
    let places = places.collect::<Result<Vec<_>, _>>()?;
    let mut planned = Vec::new();
    for place in &places {
        let noted = noted(place);
        for file in FILES {
            planned.push(plan(place, file, &noted, force)?);
        }
    }
    for one in planned.iter().filter(|one| one.outcome != "unchanged") {
        write(&one.path, one.text.as_bytes())?;
    }
    for place in &places {
        let digests: BTreeMap<&str, String> =
            FILES.iter().map(|file| (file.path, digest(file.text.as_bytes()))).collect();
        // A map of texts can always be written as JSON.
        let note = serde_json::to_string_pretty(&digests).unwrap_or_default();
        write(&place.join(NOTE), note.as_bytes())?;
    }
    let told = |one: Planned| Installed { path: one.path.display().to_string(), outcome: one.outcome.to_owned() };
    Ok(planned.into_iter().map(told).collect())
}

/// What to do about one file.
fn plan(place: &Path, file: SkillFile, noted: &BTreeMap<String, String>, force: bool) -> Result<Planned, Problem> {
    let path = place.join(file.path);
    let planned = |outcome| Planned { path: path.clone(), text: file.text, outcome };
    let there = match path.symlink_metadata() {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(planned("created")),
        Err(e) => return Err(unwritten(&path, &e)),
        Ok(facts) => facts,
    };
    if there.is_dir() {
        return Err(Problem::new(Code::File, format!("{} is a folder, and a file is to stand there", path.display())));
    }
    // What a link leads to is somebody else's.
    let text = if there.is_file() { fs::read(&path).map_err(|e| unwritten(&path, &e))? } else { Vec::new() };
    if there.is_file() && text == file.text.as_bytes() {
        return Ok(planned("unchanged"));
    }
    let is_ours = there.is_file() && noted.get(file.path) == Some(&digest(&text));
    if is_ours || force {
        return Ok(planned("updated"));
    }
    let what = format!("{} was changed, and isn't written over; nothing was written", path.display());
    Err(Problem::new(Code::File, what).hint("handeye skill install --force").hint("handeye skill show"))
}

/// What was written there before, by path.
fn noted(place: &Path) -> BTreeMap<String, String> {
    // Without a note, or with one that says nothing, nothing is known to be unchanged.
    fs::read(place.join(NOTE)).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file as a whole: what reads it finds the old one or the new one.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let beside = path.with_extension(format!("new-{}", std::process::id()));
    let written = path
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(&beside, bytes))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|e| {
        // It may not be there.
        let _ = fs::remove_file(&beside);
        unwritten(path, &e)
    })
}

fn unwritten(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(Code::File, format!("{} can't be written: {error}", path.display()))
        .hint("handeye skill install --for ./skills")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{batch, cli};
    use std::ffi::OsString;

    /// What stands in fenced blocks, by their language, and the spans between backquotes outside them.
    fn code(text: &str) -> Vec<(String, String)> {
        let (mut out, mut fence): (Vec<(String, String)>, Option<String>) = (Vec::new(), None);
        for line in text.lines() {
            if let Some(language) = line.strip_prefix("```") {
                fence = if fence.is_some() { None } else { Some(language.to_owned()) };
                continue;
            }
            match &fence {
                Some(language) => out.push((language.clone(), line.to_owned())),
                None => out.extend(line.split('`').skip(1).step_by(2).map(|span| (String::new(), span.to_owned()))),
            }
        }
        assert_eq!(fence, None, "a block is open");
        out
    }

    #[test]
    fn every_command_line_of_the_skill_can_be_read() {
        let mut read = 0;
        for file in FILES {
            for (language, line) in code(file.text) {
                if language == "batch" {
                    batch::check_lines(&line).unwrap_or_else(|e| panic!("{}: {line}: {}", file.path, e.message));
                    read += 1;
                }
                let Some(words) = line.strip_prefix("handeye ") else { continue };
                let words = shlex::split(words).unwrap_or_else(|| panic!("{}: {line}", file.path));
                let parsed = cli::parse(words.into_iter().map(OsString::from).collect());
                // A line may name a file that isn't here.
                if let Some(refused) = parsed.err().filter(|refused| refused.problem.code != Code::File) {
                    panic!("{}: {line}: {}", file.path, refused.problem.message);
                }
                read += 1;
            }
        }
        assert!(read > 80, "only {read} lines were found");
    }

    #[test]
    fn the_skill_is_short_has_a_head_and_leads_to_every_file() {
        let [first, others @ ..] = &FILES;
        let head =
            first.text.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n")).expect("it has a head").0;
        let (name, description) = head.split_once('\n').expect("it has two lines");
        assert_eq!(name, format!("name: {NAME}"));
        let description = description.strip_prefix("description: ").expect("it says what it is for");
        assert!(!description.contains(['\n', '"']) && !description.contains(": "), "YAML reads it as it stands");
        assert!(description.chars().count() <= 1024, "agents cut it off");
        let words = first.text.split_whitespace().count();
        assert!(words <= 2000, "{words} words are too many to be always loaded");
        for file in others {
            assert!(first.text.contains(&format!("]({})", file.path)), "{} is led to by nothing", file.path);
        }
    }
}
