//! Just enough of PNG to tell what a screenshot shows.

use crate::run::{Fail, Outcome};
use std::path::Path;

/// Width and height of a PNG file, from its header.
pub(crate) fn size(path: &Path) -> Outcome<(u32, u32)> {
    let bytes = std::fs::read(path).map_err(|e| Fail::new(format!("{}: {e}", path.display())))?;
    header(&bytes).ok_or_else(|| Fail::new(format!("{} is not a PNG file", path.display())))
}

fn header(bytes: &[u8]) -> Option<(u32, u32)> {
    let rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let width = rest.get(8..12)?.try_into().ok()?;
    let height = rest.get(12..16)?.try_into().ok()?;
    (rest.get(4..8)? == b"IHDR").then(|| (u32::from_be_bytes(width), u32::from_be_bytes(height)))
}

#[cfg(test)]
mod tests {
    use super::header;

    #[test]
    fn the_header_tells_the_size() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x05\0\0\0\x03\x84\x08\x06";
        assert_eq!(header(png), Some((1280, 900)));
        assert_eq!(header(b"\x89PNG\r\n\x1a\n"), None);
        assert_eq!(header(b"<html>"), None);
    }
}
