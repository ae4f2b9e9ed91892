//! Pictures as files: where they go, and that they are written whole.

use crate::Session;
use handeye_scene::{Code, ImageFormat, Problem};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A file that isn't there yet, in the session's own folder, which is closed to others.
pub fn new_path(session: &Session, format: ImageFormat) -> Result<PathBuf, Problem> {
    let none = || {
        Problem::new(Code::BadRequest, "this session has no folder to save to: say where")
            .hint("handeye screenshot page.png")
    };
    let folder = session.means.folder_for("pictures").ok_or_else(none)?;
    let folder =
        folder.map_err(|e| Problem::new(Code::File, format!("the session's own folder can't be written to: {e}")))?;
    let ending = match format {
        ImageFormat::Png => "png",
        ImageFormat::Jpeg => "jpg",
        ImageFormat::Webp => "webp",
    };
    let numbered = (1..10_000_u32).map(|number| folder.join(format!("screenshot-{number}.{ending}")));
    let mut free = numbered.filter(|path| path.symlink_metadata().is_err());
    free.next()
        .ok_or_else(|| Problem::new(Code::File, format!("{} is full of pictures: say where to save", folder.display())))
}

/// How pictures begin, which may be replaced by others.
const PICTURES: [&[u8]; 3] = [b"\x89PNG", b"\xff\xd8\xff", b"RIFF"];

/// Refuses to replace what is no picture: to look is to change nothing else.
fn check_replaceable(path: &Path) -> Result<(), Problem> {
    let mut start = Vec::new();
    // What isn't there, or can't be read, is told of by writing it.
    let Ok(file) = std::fs::File::open(path) else { return Ok(()) };
    if file.take(8).read_to_end(&mut start).is_err() || start.is_empty() {
        return Ok(());
    }
    if PICTURES.iter().any(|begin| start.starts_with(begin)) {
        return Ok(());
    }
    let what = format!("{} is there already, and is no picture: it is left as it is", path.display());
    Err(Problem::new(Code::File, what).hint("handeye screenshot NEW.png"))
}

/// Saves a picture. A file that is there is replaced only if it is one.
pub fn save_picture(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    check_replaceable(path)?;
    save(path, bytes)
}

/// Writes a file whole or not at all.
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let failed = |e: std::io::Error| {
        Problem::new(Code::File, format!("can't write {}: {e}", path.display()))
            .hint("choose a folder that exists and that you may write to")
    };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut partial = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    partial.write_all(bytes).map_err(failed)?;
    partial.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pictures_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (there, is_replaced) in [
            (None, true),
            (Some(&b""[..]), true),
            (Some(b"\x89PNG\r\n\x1a\n and more"), true),
            (Some(b"%PDF-1.7"), false),
            (Some(b"export PATH=/bin"), false),
            (Some(b"x"), false),
        ] {
            let _ = std::fs::remove_file(&path);
            if let Some(bytes) = there {
                std::fs::write(&path, bytes).unwrap();
            }
            let saved = save_picture(&path, b"new");
            assert_eq!(saved.map_err(|p| p.code), if is_replaced { Ok(()) } else { Err(Code::File) }, "{there:?}");
            let now = std::fs::read(&path).unwrap();
            assert_eq!(now, if is_replaced { b"new" } else { there.unwrap() }, "{there:?}");
        }
    }
}
