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

/// What the ending of a picture's name says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// One of the formats that pictures are saved in.
    As(ImageFormat),
    /// A picture of another kind.
    Other,
    /// No picture, or nothing.
    Nothing,
}

/// What a path's ending says of the picture.
pub fn named(path: &Path) -> Named {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "png" => Named::As(ImageFormat::Png),
        "jpg" | "jpeg" => Named::As(ImageFormat::Jpeg),
        "webp" => Named::As(ImageFormat::Webp),
        "apng" | "avif" | "bmp" | "gif" | "heic" | "jfif" | "jpe" | "jxl" | "pdf" | "svg" | "tif" | "tiff" => {
            Named::Other
        }
        _ => Named::Nothing,
    }
}

/// Refuses a name that says otherwise than the picture that is saved under it. `line`: the command with such a picture's path.
pub fn check_png(path: &Path, what: &str, line: &str) -> Result<(), Problem> {
    if matches!(named(path), Named::As(ImageFormat::Png) | Named::Nothing) {
        return Ok(());
    }
    let text = format!("{what} is saved as PNG, and {} says otherwise: end its name in .png", path.display());
    Err(Problem::new(Code::BadRequest, text).hint(line))
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
    fn a_picture_is_what_its_name_says() {
        for (name, is_right) in [
            ("a.png", true),
            ("a.PNG", true),
            ("a", true),
            ("a.new", true),
            ("a.jpg", false),
            ("a.JPEG", false),
            ("a.webp", false),
            ("a.gif", false),
        ] {
            let checked = check_png(Path::new(name), "it", "handeye screenshot page.png");
            assert_eq!(checked.map_err(|p| p.code), if is_right { Ok(()) } else { Err(Code::BadRequest) }, "{name}");
        }
    }

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
