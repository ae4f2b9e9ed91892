//! Zip files, as browsers' stores take them: deflated, without times, so that the same files give the same bytes.

use crate::run::{Fail, Outcome};
use flate2::{Compression, Crc, write::DeflateEncoder};
use std::io::Write;

/// 1 January 1980, the first day that the format knows, in its own form.
const FIRST_DAY: u16 = 1 << 5 | 1;

/// A zip file in the making.
pub(crate) struct Zip {
    body: Vec<u8>,
    directory: Vec<u8>,
    files: u16,
}

impl Zip {
    pub(crate) const fn new() -> Self {
        Self { body: Vec::new(), directory: Vec::new(), files: 0 }
    }

    /// Adds a file, by its path with slashes.
    pub(crate) fn add(&mut self, name: &str, bytes: &[u8]) -> Outcome {
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
        deflate.write_all(bytes)?;
        let packed = deflate.finish()?;
        let mut crc = Crc::new();
        crc.update(bytes);
        let offset = size(self.body.len())?;
        // Version 2.0, names in UTF-8, deflated.
        let mut head = Vec::new();
        for field in [20, 1 << 11, 8, 0, FIRST_DAY] {
            head.extend(u16::to_le_bytes(field));
        }
        for field in [crc.sum(), size(packed.len())?, size(bytes.len())?] {
            head.extend(field.to_le_bytes());
        }
        let length = u16::try_from(name.len()).map_err(|_| Fail::new(format!("the name is too long: {name}")))?;
        head.extend(length.to_le_bytes());
        head.extend([0, 0]);
        self.body.extend(b"PK\x03\x04");
        self.body.extend(&head);
        self.body.extend(name.as_bytes());
        self.body.extend(packed);
        self.directory.extend(b"PK\x01\x02\x14\x00");
        self.directory.extend(&head);
        // No comment, the first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.files += 1;
        Ok(())
    }

    /// The whole file.
    pub(crate) fn end(mut self) -> Outcome<Vec<u8>> {
        let (start, length) = (size(self.body.len())?, size(self.directory.len())?);
        self.body.append(&mut self.directory);
        self.body.extend(b"PK\x05\x06\0\0\0\0");
        self.body.extend(self.files.to_le_bytes());
        self.body.extend(self.files.to_le_bytes());
        self.body.extend(length.to_le_bytes());
        self.body.extend(start.to_le_bytes());
        self.body.extend([0, 0]);
        Ok(self.body)
    }
}

fn size(bytes: usize) -> Outcome<u32> {
    u32::try_from(bytes).map_err(|_| Fail::new("the zip is larger than 4 GB"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run;
    use std::process::Command;

    #[test]
    fn others_read_what_is_written() {
        let mut zip = Zip::new();
        zip.add("a.txt", b"hello").unwrap();
        zip.add("_locales/zh_CN/名.json", "你好".repeat(1000).as_bytes()).unwrap();
        let (folder, _later) = run::scratch("zip").unwrap();
        let path = folder.join("x.zip");
        std::fs::write(&path, zip.end().unwrap()).unwrap();
        let script = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; \
            print({n: len(z.read(n).decode()) for n in z.namelist()})";
        let said = run::output(Command::new("python3").args(["-c", script]).arg(&path)).unwrap();
        assert_eq!(said.trim(), "{'a.txt': 5, '_locales/zh_CN/名.json': 2000}");
    }
}
