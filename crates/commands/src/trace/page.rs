//! A trace as one page of HTML that needs nothing else: no server, no network, no file beside it.

use crate::trace::folder;
use crate::trace::reader::{Book, Fault, Found, Verified};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use handeye_engine::chain;
use handeye_scene::Problem;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;

const PAGE: &str = include_str!("page/trace.html");
const STYLE: &str = include_str!("page/trace.css");
const SCRIPT: &str = include_str!("page/trace.js");
/// What the page is called where no other name is given.
pub(crate) const NAME: &str = "trace.html";
/// How every such page begins.
pub(crate) const START: &str = "<!doctype html>\n<!-- a trace of handeye -->";
/// Bytes of pictures at most: browsers open no page of any size.
const PICTURES: usize = 192 * 1024 * 1024;

/// The page; and how many pictures it lacks, since they were changed, are gone, or would make it too large.
pub fn html(book: &Book) -> (String, usize) {
    let (pictures, lacking) = pictures(book);
    let calls: Vec<Value> = book.calls.iter().map(|(line, call)| json!({ "line": line, "call": call })).collect();
    let verified = &book.verified;
    let found = json!({
        "words": words(verified),
        "is_good": verified.found == Found::Intact,
        "faults": verified.faults.iter().map(fault_words).collect::<Vec<_>>(),
    });
    let data = json!({ "begun": book.begun, "found": found, "calls": calls, "pictures": pictures });
    let session = book.begun.as_ref().map_or("?", |begun| begun.session.as_str());
    let title: String = format!("Trace of {session}").chars().filter(|c| !"<>&".contains(*c)).collect();
    let parts = [
        ("{{STYLE_HASH}}", policy(STYLE)),
        ("{{SCRIPT_HASH}}", policy(SCRIPT)),
        ("{{TITLE}}", title),
        ("{{STYLE}}", STYLE.to_owned()),
        ("{{SCRIPT}}", SCRIPT.to_owned()),
        ("{{DATA}}", island(&data)),
    ];
    // What is filled in isn't looked through for further places: a page may have said their names.
    let mut out = String::new();
    let mut rest = PAGE;
    while let Some(at) = rest.find("{{") {
        out.push_str(rest.get(..at).unwrap_or_default());
        let here = rest.get(at..).unwrap_or_default();
        let part = parts.iter().find(|(place, _)| here.starts_with(place));
        let (place, text) = part.map_or(("{{", "{{"), |(place, text)| (*place, text.as_str()));
        out.push_str(text);
        rest = here.get(place.len()..).unwrap_or_default();
    }
    out.push_str(rest);
    (out, lacking)
}

/// What a trace proved to be, in words.
pub fn words(verified: &Verified) -> String {
    let ended = verified.ended.as_deref().unwrap_or_default();
    match verified.found {
        Found::Intact if ended == "closed" || ended == "stopped" => {
            "intact: every byte is as it was written".to_owned()
        }
        Found::Intact => format!("intact, but it ended before its session: {ended}"),
        Found::Running => "as it was written so far; its session still runs".to_owned(),
        Found::CutShort => "cut short: its end is missing".to_owned(),
        Found::Edited => "edited: it isn't as it was written".to_owned(),
    }
}

/// A fault in one line.
pub fn fault_words(fault: &Fault) -> String {
    let place = match (fault.line, fault.file == folder::LINES) {
        (Some(line), true) => format!("{} line {line}", folder::LINES),
        (Some(line), false) => format!("{} (of line {line})", fault.file),
        (None, _) => fault.file.clone(),
    };
    format!("{place}: {}: {}", fault.kind, fault.what)
}

/// JSON that can stand in a `script` element: nothing in it ends that, whatever a page said.
fn island(data: &Value) -> String {
    let text = data.to_string();
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// What a policy names a text by (Content Security Policy, level 3).
fn policy(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

fn pictures(book: &Book) -> (Map<String, Value>, usize) {
    let (mut out, mut left, mut lacking) = (Map::new(), PICTURES, 0);
    for (_, call) in &book.calls {
        for picture in [&call.before, &call.after].into_iter().flatten() {
            if out.contains_key(&picture.sha256) {
                continue;
            }
            // Only the name of a picture of ours leads to a file.
            let read = || folder::picture_of(&book.folder, &picture.sha256).ok();
            let bytes = chain::is_digest(&picture.sha256).then(read).flatten();
            let own = bytes.filter(|bytes| chain::digest(bytes) == picture.sha256 && bytes.len() <= left);
            let url = match own {
                Some(bytes) => {
                    left -= bytes.len();
                    Value::from(format!("data:image/png;base64,{}", STANDARD.encode(bytes)))
                }
                None => {
                    lacking += 1;
                    Value::Null
                }
            };
            out.insert(picture.sha256.clone(), url);
        }
    }
    (out, lacking)
}

/// Writes a page. A file that is there is replaced only if it is such a page.
///
/// # Errors
/// [`Code::File`] where it is another one, or can't be written.
pub fn save(path: &Path, html: &str) -> Result<(), Problem> {
    folder::replace(path, html, (START, "page of a trace"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_island_and_nothing_is_filled_into_it() {
        let data = json!({ "title": "</script><script>alert(1)</script><!--", "other": "{{SCRIPT}}\u{2028}登录" });
        let text = island(&data);
        assert!(!text.contains(['<', '>', '\u{2028}']));
        assert_eq!(serde_json::from_str::<Value>(&text).expect("it is JSON"), data);
    }

    #[test]
    fn a_fault_is_named_by_its_file_and_by_its_line_where_it_has_one() {
        let of = |file: &str, line| {
            let (kind, what) = ("edited".to_owned(), "it was changed".to_owned());
            fault_words(&Fault { file: file.to_owned(), line, kind, what })
        };
        assert_eq!(of(folder::LINES, Some(4)), "trace.jsonl line 4: edited: it was changed");
        assert_eq!(of(folder::LINES, None), "trace.jsonl: edited: it was changed");
        assert_eq!(of(folder::RECORDING, Some(4)), "recording.jsonl (of line 4): edited: it was changed");
        assert_eq!(of(folder::PICTURES, None), "files: edited: it was changed");
    }

    #[test]
    fn the_page_begins_as_it_is_known_by_and_its_parts_fit_in() {
        assert!(PAGE.starts_with(START));
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--"), "it would end its element");
        }
        assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("insertAdjacent"));
    }
}
