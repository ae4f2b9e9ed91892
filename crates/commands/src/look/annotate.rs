//! Annotated pictures: a numbered box around every visible target, and a legend that says which is which.

use crate::Session;
use crate::core::saved::{new_path, save_picture};
use base64::Engine;
use handeye_engine::perceive::{draw, marks::Beside, pixels, regions};
use handeye_scene::{Annotation, Capture, Code, Fold, ImageFormat, Picture, Problem, Rect, Ref, Target};
use std::path::{Path, PathBuf};

/// Targets that are marked, if no number is given: more than that a reader of pictures hardly tells apart.
pub const MOST_MARKS: usize = 200;

/// Where a picture goes: `""` stands for a new file in the session's own folder.
pub fn parse_path(text: &str) -> Result<PathBuf, String> {
    Ok(PathBuf::from(text))
}

/// A path as it is handed to the session: absolute, or empty where none was given.
pub fn absolute(path: &Path) -> Result<PathBuf, Problem> {
    if path.as_os_str().is_empty() {
        return Ok(PathBuf::new());
    }
    std::path::absolute(path).map_err(|e| Problem::new(Code::File, format!("{}: {e}", path.display())))
}

/// An annotated picture that was saved.
pub struct Annotated {
    /// Where it is.
    pub path: PathBuf,
    /// Bytes written.
    pub bytes: usize,
    /// What is marked in it.
    pub annotation: Annotation,
}

/// Marks those of `targets` that are in sight, at most `most`, and saves the picture. `capture`: all that is to be read in it;
/// `more`: targets besides, of which it doesn't tell. `path`: empty for a new file.
pub fn annotate(
    session: &Session,
    (mut picture, capture): (Picture, &Capture),
    (targets, more): (&[Target], &[Rect]),
    (path, most, inline): (&Path, usize, bool),
) -> Result<Annotated, Problem> {
    let seen: Vec<&Target> = targets.iter().filter(|t| regions::is_in_sight(t)).collect();
    let mut beside = draw::beside(capture, &seen);
    beside.extend(more.iter().map(|rect| Beside { rect: *rect, is_target: true }));
    let mut annotation = draw::annotate(&mut picture, &seen, &beside, most)?;
    let bytes = pixels::encode(&picture)?;
    let path = match path.as_os_str().is_empty() {
        true => new_path(session, ImageFormat::Png)?,
        false => path.to_owned(),
    };
    save_picture(&path, &bytes)?;
    annotation.base64 = inline.then(|| base64::engine::general_purpose::STANDARD.encode(&bytes));
    Ok(Annotated { path, bytes: bytes.len(), annotation })
}

/// What is marked, in words. `folds`: what is listed as a stretch, without a mark for each.
pub fn words(path: &str, annotation: &Annotation, folds: &[Fold]) -> String {
    let mut line = format!("annotated {path}: {} marked", annotation.marked.len());
    let left = &annotation.unmarked;
    if !left.is_empty() {
        /// How many are named.
        const NAMED: usize = 12;
        let named: Vec<String> = left.iter().take(NAMED).map(Ref::to_string).collect();
        let more = if left.len() > NAMED { ", …" } else { "" };
        line.push_str(&format!("; in view without a mark: {}{more}", named.join(", ")));
    }
    let folded: usize = folds.iter().map(|fold| fold.targets).sum();
    if folded > 0 {
        line.push_str(&format!("; folded, without marks: {folded} (--budget none lists and marks all in view)"));
    }
    line
}
