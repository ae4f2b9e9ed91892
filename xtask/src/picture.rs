//! What a screenshot tells: its size.

use crate::run::{Fail, Outcome};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::path::Path;

/// Width and height of a PNG file, from its header.
pub(crate) fn size(path: &Path) -> Outcome<(u32, u32)> {
    let wrong = |e: &dyn std::fmt::Display| Fail::new(format!("{}: {e}", path.display()));
    let file = File::open(path).map_err(|e| wrong(&e))?;
    header(BufReader::new(file)).map_err(|e| wrong(&e))
}

fn header(from: impl BufRead + Seek) -> Result<(u32, u32), png::DecodingError> {
    Ok(png::Decoder::new(from).read_info()?.info().size())
}

#[cfg(test)]
mod tests {
    use super::header;
    use std::io::Cursor;

    #[test]
    fn the_header_tells_the_size() {
        let mut picture = Vec::new();
        let mut encoder = png::Encoder::new(&mut picture, 3, 2);
        encoder.set_color(png::ColorType::Grayscale);
        let mut writer = encoder.write_header().expect("memory takes it");
        writer.write_image_data(&[0; 6]).expect("it is as large as said");
        drop(writer);
        assert_eq!(header(Cursor::new(&picture)).ok(), Some((3, 2)));
        for bytes in [&picture[..20], b"\x89PNG\r\n\x1a\n", b"<html>"] {
            assert!(header(Cursor::new(bytes)).is_err());
        }
    }
}
