//! Reads a trace, and tells whether it is as it was written.

use crate::trace::folder::{self, LINES, RECORDING};
use crate::trace::line::{Begun, Called, Closed, FORMAT, Line, Recorded, Said};
use handeye_engine::chain::{self, FaultKind, digest, hex};
use handeye_scene::{Code, Hint, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Bytes of a trace's lines at most: more than any writer writes.
const LARGEST: u64 = 1 << 30;
/// Faults that are told; what many lines have in common is told by the first.
const MOST: usize = 50;

/// What a trace is found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// Every byte is as it was written, from the first line to the last.
    Intact,
    /// As it was written, and a session still writes it.
    Running,
    /// As it was written, but its end is missing.
    CutShort,
    /// Something in it was changed.
    Edited,
}

/// Something that isn't as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// The file, in the trace's folder.
    pub file: String,
    /// The line of it, or of the call that tells of it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// `edited`, `missing`, `moved`, `cut_short`, `unreadable`, or `unvouched`: no line tells whether it is as it was written.
    pub kind: String,
    /// What it is, in words.
    pub what: String,
}

/// What a trace proved to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verified {
    /// In one word.
    pub found: Found,
    /// How many calls it holds.
    pub calls: usize,
    /// How many pictures.
    pub pictures: usize,
    /// The digest of its last line: who noted it when the session closed can tell that the trace wasn't written anew.
    pub last: String,
    /// How it ended: `closed`, `stopped`, or why nothing more was written; none where that isn't known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// What isn't as it was written.
    pub faults: Vec<Fault>,
}

/// A trace, read.
#[derive(Debug)]
pub struct Book {
    /// Its folder.
    pub folder: PathBuf,
    /// How it begins, where that can be read.
    pub begun: Option<Begun>,
    /// Its calls, each with its line.
    pub calls: Vec<(usize, Called)>,
    /// The recording, as far as a sound line vouches for it; none where no line does.
    pub recording: Option<Recorded>,
    /// What it proved to be.
    pub verified: Verified,
}

/// Reads a trace and verifies it.
///
/// # Errors
/// [`Code::File`] where there is none, or it can't be read.
pub fn read(at: &Path) -> Result<Book, Problem> {
    // Looked at first: what is added while it is read is no fault of it.
    let is_running = folder::is_being_written(at);
    let (text, no_text) = lines_of(at)?;
    // Not `lines`, which passes over carriage returns.
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(&text).split('\n').collect();
    let mut faults: Vec<Fault> = chain::faults(&lines).into_iter().map(told).collect();
    if !text.ends_with('\n') && faults.iter().all(|fault| fault.line != Some(lines.len())) {
        faults.push(fault(LINES, Some(lines.len()), "cut_short", "its last line has no end"));
    }
    if let Some(line) = no_text.filter(|line| faults.iter().all(|fault| fault.line != Some(*line))) {
        faults.push(fault(LINES, Some(line), "edited", "this line is no text"));
    }
    let wrong: BTreeSet<usize> = faults.iter().filter_map(|fault| fault.line).collect();
    let (mut begun, mut calls, mut said, mut closed) = (None, Vec::new(), Vec::new(), None::<(usize, Closed)>);
    for (at_line, line) in lines.iter().enumerate().map(|(at, line)| (at + 1, *line)) {
        match Line::parse(line) {
            Ok(Line::Trace(own)) if own.format == FORMAT => begun = begun.or(Some(own)),
            Ok(Line::Trace(own)) if !wrong.contains(&at_line) => {
                let why = format!("it has format {}, and this handeye reads format {FORMAT}", own.format);
                return Err(folder::none(at, &why));
            }
            Ok(Line::Trace(_)) => {}
            Ok(Line::Call(call)) => calls.push((at_line, *call)),
            Ok(Line::Said(own)) => said.push(own),
            Ok(Line::Closed(own)) => closed = Some((at_line, own)),
            Err(why) if !wrong.contains(&at_line) => faults.push(fault(LINES, Some(at_line), "unreadable", &why)),
            Err(_) => {}
        }
    }
    put_back(&mut calls, said);
    if begun.is_none() && wrong.is_empty() {
        return Err(folder::none(at, "no trace begins so"));
    }
    let sound: Vec<&(usize, Called)> = calls.iter().filter(|(line, _)| !wrong.contains(line)).collect();
    let pictures = pictures(at, &sound, &mut faults);
    let end = closed.as_ref().filter(|(line, _)| !wrong.contains(line));
    let of_calls = sound.iter().map(|(line, call)| (*line, &call.recording));
    let marks: Vec<(usize, &Recorded)> = of_calls.chain(end.map(|(line, closed)| (*line, &closed.recording))).collect();
    let vouched = marks.last().map(|(_, mark)| (*mark).clone());
    recording(at, &marks, end.is_some(), is_running, &mut faults);
    if closed.is_none() && !is_running {
        pictures_of_none(at, &sound, &mut faults);
    }
    check_end(end, (lines.len(), calls.len()), &mut faults);
    faults.sort_by_key(|fault| (fault.file != LINES, fault.line));
    let found = found(&mut faults, closed.is_some(), is_running);
    faults.truncate(MOST);
    let last = lines.last().and_then(|line| hash_of(line)).unwrap_or_default();
    let ended = closed.map(|(_, closed)| closed.by);
    let verified = Verified { found, calls: calls.len(), pictures, last, ended, faults };
    Ok(Book { folder: at.to_owned(), begun, calls, recording: vouched, verified })
}

/// The lines, and the first that is no text. That one is read as far as can be: what was written was text.
fn lines_of(at: &Path) -> Result<(String, Option<usize>), Problem> {
    let file = match folder::open_file(&at.join(LINES)) {
        Ok(file) => file,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(folder::none(at, &format!("there is no {LINES} in it")));
        }
        Err(e) => return Err(folder::none(at, &format!("{LINES}: {e}"))),
    };
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| folder::none(at, &format!("{LINES}: {e}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(folder::none(at, &format!("{LINES} has more than {LARGEST} bytes")));
    }
    if bytes.is_empty() {
        return Err(folder::none(at, &format!("{LINES} is empty")));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(e) => {
            let before = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            (String::from_utf8_lossy(e.as_bytes()).into_owned(), Some(line))
        }
    })
}

/// The digest that a line says it has.
fn hash_of(line: &str) -> Option<String> {
    let value: HashMap<String, serde_json::Value> = serde_json::from_str(line).ok()?;
    value.get("hash")?.as_str().filter(|text| chain::is_digest(text)).map(str::to_owned)
}

fn fault(file: &str, line: Option<usize>, kind: &str, what: &str) -> Fault {
    Fault { file: file.to_owned(), line, kind: kind.to_owned(), what: what.to_owned() }
}

fn told(found: chain::Fault) -> Fault {
    let (kind, what) = match found.kind {
        FaultKind::Unreadable => ("unreadable", "this is no line of a trace".to_owned()),
        FaultKind::CutOff => ("cut_short", "it ends within its last line".to_owned()),
        FaultKind::Edited => ("edited", "this line was changed".to_owned()),
        FaultKind::Missing(1) => ("missing", "the line before this one is gone".to_owned()),
        FaultKind::Missing(n) => ("missing", format!("{n} lines before this one are gone")),
        FaultKind::Moved => ("moved", "this line doesn't stand where it was written".to_owned()),
    };
    fault(LINES, Some(found.line), kind, &what)
}

/// Holds every picture to its digest; how many there are.
fn pictures(at: &Path, calls: &[&(usize, Called)], faults: &mut Vec<Fault>) -> usize {
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    for (line, call) in calls {
        for picture in [&call.before, &call.after].into_iter().flatten() {
            named.entry(&picture.sha256).or_insert(*line);
        }
    }
    for (sha256, line) in &named {
        let file = format!("{}/{sha256}.png", folder::PICTURES);
        // Only the name of a picture of ours leads to a file.
        let bytes =
            if chain::is_digest(sha256) { folder::picture_of(at, sha256) } else { Err(ErrorKind::NotFound.into()) };
        match bytes {
            Ok(bytes) if digest(&bytes) == **sha256 => {}
            Ok(_) => faults.push(fault(&file, Some(*line), "edited", "this picture was changed")),
            Err(e) if e.kind() == ErrorKind::NotFound => {
                faults.push(fault(&file, Some(*line), "missing", "this picture is gone"));
            }
            Err(e) => faults.push(fault(&file, Some(*line), "unreadable", &e.to_string())),
        }
    }
    named.len()
}

/// Names the pictures that no line tells of: the lines that did are gone, so nothing tells what they were.
fn pictures_of_none(at: &Path, calls: &[&(usize, Called)], faults: &mut Vec<Fault>) {
    let named: BTreeSet<String> = calls
        .iter()
        .flat_map(|(_, call)| [&call.before, &call.after])
        .flatten()
        .map(|picture| format!("{}.png", picture.sha256))
        .collect();
    let Ok(there) = std::fs::read_dir(at.join(folder::PICTURES)) else { return };
    let is_of_none = |entry: &std::fs::DirEntry| entry.file_name().to_str().is_none_or(|name| !named.contains(name));
    let of_none = there.flatten().filter(is_of_none).count();
    if of_none > 0 {
        let what = format!("no line tells of {of_none} of these pictures");
        faults.push(fault(folder::PICTURES, None, "unvouched", &what));
    }
}

/// Holds the recording to what the lines say of it, as far as each knew it.
fn recording(at: &Path, marks: &[(usize, &Recorded)], is_closed: bool, is_running: bool, faults: &mut Vec<Fault>) {
    let wrong = |line, kind: &str, what: &str| fault(RECORDING, line, kind, what);
    let first = marks.first().map(|(line, _)| *line);
    let mut file = match folder::open_file(&at.join(RECORDING)) {
        Ok(file) => BufReader::new(file),
        // No line tells of it.
        Err(_) if first.is_none() => return,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return faults.push(wrong(first, "missing", "the recording is gone"));
        }
        Err(e) => return faults.push(wrong(first, "unreadable", &e.to_string())),
    };
    let (mut hasher, mut read) = (Sha256::new(), 0_u64);
    for (line, mark) in marks {
        let line = Some(*line);
        let Some(more) = mark.bytes.checked_sub(read) else {
            return faults.push(wrong(line, "edited", "this line tells of less of it than the ones before"));
        };
        match feed(&mut file, &mut hasher, more) {
            Ok(there) if there == more => read += more,
            Ok(_) => return faults.push(wrong(line, "missing", "what it recorded of this call is gone")),
            Err(e) => return faults.push(wrong(line, "unreadable", &e.to_string())),
        }
        if hex(&hasher.clone().finalize()) != mark.sha256 {
            return faults.push(wrong(line, "edited", "what it recorded up to this call was changed"));
        }
    }
    // A session that still writes tells of it with its next line.
    if is_running || !feed(&mut file, &mut hasher, 1).is_ok_and(|there| there > 0) {
        return;
    }
    let last = marks.last().map(|(line, _)| *line);
    faults.push(match (is_closed, last) {
        (true, _) => wrong(last, "edited", "something was added at its end"),
        (false, Some(_)) => wrong(last, "unvouched", "no line vouches for what it recorded after this call"),
        (false, None) => wrong(None, "unvouched", "no line vouches for anything in it"),
    });
}

/// Reads so many bytes; how many there are.
fn feed(from: &mut impl Read, to: &mut Sha256, bytes: u64) -> std::io::Result<u64> {
    let (mut part, mut there) = ([0_u8; 8192], 0);
    let mut from = from.take(bytes);
    loop {
        match from.read(&mut part)? {
            0 => return Ok(there),
            n => {
                to.update(part.get(..n).unwrap_or_default());
                there += n as u64;
            }
        }
    }
}

/// Puts what models said to the calls that came of it. Where it isn't written yet, what they called stands in its place.
fn put_back(calls: &mut [(usize, Called)], said: Vec<Said>) {
    for said in said {
        let at = usize::try_from(said.call).ok().and_then(|call| calls.get_mut(call.checked_sub(1)?));
        if let Some(asked) = at.and_then(|(_, called)| called.models.get_mut(said.model)) {
            (asked.answer, asked.thinking) = (said.answer, said.thinking);
        }
    }
    for asked in calls.iter_mut().flat_map(|(_, called)| &mut called.models) {
        if asked.answer.is_empty() {
            asked.answer = asked.calls.join("\n");
        }
    }
}

/// The last line is the last, and knows how many calls there were.
fn check_end(end: Option<&(usize, Closed)>, (lines, calls): (usize, usize), faults: &mut Vec<Fault>) {
    let Some((line, closed)) = end else { return };
    if *line != lines {
        faults.push(fault(LINES, Some(line + 1), "edited", "lines stand behind the one that closed it"));
    } else if closed.calls != calls as u64 && faults.is_empty() {
        faults.push(fault(LINES, Some(*line), "edited", "it was closed with another number of calls"));
    }
}

fn found(faults: &mut Vec<Fault>, is_closed: bool, is_running: bool) -> Found {
    if is_running {
        // A line is being written.
        faults.retain(|fault| fault.kind != "cut_short");
    }
    let is_cut = !is_closed && !is_running;
    // What the lines that are gone vouched for can be told neither from what was written nor from what was put in its place.
    if is_cut && faults.iter().all(|fault| matches!(&*fault.kind, "cut_short" | "unvouched")) {
        return Found::CutShort;
    }
    match (faults.is_empty(), is_closed) {
        (false, _) => Found::Edited,
        (true, true) => Found::Intact,
        (true, false) => Found::Running,
    }
}

/// The recording of a trace, to be played: as far as the trace vouches for it, and no further.
///
/// # Errors
/// [`Code::File`] where nothing of it is vouched for, it isn't as the trace has it, or it can't be read.
pub fn recording_of(book: &Book) -> Result<String, Problem> {
    let path = book.folder.join(RECORDING);
    let refused = |why: &str| {
        let what = format!("{} can't be replayed: {why}", path.display());
        Problem::new(Code::File, what).hint(Hint::from("handeye trace verify").arg(book.folder.display().to_string()))
    };
    let Some(vouched) = book.recording.as_ref().filter(|vouched| vouched.bytes > 0) else {
        return Err(refused("no line of the trace vouches for any of it"));
    };
    if vouched.bytes > LARGEST {
        return Err(refused(&format!("it has more than {LARGEST} bytes")));
    }
    let mut bytes = Vec::new();
    let read = folder::open_file(&path).and_then(|file| file.take(vouched.bytes).read_to_end(&mut bytes));
    read.map_err(|e| refused(&e.to_string()))?;
    // Held to its digest here as well: it may have been changed since the trace was verified.
    if bytes.len() as u64 != vouched.bytes || digest(&bytes) != vouched.sha256 {
        return Err(refused("it isn't as it was written"));
    }
    String::from_utf8(bytes).map_err(|_| refused("it is no text"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::export::playwright;
    use crate::trace::line::Picture;
    use handeye_engine::chain::Chain;
    use handeye_scene::Rect;
    use std::fs;

    const FIRST: &str = "{\"recording\":1}\n{\"first\":1}\n";
    const SECOND: &str = "{\"second\":1}\n";

    /// A trace of two calls, each with its picture, of which so many lines are left.
    fn trace(at: &Path, lines_left: usize) {
        let whole = format!("{FIRST}{SECOND}");
        let recorded = |text: &str| Recorded { bytes: text.len() as u64, sha256: digest(text.as_bytes()) };
        fs::create_dir_all(at.join(folder::PICTURES)).unwrap();
        let call = |recording: Recorded, shot: &str| {
            let sha256 = digest(shot.as_bytes());
            fs::write(folder::picture(at, &sha256), shot).unwrap();
            let after = Picture { sha256, bytes: shot.len(), scale: 1.0, area: Rect::new(0.0, 0.0, 1.0, 1.0) };
            let answer = Some(serde_json::json!({ "status": "ok", "result": { "url": "http://a/" } }));
            let command = "open".to_owned();
            let args = serde_json::json!({ "url": "http://a/" });
            Line::Call(Box::new(Called { command, args, answer, after: Some(after), recording, ..Called::default() }))
        };
        let (session, version, time) = ("s".to_owned(), "1".to_owned(), "t".to_owned());
        let mut chain = Chain::default();
        let lines = [
            Line::Trace(Begun { format: FORMAT, session, version, time: time.clone() }),
            call(recorded(FIRST), "one"),
            call(recorded(&whole), "two"),
            Line::Closed(Closed { time, by: "closed".to_owned(), calls: 2, recording: recorded(&whole) }),
        ]
        .map(|line| chain.line(line.members()) + "\n");
        fs::write(at.join(LINES), lines[..lines_left].concat()).unwrap();
        fs::write(at.join(RECORDING), whole).unwrap();
    }

    /// Faults by kind, file and line.
    type Faults<'a> = Vec<(&'a str, &'a str, Option<usize>)>;

    /// What was found, and each fault.
    fn told(book: &Book) -> (Found, Faults<'_>) {
        let faults = book.verified.faults.iter().map(|fault| (&*fault.kind, &*fault.file, fault.line));
        (book.verified.found, faults.collect())
    }

    #[test]
    fn what_the_lines_that_are_left_do_not_vouch_for_is_named_and_not_played() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let played = |left: usize, recording: &str| {
            trace(at, left);
            fs::write(at.join(RECORDING), recording).unwrap();
            let book = read(at).unwrap();
            let (found, faults) = told(&book);
            let faults: Vec<_> =
                faults.into_iter().map(|(kind, file, line)| format!("{kind} {file} {line:?}")).collect();
            (found, faults, recording_of(&book).map_err(|problem| problem.code))
        };
        let whole = format!("{FIRST}{SECOND}");
        let changed = format!("{FIRST}{{\"other\":1}}\n");
        let beyond = |line: &str| format!("unvouched recording.jsonl {line}");
        let picture = |line: &str| format!("unvouched files {line}");
        assert_eq!(played(4, &whole), (Found::Intact, vec![], Ok(whole.clone())));
        assert_eq!(
            played(4, &changed),
            (Found::Edited, vec!["missing recording.jsonl Some(3)".to_owned()], Err(Code::File))
        );
        assert_eq!(played(3, &whole), (Found::CutShort, vec![], Ok(whole.clone())));
        // The call whose line is gone isn't played, whether its recording was changed or not.
        for recording in [&whole, &changed] {
            let faults = vec![picture("None"), beyond("Some(2)")];
            assert_eq!(played(2, recording), (Found::CutShort, faults, Ok(FIRST.to_owned())));
        }
        assert_eq!(played(1, &whole), (Found::CutShort, vec![beyond("None"), picture("None")], Err(Code::File)));
        // What was vouched for and isn't there any more is a change, cut or not.
        assert_eq!(played(2, &SECOND.repeat(9)).0, Found::Edited);
    }

    #[test]
    fn a_recording_that_is_changed_after_it_was_verified_is_not_played() {
        let folder = tempfile::tempdir().unwrap();
        trace(folder.path(), 4);
        let book = read(folder.path()).unwrap();
        fs::write(folder.path().join(RECORDING), FIRST.replace("first", "other") + SECOND).unwrap();
        assert_eq!(recording_of(&book).map_err(|problem| problem.code), Err(Code::File));
    }

    #[test]
    fn no_test_is_made_of_a_trace_that_is_cut_short() {
        let folder = tempfile::tempdir().unwrap();
        trace(folder.path(), 4);
        let exported = playwright(&read(folder.path()).unwrap()).map(|(_, told)| told.steps);
        assert_eq!(exported.map_err(|problem| problem.code), Ok(2));
        trace(folder.path(), 3);
        let refused = playwright(&read(folder.path()).unwrap()).map(|(_, told)| told.steps);
        assert_eq!(refused.map_err(|problem| problem.code), Err(Code::File));
    }
}
